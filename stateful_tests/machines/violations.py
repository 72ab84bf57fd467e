"""For each law, one plain state that it accepts and at least one that it refuses: a predicate that refuses nothing is
none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from optchat_spec.order_laws import due_fit
from optchat_spec.steps import Talk
from optchat_spec.vocabulary import Batch, Entry, Lines, Node, pushed

Args = tuple[Any, ...]


class Example(NamedTuple):
    """Arguments of a law's predicate: some that it accepts, and all that it must refuse."""

    accepted: Args
    refused: tuple[Args, ...]


def leaves(count: int) -> Lines:
    return tuple((0, index) for index in range(count))


def none_merge(_lines: Lines, _budget: int, _total: int) -> Lines:
    """A batch that never merges."""
    return ()


def one_byte(_: Node) -> int:
    return 1


def talk(*replies: str | None, line: str | None, asked: int | None = None, tries: int = 5) -> Talk:
    """A conversation about the source `abcdef`, at 4 bytes a node."""
    return Talk("abcdef", replies, 4, tries, len(replies) if asked is None else asked, line)


LAST, FIRST = due_fit("last"), due_fit("first")
FOUR: frozenset[Node] = frozenset({*leaves(4), (1, 0), (1, 1), (2, 0)})
"""Everything built over four messages."""

