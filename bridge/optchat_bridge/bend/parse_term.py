"""Recursive descent over terms.

Patterns are read as terms; the desugarer tells which terms are patterns. Precedence climbs through ``OPERATORS``.
"""

from __future__ import annotations

from typing import Literal

from . import lexer
from . import surface as s
from .core import ERASED, MANY, ONE
from .errors import BendError, Place, outside
from .lexer import KEYWORDS, NAME
from .operators import ARROW, ATOM, LONG, OPERATORS, PAIR, PLUS_LIMIT
from .parse_base import Cursor

_STATEMENTS = (s.SMatch, s.SLet, s.SOpen, s.SStore)
"""Bodies that end a pair of parentheses: no item of a tuple."""
_BESIDE_COMPARISONS = ("&&", "||", "<", "<=", ">=")
"""What may follow a comparison, as it may not follow the first argument of a family."""


def is_binder(term: s.Surface) -> bool:
    """Whether a term is a name without dots, and no word for a type of types."""
    return isinstance(term, s.SName) and "." not in term.name and term.name not in KEYWORDS


class TermParser(Cursor):
    """Terms; what a body is, a subclass says."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.case_column = -1
        self.todos = 0
        """Each ``?TODO`` counts, in a row that cannot be reached too."""

    def body(self) -> s.Surface:
        """A body, where a term may hold one."""
        raise NotImplementedError

    def match(self) -> s.Surface:
        """A match."""
        raise NotImplementedError

    def do(self) -> s.Surface:
        """A do block."""
        raise NotImplementedError

    def tail(self) -> s.Surface:
        """The body behind a let or a rewrite, and a semicolon before it."""
        self.accept(";")
        return self.body()

    # Operators

    def term(self, level: int = ARROW) -> s.Surface:
        """A term whose operators bind at least as tightly as ``level``."""
        self.deeper()
        try:
            left = self._prefix(level)
            while True:
                op = self._operator()
                if op is None or OPERATORS[op][0] < level:
                    return left
                left = self._binary(left, op)
        finally:
            self.depth -= 1

    def _binary(self, left: s.Surface, op: str) -> s.Surface:
        pos = self.here.start
        self.at += len(op)
        precedence, right_first = OPERATORS[op]
        right = self.term(precedence if right_first else precedence + 1)
        if op == "->":
            return s.SArrow(ONE, "_", left, right, pos)
        if op == "&":
            return s.SSigma("_", left, right, pos)
        return s.SBin(op, left, right, pos)

    def _operator(self) -> str | None:
        token = self.here
        if token.kind != lexer.SYM:
            return None
        char = token.value
        if char == ">" and token.glued:
            return None
        for op in LONG:
            if op[0] == char and self.is_symbol(op):
                return op
        if char == "<" and self.is_symbol("<-"):
            return None
        after = self.ahead()
        if after.glued and (char == "%" or (char in "+-" and after.kind == NAME)):
            return None
        return char if char in OPERATORS else None

    def _prefix(self, level: int) -> s.Surface:
        token = self.here
        lambdas = level == ARROW  # an operand is no lambda
        if token.kind == lexer.SYM:
            if token.value == "@":
                return self._arrow()
            if token.value == "&":
                return self._pair()
            if token.value == "%":
                return self._rewrite()
            if token.value == "+":
                return self._plus(lambdas)
        elif token.kind == NAME:
            if lambdas and self.is_symbol("=>", 1) and token.value not in KEYWORDS and "." not in token.value:
                self.at += 3
                return s.SLam(ONE, token.value, self.body(), token.start)
            if token.value == "match":
                return self.match()
            if token.value == "do":
                return self.do()
        return self._postfix()

    def _arrow(self) -> s.Surface:
        start = self.here.start
        self.at += 1
        mark = ONE
        if self.is_symbol("-"):
            self.at += 1
            mark = ERASED
        elif self.is_symbol("+"):
            self.at += 1
            mark = MANY
        name = self.name().value
        self.expect(":")
        dom = self.term(PAIR)
        self.expect("->")
        return s.SArrow(mark, name, dom, self.term(), start)

    def _pair(self) -> s.Surface:
        token = self.here
        self.at += 1
        number = self.here
        if number.kind == lexer.U32 and number.glued and number.value in ("0", "1", "2"):
            self.at += 1
            return s.SQuantity(int(number.value), token.start)
        name = self.name().value
        self.expect(":")
        fst = self.term(PAIR)
        self.expect("->")
        return s.SSigma(name, fst, self.term(), token.start)

    def _rewrite(self) -> s.Surface:
        start = self.here.start
        self.at += 1
        evidence = self.term()
        name: str | None = None
        if self.accept("@"):
            if not is_binder(evidence):
                self.fail("a name before @ (a rewrite binder is one name: %e@E : P)")
            assert isinstance(evidence, s.SName)
            name, evidence = evidence.name, self.term()
        self.expect(":")
        motive = self.term()
        return s.SRewrite(name, evidence, motive, self.tail(), start)

    def _plus(self, lambdas: bool) -> s.Surface:
        start = self.here.start
        if not self.ahead().glued:
            self.fail("a term")
        self.at += 1
        if not self.glued_name(0):
            self.fail("a name")
        if lambdas and self.is_symbol("=>", 1):
            name = self.name().value
            self.at += 2
            return s.SLam(MANY, name, self.body(), start)
        named = self._postfix()
        if isinstance(named, s.SFamily):
            return s.SFamily(named.name, named.args, True, start)
        if isinstance(named, s.SName):
            return s.SMarked(MANY, named.name, start)
        raise self.failure("a quantified datatype after + (+D<..> sets D's leading quantities to &2)")

    # Calls and atoms

    def _postfix(self) -> s.Surface:
        term = self._atom()
        while True:
            token = self.here
            if token.kind != lexer.SYM or token.fresh:
                return term
            if token.value == "(":
                term = self._call(term)
            elif token.value == "[":
                self.at += 1
                index = self.term()
                self.expect("]")
                term = s.SIndex(term, index, token.start)
            elif token.value == "!" and token.glued and self.is_symbol("!("):
                self.at += 1
                term = self._call(term)
                term.bang = True
            else:
                return term

    def _call(self, fun: s.Surface) -> s.SCall:
        start = self.here.start
        self.at += 1
        args: list[s.Surface] = []
        tildes = 0
        while not self.is_symbol(")"):
            if self.is_symbol("~") and tildes == len(args):
                tildes += 1
                self.at += 1
            args.append(self.term())
            self.accept(",")
        self.at += 1
        return s.SCall(fun, args, tildes, start if tildes else fun.pos)

    def _atom(self) -> s.Surface:
        token = self.here
        kind = token.kind
        if kind == NAME:
            return self._named()
        if kind == lexer.NAT:
            self.at += 1
            if self.is_symbol("+") and self.here.glued:
                return self._successors(int(token.value), token.start)
            return s.SLit(kind, token.value, token.start)
        if kind in (lexer.U32, lexer.F32, lexer.STR, lexer.CHR):
            self.at += 1
            return s.SLit(kind, token.value, token.start)
        if kind == lexer.SYM:
            found = self._bracket(token.value)
            if found is not None:
                return found
        raise self.failure("a term")

    def _bracket(self, char: str) -> s.Surface | None:
        if char == "(":
            return self._parens()
        if char == "[":
            return self._list()
        if char == "{":
            return self._braces()
        if char == "\\" and self.is_symbol("\\{"):
            return self._cases()
        if char == "?":
            start = self.here.start
            self.at += 1
            name = self.name().value
            self.todos += name == "TODO"
            return s.SHole(name, start)
        return None

    def _successors(self, count: int, start: int) -> s.Surface:
        self.at += 1
        operand = self.term()  # all of it: 1n+a <> b is 1n+(a <> b)
        if count > PLUS_LIMIT:
            add = s.SName("Nat.add", start)
            return s.SCall(add, [s.SLit(lexer.NAT, str(count), start), operand], 0, start)
        if count == 0:
            return operand
        return s.SPlus(count, operand, start)

    def _named(self) -> s.Surface:
        token = self.here
        word: str = token.value
        if word == "Kind":
            self.at += 1
            self.expect("(")
            quantity = self.term()
            self.expect(")")
            return s.SKind(quantity, token.start)
        if word in ("Type", "Data", "Quant"):
            self.at += 1
            return s.SName(word, token.start)
        if word in KEYWORDS:
            self.fail("a term")
        self.at += 1
        after = self.here
        if after.kind == lexer.SYM and after.glued:
            if after.value == "{":
                self.at += 1
                return s.SCtr(word, self._items("}"), token.start)
            if self.is_symbol("<=") or self.is_symbol("<<"):
                raise self._glued(word, token.start)
            if after.value == "<" and not self.is_symbol("<>") and not self.is_symbol("<&>"):
                return self.family(word, token.start)
        return s.SName(word, token.start)

    def _items(self, closing: Literal["}", "]"]) -> list[s.Surface]:
        items: list[s.Surface] = []
        while not self.is_symbol(closing):
            items.append(self.term())
            self.accept(",")
        self.at += 1
        return items

    def family(self, name: str, start: int) -> s.Surface:
        self.at += 1
        args: list[s.Surface] = []
        while not self.is_symbol(">"):
            if args:
                args.append(self.term())
                self.accept(",")
                continue
            args.append(self.term(OPERATORS["<>"][0]))
            if not self.accept(",") and not self.is_symbol(">"):
                if self.is_symbol(":") or self._operator() in _BESIDE_COMPARISONS:
                    raise self._glued(name, start)
                self.fail("'>' or ',' (a compound type argument takes parens: F<(A & B)>)")
        self.at += 1
        return s.SFamily(name, args, False, start)

    def _glued(self, name: str, start: int) -> BendError:
        return outside(f"an operator glued to a name, or {name}< without its '>'", Place(self.file, start))

    def _parens(self) -> s.Surface:
        start = self.here.start
        self.at += 1
        term = self.body()
        items = [term]
        while not isinstance(items[-1], _STATEMENTS) and self.accept(","):
            items.append(self.body())
        if len(items) > 1:
            self.expect(")")
            return s.STuple(items, start)
        if self.accept(":"):
            space = self.term()
            self.expect(")")
            if not isinstance(space, s.SName | s.SFamily):
                raise BendError(message="a type's name behind ':' in parentheses", place=Place(self.file, start))
            return s.SSpace(term, space.name, start)
        self.expect(")")
        if self.is_symbol("=>") and (is_binder(term) or isinstance(term, s.SMarked)):
            raise outside("a lambda's name in parentheses (write x => ..)", Place(self.file, start))
        # a match in parentheses stands in no body
        return s.SSpace(term, "", start) if isinstance(term, s.SMatch | s.SOpen) else term

    def _list(self) -> s.Surface:
        start = self.here.start
        self.at += 1
        if self.accept("]"):
            return s.SList([], start)
        first = self.term()
        if self.accept(":"):
            type_ = self.term(ATOM)
            if self.is_symbol("^"):
                raise outside("an array by the depth of its tree", Place(self.file, self.here.start))
            self.expect("*")
            depth = self.term()
            self.expect("]")
            return s.SFill(first, type_, depth, start)
        self.accept(",")
        return s.SList([first, *self._items("]")], start)

    def _braces(self) -> s.Surface:
        start = self.here.start
        self.at += 1
        if self.accept("=="):
            self.expect("}")
            return s.SRefl(start)
        left = self.term()
        negated = self.is_symbol("!=")
        if negated or self.is_symbol("=="):
            self.at += 2
            right = self.term()
            self.expect(":")
            type_ = self.term()
            self.expect("}")
            return s.SEq(left, right, type_, negated, start)
        self.expect(":")
        type_ = self.term()
        self.expect("}")
        return s.SAnn(left, type_, start)

    def _cases(self) -> s.Surface:
        start = self.here.start
        self.at += 2
        arms: list[tuple[str, s.Surface, int]] = []
        default: s.Surface | None = None
        while not self.accept("}"):
            if default is not None:
                self.fail("'}'")
            if self.here.kind == NAME and self.is_symbol(":", 1):
                name = self.name()
                self.at += 1
                arms.append((name.value, self.term(), name.start))
            else:
                default = self.term()
            self.accept(";")
        return s.SCases(arms, default, start)
