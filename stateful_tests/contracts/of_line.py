"""Contracts of a line from model replies: every conversation whose replies are these, with NODE 4 bytes."""

from __future__ import annotations

from optchat.core.line import CutOff, LineBuilder
from optchat_spec import line_laws
from optchat_spec.steps import Talk
from stateful_tests.contracts.contract import contract
from stateful_tests.contracts.tiny import pick

REPLIES = (None, "", "ab", "1+2|abcd", "abcde", "a\r\nbcde", "é€é")
"""An error; an empty one; such that fit, one of them with a head; and such of 5, 6 and 7 bytes."""

SOURCE = "k: a€source"
BOUNDS = f"every row of replies out of {len(REPLIES)}, TRIES 1 to 3"
Codes = tuple[int, int, int, int]


def talk(codes: Codes, tries: int) -> Talk:
    """The conversation of the real LineBuilder with a model that gives these replies."""
    tries = pick(range(5), tries)
    replies: list[str | None] = []
    builder = LineBuilder(SOURCE, 4, tries)
    for asked, code in enumerate(codes, 1):
        replies.append(pick(REPLIES, code))
        reply = replies[-1]
        try:
            line = builder.offer("cut off" if reply is None else reply, cut_off=reply is None)
        except CutOff:
            return Talk(SOURCE, tuple(replies), 4, tries, asked, None)
        if isinstance(line, str):
            return Talk(SOURCE, tuple(replies), 4, tries, asked, line)
    return Talk(SOURCE, tuple(replies), 4, tries, len(replies) + 1, "")


@contract("line_calls_at_most_tries", "line.LineBuilder.offer", BOUNDS)
def line_calls_at_most_tries(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_calls_at_most_tries(made.asked, made.tries) is None


@contract("line_fits", "line.LineBuilder.offer", BOUNDS)
def line_fits(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_fits(made.line, made.node) is None


@contract("line_takes_first_fit", "line.LineBuilder.offer", BOUNDS)
def line_takes_first_fit(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_takes_first_fit(made) is None


@contract("line_stops_when_not_shorter", "line.LineBuilder.offer", BOUNDS)
def line_stops_when_not_shorter(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_stops_when_not_shorter(made) is None


@contract("line_empty_is_a_try", "line.LineBuilder.offer", BOUNDS)
def line_empty_is_a_try(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_empty_is_a_try(made) is None


@contract("line_error_fails", "line.LineBuilder.offer", BOUNDS)
def line_error_fails(codes: Codes, tries: int) -> None:
    assert min(codes) >= 0
    assert max(codes) < len(REPLIES)
    assert 1 <= tries <= 3
    made = talk(codes, tries)
    assert line_laws.line_error_fails(made) is None
