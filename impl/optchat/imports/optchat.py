"""Our own formats: JSON lines `{"kind": ..., "text": ..., "date": ...}`, and the folder of another OptChat.

Other members of a line are not looked at, but for `key`: a message that an import brought into that chat keeps its
name, so that it is the same one here, whichever way it comes; and when it was logged in parts, it is one again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from optchat.imports.dates import BadDate, iso_date
from optchat.imports.files import Advance, Line, lines_of, too_long
from optchat.imports.jsontext import has_surrogate
from optchat.imports.record import Damage, ImportFailed, Keys, LeftOut, Record, Stream, utc
from optchat.store.strictjson import BadJson, loads

KINDS = frozenset(["user", "unii", "tool", "echo", "work", "note"])
OURS = re.compile(r"(?:aider|aider-before|claude|chatgpt|optchat)-[0-9a-f]{32}(?:-[0-9]{1,9})?")
"""A key that an import made."""

PART = "\x1f"
"""What the store puts between the key of a long text and the number of a part of it; the last part has none."""

SOURCE = "optchat"


class BadLine(ValueError):
    """Why a line is no record; without its place."""


def parse_lines(path: Path, advance: Advance) -> Stream:
    """The messages of a file of JSON lines."""
    yield from _parse(path, advance, Keys(SOURCE), named_agent=False)


def parse_folder(path: Path, advance: Advance) -> Stream:
    """The messages of a chat's folder, by its day files; the chat is not locked, its summaries are not read."""
    keys = Keys(SOURCE)
    for file in day_files(path):
        yield from _parse(file, advance, keys, named_agent=True)


def day_files(path: Path) -> list[Path]:
    """The files of a chat's messages, oldest first. Raises ImportFailed when the folder is no chat's."""
    for main in (path / "chat" / "main", path / "main"):
        if main.is_dir():
            return sorted(main.glob("*.jsonl"))
    raise ImportFailed(f"{path}: this folder holds no chat (no main/ or chat/main/ in it)")


def objects_of(path: Path, advance: Advance) -> Iterator[tuple[Line, dict[str, Any] | BadLine]]:
    """The JSON object of each line that is not blank, or why it has none."""
    for line in lines_of(path, advance):
        if line.data and not line.data.isspace():
            yield line, _object(line)


def _object(line: Line) -> dict[str, Any] | BadLine:
    if too_long(line):
        return BadLine("a line that is too long for a record")
    try:
        found = loads(line.data)
    except BadJson as error:
        return BadLine(str(error) if line.ended else f"{error} (the file ends within this line)")
    return found if isinstance(found, dict) else BadLine("not a JSON object")


def _parse(path: Path, advance: Advance, keys: Keys, *, named_agent: bool) -> Stream:
    parts: list[Record] = []
    """The first parts of a text that was logged in several."""
    for line, found in objects_of(path, advance):
        try:
            if isinstance(found, BadLine):
                raise found
            each = _record(path, line, found, keys, named_agent=named_agent)
        except (BadLine, BadDate) as error:
            yield Damage(path, line.number, str(error))
            continue
        if isinstance(each, LeftOut):
            yield each
            continue
        key = found.get("key")
        whole, mark, number = key.partition(PART) if isinstance(key, str) else ("", "", "")
        if parts and (parts[0].key, parts[0].kind) != (whole, each.kind):
            yield from _renamed(parts, keys)
            parts = []
        if mark and number == str(len(parts)):
            parts.append(each._replace(key=whole))
        elif parts and not mark:
            yield each._replace(text="".join(part.text for part in parts) + each.text, line=parts[0].line)
            parts = []
        else:
            yield each
    yield from _renamed(parts, keys)


def _renamed(parts: list[Record], keys: Keys) -> Iterator[Record]:
    """Parts of a text whose last part is not there, as messages of their own."""
    for part in parts:
        yield part._replace(key=keys.key(utc(part.date), part.kind, part.text))


def _record(path: Path, line: Line, found: dict[str, Any], keys: Keys, *, named_agent: bool) -> Record | LeftOut:
    kind, text, key = found.get("kind"), found.get("text"), found.get("key")
    if not isinstance(kind, str) or not isinstance(text, str):
        raise BadLine("a record needs a kind and a text")
    if kind not in KINDS:
        # In a chat's folder, any other name is the agent's.
        if not named_agent:
            raise BadLine(f"{kind[:40]!r} is no kind: there are {', '.join(sorted(KINDS))}")
        kind = "unii"
    if has_surrogate(text):
        raise BadLine("a lone surrogate in the text")
    date = iso_date(found.get("date"))
    if not text:
        return LeftOut("empty messages")
    names = key.split(" ") if isinstance(key, str) else []
    if not 1 <= len(names) <= 2 or not all(OURS.fullmatch(each) for each in names):
        names = [keys.key(utc(date), kind, text)]
    return Record(kind, text, date, names[0], "".join(names[1:]), path, line.number)
