"""The index: what reading all files would give, saved under a checksum. It can be deleted at any time."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from optchat.core.node import Node
from optchat.store.days import Day, DayFiles
from optchat.store.files import Files, make_folders, seal, unseal, write_atomic

MAGIC = b"OPTCHAT-INDEX-1\n"
TAIL = 1 << 12
"""Bytes at a file's end whose hash the index remembers."""


class FileEntry(Struct, frozen=True):
    """A day file as it was when the index was written."""

    name: str
    size: int
    lines: int
    changed: int
    """Its time of change, in nanoseconds."""
    inode: int
    tail: str
    """The hash of its last block."""


class Head(Struct, frozen=True):
    byteorder: str
    stamp: str
    """Names this run of indexes; a rebuilt index begins a new one, so that what belongs to the old one is dropped."""
    node_limit: int
    """NODE when it was written: with another one, other nodes are free."""
    shrinking: bool
    recorded: bool
    main: list[FileEntry]
    tree: list[FileEntry]
    node_levels: int = 0
    built_levels: int = 0
    sections: list[int] = []


class Index(NamedTuple):
    """An index in memory: places and bitmaps as Contents has them; view, leaves and ready as the planner has them."""

    head: Head
    messages: array[int]
    nodes: list[array[int]]
    built: list[bytearray]
    view: list[Node]
    leaves: list[Node]
    ready: list[Node]
    size: int = 0
    """Bytes on disk."""


def write_index(files: Files, path: Path, index: Index) -> int:
    """Put an index in the place of the last one; its size in bytes.

    Not durable: a torn one is found by its checksum.
    """
    sections = [
        index.messages.tobytes(),
        *(places.tobytes() for places in index.nodes),
        *(bytes(bits) for bits in index.built),
        _pack(index.view),
        _pack(index.leaves),
        _pack(index.ready),
    ]
    head = msgspec.structs.replace(
        index.head,
        node_levels=len(index.nodes),
        built_levels=len(index.built),
        sections=[len(section) for section in sections],
    )
    body = b"".join([msgspec.json.encode(head), b"\n", *sections])
    data = seal(MAGIC, body)
    make_folders(files, path.parent)
    write_atomic(files, path, data, durable=False)
    return len(data)


def read_index(path: Path) -> Index | str:
    """The index of a file, or in a few words why there is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return (error.strerror or str(error)).lower()
    body = unseal(MAGIC, data)
    if isinstance(body, str):
        return body
    start = len(data) - len(body)
    end = data.index(b"\n", start)
    head = msgspec.json.decode(data[start:end], type=Head)
    if head.byteorder != sys.byteorder:
        return "written by a machine of another byte order"
    parts: list[memoryview] = []
    at = end + 1 - start
    for length in head.sections:
        parts.append(body[at : at + length])
        at += length
    nodes_end = 1 + head.node_levels
    built_end = nodes_end + head.built_levels
    view, leaves, ready = map(_unpack, parts[built_end:])
    nodes = [_places(part) for part in parts[1:nodes_end]]
    built = [bytearray(part) for part in parts[nodes_end:built_end]]
    return Index(head, _places(parts[0]), nodes, built, view, leaves, ready, len(data))


def entries(days: DayFiles, known: list[FileEntry]) -> list[FileEntry] | None:
    """The entries of a folder's files; None when a file is not as we left it.

    The files before the last one of `known`, which matched, are not looked at again.
    """
    found = []
    for number, day in enumerate(days.days):
        if number < len(known) - 1:
            found.append(known[number])
            continue
        status = os.stat(days.path(day))
        if status.st_size != day.size:
            return None
        found.append(
            FileEntry(day.name, day.size, day.lines, status.st_mtime_ns, status.st_ino, _tail(days, day, day.size))
        )
    return found


def mismatch(days: DayFiles, known: list[FileEntry]) -> str | None:
    """Why the files are not those of an index, or grown ones; None when they are. All but the last must be the same."""
    if len(known) > len(days.days):
        return f"{days.folder.name}/ has fewer files"
    for number, (entry, day) in enumerate(zip(known, days.days, strict=False)):
        last = number == len(known) - 1
        status = os.stat(days.path(day))
        same = (entry.name, entry.inode) == (day.name, status.st_ino) and entry.size <= day.size
        unchanged = (entry.size, entry.changed) == (status.st_size, status.st_mtime_ns)
        grown = last and entry.size < status.st_size
        if not same or not (unchanged or grown):
            return f"{days.folder.name}/{day.name} was changed"
        if last and _tail(days, day, entry.size) != entry.tail:
            return f"{days.folder.name}/{day.name} was changed"
    return None


def _tail(days: DayFiles, day: Day, size: int) -> str:
    count = min(size, TAIL)
    return blake2b(days.read(day, count, size - count), digest_size=16).hexdigest()


def _pack(nodes: Iterable[Node]) -> bytes:
    return array("Q", [part for node in nodes for part in node]).tobytes()


def _unpack(data: memoryview) -> list[Node]:
    flat = _places(data)
    return list(map(Node, flat[::2], flat[1::2]))


def _places(data: memoryview) -> array[int]:
    found = array("Q")
    found.frombytes(data)
    return found
