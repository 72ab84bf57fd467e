"""A literal text in another, whatever the case: where it is, and what stands around it."""

from __future__ import annotations

from itertools import accumulate


def find(text: str, wanted: str) -> tuple[int, int] | None:
    """The first place of a text in another as `(start, end)` in characters, both compared without case; None if none.

    `wanted` must be folded (`str.casefold`) and not empty. Folding may lengthen a text (`ß` is `ss`), so the place
    covers whole characters of `text`.
    """
    folded = text.casefold()
    start = folded.find(wanted)
    if start < 0:
        return None
    end = start + len(wanted)
    if len(folded) == len(text):
        return start, end
    ends = list(accumulate(len(char.casefold()) for char in text))
    return sum(1 for each in ends if each <= start), sum(1 for each in ends if each < end) + 1


def around(text: str, start: int, end: int, room: int) -> tuple[str, str, str]:
    """At most about `room` characters around a place, on one line, in three parts: before, the place, after it.

    What is left out at either side is marked by an ellipsis; white space of any length is one space.
    """
    half = max(0, room - (end - start)) // 2
    before, after = text[max(0, start - half) : start], text[end : end + half]
    head = "…" if start > half else ""
    tail = "…" if end + half < len(text) else ""
    return head + one_line(before).lstrip(), one_line(text[start:end]), one_line(after).rstrip() + tail


def one_line(text: str) -> str:
    """A text with each run of white space as one space."""
    words = " ".join(text.split())
    return f"{' ' if text[:1].isspace() and words else ''}{words}{' ' if text[-1:].isspace() else ''}"
