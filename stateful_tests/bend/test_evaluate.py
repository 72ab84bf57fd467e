"""Evaluation: compiled steps against the walk over case trees, sharing, and what stays stuck."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from optchat_bridge.bend import evaluate
from optchat_bridge.bend import values as v
from optchat_bridge.bend.codegen import LOOP
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.report import check_file, render
from optchat_bridge.bend.session import Session
from optchat_bridge.bend.sugar import float_text
from stateful_tests.bend.random_programs import programs

PERF = Path(__file__).parent / "golden" / "perf"
NEVER = 1 << 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evaluate")


def results(path: Path, compile_after: int) -> list[str]:
    """Main's value, and every helper on variables and on each mixture of one closed argument with variables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "COMPILE_AFTER", compile_after)

        def work() -> list[str]:
            session = Session()
            session.load(str(path))
            session.check()
            out = [session.value_of_main() or ""]
            machine, shower = session.machine, session.checker.shower
            for entry in session.library.names.values():
                if entry.module.base or not entry.name.startswith("h"):
                    continue
                fun = machine.definition(entry.name)
                opened = tuple([machine.fresh(f"x{index}") for index in range(fun.arity)])
                for closed in (None, *range(3)):
                    first = opened[:1] if closed is None else (closed_value(session, entry.name, closed),)
                    # twice: a def is compiled when it was called often enough
                    out.extend([shower.show(v.VCall(fun, first + opened[1:])) for _ in range(2)])
            return out

        return deep(work)


def closed_value(session: Session, name: str, size: int) -> v.Node:
    """A value of the first parameter's type, or one more constructor around a variable."""
    type_ = session.program.signature(name).params[0].type
    kind = session.machine.whnf(session.machine.inst(type_, ()))
    if not isinstance(kind, v.VData) or kind.name == "Nat":
        return v.plus(size, session.machine.fresh("m")) if size else 2
    if kind.name == "List":
        tail: v.Node = session.machine.fresh("t") if size == 2 else v.VCtr("Nil", ())
        return v.VCtr("Con", (1, tail)) if size else tail
    inner: v.Node = v.VCtr("Bar", (session.machine.fresh("k"),))
    return v.VCtr("Two", (inner, v.VCtr("Dot", ()), session.machine.fresh("b"))) if size == 2 else inner


@given(text=programs())
@settings(max_examples=settings().max_examples // 2)
def test_compiled_steps_agree_with_the_walk(folder: Path, text: str) -> None:
    path = folder / "program.bend"
    path.write_text(text, encoding="utf-8")
    walked = results(path, NEVER)
    assert len(walked) > 1
    assert results(path, 1) == walked


@pytest.mark.parametrize("name", ["counter_5000", "event_fold_2000", "nat_add_40000", "nat_double_20000"])
def test_both_evaluators_on_the_speed_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_file(PERF / f"{name}.bend").ok
    monkeypatch.setattr(evaluate, "COMPILE_AFTER", NEVER)
    assert check_file(PERF / f"{name}.bend").ok


def test_a_false_end_of_a_long_run_is_seen() -> None:
    report = check_file(PERF / "counter_wrong_20000.bend")
    assert not report.ok
    assert "- observed : I{O{O{O{O{I{" in render(report)


def check(folder: Path, text: str) -> str:
    path = folder / "main.bend"
    path.write_text("import Base\n" + text, encoding="utf-8")
    return render(check_file(path))


def test_a_compiled_loop_that_gets_stuck_is_the_call_of_its_last_turn(folder: Path) -> None:
    count = LOOP + 500
    shown = check(
        folder,
        "def run(n: Nat, acc: Nat) -> Nat:\n  match n:\n    case 0n: acc\n    case 1n+p: run(p, 1n+acc)\n"
        f"def warm() -> {{run({count}n, 0n) == {count}n : Nat}}:\n  {{==}}\n"
        f"def main() -> Nat -> Nat:\n  x => run(Nat.add({count}n, x), 0n)\n",
    )
    assert f"main = x => run(x, {count}n)" in shown


def test_an_argument_is_evaluated_at_most_once(folder: Path) -> None:
    """Without sharing this takes 2 ** 60 steps."""
    shown = check(
        folder,
        "type Tree is Data:\n  Leaf{}\n  Node{l: Tree, r: Tree}\n"
        "def full(n: Nat) -> Tree:\n  match n:\n    case 0n: Leaf{}\n"
        "    case 1n+p:\n      +t = full(p)\n      Node{t, t}\n"
        "def depth(t: Tree) -> Nat:\n  match t:\n    case Leaf{}: 0n\n    case Node{l, r}: 1n+depth(l)\n"
        "def same() -> {full(60n) == full(Nat.add(30n, 30n)) : Tree}:\n  {==}\n"
        "def main() -> Nat:\n  depth(full(60n))\n",
    )
    assert "main = 60n" in shown


def test_unused_arguments_are_not_evaluated(folder: Path) -> None:
    shown = check(folder, "def k(a: Nat, b: Nat) -> Nat:\n  a\ndef main() -> Nat:\n  k(1n, Nat.pow(10n, 30n))\n")
    assert "main = 1n" in shown


def test_equal_text_is_not_evaluated(folder: Path) -> None:
    call = "Nat.pow(7n, Nat.pow(7n, 40n))"
    assert check(folder, f"def f() -> {{{call} == {call} : Nat}}:\n  {{==}}\n") == "ALL PROOFS CHECK"


@pytest.mark.parametrize("number", [0, 1, 2**31, 2**32 - 1, 65, 0x10FFFF])
def test_literals_are_what_they_stand_for(number: int, folder: Path) -> None:
    bits = [f"WCon{{{'True' if number >> place & 1 else 'False'}{{}}, " for place in range(32)]
    word = f"U32{{{''.join(bits)}WNil{{}}{'}' * 32}}}"
    text = f"def f() -> {{{number} == {word} : U32}}:\n  {{==}}\ndef main() -> U32:\n  {word}\n"
    assert check(folder, text) == f"ALL PROOFS CHECK\nmain = {number}"
    wrong = (number + 1) % 2**32
    assert "SOME PROOFS FAIL" in check(folder, f"def f() -> {{{wrong} == {word} : U32}}:\n  {{==}}\n")


@st.composite
def near_floats(draw: st.DrawFn) -> tuple[str, str]:
    """Two decimals of at most six digits, the same or neighbours, with zeros around them."""
    digits = draw(st.integers(0, 999_998))
    point = draw(st.integers(1, 12))
    shown = []
    for number in (digits, digits + draw(st.integers(0, 1))):
        text = f"{number:012d}{'0' * draw(st.integers(0, 3))}"
        shown.append("0" * draw(st.integers(0, 3)) + text[:point] + "." + (text[point:] or "0"))
    return shown[0], shown[1]


@given(near_floats())
@example(("0.0", "00.00"))
@example(("0." + "0" * 30 + "123456", "0." + "0" * 30 + "123457"))
@example(("123456" + "0" * 30 + ".0", "123457" + "0" * 30 + ".0"))
def test_floats_are_equal_when_their_texts_are(pair: tuple[str, str]) -> None:
    one, other = float_text(pair[0]), float_text(pair[1])
    assert one is not None
    assert other is not None
    assert (one == other) == (struct.pack("f", float(pair[0])) == struct.pack("f", float(pair[1])))
    assert float_text(one) == one


@pytest.mark.parametrize("text", ["16777217.0", "0.1000001", "0." + "0" * 36 + "1", "1" + "0" * 36 + ".0"])
def test_floats_whose_texts_do_not_tell_are_refused(text: str) -> None:
    assert float_text(text) is None
