"""What the commands share: their parameters, the chat's folder, numbers as people write them, a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optchat.cli.status import Failure, Status

if TYPE_CHECKING:
    from optchat.store import Reader

Dir = Annotated[
    Path | None,
    typer.Option(
        *("--dir", "-d"),
        metavar="FOLDER",
        readable=False,  # What the system refuses, the one who opens it says, with a status of its own.
        help="The chat's folder. By default $OPTCHAT_DIR, else ~/.optchat.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Use this setting, over all files. May be given again."),
]
Id = Annotated[int, typer.Argument(metavar="ID", help="The id of a message: its number, from 0.", show_default=False)]

Advance = Callable[[int, int], None]
"""Says how far the work is: `(done, total)`."""


def help_of(text: str | None) -> str:
    """A docstring as help: each paragraph on one line, for the terminal to break."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in (text or "").split("\n\n"))


def folder(given: Path | None) -> Path:
    """The chat's folder: `--dir`, else `$OPTCHAT_DIR`, else `~/.optchat`."""
    return Path(os.path.expanduser(given or os.environ.get("OPTCHAT_DIR") or "~/.optchat"))


def open_reader(given: Path | None) -> Reader:
    """The chat, for reading: it needs no lock. To be closed. Raises SettingsError and what `Reader.open` raises."""
    from optchat.settings import load
    from optchat.store import Reader

    place = folder(given)
    return Reader.open(place, agent=load(place).agent)


def print_json(value: Any) -> None:
    """A value as one line of JSON on standard output.

    The bytes of a file's name that are no UTF-8 come as Python has them, as the escapes of lone surrogates.
    """
    import msgspec

    try:
        line = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        import json

        line = json.dumps(msgspec.to_builtins(value))
    sys.stdout.write(line + "\n")


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 message`, `1,234 messages`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def check_id(index: int, total: int) -> None:
    """Refuse an id that no message has."""
    if not 0 <= index < total:
        held = f"its messages are 0 to {total - 1}" if total else "it has no messages"
        raise Failure(f"there is no message {index} in this chat: {held}", Status.USAGE)


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """A bar on standard error while work goes on, when that is a terminal; else nothing is shown."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
