"""The compiled program as a machine: depth, need, sharing, memory, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful_tests.bend.compiled import build, fast, run, run_within

MILLION = """import Base

def sum(xs: List<&2, Nat>) -> Nat:
  match xs:
    case []:
      0n
    case h <> t:
      Nat.add(h, sum(t))

def twice(xs: List<&2, Nat>) -> List<&2, Nat>:
  match xs:
    case []:
      []
    case +h <> t:
      h <> h <> twice(t)

def nested(n: Nat) -> Nat:
  match n:
    case 0n:
      7n
    case 1n+p:
      Bool.pick(Nat, Nat.is_eq(nested(p), 7n), 7n, 0n)

def main() -> Nat & Nat & Nat & +List<Nat>:
  +xs = List.range(1000000n)
  (sum(twice(xs)), List.length(&2, Nat, List.reverse(&2, Nat, List.append(&2, Nat, xs, xs))), nested(1000000n),
    List.take(&2, Nat, List.sort(~Nat, ~Nat.is_ge, List.take(&2, Nat, xs, 100000n)), 3n))
"""


def test_a_million_deep_is_no_crash(tmp_path: Path) -> None:
    ran = run_within(500, fast(MILLION, tmp_path))
    assert (ran.out, ran.err, ran.status) == ("(999999000000n, 2000000n, 7n, [99999n, 99998n, 99997n])\n", "", 0)


LONG_VALUE = """import Base

def text(n: Nat, acc: String) -> String:
  match n:
    case 0n:
      acc
    case 1n+p:
      text(p, SCon{'x', acc})

def main() -> +List<Nat> & String:
  (List.range(300000n), text(300000n, ""))
"""


def test_a_long_value_is_shown(tmp_path: Path) -> None:
    ran = run(fast(LONG_VALUE, tmp_path))
    numbers = ", ".join(f"{i}n" for i in range(300_000))
    assert ran.out == f'([{numbers}], "{"x" * 300_000}")\n'


LOOP = """import Base

@unsafe
def loop(n: Nat) -> Nat:
  loop(1n+n)

@unsafe
def spin() -> Nat:
  1n+spin()
"""
NEED = (
    LOOP
    + """
def first(a: Nat, b: Nat) -> Nat:
  a

