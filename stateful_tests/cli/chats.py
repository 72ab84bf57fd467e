"""Chats for the tests of the commands, and the commands run as a shell runs them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from typer.testing import CliRunner, Result

from optchat.cli.app import app
from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.text import cut, flatten
from optchat.store import Chat, Item

OPTCHAT = Path(sys.executable).with_name("optchat")
SMALL = Config(node=64, ceiling=900, floor=450, cceiling=400, cfloor=200)
FEWER = settings(max_examples=settings().max_examples // 3)
"""For properties whose every example makes a chat on disk: a third of what the profile says."""

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def build_all(chat: Chat) -> None:
    """Build every node that can be, each with a line that tells it apart."""
    while todo := chat.planner.candidates():
        for node in todo:
            chat.built(node, cut(f"sum {node.name}: {flatten(chat.planner.source(node))}", chat.planner.config.node))


def make_chat(folder: Path, messages: Iterable[tuple[str, str]], config: Config = SMALL, build: bool = True) -> None:
    """A chat of these messages, a minute apart, its tree built as it grew."""
    with Chat.open(folder, config) as chat:
        for index, (kind, text) in enumerate(messages):
            chat.append_many([Item(kind, text, START + timedelta(minutes=index))])
            if build:
                build_all(chat)


def some_messages(count: int) -> list[tuple[str, str]]:
    """Messages of several kinds and lengths, some of them with what is hard to print."""
    kinds = ("user", "unii", "tool", "note")
    tails = ("", " short", " λ→ü" * 9, "\nsecond line\r\nthird", " <b>&amp;</b></script>", " word" * 40, "\x1b[31mred")
    return [(kinds[i % 4], f"message {i}{tails[i % 7]}") for i in range(count)]


def run(
    *words: object,
    at: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: bytes = b"",
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The real console entry, in a process of its own, with nothing of the user's around it."""
    given = [] if at is None else ["--dir", str(at)]
    home = "/nowhere" if at is None else str(at.parent)
    return subprocess.run(
        [str(OPTCHAT), *map(str, words), *given],
        input=stdin,
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": home, "COLUMNS": "80", **(env or {})},
        preexec_fn=before,
    )


def as_anyone() -> None:
    """Before a command: give up root's right to read and write what others may not. Nobody else has it."""
    if os.geteuid() == 0:
        drop, dac_override, dac_read_search = 24, 1, 2  # linux/prctl.h, linux/capability.h
        for right in (dac_override, dac_read_search):
            ctypes.CDLL(None).prctl(drop, right, 0, 0, 0)


def lines_of(output: bytes) -> list[str]:
    """Output as its lines, at `\\n` alone."""
    text = output.decode()
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def parse_line(line: str) -> tuple[Node, str]:
    """A line of the view, `id+n|text`, as its node and text."""
    name, _, text = line.partition("|")
    first, _, n = name.partition("+")
    return Node(int(n).bit_length() - 1, int(first) // int(n)), text


def run_here(*words: object) -> Result:
    """The same in this process, for many short runs, with a home that is not there."""
    env = {"HOME": "/nowhere", "XDG_CONFIG_HOME": None, "OPTCHAT_DIR": None, "COLUMNS": "80"}
    return CliRunner(env=env).invoke(app, [str(word) for word in words])
