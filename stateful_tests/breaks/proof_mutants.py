"""Mutants of the proofs: every small change of a kind, of every declaration of bend/proof/ and PROOF.bend.

A mutant is a declaration with one change of its text. Those of a body leave the claim as it is: accepted, they are
another proof of it, or a fault of the checker. Those of a claim are accepted only when the other claim holds as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from stateful_tests.breaks.proof_text import CLOSE, Call, Declaration, Token, arms, body_start, calls, pairs, tokens

FLIPS = {
    "True": "False", "False": "True", "LT": "GT", "GT": "LT", "EQ": "LT", "Inl": "Inr", "Inr": "Inl",
    "0n": "1n", "1n": "0n", "2n": "1n", "3n": "2n", "O": "I", "I": "O",
}  # fmt: skip


class Mutant(NamedTuple):
    """`text` stands for the declaration's own; `kind` names the change, `says` shows it."""

    declaration: Declaration
    kind: str
    says: str
    text: str

    @property
    def key(self) -> str:
        """What tells the mutant from every other one of its file, wherever the declaration stands."""
        return f"{self.declaration.name}: {self.kind}: {self.says}"


class Site(NamedTuple):
    """A declaration with what its mutants need: where its body starts, its parameters, and lemmas like each lemma."""

    declaration: Declaration
    body: int
    parameters: tuple[str, ...]
    hypotheses: dict[str, str]
    """The clauses of the law that a def fills which are equations, by the names that the def gives them."""
    others: Callable[[str], str | None]
    """Another lemma with as many arguments."""

    def change(self, kind: str, start: int, end: int, new: str) -> Mutant:
        text = self.declaration.text
        says = f"{line(text[max(0, start - BEFORE) : start])}[{line(text[start:end])}]{line(text[end : end + AFTER])}"
        return Mutant(self.declaration, kind, f"{says} -> [{line(new)}]", text[:start] + new + text[end:])


BEFORE, AFTER = 40, 20
"""Characters around a change that are shown with it, so that it is known from the others of its declaration."""


def line(text: str) -> str:
    """A text on one line; a long one by its start and its end."""
    words = re.sub(r"\s+", " ", text)
    return words if len(words) <= 70 else f"{words[:40]}..{words[-28:]}"


def mutants(site: Site) -> Iterator[Mutant]:
    """Every mutant of a declaration, without repetition."""
    seen = {site.declaration.text}
    for make in MUTATORS:
        for mutant in make(site):
            if mutant.text not in seen:
                seen.add(mutant.text)
                yield mutant


# Bodies


def cases_dropped(site: Site) -> Iterator[Mutant]:
    for arm in arms(site.declaration.text, site.body):
        yield site.change("case dropped", arm.start, arm.end, "")


def ends_replaced(site: Site) -> Iterator[Mutant]:
    """The body, or an arm without cases, is `{==}`, or the def itself at the same arguments."""
    text = site.declaration.text
    ends = [(arm.body, arm.end) for arm in arms(text, site.body) if arm.leaf]
    if site.body < len(text):
        ends.append((site.body, len(text)))
    for start, end in ends:
        indent = re.match(r" *", text[start:])
        assert indent is not None
        if text[start:end].strip() != "{==}":
            yield site.change("body is {==}", start, end, indent[0] + "{==}\n")
        if site.parameters:
            itself = f"{site.declaration.name}({', '.join(site.parameters)})"
            yield site.change("body is itself", start, end, f"{indent[0]}{itself}\n")


def recursion_widened(site: Site) -> Iterator[Mutant]:
    """An argument of a self-call, or all of them, is the whole parameter."""
    text, parameters = site.declaration.text, site.parameters
    for call in calls(text, site.body, len(text)):
        if call.name != site.declaration.name or len(call.arguments) != len(parameters):
            continue
        for (start, end), parameter in zip(call.arguments, parameters, strict=True):
            if text[start:end].lstrip("~") != parameter and parameter != "_":
                yield site.change("recursion on the whole", start, end, parameter)
        first, last = call.arguments[0][0], call.arguments[-1][1]
        yield site.change("recursion on the whole", first, last, ", ".join(parameters))


class Rewrite(NamedTuple):
    """`%evidence : motive`, as offsets; `end` is behind the line or the semicolon."""

    start: int
    evidence: tuple[int, int]
    motive: tuple[int, int]
    end: int


def rewrites(text: str, start: int) -> Iterator[Rewrite]:
    found = tokens(text, start)
    closed = pairs(found)
    for index, token in enumerate(found):
        if token.text != "%" or text[token.end] == " ":
            continue
        colon = _end(found, closed, index + 1, ":")
        if colon is None:
            continue
        last = _end(found, closed, colon + 1, ";")
        if last is None:
            continue
        behind = found[last].end if found[last].text == ";" else found[last].start
        motive = (found[colon + 1].start, found[last - 1].end)
        yield Rewrite(token.start, (token.end, found[colon - 1].end), motive, behind)


