"""Soundness: mutants of good programs are rejected, or what they claim is true all the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optchat_bridge.bend.errors import BendError
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.session import Session
from stateful_tests.bend.truth import Claims, Counterexample

GOLDEN = Path(__file__).parent / "golden"
RULES = Path(__file__).parent / "rules"


def programs() -> list[str]:
    """Accepted programs of one file."""
    files = [*sorted((GOLDEN / "cookbook").glob("*.bend")), *sorted((GOLDEN / "cases" / "accept").glob("*.bend"))]
    slow = ("23_chunked", "24_bounded", "ev_deep")
    good = [path.read_text(encoding="utf-8") for path in files if not path.name.startswith(slow)]
    own = (RULES / "accept.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    return good + ["import Base\n" + part.partition("\n")[2] for part in own]


PROGRAMS = programs()
PROOFS = [text for text in PROGRAMS if "==" in text and "@unsafe" not in text and "?(" not in text]
TOKEN = re.compile(r"#[^\n]*|\"[^\"]*\"|[A-Za-z_][A-Za-z0-9_.]*|[0-9]+n?|\S")
STEPS = 300_000
"""Unfoldings for a mutant's check, and again for the trial of its claims."""
SWAPS = {"True": "False", "False": "True", "0n": "1n", "1n": "0n", "2n": "1n", "3n": "4n", "-": "", "+": "", "&1": "&2"}


def claims_of(path: Path) -> Claims | None:
    """Checks a file; its claims when it is accepted."""
    session = Session()
    try:
        session.load(str(path))
        session.machine.step_limit = STEPS
        session.check()
    except BendError:
        return None
    return Claims(session)


def verdict(path: Path) -> tuple[bool, Counterexample | None, int]:
    """Whether a file is accepted, a claim of it that fails, and how many instances were tried."""

    def work() -> tuple[bool, Counterexample | None, int]:
        claims = claims_of(path)
        if claims is None:
            return False, None, 0
        claims.machine.step_limit += STEPS
        try:
            found = claims.counterexample()
        except BendError as error:
            # a true claim about large numbers may take too long to try
            if not error.message.startswith("stopped"):
                raise
            found = None
        return True, found, claims.tried

    return deep(work)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A good program with one or two small changes."""
    text = draw(st.sampled_from(PROOFS))
    for _ in range(draw(st.integers(1, 2))):
        spans = [(m.start(), m.end()) for m in TOKEN.finditer(text) if m.group()[0] != "#"]
        start, end = draw(st.sampled_from(spans))
        word = text[start:end]
        names = sorted({text[a:b] for a, b in spans if text[a].isalpha() or text[a] == "_"})
        put = draw(
            st.one_of(
                st.just(SWAPS.get(word, "")),
                st.sampled_from(names),
                st.sampled_from([text[a:b] for a, b in spans]),
                st.sampled_from([f"-{word}", f"+{word}", "_", "{==}", f"1n+{word}"]),
            )
        )
        text = text[:start] + put + text[end:]
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutants")


@given(text=mutants())
@settings(max_examples=settings().max_examples * 4)
def test_no_mutant_proves_a_falsehood(folder: Path, text: str) -> None:
    path = folder / "main.bend"
    path.write_text(text, encoding="utf-8")
    _, found, _ = verdict(path)
    assert found is None, text


def test_the_trial_of_claims_has_teeth(folder: Path) -> None:
    path = folder / "true.bend"
    path.write_text(PROOFS[0], encoding="utf-8")
    accepted, found, tried = verdict(path)
    assert accepted
    assert found is None
    assert tried > 10
    path.write_text("import Base\ndef f(n: Nat) -> {Nat.add(n, 0n) == 0n : Nat}:\n  ?TODO\n", encoding="utf-8")

    def work() -> Counterexample | None:
        session = Session()
        session.load(str(path))
        with pytest.raises(BendError, match="1 TODO"):
            session.check()
        return Claims(session).counterexample()

    assert deep(work) == Counterexample("f", "1n", "{1n == 0n : Nat}")
