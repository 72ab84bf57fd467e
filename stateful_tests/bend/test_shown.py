"""Our Bend files say nothing in a form that no program is known to say which the real Bend accepts.

A form is a node of the surface syntax, a place in it, and the node that stands there: a let in a lambda's body, an
arrow behind an arrow. Those of the golden cases, the cookbook and the measured files are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.modules import Library

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"


class Form(NamedTuple):
    node: str
    place: str
    child: str


# What the digest says is allowed there, though no program of ours with the real Bend's verdict does it.
ALLOWED: dict[str, set[Form]] = {
    "`++` joins strings and needs no type": {
        Form("SBin[++]", "left", "SName"),
        Form("SBin[++]", "right", "SName"),
        Form("SCall", "args", "SBin[++]"),
        Form("SCtr", "args", "SBin[++]"),
        Form("SMatch", "rows", "SBin[++]"),
    },
    "`A | B` is a type, and a def or its case may be one; so may an equation": {
        Form("SBin[|]", "right", "SCall"),
        Form("SBin[|]", "right", "SSigma"),
        Form("SDef", "body", "SBin[|]"),
        Form("SDef", "body", "SEq"),
        Form("SMatch", "rows", "SBin[|]"),
        Form("SSigma", "fst", "SCall"),
    },
    "a term of a type may stand where one is checked: lists, strings, numerals, rewrites": {
        Form("SCtr", "args", "SRewrite"),
        Form("SDef", "body", "SBin[<>]"),
        Form("SDef", "body", "SLit[string]"),
        Form("SEq", "right", "SLit[string]"),
        Form("SLam[1]", "body", "SBin[<>]"),
        Form("SList", "items", "SPlus"),
        Form("STuple", "items", "SBin[<>]"),
    },
    "a let may have a mark and a type, and any body; a step of a do block has a type": {
        Form("SBind[2]", "type", "SCall"),
        Form("SLet", "body", "SDo"),
        Form("SStep[1]", "type", "SFamily"),
    },
}


def name(node: Any) -> str:
    for attribute in ("mark", "op", "kind"):
        value = getattr(node, attribute, None)
        if isinstance(value, int | str):
            return f"{type(node).__name__}[{value}]"
    return type(node).__name__


def forms(node: Any) -> Iterator[Form]:
    """The forms in a declaration."""
    for place in fields(node):
        stack = [getattr(node, place.name)]
        while stack:
            child = stack.pop()
            if is_dataclass(child):
                yield Form(name(node), place.name, name(child))
                yield from forms(child)
            elif isinstance(child, list | tuple):
                stack.extend(child)


def forms_of(entries: list[Path]) -> dict[Form, str]:
    """All forms in these files and what they import, each with a declaration that has it."""
    found: dict[Form, str] = {}
    for path in entries:
        library = Library()
        library.load_entry(str(path))
        for entry in library.names.values():
            for decl in (entry.decl, entry.fill):
                if decl is not None and not entry.module.base:
                    for form in forms(decl):
                        found.setdefault(form, entry.name)
    return found


def accepted() -> list[Path]:
    rows = [line.split("\t") for line in (GOLDEN / "cases" / "expected.tsv").read_text(encoding="utf-8").split("\n")]
    cases = [GOLDEN / "cases" / row[0] for row in rows if row[1:2] == ["accept"]]
    return [*cases, *(GOLDEN / "cookbook").rglob("*.bend"), *(GOLDEN / "perf").glob("*.bend")]


def test_our_files_use_forms_that_the_real_bend_accepts() -> None:
    known, ours = deep(lambda: (forms_of(accepted()), forms_of([ROOT / "PROOF.bend", ROOT / "bend" / "bridge.bend"])))
    assert len(known) > 200
    unknown = set(ours) - set(known)
    allowed = set().union(*ALLOWED.values())
    assert {form: ours[form] for form in unknown - allowed} == {}
    assert allowed - unknown == set()
