"""Recursive descent over bodies: lets, matches, do blocks."""

from __future__ import annotations

from . import surface as s
from .core import ERASED, MANY, ONE
from .errors import BendError, Place, outside, parse_error, quoted
from .lexer import END, NAME, column
from .parse_term import TermParser, is_binder


class BodyParser(TermParser):
    """Terms and the bodies that they may hold."""

    def body(self) -> s.Surface:
        """A match, a let and what follows, or a term."""
        self.deeper()
        try:
            return self._body()
        finally:
            self.depth -= 1

    def _body(self) -> s.Surface:
        if self.is_word("case"):
            self.fail("a match heading this case (this case is orphaned)", quoted("case"))
        start = self.here.start
        head = self._erased_name() if self.is_symbol("-") else self.term()
        if self.is_symbol("=>"):
            self.fail("a lambda binder (one name: k => body)", quoted(self.text[self.here.start - 1]))
        if self._at_let():
            return self._let(head, start)
        if self.is_symbol(":") and (is_binder(head) or isinstance(head, s.SMarked)):
            typed = self._typed_let(head, start)
            if typed is not None:
                return typed
        if self.is_symbol("<-") and isinstance(head, s.SIndex):
            return self._store(head, start)
        if not self.here.fresh and self.starts_term():
            return self._parallel_let(head, start)
        if isinstance(head, s.SMarked) and head.mark == ERASED:
            self.fail("'='")
        return head

    def _at_let(self) -> bool:
        return self.is_symbol("=") and not self.is_symbol("==")

    def _erased_name(self) -> s.SMarked:
        start = self.here.start
        self.at += 1
        return s.SMarked(ERASED, self.name().value, start)

    def _let(self, head: s.Surface, start: int) -> s.Surface:
        if isinstance(head, s.SName) and not is_binder(head):
            raise parse_error("a pattern (a binder or a constructor)", quoted(head.name), Place(self.file, start))
        self.expect("=")
        value = self.term()
        body = self.tail()
        if isinstance(head, s.SName):
            return s.SLet([s.SBind(ONE, head.name, None, value, start)], body, start)
        if isinstance(head, s.SMarked):
            return s.SLet([s.SBind(head.mark, head.name, None, value, start)], body, start)
        return s.SOpen(head, value, body, start)

    def _typed_let(self, head: s.Surface, start: int) -> s.Surface | None:
        assert isinstance(head, s.SName | s.SMarked)
        mark = head.mark if isinstance(head, s.SMarked) else ONE
        before = self.at
        self.expect(":")
        type_ = self.term()
        if not self._at_let():
            self.at = before
            return None
        self.expect("=")
        value = self.term()
        return s.SLet([s.SBind(mark, head.name, type_, value, start)], self.tail(), start)

    def _parallel_let(self, head: s.Surface, start: int) -> s.Surface:
        heads = [head]
        erased = isinstance(head, s.SMarked) and head.mark == ERASED  # the mark in front is every name's
        while not self.here.fresh and not self.is_symbol("-") and self.starts_term() and not self._at_let():
            if erased and self.is_symbol("+"):
                break
            heads.append(self.term())
        if not self._at_let():
            self.fail("'='")
        names: list[tuple[int, str, int]] = []
        for each in heads:
            if isinstance(each, s.SName) and is_binder(each):
                names.append((ERASED if erased else ONE, each.name, each.pos))
            elif isinstance(each, s.SMarked):
                names.append((each.mark, each.name, each.pos))
            else:
                raise BendError(
                    message="a name (a parallel or typed let binds names; destructure in its body)",
                    place=Place(self.file, each.pos),
                )
        self.expect("=")
        binds = [s.SBind(mark, name, None, self.term(), pos) for mark, name, pos in names]
        return s.SLet(binds, self.tail(), start)

    def _store(self, head: s.SIndex, start: int) -> s.Surface:
        self.expect("<-")
        value = self.term()
        if not isinstance(head.array, s.SName):
            raise BendError(message="a name (only a named array is written)", place=Place(self.file, start))
        return s.SStore(head.array.name, head.index, value, self.tail(), start)

    def match(self) -> s.Surface:
        """``match a b:`` with its cases; columns decide which match a case belongs to."""
        start = self.here.start
        self.at += 1
        scrutinees = [self.term()]
        self.accept(",")
        while not self.is_symbol(":") and self.starts_term():
            scrutinees.append(self.term())
            self.accept(",")
        self.expect(":")
        rows: list[tuple[list[s.Surface], s.Surface, int]] = []
        outer, first = self.case_column, -1
        while self.is_word("case"):
            place = self.here.start
            here = column(self.text, place)
            if here < first or (first < 0 and here <= outer):
                break
            first = here if first < 0 else first
            self.at += 1
            patterns = [self.term()]
            self.accept(",")
            while not self.is_symbol(":") and self.starts_term():
                patterns.append(self.term())
                self.accept(",")
            if self.is_symbol("-"):
                self.fail("a term")
            self.expect(":")
            self.case_column = here
            rows.append((patterns, self.body(), place))
            self.case_column = outer
        return s.SMatch(scrutinees, rows, start)

    def do(self) -> s.Surface:
        """``do M<..>:`` and its lines."""
        start = self.here.start
        self.at += 1
        name = self.name().value
        args: list[s.Surface] = []
        if self.is_symbol("<"):
            family = self.family(name, start)
            assert isinstance(family, s.SFamily)
            args = family.args
            if not args:
                raise outside("a do block of a monad without a result type", Place(self.file, start))
        self.expect(":")
        steps: list[s.SStep] = []
        first = column(self.text, self.here.start)
        while True:
            if self.accept_word("return"):
                return s.SDo(name, args, steps, self.term(), True, start)
            step = self._step()
            more = self.accept(";") or (self.here.kind != END and column(self.text, self.here.start) == first)
            if step.name is None and not more:
                return s.SDo(name, args, steps, step.value, False, start)
            steps.append(step)

    def _step(self) -> s.SStep:
        pos = self.here.start
        marked = 1 if (self.is_symbol("+") or self.is_symbol("-")) and self.glued_name() else 0
        if self.ahead(marked).kind != NAME or not self.is_symbol(":", marked + 1):
            value = self.term()
            if self.accept("<-"):
                return s.SStep(ONE, "_", value, self.term(), True, pos)
            return s.SStep(ONE, None, None, value, False, pos)
        mark = ONE
        if marked:
            mark = MANY if self.is_symbol("+") else ERASED
            self.at += 1
        name = self.name().value
        self.expect(":")
        type_ = self.term()
        bind = self.accept("<-")
        if not bind:
            self.expect("=")
        return s.SStep(mark, name, type_, self.term(), bind, pos)
