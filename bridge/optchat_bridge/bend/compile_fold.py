"""Operations of the machine on constants."""

from __future__ import annotations

from .compile_ir import Expr, Imm

LIMIT = 1 << 59
"""A machine's natural number is below this; a larger one stops the program (or is left to the run time here)."""
_WORD = 1 << 32


def _bool(b: bool) -> Imm:
    return Imm("con", 0, "True" if b else "False")


def _cmp(a: int, b: int) -> Imm:
    return Imm("con", 0, "LT" if a < b else "EQ" if a == b else "GT")


def fold(op: str, args: tuple[Expr, ...]) -> Expr | None:
    """The value of an operation whose arguments are all constants, or None."""
    match op, args:
        case "word_con", (Imm("con", _, bit), Imm("word", word)):
            return Imm("word", (word >> 6 << 1 | (bit == "True")) << 6 | (word & 63) + 1)
        case "u32_pack", (Imm("word", word),):
            return Imm("u32", word >> 6)
    values: list[int] = []
    for arg in args:
        if not isinstance(arg, Imm) or arg.kind not in ("nat", "u32", "chr"):
            return None
        values.append(arg.value)
    kind, _, name = op.partition("_")
    if name in ("lt", "le", "gt", "ge", "eq", "ne", "cmp"):
        a, b = values
        if name == "cmp":
            return _cmp(a, b)
        return _bool({"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}[name])
    if kind == "chr":
        return Imm("u32" if name == "to_u32" else "chr", values[0])
    if op == "nat_add" and sum(values) < LIMIT:
        return Imm("nat", sum(values))
    if op == "nat_sub":
        return Imm("nat", max(0, values[0] - values[1]))
    if op == "nat_mul" and values[0] * values[1] < LIMIT:
        return Imm("nat", values[0] * values[1])
    if op in ("u32_add", "u32_sub"):
        return Imm("u32", (values[0] + (values[1] if name == "add" else -values[1])) % _WORD)
    return None
