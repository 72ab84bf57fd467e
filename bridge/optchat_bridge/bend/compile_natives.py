"""The names of our Base that the compiler knows: defs that are one machine operation, and the effects.

Every native equals its def in base/ (stateful_tests/bend/test_compile_natives.py compares them), and needs what the def
needs, with one exception: a natural number, a machine word and a character are evaluated in full when they are
evaluated at all (``1n+x`` evaluates x).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from .compile_ir import Alt, Case, Expr, Imm, Prim, V


class Effect(NamedTuple):
    """An effect: its number in runtime.c and how many live arguments it takes."""

    number: int
    arity: int


NATIVES: Final[dict[str, str]] = {
    "Nat.add": "nat_add",
    "Nat.sub": "nat_sub",
    "Nat.mul": "nat_mul",
    "Nat.double": "nat_double",
    "Nat.div": "nat_div",
    "Nat.mod": "nat_mod",
    "Nat.pow": "nat_pow",
    "Nat.min": "nat_min",
    "Nat.max": "nat_max",
    "Nat.is_lt": "nat_lt",
    "Nat.is_le": "nat_le",
    "Nat.is_gt": "nat_gt",
    "Nat.is_ge": "nat_ge",
    "Nat.is_eq": "nat_eq",
    "Nat.is_ne": "nat_ne",
    "Nat.cmp": "nat_cmp",
    "U32.add": "u32_add",
    "U32.sub": "u32_sub",
    "U32.mul": "u32_mul",
    "U32.div": "u32_div",
    "U32.mod": "u32_mod",
    "U32.and": "u32_and",
    "U32.or": "u32_or",
    "U32.xor": "u32_xor",
    "U32.not": "u32_not",
    "U32.shl": "u32_shl",
    "U32.shr": "u32_shr",
    "U32.shln": "u32_shln",
    "U32.shrn": "u32_shrn",
    "U32.inc": "u32_inc",
    "U32.min": "u32_min",
    "U32.max": "u32_max",
    "U32.is_lt": "u32_lt",
    "U32.is_le": "u32_le",
    "U32.is_gt": "u32_gt",
    "U32.is_ge": "u32_ge",
    "U32.is_eq": "u32_eq",
    "U32.is_ne": "u32_ne",
    "U32.cmp": "u32_cmp",
    "U32.to_nat": "u32_to_nat",
    "U32.from_nat": "u32_from_nat",
    "Char.to_u32": "chr_to_u32",
    "Char.from_u32": "chr_from_u32",
    "Char.is_eq": "chr_eq",
    "Char.cmp": "chr_cmp",
}
"""Defs by name, and the operation of compile_emit that does the same."""

EFFECTS: Final[dict[str, Effect]] = {
    "IO.pure": Effect(0, 1),
    "IO.bind": Effect(1, 2),
    "IO.print": Effect(2, 1),
    "IO.write": Effect(3, 1),
    "IO.print_err": Effect(4, 1),
    "IO.args": Effect(5, 0),
    "IO.get_env": Effect(6, 1),
    "IO.die": Effect(7, 2),
    "File.open": Effect(8, 2),
    "File.read": Effect(9, 2),
    "File.read_bytes": Effect(10, 2),
    "File.size": Effect(11, 1),
    "File.write": Effect(12, 2),
    "File.close": Effect(13, 1),
}
"""Laws of Base that the compiled program runs; the live arguments only are counted."""

# An argument that decides alone when it is 0: its place, and what the value is then (a number, or another argument).
_DECIDES: Final[dict[str, tuple[int, Imm | int]]] = {
    "nat_mul": (0, Imm("nat", 0)),
    "nat_min": (0, Imm("nat", 0)),
    "nat_pow": (1, Imm("nat", 1)),
    "nat_div": (1, Imm("nat", 0)),
    "nat_mod": (1, 0),
    "u32_shln": (1, 0),
    "u32_shrn": (1, 0),
}


def native(op: str, params: list[V]) -> Expr:
    """The body of a def that is one operation: it needs no more of its arguments than the def does."""
    whole = Prim(op, tuple(params))
    if op not in _DECIDES:
        return whole
    place, value = _DECIDES[op]
    zero = value if isinstance(value, Imm) else params[value]
    return Case(params[place], params[place].id, (Alt("Zero", (), zero),), whole)
