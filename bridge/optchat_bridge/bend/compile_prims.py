"""The operations of the machine as C text. Operands are evaluated words; a nat's word is 16 times the number plus 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_ORDER: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def _test(sign: str) -> Callable[[str, str], str]:
    return lambda a, b: f"{a} {sign} {b}"


# Words of one kind are ordered as their numbers are.
TESTS: Final[dict[str, Callable[..., str]]] = {
    f"{kind}_{name}": _test(sign)
    for kind in ("nat", "u32", "chr")
    for name, sign in _ORDER.items()
    if kind != "chr" or name == "eq"
}
"""Operations that give a Bool, as C conditions."""


def _value(a: str) -> str:
    return f"IMM_VALUE({a})"


def _cmp(a: str, b: str) -> str:
    return f"{a} < {b} ? CON0(C_LT) : {a} == {b} ? CON0(C_EQ) : CON0(C_GT)"


_EXPRESSIONS: Final[dict[str, Callable[..., str]]] = {
    "nat_sub": lambda a, b: f"{a} > {b} ? {a} - {b} + 1 : NAT(0)",
    "nat_mul": lambda a, b: f"nat_times({_value(a)}, {_value(b)})",
    "nat_div": lambda a, b: f"{b} == NAT(0) ? NAT(0) : NAT({_value(a)} / {_value(b)})",
    "nat_mod": lambda a, b: f"{b} == NAT(0) ? {a} : NAT({_value(a)} % {_value(b)})",
    "nat_pow": lambda a, b: f"nat_power({_value(a)}, {_value(b)})",
    "nat_min": lambda a, b: f"{a} < {b} ? {a} : {b}",
    "nat_max": lambda a, b: f"{a} > {b} ? {a} : {b}",
    "nat_cmp": _cmp,
    "u32_add": lambda a, b: f"U32({_value(a)} + {_value(b)})",
    "u32_sub": lambda a, b: f"U32({_value(a)} - {_value(b)})",
    "u32_mul": lambda a, b: f"U32({_value(a)} * {_value(b)})",
    "u32_div": lambda a, b: f"{b} == U32(0) ? U32(0) : U32({_value(a)} / {_value(b)})",
    "u32_mod": lambda a, b: f"{b} == U32(0) ? {a} : U32({_value(a)} % {_value(b)})",
    "u32_and": lambda a, b: f"{a} & {b}",
    "u32_or": lambda a, b: f"{a} | {b}",
    "u32_xor": lambda a, b: f"U32({_value(a)} ^ {_value(b)})",
    "u32_not": lambda a: f"U32(~{_value(a)})",
    "u32_shl": lambda a: f"U32({_value(a)} << 1)",
    "u32_shr": lambda a: f"U32({_value(a)} >> 1)",
    "u32_shln": lambda a, n: f"{n} > NAT(31) ? U32(0) : U32({_value(a)} << {_value(n)})",
    "u32_shrn": lambda a, n: f"{n} > NAT(31) ? U32(0) : U32({_value(a)} >> {_value(n)})",
    "u32_inc": lambda a: f"U32({_value(a)} + 1)",
    "u32_min": lambda a, b: f"{a} < {b} ? {a} : {b}",
    "u32_max": lambda a, b: f"{a} > {b} ? {a} : {b}",
    "u32_cmp": _cmp,
    "u32_to_nat": lambda a: f"NAT({_value(a)})",
    "u32_from_nat": lambda a: f"U32({_value(a)})",
    "chr_to_u32": lambda a: f"U32({_value(a)})",
    "chr_from_u32": lambda a: f"CHR({_value(a)})",
    "chr_cmp": _cmp,
    "u32_pack": lambda a: f"word_pack({a})",
    "word_con": lambda a, b: f"word_cons({a}, {b})",
}

# A sum can grow too large and stop the program; that is far beyond what memory can count, so it is cheap all the same.
CHEAP: Final = frozenset([*TESTS, *_EXPRESSIONS, "nat_add", "nat_double"]) - {"nat_mul", "nat_pow"}
"""What may be done before it is needed."""


def prim_statement(op: str, target: str, args: list[str]) -> str:
    """The C statement that puts the operation's value in ``target``."""
    if op in ("nat_add", "nat_double"):
        a, b = args if op == "nat_add" else args * 2
        return f"{target} = {a} + {b} - 1; if ({target} >> 63) return fail(NAT_LARGE);"
    if op in TESTS:
        return f"{target} = BOOL({TESTS[op](*args)});"
    return f"{target} = {_EXPRESSIONS[op](*args)};"
