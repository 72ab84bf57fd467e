"""From the checked core to the compiler's language: templates expanded, types and proofs erased, matches as cases.

What a live position can hold decides what is kept. Types, quantities and equations are erased; so is everything with
the mark ``-``, unless the book declares a constructor with an erased field of its own: then erased values are
passed along unevaluated, because the constructor's value shows them.
"""

from __future__ import annotations

from typing import TypeAlias

from . import core
from .compile_close import Closed, Entry, Env, closed_term
from .compile_fold import fold
from .compile_ir import (
    NONE,
    Alt,
    Apply,
    Call,
    Case,
    Con,
    Expr,
    Fail,
    Fun,
    Function,
    Imm,
    Let,
    Prim,
    Program,
    Str,
    V,
)
from .compile_literals import REBUILT, literal_tests
from .compile_natives import EFFECTS, NATIVES, native
from .errors import BendError, Place


class NotCompiled(BendError):
    """A program that is fine but that only the evaluator can run, with the reason."""


MAKERS = {con: op for op, con in REBUILT.items()}
SPECIAL = frozenset(("Zero", "Succ", "Chr", "U32", "WCon", "WNil", "SCon", "SNil"))
"""Constructors whose values the machine keeps in a way of its own."""
PRIME = "'"
"""Behind the name of a constructor of the user's that has one of these names (where Base is not loaded)."""
_REFL = Imm("con", 0, "{==}")


Key: TypeAlias = tuple[str, tuple[core.Term, ...]]


