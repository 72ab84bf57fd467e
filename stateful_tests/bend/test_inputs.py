"""Any input at all gives a verdict or one clear message, never a traceback; and limits stop what would not end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optchat_bridge.bend import limits
from optchat_bridge.bend.lexer import BAD, END, tokens
from optchat_bridge.bend.report import check_file, render

GOLDEN = Path(__file__).parent / "golden"
SOURCES = [path.read_text(encoding="utf-8") for path in sorted((GOLDEN / "cases").rglob("*.bend"))]
KEYWORDS = "def type law match case do return for exs where is import Type Data Kind Quant Nat Base f x _"
SIGNS = "( ) { } [ ] < > = == => -> <- : , ; @ % & | + - * ~ ! ? \\{ {==} &1 &2 0n 1n+ 7 'c' \"s\" # \n \t"
WORDS = KEYWORDS.split(" ") + SIGNS.split(" ")


def check(data: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.bend"
        path.write_bytes(data)
        return render(check_file(path))


def settled(shown: str) -> bool:
    return shown.startswith(("ALL PROOFS CHECK", "SOME PROOFS FAIL\nError:"))


@given(st.binary(max_size=200))
@example(bytes(range(256)))
@example(b"import Base\r\ndef f() -> Nat:\r\n  1n\r\n")
@example(b"\xef\xbb\xbfimport Base\n")
@example(b"\x00")
@example(b"def f() -> Char:\n  '")
@example(b'def f() -> String:\n  "\\u{d800}"')
def test_any_bytes(data: bytes) -> None:
    assert settled(check(data))


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_any_words(words: list[str]) -> None:
    assert settled(check(("import Base\n" + " ".join(words)).encode()))


@given(st.sampled_from(SOURCES), st.data())
def test_a_broken_program(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    put = data.draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=3).filter(lambda t: "\ud800" not in t)))
    assert settled(check((text[:start] + put + text[end:]).encode("utf-8", "replace")))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_tokens_cover_the_text(text: str) -> None:
    found = list(tokens(text))
    assert found[-1].kind in (BAD, END)
    ends = 0
    for token in found:
        gap = text[ends : token.start]
        assert all(line.strip(" \t") == "" or "#" in line for line in gap.split("\n"))
        ends = token.end
    if found[-1].kind == END:
        assert ends == len(text)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("", "main.bend: an empty file, with nothing to check"),
        (" \n\t\n", "main.bend:1"),
        ("# only a comment\n", "ALL PROOFS CHECK"),
        ("import Base\n\tdef f() -> Nat:\n\t\t1n\n", "ALL PROOFS CHECK"),
        ("import Base\r\n", "a carriage return"),
        ("\ufeffimport Base\n", "a byte order mark"),
        ("# note\u2028law l:\u2028  {f() == 1n : Nat}\ndef f() -> Type:\n  Type\n", "the control character U+2028"),
        ("# \u202e:l wal\n", "the control character U+202E"),
        ("# note\x0blaw l:\n", "the control character U+000B"),
        ("import ./nothere.bend as N\n", "no such file"),
        ("# one\nimport ./nothere.bend as N\n", "main.bend:2\n  import ./nothere.bend as N"),
        ("import ./main.bend as N\n", "an import cycle"),
        ("import Base\ndef f() -> Nat:\n  " + "9" * 1_000_000 + "n\n", "a nat literal up to 4294967295n (got 999"),
        ("import Base\ndef f() -> U32:\n  " + "9" * 1_000_000 + "\n", "a u32 literal up to 4294967295 (got 999"),
        ("(" * 10_000_000, "expected : 'def', 'type' or 'law'"),
        ("def f() -> Type:\n  " + "(" * 10_000_000, "nesting deeper than"),
        ("def f() -> Type:\n  " + "[" * 10_000_000, "nesting deeper than"),
        ("def f() -> Type:\n  " + "{" * 1_000_000, "nesting deeper than"),
        ("def f() -> Type:\n  " + "x => " * 100_000 + "x", "nesting deeper than"),
        (f"def f({'x: Type, ' * 100_000}) -> Type:\n  x", "more than 4096 parameters, fields or clauses"),
        ("law f:\n" + "  for x: Type\n" * 100_000 + "  Type\n", "more than 4096 parameters, fields or clauses"),
        (f"type T is Type:\n  C{{{'x: Type, ' * 100_000}}}\n", "more than 4096 parameters, fields or clauses"),
    ],
)
def test_bad_input(text: str, fragment: str) -> None:
    shown = check(text.encode())
    assert settled(shown)
    assert fragment in shown
    assert len(shown) < 2_000


def make_fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def make_socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(path))  # the name of a socket has to be short
    return path


def make_loop(path: Path) -> Path:
    path.symlink_to(path.name)
    return path


def make_dangling(path: Path) -> Path:
    path.symlink_to("nowhere")
    return path


def make_folder(path: Path) -> Path:
    path.mkdir()
    return path


def make_below_a_file(path: Path) -> Path:
    path.write_text("# a file\n")
    return path / "main.bend"


NO_FILES: list[tuple[Callable[[Path], Path | str], str]] = [
    (lambda path: path, "m.bend: no such file"),
    (lambda _: "", "'': no such file"),
    (lambda path: path.with_name("x" * 5000), ": cannot be read: File name too long"),
    (lambda path: path.with_name("a\nb\x1b.bend"), "a\\nb\\x1b.bend: no such file"),
    (lambda path: os.fsdecode(bytes(path.parent) + b"/\xff.bend"), "\\xff.bend: no such file"),
    (lambda path: f"{path}\0", "\\x00: a path cannot hold a null character"),
    (lambda _: "/dev/null", "/dev/null: a device, not a file"),
    (lambda _: "/dev/zero", "/dev/zero: a device, not a file"),
    (make_folder, "m.bend: a folder, not a file"),
    (make_fifo, "m.bend: a pipe, not a file"),
    (make_socket, "m.bend: a socket, not a file"),
    (make_loop, "m.bend: a loop of links"),
    (make_dangling, "m.bend: a link to a file that is not there"),
    (make_below_a_file, "m.bend/main.bend: cannot be read: Not a directory"),
]


@pytest.mark.parametrize(("make", "says"), NO_FILES, ids=[says for _, says in NO_FILES])
@pytest.mark.parametrize("imported", [False, True])
def test_what_is_no_file_is_said_in_one_line(
    make: Callable[[Path], Path | str], says: str, imported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path / "m.bend")
    if imported and path == tmp_path / "m.bend":
        path = tmp_path / "main.bend"
        path.write_text("import ./m.bend as M\n")
    shown = render(check_file(path)).split("\n")
    assert shown[:1] == ["SOME PROOFS FAIL"]
    assert shown[1].endswith(says)
    assert shown[2:] == ([f"Location: {path}:1", "  import ./m.bend as M"] if path == tmp_path / "main.bend" else [])


def test_an_error_has_no_empty_line(tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_text("")
    assert render(check_file(path)).endswith(f"Location: {path}:1")


def test_an_error_shows_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2Jb.bend"
    path.write_text("def f() -> Type:\n  \x1b[2J\x07\x9b\n")
    shown = render(check_file(path))
    assert settled(shown)
    assert shown.replace("\n", "").isprintable()


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optchat_bridge.bend.sources.FILE_LIMIT", 10)
    path = tmp_path / "main.bend"
    path.write_text("import Base\n")
    assert "a file of more than 10 bytes" in render(check_file(path))


DEEP = [
    (
        "a list of 30,000",
        "def f() -> List<Nat>:\n  [" + ", ".join(f"{n}n" for n in range(30_000)) + "]\n"
        "def main() -> Nat:\n  List.length(&1, Nat, f())\n",
        "main = 30000n",
    ),
    (
        "a value 40,000 deep",
        "def f(n: Nat) -> List<Nat>:\n  match n:\n    case 0n: []\n    case 1n++p: p <> f(p)\n"
        "def g() -> {f(40000n) == f(Nat.add(1n, 39999n)) : List<Nat>}:\n  {==}\n"
        "def main() -> Nat:\n  Nat.add(20001n, 19999n)\n",
        "main = 40000n",
    ),
    ("nested calls", "def main() -> Nat:\n  " + "Nat.add(1n, " * 6_000 + "0n" + ")" * 6_000 + "\n", "main = 6000n"),
    ("nested constructors", "def main() -> Nat:\n  " + "Succ{" * 5_000 + "0n" + "}" * 5_000 + "\n", "main = 5000n"),
    (
        "lets",
        "def f(x: Nat) -> Nat:\n" + "  x = Nat.add(1n, x)\n" * 2_000 + "  x\ndef main() -> Nat:\n  f(0n)\n",
        "main = 2000n",
    ),
]


@pytest.mark.parametrize(("text", "value"), [each[1:] for each in DEEP], ids=[each[0] for each in DEEP])
def test_depth_is_no_crash(text: str, value: str) -> None:
    assert value in check(("import Base\n" + text).encode())


ENDLESS = "import Base\n@unsafe\ndef spin(n: Nat) -> Nat:\n  {}\ndef main() -> Nat:\n  spin(0n)\n"


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optchat_bridge.bend.evaluate.STEP_LIMIT", 1_000_000)
    assert "stopped: more than 1000000 steps" in check(ENDLESS.format("spin(1n+n)").encode())


def test_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optchat_bridge.bend.evaluate.STEP_LIMIT", 1 << 62)
    monkeypatch.setenv(limits.TIME_VARIABLE, "1")
    assert "more than 1 s of processor time (OPTCHAT_BEND_SECONDS sets another limit)" in check(
        ENDLESS.format("spin(1n+n)").encode()
    )


def test_time_is_bounded_where_no_steps_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.TIME_VARIABLE, "1")
    # Each of the 32 bits of a word has a branch of its own for the columns behind it: a tree of 32**4 of them.
    rows = "".join(f"    case {'_, ' * n}77{', _' * (3 - n)}: 0n\n" for n in range(4))
    match = f"  match a b c d:\n{rows}    case _, _, _, _: 1n\n"
    assert "stopped: more than 1 s of processor time" in check(
        f"import Base\ndef f(a: U32, b: U32, c: U32, d: U32) -> Nat:\n{match}".encode()
    )


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.MEMORY_VARIABLE, str(limits.memory_used() + 50))
    assert "MB of memory (OPTCHAT_BEND_MB sets another limit)" in check(ENDLESS.format("1n+spin(n)").encode())


def test_memory_is_bounded_where_no_steps_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.MEMORY_VARIABLE, str(limits.memory_used() + 150))
    # Each of so many values is checked in a context of all before it.
    lets = "".join(f"  x{n}: Nat = 1n\n" for n in range(8_000))
    assert "MB of memory (OPTCHAT_BEND_MB sets another limit)" in check(
        f"import Base\ndef f() -> Nat:\n{lets}  x0\n".encode()
    )


def test_the_memory_of_what_started_a_check_is_not_its_own(tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_text("import Base\n")
    check_it = [sys.executable, "-m", "optchat_bridge.bend", "check", str(path)]
    large = f"import subprocess, sys; held = b'x' * 400_000_000; sys.exit(subprocess.call({check_it!r}))"
    around = {**os.environ, limits.MEMORY_VARIABLE: "200"}
    done = subprocess.run([sys.executable, "-c", large], env=around, capture_output=True, text=True, check=False)
    assert done.stdout == "ALL PROOFS CHECK\n"


def test_what_is_interrupted_ends(tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_text(ENDLESS.format("spin(1n+n)"))
    line = [sys.executable, "-m", "optchat_bridge.bend", "check", str(path)]
    with subprocess.Popen(line, stderr=subprocess.DEVNULL) as process:
        # Well before its hundred million steps are done, on any machine; a later start only makes the test weaker.
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) not in (0, 1)


@pytest.mark.parametrize(("variable", "unit"), [("OPTCHAT_BEND_MB", "megabytes"), ("OPTCHAT_BEND_SECONDS", "seconds")])
@pytest.mark.parametrize("value", ["lots", "0", "-1", "1.5", "9" * 5000])
def test_a_wrong_limit_is_named(variable: str, unit: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    assert f"{variable} must be a positive number of {unit}, got '{value[:40]}'" in check(b"import Base\n")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "optchat_bridge.bend", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_the_command(tmp_path: Path) -> None:
    good = GOLDEN / "cases" / "accept" / "ev_pair.bend"
    bad = GOLDEN / "cases" / "reject" / "eq_false.bend"
    done = command("check", str(good))
    assert (done.returncode, done.stdout, done.stderr) == (0, "ALL PROOFS CHECK\nmain = (3n, True{})\n", "")
    done = command("check", str(bad))
    assert done.returncode == 1
    assert done.stdout.startswith("SOME PROOFS FAIL\nError:\n- expected : 4n\n- observed : 5n\n")
    assert "eq_false.bend:6" in done.stdout
    done = command("check", str(tmp_path / "none.bend"))
    assert done.returncode == 1
    assert "no such file" in done.stdout + done.stderr
