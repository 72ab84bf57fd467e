"""The core language: what a Bend file means once its sugar is gone.

A term is a tree of frozen nodes. Variables are de Bruijn LEVELS: ``Var(0)`` is the outermost binder of the
closed term it stands in, so a term keeps its meaning under further binders and a run-time environment is a
plain tuple with one entry a binder. Nodes that bind push the levels in the order given in their docstring.

A def's body is closed (it starts at level 0) and is its case tree: ``Lam`` passes the next argument, ``Match``
inspects it. Arguments wait in a queue; a matched constructor puts its fields in front of the queue:

    Lam(m, x, b)        takes the next argument as a new level, goes on with b
    Match(K, a, r)      next argument K{f1, .., fn}: f1 .. fn go in front of the queue, on with a;
                        another constructor: the queue is as it was, on with r
    NoMatch()           the next argument has no constructor left: cannot happen

A tree may end in any other term; if arguments are left then, the term is a function and is applied to them.
Every ``pos`` is an offset in the source text of the declaration's file; it takes no part in equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

ERASED: Final = 0
"""Mark ``-x``: no live use."""
ONE: Final = 1
"""No mark: at most one live use."""
MANY: Final = 2
"""Mark ``+x``: any number of live uses; the type must be Data."""

UNKNOWN: Final = "unknown "
"""Before the name of a Ref or Ctr that means nothing; in a checked body only unreachable rows hold one."""


@dataclass(frozen=True, slots=True)
class Var:
    """A bound variable by its level; ``name`` is for display."""

    level: int
    name: str = field(compare=False)
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Ref:
    """A def or a law by its full name."""

    name: str
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class App:
    """A call. Template arguments are ordinary leading arguments here."""

    fun: Term
    args: tuple[Term, ...]
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Lam:
    """``name => body``; binds one level. ``mark`` is MANY for ``+name =>``, else ONE; the type decides the rest."""

    mark: int
    name: str = field(compare=False)
    body: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Match:
    r"""``\{con: arm; rest}``: a function that inspects its argument; binds nothing itself (see the module's text)."""

    con: str
    arm: Term
    rest: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class NoMatch:
    r"""``\{}``: the function from a type without constructors."""

    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Ctr:
    """``con{args}``, saturated. Never Zero or Succ of the numerals' type: those are NatLit and Plus."""

    con: str
    args: tuple[Term, ...]
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class NatLit:
    """``value`` n; Zero{} is NatLit(0)."""

    value: int
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Plus:
    """``count`` n+ ``term``: that many successors, count >= 1; Succ{x} is Plus(1, x)."""

    count: int
    term: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class U32Lit:
    """A machine word 0 .. 2**32 - 1; it is U32{data}, data: 32 booleans, lowest first."""

    value: int
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CharLit:
    """A character by its code point; it is Chr{code}, code a U32Lit."""

    code: int
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class StrLit:
    """A string; it is a chain of SCon{Chr{code}, rest} that ends in SNil{}."""

    text: str
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class F32Lit:
    """A float, kept as written; opaque."""

    text: str
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pi:
    """``@mark name: dom -> cod``; ``cod`` is under one more level."""

    mark: int
    name: str = field(compare=False)
    dom: Term
    cod: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Data:
    """``name<args>``, a datatype applied to all its parameters."""

    name: str
    args: tuple[Term, ...]
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Kind:
    """``Kind(quantity)``; Type is Kind(&1), Data is Kind(&2)."""

    quantity: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class QuantType:
    """``Quant``, the type of quantities."""

    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Quantity:
    """``&0``, ``&1`` or ``&2``."""

    value: int
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Meet:
    """``left <&> right``, the smaller quantity."""

    left: Term
    right: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Eq:
    """``{left == right : type}``."""

    left: Term
    right: Term
    type: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Refl:
    """``{==}``."""

    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """``%name@evidence : motive; body``.

    The motive is under two levels: the marked side, then the equation (unused unless ``name`` is given).
    At run time it is ``body`` as soon as the evidence is ``{==}``.
    """

    evidence: Term
    name: str | None = field(compare=False)
    motive: Term
    body: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Ann:
    """``{term : type}``."""

    term: Term
    type: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Bind:
    """One binding of a let: ``mark name : type = value``; ``type`` is None when it is to be inferred."""

    mark: int
    name: str = field(compare=False)
    type: Term | None
    value: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Let:
    """Parallel lets: the values see the outer levels; the body has one more level a binding, in order."""

    binds: tuple[Bind, ...]
    body: Term
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Hole:
    """``?name``."""

    name: str
    pos: int = field(default=0, compare=False)


Term: TypeAlias = (
    Var
    | Ref
    | App
    | Lam
    | Match
    | NoMatch
    | Ctr
    | NatLit
    | Plus
    | U32Lit
    | CharLit
    | StrLit
    | F32Lit
    | Pi
    | Data
    | Kind
    | QuantType
    | Quantity
    | Meet
    | Eq
    | Refl
    | Rewrite
    | Ann
    | Let
    | Hole
)


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter or a field: mark, name, and its type under the levels of the parameters before it."""

    mark: int
    name: str
    type: Term
    pos: int = 0


@dataclass(frozen=True, slots=True)
class Constructor:
    """A constructor. Its fields' types are under the type's parameters (levels 0 .. p-1), then the earlier fields."""

    name: str
    type_name: str
    fields: tuple[Param, ...]
    pos: int = 0


@dataclass(slots=True)
class TypeDecl:
    """``type name<params> is kind`` with its constructors in order; ``quantities`` leading params are bare ones."""

    name: str
    params: tuple[Param, ...]
    kind: Term
    constructors: tuple[Constructor, ...]
    quantities: int
    file: str
    pos: int
    order: int = 0
    """The place in the order in which declarations are checked."""


@dataclass(slots=True)
class DefDecl:
    """A def, or a law and the def that fills it.

    ``params`` and ``result`` give the type: parameter i's type is under i levels, the result under all of them.
    The first ``templates`` parameters are ``~`` ones. ``body`` is the closed case tree, None for an open law and
    for an opaque name of Base (an effect). A call unfolds once it has ``arity`` arguments: the number of names in
    the def's head, which for a filled law may be less than ``len(params)``.
    """

    name: str
    params: tuple[Param, ...]
    result: Term
    body: Term | None
    arity: int
    templates: int
    file: str
    pos: int
    order: int = 0
    """The place in the order in which declarations are checked."""
    unsafe: bool = False
    law: bool = False
    opaque: bool = False
    """A law of Base without a filling def: a name that never computes but may be used in live code."""
    fill_file: str = ""
    fill_pos: int = 0
    """For a filled law: where the filling def stands; ``file`` and ``pos`` are the law's own place."""


@dataclass(slots=True)
class Book:
    """Everything declared: by full name, in the order of checking. Constructors have a table of their own."""

    types: dict[str, TypeDecl] = field(default_factory=dict)
    defs: dict[str, DefDecl] = field(default_factory=dict)
    constructors: dict[str, Constructor] = field(default_factory=dict)
    order: list[TypeDecl | DefDecl] = field(default_factory=list)
    """Types, laws (at the law) and defs; a filled law is listed again where it is filled."""
    sources: dict[str, str] = field(default_factory=dict)
    """The text of each file by its path, for positions."""