class _Lowering:
    """The functions found so far and those still to be lowered."""

    def __init__(self, book: core.Book, base_file: str, natives: bool) -> None:
        self.book = book
        self.natives = NATIVES if natives else {}
        self.base_file = base_file
        self.keep = any(
            field.mark == core.ERASED
            for con in book.constructors.values()
            if not self.of_base(book.types[con.type_name].file)
            for field in con.fields
        )
        self.numerals = _numerals(book)
        self.numbers: dict[Key, int] = {}
        self.todo: list[Key] = []
        self.functions: dict[int, Function] = {}
        self.next_var = 0

    def of_base(self, file: str) -> bool:
        """Whether a file is a part of our Base."""
        return bool(self.base_file) and file.startswith(self.base_file)

    def fresh(self) -> int:
        self.next_var += 1
        return self.next_var

    def con(self, name: str) -> str:
        """A constructor's name for the compiler: one that only looks like Base's or the numerals' gets a prime."""
        if name not in SPECIAL or self.of_base(self.book.types[self.book.constructors[name].type_name].file):
            return name
        return name if name in ("Zero", "Succ") and self.numerals else name + PRIME

    # -- defs -------------------------------------------------------------------------------------------------

    def erased(self, param: core.Param) -> bool:
        """Whether a parameter is dropped from the machine function."""
        return (param.mark == core.ERASED and not self.keep) or _is_proof_or_type(param.type)

    def stand_in(self, type_: core.Term) -> Expr:
        """What takes the place of an erased value: an equation's only value, a function to it, or nothing at all."""
        names: list[int] = []
        while isinstance(type_, core.Pi):
            names.append(self.fresh())
            type_ = type_.cod
        if not isinstance(type_, core.Eq):
            return NONE
        return Fun(tuple(names), _REFL) if names else _REFL

    def number(self, name: str, templates: tuple[core.Term, ...]) -> int:
        key = (name, templates)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.todo.append(key)
        return self.numbers[key]

    def lower_def(self, key: Key) -> Function:
        name, templates = key
        decl = self.book.defs[name]
        env: list[Entry] = []
        params: list[int] = []
        queue: list[Entry] = []
        for index, param in enumerate(decl.params):
            if index < decl.templates:
                queue.append(Closed(templates[index]))
            elif self.erased(param):
                queue.append(self.stand_in(param.type))
            else:
                params.append(self.fresh())
                queue.append(V(params[-1]))
        if self.of_base(decl.file) and name in self.natives:
            return Function(name, tuple(params), native(self.natives[name], [V(p) for p in params]))
        if decl.opaque and name in EFFECTS:
            effect = EFFECTS[name]
            live = [V(p) for p in params]
            body: Expr = Con(f"%{name}", tuple(live)) if effect.arity else Imm("con", 0, f"%{name}")
            return Function(name, tuple(params), body)
        if decl.body is None:
            raise NotCompiled(message=f"{name} has no body to run", place=Place(decl.file, decl.pos))
        return Function(name, tuple(params), self.tree(decl.body, tuple(env), tuple(queue)))

    # -- terms ------------------------------------------------------------------------------------------------

    def tree(self, term: core.Term, env: Env, queue: tuple[Entry, ...]) -> Expr:
        """A case tree applied to the waiting arguments, which are atoms or template values."""
        match term:
            case core.Lam(_, _, body) if queue:
                return self.tree(body, (*env, queue[0]), queue[1:])
            case core.Match() | core.NoMatch() if queue:
                return self.cases(term, env, queue)
            case core.Match() | core.NoMatch():
                var = self.fresh()
                return Fun((var,), self.tree(term, env, (V(var),)))
            case core.Ann(inner) | core.Rewrite(body=inner):
                return self.tree(inner, env, queue)
            case core.Let(binds, body):
                return self.lets(binds, body, env, queue)
            case _ if queue:
                return self.call(term, env, [self.atom_of(entry) for entry in queue])
            case _:
                return self.term(term, env)

    def cases(self, term: core.Term, env: Env, queue: tuple[Entry, ...]) -> Expr:
        scrut = self.atom_of(queue[0])
        alts: list[Alt] = []
        while isinstance(term, core.Match):
            fields = tuple([self.fresh() for _ in self.book.constructors[term.con].fields])
            alts.append(
                Alt(self.con(term.con), fields, self.tree(term.arm, env, (*[V(f) for f in fields], *queue[1:])))
            )
            term = term.rest
        # A default behind every constructor cannot be reached.
        whole = bool(alts) and len(alts) == self.siblings(alts[0].con.removesuffix(PRIME))
        default = None if whole or isinstance(term, core.NoMatch) else self.tree(term, env, queue)
        if not isinstance(scrut, V):
            return Case(scrut, self.fresh(), tuple(alts), default)
        case = Case(scrut, scrut.id, tuple(alts), default)
        # Here, from the inside out: the trees of a string's characters stand in each other.
        return (alts and alts[0].con == "U32" and literal_tests(case, self.fresh)) or case

    def siblings(self, con: str) -> int:
        """How many constructors the type of this one has."""
        return len(self.book.types[self.book.constructors[con].type_name].constructors)

    def lets(self, binds: tuple[core.Bind, ...], body: core.Term, env: Env, queue: tuple[Entry, ...]) -> Expr:
        inner: list[Entry] = list(env)
        bound: list[tuple[int, Expr]] = []
        for bind in binds:
            if (bind.mark == core.ERASED and not self.keep) or (bind.type is not None and _is_proof_or_type(bind.type)):
                inner.append(NONE if bind.type is None else self.stand_in(bind.type))
                continue
            value = self.term(bind.value, env)
            if isinstance(value, V | Imm):
                inner.append(value)
            else:
                var = self.fresh()
                bound.append((var, value))
                inner.append(V(var))
        result = self.tree(body, tuple(inner), queue)
        for var, value in reversed(bound):
            result = Let(var, value, result)
        return result

    def atom_of(self, entry: Entry) -> Expr:
        return self.term(entry.term, ()) if isinstance(entry, Closed) else entry

    def term(self, term: core.Term, env: Env) -> Expr:
        """A term as a value."""
        match term:
            case core.Var(level):
                return self.atom_of(env[level])
            case core.Ref() | core.App():
                return self.call(term, env, [])
            case core.Lam(_, _, body):
                var = self.fresh()
                inner = self.term(body, (*env, V(var)))
                return Fun((var, *inner.params), inner.body) if isinstance(inner, Fun) else Fun((var,), inner)
            case core.Ctr(con, args):
                return self.constructor(con, [self.term(a, env) for a in args])
            case core.NatLit(value):
                return Imm("nat", value)
            case core.Plus(count, inner_term):
                return Prim("nat_add", (Imm("nat", count), self.term(inner_term, env)))
            case core.U32Lit(value):
                return Imm("u32", value)
            case core.CharLit(code):
                return Imm("chr", code)
            case core.StrLit(text):
                return Str(text) if text else Imm("con", 0, "SNil")
            case core.Pi() | core.Data() | core.Kind() | core.QuantType() | core.Quantity() | core.Meet() | core.Eq():
                return NONE
            case core.Refl():
                return _REFL
            case core.F32Lit(text):
                raise NotCompiled(message=f"{text} is a float, which is an opaque name")
            case core.Hole(name):
                return Fail(f"?{name} was reached")
            case _:
                return self.tree(term, env, ())

    def constructor(self, con: str, args: list[Expr]) -> Expr:
        name = self.con(con)
        if name in MAKERS:
            return fold(MAKERS[name], tuple(args)) or Prim(MAKERS[name], tuple(args))
        if name == "WNil":
            return Imm("word", 0)
        return Con(name, tuple(args)) if args else Imm("con", 0, name)

    def call(self, term: core.Term, env: Env, waiting: list[Expr]) -> Expr:
        """An application of ``term`` to its own arguments and then to the waiting values."""
        args: list[core.Term] = []
        while True:
            match term:
                case core.App(fun, more):
                    args = [*more, *args]
                    term = fun
                case core.Ann(inner) | core.Rewrite(body=inner):
                    term = inner
                case core.Var(level) if isinstance(env[level], Closed):
                    entry = env[level]
                    assert isinstance(entry, Closed)
                    # A closed term's own levels start at 0: it is lowered by itself, its arguments in env.
                    return self.call_closed(entry.term, args, env, waiting)
                case _:
                    break
        if isinstance(term, core.Ref):
            return self.call_def(self.book.defs[term.name], args, env, waiting)
        values = [*[self.term(a, env) for a in args], *waiting]
        return self.apply_term(term, env, values)

    def call_closed(self, term: core.Term, args: list[core.Term], env: Env, waiting: list[Expr]) -> Expr:
        if isinstance(term, core.Ref):
            return self.call_def(self.book.defs[term.name], args, env, waiting)
        return self.call(term, (), [*[self.term(a, env) for a in args], *waiting])

    def apply_term(self, term: core.Term, env: Env, values: list[Expr]) -> Expr:
        if not values:
            return self.term(term, env)
        if not isinstance(term, core.Lam | core.Match | core.NoMatch | core.Let):
            return Apply(self.term(term, env), tuple(values))
        bound: list[tuple[int, Expr]] = []
        queue: list[Entry] = []
        for value in values:
            if isinstance(value, V | Imm):
                queue.append(value)
            else:
                bound.append((self.fresh(), value))
                queue.append(V(bound[-1][0]))
        result = self.tree(term, env, tuple(queue))
        for var, value in reversed(bound):
            result = Let(var, value, result)
        return result

    def call_def(self, decl: core.DefDecl, args: list[core.Term], env: Env, waiting: list[Expr]) -> Expr:
        given_templates = zip(decl.params, args[: decl.templates], strict=False)
        templates = tuple([_irrelevant(p, closed_term(a, env)) for p, a in given_templates])
        if len(templates) < decl.templates:
            raise NotCompiled(message=f"{decl.name} without its template arguments is no value")
        params = decl.params[decl.templates :]
        if len(args) + len(waiting) == len(decl.params) and _is_proof_or_type(decl.result):
            return self.stand_in(decl.result)
        number = self.number(decl.name, templates)
        rest = args[decl.templates :]
        given = len(rest) + len(waiting)
        values: list[Expr] = []
        for param, arg in zip(params, rest, strict=False):
            values.append(NONE if self.erased(param) else self.term(arg, env))
        values += [self.term(a, env) for a in rest[len(params) :]]
        values += waiting
        extra: list[Expr] = []
        names: list[int] = []
        if given < len(params):
            names = [self.fresh() for _ in params[given:]]
            values += [V(n) for n in names]
        else:
            values, extra = values[: len(params)], values[len(params) :]
        live = [v for p, v in zip(params, values, strict=True) if not self.erased(p)]
        result = Call(number, tuple(live))
        if extra:
            return Apply(result, tuple(extra))
        return self.closure(names, result) if names else result

    def closure(self, names: list[int], call: Call) -> Expr:
        """A partial call: the arguments that are there are shared by the calls of the function."""
        bound: list[tuple[int, Expr]] = []
        args: list[Expr] = []
        for arg in call.args:
            if isinstance(arg, V | Imm):
                args.append(arg)
            else:
                bound.append((self.fresh(), arg))
                args.append(V(bound[-1][0]))
        result: Expr = Fun(tuple(names), Call(call.fun, tuple(args)))
        for var, value in reversed(bound):
            result = Let(var, value, result)
        return result


