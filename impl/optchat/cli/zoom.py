"""`optchat zoom` and `optchat date`: from a line of the view down to a message."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from optchat.cli.common import Dir, Id, Json, check_id, count, open_reader, print_json
from optchat.cli.memory import line_json
from optchat.cli.status import Failure
from optchat.cli.streams import write, write_line

if TYPE_CHECKING:
    from optchat.core.node import Node


def zoom(
    name: Annotated[
        str,
        typer.Argument(metavar="ID", help="A line's first message, or its name as the view has it, as 40+8."),
    ],
    n: Annotated[
        int | None, typer.Argument(metavar="N", help="How many messages the line covers.", show_default=False)
    ] = None,
    at: Dir = None,
    json: Json = False,
) -> None:
    """Open a line of the view, down to the message, word for word.

    A line of N messages opens into its two halves. With N 1, or without one, it is the message itself: in a pipe
    exactly its text, without a newline more.

    Example: optchat zoom 40 8, then optchat zoom 44 4, then optchat zoom 45
    """
    node = named(name, n)
    with open_reader(at) as reader:
        if node.end > len(reader):
            raise Failure(f"there is no line {node.name} in this chat: it has {count(len(reader), 'message')}")
        if node.level == 0:
            message = reader.message(node.i)
            if json:
                print_json({"id": message.i, "kind": message.kind, "date": message.date, "text": message.text})
            else:
                write(message.text)
                if sys.stdout.isatty() and not message.text.endswith("\n"):
                    sys.stdout.write("\n")
            return
        from optchat.core.render import render_line

        if json:
            print_json({"id": node.first, "n": node.n, "lines": [line_json(reader, half) for half in node.children]})
        else:
            for half in node.children:
                write_line(render_line(half, reader.line(half)), whole=True)


def named(name: str, n: int | None) -> Node:
    """The node that ID and N name. Raises Failure on what is no node's name."""
    from optchat.core.node import node_at

    found = re.fullmatch(r"(-?\d{1,18})(?:\+(\d{1,18}))?", name)
    if found is None:
        raise Failure(f"{name!r} is no id: write a message's number, or a line's name as the view has it, as 40+8")
    if found[2] is not None and n is not None:
        raise Failure(f"{name} says already how many messages: leave the {n} out")
    try:
        return node_at(int(found[1]), int(found[2]) if found[2] is not None else 1 if n is None else n)
    except ValueError as error:
        raise Failure(str(error)) from None


def date(index: Id, at: Dir = None, json: Json = False) -> None:
    """Show when a message was written.

    The date is local, with its offset; of an imported message it is the date of its source.

    Example: optchat date 45
    """
    with open_reader(at) as reader:
        check_id(index, len(reader))
        message = reader.message(index)
        if json:
            print_json({"id": index, "date": message.date})
        else:
            sys.stdout.write(message.date + "\n")
