"""Effects and text: the compiled program, the evaluator, and Python agree on files, bytes, arguments and endings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optchat_bridge.bend.compile_build import NoCompiler, build_binary, compiler
from optchat_bridge.bend.effects import Exit, Runner
from optchat_bridge.bend.execute import run_file
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.session import Session
from optchat_bridge.bend.values import VCall
from stateful_tests.bend.compiled import QUICK, build, run

ECHO = Path(__file__).parent / "programs" / "echo.bend"
pieces = st.sampled_from(
    [
        b"a",
        b"Z",
        b"\n",
        b"\0",
        b'"',
        "é".encode(),
        "日本".encode(),
        "🙂".encode(),
        b"\xff",
        b"\xc3",
        b"\xf0\x9f",
        b"\xed\xa0\x80",
    ]
)
contents = st.lists(pieces, max_size=30).map(b"".join)


@pytest.fixture(scope="module")
def echo() -> Path:
    return build_binary(ECHO, flags=QUICK)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("echo")


@pytest.fixture(scope="module")
def evaluated() -> Session:
    session = Session()
    deep(lambda: load(session, ECHO))
    return session


def load(session: Session, path: Path) -> None:
    session.load(str(path))
    session.check()


def evaluate(session: Session, arguments: list[str]) -> int:
    """Runs main in the evaluator; its status."""
    try:
        deep(lambda: Runner(session.machine, arguments).run(VCall(session.machine.definition("main"), ())))
    except Exit as exit_:
        return exit_.status
    return 0


def shouted(text: str) -> str:
    return "".join(c.upper() if "a" <= c <= "z" else c for c in text)


@given(data=contents)
def test_a_file_comes_through_in_pieces(echo: Path, folder: Path, data: bytes) -> None:
    path = folder / "data"
    path.write_bytes(data)
    text = data.decode("utf-8", "replace")
    for mode, says in (("text", text), ("shout", shouted(text)), ("back", text[::-1])):
        assert run(echo, mode, str(path)) == (says, "", 0)
    assert run(echo, "bytes", str(path)) == (f"[{', '.join(map(str, data))}]\n", "", 0)
    assert run(echo, "size", str(path)) == (f"{len(data)}\n", "", 0)
    assert run(echo, "copy", str(path), str(folder / "copy")) == ("", "copied\n", 0)
    assert (folder / "copy").read_bytes() == text.encode()


@given(data=contents, mode=st.sampled_from(["text", "shout", "back", "bytes", "size", "copy", "other"]))
@settings(max_examples=20)
def test_the_evaluator_does_the_same(echo: Path, folder: Path, evaluated: Session, data: bytes, mode: str) -> None:
    path = folder / "data"
    path.write_bytes(data)
    arguments = [mode, str(path), str(folder / "copy")]
    compiled = run(echo, *arguments)
    copied = (folder / "copy").read_bytes() if mode == "copy" else b""
    # The capturing fixtures are made once a test, not once an example.
    with pytest.MonkeyPatch.context() as patch:
        out, err = Collected(), Collected()
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        assert evaluate(evaluated, arguments) == compiled.status
    assert (out.text, err.text) == (compiled.out, compiled.err)
    assert copied == (b"" if mode != "copy" else (folder / "copy").read_bytes())


class Collected:
    """A stream that keeps what is written."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_errors_and_endings_are_the_same_both_ways(
    echo: Path, evaluated: Session, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").write_bytes(b"x")
    for arguments, environment in [
        (["text", str(tmp_path / "not there")], {}),
        (["die", str(tmp_path / "there")], {}),
        ([], {}),
        ([], {"ECHO_HELP": "no help, ünhelpful"}),
        (["copy", str(tmp_path / "there"), str(tmp_path / "no" / "folder")], {}),
        (["text", str(tmp_path)], {}),
    ]:
        compiled = run(echo, *arguments, environment=environment)
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            status = evaluate(evaluated, arguments)
        shown = capfd.readouterr()
        assert (shown.out, shown.err, status) == compiled, arguments
    assert compiled.status != 0
    assert compiled.err == "Is a directory\n"


def test_without_a_compiler_the_evaluator_runs_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "hello").write_text("hello")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompiler, match="install one"):
        compiler()
    assert run_file(ECHO, ["shout", str(tmp_path / "hello")]) == 0
    assert capfd.readouterr().out == "HELLO"
    assert run_file(ECHO, ["die", str(tmp_path / "hello")]) == 7
    assert capfd.readouterr() == ("before", "as asked\n")


LITERALS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts=st.lists(LITERALS, min_size=1, max_size=6))
@settings(max_examples=8)
def test_text_is_shown_as_the_evaluator_shows_it(folder: Path, texts: list[str]) -> None:
    parts = ", ".join(f'"{escaped(text)}"' for text in texts)
    chars = ", ".join(f"'{escaped(c)}'" for c in "".join(texts)[:10])
    source = (
        f"import Base\n\ndef main() -> +List<String> & +List<String> & +List<Char>:\n  xs : +List<String> = [{parts}]\n"
    )
    source += f'  ([{parts}], List.append(&2, String, [String.reverse("{escaped(texts[0])}")], xs), [{chars}])\n'
    binary = build(source, folder)
    session = Session()
    deep(lambda: load(session, folder / "program.bend"))
    assert run(binary).out == f"{deep(session.value_of_main)}\n"


def escaped(text: str) -> str:
    """As source text of a literal."""
    return "".join(f"\\u{{{ord(c):x}}}" if c in "\"'\\" or not c.isprintable() else c for c in text)
