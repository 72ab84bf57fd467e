"""All given files as one chat: read and checked whole, oldest first, each message once."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from os import SEEK_END
from pathlib import Path
from typing import IO, NamedTuple, Self

import msgspec

from optchat.imports.aider import start_of
from optchat.imports.detect import PARSERS, Format, check
from optchat.imports.files import in_temporary
from optchat.imports.grown import beginnings, completed, is_rest
from optchat.imports.optchat import day_files
from optchat.imports.record import Damage, ImportFailed, LeftOut, Record

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAMAGES = 1000
"""How many damaged records are kept with their reasons; the others are counted."""

SIZE = 8
"""Bytes before a record in the spool that say how long it is."""

Progress = Callable[[int, int], None]
"""Called with how many bytes were read, and of how many."""


class Place(NamedTuple):
    """A record that lies in the spool.

    `moment` in microseconds, the number of its file, its number in the file, and where its bytes are.
    """

    moment: int
    file: int
    number: int
    offset: int
    key: str
    twin: str


@dataclass(slots=True)
class Gathered:
    """What the files hold: each message once, oldest first: by date, then by file, then by place in the file.

    The texts lie in a temporary file until they are asked for: memory grows with the number of messages alone.
    """

    paths: list[Path]
    formats: dict[Path, Format]
    spool: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    found: int = 0
    """The messages of all files."""
    again: int = 0
    """Of these, how often one came that was in the files before."""
    there: int = 0
    """How many `skip` took out."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Records that are no messages, by reason."""
    damaged: int = 0
    damages: list[Damage] = field(default_factory=list)
    """The first DAMAGES damaged records."""
    places: list[Place] = field(default_factory=list)

    def __len__(self) -> int:
        """How many messages there are to take."""
        return len(self.places)

    def skip(self, names: Container[str], twins: Container[str]) -> None:
        """Take out the messages that the chat has: `names` are the first names of its own, `twins` their second ones.

        Two messages that both have a first name are one only by that: sessions before headers that say the same second
        give the same twins. A message of the chat whose only name is a twin is one message of these, not all.
        """
        left, used = [], set[str]()
        for each in self.places:
            if each.key in names or each.key in twins:
                continue
            if each.twin in names and each.twin not in used:
                used.add(each.twin)
                continue
            left.append(each)
        self.there += len(self.places) - len(left)
        self.places = left

    def records(self) -> Iterator[Record]:
        """The messages to take, oldest first."""
        return map(self.record, self.places)

    def record(self, place: Place) -> Record:
        """The message at a place."""
        self.spool.seek(place.offset)
        size = int.from_bytes(self.spool.read(SIZE))
        kind, text, date, line, alternate = _unpack(self.spool.read(size))
        when = datetime.fromisoformat(date)
        return Record(kind, text, when, place.key, place.twin, self.paths[place.file], line, alternate)

    def close(self) -> None:
        with in_temporary():
            self.spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[str, str, str, int, bool]).decode


def gather(
    paths: Iterable[Path],
    *,
    format: Format | None = None,  # noqa: A002
    branches: bool = True,
    strict: bool = False,
    progress: Progress | None = None,
) -> Gathered:
    """Read all files; `branches` takes alternate branches too.

    The outcome does not depend on the order in which the files are given. Raises ImportFailed on a file that cannot
    be read at all or holds nothing but damage, and, when `strict`, on the first damaged record.
    """
    given = list(dict.fromkeys(paths))
    formats = {path: check(path, format) for path in given}
    total = sum(_size(path) for path in given)
    read = 0

    def advance(count: int) -> None:
        nonlocal read
        read += count
        if progress is not None:
            progress(min(read, total), total)

    result = Gathered(given, formats)
    try:
        files = [_read_file(result, number, advance, branches, strict) for number in range(len(given))]
        with in_temporary():
            result.spool.flush()
    except BaseException:
        result.close()
        raise
    result.places = choose(files, _ranks(given, files))
    result.places = _without_beginnings(result)
    result.found = sum(len(each) for each in files)
    result.again = result.found - len(result.places)
    return result