EXAMPLES: dict[str, Example] = {
    "view_covers": Example(
        (3, ((1, 0), (0, 2))),
        ((3, ((1, 0),)), (3, ((0, 2), (1, 0))), (2, ((0, 0), (0, 0), (0, 1))), (3, ((0, 0), (1, 0)))),
    ),
    "cview_covers": Example((2, leaves(2)), ((2, leaves(3)), (4, ((2, 0), (0, 3))))),
    "message_appends": Example(
        (leaves(2), leaves(3), 3),
        ((leaves(2), leaves(2), 3), (leaves(2), ((1, 0), (0, 2)), 3), (leaves(2), (*leaves(2), (0, 1)), 3)),
    ),
    "message_merges_nothing": Example(((),), ((((1, 0),),),)),
    "merge_is_one_pair": Example(
        (leaves(3), ((1, 0), (0, 2)), FOUR),
        (
            (leaves(3), ((1, 0), (0, 2)), frozenset(leaves(3))),
            (leaves(3), ((0, 0), (1, 1)), FOUR),
            (leaves(4), ((2, 0),), FOUR),
        ),
    ),
    "merge_covers": Example((2, leaves(2), ((1, 0),)), ((2, leaves(2), ((0, 0),)), (2, leaves(2), ((1, 1),)))),
    "fit_merges_built": Example((((1, 0),), FOUR), ((((1, 0), (1, 7)), FOUR),)),
    "fit_reaches_budget": Example(
        (((1, 0), (0, 2)), (5, 5), 10, 3, FOUR), ((leaves(2), (5, 6), 10, 2, FOUR), (leaves(4), (9,) * 4, 10, 4, None))
    ),
    "fit_most_due": Example(
        (leaves(4), ((1, 0), (1, 1)), 4, FOUR),
        (
            (leaves(4), ((1, 1),), 4, FOUR),
            (leaves(4), ((1, 0), (2, 0)), 4, FOUR),
            (((2, 0), (2, 1), (0, 8), (0, 9)), ((3, 0),), 10, None),
            (leaves(2), ((1, 0),), 2, frozenset(leaves(2))),
        ),
    ),
    "fit_stops_at_budget": Example((leaves(4), ((1, 0),), one_byte, 3), ((leaves(4), ((1, 0), (1, 1)), one_byte, 3),)),
    "view_summarized": Example((((1, 0), (0, 9)), FOUR), ((((1, 0), (1, 1)), frozenset({(1, 0)})),)),
    "cview_summarized": Example((((2, 0), (0, 4)), FOUR), ((((2, 0), (2, 1)), FOUR),)),
    "view_bytes": Example((7, (3, 4)), ((8, (3, 4)), (0, (29,)))),
    "restart_same_view": Example(
        (((1, 0), (0, 2)), True, 3, (Batch(((1, 0),), True, 3),)),
        (
            (((1, 0), (0, 2)), False, 3, (Batch(((1, 0),), True, 3),)),
            (leaves(3), True, 3, (Batch(((1, 0),), True, 3),)),
            (leaves(3), True, 3, ()),
            (leaves(3), False, 3, (Batch((), False, 4),)),
            (((1, 0), (0, 2)), False, 3, (Batch(((1, 1),), False, 3),)),
        ),
    ),
    "batch_only_past_ceiling": Example(
        (True, True, 101, 100, False), ((True, True, 100, 100, False), (True, False, 200, 100, True))
    ),
    "shrinking_is_over_floor": Example((True, 51, 50), ((True, 50, 50), (False, 51, 50))),
    "cview_follows": Example(
        (((1, 0), (0, 2)), leaves(3), True, 2, 3, FOUR, one_byte),
        (
            (leaves(3), leaves(3), True, 2, 3, FOUR, one_byte),
            (((1, 0), (0, 2)), leaves(3), False, 2, 3, FOUR, one_byte),
        ),
    ),
    "rendered_lines": Example(
        ("<chat>\n0+2|a b\n2+1|(not summarized yet: zoom it)\n</chat>", ((1, 0), (0, 2)), {(1, 0): "a\r\nb"}),
        (
            ("<chat>\n0+2|a\nb\n</chat>", ((1, 0),), {(1, 0): "a\nb"}),
            ("<chat>\n0+2|a  b\n</chat>", ((1, 0),), {(1, 0): "a\r\nb"}),
            ("<chat>\n0+1|a b\n</chat>", ((1, 0),), {(1, 0): "a b"}),
            ("<chat>\n0+1|\n</chat>", ((0, 0),), {}),
            ("<chat>\n</chat>", ((0, 0),), {(0, 0): "a"}),
        ),
    ),
    "push_agrees": Example((LAST, 100), ((FIRST, 11), (none_merge, 3))),
    "push_agrees_always": Example((LAST, pushed(10**12)), ((FIRST, pushed(9)), (none_merge, pushed(1)))),
    "last_merges_8_9": Example((LAST,), ((FIRST,), (none_merge,))),
    "first_merges_0_7": Example((FIRST,), ((LAST,), (none_merge,))),
    "first_is_not_last": Example((LAST, FIRST), ((LAST, LAST), (FIRST, FIRST))),
    "first_leaves_push": Example((FIRST,), ((LAST, 100, 100), (FIRST, 1000, 481))),
    "push_is_short": Example(
        (pushed(1_000_000),),
        ((tuple(Entry(0, (0, index)) for index in (2, 1, 0)),), (tuple(Entry(0, (9, 0)) for _ in range(3)),)),
    ),
    "node_built_once": Example(
        (((0, 1), (1, 0)), leaves(1), 2),
        (
            (((0, 1), (0, 1)), leaves(1), 2),
            (((0, 0),), leaves(1), 2),
            (((1, 0), (0, 1)), leaves(1), 2),
            (((0, 2),), (), 2),
            (((1, 0),), leaves(2), 1),
        ),
    ),
    "free_is_source": Example(
        ((1, 0), {}, {(0, 0): "a", (0, 1): "b", (1, 0): "a\nb"}, 3),
        (
            ((1, 0), {}, {(0, 0): "a", (0, 1): "b"}, 3),
            ((1, 0), {}, {(0, 0): "a", (0, 1): "b", (1, 0): "a b"}, 3),
            ((0, 0), {0: "user: hi"}, {}, 8),
        ),
    ),
    "queue_sound": Example(
        (((0, 2), (1, 0)), leaves(2), (), (), 3, ((0, 2),)),
        (
            (((0, 0),), leaves(2), (), (), 3, leaves(3)),
            (((0, 2),), leaves(2), ((0, 2),), (), 3, leaves(3)),
            (((0, 2),), leaves(2), (), ((0, 2),), 3, leaves(3)),
            (((1, 0),), leaves(1), (), (), 3, ()),
            (((0, 3),), (), (), (), 3, leaves(4)),
            (((0, 2),), leaves(2), (), (), 3, ()),
            (((0, 2), (0, 2)), leaves(2), (), (), 3, leaves(3)),
        ),
    ),
    "queue_complete": Example(
        (((0, 4), (0, 5), (0, 6), (1, 0)), ((1, 0),), ((0, 4),), ((0, 5),), ((0, 6),)),
        ((((0, 4), (1, 0)), ((0, 4),), (), (), ()),),
    ),
    "queue_within_jobs": Example((leaves(2), ((1, 3),), 3), ((leaves(3), ((1, 3),), 3),)),
    "merges_not_starved": Example((((1, 0),), ((0, 7), (1, 0)), (), 2), ((((1, 0),), ((0, 7), (0, 8)), (), 2),)),
    "queue_exact": Example(
        (((0, 3), (1, 0)), ((0, 3), (1, 0))),
        ((((1, 0), (0, 3)), ((0, 3), (1, 0))), (((0, 3),), ((0, 3), (1, 0)))),
    ),
    "need_first": Example(
        (((0, 3),), ((1, 0), (0, 2), (0, 3)), ((1, 0), (0, 2))),
        ((((1, 1),), ((1, 0), (0, 2), (0, 3)), ((1, 0),)), (((0, 2),), leaves(3), leaves(3))),
    ),
    "need_first_running": Example(
        (((0, 2),), leaves(3), leaves(2), {}, {}),
        ((((1, 0),), leaves(3), leaves(2), {}, {}), ((), leaves(3), leaves(2), {}, {(1, 0): 1})),
    ),
    "settle_progress": Example((leaves(2), (), (), ((0, 1),), 8), ((leaves(2), (), (), ((0, 1),), 1),)),
    "settle_reached": Example((leaves(1), 2, 5, 3), ((leaves(1), 2, 6, 3),)),
    "fail_cap_builds": Example(
        (3, 3, "ab日本", "ab日", 6),
        (
            (3, 3, "ab日本", None, 6),
            (3, 3, "ab日本", "ab日本", 6),
            (3, 3, "ab日本", "ab\ufffd", 4),
            (3, 3, "abcdef", "abc", 4),
            (2, 3, "abcd", "abcd", 4),
        ),
    ),
    "context_ends_at_node": Example(
        ((0, 3), ((1, 0), (0, 2)), FOUR),
        (((0, 3), leaves(4), FOUR), ((1, 0), ((1, 0), (0, 2)), FOUR), ((0, 3), ((1, 0), (0, 2)), leaves(4))),
    ),
    "context_is_prefix": Example(
        ((0, 3), ((1, 0),), ((1, 0), (0, 2), (0, 3)), {(1, 0)}),
        (
            ((0, 3), ((0, 2),), ((1, 0), (0, 2), (0, 3)), FOUR),
            ((0, 3), ((1, 0),), ((1, 0), (0, 2), (0, 3)), FOUR),
            ((1, 1), (), ((2, 0),), FOUR),
        ),
    ),
    "zoom_partitions": Example(
        ((3, 5), ((2, 10), (2, 11))), (((3, 5), ((2, 10),)), ((3, 5), ((2, 11), (2, 10))), ((0, 5), ((0, 5),)))
    ),
    "refused_changes_nothing": Example(
        ("it runs", False, True), (("it runs", True, True), (None, False, True), ("it runs", False, False))
    ),
    "line_calls_at_most_tries": Example((5, 5), ((6, 5),)),
    "line_fits": Example(("日", 3), (("", 3), ("日本", 5))),
    "line_takes_first_fit": Example(
        (talk("abcdefg", "0+1| ab\n", line="ab"),),
        ((talk("ab", "a", line="a"),), (talk("ab", line="abcd"),), (talk("ab", "abcdefg", line="ab"),)),
    ),
    "line_stops_when_not_shorter": Example(
        (talk("abcdefg", "abcdefg", line="abcd"),),
        (
            (talk("abcdefg", "ABCDEFG", "xy", line="xy"),),
            (talk("abcdefg", "ABCDEFGH", line="ABCD"),),
            (talk("abcdefg", "abcdef", line="abcdef", tries=2),),
        ),
    ),
    "line_empty_is_a_try": Example(
        (talk("abcdefg", " ", line="abcd"),),
        ((talk("", line=""),), (talk("", "xy", line="xy"),), (talk("1+1|", line="wxyz"),)),
    ),
    "line_error_fails": Example(
        (talk("abcdefg", None, line=None),),
        ((talk(None, line="abcd"),), (talk(None, "xy", line=None),), (talk("xy", line=None),)),
    ),
}
