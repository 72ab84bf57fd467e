"""The binary operators: how tightly they bind, and how they are spelled."""

from typing import Final

# operator: precedence, loosest first, and whether it groups to the right
OPERATORS: Final[dict[str, tuple[int, bool]]] = {
    "->": (1, True),
    "&": (2, True),
    "|": (2, True),
    "||": (3, False),
    "&&": (4, False),
    "<": (5, False),
    "<=": (5, False),
    ">": (5, False),
    ">=": (5, False),
    "<>": (6, True),
    "++": (6, True),
    "<&>": (6, True),
    ".|.": (7, False),
    ".^.": (8, False),
    ".&.": (9, False),
    "<<": (10, False),
    ">>": (10, False),
    "+": (11, False),
    "-": (11, False),
    "*": (12, False),
    "/": (12, False),
    "%": (12, False),
}
LONG: Final = ("<&>", ".|.", ".^.", ".&.", "->", "||", "&&", "<=", ">=", "<>", "++", "<<", ">>")
ARROW: Final = 1
PAIR: Final = 2
ATOM: Final = 13
PLUS_LIMIT: Final = 256
"""Up to 256n, ``k n + x`` is successors; past it a call of Nat.add."""
