"""Which format a file has, told from what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from optchat.imports import aider, chatgpt, claude, optchat
from optchat.imports.files import Advance, check_text, head_of, lines_of, members_of
from optchat.imports.record import ImportFailed, Stream
from optchat.store.strictjson import BadJson, loads

HEADER = re.compile(rb"^# aider chat started at \d", re.MULTILINE)
LOOK = 200
"""How many lines of a file are looked at."""


class Format(StrEnum):
    """The formats that can be read."""

    AIDER = "aider"
    CLAUDE = "claude"
    CHATGPT = "chatgpt"
    JSONL = "jsonl"
    OPTCHAT = "optchat"


PARSERS: dict[Format, Callable[[Path, Advance], Stream]] = {
    Format.AIDER: aider.parse,
    Format.CLAUDE: claude.parse,
    Format.CHATGPT: chatgpt.parse,
    Format.JSONL: optchat.parse_lines,
    Format.OPTCHAT: optchat.parse_folder,
}


def check(path: Path, wanted: Format | None) -> Format:
    """The format of a file or folder: `wanted`, or what it looks like. Raises ImportFailed, one line, on what is
    missing, empty, compressed, binary, or like none of them."""
    if path.is_dir():
        if wanted not in (None, Format.OPTCHAT):
            raise ImportFailed(f"{path}: this is a folder, and the format {wanted.value} is a file")
        optchat.day_files(path)
        return Format.OPTCHAT
    head = head_of(path)
    if wanted is Format.OPTCHAT:
        raise ImportFailed(f"{path}: this is a file, and the format optchat is a chat's folder (for JSON lines: jsonl)")
    if head.startswith(b"PK\x03\x04"):
        if wanted not in (None, Format.CHATGPT):
            raise ImportFailed(f"{path}: this is a zip file: unpack it first")
        members_of(path, chatgpt.MEMBER)
        return Format.CHATGPT
    check_text(path, head)
    found = wanted or _looks_like(path, head)
    if found is None:
        formats = ", ".join(each.value for each in Format)
        raise ImportFailed(f"{path}: this looks like none of the formats {formats}: name one with --format")
    return found


def _looks_like(path: Path, head: bytes) -> Format | None:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"[") and re.match(rb"\[\s*(\{|\]|\Z)", start):
        return Format.CHATGPT
    if HEADER.search(head):
        return Format.AIDER
    votes = {Format.JSONL: 0, Format.CLAUDE: 0}
    for line in lines_of(path, lambda _: None):
        if line.number > LOOK:
            break
        vote = _votes_for(line.data)
        if vote is Format.CHATGPT and line.number == 1:
            return vote
        if vote in votes:
            votes[vote] += 1
    if any(votes.values()):
        return max(votes, key=votes.__getitem__)
    if start.startswith(b"{") and b'"mapping"' in head:
        return Format.CHATGPT
    return Format.AIDER if any(HEADER.match(line.data) for line in lines_of(path, lambda _: None)) else None


def _votes_for(line: bytes) -> Format | None:
    """What one line of JSON lines looks like."""
    if not line.startswith(b"{"):
        return None
    try:
        found = loads(line)
    except BadJson:
        # A damaged line still says what it was meant to be.
        if b'"kind"' in line and b'"text"' in line:
            return Format.JSONL
        return Format.CLAUDE if b'"type"' in line else None
    if not isinstance(found, dict):
        return None
    if isinstance(found.get("mapping"), dict):
        return Format.CHATGPT
    if "kind" in found and "text" in found:
        return Format.JSONL
    return Format.CLAUDE if isinstance(found.get("type"), str) else None
