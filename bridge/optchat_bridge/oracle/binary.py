"""The oracle's binary, built from `bend/bridge.bend`: by an installed `bend`, else by our compiler through C."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from optchat_bridge.bend.compile_build import build_binary
from optchat_bridge.bend.errors import BendError
from optchat_bridge.bend.report import render_error

ROOT = Path(__file__).resolve().parents[3]
BRIDGE = ROOT / "bend" / "bridge.bend"


class OracleUnavailable(Exception):
    """There is no way to build the oracle here: one line that says why."""


def build_oracle(source: Path = BRIDGE) -> Path:
    """The path of the built binary. Raises OracleUnavailable."""
    if not source.is_file():
        raise OracleUnavailable(f"{source} is not there: run it in a checkout")
    bend = shutil.which("bend")
    if bend is not None:
        return build_with_bend(bend, source)
    return build_ourselves(source)


def build_with_bend(bend: str, source: Path) -> Path:
    binary = ROOT / "build" / "bend" / "bridge"
    binary.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([bend, source, "-o", binary], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise OracleUnavailable(f"bend {source} -o {binary} failed:\n{said}")
    return binary


def build_ourselves(source: Path) -> Path:
    """Check the model with our checker and compile it with the system's C compiler."""
    try:
        return build_binary(source)
    except BendError as error:
        raise OracleUnavailable(render_error(error, {})) from None
