"""Breaks of the summaries, their queue and their context."""

from __future__ import annotations

from stateful_tests.breaks.catalogue import broken

PLANNER, QUEUE, NODE, TREE = "core/planner.py", "core/queue.py", "core/node.py", "core/tree.py"

NEAR = "near = islice(self.leaves, self.lookahead)"
RESERVED = "reserved = min(running_merges + len(ready_merges), jobs // 2)"
CANCELLED = "cancelled = [node for node in self.running if node not in self.leaves] if on else []"
STOPS = "if line.end > end or line not in built:"
WAITING = "        return ready_leaves[: max(0, jobs - running_leaves)]\n"
THIRD = "if self.queue.fail(node) < self.config.failures:"
BUILT_ALREADY = """        if node in self.built_nodes:
            raise Refused(f"{node.name} is built already: a node is built once")
"""

BREAKS = (
    broken("lookahead_ignored", "leaves far beyond the look-ahead start", "queue_sound",
           (QUEUE, NEAR, "near = list(self.leaves)")),
    broken("lookahead_counts_messages", "the look-ahead counts messages, not unbuilt lines",
           "queue_complete queue_sound",
           (QUEUE, NEAR, "near = (n for n in self.leaves if n.i < next(iter(self.leaves)).i + self.lookahead)")),
    broken("lookahead_skips_the_running", "the look-ahead does not count the calls that run", "queue_sound",
           (QUEUE, NEAR, "near = islice((n for n in self.leaves if n not in self.running), self.lookahead)")),
    broken("newest_leaf_first", "the newest leaves start first", "queue_complete queue_sound",
           (QUEUE, NEAR, "near = islice(reversed(self.leaves), self.lookahead)")),
    broken("merges_starved", "leaves take every place", "merges_not_starved", (QUEUE, RESERVED, "reserved = 0"),
           by="histories machine"),
    broken("merges_take_all", "merges take every place", "queue_exact",
           (QUEUE, RESERVED, "reserved = min(running_merges + len(ready_merges), jobs)")),
    broken("too_many_calls", "running calls hold no place", "queue_within_jobs",
           (QUEUE, "places = max(0, jobs - len(running))", "places = jobs")),
    broken("too_many_leaves_while_waiting", "a waiting turn starts leaves past the jobs", "queue_within_jobs",
           (QUEUE, WAITING, "        return ready_leaves\n")),
    broken("running_started_again", "a running node is a candidate", "queue_sound",
           (QUEUE, "if node not in running and node not in resting", "if node not in resting")),
    broken("resting_started_again", "a failed node is a candidate at once", "queue_sound",
           (QUEUE, "if node not in running and node not in resting", "if node not in running")),
    broken("rest_for_ever", "a message does not end a failed node's rest", "queue_complete",
           (PLANNER, "        self.total += 1\n        self.queue.resting.clear()\n", "        self.total += 1\n")),
    broken("retry_does_nothing", "a retry tick does not end a failed node's rest", "settle_progress queue_complete",
           (PLANNER, "the nodes that failed may start again.\"\"\"\n        self.queue.resting.clear()\n",
            "the nodes that failed may start again.\"\"\"\n")),
    broken("ready_node_lost", "a node that becomes ready by its second half's own summary is forgotten",
           "queue_complete",
           (PLANNER, "            source = self.source(parent)\n            if txt.size(source) > self.config.node:\n"
                     "                self.queue.ready[parent] = None\n",
            "            source = self.source(parent)\n            if txt.size(source) > self.config.node:\n"),
           by="machine histories"),
    broken("ready_node_lost_when_long", "a node whose newer half is full is forgotten", "queue_complete",
           (PLANNER, "it need not be read.\n                self.queue.ready[parent] = None\n",
            "it need not be read.\n")),
    broken("ready_node_lost_at_a_restart", "a restart forgets the merges that are ready", "queue_complete",
           (PLANNER, "planner.queue.ready.update((node, None) for node in state.ready)\n", "pass\n")),
    broken("leaves_lost_at_a_restart", "a restart forgets the leaves that wait", "queue_complete settle_progress",
           (PLANNER, "planner.queue.leaves.update((leaf, None) for leaf in state.leaves)\n", "pass\n")),
    broken("ready_newest_first", "the merge that became ready last starts first", "queue_exact",
           (QUEUE, "startable(merges, running, resting), jobs))",
            "startable(list(merges)[::-1], running, resting), jobs))")),
    broken("node_built_twice", "a second summary replaces the first", "node_built_once", (PLANNER, BUILT_ALREADY, ""),
           by="machine histories"),
    broken("built_without_source", "a node is built before its halves", "node_built_once",
           (PLANNER, "if not self.has_source(node):", "if node.level < 0:")),
    broken("half_a_source", "a node is built when its older half is", "node_built_once",
           (PLANNER, "all(half in self.built_nodes for half in node.children)",
            "node.children[0] in self.built_nodes")),
    broken("built_beyond_the_chat", "a node of messages to come is taken", "node_built_once",
           (PLANNER, "node.level > self.total.bit_length() or node.end > self.total", "node.first > self.total")),
    broken("built_stays_running", "a built node keeps its place among the calls", "queue_within_jobs queue_complete",
           (QUEUE, "        self.running.pop(node, None)\n", "")),
    broken("built_stays_ready", "a built merge stays in the queue", "queue_sound",
           (QUEUE, "        self.ready.pop(node, None)\n", "")),
    broken("third_failure_not_built", "a node may fail for ever", "fail_cap_builds",
           (PLANNER, THIRD, "if self.queue.fail(node) < self.config.failures * 1000:"), by="machine histories"),
    broken("second_failure_builds", "a node is given up after its second failure", "fail_cap_builds",
           (PLANNER, THIRD, "if self.queue.fail(node) < self.config.failures - 1:")),
    broken("failures_forgotten_at_a_retry", "each failure is the first one", "fail_cap_builds settle_reached",
           (QUEUE, "self.failures[node] = self.failures.get(node, 0) + 1", "self.failures[node] = 1")),
    broken("failure_without_a_call", "a node that does not run can fail", "refused_changes_nothing",
           (PLANNER, "        if node not in self.queue.running:\n", "        if node in self.built_nodes:\n"),
           (QUEUE, "        del self.running[node]\n        self.resting.add(node)\n",
            "        self.running.pop(node, None)\n        self.resting.add(node)\n"), by="contract histories"),
    broken("wait_cancels_nothing", "calls for other nodes run on while a turn waits", "need_first_running",
           (QUEUE, CANCELLED, "cancelled: list[Node] = []"), by="machine histories"),
    broken("wait_cancels_its_leaves", "a waiting turn stops the very calls that it waits for", "need_first_running",
           (QUEUE, CANCELLED, "cancelled = list(self.running) if on else []")),
    broken("cancelling_fails", "a cancelled call counts as a failure", "need_first_running queue_complete",
           (QUEUE, "            del self.running[node]\n        return cancelled",
            "            self.fail(node)\n        return cancelled")),
    broken("merges_while_waiting", "merges start while a turn waits", "need_first",
           (QUEUE, WAITING,
            "        both = ready_leaves + list(startable(merges, running, resting))\n"
            "        return both[: max(0, jobs - len(running))]\n")),
    broken("context_by_start", "a summary sees lines that start before its node's end", "context_ends_at_node",
           (PLANNER, STOPS, "if line.first > end or line not in built:"), by="machine histories"),
    broken("context_past_the_message", "a leaf's summary sees the leaf's own line", "context_ends_at_node",
           (PLANNER, "end = node.first if node.level == 0 else node.end", "end = node.end")),
    broken("context_with_gaps", "a context goes on after an unbuilt line", "context_is_prefix",
           (PLANNER, STOPS + "\n            break\n", STOPS + "\n            continue\n")),
    broken("context_with_placeholders", "a context holds lines without a summary", "context_ends_at_node",
           (PLANNER, STOPS, "if line.end > end:")),
    broken("context_of_the_chat", "a context is the start of the chat's view", "context_is_prefix",
           (PLANNER, "context_of(self.compaction.view.nodes, end, self.built_nodes)",
            "context_of(self.chat.view.nodes, end, self.built_nodes)")),
    broken("zoom_to_the_wrong_half", "zooming gives the older half twice", "zoom_partitions",
           (NODE, "Node(self.level - 1, 2 * self.i + 1)", "Node(self.level - 1, 2 * self.i)"), by="proof contract"),
    broken("bitmap_forgets", "each eighth node is forgotten when the bitmap grows", "node_built_once queue_sound",
           (TREE, "bits[byte] |= 1 << (index & 7)", "bits[byte] = 1 << (index & 7)")),
)  # fmt: skip
