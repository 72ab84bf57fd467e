"""The example adapter: every line gets one line, a refusal changes nothing, and the answers are the planner's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Refused
from optchat.protocol import SUPPORTS, Session
from stateful_tests.core.memory import MemoryChat

SMALL = {"node": 16, "ceiling": 120, "floor": 60, "cceiling": 60, "cfloor": 30, "jobs": 3}

nodes = st.tuples(st.integers(-1, 5), st.integers(-1, 12)).map(list)
texts = st.text(max_size=24)
requests = st.one_of(
    st.fixed_dictionaries({"op": st.just("message"), "kind": st.sampled_from(["user", "tool"]), "text": texts}),
    st.fixed_dictionaries({"op": st.just("started"), "node": nodes}),
    st.fixed_dictionaries({"op": st.just("built"), "node": nodes, "text": texts}),
    st.fixed_dictionaries({"op": st.just("failed"), "node": nodes}),
    st.just({"op": "retry"}),
    st.fixed_dictionaries({"op": st.just("wait"), "on": st.booleans()}),
    st.just({"op": "reopen"}),
)


def ask(session: Session, request: object) -> dict[str, Any]:
    answer = session.line(json.dumps(request))
    assert answer.count(b"\n") == 1
    assert answer.endswith(b"\n")
    decoded: dict[str, Any] = json.loads(answer)
    return decoded


def happen(chat: MemoryChat, request: dict[str, Any]) -> list[Node]:
    """The same event for a planner without the protocol; what the view merged into."""
    planner, op = chat.planner, request["op"]
    node = Node(*request.get("node", (0, 0)))
    if node.level < 0 or node.i < 0:
        raise Refused("no node")
    match op:
        case "message":
            batch = chat.message(request["kind"], request["text"]).batch
            return list(batch.merged) if batch is not None else []
        case "started":
            planner.started(node)
        case "built":
            chat.built(node, request["text"])
        case "failed":
            chat.failed(node)
        case "retry":
            planner.retry()
        case "wait":
            planner.wait(request["on"])
        case "reopen":
            chat.reopen()
    return []


@given(st.lists(requests, max_size=40))
def test_every_answer_is_the_planners_state(events: list[dict[str, Any]]) -> None:
    session = Session()
    ask(session, {"op": "open", "config": SMALL})
    chat = MemoryChat(Config(**SMALL))
    for event in events:
        before = ask(session, {"op": "wait", "on": chat.planner.queue.waiting})
        answer = ask(session, event)
        try:
            merged = happen(chat, event)
        except Refused:
            assert answer["ok"] is False
            assert ask(session, {"op": "wait", "on": chat.planner.queue.waiting}) == before
            continue
        planner = chat.planner
        assert answer == {
            "ok": True,
            "t": planner.total,
            "view": [list(node) for node in planner.chat.view.nodes],
            "bytes": planner.chat.view.bytes,
            "shrinking": planner.chat.shrinking,
            "cview": [list(node) for node in planner.compaction.view.nodes],
            "merged": [list(node) for node in merged],
            "queue": [list(node) for node in planner.candidates(planner.queue.waiting)],
            "queue_waiting": [list(node) for node in planner.candidates(True)],
        }
        rendered = ask(session, {"op": "render"})["rendered"]
        assert rendered.count("\n") == len(planner.chat.view.nodes) + 1
        for node in planner.chat.view.nodes[-3:]:
            assert ask(session, {"op": "context", "node": node})["context"] == [list(n) for n in planner.context(node)]


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_line_gets_one_line(line: bytes) -> None:
    session = Session()
    answer = session.line(line)
    assert answer.count(b"\n") == 1
    assert isinstance(json.loads(answer)["ok"], bool)


def test_the_adapter_speaks_on_its_pipes() -> None:
    lines = [
        '{"op":"message","kind":"user","text":"too early"}',
        '{"op":"hello","protocol":1}',
        '{"op":"hello","protocol":2}',
        '{"op":"open","config":{"node":512,"ceiling":128000,"floor":64000,"cceiling":32000,"cfloor":16000,"jobs":8}}',
        '{"op":"open","config":{"roof":1}}',
        '{"op":"open","config":{"jobs":99999999999999999999999}}',
        "",
        '{"op":"message","kind":"user","text":"two\\nlines"}',
        '{"op":"built","node":[60,1],"text":"x"}',
        '{"op":"built","node":[9999999999,1],"text":"x"}',
        "[" * 100_000,
        '{"op":"render"}',
        '{"op":"bye"}',
        '{"op":"render"}',
    ]
    done = subprocess.run(
        [sys.executable, "-m", "optchat.protocol"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [
        *(False, True, False, True, False, False),
        *(True, False, False, False, True, True),
    ]
    assert answers[1] == {"ok": True, "protocol": 1, "name": "optchat", "supports": list(SUPPORTS)}
    assert answers[10]["rendered"] == "<chat>\n0+1|user: two lines\n</chat>"
    assert done.stderr == ""
