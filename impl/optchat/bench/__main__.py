"""`make bench`: every measurement, a table each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from optchat.bench.cache import cache_rows
from optchat.bench.planner import planner_rows
from optchat.bench.rewritten import rewritten_rows
from optchat.bench.store import append_rows, import_rows, open_rows
from optchat.bench.table import Row, show

REAL = Path("../shared/data/aider-chat-history.md")
DEMO = Path(__file__).parent.parent / "data" / "demo.jsonl"


def main() -> None:
    default = REAL if REAL.exists() else DEMO
    parser = argparse.ArgumentParser(prog="optchat bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; else all of them")
    parser.add_argument("--source", type=Path, default=default, help="the file that `import` takes in")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    for part in options.parts or PARTS:
        title, rows = PARTS[part]
        show(title, rows(options.source))


PARTS: dict[str, tuple[str, Callable[[Path], list[Row]]]] = {
    "planner": ("the planner: 600-byte messages, 512-byte lines, a punctual compactor", lambda _: planner_rows()),
    "rewritten": ("lines of the view rewritten, over 30,000 messages", lambda _: rewritten_rows()),
    "cache": ("the prompt cache, over 3,000 messages, one a minute", lambda _: cache_rows()),
    "append": ("a durable append", lambda _: append_rows()),
    "open": ("opening a chat", lambda _: open_rows()),
    "import": ("importing a file", import_rows),
}


if __name__ == "__main__":
    main()
