"""Files and folders as people have them: odd names, links, pipes, devices, no rights, broken settings."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

from optchat.cli import replay as replay_module
from optchat.cli.status import Status
from stateful_tests.cli.chats import OPTCHAT, as_anyone, lines_of, make_chat, run, run_here, some_messages
from stateful_tests.cli.test_command_line import check_complaint

COUNT = 9
ONE = '{"kind":"user","text":"fine","date":"2024-01-01T00:00:00Z"}\n'


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    make_chat(tmp_path / "chat", some_messages(COUNT))
    return tmp_path / "chat"


# Names.


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two  spaces ", "two  spaces "),
        ("line\nbreak", "line\\nbreak"),
        ("tab\there", "tab\\there"),
        ("next\x85line", "next\\x85line"),
        ("line\u2028separator", "line\\u2028separator"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202ekcab", "\\u202ekcab"),
    ],
)
def test_an_error_shows_a_name_as_it_is_and_does_nothing_else(name: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("")
    check_complaint(run_here("import", "--dir", tmp_path / "chat", path), Status.USAGE, f"{tmp_path / shown}: ")


def test_a_name_that_is_no_utf_8_can_be_told_in_json(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"caf\xe9")
    place.mkdir()
    path = place / "chat.jsonl"
    path.write_text(ONE)
    told = json.loads(run("import", path, "--json", at=place).stdout)
    assert told["files"] == {str(path): "jsonl"}
    assert run("settings", "set", "memory.ceiling", "96000", "--json", at=place).returncode == 0
    for words in (["settings", "--json"], ["settings", "where", "--json"]):
        done = run(*words, at=place)
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.dumps(str(place / "settings.toml")) in done.stdout.decode()


# What an export is written to.


def test_an_export_into_a_pipe_or_a_device_leaves_it_one(chat: Path, tmp_path: Path) -> None:
    whole = run("export", at=chat).stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert run("export", "--out", pipe, at=chat).returncode == 0
    reader.join()
    assert read == [whole]
    assert pipe.is_fifo()
    done = subprocess.run(
        [str(OPTCHAT), "export", "--out", "/dev/stdout", "--dir", str(chat)], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, whole)


def test_an_export_over_a_link_replaces_what_it_points_to(chat: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far" / "file", tmp_path / "link"
    file.write_text("old")
    link.symlink_to(file)
    check_complaint(run("export", "--out", link, at=chat), Status.USAGE, "is there already")
    assert file.read_text() == "old"
    assert run("export", "--out", link, "--force", at=chat).returncode == 0
    assert link.is_symlink()
    assert file.read_bytes() == run("export", at=chat).stdout
    assert list(file.parent.iterdir()) == [file]


# Rights.


def test_what_may_not_be_read_is_status_4(chat: Path, tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text(ONE)
    path.chmod(0)
    for command in ("import", "replay"):
        check_complaint(run(command, path, at=chat, before=as_anyone), Status.SYSTEM, f"{path}: Permission denied")
    for place in (*(chat / "chat" / "main").iterdir(), chat):
        mode = place.stat().st_mode
        place.chmod(0)
        for words in (["memory"], ["doctor"], ["export"], ["doctor", "--mend"], ["import", tmp_path / "chat"]):
            check_complaint(run(*words, at=chat, before=as_anyone), Status.SYSTEM, str(place))
        place.chmod(mode)


def test_a_chat_that_may_not_be_written_can_be_read(chat: Path, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(ONE)
    folders = [chat, *(path for path in chat.rglob("*") if path.is_dir())]
    for path in chat.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    chat.chmod(0o555)
    try:
        assert run("memory", at=chat, before=as_anyone).returncode == 0
        assert run("doctor", "--set", "memory.node=64", at=chat, before=as_anyone).returncode == 0
        for words in (
            ["import", tmp_path / "one.jsonl"],
            ["settings", "set", "memory.ceiling", "96000"],
            ["export", "--out", chat / "out"],
        ):
            check_complaint(run(*words, at=chat, before=as_anyone), Status.SYSTEM, "Permission denied")
    finally:
        for path in folders:
            path.chmod(0o755)


# Settings.


def test_a_file_in_a_folders_place_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    source = tmp_path / "one.jsonl"
    source.write_text(ONE)
    for words in (["memory"], ["import", source], ["doctor", "--mend"]):
        done = run_here(*words, "--dir", file)
        check_complaint(done, Status.SYSTEM, f"{file}: a file, where a chat's folder must be: give another --dir")


@pytest.mark.parametrize("text", ["node = " + "9" * 5000, "[memory]\nnode = 1\nnode = 2", "a = " + "[" * 10_000, "\0"])
def test_settings_that_are_no_toml_are_one_line(text: str, chat: Path) -> None:
    (chat / "settings.toml").write_text(text)
    check_complaint(run_here("memory", "--dir", chat), Status.USAGE, f"{chat / 'settings.toml'}: no TOML: ")


def test_a_linked_settings_file_stays_a_link(chat: Path, tmp_path: Path) -> None:
    file = tmp_path / "dotfiles"
    file.write_text("# mine\n")
    (chat / "settings.toml").symlink_to(file)
    assert run("settings", "set", "memory.ceiling", "96000", at=chat).returncode == 0
    assert (chat / "settings.toml").is_symlink()
    assert file.read_text() == "# mine\n\n[memory]\nceiling = 96000\n"


# Replay.


def test_a_line_without_end_is_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "LINE_LIMIT", 1000)
    path = tmp_path / "events"
    path.write_text('{"op":"open"}\n' + "x" * 2000)
    done = run_here("replay", path)
    check_complaint(done, Status.USAGE, f"{path}:2: a line that is too long")
    assert len(lines_of(done.stdout_bytes)) == 1


def test_a_closed_standard_input_is_no_error_of_ours() -> None:
    done = subprocess.run(["sh", "-c", 'exec "$0" replay - <&-', str(OPTCHAT)], capture_output=True, check=False)
    check_complaint(done, Status.SYSTEM, "standard input is closed")
