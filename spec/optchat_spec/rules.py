"""The table of the memory's rules: which code does each one, and which law or test secures it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).with_name("rules.toml")
STATUSES = ("matched", "deliberate", "not yet")
KEYS = frozenset({"number", "section", "rule", "code", "secured", "status", "reason"})


class Rule(NamedTuple):
    """One row. `code` are `module:name`, `secured` are `law:NAME` or `test:PATH::NAME`; a rule that is not yet has
    neither.
    """

    number: str
    section: str
    rule: str
    code: tuple[str, ...]
    secured: tuple[str, ...]
    status: str
    reason: str


class BadTable(ValueError):
    """A row that says too little or what cannot be; one line that names it."""


def read(text: str) -> tuple[Rule, ...]:
    """The rows of a table's text. Raises BadTable."""
    try:
        rows = tomllib.loads(text)["rule"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise BadTable(f"no table of rules: {error}") from None
    rules = tuple(_rule(row) for row in rows)
    numbers = [rule.number for rule in rules]
    for number in numbers:
        if numbers.count(number) > 1:
            raise BadTable(f"rule {number} is there twice")
    return rules


def load() -> tuple[Rule, ...]:
    """The rows of the project's table."""
    return read(TABLE.read_text(encoding="utf-8"))


def _rule(row: dict[str, Any]) -> Rule:
    number = row.get("number", "?")
    unknown = set(row) - KEYS
    if unknown:
        raise BadTable(f"rule {number}: unknown {', '.join(sorted(unknown))}")
    texts = {key: row.get(key, "") for key in ("number", "section", "rule", "status", "reason")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise BadTable(f"rule {number}: number, section, rule, status and reason are texts")
    rule = Rule(
        texts["number"],
        texts["section"],
        texts["rule"],
        _names(number, row.get("code", [])),
        _names(number, row.get("secured", [])),
        texts["status"],
        texts["reason"],
    )
    fault = _fault(rule)
    if fault is not None:
        raise BadTable(f"rule {number}: {fault}")
    return rule


def _names(number: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise BadTable(f"rule {number}: code and secured are lists of names")
    return tuple(value)


def _fault(rule: Rule) -> str | None:
    if not (rule.number and rule.section and rule.rule):
        return "number, section and rule are needed"
    if rule.status not in STATUSES:
        return f"the status must be one of {', '.join(STATUSES)}"
    if rule.status == "matched" and not (rule.code and rule.secured):
        return "a matched rule names its code and what secures it"
    if rule.status == "deliberate" and not (rule.reason and rule.secured):
        return "a deliberate difference has its reason and what secures it"
    if rule.status == "not yet" and (rule.code or rule.secured or not rule.reason):
        return "a rule that is not done yet says what is missing, and names no code"
    if not all(name.partition(":")[0] in ("law", "test") for name in rule.secured):
        return "what secures a rule begins with law: or test:"
    return None
