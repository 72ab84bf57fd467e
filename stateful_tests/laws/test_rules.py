"""The rule table says what is so: its code imports, its laws and tests exist, its page is up to date."""

from __future__ import annotations

import ast
from functools import cache
from pkgutil import resolve_name

import pytest

from optchat_spec import memory_page, rules
from optchat_spec.laws import LAWS
from optchat_spec.rules import BadTable, Rule
from stateful_tests.laws.lists import ROOT

RULES = rules.load()


@cache
def names_in(path: str) -> frozenset[str]:
    """What a test file defines at its top: functions and classes."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


def missing(rule: Rule) -> list[str]:
    """The names of a rule that lead nowhere."""
    return [name for name in rule.code if not imports(name)] + [name for name in rule.secured if not exists(name)]


def imports(name: str) -> bool:
    try:
        resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return ":" in name


def exists(name: str) -> bool:
    kind, _, what = name.partition(":")
    if kind == "law":
        return what in LAWS
    path, _, test = what.partition("::")
    return (ROOT / path).is_file() and test in names_in(path)


def test_every_rule_is_there_once() -> None:
    numbers = [rule.number for rule in RULES]
    assert numbers[:71] == [str(number) for number in range(1, 72)]
    assert all(number.startswith("g") for number in numbers[71:])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.number)
def test_every_name_leads_somewhere(rule: Rule) -> None:
    assert missing(rule) == []


def test_the_page_is_what_the_table_makes() -> None:
    page = memory_page.PAGE.read_text(encoding="utf-8")
    assert page == memory_page.render(RULES), "write it anew: python -m optchat_spec.memory_page"


GOOD = Rule("1", "A", "b", ("optchat.core.view:View.fit",), ("law:view_covers",), "matched", "")


@pytest.mark.parametrize(
    "bad",
    [
        GOOD._replace(code=("optchat.core.view:View.fat",)),
        GOOD._replace(code=("optchat.core.views:View",)),
        GOOD._replace(code=("optchat.core.view",)),
        GOOD._replace(secured=("law:view_is_pretty",)),
        GOOD._replace(secured=("test:stateful_tests/laws/test_rules.py::test_nothing",)),
        GOOD._replace(secured=("test:stateful_tests/laws/test_nothing.py::test_every_rule_is_there_once",)),
    ],
)
def test_a_name_that_leads_nowhere_is_found(bad: Rule) -> None:
    assert missing(GOOD) == []
    assert len(missing(bad)) == 1


ROW = '[[rule]]\nnumber = "1"\nsection = "A"\nrule = "b"\n'
DONE = 'code = ["optchat.core.view:View"]\nsecured = ["law:view_covers"]\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no table"),
        ("[[", "no table"),
        (ROW, "rule 1: the status"),
        (ROW + 'status = "matched"', "rule 1: a matched rule"),
        (ROW + 'status = "deliberate"\n' + DONE, "rule 1: a deliberate difference"),
        (ROW + 'status = "not yet"', "rule 1: a rule that is not done yet"),
        (ROW + 'status = "not yet"\nreason = "r"\n' + DONE, "rule 1: a rule that is not done yet"),
        (ROW + 'status = "matched"\nwhy = ""\n' + DONE, "rule 1: unknown why"),
        (ROW + 'status = "matched"\n' + DONE.replace("law:", "laws:"), "rule 1: what secures"),
        (ROW + 'status = "matched"\ncode = "x"\n', "rule 1: code and secured"),
        ((ROW + 'status = "matched"\n' + DONE) * 2, "rule 1 is there twice"),
    ],
)
def test_a_table_that_says_too_little_is_refused(text: str, fault: str) -> None:
    with pytest.raises(BadTable) as error:
        rules.read(text)
    assert str(error.value).startswith(fault)
    assert "\n" not in str(error.value)
