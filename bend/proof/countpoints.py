"""Writes push_count.bend: the count of first_agrees_at_481 in chunks of 1,000 steps, each from a written-out state.

`python bend/proof/countpoints.py` from the top of the repository. The states are printed by our own checker; the proof
does not trust this script: each chunk is checked by computation, and a lemma adds the chunks up.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from checkpoints import CHUNK, CHUNKS, HERE, STEPS, wrapped

from optchat_bridge.bend.report import run_file

ORDER = "Dues.First{}"
START = "T.Tally{Push.Race{Bits.E{}, Views.View{[], Bits.E{}}, []}, Bits.E{}}"
MODULES = {"bits": "Bits", "nodes": "Nodes", "views": "Views", "push": "Push", "push_tally": "T"}
IMPORTS = """import Base
import {bend}/bits.bend as Bits
import {bend}/nodes.bend as Nodes
import {bend}/dues.bend as Dues
import {bend}/views.bend as Views
import {bend}/push.bend as Push
import {proof}/push_tally.bend as T
"""
ASK = """
def start() -> T.Tally:
  {start}
def main() -> T.Tally:
  T.tally({steps}n, {order}, T.race(start()), T.count(start()))
"""
HEAD = """# first_agrees_at_481: 20,001 steps, in 20 chunks of 1,000 and one last step. Written by countpoints.py.
# Checked like any proof: each chunk runs once, from a state that is written out, and each sum names the steps that are
# left as a literal. What is equal stands in equal words, so that nothing runs again.
"""


def after(start: str, steps: int) -> str:
    """The tally after some steps, as a term with this project's aliases."""
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        path = Path(folder) / "ask.bend"
        path.write_text(IMPORTS.format(bend="../..", proof="..") + ASK.format(start=start, steps=steps, order=ORDER))
        report = run_file(path)
    assert report.main is not None, report.error
    return re.sub(r"[\w./]*\b(bits|nodes|views|push|push_tally)\.(?=\w+\{)", lambda m: MODULES[m[1]] + ".", report.main)


def count(tally: str) -> str:
    """The count of a tally: its last field."""
    return tally[tally.rindex("]}, ") + len("]}, ") : -1]


def point(at: int, tally: str) -> str:
    fields = tally.removeprefix("T.Tally{")
    return f"\n# after {at * CHUNK} steps\ndef at_{at}() -> T.Tally:\n  T.Tally{{\n{wrapped(fields)}\n"


def state(at: int) -> str:
    """The race and the count of a checkpoint; of the first one in the law's own words."""
    return f"T.race(at_{at}()), T.count(at_{at}())" if at else "Push.start(), Bits.zero()"


def chunk(at: int) -> str:
    return f"\ndef chunk_{at}() -> {{T.tally({CHUNK}n, {ORDER}, {state(at)}) == at_{at + 1}() : T.Tally}}:\n  {{==}}\n"


def claim(at: int, steps: str, total: str, indent: str) -> str:
    """What is left to count from a checkpoint on."""
    return f"{{Push.count({steps}, {ORDER}, {state(at)})\n{indent}== {total} : Bits.Bin}}"


def rest(at: int, total: str) -> str:
    """Its proof: one chunk, then what is left from the next checkpoint on."""
    left = STEPS - CHUNK * at
    head = f"\ndef rest_{at}()\n  -> {claim(at, f'{left}n', total, '    ')}:\n"
    if at == CHUNKS:
        return head + "  {==}\n"
    behind = left - CHUNK
    return f"""
def sum_{at}() -> {{Nat.add({CHUNK}n, {behind}n) == {left}n : Nat}}:
  {{==}}
{head}  %sum_{at}()
    : {claim(at, "_", total, "      ")}
  T.count_chunk({CHUNK}n, {behind}n, {ORDER}, {state(at)}, {state(at + 1)},
    {total}, chunk_{at}(), rest_{at + 1}())
"""


def main() -> None:
    points = [START]
    for _ in range(CHUNKS):
        points.append(after(points[-1], CHUNK))
    total = count(after(points[-1], STEPS - CHUNK * CHUNKS))
    parts = [HEAD, IMPORTS.format(bend="..", proof=".")]
    parts += [point(at, tally) for at, tally in enumerate(points) if at]
    parts += [chunk(at) for at in range(CHUNKS)]
    parts += [rest(at, total) for at in reversed(range(CHUNKS + 1))]
    (HERE / "push_count.bend").write_text("".join(parts))


if __name__ == "__main__":
    main()