def _end(found: list[Token], closed: dict[int, int], at: int, stop: str) -> int | None:
    """The token behind a term: `stop`, or, behind a motive, what stands on the next line or is no operator."""
    first = at
    while at < len(found) and found[at].text not in CLOSE:
        word = found[at].text
        if word == stop:
            return at
        if stop == ";" and at > first and word not in OPERATORS and found[at - 1].text not in OPERATORS:
            glued = found[at - 1].end == found[at].start
            if not glued or found[at - 1].text in CLOSE:
                return at
        at = closed.get(at, at) + 1
    return None


OPERATORS = ("&", "|", "->", "<>", "+")


def rewrites_dropped(site: Site) -> Iterator[Mutant]:
    for rewrite in rewrites(site.declaration.text, site.body):
        yield site.change("rewrite dropped", rewrite.start, rewrite.end, "")


def motives_turned(site: Site) -> Iterator[Mutant]:
    """The sides of a motive that is an equation are swapped; the underscore changes its place with a neighbour."""
    text = site.declaration.text
    for rewrite in rewrites(text, site.body):
        start, end = rewrite.motive
        sides = equation(text, start, end)
        if sides is not None:
            left, right, type_ = (text[a:b] for a, b in sides)
            yield site.change("motive's sides swapped", start, end, f"{{{right} == {left} : {type_}}}")
        for call in calls(text, start, end):
            holes = [at for at, (a, b) in enumerate(call.arguments) if text[a:b] == "_"]
            for hole in holes[:1]:
                for other in range(len(call.arguments)):
                    if other != hole:
                        yield swapped(site, "underscore moved", call, min(hole, other), max(hole, other))
        marks = [token for token in tokens(text, start, end) if token.text == "_"]
        if sides is not None and len(marks) == 1:
            yield from underscore_across(site, sides, marks[0].start)


def underscore_across(site: Site, sides: tuple[tuple[int, int], ...], mark: int) -> Iterator[Mutant]:
    """The underscore stands for the whole of the other side."""
    text = site.declaration.text
    (left, left_end), (right, right_end), _ = sides
    if left <= mark < left_end and text[left:left_end] != "_":
        yield site.change("underscore moved", right, right_end, "_")
    elif text[right:right_end] != "_":
        yield site.change("underscore moved", left, left_end, "_")


def equation(text: str, start: int, end: int) -> tuple[tuple[int, int], ...] | None:
    """The left side, the right side and the type of `{left == right : type}`, when that is all there is."""
    found = tokens(text, start, end)
    closed = pairs(found)
    if not found or found[0].text != "{" or closed.get(0) != len(found) - 1:
        return None
    depth, equals, colon = 0, -1, -1
    for at in range(1, len(found) - 1):
        word = found[at].text
        if depth == 0 and word == "==":
            equals = at
        elif depth == 0 and word == ":":
            colon = at
        depth += (word in "([{") - (word in ")]}")
    if equals < 2 or colon < equals + 2 or colon + 2 > len(found) - 1:
        return None
    last = len(found) - 1
    return (
        (found[1].start, found[equals - 1].end),
        (found[equals + 1].start, found[colon - 1].end),
        (found[colon + 1].start, found[last - 1].end),
    )


def evidence_turned(site: Site) -> Iterator[Mutant]:
    """Equal.sym taken away, or put before a hypothesis; one half of Equal.trans, or both in the other order."""
    text = site.declaration.text
    for call in calls(text, site.body, len(text)):
        parts = [text[a:b] for a, b in call.arguments]
        if call.name == "Equal.sym" and len(parts) == 4:
            yield site.change("evidence flipped", call.start, call.end, parts[3])
        elif call.name == "Equal.trans" and len(parts) == 6:
            for half in parts[4:]:
                yield site.change("half of a chain", call.start, call.end, half)
    for rewrite in rewrites(text, site.body):
        start, end = rewrite.evidence
        clause = site.hypotheses.get(text[start:end])
        sides = equation(clause, 0, len(clause)) if clause else None
        if clause and sides is not None:
            left, right, type_ = (clause[a:b] for a, b in sides)
            yield site.change("evidence flipped", start, end, f"Equal.sym({type_}, {left}, {right}, {text[start:end]})")


def lemmas_exchanged(site: Site) -> Iterator[Mutant]:
    text = site.declaration.text
    for call in calls(text, site.body, len(text)):
        other = site.others(call.name) if call.name else None
        if other is not None and other != call.name:
            yield site.change("another lemma", call.start, call.start + len(call.name), other)


