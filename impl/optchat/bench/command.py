"""`optchat bench`, `make bench`: every measurement, a table each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from optchat.bench.cache import cache_rows
from optchat.bench.planner import planner_rows
from optchat.bench.rewritten import rewritten_rows
from optchat.bench.store import append_rows, import_rows, open_rows
from optchat.bench.table import Row, show

REAL = Path("../shared/data/aider-chat-history.md")
DEMO = Path(__file__).parent.parent / "data" / "demo.jsonl"
DEFAULT = REAL if REAL.exists() else DEMO
PARTS: dict[str, tuple[str, Callable[[Path], list[Row]]]] = {
    "planner": ("the planner: 600-byte messages, 512-byte lines, a punctual compactor", lambda _: planner_rows()),
    "rewritten": ("lines of the view rewritten, over 30,000 messages", lambda _: rewritten_rows()),
    "cache": ("the prompt cache, over 3,000 messages, one a minute", lambda _: cache_rows()),
    "append": ("a durable append", lambda _: append_rows()),
    "open": ("opening a chat", lambda _: open_rows()),
    "import": ("importing a file", import_rows),
}


def bench(
    parts: Annotated[list[str] | None, typer.Argument(help="Some of the parts; else all.", metavar="PART")] = None,
    source: Annotated[Path, typer.Option(help="The file that `import` takes in.", metavar="FILE")] = DEFAULT,
) -> None:
    """Measure speed and memory, beside the published figures.

    The parts are planner, rewritten, cache, append, open and import.

    Example:

        optchat bench planner append
    """
    for part in parts or []:
        if part not in PARTS:
            raise typer.BadParameter(f"there is no part {part!r}: choose from {', '.join(PARTS)}")
    if not source.is_file():
        raise typer.BadParameter(f"{source} is no file: give --source a chat to import")
    for part in parts or PARTS:
        title, rows = PARTS[part]
        show(title, rows(source))