def choose(files: list[list[Place]], ranks: list[int]) -> list[Place]:
    """One place for each message of all files, oldest first. Two places are the same message when they share a name.

    `ranks` has each file's place among the files.
    """

    def order(place: Place) -> tuple[int, int, int]:
        return place.moment, ranks[place.file], place.number

    same = {place.twin: place.key for places in files for place in places if place.twin}
    best: dict[str, Place] = {}
    for places in files:
        for place in places:
            other = best.setdefault(same.get(place.key, place.key), place)
            # The place with both names comes first: its names are all that the message has.
            if other is not place and (not place.twin, order(place)) < (not other.twin, order(other)):
                best[same.get(place.key, place.key)] = place
    return sorted(best.values(), key=order)


def _without_beginnings(result: Gathered) -> list[Place]:
    """The places without those of messages that another copy of their file has with more behind (`imports.grown`)."""
    counts = Counter(start_of(place.key) for place in result.places)
    alike: dict[str, list[Record]] = {}
    for place in result.places:
        start = start_of(place.key)
        if start and counts[start] > 1:
            alike.setdefault(start, []).append(result.record(place))
    dropped = {key for several in alike.values() for key in beginnings(several)}
    return [place for place in result.places if place.key not in dropped]


def _completed(result: Gathered, places: list[Place], starts: set[str]) -> list[Place]:
    """A file's places, those of messages with these starts as whole messages (`imports.grown`)."""
    alike: dict[str, list[Place]] = {}
    for place in places:
        if start_of(place.key) in starts:
            alike.setdefault(start_of(place.key), []).append(place)
    whole = [place for place in places if start_of(place.key) not in starts]
    for several in alike.values():
        records = completed(map(result.record, several))
        # Reading has moved the place where the next one is written.
        result.spool.seek(0, SEEK_END)
        for place, (first, record) in zip(several, records, strict=True):
            whole.append(_spooled(result.spool, place.file, several[first].number, record))
    return whole


def _ranks(paths: list[Path], files: list[list[Place]]) -> list[int]:
    """Where each file comes: by its first message, not by the order in which the files were given."""

    def first(number: int) -> tuple[int, str, str, str]:
        if not files[number]:
            return 0, "", "", ""
        place = min(files[number], key=lambda place: (place.moment, place.number))
        return place.moment, paths[number].name, place.key, str(paths[number])

    ranks = [0] * len(files)
    for rank, number in enumerate(sorted(range(len(files)), key=first)):
        ranks[number] = rank
    return ranks


def _read_file(
    result: Gathered, number: int, advance: Callable[[int], None], branches: bool, strict: bool
) -> list[Place]:
    path = result.paths[number]
    places: list[Place] = []
    rests: set[str] = set()
    damaged = 0
    first: Damage | None = None
    for each in PARSERS[result.formats[path]](path, advance):
        match each:
            case Damage():
                if strict:
                    raise ImportFailed(f"{each} (nothing was imported, as --strict asks)", damaged=True)
                damaged += 1
                first = first or each
                if len(result.damages) < DAMAGES:
                    result.damages.append(each)
            case LeftOut():
                result.left_out[each.reason] += 1
            case Record() if each.alternate and not branches:
                result.left_out["alternate branches"] += 1
            case Record():
                if is_rest(each):
                    rests.add(start_of(each.key))
                places.append(_spooled(result.spool, number, len(places), each))
    result.damaged += damaged
    if damaged and not places:
        raise ImportFailed(f"{path}: nothing in it can be read ({damaged} damaged; {first})", damaged=True)
    return _completed(result, places, rests) if rests else places


def _spooled(spool: IO[bytes], file: int, number: int, record: Record) -> Place:
    date = record.date.isoformat()
    data = _pack((record.kind, record.text, date, record.line, record.alternate))
    offset = spool.tell()
    with in_temporary():
        spool.write(len(data).to_bytes(SIZE))
        spool.write(data)
    moment = (record.date - EPOCH) // MICROSECOND
    return Place(moment, file, number, offset, record.key, record.twin)


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in (day_files(path) if path.is_dir() else [path]))
