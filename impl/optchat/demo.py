"""The demo: `python -m optchat.demo`. A chat of six weeks, from its file to a line of the view and back to a message.

The chat (`data/demo.jsonl`) was written for this: a developer and her agent build the controller of a telescope's
dome. Its view gets a quarter of the usual size, so that it merges several times.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from optchat.agent.settle import offline
from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.render import render_line
from optchat.core.text import size
from optchat.imports import Record, gather
from optchat.imports.ingest import ingest
from optchat.store import Chat, Reader
from optchat.store.doctor import doctor

CHAT = Path(__file__).with_name("data") / "demo.jsonl"
CONFIG = Config(ceiling=32_000, floor=16_000, cceiling=8_000, cfloor=4_000)
SETTINGS = f"""\
# The demo's view is small, so that it merges.
[memory]
ceiling = {CONFIG.ceiling}
floor = {CONFIG.floor}
cceiling = {CONFIG.cceiling}
cfloor = {CONFIG.cfloor}
"""
LOOKED_FOR = "From unknown only close"
"""Words of the message that the demo zooms to."""

LAST = 6


class DemoFailed(Exception):
    """The demo found what must not be."""


class Built(NamedTuple):
    records: list[Record]
    view: list[Node]
    seconds: float


def main() -> None:
    console = Console(highlight=False)
    folder = fresh_folder()
    made = build(folder, console)
    with Reader.open(folder) as reader:
        show_view(reader, console)
        zoom(reader, console)
        console.print(Text(check(folder, reader, made)))
    optchat = Path(sys.executable).with_name("optchat")
    place = optchat.relative_to(Path.cwd()) if optchat.is_relative_to(Path.cwd()) else optchat
    console.print(Text(f"look around: {place} memory --full --dir {folder}"))


def fresh_folder() -> Path:
    """`.dev/demo` of the checkout, emptied, or a new temporary folder."""
    if not Path("pyproject.toml").exists():
        return Path(tempfile.mkdtemp(prefix="optchat-demo-"))
    folder = Path(".dev", "demo")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def build(folder: Path, console: Console) -> Built:
    """Import the chat and summarize it offline."""
    (folder / "settings.toml").write_text(SETTINGS, "utf-8")
    start = perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console) as bars, gather([CHAT]) as found, Chat.open(folder, CONFIG) as chat:
        records = list(found.records())
        task = bars.add_task("importing and summarizing", total=len(records))
        ingest(chat, found, offline(chat), notes=False, progress=lambda done, _: bars.update(task, completed=done))
        view = chat.planner.chat.view.nodes.copy()
    return Built(records, view, perf_counter() - start)


def show_view(reader: Reader, console: Console) -> None:
    """The view's state and its last lines."""
    view = reader.view()
    used = sum(size(reader.line(node)) for node in view)
    merged = sum(node.level > 0 for node in view)
    console.print(
        Text(
            f"\nThe view: {len(view)} lines for {len(reader)} messages, {merged} of them of several; "
            f"{used:,} of {CONFIG.ceiling:,} bytes. Its last lines:",
            style="bold",
        )
    )
    for node in view[-LAST:]:
        print_line(render_line(node, reader.line(node)), console)


def zoom(reader: Reader, console: Console) -> None:
    """From the line of the view that covers a message, half by half, down to the message."""
    target = next(message.i for message in reader.messages() if LOOKED_FOR in message.text)
    node = reader.covering(target)
    console.print(Text(f"\nAn old line, zoomed until it is the message {target}:", style="bold"))
    while True:
        print_line(render_line(node, reader.line(node)), console)
        if node.level == 0:
            break
        node = next(half for half in node.children if half.first <= target < half.end)
    message = reader.message(target)
    console.print(Text(f"message {target}, {message.kind}, {message.when:%d %B %Y, %H:%M}:"))
    console.print(Text(message.text, style="italic"))


def print_line(line: str, console: Console) -> None:
    text = Text(line)
    text.truncate(console.width, overflow="ellipsis")
    console.print(text)


def check(folder: Path, reader: Reader, made: Built) -> str:
    """Hold what was shown against the file; one line that says what was held. Raises DemoFailed."""
    read = [(message.kind, message.text, message.when) for message in reader.messages()]
    if read != [(each.kind, each.text, each.date) for each in made.records]:
        raise DemoFailed("the chat does not read back as it was imported")
    view = reader.view()
    if view != made.view or [node.end for node in view][:-1] != [node.first for node in view][1:]:
        raise DemoFailed("the view that was reopened is not the one that was built")
    if not all(reader.is_built(node) for node in view) or all(node.level == 0 for node in view):
        raise DemoFailed("the view is not summarized, or never merged")
    report = doctor(folder, CONFIG)
    if not report.clean:
        raise DemoFailed(f"the doctor found {report.problems[0]}")
    with gather([CHAT]) as found, Chat.open(folder, CONFIG) as chat:
        if ingest(chat, found, offline(chat), notes=False).messages:
            raise DemoFailed("a second import added messages")
    return (
        f"\nChecked: {len(read)} messages read back word for word, {report.nodes} summaries of 1 to {CONFIG.node} "
        f"bytes, the view the same after a replay, a second import adds nothing, the doctor finds nothing "
        f"({made.seconds:.1f} s)"
    )


if __name__ == "__main__":
    main()
