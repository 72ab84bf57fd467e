"""`optchat bend`, as a shell sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SUM = "import Base\ndef main() -> Nat:\n  Nat.add(2n, 40n)\n"
HELLO = 'import Base\ndef main() -> IO(Unit):\n  IO.print("hello")\n'


ENDLESS = """import Base
@unsafe
def again(n: Nat) -> IO(Unit):
  do IO<Unit>:
    IO.pure(Unit, Unit{})
    again(n)
def main() -> IO(Unit):
  again(0n)
"""


def bend(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "optchat_bridge.bend", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.parametrize("compiler", ["", "none"])
def test_a_program_that_would_run_for_ever_is_stopped(compiler: str, tmp_path: Path) -> None:
    file = tmp_path / "a.bend"
    file.write_text(ENDLESS)
    done = bend("run", file, CC=compiler, OPTCHAT_BEND_SECONDS="1")
    says = "error: stopped: more than 1 s of processor time (OPTCHAT_BEND_SECONDS sets another limit)\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", says)


@pytest.mark.parametrize("compiler", ["", "none"])
def test_a_program_that_is_interrupted_ends_without_a_traceback(compiler: str, tmp_path: Path) -> None:
    file = tmp_path / "a.bend"
    file.write_text(ENDLESS)
    command = [sys.executable, "-m", "optchat_bridge.bend", "run", str(file)]
    environment = {**os.environ, "CC": compiler}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, start_new_session=True) as process:
        # It goes on for ever: a later start only makes the test weaker.
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode in (130, -signal.SIGINT)


@pytest.mark.parametrize(
    ("text", "check", "run"),
    [
        (SUM, "ALL PROOFS CHECK\nmain = 42n\n", "42n\n"),
        (HELLO, "ALL PROOFS CHECK\n", "hello\n"),
    ],
)
def test_a_main_is_shown_by_check_and_done_by_run(text: str, check: str, run: str, tmp_path: Path) -> None:
    file = tmp_path / "a.bend"
    file.write_text(text)
    assert (bend("check", file).stdout, bend("run", file).stdout) == (check, run)


@pytest.mark.parametrize("text", ["import Base\ndef a() -> Nat:\n  0n\n", "def main() -> Nat:\n  0n\n", None])
def test_what_cannot_run_is_said_without_a_traceback(text: str | None, tmp_path: Path) -> None:
    file = tmp_path / "a.bend"
    if text is not None:
        file.write_text(text)
    done = bend("run", file)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("SOME PROOFS FAIL\nError:")


@pytest.mark.parametrize("arguments", [(), ("check",), ("prove", "a.bend"), ("check", "a.bend", "b.bend")])
def test_wrong_words_get_the_usage(arguments: tuple[str, ...]) -> None:
    done = bend(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("usage: ")
