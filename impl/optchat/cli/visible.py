"""Texts that do nothing but show, whatever they hold: for a terminal, and for an error's one line."""

from __future__ import annotations

import re

ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, without line breaks and tabs, and the marks that change the direction of writing."""

BREAKS = re.compile("[\t\n\u2028\u2029]")
"""What else would end a line, or move in it."""


def visible(text: str) -> str:
    """A text that does nothing to a terminal but show: what would do more is written as its escape."""
    return ACTIVE.sub(_escape, text)


def visible_line(text: str) -> str:
    """The same on one line: a line break is its escape too. Spaces stay as they are, for they can be a file's name."""
    return BREAKS.sub(_escape, visible(text))


def _escape(found: re.Match[str]) -> str:
    return ascii(found.group())[1:-1]
