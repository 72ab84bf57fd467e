"""Sessions as Hypothesis makes them, and each format written as its own program writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Said(NamedTuple):
    """A message as a source has it."""

    kind: str
    text: str
    date: datetime


characters = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")
words = st.sampled_from(["yes", "y", "fix the clock", "4711", "src/clock.py", "  indented", "naïve 🕰", "#### heading",
                         "> quoted", "```", "# aider chat started at noon", '{"a": 1}', "|", ""])  # fmt: skip
line = words | st.text(characters, max_size=12)
any_text = st.lists(line, min_size=1, max_size=4).map("\n".join).filter(lambda text: text.strip())
dates = st.builds(
    lambda seconds, minutes: datetime.fromtimestamp(seconds, timezone(timedelta(minutes=minutes))),
    st.integers(1_500_000_000, 1_500_000_040) | st.integers(0, 4_000_000_000),
    st.sampled_from([0, 0, 120, -570]),
)
moments = st.integers(1_500_000_000, 1_600_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
OWN_KINDS = ("user", "unii", "tool", "echo", "work", "note")
messages = st.lists(st.builds(Said, st.sampled_from(OWN_KINDS), any_text, dates), max_size=12)


def oldest_first(said: Sequence[Said]) -> list[Said]:
    return sorted(said, key=lambda each: each.date)


# Our JSON lines.


def json_lines(said: Sequence[Said]) -> list[str]:
    return [
        json.dumps({"kind": each.kind, "text": each.text, "date": each.date.isoformat()}, ensure_ascii=False) + "\n"
        for each in said
    ]


# aider.

HEADER = "%Y-%m-%d %H:%M:%S"


class AiderSession(NamedTuple):
    started: datetime
    said: list[tuple[str, str]]
    raw: list[bool]
    """Whether an output is written with the mark on its first line alone."""


def _no_mark(text: str) -> bool:
    return not any(each.endswith("  ") for each in text.split("\n"))


user_text = any_text.map(str.rstrip).filter(bool)
reply_text = any_text.map(str.strip).filter(lambda text: bool(text) and _no_mark(text))
output_text = any_text.map(lambda text: "\n".join(each.strip() for each in text.split("\n")).strip()).filter(bool)


@st.composite
def aider_sessions(draw: st.DrawFn, same: bool = False) -> list[AiderSession]:
    """Sessions with dates of their own, but for those that begin in the same second, if that may be.

    As in a real history, no two outputs and no two replies come in a row.
    """
    starts = sorted(draw(st.sets(moments, min_size=1, max_size=4)))
    if same:
        starts = sorted(starts + draw(st.lists(st.sampled_from(starts), max_size=2)))
    sessions = []
    for start in starts:
        said = [("echo", "aider --model x\nAider v1.2.3")]
        raw = [False]
        for kind in draw(st.lists(st.sampled_from(["user", "unii", "echo"]), max_size=7)):
            if kind != "user" and kind == said[-1][0]:
                continue
            text = draw({"user": user_text, "unii": reply_text, "echo": output_text}[kind])
            # Right after the user's lines an output can hold anything; else only what no reply could be.
            free = said[-1][0] == "user"
            can = kind == "echo" and "\n" in text and _no_mark(text) and (free or "\n\n" not in text)
            # Its last line has the two spaces, and must not look like a marked one.
            can = can and not f"{text.split(chr(10))[-1]}  ".startswith(("> ", "#### "))
            said.append((kind, text))
            raw.append(can and draw(st.booleans()))
        sessions.append(AiderSession(start.astimezone(), said, raw))
    return sessions


def aider_pieces(sessions: Sequence[AiderSession]) -> list[str]:
    """The history as the program appends it: a piece for each header and each message."""
    pieces = []
    for session in sessions:
        pieces.append(f"\n# aider chat started at {session.started.strftime(HEADER)}\n\n")
        for (kind, text), raw in zip(session.said, session.raw, strict=True):
            pieces.append(_aider_piece(kind, text, raw))
    return pieces


def _aider_piece(kind: str, text: str, raw: bool) -> str:
    if kind == "user":
        return "\n" + "  \n".join(f"#### {each}" for each in text.split("\n")).rstrip() + "  \n"
    if kind == "unii":
        return f"\n{text}\n\n"
    if raw:
        return f"> {text}  \n"
    return "".join(f"> {each}".rstrip() + "  \n" for each in text.split("\n"))


def aider_said(sessions: Sequence[AiderSession]) -> list[Said]:
    return [Said(kind, text, session.started) for session in sessions for kind, text in session.said]


# Claude Code.

claude_said = st.lists(
    st.builds(Said, st.sampled_from(["user", "unii", "tool", "echo"]), any_text, dates), min_size=1, max_size=10
)
NOISE: list[dict[str, Any]] = [
    {"type": "summary", "summary": "a summary", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "meta"}},
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "a subagent's task"}},
    {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": []}},
    {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "continued"}},
]


def claude_lines(said: Sequence[Said], noise: Sequence[int] = ()) -> list[str]:
    """A session file; `noise` are the records between, by their place in NOISE, that are no messages."""
    lines = []
    for at, each in enumerate(said):
        role = "assistant" if each.kind in ("unii", "tool") else "user"
        block: dict[str, Any]
        if each.kind == "tool":
            block = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": each.text}}
        elif each.kind == "echo":
            parts = [{"type": "text", "text": part} for part in each.text.split("\n")]
            block = {"type": "tool_result", "tool_use_id": f"t{at}", "content": parts if at % 2 else each.text}
        else:
            block = {"type": "text", "text": each.text}
        content: object = each.text if each.kind == "user" and at % 2 else [block]
        lines.append({
            "type": role, "uuid": f"u{at}", "isSidechain": False, "timestamp": each.date.isoformat(),
            "message": {"role": role, "content": content},
        })  # fmt: skip
    for at, which in enumerate(noise):
        lines.insert(min(2 * at, len(lines)), NOISE[which])
    return [json.dumps(each, ensure_ascii=at % 2 == 0) + "\n" for at, each in enumerate(lines)]


def claude_read(said: Sequence[Said]) -> list[Said]:
    """The messages as they are to be read: a call is its tool's name and its input."""
    return [
        each._replace(text=f"Bash {json.dumps({'command': each.text}, ensure_ascii=False)}")
        if each.kind == "tool" else each
        for each in said
    ]  # fmt: skip


