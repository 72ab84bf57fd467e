"""The store's costs: a durable append against one raw write and fsync, opening, importing."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from optchat.agent.settle import settle
from optchat.bench.table import Row
from optchat.store import Chat, Item

TEXT = "A message of the usual length, with a path /srv/app/config.toml and the number 4711 in it. " * 4
LINE = "s" * 380
APPENDS = 400
OPEN_TARGETS = {1_000: "", 100_000: "0.35 s, 200 MB", 1_000_000: "1 s, 500 MB"}
CHUNK = 512

OPEN = """
import sys, time
from pathlib import Path
from optchat.bench.peak import peak_megabytes
from optchat.store import Chat
start = time.perf_counter()
chat = Chat.open(Path(sys.argv[1]))
opened = time.perf_counter() - start
print(opened, peak_megabytes(), len(chat.contents.messages))
chat.close()
"""


@contextmanager
def folder() -> Iterator[Path]:
    """A fresh folder in the working directory's file system, not in one that may be memory."""
    Path("build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir="build") as name:
        yield Path(name)


def append_rows() -> list[Row]:
    """In a chat whose compactor keeps up, and in one that has none: there each message runs a batch in vain."""
    rows = []
    for what, settled in (("a durable append, median", True), ("the same where nothing is summarized", False)):
        mine, base = appends(settled)
        rows += [
            Row(what, f"{mine * 1e6:,.0f} us"),
            Row("  one raw write and fsync of its bytes, median", f"{base * 1e6:,.0f} us"),
            Row("  the ratio", f"{mine / base:.2f}", "at most 1.5"),
        ]
    return rows


def appends(settled: bool) -> tuple[float, float]:
    """The medians of an append and of a raw write, in seconds. They take turns, so that both meet the same disk."""
    with folder() as home, Chat.open(home) as chat:
        raw = os.open(home / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        ours: list[float] = []
        floor: list[float] = []
        log = home / "chat" / "main"
        for number in range(APPENDS):
            before = sum(path.stat().st_size for path in log.iterdir())
            start = perf_counter()
            chat.append("user", f"{number} {TEXT}")
            ours.append(perf_counter() - start)
            data = b"x" * (sum(path.stat().st_size for path in log.iterdir()) - before)
            start = perf_counter()
            os.write(raw, data)
            os.fsync(raw)
            floor.append(perf_counter() - start)
            if settled:
                settle(chat, lambda node, _: f"{node.name} {LINE}")
        os.close(raw)
    return statistics.median(ours), statistics.median(floor)


def write_chat(home: Path, messages: int) -> None:
    """A chat of this many messages with all its nodes, as an import writes it."""
    with Chat.open(home) as chat:
        now = datetime.now(UTC)
        for first in range(0, messages, CHUNK):
            chat.append_many(Item("note", f"{n} {TEXT}", now) for n in range(first, min(first + CHUNK, messages)))
            settle(chat, lambda node, _: f"{node.name} {LINE}")


def open_rows() -> list[Row]:
    """Each open is a process of its own; the second of two counts, when the files' pages are in memory."""
    rows = []
    for messages, target in OPEN_TARGETS.items():
        with folder() as home:
            start = perf_counter()
            write_chat(home, messages)
            written = perf_counter() - start
            for _ in range(2):
                done = subprocess.run([sys.executable, "-c", OPEN, home], capture_output=True, text=True, check=True)
            seconds, memory, count = done.stdout.split()
            assert int(count) == messages
            rows.append(Row(f"open, {messages:,} messages", f"{float(seconds):.3f} s, {float(memory):.0f} MB", target))
            shutil.rmtree(home / "chat" / "index")
            start = perf_counter()
            subprocess.run([sys.executable, "-c", OPEN, home], capture_output=True, check=True)
            rows.append(Row("  without its index, read anew", f"{perf_counter() - start:.2f} s"))
            rows.append(Row("  written", f"{messages / written:,.0f} messages/s"))
    return rows


IMPORT = """
import sys
from optchat.bench.peak import peak_megabytes
from optchat.cli import main
try:
    main()
finally:
    print(peak_megabytes(), file=sys.stderr)
"""


def import_rows(source: Path) -> list[Row]:
    """Import a real file twice, as the command does it."""
    with folder() as home:
        rows = []
        for what in ("import of", "again"):
            start = perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", IMPORT, "import", "--dir", home, source],
                capture_output=True,
                text=True,
                check=True,
            )
            memory = float(done.stderr.split()[-1])
            size = source.stat().st_size
            rows.append(
                Row(f"{what} {source.name}, {size:,} bytes", f"{perf_counter() - start:.1f} s, {memory:.0f} MB")
            )
        with Chat.open(home) as chat:
            view = chat.planner.chat.view
            rows.append(Row("  its view", f"{len(view.nodes)} lines, {view.bytes:,} bytes", "64,000 to 128,000"))
    return rows
