"""Text to tokens.

Every symbol is one token of one character: the parser joins them, because the same characters mean different
things in different places (``1n++p``, ``Box<-A>``, ``List<List<Nat>>``). A lexical error is a token too, and is
raised only when the parser comes to it, so that errors are reported in the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from .errors import quoted

NAME: Final = "name"
NAT: Final = "nat"
U32: Final = "u32"
F32: Final = "f32"
STR: Final = "string"
CHR: Final = "char"
SYM: Final = "symbol"
END: Final = "end"
BAD: Final = "bad"

KEYWORDS: Final = frozenset(
    word
    for line in ("def type law match case do return for exs where is import", "Type Data Kind Quant")
    for word in line.split()
)
LITERAL_MAX: Final = 2**32 - 1
_DIGITS_SHOWN: Final = 40
ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'", '"': '"'}

_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\n]++|\#[^\n]*+)++)"  # possessive: 15 MB of comments took 1.4 GB to remember ways back
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<symbol>[(){}\[\]<>=:,;@%&|+\-*/!?~^.\\])"
)
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_WORD_CHAR = re.compile(r"[A-Za-z0-9_]")
_UNICODE = re.compile(r"\\u\{([0-9A-Fa-f]+)\}")
_EXPONENT = re.compile(r"[eE][+-]?[0-9]")


class Token(NamedTuple):
    """``value`` is the name, the symbol, the number or the decoded text; a BAD token holds what was expected.

    ``fresh`` says that a line break stands before it, ``glued`` that nothing stands before it. A BAD token that is
    ``outside`` may be Bend, and its value is what it is.
    """

    kind: str
    value: str
    start: int
    end: int
    fresh: bool
    glued: bool
    observed: str = ""
    outside: bool = False


def column(text: str, pos: int) -> int:
    """The column of a place, from 0."""
    return pos - (text.rfind("\n", 0, pos) + 1)


def tokens(text: str) -> Iterator[Token]:
    """The tokens one by one, an END token last (or a BAD one, behind which nothing is read)."""
    pos, size = 0, len(text)
    fresh, glued = True, False
    match_at = _TOKEN.match
    while pos < size:
        found = match_at(text, pos)
        kind = found.lastgroup if found else None
        if found is None or kind is None:
            token = _quoted_literal(text, pos, fresh, glued)
        elif kind == "space":
            pos = found.end()
            fresh = fresh or "\n" in found.group()
            glued = False
            continue
        elif kind == "symbol":
            token = Token(SYM, found.group(), pos, pos + 1, fresh, glued)
        elif kind == "name":
            token = _name(found.group(), pos, fresh, glued)
        else:
            token = _number(text, found.group(), pos, fresh, glued)
        yield token
        if token.kind == BAD:
            return
        pos = token.end
        fresh, glued = False, True
    yield Token(END, "", size, size, fresh, glued)


def _name(word: str, pos: int, fresh: bool, glued: bool) -> Token:
    if "." in word and not _WORDS.match(word):
        return Token(BAD, f"a name (words joined by dots, got '{word}')", pos, pos, fresh, glued, quoted(word))
    return Token(NAME, word, pos, pos + len(word), fresh, glued)


def _number(text: str, digits: str, pos: int, fresh: bool, glued: bool) -> Token:
    end = pos + len(digits)

    def bad(expected: str, observed: str) -> Token:
        return Token(BAD, expected, pos, pos, fresh, glued, observed)

    after = text[end : end + 1]
    if _EXPONENT.match(text, end):
        return Token(BAD, "a float with an exponent", pos, pos, fresh, glued, outside=True)
    if "." in digits:
        if _WORD_CHAR.match(after):
            return bad("a numeric literal (NUMBER is U32, NUMBER n is Nat)", quoted(after))
        return Token(F32, digits, pos, end, fresh, glued)
    if after == "n":
        after = text[end + 1 : end + 2]
        if _WORD_CHAR.match(after):
            return bad("a nat literal (NUMBER n)", quoted(after))
        if len(digits) > 10 or int(digits) > LITERAL_MAX:
            return bad(f"a nat literal up to {LITERAL_MAX}n (got {_start_of(digits)}n)", quoted(after))
        return Token(NAT, digits, pos, end + 1, fresh, glued)
    if _WORD_CHAR.match(after):
        return bad("a numeric literal (NUMBER is U32, NUMBER n is Nat)", quoted(after))
    if len(digits) > 10 or int(digits) > LITERAL_MAX:
        return bad(f"a u32 literal up to {LITERAL_MAX} (got {_start_of(digits)})", quoted(_start_of(digits)))
    return Token(U32, digits, pos, end, fresh, glued)


def _start_of(digits: str) -> str:
    """A numeral as a message can hold it."""
    return digits if len(digits) <= _DIGITS_SHOWN else digits[:_DIGITS_SHOWN] + "..."


def _quoted_literal(text: str, pos: int, fresh: bool, glued: bool) -> Token:
    """A string or a character, or the error for a character that begins nothing."""
    mark = text[pos]
    if mark not in "\"'":
        return Token(BAD, "a term", pos, pos, fresh, glued, quoted(mark))
    out: list[str] = []
    at = pos + 1
    while True:
        char = text[at : at + 1]
        if not char or (char == mark and (mark == '"' or out)):
            break
        if mark == "'" and out:
            return Token(BAD, "a closing '", pos, pos, fresh, glued, quoted(char))
        if char == "\\":
            simple = ESCAPES.get(text[at + 1 : at + 2])
            coded = _UNICODE.match(text, at)
            code = int(coded.group(1), 16) if coded else -1
            if simple is not None:
                char, at = simple, at + 2
            elif coded and (code > 0x10FFFF or len(coded.group(1)) > 6):
                return Token(BAD, r"\u{..} above 10FFFF or of more than 6 digits", pos, pos, fresh, glued, outside=True)
            elif coded and not 0xD800 <= code < 0xE000:
                char, at = chr(code), coded.end()
            else:
                wanted = r"an escape (\n \t \r \0 \\ \' \" \u{1F600})"
                return Token(BAD, wanted, pos, pos, fresh, glued, quoted(text[at + 2 : at + 3]))
        else:
            at += 1
        out.append(char)
    if not char:
        return Token(BAD, f"a closing {mark}", pos, pos, fresh, glued, quoted(char))
    return Token(STR if mark == '"' else CHR, "".join(out), pos, at + 1, fresh, glued)
