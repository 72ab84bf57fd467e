"""Another implementation as the laws see it: requests out, its answers read strictly, as what it says it supports."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from optchat_bridge.check.peer import SHOWN, Fault, Peer, printable, shown
from optchat_spec import scenario
from optchat_spec.session import Answer
from optchat_spec.steps import Event, State
from optchat_spec.vocabulary import Config, Lines, Node

FIELDS = ("bytes", "shrinking", "cview", "merged", "queue", "queue_waiting")
REQUESTS = ("context", "rendered", "reopen")
"""What `supports` names beside the fields of a state: requests that it answers."""

KNOWN = frozenset(("view", "t", *FIELDS, *REQUESTS))
NEEDED_FOR = {"context": "context", "render": "rendered", "reopen": "reopen"}
"""What must be supported for a request to be sent."""

Start = Callable[[], Peer]


class Remote:
    """An implementation on the other side of a Peer (a Subject). Each method raises Fault."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._peer: Peer | None = None
        self.name = "?"
        self.supports: frozenset[str] = frozenset()
        self.t = 0

    def hello(self) -> None:
        """Begin the conversation: who it is, and what it supports."""
        self._peer = self._start()
        answer = self._ask({"op": "hello", "protocol": scenario.PROTOCOL})
        self._accepted(answer)
        protocol = answer.get("protocol")
        if not _is_count(protocol) or protocol != scenario.PROTOCOL or not isinstance(answer.get("name"), str):
            raise self._fault("`protocol`: 1 and a text `name`", answer)
        supports = answer.get("supports")
        if not isinstance(supports, list) or not all(isinstance(each, str) for each in supports):
            raise self._fault("`supports`, a list of texts", answer)
        unknown = sorted(set(supports) - KNOWN)
        if unknown:
            raise self._fault(f"`supports` to name some of {', '.join(sorted(KNOWN))}", unknown)
        self.name, self.supports = printable(answer["name"])[:SHOWN], frozenset(supports)

    def bye(self) -> None:
        """End the conversation; the process must end too."""
        if self._peer is not None:
            self._accepted(self._ask({"op": "bye"}))
            self._peer.close()
            self.kill()

    def kill(self) -> None:
        if self._peer is not None:
            self._peer.kill()
            self._peer = None

    def can(self, event: Event) -> bool:
        """Whether an event may be sent."""
        return event.op != "zoom" and NEEDED_FOR.get(event.op, "view") in (*self.supports, "view")

    # A Subject.

    def open(self, config: Config) -> State:
        if self._peer is None:
            self.hello()
        answer = self._ask(scenario.opening(config))
        self._accepted(answer)
        self.t = 0
        self.shown = self._state(answer, 0)
        if self.shown.view != ():
            raise self._fault("an empty `view` in a new chat", answer)
        return self.shown

    def do(self, event: Event) -> Answer:
        answer = self._ask(scenario.request(event))
        unmerged = self.shown._replace(merged=None if self.shown.merged is None else ())
        if answer["ok"] is False:
            if not isinstance(answer.get("error"), str) or "\n" in answer["error"]:
                raise self._fault("a refusal with `error`, one line", answer)
            return Answer(False, unmerged)
        if event.op == "context":
            return Answer(True, unmerged, self._lines(answer, "context"))
        if event.op == "render":
            if not isinstance(answer.get("rendered"), str):
                raise self._fault("a text `rendered`", answer)
            return Answer(True, unmerged, rendered=answer["rendered"])
        if event.op == "message":
            self.t += 1
        self.shown = self._state(answer, self.t)
        return Answer(True, self.shown)

    # Reading answers.

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._peer is not None
        self._request = json.dumps(request, separators=(",", ":"))
        try:
            line = self._peer.ask(self._request.encode())
        except Fault as fault:
            self.kill()
            raise Fault(f"{fault} (asked {self._asked()})") from None
        try:
            answer = scenario.parsed(line.decode())
        except scenario.TakenTwice:
            raise self._fault("an object with each key once", shown(line)) from None
        except (ValueError, RecursionError):
            raise self._fault("one JSON object", shown(line)) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
            raise self._fault("a JSON object with `ok`, true or false", answer)
        return answer

    def _accepted(self, answer: dict[str, Any]) -> None:
        if not answer["ok"]:
            raise self._fault("`ok`: true", answer)

    def _state(self, answer: dict[str, Any], t: int) -> State:
        """A state, which must be at message `t`. What is not supported is not read."""
        if not _is_count(answer.get("t")):
            raise self._fault("`t`, a whole number", answer)
        if answer["t"] != t:
            raise self._fault(f"`t` to be {t}, as many messages as it took", answer["t"])
        has = self.supports.__contains__
        if has("bytes") and not _is_count(answer.get("bytes")):
            raise self._fault("`bytes`, a whole number", answer)
        if has("shrinking") and not isinstance(answer.get("shrinking"), bool):
            raise self._fault("`shrinking`, true or false", answer)
        return State(
            t,
            self._lines(answer, "view"),
            answer["bytes"] if has("bytes") else None,
            answer["shrinking"] if has("shrinking") else None,
            self._lines(answer, "cview") if has("cview") else None,
            self._lines(answer, "merged") if has("merged") else None,
            self._lines(answer, "queue") if has("queue") else None,
            self._lines(answer, "queue_waiting") if has("queue_waiting") else None,
        )

    def _lines(self, answer: dict[str, Any], field: str) -> Lines:
        value = answer.get(field)
        if not isinstance(value, list):
            raise self._fault(f"`{field}`, a list of nodes [l, i]", answer)
        if len(value) > 2 * self.t + 16:
            raise self._fault(f"`{field}` to have no more nodes than {self.t} messages make", f"{len(value):,} nodes")
        return tuple(self._node(field, each) for each in value)

    def _node(self, field: str, value: object) -> Node:
        if isinstance(value, list) and len(value) == 2 and all(map(_is_count, value)) and value[0] <= 64:
            return value[0], value[1]
        raise self._fault(f"nodes [l, i] of whole numbers in `{field}`, l at most 64", value)

    def _fault(self, expected: str, got: object) -> Fault:
        assert self._peer is not None
        said = got if isinstance(got, str) else shown(json.dumps(got).encode())
        where = f"line {self._peer.answers} of its output"
        self.kill()
        return Fault(f"{where}: expected {expected}; got {said} (asked {self._asked()})")

    def _asked(self) -> str:
        return self._request if len(self._request) <= 160 else self._request[:160] + "..."


def _is_count(value: object) -> bool:
    """Whether a JSON value is a whole number from 0 that 63 bits hold; true and false are none."""
    return type(value) is int and 0 <= value < 1 << 63
