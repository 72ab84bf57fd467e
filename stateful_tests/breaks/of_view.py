"""Breaks of the view, its merge order and its batches."""

from __future__ import annotations

from stateful_tests.breaks.catalogue import broken

VIEW, PLANNER, REPLAY = "core/view.py", "core/planner.py", "core/replay.py"

LAST = "last = ((index + 2) << level) - 1"
KEY = "return -((total - last) << (top - level)), left, size"
POP = "_, left, size = heappop(heap)\n"
RESUMED = "planner.chat.view = View(state.lines, sizes, sum(sizes))\n"
FOLLOWS = "if batch is not None and batch.merged:"
GROWS = "if self.view.bytes > self.ceiling or self.shrinking:"
FLAG = "self.shrinking = self.view.bytes > self.floor"

BREAKS = (
    broken("due_from_first", "the due of a pair is measured from its first message",
           "fit_most_due push_agrees push_agrees_always last_merges_8_9 first_is_not_last",
           (VIEW, LAST, "last = index << level"), by="proof histories"),
    broken("exclusive_end", "the due is measured from the message after the pair", "fit_most_due push_agrees",
           (VIEW, LAST, "last = (index + 2) << level"), by="proof histories"),
    broken("due_not_scaled", "the due is not divided by the size of the lines", "fit_most_due push_agrees",
           (VIEW, KEY, "return -(total - last), left, size"), by="proof histories"),
    broken("due_scaled_the_wrong_way", "the due is multiplied by the size of the lines", "fit_most_due push_agrees",
           (VIEW, KEY, "return -((total - last) << level), left, size"), by="proof histories"),
    broken("due_in_floats_rounded", "the due is rounded down to a whole number", "fit_most_due push_agrees",
           (VIEW, KEY, "return -((total - last) >> level), left, size")),
    broken("least_due", "the least due pair merges first", "fit_most_due push_agrees",
           (VIEW, KEY, "return (total - last) << (top - level), left, size"), by="proof histories"),
    broken("newest_of_equal_pairs", "of equally due pairs the newest merges first", "fit_most_due",
           (VIEW, KEY, "return -((total - last) << (top - level)), -left, size"),
           (VIEW, POP, POP + "            left = -left\n"), by="proof histories"),
    broken("odd_pair", "a line merges with the neighbour that is no sibling", "merge_is_one_pair merge_covers",
           (VIEW, "if index & 1 or nodes[right] != (level, index + 1):", "if nodes[right] != (level, index + 1):"),
           by="contract histories"),
    broken("unequal_pair", "lines of unequal levels merge", "merge_is_one_pair merge_covers",
           (VIEW, "nodes[right] != (level, index + 1)", "nodes[right].level > level"), by="contract histories"),
    broken("new_pair_forgotten", "a merged line waits for the next batch to merge again",
           "fit_reaches_budget fit_most_due",
           (VIEW, "if neighbours[0] >= 0 and neighbours[1] < count:", "if count < 0:")),
    broken("merged_line_lost", "the older line of a pair is dropped with the newer one", "merge_covers view_covers",
           (VIEW, "gone[right] = 1", "gone[right] = gone[left] = 1")),
    broken("merged_line_doubled", "the newer line of a pair stays beside their parent", "merge_covers view_covers",
           (VIEW, "gone[right] = 1", "gone[right] = 0")),
    broken("merging_at_each_message", "each message runs a batch down to the floor",
           "batch_only_past_ceiling message_merges_nothing message_appends", (VIEW, GROWS, "if self.view.bytes > 0:"),
           by="machine histories"),
    broken("batch_to_the_ceiling", "a batch stops at the ceiling", "fit_reaches_budget",
           (VIEW, "merged = self.view.fit(self.floor, total, parent_size)",
            "merged = self.view.fit(self.ceiling, total, parent_size)"), by="machine histories"),
    broken("batch_one_merge_short", "a batch stops one byte early", "fit_reaches_budget",
           (VIEW, "while self.bytes > budget and heap:", "while self.bytes > budget + 1 and heap:")),
    broken("batch_one_merge_long", "a batch at its budget merges on", "fit_stops_at_budget",
           (VIEW, "while self.bytes > budget and heap:", "while self.bytes >= budget and heap:")),
    broken("ceiling_reached", "a batch runs when the ceiling is reached, not passed", "batch_only_past_ceiling",
           (VIEW, GROWS, "if self.view.bytes >= self.ceiling or self.shrinking:"), by="machine histories"),
    broken("unbuilt_parent", "a batch merges into a parent that is not built",
           "fit_merges_built view_summarized cview_summarized",
           (PLANNER, "return self._line_size(parent) if parent in self.built_nodes else None",
            "return self._line_size(parent)"), by="machine"),
    broken("stopped_batch_forgotten", "a batch that stopped above its floor does not go on", "shrinking_is_over_floor",
           (VIEW, FLAG, "self.shrinking = False")),
    broken("batch_never_over", "a batch goes on at every later message", "shrinking_is_over_floor",
           (VIEW, FLAG, "self.shrinking = True")),
    broken("stopped_batch_forgotten_at_a_restart", "a restart forgets that the view is shrinking", "restart_same_view",
           (PLANNER, "planner.chat.shrinking = state.shrinking\n", "planner.chat.shrinking = False\n"),
           by="machine histories"),
    broken("view_anew_at_a_restart", "a restart fits the view by rule", "restart_same_view",
           (PLANNER, RESUMED, RESUMED + "        planner.chat.batch(state.total, planner._parent_size)\n")),
    broken("bytes_forgotten_at_a_restart", "a restart counts the view's bytes without its unbuilt lines", "view_bytes",
           (PLANNER, RESUMED,
            "merges = sum(planner._line_size(node) for node in state.lines if node.level)\n"
            "        planner.chat.view = View(state.lines, sizes, merges)\n")),
    broken("replay_leaves_out_the_flag", "a replayed batch does not say whether the view shrinks", "restart_same_view",
           (REPLAY, "self.shrinking = batch.shrinking", "self.shrinking = False")),
    broken("replay_merges_the_first_alone", "a replayed batch makes only its first merge", "restart_same_view",
           (REPLAY, "merge_lines(self.lines, batch.merged, built)",
            "merge_lines(self.lines, batch.merged[:1], built)")),
    broken("replay_misses_messages", "a replay stops at the last batch's message", "restart_same_view",
           (REPLAY, "self.lines.extend(Node(0, index) for index in range(self.total, total))",
            "self.lines.extend(Node(0, index) for index in range(self.total, total - 1))"), by="contract histories"),
    broken("compaction_view_not_following", "the compaction view stays behind a batch of the chat's view",
           "cview_follows",
           (PLANNER, FOLLOWS, "if batch is None and self.total < 0:"), by="histories machine"),
    broken("compaction_view_follows_an_empty_batch", "a batch that merges nothing resets the compaction view",
           "cview_follows",
           (PLANNER, FOLLOWS, "if batch is not None:"), by="contract histories"),
    broken("compaction_view_shared", "both views are one list after a batch", "cview_covers view_covers",
           (PLANNER, "            self.compaction.view = self.chat.view.copy()\n",
            "            self.compaction.view = self.chat.view\n")),
    broken("compaction_view_not_fitted", "the compaction view takes the chat's view as it is", "cview_follows",
           (PLANNER, "            self.compaction.batch(self.total, self._parent_size)\n", "            pass\n")),
    broken("placeholder_size_stays", "a line that gets its summary keeps the placeholder's size", "view_bytes",
           (PLANNER, "self._resize(node, txt.line_size(text))", "self._resize(node, txt.PLACEHOLDER_SIZE)")),
    broken("bytes_of_one_line_lost", "a merge does not take off the newer line's bytes", "view_bytes",
           (VIEW, "self.bytes += size - sizes[left] - sizes[right]", "self.bytes += size - sizes[left]")),
)  # fmt: skip
