"""The surface syntax: what the parser builds and the desugarer reads. Every ``pos`` is an offset in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(slots=True)
class SName:
    """A name, also ``_`` and the words Type, Data and Quant."""

    name: str
    pos: int


@dataclass(slots=True)
class SMarked:
    """``+name`` or ``-name``: a binder, never a value."""

    mark: int
    name: str
    pos: int


@dataclass(slots=True)
class SLit:
    """A literal; ``kind`` is the lexer's: nat, u32, f32, string, char."""

    kind: str
    value: str
    pos: int


@dataclass(slots=True)
class SPlus:
    """``count n+ term``, up to 256n."""

    count: int
    term: Surface
    pos: int


@dataclass(slots=True)
class SCtr:
    """``Name{..}``."""

    name: str
    args: list[Surface]
    pos: int


@dataclass(slots=True)
class SCall:
    """``fun(..)``; ``tildes`` counts the leading arguments that are written with ``~``; ``bang`` is ``fun!(..)``."""

    fun: Surface
    args: list[Surface]
    tildes: int
    pos: int
    bang: bool = False


@dataclass(slots=True)
class SIndex:
    """``array[index]``."""

    array: Surface
    index: Surface
    pos: int


@dataclass(slots=True)
class SList:
    """``[a, b]``."""

    items: list[Surface]
    pos: int


@dataclass(slots=True)
class SFill:
    """``[value : type * depth]``: an array of ``depth`` slots."""

    value: Surface
    type: Surface
    depth: Surface
    pos: int


@dataclass(slots=True)
class STuple:
    """``(a, b, c)``."""

    items: list[Surface]
    pos: int


@dataclass(slots=True)
class SSpace:
    """``(term : name)``: the namespace of the operators in ``term``."""

    term: Surface
    name: str
    pos: int


@dataclass(slots=True)
class SAnn:
    """``{term : type}``."""

    term: Surface
    type: Surface
    pos: int


@dataclass(slots=True)
class SEq:
    """``{left == right : type}``, or ``!=`` when ``negated``."""

    left: Surface
    right: Surface
    type: Surface
    negated: bool
    pos: int


@dataclass(slots=True)
class SRefl:
    """``{==}``."""

    pos: int


@dataclass(slots=True)
class SLam:
    """``name => body``."""

    mark: int
    name: str
    body: Surface
    pos: int


@dataclass(slots=True)
class SRewrite:
    """``%name@evidence : motive  rest``."""

    name: str | None
    evidence: Surface
    motive: Surface
    rest: Surface
    pos: int


@dataclass(slots=True)
class SCases:
    r"""``\{K: arm; ..; default}``."""

    arms: list[tuple[str, Surface, int]]
    default: Surface | None
    pos: int


@dataclass(slots=True)
class SHole:
    """``?name``."""

    name: str
    pos: int


@dataclass(slots=True)
class SFamily:
    """``Name<..>`` or ``+Name<..>``."""

    name: str
    args: list[Surface]
    plus: bool
    pos: int


@dataclass(slots=True)
class SArrow:
    """``@mark name: dom -> cod``; a plain arrow has the name ``_``."""

    mark: int
    name: str
    dom: Surface
    cod: Surface
    pos: int


@dataclass(slots=True)
class SSigma:
    """``&name: fst -> snd``; a plain pair has the name ``_``."""

    name: str
    fst: Surface
    snd: Surface
    pos: int


@dataclass(slots=True)
class SKind:
    """``Kind(quantity)``."""

    quantity: Surface
    pos: int


@dataclass(slots=True)
class SQuantity:
    """``&0``, ``&1``, ``&2``."""

    value: int
    pos: int


@dataclass(slots=True)
class SBin:
    """A binary operator; ``|`` of types, ``<>`` and the rest. ``&`` and ``->`` have forms of their own."""

    op: str
    left: Surface
    right: Surface
    pos: int


@dataclass(slots=True)
class SMatch:
    """``match scrutinees: rows``; a row is its patterns, its body and its place."""

    scrutinees: list[Surface]
    rows: list[tuple[list[Surface], Surface, int]]
    pos: int


@dataclass(slots=True)
class SBind:
    """One binding of a plain let."""

    mark: int
    name: str
    type: Surface | None
    value: Surface
    pos: int


@dataclass(slots=True)
class SLet:
    """Parallel lets."""

    binds: list[SBind]
    body: Surface
    pos: int


@dataclass(slots=True)
class SOpen:
    """``pattern = scrutinee`` and the body behind it."""

    pattern: Surface
    scrutinee: Surface
    body: Surface
    pos: int


@dataclass(slots=True)
class SStore:
    """``array[index] <- value`` and the body behind it."""

    array: str
    index: Surface
    value: Surface
    body: Surface
    pos: int


@dataclass(slots=True)
class SStep:
    """A line of a do block: ``name : type <- value`` when ``bind``, ``name : type = value``, or a step (no name)."""

    mark: int
    name: str | None
    type: Surface | None
    value: Surface
    bind: bool
    pos: int


@dataclass(slots=True)
class SDo:
    """``do Monad<args>:`` with its steps; ``last`` is a term of the monad, or ``result`` a returned value."""

    monad: str
    args: list[Surface]
    steps: list[SStep]
    last: Surface
    returns: bool
    pos: int


Surface: TypeAlias = (
    SName | SMarked | SLit | SPlus | SCtr | SCall | SIndex | SList | SFill | STuple | SSpace | SAnn | SEq | SRefl
    | SLam | SRewrite | SCases | SHole | SFamily | SArrow | SSigma | SKind | SQuantity | SBin | SMatch | SLet | SOpen
    | SStore | SDo
)  # fmt: skip


@dataclass(slots=True)
class SParam:
    """A parameter, field or clause; ``mark`` is ERASED, ONE or MANY, ``template`` for ``~``.

    A bare name has no type: ``-name: Quant`` in a def with a result type, a name of a law's clause otherwise.
    ``exists`` and ``where`` belong to clauses.
    """

    mark: int
    name: str
    type: Surface | None
    pos: int
    template: bool = False
    exists: bool = False
    where: Surface | None = None


@dataclass(slots=True)
class SImport:
    """An import of a file; Base has no path."""

    path: str
    alias: str
    pos: int


@dataclass(slots=True)
class SConstructor:
    """A constructor's head."""

    name: str
    fields: list[SParam]
    pos: int


@dataclass(slots=True)
class SType:
    """A type declaration."""

    name: str
    params: list[SParam]
    kind: Surface
    constructors: list[SConstructor]
    pos: int


@dataclass(slots=True)
class SDef:
    """A def; without ``result`` it fills the law of that name."""

    name: str
    params: list[SParam]
    result: Surface | None
    body: Surface
    unsafe: bool
    pos: int


@dataclass(slots=True)
class SLaw:
    """A law: clauses, then the claim."""

    name: str
    clauses: list[SParam]
    claim: Surface
    pos: int


SDecl: TypeAlias = SType | SDef | SLaw
