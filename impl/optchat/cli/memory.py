"""`optchat memory`: the view as it is now."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optchat.cli.common import Dir, Json, Set, count, folder, open_reader, print_json
from optchat.cli.streams import write, write_line

if TYPE_CHECKING:
    from optchat.core.config import Config
    from optchat.core.node import Node
    from optchat.store import Reader


def memory(
    at: Dir = None,
    full: Annotated[bool, typer.Option("--full", help="Print the whole view, as a model reads it.")] = False,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="How many of its last lines to show.")] = 20,
    json: Json = False,
    changes: Set = None,
) -> None:
    """Show the view: its state and its last lines.

    The view is what each turn of the chat starts from: one line a node, oldest first, that together cover every
    message. A line `40+8` summarizes the 8 messages from message 40 on.

    Example: optchat memory --full | less
    """
    from optchat.core.render import render, render_line
    from optchat.settings import load

    config = load(folder(at), changes or ()).config()
    with open_reader(at) as reader:
        lines = reader.view()
        if json:
            print_json(state(reader, config) | {"lines": [line_json(reader, node) for node in lines]})
        elif full:
            write(render(lines, reader.line) + "\n")
        else:
            for line in status(state(reader, config)):
                sys.stdout.write(line + "\n")
            for node in lines[len(lines) - last :] if last else []:
                write_line(render_line(node, reader.line(node)))


def state(reader: Reader, config: Config) -> dict[str, Any]:
    """The view in numbers; sizes in bytes."""
    from optchat.core.text import size

    lines = reader.view()
    return {
        "messages": len(reader),
        "view_lines": len(lines),
        "bytes": sum(size(reader.line(node)) for node in lines),
        "ceiling": config.ceiling,
        "floor": config.floor,
        "shrinking": reader.shrinking,
        "unbuilt": sum(1 for node in lines if not reader.is_built(node)),
    }


def status(view: dict[str, Any]) -> list[str]:
    """The state for people, a line each."""
    parts = [
        f"mem {kilo(view['bytes'])}/{kilo(view['ceiling'])}",
        count(view["messages"], "message"),
        count(view["view_lines"], "line"),
    ]
    if view["shrinking"]:
        parts.append(f"shrinking to {kilo(view['floor'])}")
    if view["unbuilt"]:
        parts.append(f"{count(view['unbuilt'], 'line')} not summarized yet")
    return ["  ".join(parts)]


def kilo(size: int) -> str:
    """Bytes as thousands: `87K`, and below ten of them `8.7K`."""
    return f"{size / 1000:.0f}K" if size >= 9_950 else f"{size / 1000:.1f}K"


def line_json(reader: Reader, node: Node) -> dict[str, Any]:
    """A line of the view for programs."""
    return {"id": node.first, "n": node.n, "built": reader.is_built(node), "text": reader.line(node)}
