"""`optchat bend`, as a shell sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUM = "import Base\ndef main() -> Nat:\n  Nat.add(2n, 40n)\n"
HELLO = 'import Base\ndef main() -> IO(Unit):\n  IO.print("hello")\n'


def bend(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "optchat_bridge.bend", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
