"""Function values in any portions, recursion in circles, words taken apart, constructors with famous names."""

from __future__ import annotations

from pathlib import Path

from stateful_tests.bend.compiled import build, fast, run

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

# it calls itself, so that it is not copied to where f is known
def three(n: Nat, f: Nat -> Nat -> Nat -> Nat) -> Nat:
  match n:
    case 0n:
      f(1n, 20n, 9n)
    case 1n+p:
      three(p, f)

def main() -> +List<Nat> & Nat & +List<Nat>:
  (give(ten(1n, 2n, 3n, 4n, 5n, 6n)), three(2n, x => pick(Nat.is_eq(x, 1n))),
   [compose(x => Nat.mul(2n, x), Nat.add(1n), 5n), pick(True{}, 3n, 4n), pick(False{}, 3n, 4n), many(100000n, 5n)])
"""


def test_functions_take_their_arguments_in_any_portions(tmp_path: Path) -> None:
    ran = run(build(FUNCTIONS, tmp_path))
    assert ran.out == "([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n], 20n, [11n, 3n, 7n, 100005n])\n"


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
