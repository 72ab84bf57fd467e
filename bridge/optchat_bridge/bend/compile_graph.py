"""Where variables stand, which functions call which, and moving an expression to the place of its use."""

from __future__ import annotations

from .compile_ir import Alt, Apply, Call, Case, Con, Expr, Fun, Let, Prim, Program, V, rebuild


def occurrences(e: Expr, var: int) -> int:
    """How often ``var`` stands in ``e``; inside a function value it counts as many."""
    if var not in e.fv:
        return 0
    match e:
        case V():
            return 1
        case Fun():
            return 2
        case Con(_, args) | Prim(_, args) | Call(_, args):
            return sum([occurrences(a, var) for a in args])
        case Apply(fun, args):
            return occurrences(fun, var) + sum([occurrences(a, var) for a in args])
        case Let(_, value, body):
            return occurrences(value, var) + occurrences(body, var)
        case Case(scrut, _, alts, default):
            inner = sum([occurrences(a.body, var) for a in alts])
            return occurrences(scrut, var) + inner + (occurrences(default, var) if default is not None else 0)
        case _:
            return 0


def calls_of(e: Expr, found: set[int]) -> None:
    """Adds the functions that ``e`` calls."""
    match e:
        case Call(fun, args):
            found.add(fun)
            for a in args:
                calls_of(a, found)
        case Con(_, args) | Prim(_, args):
            for a in args:
                calls_of(a, found)
        case Apply(fun, args):
            calls_of(fun, found)
            for a in args:
                calls_of(a, found)
        case Fun(_, body):
            calls_of(body, found)
        case Let(_, value, body):
            calls_of(value, found)
            calls_of(body, found)
        case Case(scrut, _, alts, default):
            calls_of(scrut, found)
            for alt in alts:
                calls_of(alt.body, found)
            if default is not None:
                calls_of(default, found)
        case _:
            pass


def call_order(program: Program) -> tuple[list[int], set[int]]:
    """The functions, callees first, and some that reach themselves: at least one of every cycle of calls."""
    graph: dict[int, set[int]] = {}
    for number, function in program.functions.items():
        graph[number] = set()
        calls_of(function.body, graph[number])
    order: list[int] = []
    recursive: set[int] = set()
    state: dict[int, int] = {}  # 1 while on the path, 2 when done
    stack: list[tuple[int, list[int]]] = []
    for root in graph:
        if root in state:
            continue
        state[root] = 1
        stack.append((root, sorted(graph[root])))
        while stack:
            node, rest = stack[-1]
            if not rest:
                stack.pop()
                state[node] = 2
                order.append(node)
                continue
            child = rest.pop()
            if child not in state:
                state[child] = 1
                stack.append((child, sorted(graph[child])))
            elif state[child] == 1:
                # One of each cycle is enough: the others can be copied into it.
                recursive.add(child)
    return order, recursive


def place(e: Expr, var: int, value: Expr) -> Expr:
    """``e`` with the only use of ``var`` replaced."""
    if var not in e.fv:
        return e
    if isinstance(e, V):
        return value
    if isinstance(e, Case) and isinstance(e.scrut, V) and e.scrut.id == var:
        # The case's own name for the value is the variable: the value gets that name here.
        if isinstance(value, V):
            return rename_var(e, var, value.id)
        return Case(value, var, e.alts, e.default)
    return rebuild(e, lambda part: place(part, var, value))


def rename_var(e: Expr, var: int, new: int) -> Expr:
    """``e`` with ``var`` called ``new``."""
    if var not in e.fv:
        return e
    if isinstance(e, V):
        return V(new)
    if isinstance(e, Case) and isinstance(e.scrut, V) and e.scrut.id == var:
        alts = tuple([Alt(a.con, a.fields, rename_var(a.body, var, new)) for a in e.alts])
        return Case(V(new), new, alts, None if e.default is None else rename_var(e.default, var, new))
    return rebuild(e, lambda part: rename_var(part, var, new))
