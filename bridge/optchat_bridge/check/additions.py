"""What may be added to a guarded module without a word: what binds a new name, or one more entry of a catalogue, and
does nothing else when the module is imported. Whatever acts could change what is there.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMS = {
    "contract": "stateful_tests.contracts.contract",
    "Fact": "stateful_tests.contracts.arithmetic",
    "broken": "stateful_tests.breaks.catalogue",
    "model": "stateful_tests.breaks.of_model",
    "stored": "stateful_tests.breaks.catalogue",
    "Law": "optchat_spec.registry",
    **dict.fromkeys(("_view", "_queue", "_on_steps", "_fit", "_push", "_talk"), "optchat_spec.laws"),
    "Config": "optchat_spec.vocabulary",
    "Mix": "optchat_spec.generate",
    "Node": "optchat.core.node",
    "dataclass": "dataclasses",
}
"""What may be called while a guarded module is imported, and where it is from: these register, or only make a value."""

METHODS = {"property", "staticmethod", "classmethod"}
"""The decorators of Python itself; a module that binds one of these names is refused."""

BASES = {"NamedTuple": "typing", "Protocol": "typing", "Enum": "enum"}

RUNS = (
    *(ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Expressions that act, or hide what they act on, where they stand."""

Pieces = Mapping[str, Sequence[ast.stmt | str]]


def acting(new: Pieces, old: Pieces) -> list[str]:
    """The new pieces of a module that do more than bind a name of their own."""
    world = World(new, old)
    return [
        name
        for name, versions in new.items()
        if name not in old and not (len(versions) == 1 and world.is_quiet(name, versions[0]))
    ]


class World:
    """The names of a module before and after: which are new, and where what is called comes from."""

    def __init__(self, new: Pieces, old: Pieces) -> None:
        self.old = {name for versions in old.values() for each in versions for name in bound(each)}
        self.packages = {
            alias.name.split(".")[0]
            for versions in old.values()
            for each in versions
            if isinstance(each, ast.ImportFrom) and each.module is None and each.level == 0
            for alias in each.names
            if alias.asname is None
        }
        """What `import name.more` binds once more, to the same."""
        self.spoken_of = {
            name
            for versions in old.values()
            for each in versions
            if isinstance(each, ast.Assign | ast.AnnAssign) and isinstance(each.value, ast.Tuple | ast.List)
            for name in handed(each.value)
        }
        """The predicates, and what else has a dotted name, that the entries of the catalogues are made of."""
        self.imports = {
            (alias.asname or alias.name): each.module
            for versions in new.values()
            for each in versions
            if isinstance(each, ast.ImportFrom)
            for alias in each.names
            if alias.asname in (None, alias.name)
        }

    def speaks_again(self, entry: ast.expr) -> bool:
        """Whether a new entry is made of what another one is made of: a law's second one would replace it."""
        return not self.spoken_of.isdisjoint(handed(entry))

    def is_quiet(self, name: str, piece: ast.stmt | str) -> bool:
        """Whether a new piece binds one new name, and that is all."""
        if isinstance(piece, str):
            return True
        if not all(part.isidentifier() for part in name.split(".")) or (name.startswith("__") and name != "__all__"):
            return False
        root = name.split(".")[0]
        if "." in name and root in self.packages:
            return True
        if root in self.old or hasattr(builtins, root):
            return False
        match piece:
            case ast.ImportFrom():
                return True
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.is_still(value)
            case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
                return self.are_still((annotation, value))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.is_quiet_function(piece)
            case ast.ClassDef():
                return self.is_quiet_class(piece)
        return False

    def is_quiet_function(self, piece: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        given = piece.args
        arguments = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        evaluated = (
            *given.defaults,
            *given.kw_defaults,
            piece.returns,
            *(each.annotation for each in arguments if each),
        )
        return self.are_still(evaluated) and all(map(self.is_known_decorator, piece.decorator_list))

    def is_quiet_class(self, piece: ast.ClassDef) -> bool:
        heads = not piece.keywords and all(map(self.is_known_base, piece.bases))
        return heads and all(map(self.is_known_decorator, piece.decorator_list)) and all(map(self.is_field, piece.body))

    def is_field(self, statement: ast.stmt) -> bool:
        """Whether a statement of a class's body defines, and does no more."""
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.is_quiet_function(statement)
            case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
                return self.are_still((annotation, value))
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.is_still(value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return True
        return False

    def is_known_decorator(self, decorator: ast.expr) -> bool:
        if isinstance(decorator, ast.Name):
            return decorator.id in METHODS or self.is_form(decorator)
        return isinstance(decorator, ast.Call) and self.is_still(decorator)

    def is_known_base(self, base: ast.expr) -> bool:
        if not isinstance(base, ast.Name):
            return False
        home = BASES.get(base.id)
        return (
            base.id in self.old
            or hasattr(builtins, base.id)
            or (home is not None and self.imports.get(base.id) == home)
        )

    def is_form(self, called: ast.expr) -> bool:
        """Whether it is one of the forms by which things are registered, and not something new of that name."""
        if not isinstance(called, ast.Name) or called.id not in FORMS:
            return False
        return called.id in self.old or self.imports.get(called.id) == FORMS[called.id]

    def are_still(self, values: Iterable[ast.expr | None]) -> bool:
        return all(value is None or self.is_still(value) for value in values)

    def is_still(self, value: ast.expr) -> bool:
        """Whether nothing is done by evaluating it, but for the forms."""
        for node in evaluated(value):
            if isinstance(node, RUNS) or (isinstance(node, ast.Call) and not self.is_form(node.func)):
                return False
            if isinstance(node, ast.Subscript) and not self.is_known_generic(node.value):
                return False
        return True

    def is_known_generic(self, value: ast.expr) -> bool:
        """Whether `value[...]` runs nothing of the module's own: what is subscripted was there, or is imported."""
        root = next(node for node in ast.walk(value) if not isinstance(node, ast.Attribute))
        return isinstance(root, ast.Name) and (
            root.id in self.old or root.id in self.imports or hasattr(builtins, root.id)
        )


def evaluated(value: ast.AST) -> Iterator[ast.AST]:
    """The expressions that are evaluated with it: all of its parts but for what a lambda does when it is called."""
    yield value
    for part in ast.iter_child_nodes(value):
        if not (isinstance(value, ast.Lambda) and part is value.body):
            yield from evaluated(part)


def handed(value: ast.expr) -> set[str]:
    """The dotted names that the calls in an expression are given."""
    calls = [node for node in evaluated(value) if isinstance(node, ast.Call)]
    return {ast.unparse(given) for call in calls for given in call.args if isinstance(given, ast.Attribute)}


def bound(piece: ast.stmt | str) -> Iterator[str]:
    """The names of the module that a statement binds, wherever in it."""
    if isinstance(piece, str):
        return
    if isinstance(piece, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield piece.name
    elif isinstance(piece, ast.ImportFrom):
        for alias in piece.names:
            yield (alias.asname or alias.name).split(".")[0]
    else:
        for node in ast.walk(piece):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
