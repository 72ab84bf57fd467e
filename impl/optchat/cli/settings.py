"""`optchat settings`: what holds, where it comes from, and how to change it."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from optchat.cli.common import Dir, Json, Set, folder, print_json
from optchat.cli.status import Failure
from optchat.settings import SETTINGS, Settings, Value, chat_file, from_text, load, user_file, write


class Action(StrEnum):
    SHOW = "show"
    WHERE = "where"
    SET = "set"


def settings(
    action: Annotated[
        Action, typer.Argument(help="Show what holds, show where the files are, or set one.", show_default=True)
    ] = Action.SHOW,
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="Of set: the setting, as show names it.")] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="Of set: its new value.")] = None,
    user: Annotated[bool, typer.Option("--user", help="Of set: in the user's file, for all chats.")] = False,
    at: Dir = None,
    json: Json = False,
    changes: Set = None,
) -> None:
    """Show, find and change the settings.

    A file in the chat's folder holds over the user's file, environment variables over both, and --set over all. A key
    that is not known is an error. Setting one leaves every other line of the file as it is.

    Example: optchat settings set memory.ceiling 96000
    """
    place = folder(at)
    if action is Action.SET:
        if key is None or value is None:
            raise Failure("optchat settings set: give a KEY and a VALUE, as in memory.ceiling 96000")
        path = user_file(os.environ) if user else chat_file(place)
        fitting = set_one(place, path, key, value)
        report({"key": key, "value": fitting, "file": str(path)}, f"{key} = {fitting} in {path}", json)
        return
    if key is not None or user:
        raise Failure(f"optchat settings {action}: KEY, VALUE and --user go with set alone")
    if action is Action.WHERE:
        files = {"chat": str(chat_file(place)), "user": str(user_file(os.environ))}
        report(files, "\n".join(files.values()), json)
        return
    current = load(place, changes or ())
    current.config()
    report({"settings": [row(current, each.key) for each in SETTINGS]}, "\n".join(table(current)), json)


def set_one(place: Path, path: Path, key: str, value: str) -> Value:
    """Set one in a file, once it is clear that all settings then make a memory. Raises SettingsError, OSError."""
    fitting = from_text(key, value, "optchat settings set")
    load(place, [f"{key}={value}"]).config()
    write(path, key, fitting)
    return fitting


def row(current: Settings, key: str) -> dict[str, Value]:
    return {"key": key, "value": current.values[key], "origin": current.origins[key]}


def table(current: Settings) -> list[str]:
    """Every setting for people: its value, where that comes from, what it does."""
    lines = []
    for each in SETTINGS:
        told = f"{each.key} = {current.values[each.key]}"
        lines.append(f"{told:28} ({current.origins[each.key]})  {each.help}")
    return lines


def report(value: object, text: str, json: bool) -> None:
    if json:
        print_json(value)
    else:
        sys.stdout.write(text + "\n")
