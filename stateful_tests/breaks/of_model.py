"""Breaks of the Bend model: its view, its order, its batches and its books, each with the proof that must fail.

The laws are those of LAWS.bend. `bridge` stands for the compiled model against the planner: it alone sees what a law
says in the model's own words (which budget a batch has, say), and what no law speaks of (how a line is written).
"""

from __future__ import annotations

from stateful_tests.breaks.catalogue import Break, Edit

BITS, NODES, TEXTS, TREES = "bits.bend", "nodes.bend", "texts.bend", "trees.bend"
DUES, VIEWS, PUSH, SAWTOOTH = "dues.bend", "views.bend", "push.bend", "sawtooth.bend"

MERGED = "View{p <> t, Bits.add(Bits.sub(Bits.sub(count, cost(m, x)), cost(m, y)), cost(m, p))}"
OVER = "next.go(Bits.over(bytes(v), budget), "
FITTED = "Views.fit(v, length(es), "
MORE = "Bits.over(Bits.add(Bits.shl(lb, next), Bits.shl(la, eb)), Bits.add(Bits.shl(la, next), Bits.shl(lb, ea)))"
SWAPPED = "Bits.over(Bits.add(Bits.shl(la, next), Bits.shl(lb, eb)), Bits.add(Bits.shl(lb, next), Bits.shl(la, ea)))"
BORROWED = "case O{s} I{t} False{}:\n      I{minus(s, t, True{})}"
CARRIED = "case I{s} I{t} False{}:\n      O{plus(s, t, True{})}"


def model(name: str, says: str, laws: str, *edits: tuple[str, str, str], by: str = "bend bridge") -> Break:
    """A break of the model; the files of its edits lie below `bend/`."""
    made = tuple(Edit(f"bend/{file}", old, new) for file, old, new in edits)
    return Break(f"model_{name}", says, tuple(laws.split()), made, tuple(by.split()), "model")


