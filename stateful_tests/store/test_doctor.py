"""What the doctor mends: all that can be, without losing a byte, and nothing while something cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.store import Chat, Damaged, doctor, mend
from stateful_tests.store.harness import SMALL, Clock, folder, plan, settle, snapshot


def grown(base: Path) -> object:
    with Chat.open(base, SMALL, now=Clock()) as chat:
        for number in range(40):
            chat.append("user", f"{number} " + "é" * (number % 9))
            settle(chat, number % 4)
        return plan(chat.planner)


@given(data=st.data(), main=st.booleans())
def test_half_a_line_that_another_program_ended_is_moved_aside(data: st.DataObject, main: bool) -> None:
    """It ends the torn line with a newline and writes on: an error to open, and all good without it."""
    with folder() as base:
        found = grown(base)
        path = base / "chat" / ("main" if main else "tree") / "2026-10-08.jsonl"
        whole = path.read_bytes()
        lines = whole.split(b"\n")[:-1]
        at = data.draw(st.integers(1, len(lines) - 1))
        # What is torn is written again, whole, by the program's next run.
        torn = lines[at][: data.draw(st.integers(1, len(lines[at]) - 1))]
        path.write_bytes(b"".join(line + b"\n" for line in [*lines[:at], torn, *lines[at:]]))
        with pytest.raises(Damaged) as caught:
            Chat.open(base, SMALL)
        assert (caught.value.path, caught.value.line) == (path, at + 1)
        report = doctor(base, SMALL)
        assert (report.problems[0].where, report.incurable) == (f"{path}:{at + 1}", 0)
        assert mend(base, SMALL).clean
        assert path.read_bytes() == whole
        assert b"".join(each.read_bytes() for each in (base / "chat" / "torn").iterdir()) == torn + b"\n"
        with Chat.open(base, SMALL) as chat:
            assert plan(chat.planner) == found


def test_nothing_is_touched_while_something_cannot_be_mended() -> None:
    with folder() as base:
        grown(base)
        path = base / "chat" / "main" / "2026-10-08.jsonl"
        lines = path.read_bytes().split(b"\n")
        del lines[7]
        path.write_bytes(b"\n".join(lines) + b'{"i"')
        (base / "chat" / "view.json").write_bytes(b"")
        before = snapshot(base)
        report = mend(base, SMALL)
        assert report.incurable == 1
        assert len(report.problems) == 2
        assert report.mended == []
        assert snapshot(base) == before


def test_problems_beyond_the_first_are_counted() -> None:
    with folder() as base:
        grown(base)
        path = base / "chat" / "main" / "2026-10-08.jsonl"
        path.write_bytes(path.read_bytes().replace(b'"size"', b'"siz"'))
        report = doctor(base, SMALL)
        assert (len(report.problems), report.untold, report.incurable) == (20, 20, 40)


def test_one_key_at_two_messages_is_found() -> None:
    """No append of ours does that; another program's could."""
    with folder() as base:
        with Chat.open(base) as chat:
            chat.append("user", "one", key="a")
            chat.append("user", "two", key="b")
        path = next((base / "chat" / "main").iterdir())
        path.write_bytes(path.read_bytes().replace(b'"key":"b"', b'"key":"a"'))
        os.utime(path, ns=(1, 1))
        assert [problem.what for problem in doctor(base).problems][:1] == ["the key 'a' a second time"]
        assert doctor(base).incurable == 1
