"""Any JSON value in the place of any value of a record: it is read or named as damaged; no traceback, no hang."""

from __future__ import annotations

import copy
import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.imports import gather
from optchat.imports.chatgpt import BadNode, path_to, walk
from optchat.imports.claude import without_last
from optchat.imports.detect import Format
from stateful_tests.imports.test_bad_exports import conversation
from stateful_tests.imports.test_bad_input import refusal, write
from stateful_tests.imports.test_round_trip import folder

WHEN = "2024-01-01T00:00:00Z"
PARTS: list[dict[str, Any]] = [
    {"type": "text", "text": "fine"},
    {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a.py"}, {"type": "image"}]},
    {"type": "thinking", "thinking": "hm"},
]
TREE: dict[str, Any] = conversation(metadata={"is_visually_hidden_from_conversation": False}, recipient="all") | {
    "title": "t",
    "create_time": 1.7e9,
}
TREE["mapping"] |= {
    "b": {"id": "b", "message": TREE["mapping"]["a"]["message"] | {"id": "n"}, "parent": "a", "children": []},
    "c": {"id": "c", "message": None, "parent": "b", "children": []},
}
TREE["mapping"]["a"]["children"] = ["b"]
RECORDS: dict[Format, dict[str, Any]] = {
    Format.CLAUDE: {
        "type": "user",
        "uuid": "u",
        "isSidechain": False,
        "isMeta": False,
        "timestamp": WHEN,
        "message": {"role": "user", "model": "m", "content": PARTS},
    },
    Format.CHATGPT: TREE,
    Format.JSONL: {"kind": "user", "text": "fine", "date": WHEN, "key": "claude-" + "0" * 32},
}

names = st.sampled_from(["", "a", "b", "user", "text", "\ud800", "\0", WHEN])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from([10**30, 1e12]) | names,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)

EACH_TYPE: list[object] = [None, True, 7, -1.5, "", "a", [], ["a"], {}, {"a": {}}]


@contextmanager
def soon() -> Iterator[None]:
    """What never ends fails instead, before it fills the memory."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def places(value: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a value holds another one, however deep: the members and indices down to it."""
    yield above
    for step, each in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else []):
        yield from places(each, (*above, step))


def replaced(value: Any, place: tuple[Any, ...], new: object, *, rename: bool) -> Any:
    """The value with another one at a place or, to `rename`, with the member there under another name."""
    if not place:
        return new
    result = copy.deepcopy(value)
    inner = result
    for step in place[:-1]:
        inner = inner[step]
    if rename and isinstance(inner, dict) and isinstance(new, str):
        inner[new] = inner.pop(place[-1])
    else:
        inner[place[-1]] = new
    return result


def check(form: Format, record: object) -> None:
    """Between two good records, a strange one costs at most itself."""
    text = json.dumps(record)
    lines = [json.dumps(RECORDS[form]), text, json.dumps(RECORDS[form])]
    with folder() as name, soon():
        path = write(name / "file", f"[{','.join(lines)}]" if form is Format.CHATGPT else "\n".join(lines))
        with gather([path], format=form) as found:
            assert len(list(found.records())) == len(found) >= (2 if form is Format.CHATGPT else 1)
            assert all("\n" not in str(each) for each in found.damages)
        assert "\n" not in refusal(write(name / "alone", text), form)


@pytest.mark.parametrize("form", RECORDS)
@given(data=st.data())
def test_any_value_in_any_place_of_a_record_is_read_or_named(form: Format, data: st.DataObject) -> None:
    record = RECORDS[form]
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from(list(places(record))))
        record = replaced(record, place, data.draw(values), rename=data.draw(st.booleans()))
    check(form, record)


@pytest.mark.parametrize("form", RECORDS)
def test_each_type_in_each_place_of_a_record_is_read_or_named(form: Format) -> None:
    for place in places(RECORDS[form]):
        for value in EACH_TYPE:
            for rename in (False, True):
                check(form, replaced(RECORDS[form], place, value, rename=rename))


@given(st.dictionaries(st.sampled_from(["", "a", "b", "c"]), st.sampled_from([None, "", "a", "b", "c", "gone"])))
def test_a_tree_of_any_names_is_walked_once_or_refused(parents: dict[str, str | None]) -> None:
    mapping = {name: {"parent": parent, "children": list(parents)} for name, parent in parents.items()}
    with soon():
        try:
            order = walk(mapping)
        except BadNode:
            return
        for current in (None, *parents):
            shown = path_to(mapping, current, order)
            assert shown <= set(parents)
            assert bool(shown) == bool(parents)
    assert sorted(name for name, _ in order) == sorted(parents)
    assert all(above == (parents[name] if parents[name] in parents else None) for name, above in order)


def test_a_parent_that_is_no_name_costs_its_conversation_alone(tmp_path: Path) -> None:
    bad: list[dict[str, Any]] = [conversation(id=f"m{at}") for at in range(4)]
    for export, parent in zip(bad, ([], {}, 7, True), strict=True):
        export["mapping"]["a"]["parent"] = parent
    path = write(tmp_path / "conversations.json", json.dumps([conversation(), *bad]))
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["fine"]
        assert [each.why for each in found.damages] == ["the parent of the node 'a' is no name"] * 4


REMINDER = "<system-reminder>\nbe good\n</system-reminder>"


@pytest.mark.parametrize(
    "text",
    [
        "1" + " " * 300_000 + "x\n\n" + REMINDER,
        "1\n" + " " * 300_000 + REMINDER + "x",
        REMINDER * 20_000 + "x",
        "x" + REMINDER * 20_000,
        "x" + f"\n {REMINDER} \n" * 20_000 + "x",
        "<system-reminder>" * 50_000 + "x" + "</system-reminder>" * 50_000,
        REMINDER + " " * 300_000 + "x",
        "<system-reminder>" + " " * 300_000,
    ],
)
def test_no_text_makes_an_import_slow(text: str, tmp_path: Path) -> None:
    """A text that takes the square of its length takes minutes."""
    content = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    line = {"type": "user", "timestamp": WHEN, "message": {"content": content}}
    path = write(tmp_path / "session.jsonl", json.dumps(line) + "\n")
    with soon(), gather([path]) as found:
        assert len(found) == 1


tags = st.sampled_from(["<system-reminder>", "</system-reminder>", "a", " ", "\n", "\u2003"])
LAST = re.compile(r"(?:\s*<system-reminder>(?:(?!</?system-reminder>).)*</system-reminder>)+\s*\Z", re.DOTALL)


@given(st.lists(tags, max_size=14).map("".join))
def test_the_last_reminders_are_those_of_the_slow_pattern(text: str) -> None:
    assert without_last(text) == LAST.sub("", text)
