"""The conformance protocol, spoken for our own planner: one JSON object a line in, one a line out.

`python -m optchat.protocol` is the example adapter of `optchat check --cmd`; `optchat replay` prints the same states.
A request that is malformed, or that the rules refuse, is answered by `{"ok":false,"error":"one line"}`, and the state
is as it was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, BinaryIO

import msgspec

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Effects, Planner, PlannerState, Refused
from optchat.core.render import render
from optchat.core.replay import Replay
from optchat.core.view import Batch

PROTOCOL = 1
SUPPORTS = (
    *("view", "bytes", "shrinking", "cview", "merged", "queue", "queue_waiting"),
    *("context", "rendered", "reopen"),
)
"""What our planner answers: everything that the protocol names."""

DEFAULTS = Config()
Level = Annotated[int, msgspec.Meta(ge=0, le=64)]
Index = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Pair = tuple[Level, Index]
"""A node on the wire, `[l, i]`. Bounded, so that no arithmetic on a request grows without end."""

Answer = dict[str, Any]


class Sizes(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The planner's numbers as `open` gives them; what it leaves out keeps its default."""

    node: int = DEFAULTS.node
    ceiling: int = DEFAULTS.ceiling
    floor: int = DEFAULTS.floor
    cceiling: int = DEFAULTS.cceiling
    cfloor: int = DEFAULTS.cfloor
    jobs: int = DEFAULTS.jobs
    lookahead: int = DEFAULTS.lookahead
    failures: int = DEFAULTS.failures


class Request(msgspec.Struct, forbid_unknown_fields=True, tag_field="op", tag=str.lower):
    """One line of standard input, by its `op`."""


class Hello(Request):
    protocol: int


class Open(Request):
    config: Sizes = msgspec.field(default_factory=Sizes)


class Message(Request):
    kind: str
    text: str


class Started(Request):
    node: Pair


class Built(Request):
    node: Pair
    text: str


class Failed(Request):
    node: Pair


class Retry(Request):
    pass


class Wait(Request):
    on: bool


class Context(Request):
    node: Pair


class Render(Request):
    pass


class Reopen(Request):
    pass


class Bye(Request):
    pass


AnyRequest = (
    Hello | Open | Message | Started | Built | Failed | Retry | Wait | Context | Render | Reopen | Bye
)  # fmt: skip
_decoder = msgspec.json.Decoder(AnyRequest)


class Malformed(Refused):
    """A line that is no JSON at all."""


def parse(line: bytes | str) -> AnyRequest:
    """A request from its line. Raises Malformed, or Refused on JSON that is no request; one line each."""
    try:
        return _decoder.decode(line)
    except msgspec.ValidationError as error:
        raise Refused(f"no request of the protocol: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"no JSON: {error}") from None
    except RecursionError:
        raise Malformed("no JSON that can be read: it is nested too deep") from None


def write(answer: Answer) -> bytes:
    """An answer as its line."""
    return msgspec.json.encode(answer) + b"\n"


@dataclass(slots=True)
class Log:
    """What a chat has logged, kept in memory: the planner's texts, and the batches that a reopening replays."""

    messages: list[tuple[str, str]] = field(default_factory=list)
    nodes: dict[Node, str] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)

    def message(self, index: int) -> tuple[str, str]:
        return self.messages[index]

    def node(self, node: Node) -> str:
        return self.nodes[node]

    def record(self, effects: Effects) -> Effects:
        self.nodes.update(effects.built)
        if effects.batch is not None:
            self.batches.append(effects.batch)
        return effects


class Session:
    """One side of a conversation: at most one open chat, whose log is in memory."""

    def __init__(self) -> None:
        self.log = Log()
        self.planner: Planner | None = None
        self.ended = False
        """Whether `bye` came."""

    def line(self, line: bytes | str) -> bytes:
        """The answer to a line, as a line."""
        try:
            return write(self.answer(parse(line)))
        except Refused as error:
            return write({"ok": False, "error": " ".join(str(error).split())})

    def answer(self, request: AnyRequest) -> Answer:
        """The answer to a request. Raises Refused when the rules do, and changes nothing then."""
        match request:
            case Hello(protocol):
                if protocol != PROTOCOL:
                    raise Refused(f"protocol {protocol} is not spoken here: only {PROTOCOL}")
                return {"ok": True, "protocol": PROTOCOL, "name": "optchat", "supports": SUPPORTS}
            case Bye():
                self.ended = True
                return {"ok": True}
            case Open(sizes):
                return self._open(sizes)
        if self.planner is None:
            raise Refused("no chat is open: send open first")
        match request:
            case Context(node):
                return {"ok": True, "context": self.planner.context(Node(*node))}
            case Render():
                lines = self.planner.chat.view.nodes
                return {"ok": True, "rendered": render(lines, self.planner.line)}
            case Reopen():
                self.planner = reopened(self.planner, self.log)
                return state(self.planner)
        return state(self.planner, self._event(self.planner, request))

    def _open(self, sizes: Sizes) -> Answer:
        try:
            config = Config(**msgspec.structs.asdict(sizes))
        except ValueError as error:
            raise Refused(str(error)) from None
        self.log = Log()
        self.planner = Planner(config, self.log)
        return state(self.planner)

    def _event(self, planner: Planner, request: AnyRequest) -> tuple[Node, ...]:
        """Let an event happen; what the chat's view merged into."""
        match request:
            case Message(kind, text):
                effects = planner.message(kind, text)
                self.log.messages.append((kind, text))
                self.log.record(effects)
                return effects.batch.merged if effects.batch is not None else ()
            case Started(node):
                planner.started(Node(*node))
            case Built(node, text):
                self.log.record(planner.built(Node(*node), text))
            case Failed(node):
                self.log.record(planner.failed(Node(*node)))
            case Retry():
                planner.retry()
            case Wait(on):
                planner.wait(on)
            case _:
                raise AssertionError(f"{request} is no event")
        return ()


def state(planner: Planner, merged: tuple[Node, ...] = ()) -> Answer:
    """A planner's state as the protocol prints it; `merged` is what the event before it merged into, in order."""
    view = planner.chat.view
    return {
        "ok": True,
        "t": planner.total,
        "view": view.nodes,
        "bytes": view.bytes,
        "shrinking": planner.chat.shrinking,
        "cview": planner.compaction.view.nodes,
        "merged": merged,
        "queue": planner.candidates(),
        "queue_waiting": planner.candidates(True),
    }


def reopened(planner: Planner, log: Log) -> Planner:
    """The chat closed and opened again from its log (law restart_same_view)."""
    before = planner.state()
    replay = Replay()
    for batch in log.batches:
        replay.batch(batch, before.built)
    replay.messages(len(log.messages))
    after = PlannerState(replay.total, replay.lines, replay.shrinking, before.built, before.leaves, before.ready)
    return Planner.resume(planner.config, log, after)


def serve(lines: Iterable[bytes], out: BinaryIO) -> None:
    """Answer each line until `bye` or the end of input. Empty lines are passed over."""
    session = Session()
    for line in lines:
        if line.strip():
            out.write(session.line(line))
            out.flush()
        if session.ended:
            return


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
