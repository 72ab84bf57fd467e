"""Recursive descent over files: imports, then types, defs and laws."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from . import surface as s
from .core import ERASED, MANY, ONE
from .errors import Place, outside, parse_error, quoted
from .lexer import NAME
from .parse_body import BodyParser

_WORD = "[A-Za-z_][A-Za-z0-9_-]*"
_PATH: Final = re.compile(rf"(?:/|(?:\./)?(?:\.\./)*)(?:{_WORD}/)*{_WORD}\.bend\Z")
_HUB: Final = re.compile(r"(?:\./)?(?:0x[0-9a-f]+|[^/]*@[^/]*)/")
_IMPORT_LINE: Final = re.compile(
    r"import[ \t]+(?P<path>[^ \t]+)(?:[ \t]+as[ \t]+(?P<alias>[A-Za-z_][A-Za-z0-9_]*))?[ \t]*(?:#.*)?\Z"
)


PARAMETER_LIMIT: Final = 4_096
"""Each is checked in a context of all before it: memory and time grow with the square."""


class FileParser(BodyParser):
    """One file. ``is_law`` tells whether a name, as written here, is a law that waits for its def."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.aliases: set[str] = set()

    def imports(self) -> list[s.SImport | None]:
        """The imports in order; None is Base."""
        found: list[s.SImport | None] = []
        while self.is_word("import") and self.here.fresh:
            found.append(self._import())
        return found

    def _import(self) -> s.SImport | None:
        """One line; None is Base."""
        start = self.here.start
        place = Place(self.file, start)
        end = self.text.find("\n", start)
        rest = self.text[start : end if end >= 0 else len(self.text)]
        shown = quoted(rest.split("#")[0].rstrip())
        line = _IMPORT_LINE.match(rest)
        if line is None:
            raise parse_error("an import ('import Base', or 'import <path> as <Name>')", shown, place)
        path, alias = line.group("path"), line.group("alias")
        if alias is None and path == "Base":
            self.at += 2
            return None
        if alias is None:
            raise parse_error("an import ('import Base', or 'import <path> as <Name>')", shown, place)
        if not path.endswith(".bend"):
            raise parse_error("an import of a .bend file", quoted(path), place)
        if _HUB.match(path):
            raise outside("a package of the hub", place)
        if not _PATH.match(path):
            plain = "an import path of plain names (letters, digits, _ and -; the hub's files import the hub's)"
            raise parse_error(plain, quoted(path), place)
        if alias in self.aliases:
            raise parse_error(f"a fresh alias ({alias} names an earlier import)", shown, place)
        self.aliases.add(alias)
        while self.here.start < start + line.end() and self.here.kind not in ("end", "bad"):
            self.at += 1
        return s.SImport(path, alias, start)

    def declarations(self, is_law: Callable[[str], bool], declare: Callable[[s.SDecl], None]) -> None:
        """Reads declarations to the end and hands each to ``declare`` before it reads the next."""
        while self.here.kind != "end":
            unsafe = False
            if self.accept("@"):
                if not self.is_word("unsafe"):
                    self.fail("'unsafe' (the one decorator)")
                self.at += 1
                unsafe = True
                if not self.is_word("def"):
                    self.fail("'def' (@unsafe marks the def below it)")
            if self.accept_word("def"):
                declare(self._def(unsafe, is_law))
            elif self.accept_word("type"):
                declare(self._type())
            elif self.accept_word("law"):
                declare(self._law())
            else:
                self.fail("'def', 'type' or 'law'")

    def _params(self, closing: str, bare_alone: bool) -> list[s.SParam]:
        """Parameters up to ``closing``; ``bare_alone`` says that names without types may stand."""
        params: list[s.SParam] = []
        while not self.accept(closing):
            params.append(self._param("a plain binder (only leading binders take ~)", params, bare_alone))
            self.accept(",")
        return params

    def _param(self, late: str, before: list[s.SParam], bare: bool) -> s.SParam:
        start = self.here.start
        if len(before) == PARAMETER_LIMIT:
            raise outside(f"more than {PARAMETER_LIMIT} parameters, fields or clauses", Place(self.file, start))
        mark, template = ONE, False
        if self.is_symbol("~"):
            if any(not each.template for each in before):
                self.fail(late)
            template = True
            self.at += 1
        elif self.is_symbol("-"):
            mark = ERASED
            self.at += 1
        elif self.is_symbol("+"):
            mark = MANY
            self.at += 1
        name = self.name().value
        if bare and mark == ONE and not template and not self.is_symbol(":"):
            return s.SParam(mark, name, None, start)
        self.expect(":")
        return s.SParam(mark, name, self.term(), start, template)

    def _type(self) -> s.SType:
        start = self.here.start
        name = self.name().value
        params: list[s.SParam] = []
        if self.accept("<"):
            params = self._params(">", True)
        if not self.accept_word("is"):
            self.fail("'is'")
        kind = self.term()
        self.expect(":")
        constructors: list[s.SConstructor] = []
        while self.here.kind == NAME and not any(self.is_word(word) for word in ("def", "type", "law")):
            token = self.name()
            self.expect("{")
            constructors.append(s.SConstructor(token.value, self._params("}", True), token.start))
        return s.SType(name, params, kind, constructors, start)

    def _def(self, unsafe: bool, is_law: Callable[[str], bool]) -> s.SDef:
        start = self.here.start
        name = self.name().value
        if self.is_symbol("?") and self.here.glued:
            self.at += 1
            unsafe = True
        alias = name.split(".")[0]
        law = is_law(name)
        if not law and "." in name and alias in self.aliases:
            raise parse_error(f"a fresh name ({alias} is an import's alias)", quoted(name), Place(self.file, start))
        self.expect("(")
        if law:
            names = []
            while not self.accept(")"):
                token = self.name()
                names.append(s.SParam(ONE, token.value, None, token.start))
                self.accept(",")
            self.expect(":")
            return s.SDef(name, names, None, self.body(), unsafe, start)
        params = self._params(")", True)
        if not self.accept("->"):
            self.fail(f"'->' (a def with no return type fills a law; no law named {name} is in scope)")
        result = self.term()
        self.expect(":")
        if self.is_word("import"):
            raise outside("a def of foreign code", Place(self.file, self.here.start))
        return s.SDef(name, params, result, self.body(), unsafe, start)

    def _law(self) -> s.SLaw:
        start = self.here.start
        name = self.name().value
        self.expect(":")
        clauses: list[s.SParam] = []
        while self.is_word("for") or self.is_word("exs"):
            exists = self.is_word("exs")
            self.at += 1
            if exists and self.here.kind != NAME:
                self.fail("a name")
            late = "a plain clause (only leading clauses take ~)"
            clause = self._param(late, clauses, False)
            clause.exists = exists
            if self.accept_word("where"):
                clause.where = self.term()
            clauses.append(clause)
        return s.SLaw(name, clauses, self.body(), start)
