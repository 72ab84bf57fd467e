"""The files of a verdict: the histories that break laws, and JUnit for gates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from xml.etree import ElementTree

from optchat.cli.status import Status, complain
from optchat_bridge.check.judge import Finding
from optchat_bridge.check.peer import printable
from optchat_bridge.check.report import OF_CHANGES, Case
from optchat_spec import scenario


class NotWritten(Exception):
    """A file of the verdict could not be written; one line: which, and why."""


def write_whole(path: Path, data: bytes, said: Path) -> None:
    """Write a file as a whole or not at all. Raises NotWritten, which says `said`."""
    # What is no regular file (/dev/stdout) cannot be put in place.
    there = path.exists() and not path.is_file()
    aside = path if there else path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            aside.write_bytes(data)
            if not there:
                aside.replace(path)
        finally:
            if not there:
                aside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise NotWritten(f"{printable(str(said))} cannot be written: {reason_of(error)}") from None


def reason_of(error: Exception) -> str:
    if isinstance(error, FileExistsError):
        return "a file is where its folder would be"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class Writing:
    """The files of a verdict. One that cannot be written keeps nobody from the verdict: it is told when that is out."""

    def __init__(self) -> None:
        self.failed: dict[str, None] = {}

    def keep(self, folder: Path, law: str, finding: Finding | None) -> Path | None:
        """Write the history that breaks a law; where it is, None when there is none or it could not be written."""
        kept = None
        if finding is not None:
            with self._told():
                kept = keep(folder, law, finding)
        return kept

    def copy(self, source: Path, folder: Path) -> None:
        """Write the histories that another run wrote to `source`, where it wrote some."""
        for path in sorted(source.glob("*.jsonl")):
            # A link, or what is no file, is none of a run's own.
            if path.is_file() and not path.is_symlink():
                with self._told():
                    write_whole(folder / path.name, path.read_bytes(), folder)

    def junit(self, path: Path | None, name: str, rows: list[Case]) -> None:
        """Write a JUnit file, where one is asked for."""
        if path is not None:
            with self._told():
                write_junit(path, name, rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Around the writing of one file."""
        try:
            yield
        except NotWritten as why:
            self.failed[str(why)] = None

    def status(self, verdict: int) -> int:
        """Tell what could not be written; the status to exit with, the verdict's own where it is not good already."""
        for line in self.failed:
            complain(line)
        return Status.SYSTEM if self.failed and not verdict else verdict


def keep(folder: Path, law: str, finding: Finding) -> Path | None:
    """Write the history that breaks a law, where it has one. Raises NotWritten."""
    if not finding.events:
        return None
    path = folder / f"{law}.jsonl"
    write_whole(path, scenario.write(finding.config, finding.events).encode(), folder)
    return path


def write_junit(path: Path, name: str, rows: list[Case]) -> None:
    """The rows as a JUnit file: broken is a failure, a fault an error, not judged is skipped. Raises NotWritten."""
    tags = {"broken": "failure", "fault": "error", "not judged": "skipped"} | dict.fromkeys(OF_CHANGES, "skipped")
    count = {tag: str(sum(1 for case in rows if tags.get(case.word) == tag)) for tag in set(tags.values())}
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(rows)),
        failures=count["failure"],
        errors=count["error"],
        skipped=count["skipped"],
    )
    for case in rows:
        node = ElementTree.SubElement(suite, "testcase", classname=case.group, name=case.name)
        tag = tags.get(case.word)
        if tag is not None:
            ElementTree.SubElement(node, tag, message=printable(case.says))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True), path)
