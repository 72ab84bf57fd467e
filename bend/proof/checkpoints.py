"""Writes push_run.bend: the run of push_agrees in chunks of 1,000 steps, each from a state that is written out.

`python bend/proof/checkpoints.py` from the top of the repository. The states are printed by our own checker; the proof
does not trust this script: each chunk is checked by computation, and a lemma joins the chunks.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from optchat_bridge.bend.report import run_file

HERE = Path(__file__).resolve().parent
CHUNK, CHUNKS, STEPS = 1_000, 20, 20_001
ASK = """import Base
import {bend}/bits.bend as Bits
import {bend}/nodes.bend as Nodes
import {bend}/views.bend as Views
import {bend}/push.bend as Push
import {bend}/dues.bend as Dues
def from() -> Push.Race:
  {state}
def main() -> Push.Race:
  Push.run({steps}n, Dues.Last{{}}, from())
"""
HEAD = """# push_agrees: 20,001 steps, in 20 chunks of 1,000 and one last step.
# Written by checkpoints.py; checked like any proof. Each chunk runs once, from a state that is written out; each
# join names the steps that are left as a literal.
import Base
import ../bits.bend as Bits
import ../nodes.bend as Nodes
import ../dues.bend as Dues
import ../views.bend as Views
import ../push.bend as Push
import ./push_join.bend as J
"""


def after(state: str, steps: int) -> str:
    """The state after some steps, as a term with this project's aliases."""
    with tempfile.TemporaryDirectory(dir=HERE.parent) as folder:
        path = Path(folder) / "ask.bend"
        path.write_text(ASK.format(bend="..", state=state, steps=steps))
        report = run_file(path)
    assert report.main is not None, report.error
    names = {"bits": "Bits", "nodes": "Nodes", "views": "Views", "push": "Push"}
    return re.sub(r"[\w./]*\b(bits|nodes|views|push)\.(?=\w+\{)", lambda m: names[m[1]] + ".", report.main)


def wrapped(term: str) -> str:
    """A term over several lines of at most 118 characters, broken behind commas."""
    lines = [""]
    for part in re.split(r"(?<=, )", term):
        if len(lines[-1]) + len(part) > 114:
            lines.append("")
        lines[-1] += part
    return "\n".join("  " + line.rstrip() for line in lines if line.strip())


def chunk(at: int, steps: int) -> str:
    return (
        f"\ndef chunk_{at}() -> {{J.trail({steps}n, Dues.Last{{}}, at_{at}()) == Some{{at_{at + 1}()}}"
        f" : Maybe<&2, Push.Race>}}:\n  {{==}}\n"
    )


def rest(at: int, first: int, left: int) -> str:
    """What is left from checkpoint `at` on: one chunk, then what is left from the next one on."""
    return f"""
def sum_{at}() -> {{Nat.add({first}n, {left}n) == {first + left}n : Nat}}:
  {{==}}

def rest_{at}()
  -> {{J.trail({first + left}n, Dues.Last{{}}, at_{at}()) == Some{{at_{CHUNKS + 1}()}} : Maybe<&2, Push.Race>}}:
  %sum_{at}() : {{J.trail(_, Dues.Last{{}}, at_{at}()) == Some{{at_{CHUNKS + 1}()}} : Maybe<&2, Push.Race>}}
  J.join({first}n, {left}n, Dues.Last{{}}, at_{at}(), at_{at + 1}(), at_{CHUNKS + 1}(), chunk_{at}(), rest_{at + 1}())
"""


def main() -> None:
    states = ["Push.Race{Bits.E{}, Views.View{[], Bits.E{}}, []}"]
    for at in range(CHUNKS + 1):
        states.append(after(states[-1], CHUNK if at < CHUNKS else STEPS - CHUNK * CHUNKS))
    parts = [HEAD]
    parts += [
        f"\n# after {min(at * CHUNK, STEPS)} steps\ndef at_{at}() -> Push.Race:\n{wrapped(state)}\n"
        for at, state in enumerate(states[:-1])
    ]
    parts.append(f"\n# after {STEPS} steps\ndef at_{CHUNKS + 1}() -> Push.Race:\n{wrapped(states[-1])}\n")
    parts += [chunk(at, CHUNK) for at in range(CHUNKS)]
    last = STEPS - CHUNK * CHUNKS
    parts.append(chunk(CHUNKS, last))
    parts.append(
        f"\ndef rest_{CHUNKS}() -> {{J.trail({last}n, Dues.Last{{}}, at_{CHUNKS}()) == Some{{at_{CHUNKS + 1}()}}"
        f" : Maybe<&2, Push.Race>}}:\n  chunk_{CHUNKS}()\n"
    )
    parts += [rest(at, CHUNK, STEPS - CHUNK * (at + 1)) for at in reversed(range(CHUNKS))]
    (HERE / "push_run.bend").write_text("".join(parts))


if __name__ == "__main__":
    main()
