"""The book of the proofs, checked in part: a law's proof with all that it rests on, and nothing else.

A book is PROOF.bend with all that it imports. Its items are the types, defs, laws and fillings in the order in which
the checker goes through them; an item needs those that its text mentions, and they theirs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from optchat_bridge.bend import core as c
from optchat_bridge.bend import surface as s
from optchat_bridge.bend.errors import BendError
from optchat_bridge.bend.modules import Entry
from optchat_bridge.bend.session import Session


class Fault(NamedTuple):
    """The first item of a check that fails: its full name, its file from the book's folder, and the error in a line."""

    name: str
    file: str
    says: str


class Book(Session):
    """A loaded PROOF.bend; `checked` counts the items that were held to their types."""

    def __init__(self, proof: Path) -> None:
        super().__init__()
        self.root = proof.parent
        self.load(str(proof))
        for name, entry in self.library.names.items():
            if entry.module.base and not isinstance(entry.decl, s.SType):
                self.checker.complete.add(name)
        self.checked = 0
        self._mentions: dict[str, frozenset[str]] = {}

    def file_of(self, entry: Entry, filling: bool = False) -> str:
        """The file in which an item stands, from the book's folder."""
        module = entry.fill_module if filling else entry.module
        assert module is not None
        return Path(os.path.relpath(module.path, self.root)).as_posix()

    # What an item needs

    def mentions(self, name: str) -> frozenset[str]:
        """The types, defs and laws that an item mentions, in its type and in its body."""
        found = self._mentions.get(name)
        if found is None:
            found = self._mentions[name] = frozenset(self._mentioned(name))
        return found

    def _mentioned(self, name: str) -> set[str]:
        decl = self.library.names[name].decl
        root = self.program.type_decl(name) if isinstance(decl, s.SType) else self.program.body(name)
        names: set[str] = set()
        stack: list[Any] = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, c.Ref | c.Data) and not node.name.startswith(c.UNKNOWN):
                names.add(node.name)
            elif isinstance(node, c.Ctr | c.Match) and node.con in self.library.constructors:
                names.add(self.library.constructors[node.con].type_name)
            if isinstance(node, tuple | list):
                stack.extend(node)
            elif hasattr(node, "__dataclass_fields__"):
                stack.extend(getattr(node, field) for field in node.__dataclass_fields__)
        return names

    def needed(self, names: Iterable[str]) -> set[str]:
        """These items and all that they rest on, Base aside."""
        found: set[str] = set()
        stack = list(names)
        while stack:
            name = stack.pop()
            if name not in found and not self.library.names[name].module.base:
                found.add(name)
                stack.extend(self.mentions(name))
        return found

    def order_of(self, names: Iterable[str]) -> list[tuple[Entry, bool]]:
        """The items of these names in the order of checking; a law stands there twice, stated and filled."""
        wanted = set(names)
        return [(entry, filling) for entry, filling in self.library.order if entry.name in wanted]

    # Checking

    def hold(self, entry: Entry, filling: bool) -> None:
        """Hold one item to its type. Raises BendError."""
        module = entry.fill_module if filling else entry.module
        assert module is not None
        self.module, self.checker.file = module, module.path
        self.checked += 1
        self._item(entry, filling)

    def fault(self, items: Iterable[tuple[Entry, bool]]) -> Fault | None:
        """The first of these items that does not check, each one after those before it.

        Raises BendError when a limit stops the check: that says nothing of the item.
        """
        for entry, filling in items:
            before = self.checker.todos
            try:
                self.hold(entry, filling)
            except BendError as error:
                if error.message.startswith("stopped:"):
                    raise
                return Fault(entry.name, self.file_of(entry, filling), str(error))
            if self.checker.todos > before or (isinstance(entry.decl, s.SLaw) and entry.fill is None):
                return Fault(entry.name, self.file_of(entry), "it is open")
        return None

    def law_fault(self, law: str) -> Fault | None:
        """What keeps a law of LAWS.bend from being proven: None when it and all that it rests on check."""
        return self.fault(self.order_of(self.needed([f"LAWS.{law}"])))
