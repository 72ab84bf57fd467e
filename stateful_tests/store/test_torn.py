"""Half a line at the end of a file: cut off at the next open, and kept, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.store import Chat
from stateful_tests.store.harness import SMALL, Clock, folder, plan, settle


@pytest.mark.parametrize("part", ["main", "tree"])
@given(half=st.binary(min_size=1, max_size=40).filter(lambda data: b"\n" not in data))
def test_half_a_line_is_kept_byte_for_byte(part: str, half: bytes) -> None:
    with folder() as base:
        with Chat.open(base, SMALL, now=Clock()) as chat:
            for number in range(12):
                chat.append("user", f"{number} " + "é" * number)
                settle(chat)
            before = plan(chat.planner)
        (path,) = (base / "chat" / part).iterdir()
        whole = path.read_bytes()
        path.write_bytes(whole + half)
        with Chat.open(base, SMALL, now=Clock()) as chat:
            assert any("half a line" in note for note in chat.notes)
            assert plan(chat.planner) == before
        assert path.read_bytes() == whole
        (kept,) = (base / "chat" / "torn").iterdir()
        assert kept.read_bytes() == half