# ChatGPT.


class Turn(NamedTuple):
    """A node of a conversation: where it hangs (-1: the root), who says what when, and whether it was given up."""

    above: int
    said: Said
    given_up: bool


@st.composite
def conversations(draw: st.DrawFn) -> list[list[Turn]]:
    """Conversations as trees; the way to the last node is what the user last saw."""
    chats = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(1_500_000_000, 1_500_100_000))
        above = [-1] + [draw(st.integers(0, at)) for at in range(draw(st.integers(0, 6)))]
        shown = {-1, len(above) - 1}
        at = len(above) - 1
        while at >= 0:
            shown.add(at)
            at = above[at]
        kinds = st.sampled_from(["user", "unii", "tool", "echo"])
        chats.append([
            Turn(parent, Said(draw(kinds), draw(any_text), datetime.fromtimestamp(start + at, UTC)), at not in shown)
            for at, parent in enumerate(above)
        ])  # fmt: skip
    return chats


def chatgpt(chats: Sequence[Sequence[Turn]]) -> list[dict[str, Any]]:
    """The value of a `conversations.json`."""
    export = []
    for number, turns in enumerate(chats):
        system = {"author": {"role": "system"}, "create_time": None,
                  "content": {"content_type": "text", "parts": [""]}}  # fmt: skip
        mapping: dict[str, Any] = {"root": {"id": "root", "message": system, "parent": None, "children": []}}
        for at, turn in enumerate(turns):
            name = f"c{number}-n{at}"
            parent = "root" if turn.above < 0 else f"c{number}-n{turn.above}"
            mapping[parent]["children"].append(name)
            mapping[name] = {"id": name, "message": _chatgpt_message(name, turn.said), "parent": parent, "children": []}
        first = turns[0].said.date.timestamp()
        export.append({"title": f"chat {number}", "create_time": first, "mapping": mapping,
                       "current_node": f"c{number}-n{len(turns) - 1}"})  # fmt: skip
    return export


def _chatgpt_message(name: str, said: Said) -> dict[str, Any]:
    role = {"user": "user", "unii": "assistant", "tool": "assistant", "echo": "tool"}[said.kind]
    content: dict[str, Any] = {"content_type": "text", "parts": said.text.split("\n")}
    if said.kind == "tool":
        content = {"content_type": "code", "language": "python", "text": said.text}
    return {
        "id": name, "author": {"role": role}, "create_time": said.date.timestamp(), "content": content,
        "recipient": "python" if said.kind == "tool" else "all", "metadata": {},
    }  # fmt: skip