BREAKS = (
    # the merge order
    model("due_from_first", "the due of a pair is measured from its first message",
          "last_merges_8_9 push_agrees_always",
          (DUES, "      Nodes.stop(p)\n", "      Bits.inc(Nodes.start(p))\n")),
    model("exclusive_end", "the due is measured from the message after the pair", "push_agrees_always",
          (DUES, "      Nodes.stop(p)\n", "      Bits.inc(Nodes.stop(p))\n")),
    model("due_without_the_shift", "the due is measured at T, not at T + 1", "push_agrees_always",
          (DUES, "edge(o, a), edge(o, b), Bits.inc(t))", "edge(o, a), edge(o, b), t)")),
    model("levels_swapped", "the cross comparison multiplies each side by its own level", "last_merges_8_9",
          (DUES, MORE, SWAPPED)),
    model("due_not_scaled", "the due is not divided by the size of the lines", "push_agrees_always",
          (DUES, "more.at(Nodes.level(a), Nodes.level(b), edge", "more.at(0n, 0n, edge")),
    model("least_due", "the least due pair merges first", "fit_most_due",
          (DUES, "most.pick(more(q, p, o, t), q, p)", "most.pick(more(p, q, o, t), q, p)")),
    model("newest_of_equal_pairs", "of equally due pairs the newest merges first", "fit_most_due",
          (DUES, "most.pick(more(q, p, o, t), q, p)", "most.pick(Bool.not(more(p, q, o, t)), q, p)")),
    model("oldest_pair", "the oldest pair merges, due or not", "fit_most_due last_merges_8_9",
          (DUES, "most.pick(more(q, p, o, t), q, p)", "most.pick(False{}, q, p)")),
    model("budget_one_larger", "the race with push gives the view one line more than push's list has",
          "push_agrees_always push_is_short push_is_short_in_all push_agrees", (PUSH, FITTED,
          "Views.fit(v, Bits.inc(length(es)), ")),
    model("push_absorbs_at_once", "push's newest entry takes a state in before it keeps one", "push_agrees_always",
          (PUSH, "Entry{True{}, x} <> t\n", "Entry{False{}, x} <> t\n")),
    model("push_keeps_the_newer", "push hands the new state on instead of the old one", "push_agrees_always",
          (PUSH, "Entry{False{}, s} <> push(t, x)", "Entry{False{}, x} <> push(t, s)")),
    model("race_of_first", "the first order measures from last too",
          "first_merges_0_7 first_is_not_last first_leaves_push first_agrees_at_481",
          (DUES, "      Bits.inc(Nodes.start(p))\n", "      Nodes.stop(p)\n")),
    # merges and batches
    model("unbuilt_parent", "a pair counts as one that can merge before its parent is built", "fit_merges_built",
          (VIEWS, "Bool.and(Nodes.halves(Nodes.parent(x), x, y), can(m, Nodes.parent(x)))",
           "Nodes.halves(Nodes.parent(x), x, y)")),
    model("merge_asks_nobody", "a merge does not look whether its parent is built", "merge_is_one_pair",
          (VIEWS, "merge.if(can(m, p), v, p, m)", "merge.if(True{}, v, p, m)")),
    model("every_parent_counts_as_built", "a budget in bytes merges into any parent",
          "view_summarized cview_summarized life_summarized",
          (VIEWS, "      Trees.built(p, tree)\n", "      True{}\n")),
    model("merged_line_lost", "what stands behind a merged pair is dropped", "merge_covers",
          (VIEWS, MERGED, MERGED.replace("p <> t", "[p]"))),
    model("merged_line_doubled", "the newer line of a pair stays beside their parent", "merge_covers merge_is_one_pair",
          (VIEWS, MERGED, MERGED.replace("p <> t", "p <> y <> t"))),
    model("merge_forgets_a_line", "the lines in front of a merged pair are dropped", "merge_covers",
          (VIEWS, "      cons(x, rest)\n", "      rest\n")),
    model("merge_miscounts", "a merge leaves the newer line's bytes in the count", "fit_reaches_budget view_bytes",
          (VIEWS, MERGED, "View{p <> t, Bits.add(Bits.sub(count, cost(m, x)), cost(m, p))}")),
    model("batch_one_merge_long", "a batch at its budget merges on", "fit_stops_at_budget fit_most_due",
          (VIEWS, OVER, "next.go(Bool.not(Bits.over(budget, bytes(v))), ")),
    model("batch_one_byte_early", "a batch stops one byte above its budget", "fit_reaches_budget",
          (VIEWS, OVER, "next.go(Bits.over(bytes(v), Bits.inc(budget)), ")),
    model("one_merge_a_batch", "a batch makes one merge", "fit_reaches_budget",
          (VIEWS, "fit.go(Nodes.length(lines(v)), next", "fit.go(1n, next")),
    model("batch_forgets_its_merges", "a batch names only its last merges", "fit_most_due",
          (VIEWS, "Fit{view(f), p <> merged(f)}", "Fit{view(f), merged(f)}")),
    model("line_in_front", "a message's line joins the view as its first", "message_appends view_covers",
          (VIEWS, "View{Nodes.append(lines(v), [n]), ", "View{n <> lines(v), ")),
    model("line_not_counted", "a message's line is not counted", "view_bytes",
          (VIEWS, "Bits.add(bytes(v), cost(m, n))}", "bytes(v)}")),
    model("built_line_not_counted", "a line that is built is not counted any more", "view_bytes",
          (VIEWS, "      Bits.add(Bits.sub(count, old), new)\n", "      Bits.sub(count, old)\n")),
    model("batch_by_first", "the chat's batches go by the first message of a pair", "bridge",
          (SAWTOOTH, "Dues.Last{}", "Dues.First{}"), by="bridge"),
    model("batch_to_the_ceiling", "a batch stops at the ceiling", "shrinking_is_over_floor bridge",
          (SAWTOOTH, "def grow(+s: Tooth, ceiling: Bits.Bin,", "def grow(+s: Tooth, +ceiling: Bits.Bin,"),
          (SAWTOOTH, "grow.go(runs(s, ceiling), s, floor, m, t)", "grow.go(runs(s, ceiling), s, ceiling, m, t)")),
    model("flag_forgotten", "a batch that stops above its floor does not say so", "shrinking_is_over_floor",
          (SAWTOOTH, "Bits.over(Views.bytes(Views.view(f)), floor)", "False{}")),
    model("ceiling_reached", "a batch runs when the ceiling is reached, not passed", "bridge",
          (SAWTOOTH, "Bits.over(bytes(s), ceiling))", "Bool.not(Bits.over(ceiling, bytes(s))))"), by="bridge"),
    model("stopped_batch_forgotten", "a batch that stopped above its floor does not go on", "bridge",
          (SAWTOOTH, "Bool.or(shrinking(s), Bits.over(bytes(s), ceiling))", "Bits.over(bytes(s), ceiling)"),
           by="bridge"),
    model("quiet_batch", "every message is said to be a batch", "batch_only_past_ceiling",
          (SAWTOOTH, "Grown{s, [], False{}}", "Grown{s, [], True{}}")),
    model("merging_at_each_message", "each message runs a batch", "message_merges_nothing message_appends",
          (SAWTOOTH, "grow.go(runs(s, ceiling), s, floor, m, t)", "grow.go(True{}, s, floor, m, t)")),
    # numbers, nodes, the tree
    model("carry_lost", "adding two odd numbers loses the carry", "view_bytes fit_reaches_budget",
          (BITS, CARRIED, CARRIED.replace("True{})}", "False{})}"))),
    model("borrow_lost", "subtracting an odd number from an even one loses the borrow", "view_bytes",
          (BITS, BORROWED, BORROWED.replace("True{})}", "False{})}"))),
    model("low_bits_decide", "of two numbers the lower bits decide first", "fit_reaches_budget push_agrees_always",
          (BITS, "      low(compare(s, t), LT{})\n", "      low(LT{}, compare(s, t))\n")),
    model("same_up_to_the_lowest_bit", "an even number is the same as the odd one behind it", "node_text_stays",
          (BITS, "case O{s} I{t}:\n      False{}", "case O{s} I{t}:\n      same(s, t)")),
    model("inc_without_carry", "1 more than an odd number loses the carry", "view_covers",
          (BITS, "      O{inc(r)}\n", "      O{r}\n")),
    model("end_is_the_start", "a node ends where it starts", "context_ends_at_node",
          (NODES, "Bits.shl(l, Bits.inc(i))\n\ndef count", "Bits.shl(l, i)\n\ndef count")),
    model("any_neighbours_merge", "the older half is not looked at when a pair merges",
          "merge_covers merge_is_one_pair",
          (NODES, "Bool.and(same(x, Node{l, Bits.twice(i)}), same(y, Node{l, Bits.I{i}}))",
           "same(y, Node{l, Bits.I{i}})")),
    model("unequal_pair", "lines of unequal levels are taken for the same", "merge_covers node_text_stays",
          (NODES, "case 0n 1n+q:\n      False{}", "case 0n 1n+q:\n      True{}")),
    model("zoom_to_the_wrong_half", "zooming gives the older half twice", "zoom_partitions",
          (NODES, "[Node{l, Bits.twice(i)}, Node{l, Bits.I{i}}]", "[Node{l, Bits.twice(i)}, Node{l, Bits.twice(i)}]")),
    model("zoom_stops_short", "a line zoomed all the way shows its older half alone", "zoom_reaches_messages",
          (NODES, "append(messages(l, Bits.twice(i)), messages(l, Bits.I{i}))", "messages(l, Bits.twice(i))")),
    model("leaf_is_none", "a node of level 1 counts as a message", "zoom_reaches_messages",
          (NODES, "case Node{0n, i}:\n      True{}", "case Node{0n, i}:\n      False{}")),
    model("name_by_the_end", "a node is named by the message behind it", "bridge",
          (NODES, "Decimal.show(start(n))", "Decimal.show(stop(n))"), by="bridge"),
    model("look_up_in_the_wrong_branch", "the trie looks odd keys up among the even ones", "node_text_stays",
          (TREES, "      look(r, odd(t))\n", "      look(r, even(t))\n")),
    model("store_in_the_wrong_branch", "the trie stores odd keys among the even ones", "fail_cap_builds",
          (TREES, "Fork{cell(t), even(t), store(r, c, odd(t))}", "Fork{cell(t), store(r, c, even(t)), odd(t)}")),
    model("store_forgets_the_way", "storing a key drops what lies on the way to it", "node_text_stays",
          (TREES, "Fork{cell(t), store(r, c, even(t)), odd(t)}", "Fork{None{}, store(r, c, even(t)), odd(t)}")),
    model("levels_mixed", "a node of an upper level is kept one level lower", "fail_cap_builds node_text_stays",
          (TREES, "      Level{trie(t), put.at(p, i, c, above(t))}\n",
           "      Level{store(i, c, trie(t)), above(t)}\n")),
    model("built_is_unbuilt", "the view's built lines are taken for unbuilt ones", "queue_sound",
          (TREES, "unbuilt.go(built(x, t), x, unbuilt(rest, t))",
           "unbuilt.go(Bool.not(built(x, t)), x, unbuilt(rest, t))")),
    model("placeholder_miscounted", "an unbuilt line counts 28 bytes", "view_bytes cview_bytes",
          (TREES, "  Bits.I{Bits.O{Bits.I{Bits.I{Bits.I{Bits.E{}}}}}}\n",
           "  Bits.O{Bits.O{Bits.I{Bits.I{Bits.I{Bits.E{}}}}}}\n")),
    model("bytes_of_the_text", "a line counts its text's bytes, newlines and all", "view_bytes",
          (TREES, "Cell{text, Texts.size(Texts.flat(text))}", "Cell{text, Texts.size(text)}")),
    # texts
    model("cut_one_character_late", "the cut keeps the character that does not fit", "line_fits",
          (TEXTS, "    case None{}:\n      SNil{}\n    case Some{n}:",
           "    case None{}:\n      SCon{c, \"\"}\n    case Some{n}:")),
    model("cut_counts_characters", "the cut counts characters, not bytes", "line_fits",
          (TEXTS, "clip.put(spend(width(c), n), c, clip.go(t, spend(width(c), n)))",
           "clip.put(spend(1n, n), c, clip.go(t, spend(1n, n)))")),
    model("size_counts_characters", "the size of a text is its characters", "view_bytes line_fits",
          (TEXTS, "size.go(t, grow(width(c), acc))", "size.go(t, grow(1n, acc))")),
    model("long_text_fits", "a text of NODE + 1 bytes fits", "line_fits",
          (TEXTS, "Bool.not(Bits.over(size(s), node))", "Bool.not(Bits.over(size(s), Bits.inc(node)))")),
    model("wide_characters_narrow", "a character above U+FFFF takes three bytes", "bridge",
          (TEXTS, "    case False{} False{} False{}:\n      4n", "    case False{} False{} False{}:\n      3n"),
           by="bridge"),
    model("cr_lf_as_two_spaces", "a CR LF becomes two spaces", "bridge",
          (TEXTS, "case Lf{} Cr{}:\n      rest", "case Lf{} Cr{}:\n      SCon{' ', rest}"), by="bridge"),
    model("cr_kept", "a CR of a text stays in its line", "rendered_lines",
          (TEXTS, "case Cr{} _:\n      SCon{' ', rest}", "case Cr{} _:\n      SCon{c, rest}")),
    model("joined_with_a_space", "a node's source is its halves' texts with a space between", "bridge",
          (TEXTS, 'a ++ "\\n" ++ b', 'a ++ " " ++ b'), by="bridge"),
)  # fmt: skip
