"""The command line as a whole: help, errors in one line with their status, pipes, locales, terminals, start-up."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from optchat.cli.app import COMMANDS, Entry, load
from optchat.cli.common import help_of
from optchat.cli.failures import failure_of
from optchat.cli.status import Status
from optchat.store import Chat
from stateful_tests.cli.chats import OPTCHAT, SMALL, lines_of, make_chat, run, run_here, some_messages

COUNT = 45
READING = [["memory"], ["zoom", "0"], ["date", "0"], ["search", "message"], ["export"], ["replay"]]


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("line") / "chat"
    make_chat(folder, some_messages(COUNT))
    return folder


# Help.


def test_help_names_every_command_and_the_statuses() -> None:
    told = run_here("--help").stdout
    for entry in COMMANDS:
        assert re.search(rf"\b{entry.name}\b", told)
    for status in (0, 1, 2, 3, 4, 5, 70):
        assert re.search(rf"\b{status} ", told)
    assert run_here().stdout == told


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_the_help_of_a_command_has_an_example(entry: Entry) -> None:
    told = run_here(entry.name, "--help")
    assert told.exit_code == 0
    assert f"Example: optchat {entry.name}" in " ".join(told.stdout.split())
    assert help_of(load(entry).help).startswith(f"{entry.help}\n\n")


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"optchat \d+\.\d+\.\d+\n", run_here("--version").stdout)


def test_the_top_help_imports_no_command_and_no_store() -> None:
    """What keeps the start quick; the time itself is measured by `make bench`."""
    code = "import sys, optchat.cli.app; print(*sorted(name for name in sys.modules if name.startswith('optchat.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {
        "optchat.core", "optchat.core.config", "optchat.settings", "optchat.cli", "optchat.cli.app",
        "optchat.cli.common", "optchat.cli.failures", "optchat.cli.status", "optchat.cli.streams",
        "optchat.cli.visible",
    }  # fmt: skip


# Errors.


def check_complaint(done: subprocess.CompletedProcess[bytes] | Result, status: Status, said: str) -> None:
    """A command ended with this status and said one line, with `said` in it."""
    ended, told = (done.exit_code, done.stderr_bytes) if isinstance(done, Result) else (done.returncode, done.stderr)
    assert ended == status, told
    (line,) = lines_of(told)
    assert line.startswith("optchat: ")
    assert said in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["memry"], "memory"),
        (["--nonsense"], "No such option"),
        (["memory", "--nonsense"], "optchat memory --help"),
        (["memory", "-n", "-1"], "-n"),
        (["zoom", "-1"], "0 or more"),
        (["zoom", "0", "-4"], "0 or more"),
        (["date", "-12"], "0 or more"),
        (["memory", "extra"], "extra"),
        (["memory", "--dir"], "--dir"),
        (["export", "--format", "pdf"], "pdf"),
        (["settings", "set", "memory.ceiling"], "give a KEY and a VALUE"),
        (["settings", "set", "memory.roof", "1"], "there is no setting 'memory.roof'"),
        (["settings", "set", "memory.floor", "999999999"], "floor"),
        (["settings", "set", "agent.name", "user"], "agent.name"),
        (["settings", "--set", "memory.node=1"], "4 or more"),
        (["replay", "/nowhere/events"], "/nowhere/events"),
    ],
)
def test_a_wrong_use_is_one_line_and_status_2(words: list[str], said: str, tmp_path: Path) -> None:
    check_complaint(run(*words, env={"HOME": str(tmp_path), "OPTCHAT_DIR": str(tmp_path / "c")}), Status.USAGE, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [*READING, ["doctor"]], ids=lambda words: words[0])
def test_a_folder_without_a_chat_is_said_and_left_alone(words: list[str], tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path):
        check_complaint(run_here(*words, "--dir", place), Status.SYSTEM, str(place))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("not a folder")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        check_complaint(run_here(*words, "--dir", place), Status.SYSTEM, str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "not a folder"


def corrupt_log(folder: Path) -> Path:
    (path,) = (folder / "chat" / "main").iterdir()
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"garbage", *lines[2:]]))
    return path


def forget_batches(folder: Path) -> Path:
    """Make it the chat of another implementation, whose `view.json` is broken."""
    (tree,) = (folder / "chat" / "tree").iterdir()
    kept = [line for line in tree.read_bytes().splitlines(keepends=True) if not line.startswith(b'{"merge"')]
    tree.write_bytes(b"".join(kept))
    view = folder / "chat" / "view.json"
    view.write_text("[[0,0],")
    return view


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
@pytest.mark.parametrize("damage", [corrupt_log, forget_batches])
def test_a_broken_chat_is_status_1_and_names_the_file(
    words: list[str], damage: Callable[[Path], Path], tmp_path: Path
) -> None:
    make_chat(tmp_path / "c", some_messages(COUNT))
    path = damage(tmp_path / "c")
    before = path.read_bytes()
    check_complaint(run_here(*words, "--dir", tmp_path / "c"), Status.WRONG, str(path))
    assert path.read_bytes() == before


def test_readers_need_no_lock(chat: Path) -> None:
    with Chat.open(chat, SMALL):
        for words in READING:
            assert run(*words, *(["--set", "memory.node=64"] if words == ["memory"] else []), at=chat).returncode in (
                0,
                1,
            )
        assert run("zoom", "3", at=chat).stdout == some_messages(COUNT)[3][1].encode()


def test_an_error_of_ours_shows_a_traceback(chat: Path) -> None:
    code = (
        "import sys; from optchat.cli import find, main; import optchat.cli.search as s\n"
        "def broken(*_): raise ValueError('ours')\n"
        f"s.find = broken; sys.argv = ['optchat', 'search', 'x', '--dir', {str(chat)!r}]; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == Status.BUG
    assert "Traceback" in done.stderr
    assert "ValueError: ours" in done.stderr


def test_only_errors_of_users_and_the_world_are_one_line() -> None:
    assert failure_of(ValueError("x")) is None
    assert failure_of(OSError("no number")) is None
    told = failure_of(PermissionError(13, "Permission denied", "/a"))
    assert told is not None
    assert (str(told), told.status) == ("/a: Permission denied", Status.SYSTEM)


# Settings.


def test_a_setting_is_set_shown_and_found(tmp_path: Path) -> None:
    folder = tmp_path / "chat"
    assert run("settings", "set", "memory.ceiling", "96_000", at=folder).returncode == 0
    assert run("settings", "set", "agent.name", "zoë", "--user", at=folder).returncode == 0
    told = run("settings", at=folder).stdout.decode()
    files = lines_of(run("settings", "where", at=folder).stdout)
    assert f"memory.ceiling = 96000       ({files[0]})" in told
    assert f"agent.name = zoë             ({files[1]})" in told
    assert Path(files[0]).read_text() == "[memory]\nceiling = 96000\n"
    make_chat(folder, [("unii", "hello")])
    assert lines_of(run("memory", at=folder).stdout)[0].startswith("mem 0.0K/96K")
    other = run("memory", "--set", "memory.ceiling=200000", at=folder, env={"OPTCHAT_MEMORY_CEILING": "100000"})
    assert lines_of(other.stdout)[0].startswith("mem 0.0K/200K")


def test_a_broken_settings_file_stops_a_command(chat: Path, tmp_path: Path) -> None:
    (tmp_path / "optchat").mkdir()
    (tmp_path / "optchat" / "settings.toml").write_text("[memory]\nroof = 1\n")
    done = run("memory", at=chat, env={"XDG_CONFIG_HOME": str(tmp_path)})
    check_complaint(done, Status.USAGE, f"{tmp_path / 'optchat' / 'settings.toml'}: there is no setting 'memory.roof'")


# Pipes, locales, terminals.


def test_a_reader_that_goes_away_ends_the_command_quietly(chat: Path) -> None:
    for words in (["export"], ["memory", "--full"], ["export", "-f", "html"], ["replay", "--json"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [str(OPTCHAT), *words, "--dir", str(chat)], stdout=write, stderr=subprocess.PIPE, check=False
        )
        os.close(write)
        assert (done.returncode, done.stderr) == (Status.PIPE, b"")


@pytest.mark.parametrize("words", [["export"], ["memory"], ["zoom", "0"], ["--help"]])
def test_an_output_that_takes_nothing_is_one_line(chat: Path, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        around = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "OPTCHAT_DIR": str(chat)}
        done = subprocess.run([str(OPTCHAT), *words], stdout=full, stderr=subprocess.PIPE, env=around, check=False)
    check_complaint(done, Status.SYSTEM, "No space left on device")


def test_closed_streams_are_no_error_of_ours(chat: Path) -> None:
    def closed(which: str) -> subprocess.CompletedProcess[bytes]:
        command = f'exec "$0" zoom 0 --dir "$1" {which}>&-'
        return subprocess.run(["sh", "-c", command, str(OPTCHAT), str(chat)], capture_output=True, check=False)

    check_complaint(closed("1"), Status.SYSTEM, "standard output is closed")
    assert (closed("2").returncode, closed("2").stdout) == (0, b"message 0")


def test_ctrl_c_is_status_130() -> None:
    command = subprocess.Popen(
        [str(OPTCHAT), "replay", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdin is not None
    assert command.stdout is not None
    command.stdin.write(b'{"op":"hello","protocol":1}\n' * 4000)
    command.stdin.flush()
    assert command.stdout.read(1) == b"1"
    command.send_signal(signal.SIGINT)
    assert command.communicate()[1] == b"optchat: stopped\n"
    assert command.returncode == Status.INTERRUPTED


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_a_pipe_gets_utf_8_whatever_the_locale(chat: Path, env: dict[str, str]) -> None:
    for words in (["zoom", "2"], ["memory"], ["search", "λ"], ["export"], ["--help"]):
        plain, done = run(*words, env={"OPTCHAT_DIR": str(chat)}), run(*words, env={"OPTCHAT_DIR": str(chat)} | env)
        assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)


def on_terminal(*words: str, columns: int = 80, env: dict[str, str] | None = None) -> str:
    """What a command shows on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    around = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})}
    command = subprocess.Popen([str(OPTCHAT), *words], stdin=theirs, stdout=theirs, stderr=theirs, env=around)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says the end of a terminal so.
            piece = b""
        if not piece:
            break
        shown += piece
    os.close(ours)
    command.wait()
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_no_control_characters_of_a_message(chat: Path) -> None:
    assert on_terminal("zoom", "6", "--dir", str(chat)) == "message 6\\x1b[31mred\n"
    assert run("zoom", "6", at=chat).stdout == b"message 6\x1b[31mred"
    assert "\x1b[31m" not in on_terminal("search", "red", "--dir", str(chat))
    assert "\x1b[31m" not in on_terminal("memory", "--full", "--dir", str(chat))


@pytest.mark.parametrize("columns", [20, 37, 80])
def test_lines_are_cut_to_a_narrow_terminal(chat: Path, columns: int) -> None:
    from rich.cells import cell_len

    shown = on_terminal("memory", "--dir", str(chat), columns=columns).splitlines()
    assert len(shown) > 5
    assert max(cell_len(line) for line in shown[1:]) <= columns
    assert on_terminal("--help", columns=columns)


def test_no_color_is_heeded(chat: Path) -> None:
    assert "\x1b[" in on_terminal("search", "short", "--dir", str(chat))
    plain = on_terminal("search", "short", "--dir", str(chat), env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain)
    assert "\x1b[" not in on_terminal("memory", "--dir", str(chat))


def test_a_terminal_that_cannot_show_a_character_gets_its_escape(chat: Path) -> None:
    shown = on_terminal("zoom", "2", "--dir", str(chat), env={"PYTHONIOENCODING": "ascii"})
    assert shown.startswith("message 2 \\u03bb\\u2192\\xfc")
