"""Files that cannot be read, and records that cannot: one clear line each, and nothing is imported by halves."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from optchat.cli.app import app
from optchat.cli.status import Status
from optchat.imports import ImportFailed, aider, gather
from optchat.imports import files as files_module
from optchat.imports.detect import Format
from optchat.imports.files import lines_of
from stateful_tests.imports.test_round_trip import folder

GOOD = '{"kind":"user","text":"fine","date":"2024-01-01T00:00:00Z"}\n'
HEADER = "# aider chat started at 2024-08-05 19:33:02\n\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["import", *map(str, arguments)])


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def zip_of(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def cut_zip(path: Path) -> Path:
    zip_of(path, {"conversations.json": "[]" * 500})
    return write(path, path.read_bytes()[:-40])


def rotten_zip(path: Path) -> Path:
    zip_of(path, {"conversations.json": json.dumps([str(at) for at in range(4000)])})
    data = bytearray(path.read_bytes())
    data[200:260] = bytes(60)
    return write(path, bytes(data))


WHOLE_FILES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing": (lambda path: path, "there is no such file", ""),
    "empty": (lambda path: write(path, b""), "this file is empty", ""),
    "blank": (lambda path: write(path, "\n \n"), "looks like none of the formats", ""),
    "binary": (lambda path: write(path, bytes(range(256)) * 9), "this file is binary", ""),
    "gzipped": (lambda path: write(path, gzip.compress(GOOD.encode())), "compressed: unpack it first (gunzip)", ""),
    "xz": (lambda path: write(path, b"\xfd7zXZ\0" + bytes(99)), "compressed: unpack it first", ""),
    "UTF-16": (lambda path: write(path, GOOD.encode("utf-16")), "UTF-16: convert it to UTF-8", ""),
    "UTF-32": (lambda path: write(path, GOOD.encode("utf-32")), "UTF-32: convert it to UTF-8", ""),
    "prose": (lambda path: write(path, "Dear diary,\n"), "looks like none of the formats", ""),
    "other JSON": (lambda path: write(path, '{"a": 1}\n'), "looks like none of the formats", ""),
    "JSON scalar": (lambda path: write(path, "42"), "a JSON array is expected", "chatgpt"),
    "no header": (lambda path: write(path, "#### hi  \n"), "no line says '# aider chat started at", "aider"),
    "zip of another thing": (lambda path: zip_of(path, {"a.txt": "x"}), "no conversations.json in this zip", ""),
    "zip cut": (cut_zip, "this zip file is damaged", ""),
    "zip rotten": (rotten_zip, "cannot be read", ""),
    "zip empty": (lambda path: zip_of(path, {"conversations.json": ""}), "is empty", ""),
    "zip as lines": (lambda path: zip_of(path, {"a.jsonl": GOOD}), "unpack it first", "jsonl"),
    "folder without a chat": (lambda path: path.mkdir(), "this folder holds no chat", ""),
    "folder as lines": (lambda path: path.mkdir(), "this is a folder", "jsonl"),
    "file as a folder": (lambda path: write(path, GOOD), "the format optchat is a chat's folder", "optchat"),
}


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_a_file_that_cannot_be_read_stops_the_import_with_one_line(name: str, tmp_path: Path) -> None:
    make, message, form = WHOLE_FILES[name]
    bad, good = tmp_path / "bad", write(tmp_path / "good.jsonl", GOOD)
    make(bad)
    result = run("--dir", tmp_path / "chat", *(["--format", form] if form else []), bad, *([] if form else [good]))
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert str(bad) in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "chat").exists()


DEEP = "[" * 10_000 + "]" * 10_000
RECORDS = {
    "NaN": ('{"kind":"user","text":"x","date":NaN}', "NaN is no JSON number"),
    "key twice": ('{"kind":"user","text":"x","text":"y","date":"2024-01-01T00:00:00Z"}', "'text' twice"),
    "deep": (f'{{"kind":"user","text":{DEEP}}}', "nested too deep"),
    "lone surrogate": ('{"kind":"user","text":"\\ud800","date":"2024-01-01T00:00:00Z"}', "a lone surrogate"),
    "digits": (f'{{"kind":"user","text":"x","date":{"9" * 5000}}}', "digits"),
    "no zone": ('{"kind":"user","text":"x","date":"2024-01-01T00:00:00"}', "no zone"),
    "milliseconds": ('{"kind":"user","text":"x","date":1704067200000}', "is a number"),
    "no date": ('{"kind":"user","text":"x"}', "no date"),
    "a date that is none": ('{"kind":"user","text":"x","date":"yesterday"}', "'yesterday' is no date"),
    "the first day": ('{"kind":"user","text":"x","date":"0001-01-01T00:00:00+14:00"}', "out of range"),
    "no kind": ('{"text":"x","date":"2024-01-01T00:00:00Z"}', "needs a kind and a text"),
    "unknown kind": ('{"kind":"usr","text":"x","date":"2024-01-01T00:00:00Z"}', "'usr' is no kind"),
    "text no string": ('{"kind":"user","text":7,"date":"2024-01-01T00:00:00Z"}', "needs a kind and a text"),
    "cut": ('{"kind":"user","text":"x","da', "not JSON: Unterminated string starting at character 26"),
    "no object": ("[1, 2]", "not a JSON object"),
    "not UTF-8": ('{"kind":"user","text":"\udcff","date":"2024-01-01T00:00:00Z"}', "not UTF-8 at byte 23"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_damaged_line_is_named_and_left_out_or_stops_a_strict_import(name: str, tmp_path: Path) -> None:
    line, message = RECORDS[name]
    path = write(tmp_path / "chat.jsonl", f"{GOOD}{line}\n{GOOD}".encode(errors="surrogateescape"))
    result = run("--dir", tmp_path / "chat", "--strict", path)
    assert result.exit_code == 1
    assert f"{path}:2: " in result.stderr
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "chat").exists()
    result = run("--dir", tmp_path / "chat", path)
    assert result.exit_code == 1
    assert f"left out: {path}:2: " in result.stderr
    assert message in result.stderr
    assert "2 messages imported" in result.stdout
    result = run("--dir", tmp_path / "chat", "--json", path)
    facts = json.loads(result.stdout)
    assert (facts["imported"], facts["there"], facts["damaged"]) == (0, 2, 1)
    only = write(tmp_path / "only.jsonl", f"{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(ImportFailed, match="nothing in it can be read"):
        gather([only], format=Format.JSONL)


@pytest.mark.parametrize("line", ['{"type":"user"}', '{"type":"user","message":"x"}', "{}", "7", '{"type":1}',
                                  '{"type":"user","message":{"content":"x"}}',
                                  '{"type":"user","message":{"content":"x"},"timestamp":"2024-01-01T00:00:00"}',
                                  '{"type":"user","message":{"content":7},"timestamp":"2024-01-01T00:00:00Z"}',
                                  '{"type":"user","message":{"content":["x"]},"timestamp":"2024-01-01T00:00:00Z"}',
                                  '{"type":"assistant","message":{"content":[{"type":"tool_use"}]},'
                                  '"timestamp":"2024-01-01T00:00:00Z"}'])  # fmt: skip
def test_a_damaged_claude_record_is_left_out_alone(line: str, tmp_path: Path) -> None:
    good = '{"type":"user","message":{"content":"fine"},"timestamp":"2024-01-01T00:00:00Z"}'
    path = write(tmp_path / "session.jsonl", f"{good}\n{line}\n")
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["fine"]
        assert [(each.path, each.line) for each in found.damages] == [(path, 2)]


def test_lone_surrogates_and_nul_of_a_tool_are_replaced_visibly(tmp_path: Path) -> None:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "half \ud83d and \ud83d\ude00, \0"}]
    line = {"type": "user", "message": {"content": content}, "timestamp": "2024-01-01T00:00:00Z"}
    path = write(tmp_path / "session.jsonl", json.dumps(line) + "\n")
    assert run("--dir", tmp_path / "chat", path).exit_code == 0
    with gather([tmp_path / "chat"]) as found:
        assert [each.text for each in found.records()] == ["echo: half \ufffd and \U0001f600, \u2400"]


def refusal(path: Path, form: Format | None) -> str:
    """Why a file cannot be read at all, "" when it can."""
    try:
        gather([path], format=form).close()
    except ImportFailed as error:
        return str(error)
    return ""


@pytest.mark.parametrize("form", list(Format))
@given(data=st.binary(max_size=200) | st.text(st.characters(exclude_categories=["Cs"])).map(str.encode))
def test_no_bytes_make_a_parser_fail_otherwise(form: Format, data: bytes) -> None:
    with folder() as name:
        assert "\n" not in refusal(write(name / "file", data), form)


@pytest.mark.parametrize("form", [Format.AIDER, Format.CLAUDE, Format.JSONL])
@given(places=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4))
def test_bytes_flipped_in_a_good_file_make_no_parser_fail_otherwise(
    form: Format, places: list[tuple[int, int]]
) -> None:
    good = {
        Format.AIDER: HEADER
        + "> aider  \n\n#### fix  \n####   \n\nDone.\n\n> Tokens\nCost  \n"
        + HEADER
        + "#### x  \n",
        Format.CLAUDE: '{"type":"user","message":{"content":"fine"},"timestamp":"2024-01-01T00:00:00Z"}\n' * 3,
        Format.JSONL: GOOD * 4,
    }[form]
    data = bytearray(good.encode())
    for place, byte in places:
        data[place % len(data)] = byte
    with folder() as name:
        assert "\n" not in refusal(write(name / "file", bytes(data)), form)


def test_a_bad_byte_in_an_aider_history_takes_its_message_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "h.md", f"{HEADER}> aider  \n\n#### caf".encode() + b"\xe9  \n\nDone.\n")
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["aider", "Done."]
        assert [str(each) for each in found.damages] == [
            f"{path}:5: not UTF-8 at byte 8 of the line; its message is left out"
        ]


def test_a_header_without_a_date_takes_its_session_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "h.md", HEADER + "> a  \n\n" + HEADER.replace("-08-", "-13-") + "#### b  \n\n" + HEADER)
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["a"]
        assert len(found.damages) == 1
        assert "1 messages of this session are left out" in found.damages[0].why


def test_a_time_zone_that_cannot_be_is_not_the_files_fault(tmp_path: Path) -> None:
    path = write(tmp_path / "h.md", HEADER + "> a  \n")
    code = f"from optchat.imports import gather; from pathlib import Path; gather([Path({str(path)!r})])"
    around = {"TZ": "<+99>-99", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=around, check=False)
    assert "ImportFailed: this machine's time zone" in done.stderr
    assert "TZ" in done.stderr.splitlines()[-1]


def test_a_huge_line_is_no_record_and_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "LINE_LIMIT", 1000)
    path = write(tmp_path / "chat.jsonl", GOOD + '{"kind":"user","text":"' + "x" * 9000 + '"}\n' + GOOD)
    with gather([path]) as found:
        assert len(found) == 2
        assert [(each.line, each.why) for each in found.damages] == [(2, "a line that is too long for a record")]


@pytest.mark.parametrize("line", ["\n", "#### a  \n", "> b  \n", "> c\n", "d\n", "  \n"])
def test_the_lines_of_an_aider_history_fill_no_memory(line: str, tmp_path: Path) -> None:
    """They are held as the bytes that they are, and a few times so."""
    path = write(tmp_path / "h.md", HEADER + "#### hi  \n\n" + line * 100_000 + "\n#### bye  \n")
    tracemalloc.start()
    try:
        with gather([path]) as found:
            assert 2 <= len(found) <= 3
        assert tracemalloc.get_traced_memory()[1] < 500_000 + 10 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_a_huge_line_of_an_aider_history_takes_its_message_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "LINE_LIMIT", 1000)
    path = write(tmp_path / "h.md", HEADER + "#### a  \n\nwell\n" + "x" * 9000 + "\n\n#### b  \n")
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["a", "b"]
        assert [(each.line, each.why) for each in found.damages] == [
            (6, "a line that is too long for a text; its message is left out")
        ]


def test_a_session_that_is_too_long_is_left_out_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aider, "LIMIT", 1000)
    path = write(tmp_path / "h.md", HEADER + "#### a  \n" * 500 + "\n" + HEADER.replace("-05", "-06") + "#### b  \n")
    with gather([path]) as found:
        assert [each.text for each in found.records()] == ["b"]
        assert [each.line for each in found.damages] == [1]
        assert "more than 1,000 bytes" in found.damages[0].why


def test_a_file_that_becomes_shorter_while_it_is_read_is_not_taken(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.jsonl", GOOD * 100_000)
    lines = lines_of(path, lambda _: None)
    next(lines)
    write(path, GOOD)
    with pytest.raises(ImportFailed, match="became shorter while it was read"):
        list(lines)


def test_a_full_temporary_folder_is_named_with_the_way_out(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.jsonl", "".join(GOOD.replace("fine", str(at) * 99) for at in range(2000)))
    code = (
        "import resource, signal, sys; from optchat.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999))\n"
        f"sys.argv = ['optchat', 'import', {str(path)!r}, '--dir', {str(tmp_path / 'chat')!r}]; main()"
    )
    # No half of a compiled module may be left behind.
    around = {"TMPDIR": str(tmp_path), "HOME": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=around, check=False)
    assert done.returncode == Status.SYSTEM, done.stderr
    assert done.stderr.startswith(f"optchat: {tmp_path}: File too large: ")
    assert "TMPDIR" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "chat").exists()
