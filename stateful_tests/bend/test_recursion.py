"""Recursion over terms goes from Python function to Python function, never through one of C.

From CPython 3.12 on, calls through C (a generator that `tuple` or `all` runs, a function that `map` calls) may nest a
few thousand deep and no deeper, whatever the limit of recursion. A term may be deeper than that.
"""

from __future__ import annotations

import ast
from pathlib import Path

from stateful_tests.house import ROOT

PACKAGE = ROOT / "bridge/optchat_bridge/bend"
Graph = dict[str, set[str]]


def called(node: ast.AST) -> set[str]:
    """The names that are called anywhere in a tree, methods by their own name."""
    functions = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    names = {each.id for each in functions if isinstance(each, ast.Name)}
    return names | {each.attr for each in functions if isinstance(each, ast.Attribute)}


def reach(graph: Graph, start: str) -> set[str]:
    """The names that a function comes to by calls."""
    found: set[str] = set()
    left = [start]
    while left:
        for name in graph.get(left.pop(), set()) - found:
            found.add(name)
            left.append(name)
    return found


def through_c(node: ast.AST) -> set[str]:
    """The names that are called by way of C within a function: in a generator, or by `map` and its like."""
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.GeneratorExp):
            # The first of its iterables is evaluated outside of it.
            parts = [each.elt, *(test for part in each.generators for test in part.ifs)]
            found |= set().union(*map(called, parts))
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in ("map", "filter"):
            found |= {arg.id for arg in each.args if isinstance(arg, ast.Name)}
            found |= {arg.attr for arg in each.args if isinstance(arg, ast.Attribute)}
    return found


def faults(sources: list[str]) -> list[str]:
    """Where a recursion goes through C: `function calls name`."""
    functions: dict[str, list[ast.AST]] = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(node)
    graph = {name: set().union(*map(called, nodes)) & set(functions) for name, nodes in functions.items()}
    found = []
    for name, nodes in functions.items():
        callees = sorted(set().union(*map(through_c, nodes)) & set(functions))
        found += [f"{name} calls {callee}" for callee in callees if callee == name or name in reach(graph, callee)]
    return found


def test_no_recursion_goes_through_c() -> None:
    assert faults([path.read_text(encoding="utf-8") for path in sorted(Path(PACKAGE).glob("*.py"))]) == []


def test_a_recursion_through_c_is_found() -> None:
    generator = "def depth(term):\n    return 1 + max(depth(each) for each in term.args)\n"
    mapped = "def depth(term):\n    return other(term)\ndef other(term):\n    return list(map(depth, term.args))\n"
    assert faults([generator]) == ["depth calls depth"]
    assert faults([mapped]) == ["other calls depth"]
    assert faults(["def depth(term):\n    return [depth(each) for each in term.args]\n"]) == []
