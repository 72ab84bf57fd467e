"""JSON read strictly: what one reader takes one way and the next another way is refused."""

from __future__ import annotations

import json
from collections import Counter
from typing import NoReturn


class BadJson(ValueError):
    """What is wrong with a JSON text, without its place."""


class TornJson(BadJson):
    """The beginning of an object, as a write that was cut short leaves it."""


def loads(data: bytes) -> object:
    """The value of a JSON text. Raises BadJson: no NaN, no key twice in one object, no nesting past reason.

    A string may hold lone surrogates: its user decides.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        kind = TornJson if error.reason == "unexpected end of data" else BadJson
        raise kind(f"not UTF-8 at byte {error.start}") from None
    try:
        value: object = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except RecursionError:
        raise BadJson("JSON that is nested too deep") from None
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        kind = TornJson if ended and text.startswith("{") else BadJson
        raise kind(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos}") from None
    except BadJson:
        raise
    except ValueError as error:  # An integer of thousands of digits.
        raise BadJson(f"not JSON that can be read: {error}") from None
    return value


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twin = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise BadJson(f"the key {twin[:40]!r} twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is no JSON number")
