"""Histories as files: the requests of design/check-protocol.md, one JSON object a line, as `optchat check --scenario`
reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, get_args

from optchat_spec.steps import Event, Op
from optchat_spec.vocabulary import Config, Node

PROTOCOL = 1
CONFIG_KEYS = ("node", "ceiling", "floor", "cceiling", "cfloor", "jobs")
"""What `open` always gives; the other numbers are named only where they are not the design's."""

OPS = frozenset(get_args(Op))

LARGEST = 2**53
"""The most that a number of a history may be: every reader of JSON holds it exactly."""


class BadScenario(ValueError):
    """A file that is no history; one line that names the line."""


class TakenTwice(ValueError):
    """An object of JSON has a key twice: readers differ in which one they take."""


def parsed(line: str) -> Any:
    """A line of JSON. Raises TakenTwice, and what `json.loads` raises."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in pairs:
            if key in fields:
                raise TakenTwice(f"the key {json.dumps(key)[:80]} is there twice")
            fields[key] = value
        return fields

    return json.loads(line, object_pairs_hook=once)


def request(event: Event) -> dict[str, Any]:
    """The request of an event."""
    match event.op:
        case "message":
            return {"op": "message", "kind": event.kind, "text": event.text}
        case "built":
            return {"op": "built", "node": list(event.node), "text": event.text}
        case "wait":
            return {"op": "wait", "on": event.on}
        case "retry" | "render" | "reopen":
            return {"op": event.op}
        case "started" | "failed" | "context" | "zoom":
            return {"op": event.op, "node": list(event.node)}


def opening(config: Config) -> dict[str, Any]:
    """The request that begins a chat."""
    numbers = config._asdict()
    usual = Config()._asdict()
    return {
        "op": "open",
        "config": {key: numbers[key] for key in numbers if key in CONFIG_KEYS or numbers[key] != usual[key]},
    }


def write(config: Config, events: Iterable[Event]) -> str:
    """A history as lines: `open`, then its events."""
    requests = [opening(config), *map(request, events)]
    return "".join(json.dumps(each, ensure_ascii=True, separators=(",", ":")) + "\n" for each in requests)


def read(text: str) -> tuple[Config, list[Event]]:
    """The history of a file's text. Lines of `hello` and `bye` are no events and are passed over.

    Raises BadScenario, naming the line, on anything that `write` does not write.
    """
    config: Config | None = None
    events: list[Event] = []
    # A text may hold any other end of a line as it is (U+2028).
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = parsed(line)
        except TakenTwice as why:
            raise BadScenario(f"line {number}: {why}") from None
        except (ValueError, RecursionError):
            raise BadScenario(f"line {number}: this is no JSON object") from None
        if not isinstance(fields, dict):
            raise BadScenario(f"line {number}: this is no JSON object")
        op = fields.get("op")
        if op in ("hello", "bye"):
            continue
        if op == "open":
            if config is not None:
                raise BadScenario(f"line {number}: a second `open`; a scenario is one chat")
            config = _config(number, fields.get("config", {}))
        elif not isinstance(op, str) or op not in OPS:
            raise BadScenario(f"line {number}: {op!r} is no request of the protocol")
        elif config is None:
            raise BadScenario(f"line {number}: the first request must be `open`")
        else:
            events.append(_event(number, fields))
    if config is None:
        raise BadScenario("line 1: there is no `open` request")
    return config, events


def _config(number: int, fields: object) -> Config:
    known = Config()._asdict()
    if not isinstance(fields, dict) or not set(fields) <= set(known):
        raise BadScenario(f"line {number}: `config` may hold {', '.join(known)}")
    if not all(type(value) is int and 1 <= value <= LARGEST for value in fields.values()):
        raise BadScenario(f"line {number}: the numbers of `config` must be 1 to {LARGEST}")
    return Config(**fields)


def _event(number: int, fields: dict[str, Any]) -> Event:
    op = fields["op"]
    event = Event(op)
    if op in ("started", "built", "failed", "context", "zoom"):
        event = event._replace(node=_node(number, fields.get("node")))
    for key, needed in (("kind", op == "message"), ("text", op in ("message", "built"))):
        if needed and not isinstance(fields.get(key), str):
            raise BadScenario(f"line {number}: `{op}` needs a text `{key}`")
    if op == "message":
        return event._replace(kind=fields["kind"], text=fields["text"])
    if op == "built":
        return event._replace(text=fields["text"])
    if op == "wait":
        if not isinstance(fields.get("on"), bool):
            raise BadScenario(f"line {number}: `wait` needs `on`, true or false")
        return event._replace(on=fields["on"])
    return event


def _node(number: int, value: object) -> Node:
    if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
        return value[0], value[1]
    raise BadScenario(f"line {number}: `node` must be [l, i], two whole numbers, not {json.dumps(value)[:80]}")