def _is_proof_or_type(type_: core.Term) -> bool:
    """Whether a type's closed values are all alike for a program: equations, kinds, quantities."""
    while isinstance(type_, core.Pi):
        type_ = type_.cod
    return isinstance(type_, core.Eq | core.Kind | core.QuantType)


def _irrelevant(param: core.Param, value: core.Term) -> core.Term:
    return core.Quantity(0) if _is_proof_or_type(param.type) else value


def _numerals(book: core.Book) -> bool:
    """Whether Zero and Succ are those of the type that numerals have, as modules.Library.numerals finds it."""
    zero, succ = book.constructors.get("Zero"), book.constructors.get("Succ")
    if zero is None or succ is None or zero.type_name != succ.type_name or len(succ.fields) != 1:
        return False
    decl = book.types[zero.type_name]
    field = succ.fields[0]
    plain = not decl.params and len(decl.constructors) == 2 and not zero.fields
    return plain and field.mark == core.ONE and field.type == core.Data(zero.type_name, ())


def _holds_functions(type_: core.Term) -> bool:
    match type_:
        case core.Pi():
            return True
        case core.Data(_, args) | core.App(_, args):
            return any([_holds_functions(a) for a in args])
        case core.Lam(body=body):
            return _holds_functions(body)
        case _:
            return False