def arguments_swapped(site: Site) -> Iterator[Mutant]:
    text = site.declaration.text
    for call in calls(text, site.body, len(text)):
        for at in range(len(call.arguments) - 1):
            (a, b), (c, d) = call.arguments[at : at + 2]
            if text[a:b] != text[c:d] and (text[a] == "~") == (text[c] == "~"):
                yield swapped(site, "arguments swapped", call, at, at + 1)


def swapped(site: Site, kind: str, call: Call, first: int, second: int) -> Mutant:
    text = site.declaration.text
    (a, b), (c, d) = call.arguments[first], call.arguments[second]
    return site.change(kind, a, d, text[c:d] + text[b:c] + text[a:b])


def hypotheses_ignored(site: Site) -> Iterator[Mutant]:
    """A hypothesis is not used: `{==}` stands where it stood."""
    for token in tokens(site.declaration.text, site.body):
        if token.text in site.hypotheses:
            yield site.change("hypothesis ignored", token.start, token.end, "{==}")


def values_flipped(site: Site) -> Iterator[Mutant]:
    yield from flipped(site, "value flipped", site.body, len(site.declaration.text))


def flipped(site: Site, kind: str, start: int, end: int) -> Iterator[Mutant]:
    text = site.declaration.text
    for token in tokens(text, start, end):
        alias, _, word = token.text.rpartition("Bits.")
        new = FLIPS.get(word)
        if new is not None and not alias:
            if text[token.end : token.end + 1] == "+":
                new = "2n" if word == "1n" else "1n"
            prefix = token.text[: len(token.text) - len(word)]
            yield site.change(kind, token.start, token.end, prefix + new)


# Claims


def claims_falsified(site: Site) -> Iterator[Mutant]:
    """Another claim, or another hypothesis: a value flipped, or two arguments swapped."""
    if site.declaration.kind == "type":
        return
    yield from flipped(site, "claim falsified", 0, site.body)
    text = site.declaration.text
    for call in calls(text, 0, site.body):
        if call.start == text.index(site.declaration.name):
            continue
        for at in range(len(call.arguments) - 1):
            (a, b), (c, d) = call.arguments[at : at + 2]
            if text[a:b] != text[c:d]:
                yield swapped(site, "claim falsified", call, at, at + 1)


def hypotheses_erased(site: Site) -> Iterator[Mutant]:
    """A hypothesis that is a fact becomes an erased one, which no live step may use."""
    for clause in re.finditer(r"^  for (\+?)[a-z]\w*: [{A-Z]", site.declaration.text, re.MULTILINE):
        if site.declaration.kind == "law":
            at = clause.start() + len("  for ")
            yield site.change("hypothesis erased", at, at + len(clause[1]), "-")


MUTATORS: tuple[Callable[[Site], Iterator[Mutant]], ...] = (
    cases_dropped,
    ends_replaced,
    recursion_widened,
    rewrites_dropped,
    motives_turned,
    evidence_turned,
    lemmas_exchanged,
    arguments_swapped,
    hypotheses_ignored,
    values_flipped,
    claims_falsified,
    hypotheses_erased,
)


# Sites


def clauses(law: str) -> list[tuple[str, str]]:
    """The clauses of a law: name and type."""
    heads = list(re.finditer(r"^  for [~+-]?([A-Za-z_]\w*):\s*", law, re.MULTILINE))
    ends = [*(head.start() for head in heads[1:]), len(law)]
    found = []
    for head, end in zip(heads, ends, strict=False):
        lines = law[head.end() : end].rstrip().split("\n")
        found.append((head[1], "\n".join([lines[0], *(line for line in lines[1:] if line.startswith("    "))])))
    return found


def sites(declared: list[Declaration], laws: dict[str, str], others: Callable[[str], str | None]) -> Iterator[Site]:
    """The sites of a file; `laws` are the texts of the laws that its defs fill, by the names that the defs have."""
    for declaration in declared:
        if declaration.kind == "type":
            continue
        parameters: tuple[str, ...] = ()
        hypotheses: dict[str, str] = {}
        if declaration.kind == "def":
            head = declaration.text[: body_start(declaration)]
            parameters = parameters_of(head)
            law = laws.get(declaration.name, "")
            for name, (_, type_) in zip(parameters, clauses(law), strict=False):
                if type_.startswith("{"):
                    hypotheses[name] = type_
        yield Site(declaration, body_start(declaration), parameters, hypotheses, others)


def parameters_of(head: str) -> tuple[str, ...]:
    """The names of a def's parameters, from its head."""
    found = tokens(head)
    closed = pairs(found)
    if 2 not in closed:
        return ()
    names, depth, fresh = [], 0, True
    for token in found[3 : closed[2]]:
        if depth == 0 and fresh and re.match(r"[A-Za-z_]", token.text):
            names.append(token.text)
            fresh = False
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text == ",":
            fresh = True
    return tuple(names)
