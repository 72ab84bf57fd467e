"""`optchat replay`: an event list, or a chat's own history, through the planner, state by state."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, get_args

import typer

from optchat.cli.common import Dir, Json, Set, count, folder, open_reader, print_json
from optchat.cli.status import Failure, Status

if TYPE_CHECKING:
    from optchat.protocol import AnyRequest, Session


LINE_LIMIT = 64 << 20
"""The most bytes of one request: a longer line is none, and would only fill the memory."""


def replay(
    events: Annotated[
        Path | None,
        typer.Argument(
            metavar="EVENTS",
            readable=False,
            help="An event list: a request of the protocol a line. - is standard input.",
        ),
    ] = None,
    at: Dir = None,
    json: Json = False,
    changes: Set = None,
) -> None:
    """Run an event list or a chat through the planner, state by state.

    With EVENTS, each line is a request of the conformance protocol, and --json prints its answers. Without it, the
    messages and summaries that the chat recorded are run again by rule; status 1 says that a batch came out other
    than it was recorded, as after other sizes, a crash between a message and its batch, or an adoption. Of a chat
    that is being written, the batches of the newest messages may not be recorded yet: they are not compared.

    Example: optchat replay scenario.jsonl --json
    """
    from optchat.protocol import Session

    session = Session()
    if events is None:
        replay_chat(session, at, changes or [], json)
        return
    if str(events) == "-":
        if sys.stdin is None:
            raise Failure("standard input is closed: give a file of events", Status.SYSTEM)
        replay_events(session, sys.stdin.buffer, "standard input", json)
    else:
        with events.open("rb") as lines:
            replay_events(session, lines, str(events), json)


def replay_events(session: Session, lines: BinaryIO, where: str, json: bool) -> None:
    """Answer each line. A refusal is an answer; what is no request is an error that names the line."""
    from optchat.core.planner import Refused
    from optchat.protocol import Malformed, parse

    for number, line in enumerate(iter(lambda: lines.readline(LINE_LIMIT), b""), start=1):
        if not line.strip():
            continue
        if len(line) == LINE_LIMIT and not line.endswith(b"\n"):
            raise Failure(f"{where}:{number}: a line that is too long for a request: this is no event list")
        try:
            request = parse(line)
        except Malformed as error:
            raise Failure(f"{where}:{number}: {error}") from None
        except Refused as error:
            if not is_request(line):
                raise Failure(f"{where}:{number}: {error}") from None
            show(number, None, {"ok": False, "error": str(error)}, json)
            continue
        show(number, request, answer(session, request), json)
        if session.ended:
            return


def is_request(line: bytes) -> bool:
    """Whether JSON has the shape of a request, whatever it asks for: an operation, and the members that it takes."""
    import msgspec

    from optchat.protocol import AnyRequest

    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False  # A number, or a nesting, that no request has.
    operation = found.get("op") if isinstance(found, dict) else None
    requests = [each for each in get_args(AnyRequest) if each.__struct_config__.tag == operation]
    if not requests:
        return False
    fields = msgspec.structs.fields(requests[0])
    given = set(found) - {"op"}
    return {each.name for each in fields if each.required} <= given and given <= {each.name for each in fields}


def answer(session: Session, request: AnyRequest) -> dict[str, Any]:
    from optchat.core.planner import Refused

    try:
        return session.answer(request)
    except Refused as error:
        return {"ok": False, "error": str(error)}


def replay_chat(session: Session, at: Path | None, changes: list[str], json: bool) -> None:
    """Run a chat's history again, and hold its batches and its view against the recorded ones."""
    from optchat.cli.history import batches, complete, events
    from optchat.settings import load

    config = load(folder(at), changes).config()
    with open_reader(at) as reader:
        for number, request in enumerate(events(session, reader, config), start=1):
            show(number, request, answer(session, request), json)
        assert session.planner is not None
        chat = session.planner.chat
        ours, recorded = session.log.batches, batches(reader)
        told_to = complete(reader)
        known = [batch for at, batch in enumerate(ours) if at < len(recorded) or batch.total <= told_to]
        for mine, theirs in zip_longest(known, recorded):
            if mine != theirs:
                where = min(batch.total for batch in (mine, theirs) if batch is not None)
                raise Failure(f"the batch at message {where} came out other than it was recorded", Status.WRONG)
        if known != ours:
            sys.stderr.write(f"the same batches as recorded, up to message {told_to}: more may be recorded yet\n")
            return
        if (chat.view.nodes, chat.shrinking) != (reader.view(), reader.shrinking):
            raise Failure("the view came out other than it was recorded", Status.WRONG)
        told = f"{count(len(reader), 'message')} and {count(len(recorded), 'batch', 'batches')}"
        sys.stderr.write(f"the same view as recorded, by {told}\n")


def show(number: int, request: AnyRequest | None, state: dict[str, Any], json: bool) -> None:
    """An event and the state after it."""
    if json:
        print_json(state)
        return
    event = "?" if request is None else f"{type(request).__name__.lower()}{about(request)}"
    sys.stdout.write(f"{number} {event}: {told(state)}\n")


def about(request: AnyRequest) -> str:
    """What an event is about, in a few words."""
    from optchat.core.text import leaf_source, size
    from optchat.protocol import Built, Context, Failed, Message, Started, Wait

    match request:
        case Message(kind, text):
            return f" {kind} of {size(leaf_source(kind, text))} bytes"
        case Built(node, text):
            return f" {name(node)} in {size(text)} bytes"
        case Started(node) | Failed(node) | Context(node):
            return f" {name(node)}"
        case Wait(on):
            return " on" if on else " off"
    return ""


def told(state: dict[str, Any]) -> str:
    """A state, or another answer, in a line."""
    if not state["ok"]:
        return f"refused: {state['error']}"
    if "t" not in state:
        shown = state.get("context")
        return state.get("rendered", "ok").replace("\n", " ") if shown is None else names(shown)
    parts = [f"t={state['t']}", f"view={len(state['view'])} lines of {state['bytes']} bytes"]
    parts += ["shrinking"] if state["shrinking"] else []
    parts += [f"compaction view={len(state['cview'])}", f"merged={names(state['merged'])}"]
    parts += [f"queue={names(state['queue'])}", f"if a turn waited={names(state['queue_waiting'])}"]
    return ", ".join(parts)


def names(nodes: Iterable[tuple[int, int]]) -> str:
    return " ".join(name(node) for node in nodes) or "none"


def name(node: tuple[int, int]) -> str:
    level, index = node
    return f"{index << level}+{1 << level}"
