"""Files to one table of declarations: imports, aliases, namespaces, laws and the defs that fill them.

A module's full names begin with its path from the entry's folder (``lib/shapes.Box``); the entry and Base share
the bare names. Types, defs and laws live in one table, constructors in another.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from . import surface as s
from .core import ERASED, ONE
from .errors import BendError, Place, outside, parse_error, printable, quoted
from .parse_file import FileParser
from .reserved import CONSTRUCTORS, NAMES
from .sources import read_file

BASE_DIR: Final = Path(__file__).with_name("base")
_BEFORE: Final = "a module that is read before Base"
SUGAR: Final = Path(__file__).with_name("sugar.bend")


@dataclass(slots=True)
class Module:
    """A file: its path, the prefix of its full names, its text, and the modules its aliases mean."""

    path: str
    prefix: str
    text: str
    base: bool = False
    aliases: dict[str, Module] = field(default_factory=dict)
    sees_base: bool = False
    """Whether Base was loaded when the file was read, by whichever file."""


@dataclass(slots=True)
class Entry:
    """A declaration by its full name. A law's ``fill`` is the def that fills it, in ``fill_module``.

    ``order`` counts declarations in the order of checking; ``fill_order`` is the filling def's.
    """

    name: str
    decl: s.SDecl
    module: Module
    order: int
    fill: s.SDef | None = None
    fill_module: Module | None = None
    fill_order: int = 0


@dataclass(slots=True)
class ConEntry:
    """A constructor by its full name, and where its type stands."""

    name: str
    type_name: str
    index: int
    order: int


class Library:
    """All modules that an entry file loads, parsed and declared."""

    def __init__(self) -> None:
        self.modules: dict[str, Module] = {}
        self.names: dict[str, Entry] = {}
        self.constructors: dict[str, ConEntry] = {}
        self.order: list[tuple[Entry, bool]] = []
        """Items in the order of checking; the flag says that it is the filling of a law."""
        self.base_loaded = False
        self.todos = 0
        """How often ``?TODO`` is written."""
        self._loading: list[str] = []
        self._root = ""

    # Loading

    def load_entry(self, path: str) -> Module:
        """Loads the entry file and everything it imports."""
        self._root = os.path.dirname(os.path.abspath(path))
        module = self._load(path, "", None)
        if os.path.basename(path) == "PROOF.bend":
            laws = os.path.join(self._root, "LAWS.bend")
            if os.path.isfile(laws) and all(each.path != laws for each in self._paths(module)):
                raise BendError(message="PROOF.bend must import ./LAWS.bend", plain=True)
        if self.base_loaded:
            self._refuse_base_names()
        return module

    def _paths(self, module: Module) -> list[Module]:
        return [Module(os.path.abspath(each.path), "", "") for each in module.aliases.values()]

    def _load(self, path: str, prefix: str, importer: Place | None) -> Module:
        key = os.path.abspath(path)
        if key in self._loading:
            cycle = [os.path.relpath(each, self._root) for each in [*self._loading[self._loading.index(key) :], key]]
            raise BendError(message="an import cycle: " + printable(" -> ".join(cycle)), place=importer)
        if key in self.modules:
            return self.modules[key]
        module = Module(path, prefix, read_file(path, importer))
        self._loading.append(key)
        parser = FileParser(module.text, path)
        for each in parser.imports():
            if each is None:
                self.load_base()
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), each.path))
            inner = os.path.relpath(os.path.abspath(target), self._root)[: -len(".bend")].replace(os.sep, "/") + "."
            module.aliases[each.alias] = self._load(target, inner, Place(path, each.pos))
        self._loading.pop()
        self.modules[key] = module
        module.sees_base = self.base_loaded
        parser.declarations(self._law_test(module), lambda decl: self._declare(module, decl))
        self.todos += parser.todos
        return module

    def load_base(self) -> None:
        """Loads our Base, all parts as one namespace; each part keeps its own file for messages."""
        if self.base_loaded:
            return
        self.base_loaded = True
        for part in base_parts():
            path = str(part)
            module = Module(path, "", part.read_text(encoding="utf-8"), base=True)
            self.modules[path] = module
            for decl in _base_part(path, module.text):
                self._declare(module, decl)

    # Declaring

    def _law_test(self, module: Module) -> Callable[[str], bool]:
        def is_law(name: str) -> bool:
            full, owner = self._meant(name, module)
            entry = self.names.get(full)
            if entry is None or not isinstance(entry.decl, s.SLaw) or entry.fill is not None:
                return False
            return entry.module is owner

        return is_law

    def _declare(self, module: Module, decl: s.SDecl) -> None:
        place = Place(module.path, decl.pos)
        if isinstance(decl, s.SDef) and decl.result is None:
            entry = self.names[self._meant(decl.name, module)[0]]
            assert isinstance(entry.decl, s.SLaw)
            templates = sum(each.template for each in entry.decl.clauses)
            if len(decl.params) < templates:
                raise parse_error(f"a name for each ~ clause of the law ({templates})", quoted(")"), place)
            entry.fill, entry.fill_module, entry.fill_order = decl, module, len(self.order)
            self.order.append((entry, True))
            return
        self._refuse_alias("a fresh name", decl.name, module, place)
        self._refuse_twin_templates(decl, module)
        full = module.prefix + decl.name
        if full in self.names or (not module.base and self.base_loaded and decl.name in NAMES):
            raise parse_error(f"a fresh name (duplicate declaration: {decl.name})", quoted(decl.name), place)
        entry = Entry(full, decl, module, len(self.order))
        self.names[full] = entry
        if isinstance(decl, s.SType):
            self._declare_constructors(module, entry, decl)
        self.order.append((entry, False))

    def _refuse_alias(self, wanted: str, name: str, module: Module, place: Place) -> None:
        """Nothing is declared under the alias of an import."""
        alias, dot, _ = name.partition(".")
        if dot and alias in module.aliases:
            raise parse_error(f"{wanted} ({alias} is an import's alias)", quoted(name), place)

    def _refuse_twin_templates(self, decl: s.SDecl, module: Module) -> None:
        params = decl.params if isinstance(decl, s.SDef) else decl.clauses if isinstance(decl, s.SLaw) else []
        names: set[str] = set()
        for each in params:
            if each.template and each.name in names:
                raise parse_error("a fresh ~ binder name", quoted(each.name), Place(module.path, each.pos))
            names.add(each.name if each.template else "")

    def _declare_constructors(self, module: Module, entry: Entry, decl: s.SType) -> None:
        for index, each in enumerate(decl.constructors):
            place = Place(module.path, each.pos)
            full = module.prefix + each.name
            self._refuse_alias("a fresh constructor name", each.name, module, place)
            taken = not module.base and self.base_loaded and each.name in CONSTRUCTORS
            if taken or full in self.constructors:
                fresh = f"a fresh constructor name (duplicate declaration: {each.name})"
                raise parse_error(fresh, quoted(each.name), place)
            names: set[str] = set()
            for one in each.fields:
                if one.name in names:
                    fresh = f"a fresh field name (duplicate declaration: {one.name})"
                    raise parse_error(fresh, quoted(one.name), Place(module.path, one.pos))
                names.add(one.name)
            self.constructors[full] = ConEntry(full, entry.name, index, entry.order)

    def lacks(self, name: str) -> bool:
        """Whether Bend's Base has a name that ours has not."""
        return self.base_loaded and name in NAMES and name not in self.names

    def _refuse_base_names(self) -> None:
        """Catches names that a module declared before Base was loaded behind it: in real Bend they are two."""
        for entry in self.names.values():
            if entry.module.base:
                continue
            short = entry.decl.name
            own = self.names.get(short)
            if short in NAMES or (own is not None and own.module.base):
                raise outside(f"{short}, a name of Base, in {_BEFORE}", Place(entry.module.path, entry.decl.pos))
        for con in self.constructors.values():
            entry = self.names[con.type_name]
            short = con.name[len(entry.module.prefix) :]
            base = self.constructors.get(short)
            if not entry.module.base and (short in CONSTRUCTORS or (base and self.names[base.type_name].module.base)):
                place = Place(entry.module.path, entry.decl.pos)
                raise outside(f"{short}, a constructor of Base, in {_BEFORE}", place)

    # Resolving

    def _meant(self, name: str, module: Module) -> tuple[str, Module]:
        """The full name behind an alias, else the file's own, and the file that has to declare it.

        Full names alone do not tell files apart: the entry may declare ``lib.x``, which is no name of lib.bend.
        """
        alias, dot, rest = name.partition(".")
        target = module.aliases.get(alias) if dot else None
        return (module.prefix + name, module) if target is None else (target.prefix + rest, target)

    def _visible(self, owner: Module, module: Module) -> bool:
        """Whether a file may name another's declarations without an alias: its own, and Base's."""
        return owner is module or (owner.base and (module.base or module.sees_base))

    def resolve(self, name: str, module: Module, place: Place) -> Entry | None:
        """The type, def or law that a global name means in a module."""
        bare = self.names.get(name)
        if bare is not None and not self._visible(bare.module, module):
            bare = None
        full, owner = self._meant(name, module)
        found = self.names.get(full)
        if found is None or found.module is not owner:
            return bare
        if owner is not module and bare is not None and bare is not found:
            raise BendError(message=f"an unambiguous name ({name} is in the import and a bare name)", place=place)
        return found

    def constructor(self, name: str, module: Module, before: int | None) -> ConEntry | None:
        """The constructor a name means; with ``before``, only one whose type is declared above that order."""
        full, owner = self._meant(name, module)
        found = self.constructors.get(full)
        if found is None or self.names[found.type_name].module is not owner:
            found = self.constructors.get(name)
            if found is not None and not self._visible(self.names[found.type_name].module, module):
                found = None
        if found is None or (before is not None and found.order >= before):
            return None
        return found

    # Shapes that sugar depends on

    def quantities(self, decl: s.SType) -> int:
        """How many leading parameters are erased quantities, which the short form ``D<A>`` may leave out."""
        count = 0
        for each in decl.params:
            if each.type is not None and not (each.mark == ERASED and _is_quant(each.type)):
                break
            count += 1
        return count

    @cached_property
    def numerals(self) -> str | None:
        """The type of numerals: Zero{} and Succ{pred} of a bare, parameterless type. Ask when all is loaded."""
        zero, succ = self.constructors.get("Zero"), self.constructors.get("Succ")
        if zero is None or succ is None or zero.type_name != succ.type_name:
            return None
        decl = self.names[zero.type_name].decl
        assert isinstance(decl, s.SType)
        if decl.params or len(decl.constructors) != 2 or decl.constructors[zero.index].fields:
            return None
        fields = decl.constructors[succ.index].fields
        if len(fields) != 1 or fields[0].mark != ONE:
            return None
        pred = fields[0].type
        return zero.type_name if isinstance(pred, s.SName) and pred.name == decl.name else None


def _is_quant(type_: s.Surface) -> bool:
    return isinstance(type_, s.SName) and type_.name == "Quant"


def base_parts() -> list[Path]:
    """The files of our Base in the order in which they are read."""
    lines = (BASE_DIR / "base.bend").read_text(encoding="utf-8").split("\n")
    parts = [BASE_DIR / line.removeprefix("# part ").strip() for line in lines if line.startswith("# part ")]
    return [*parts, SUGAR]


@lru_cache(maxsize=64)
def _base_part(path: str, text: str) -> tuple[s.SDecl, ...]:
    """The declarations of a part of Base, parsed once a process: nothing changes them. Base fills no law."""
    decls: list[s.SDecl] = []
    FileParser(text, path).declarations(lambda _: False, decls.append)
    return tuple(decls)
