"""ChatGPT exports that are damaged, cut, or changed while they are read: what is whole is taken, the rest is told."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optchat.imports import ImportFailed, chatgpt, gather
from optchat.imports import files as files_module
from optchat.imports.detect import Format
from optchat.imports.jsontext import elements
from stateful_tests.imports.test_bad_input import refusal, write, zip_of
from stateful_tests.imports.test_round_trip import folder


def conversation(**changes: object) -> dict[str, object]:
    message = {"id": "m", "author": {"role": "user"}, "create_time": 1.7e9, "content": {"parts": ["fine"]}}
    node: dict[str, object] = {"id": "a", "message": message | changes, "parent": None, "children": []}
    return {"mapping": {"a": node}, "current_node": "a"}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (conversation(create_time=1.7e12), "milliseconds"),
        (conversation(create_time=-99999999999), "out of range"),
        (conversation(create_time=10**400), "milliseconds"),
        (conversation(create_time="now"), "no number of seconds"),
        (conversation(create_time=None), "no number of seconds"),
        (conversation(author={"role": "ghost"}), "its author is 'ghost'"),
        (conversation(content=None), "without a content"),
        (conversation(content={"parts": [7]}), "neither a text nor a JSON object"),
        (conversation(content={"parts": ["\ud800"]}), "a lone surrogate"),
        ({"mapping": {"a": 7}}, "is no JSON object"),
        ({"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}}, "in a circle"),
        ({"title": "x"}, "without its mapping"),
        ({"mapping": {"a": {"message": 7}}}, "a message that is no JSON object"),
    ],
)
def test_a_damaged_conversation_is_left_out_alone(bad: object, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "conversations.json", json.dumps([conversation(), bad, conversation(id="n")], indent=1))
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["fine", "fine"]
        assert len(found.damages) == 1
        assert message in found.damages[0].why
        assert json.dumps(bad, indent=1).split("\n")[1].strip() in path.read_text().split("\n")[found.damages[0].line]


@given(st.integers(1, 2000))
def test_a_conversations_file_cut_anywhere_keeps_what_is_whole(place: int) -> None:
    whole = json.dumps([conversation(id=f"m{at}") for at in range(5)], indent=1)
    place %= len(whole)
    with folder() as name:
        path = write(name / "conversations.json", whole[:place] or "[")
        refused = refusal(path, Format.CHATGPT)
        if refused:
            assert "the file ends within" in refused
            return
        with gather([path], format=Format.CHATGPT) as found:
            complete = whole[:place].count("\n },")
            assert len(found) in (complete, complete + 1)
            assert found.damaged == 1


@pytest.mark.parametrize(
    ("before", "between", "after", "wrong"),
    [
        ("", ", 17", "", ["without its mapping"]),
        ("null,", "", "", ["without its mapping"]),
        ("", ' "text"', "", ["without its mapping"]),
        ("", "", " garbage", ["not JSON"]),
        ("", "", '[{"mapping":{}}]', ["without its mapping"]),
        ("x", "y", "z", ["not JSON"] * 3),
        ("", "", "\n \n", []),
    ],
)
def test_text_that_belongs_to_no_conversation_is_told(
    before: str, between: str, after: str, wrong: list[str], tmp_path: Path
) -> None:
    one, two = json.dumps(conversation()), json.dumps(conversation(id="n"))
    path = write(tmp_path / "conversations.json", f"[{before}{one}{between},\n{two}\n]{after}")
    with gather([path], format=Format.CHATGPT) as found:
        assert [each.text for each in found.records()] == ["fine", "fine"]
        assert len(found.damages) == len(wrong)
        assert all(words in damage.why for words, damage in zip(wrong, found.damages, strict=True))


JSON_TEXT = st.lists(
    st.sampled_from(["[", "]", "{", "}", '"', "\\", ",", " ", "\n", "x", '{"a": "\\""}', '"\\\\"', "[[]]"]), max_size=30
).map("".join)


@given(JSON_TEXT.map(lambda text: f"\ufeff [{text}".encode()), st.lists(st.integers(0, 60), max_size=6))
def test_an_array_read_in_pieces_has_the_same_elements(data: bytes, places: list[int]) -> None:
    ends = sorted(place % (len(data) + 1) for place in places)
    pieces = [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]
    for most in (5, 1000):
        whole = list(elements([data], most))
        assert list(elements(pieces, most)) == whole
        assert list(elements((data[at : at + 1] for at in range(len(data))), most)) == whole


def test_an_export_that_becomes_shorter_while_it_is_read_is_not_taken(tmp_path: Path) -> None:
    path = write(tmp_path / "conversations.json", json.dumps([conversation(content={"parts": ["x" * 3_000_000]})] * 4))
    messages = chatgpt.parse(path, lambda _: None)
    next(messages)
    write(path, "[")
    with pytest.raises(ImportFailed, match="became shorter while it was read"):
        list(messages)


def test_an_export_fills_no_memory_but_with_one_conversation(tmp_path: Path) -> None:
    big = json.dumps(conversation(content={"parts": ["x" * 200_000]}))
    path = write(tmp_path / "conversations.json", "[" + ",\n".join([big] * 150) + "]")
    packed = zip_of(tmp_path / "export.zip", {"conversations.json": path.read_text()})
    for source in (path, packed):
        tracemalloc.start()
        try:
            assert sum(1 for _ in chatgpt.parse(source, lambda _: None)) == 150
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()


def test_no_element_fills_the_memory() -> None:
    data = b'[{"a": "' + b"x" * 1000 + b'"}, ' + b"y" * 1000 + b', {"b": 1}, {"c": "' + b"z" * 1000
    assert [(len(each.data), each.whole) for each in elements([data], 50)] == [
        (51, True),
        (51, True),
        (8, True),
        (51, False),
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("folders", [["one/", "two/"], ["", ""], ["", "a/", "a/b/"]])
def test_all_conversations_of_a_zip_file_are_taken(folders: list[str], tmp_path: Path) -> None:
    """An archive of several exports, or one that was added to: none of it is passed over in silence."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, above in enumerate(folders):
            old = [conversation(id=f"m{at}", content={"parts": [f"text {at}"]}) for at in range(number + 1)]
            export = [*old, {"title": "bad"}]
            archive.writestr(f"{above}conversations.json", json.dumps(export))
    with gather([path]) as found:
        assert [each.text for each in found.records()] == [f"text {number}" for number in range(len(folders))]
        places = [str(each).partition(": ")[0] for each in found.damages]
        assert places == [f"{path}/{above}conversations.json:1" for above in folders]


@given(places=st.lists(st.tuples(st.integers(0, 999), st.integers(0, 255)), min_size=1, max_size=4))
@example(places=[(4, 255)])
def test_bytes_flipped_in_a_zip_file_are_one_line(places: list[tuple[int, int]]) -> None:
    with folder() as name:
        path = zip_of(name / "export.zip", {"conversations.json": json.dumps([conversation()]), "chat.html": "<html>"})
        data = bytearray(path.read_bytes())
        for place, byte in places:
            data[place % len(data)] = byte
        write(path, b"PK\x03\x04" + bytes(data[4:]))
        assert "\n" not in refusal(path, None)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "BOMB_SIZE", 100_000)
    bomb = zip_of(tmp_path / "bomb.zip", {"conversations.json": "[" + " " * 200_000 + "]"})
    with pytest.raises(ImportFailed, match="would unpack to 200,002 bytes"):
        gather([bomb])
    text = json.dumps([conversation(id=hashlib.sha256(b"%d" % at).hexdigest()) for at in range(2000)])
    with gather([zip_of(tmp_path / "chat.zip", {"conversations.json": text})]) as found:
        assert len(found) == 2000
