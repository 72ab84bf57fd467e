"""What both halves of the parser share: the cursor over tokens, expectations, and the limit of nesting."""

from __future__ import annotations

from itertools import islice
from typing import Final, NoReturn

from . import lexer
from .errors import BendError, Place, outside, parse_error, quoted
from .lexer import KEYWORDS, NAME, SYM, Token

NESTING_LIMIT: Final = 20_000
_VALUE_KEYWORDS: Final = frozenset(["Type", "Data", "Kind", "Quant", "match", "do"])
_BATCH: Final = 1024
_LITERALS: Final = frozenset([lexer.NAT, lexer.U32, lexer.F32, lexer.STR, lexer.CHR])


class Cursor:
    """A position in the tokens of one file."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._tokens: list[Token] = []
        self._more = lexer.tokens(text)
        self.at = 0
        self.depth = 0

    @property
    def here(self) -> Token:
        """The next token."""
        return self.ahead(0)

    def ahead(self, count: int = 1) -> Token:
        """The token ``count`` places further, or the last one; tokens are read when they are asked for."""
        wanted = self.at + count
        tokens = self._tokens
        if wanted >= len(tokens):
            tokens.extend(islice(self._more, wanted - len(tokens) + _BATCH))
            if wanted >= len(tokens):
                return tokens[-1]
        return tokens[wanted]

    def fail(self, expected: str, observed: str | None = None) -> NoReturn:
        """Raises ``expected`` at the next token."""
        raise self.failure(expected, observed)

    def failure(self, expected: str, observed: str | None = None) -> BendError:
        """The error ``expected`` at the next token; by default its first character is what was observed."""
        token = self.here
        char = self.text[token.start : token.start + 1]
        named = expected == "a name" and (char.isalpha() or char == "_")
        if token.kind == lexer.BAD and (named or expected == "a term"):
            if token.outside:
                return outside(token.value, Place(self.file, token.start))
            return parse_error(token.value, token.observed, Place(self.file, token.start))
        if observed is None:
            observed = quoted(char)
        return parse_error(expected, observed, Place(self.file, token.start))

    def deeper(self) -> None:
        """Counts one level of nesting; the caller takes it back."""
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            raise outside(f"nesting deeper than {NESTING_LIMIT} levels", Place(self.file, self.here.start))

    def is_symbol(self, symbols: str, offset: int = 0) -> bool:
        """Whether the symbols stand next, ``offset`` tokens further, glued to each other."""
        for index, wanted in enumerate(symbols):
            token = self.ahead(offset + index)
            if token.kind != SYM or token.value != wanted or (index and not token.glued):
                return False
        return True

    def accept(self, symbols: str) -> bool:
        """Takes the symbols if they stand next."""
        if not self.is_symbol(symbols):
            return False
        self.at += len(symbols)
        return True

    def expect(self, symbols: str) -> None:
        """Takes the symbols or fails."""
        if not self.accept(symbols):
            self.fail(f"'{symbols}'")

    def is_word(self, word: str, offset: int = 0) -> bool:
        """Whether the word (a keyword, or a free word where it has a meaning) stands next."""
        token = self.ahead(offset)
        return token.kind == NAME and token.value == word

    def accept_word(self, word: str) -> bool:
        """Takes the word if it stands next."""
        if not self.is_word(word):
            return False
        self.at += 1
        return True

    def name(self) -> Token:
        """Takes a name that is no keyword, or fails."""
        token = self.here
        if token.kind != NAME:
            self.fail("a name")
        if token.value in KEYWORDS:
            self.fail(f"a name (got the keyword '{token.value}')", quoted(token.value))
        self.at += 1
        return token

    def glued_name(self, offset: int = 1) -> bool:
        """Whether the token ``offset`` further is a name glued to what stands before it."""
        token = self.ahead(offset)
        return token.kind == NAME and token.glued and token.value not in KEYWORDS

    def starts_term(self) -> bool:
        """Whether the next token can begin a term."""
        token = self.here
        if token.kind == NAME:
            return token.value not in KEYWORDS or token.value in _VALUE_KEYWORDS
        if token.kind == SYM:
            if token.value in "([{\\?%@":
                return True
            return token.value in "+-&" and self.ahead().glued
        if token.kind == lexer.BAD:
            # an error inside a literal or a name is reported as that; any other character begins no term
            char = self.text[token.start]
            return char in "\"'_" or char.isalnum()
        return token.kind in _LITERALS