def lower(book: core.Book, base_file: str, entry: str = "main", *, natives: bool = True) -> Program:
    """The program that computes ``entry``, a def without parameters; ``base_file`` begins the paths of Base's files.

    Without ``natives`` Base's arithmetic is compiled from its defs (but for the effects).

    Raises NotCompiled when the value is, or may hold, something that only the evaluator can show.
    """
    decl = book.defs[entry]
    place = Place(decl.file, decl.pos)
    if decl.params:
        raise NotCompiled(message=f"{entry} is a function, a compiled program shows plain values", place=place)
    if _holds_functions(decl.result):
        raise NotCompiled(message=f"{entry} holds functions, a compiled program shows plain values", place=place)
    lowering = _Lowering(book, base_file, natives)
    main = lowering.number(entry, ())
    while lowering.todo:
        key = lowering.todo.pop()
        lowering.functions[lowering.numbers[key]] = lowering.lower_def(key)
    effect = isinstance(decl.result, core.App) and decl.result.fun == core.Ref("IO")
    constructors = {lowering.con(name): len(con.fields) for name, con in book.constructors.items()}
    constructors |= {f"%{name}": effect.arity for name, effect in EFFECTS.items()}
    constructors["{==}"] = 0
    families = {lowering.con(name): lowering.siblings(name) for name in book.constructors}
    return Program(lowering.functions, main, effect, lowering.next_var, constructors, families)