def later(n: Nat, a: Nat, b: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n+p:
      later(p, a, b)

type Two is Data:
  Two{a: Nat, b: Nat}

def left(t: Two) -> Nat:
  match t:
    case Two{a, b}:
      a

def apply(f: Nat -> Nat) -> Nat:
  f(loop(0n))

def call(n: Nat, f: Nat -> Nat, x: Nat) -> Nat:
  match n:
    case 0n:
      f(x)
    case 1n+p:
      call(p, f, x)

def main() -> +List<Nat>:
  x = loop(1n)
  +z = loop(2n)
  [first(1n, loop(0n)), later(5n, 2n, loop(0n)), left(Two{3n, loop(0n)}), apply(y => 4n),
    List.length(&2, Nat, [loop(0n), x]), Maybe.default(&1, Nat, Some{6n}, spin()),
    Bool.pick(Nat, True{}, 7n, loop(0n)), Pair.fst(Nat, Nat, (8n, loop(0n))),
    call(3n, y => List.length(&2, Nat, [z, z]), loop(0n)),
    Nat.mul(0n, loop(0n)), Nat.min(0n, loop(0n)), Nat.pow(loop(0n), 0n), Nat.div(loop(0n), 0n)]
"""
)


def test_what_is_not_needed_is_not_evaluated(tmp_path: Path) -> None:
    ran = run(build(NEED, tmp_path))
    assert (ran.out, ran.status) == ("[1n, 2n, 3n, 4n, 2n, 6n, 7n, 8n, 2n, 0n, 0n, 1n, 0n]\n", 0)


SHARED = """import Base

type Tree is Data:
  Leaf{}
  Node{l: Tree, r: Tree}

def full(n: Nat) -> Tree:
  match n:
    case 0n:
      Leaf{}
    case 1n+p:
      +t = full(p)
      Node{t, t}

def spine(t: Tree, acc: Nat) -> Nat:
  match t:
    case Leaf{}:
      acc
    case Node{l, r}:
      spine(r, 1n+acc)

def doubled(n: Nat) -> Nat:
  match n:
    case 0n:
      1n
    case 1n+p:
      +half = doubled(p)
      Nat.add(half, half)

def next(p: Nat & Nat) -> Nat & Nat:
  (a, b) = p
  +x = a
  (Nat.add(x, b), x)

def pair(n: Nat) -> Nat & Nat:
  match n:
    case 0n:
      (1n, 1n)
    case 1n+p:
      next(pair(p))

def main() -> Nat & Nat & Nat & Nat:
  (spine(full(5000n), 0n), doubled(58n), pair(80n))
"""


def test_a_value_is_evaluated_once(tmp_path: Path) -> None:
    ran = run(fast(SHARED, tmp_path))
    assert ran.out == f"(5000n, {2**58}n, 61305790721611591n, 37889062373143906n)\n"


ROUNDS = """import Base

def round(n: Nat, s: Nat) -> Nat:
  match n:
    case 0n:
      s
    case 1n+p:
      round(p, List.length(&2, Nat, List.reverse(&2, Nat, List.replicate(Nat, 1000n, s))))

def count(n: Nat, a: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n+p:
      count(p, Nat.add(a, 2n))

def main() -> Nat & Nat:
  (round(20000n, 0n), count(50000000n, 0n))
"""


def test_memory_stays_near_what_is_alive(tmp_path: Path) -> None:
    ran = run_within(40, fast(ROUNDS, tmp_path))
    assert ran.out == "(1000n, 100000000n)\n"


STREAM = """import Base

def lines(n: Nat) -> String:
  match n:
    case 0n:
      ""
    case 1n++p:
      Nat.show(p) ++ "\\n" ++ lines(p)

def main() -> IO(Unit):
  IO.write(lines(1000000n))
"""


def test_a_text_is_written_while_it_is_made(tmp_path: Path) -> None:
    ran = run_within(40, fast(STREAM, tmp_path))
    assert ran.out == "".join(f"{n}\n" for n in reversed(range(1_000_000)))


def test_a_program_that_needs_more_memory_than_there_is_says_so(tmp_path: Path) -> None:
    ran = run_within(40, fast(MILLION, tmp_path))
    assert (ran.out, ran.err, ran.status) == ("", "error: out of memory\n", 1)


HUGE = "import Base\n\ndef main() -> Nat:\n  {}\n"


@pytest.mark.parametrize(
    ("term", "says"),
    [
        ("Nat.pow(2n, 59n)", "2^59"),
        ("Nat.mul(Nat.pow(2n, 30n), Nat.pow(2n, 29n))", "2^59"),
        ("Nat.add(Nat.pow(2n, 58n), Nat.pow(2n, 58n))", "2^59"),
        ("Nat.double(Nat.pow(2n, 58n))", "2^59"),
    ],
)
def test_a_number_that_does_not_fit_stops_the_program(term: str, says: str, tmp_path: Path) -> None:
    ran = run(build(HUGE.format(term), tmp_path))
    assert (ran.out, ran.status) == ("", 1)
    assert ran.err.startswith("error: ")
    assert says in ran.err


def test_the_largest_number_fits(tmp_path: Path) -> None:
    assert (
        run(build(HUGE.format("Nat.sub(Nat.mul(Nat.pow(2n, 29n), Nat.pow(2n, 29n)), 1n)"), tmp_path)).out
        == f"{2**58 - 1}n\n"
    )


def test_a_value_that_depends_on_itself_is_an_error(tmp_path: Path) -> None:
    ran = run(build(LOOP + "\ndef main() -> Nat:\n  spin()\n", tmp_path))
    assert (ran.out, ran.err, ran.status) == ("", "error: a value depends on itself\n", 1)


def test_memory_is_bounded(tmp_path: Path) -> None:
    binary = build("import Base\n\ndef main() -> +List<Nat>:\n  List.range(4000000n)\n", tmp_path)
    for limit, says in (("16", "OPTCHAT_BEND_MB"), ("none", "a number of megabytes")):
        ran = run(binary, environment={"OPTCHAT_BEND_MB": limit})
        assert (ran.out, ran.status) == ("", 1)
        assert says in ran.err


FUNCTIONS = """import Base

def ten(a: Nat, b: Nat, c: Nat, d: Nat, e: Nat, f: Nat, g: Nat, h: Nat, i: Nat, j: Nat) -> +List<Nat>:
  [a, b, c, d, e, f, g, h, i, j]

def give(f: Nat -> Nat -> Nat -> Nat -> +List<Nat>) -> +List<Nat>:
  f(7n, 8n, 9n, 10n)

def compose(f: Nat -> Nat, g: Nat -> Nat) -> Nat -> Nat:
  x => g(f(x))

def pick(b: Bool) -> Nat -> Nat -> Nat:
  match b:
    case True{}:
      x => y => x
    case False{}:
      Nat.add

def many(n: Nat) -> Nat -> Nat:
  match n:
    case 0n:
      x => x
    case 1n+p:
      compose(many(p), Nat.add(1n))

def main() -> +List<Nat> & +List<Nat>:
  (give(ten(1n, 2n, 3n, 4n, 5n, 6n)),
   [compose(x => Nat.mul(2n, x), Nat.add(1n), 5n), pick(True{}, 3n, 4n), pick(False{}, 3n, 4n), many(100000n, 5n)])
"""


def test_functions_take_their_arguments_in_any_portions(tmp_path: Path) -> None:
    ran = run(build(FUNCTIONS, tmp_path))
    assert ran.out == "([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n], [11n, 3n, 7n, 100005n])\n"


LOOKALIKES = """# no Base: these are not the machine's numbers, words and strings
type Bool is Data:
  True{}
  False{}

type Num is Data:
  Zero{}
  Succ{odd: Bool, pred: Num}

type Text is Data:
  SNil{}
  SCon{head: Num, tail: Text}

type Word is Data:
  WNil{}
  WCon{head: Text, tail: Bool}
  U32{data: Word}
  Chr{code: Word, more: Bool}

def twice(n: Num) -> Num:
  match n:
    case Zero{}:
      Zero{}
    case Succ{+b, p}:
      Succ{b, Succ{b, twice(p)}}

def first(t: Text) -> Num:
  match t:
    case SNil{}:
      Zero{}
    case SCon{h, u}:
      twice(h)

def inner(w: Word) -> Text:
  match w:
    case WCon{t, b}:
      t
    case U32{v}:
      inner(v)
    case Chr{c, m}:
      inner(c)
    case WNil{}:
      SNil{}

def word() -> Word:
  Chr{U32{WCon{SCon{Succ{True{}, Zero{}}, SNil{}}, False{}}}, True{}}

type Both is Data:
  Both{n: Num, w: Word, t: Text}

def main() -> Both:
  Both{first(inner(word)), word, inner(word)}
"""


def test_constructors_that_are_only_called_like_the_machines_are_plain(tmp_path: Path) -> None:
    text = "SCon{Succ{True{}, Zero{}}, SNil{}}"
    word = f"Chr{{U32{{WCon{{{text}, False{{}}}}}}, True{{}}}}"
    ran = run(fast(LOOKALIKES, tmp_path))
    assert ran.out == f"Both{{Succ{{True{{}}, Succ{{True{{}}, Zero{{}}}}}}, {word}, {text}}}\n"


WORDS = """import Base

def turned(w: Word(2n)) -> Word(3n):
  match w:
    case WCon{+a, WCon{+b, WNil{}}}:
      WCon{b, WCon{a, WCon{Bool.and(a, b), WNil{}}}}

def bits(x: U32) -> Bool & Bool:
  match x:
    case U32{WCon{a, WCon{b, rest}}}:
      (a, b)

def low(x: U32) -> U32:
  match x:
    case U32{WCon{a, rest}}:
      U32{WCon{False{}, rest}}

def second(n: Nat, w: Word(31n)) -> U32:
  match n w:
    case 0n, WCon{b, rest}:
      Bool.to_u32(b)
    case 1n+p, WCon{b, rest}:
      second(p, WCon{b, rest})

def special(x: U32) -> U32:
  match x:
    case 7:
      100
    case U32{WCon{a, rest}}:
      second(3n, rest)

def main() -> Word(3n) & (Bool & Bool) & U32 & Char & +List<U32>:
  (turned(WCon{True{}, WCon{False{}, WNil{}}}), bits(6), low(4294967295), Chr{low(99)},
   [special(7), special(15), special(5)])
"""


def test_machine_words_can_be_taken_apart_and_made(tmp_path: Path) -> None:
    ran = run(fast(WORDS, tmp_path))
    turned = "WCon{False{}, WCon{True{}, WCon{False{}, WNil{}}}}"
    assert ran.out == f"({turned}, (False{{}}, True{{}}), 4294967294, 'b', [100, 1, 0])\n"


EACH_OTHER = """import Base

@unsafe
def even(n: Nat) -> Bool:
  match n:
    case 0n:
      True{}
    case 1n+p:
      odd(p)

@unsafe
def odd(n: Nat) -> Bool:
  match n:
    case 0n:
      False{}
    case 1n+p:
      even(p)

def main() -> +List<Bool>:
  [even(1000001n), odd(1000001n), even(8n)]
"""


def test_functions_may_call_each_other(tmp_path: Path) -> None:
    assert run(fast(EACH_OTHER, tmp_path)).out == "[False{}, True{}, True{}]\n"
