"""Mutants tried on the checker, in one process: the book is loaded once and each mutant takes its item's place.

What stands before a mutant's item is admitted without a check (`make laws` checks it). An accepted mutant of a program
or of a claim is tried on its users too, for they are what speaks of it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from optchat_bridge.bend import core as c
from optchat_bridge.bend import surface as s
from optchat_bridge.bend import values as v
from optchat_bridge.bend.errors import BendError
from optchat_bridge.bend.modules import Entry, Module
from optchat_bridge.bend.parse_file import FileParser
from optchat_bridge.bend.show import Shower
from stateful_tests.breaks.bend_book import Book
from stateful_tests.breaks.proof_erased import erased, mentions
from stateful_tests.breaks.proof_mutants import Mutant, Site, mutants, sites
from stateful_tests.breaks.proof_text import Declaration, declarations

STEPS = 1_000_000
"""Unfoldings that one mutant may take: twice what a chunk of 1,000 steps takes."""
SWEEP = 200
"""Mutants between two sweeps of the collector: stuck nodes refer to themselves."""
GENERATED = ("bend/proof/push_run.bend", "bend/proof/push_count.bend")
"""Files with a chunk of 1,000 steps in each lemma, which takes seconds: of these the mutants are a sample."""
CHUNKS = ("_0", "_1", "_20", "_21")
FEW = 4
"""Mutants of each of their declarations."""
Head: TypeAlias = "tuple[tuple[int, c.Term], ...]"
"""A def's type: the mark and the type of each parameter, then the result's."""
PROPOSITIONS = ("Sigma", "Either", "Unit", "Empty")


Choice: TypeAlias = Callable[[list[Mutant]], Iterable[Mutant]]
"""Which of a declaration's mutants are tried."""


class Trial(NamedTuple):
    """What became of a mutant.

    `verdict` is "rejected", "rejected by" a user, "stopped" (by a limit), "unreadable" (it does not parse), "crashed",
    "the same" (the same program), "the same proof" (all that differs is erased), "unused" (a parameter became erased
    that the proof mentions in erased places alone), or "accepted".
    """

    file: str
    mutant: Mutant
    verdict: str
    says: str = ""


class Silent(Shower):
    """Errors of mutants are not read, and to show a normal form may take longer than to find the error."""

    def show(self, node: v.Node) -> str:  # noqa: ARG002 - what it would be
        return ""


class Trials(Book):
    """A book on whose items mutants are tried, in the order of checking."""

    def __init__(self, proof: Path) -> None:
        super().__init__(proof)
        self.checker.shower = Silent(self.machine, str)
        self._users: dict[str, list[str]] = {}
        self._tried = 0
        self._reading = False

    # The mutants of a file

    def proof_files(self) -> list[str]:
        """The files whose declarations have mutants, in the order of checking."""
        own = [(entry, filling) for entry, filling in self.library.order if not entry.module.base]
        named = dict.fromkeys(self.file_of(entry, filling) for entry, filling in own)
        return [file for file in named if file == "PROOF.bend" or file.startswith("bend/proof/")]

    def sites(self, file: str) -> dict[tuple[str, str], Site]:
        """The sites of a file, by kind and name."""
        module = self._module(file)
        declared = declarations(module.text)
        laws = {name: chunk.text for name, chunk in self._laws(module, declared).items()}
        arity = self._lemmas(module)
        return {site.declaration.key: site for site in sites(declared, laws, lambda name: another(name, arity))}

    def _module(self, file: str) -> Module:
        return next(each for each in self.library.modules.values() if Path(each.path) == self.root / file)

    def _laws(self, module: Module, declared: list[Declaration]) -> dict[str, Declaration]:
        found = {each.name: each for each in declared if each.kind == "law"}
        for alias, target in module.aliases.items():
            if not target.base:
                found |= {f"{alias}.{each.name}": each for each in declarations(target.text) if each.kind == "law"}
        return found

    def _lemmas(self, module: Module) -> dict[str, tuple[str, int]]:
        """The laws that a file can call, by the names that it calls them: their files' alias and their arity."""
        found = {}
        for alias, target in [("", module), *module.aliases.items()]:
            if target.base or target.path.endswith(("push_run.bend", "push_count.bend")):
                continue
            for each in self.library.names.values():
                if each.module is target and isinstance(each.decl, s.SLaw):
                    found[f"{alias}.{each.decl.name}" if alias else each.decl.name] = (alias, len(each.decl.clauses))
        return found

    # Trying

    def try_files(self, files: Iterable[str], choose: Choice = list) -> Iterator[Trial]:
        """Tries the chosen mutants of each declaration of these files, in the order of checking, admitting the rest."""
        wanted = {file: self.sites(file) for file in files}
        for entry, filling in self.library.order:
            if entry.module.base:
                continue
            file = self.file_of(entry, filling)
            if file in wanted:
                for mutant in choose(self._mutants(entry, filling, wanted[file], file)):
                    yield self.trial(file, entry, filling, mutant)
            self.admit(entry, filling)

    def _mutants(self, entry: Entry, filling: bool, wanted: dict[tuple[str, str], Site], file: str) -> list[Mutant]:
        decl = entry.fill if filling else entry.decl
        assert decl is not None
        if isinstance(decl, s.SType) or (file in GENERATED and not decl.name.endswith(CHUNKS)):
            return []
        kind = "law" if isinstance(decl, s.SLaw) else "def"
        site = wanted.get((kind, decl.name))
        if site is None:
            return []
        return list(islice(mutants(site), FEW)) if file in GENERATED else list(mutants(site))

    def admit(self, entry: Entry, filling: bool) -> None:
        """Takes an item for checked."""
        if isinstance(entry.decl, s.SType) or (isinstance(entry.decl, s.SLaw) and not filling):
            return
        if entry.name not in self.checker.complete:
            self.machine.definition(entry.name).body = self.program.body(entry.name).body
            self.checker.complete.add(entry.name)

    def trial(self, file: str, entry: Entry, filling: bool, mutant: Mutant) -> Trial:
        """One mutant in its item's place; the book is as it was afterwards."""
        self._tried += 1
        if self._tried % SWEEP == 0:
            gc.collect()
        was = entry.decl, entry.fill
        todos = self.checker.todos
        complete = set(self.checker.complete)
        original = self._original(entry, filling)
        self.machine.step_limit = self.machine.steps + STEPS
        self._reading = True
        try:
            decl = parsed(mutant.text, filling)
            self._reading = False
            if filling:
                assert isinstance(decl, s.SDef)
                entry.fill = decl
            else:
                entry.decl = decl
            self._forget([entry.name])
            return Trial(file, mutant, *self._verdict(entry, filling, original))
        except BendError as error:
            verdict = "stopped" if error.message.startswith("stopped:") else "rejected"
            return Trial(file, mutant, "unreadable" if self._reading else verdict, str(error))
        except (AssertionError, LookupError, TypeError, AttributeError, ValueError) as error:
            return Trial(file, mutant, "crashed", repr(error))
        finally:
            entry.decl, entry.fill = was
            self.checker.todos = todos
            self._forget([entry.name])
            for name in self.checker.complete - complete:
                self.machine.defs.pop(name, None)
            self.checker.complete.intersection_update(complete)

    def _original(self, entry: Entry, filling: bool) -> Original:
        decl = self.program.body(entry.name)
        return Original(head(decl), None if isinstance(entry.decl, s.SLaw) and not filling else decl.body)

    def _verdict(self, entry: Entry, filling: bool, original: Original) -> tuple[str, str]:
        """The verdict on an item that is a mutant. Raises BendError when it is rejected."""
        self.hold(entry, filling)
        if original.body is None:
            self._admit_needed(entry.name)
            if entry.fill is not None:
                self.hold(entry, True)
        decl = self.program.body(entry.name)
        body = decl.body
        assert body is not None
        if head(decl) != original.head:
            if entry.fill is not None and self._unused(decl, original, [each.name for each in entry.fill.params]):
                return "unused", ""
            return self._verdict_of_users(entry.name)
        if original.body is None or body == original.body:
            return "the same", ""
        if not self._is_proof(decl):
            return self._verdict_of_users(entry.name)
        if erased(body, self.program) == erased(original.body, self.program):
            return "the same proof", ""
        return "accepted", ""

    def _unused(self, decl: c.DefDecl, original: Original, names: list[str]) -> bool:
        """Whether all that changed of a type is that parameters became erased which the proof only mentions."""
        assert decl.body is not None
        before, after = original.head, head(decl)
        if len(before) != len(after) or [type_ for _, type_ in before] != [type_ for _, type_ in after]:
            return False
        changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        left = erased(decl.body, self.program)
        return all(after[at][0] == c.ERASED and at < len(names) and not mentions(left, names[at]) for at in changed)

    def _is_proof(self, decl: c.DefDecl) -> bool:
        """Whether a def's type is a proposition, so that its users depend on no more than the type."""
        env: v.Env = tuple(v.VVar(level, param.name) for level, param in enumerate(decl.params))
        result = self.machine.whnf(self.machine.inst(decl.result, env))
        if isinstance(result, v.VData):
            return result.name in PROPOSITIONS
        return not isinstance(result, v.VKind)

    def _verdict_of_users(self, name: str) -> tuple[str, str]:
        """Hold what rests on an item to its types, in order, until something fails."""
        for user, filling in self.order_of(self.users(name)):
            self._admit_needed(user.name)
            try:
                self.hold(user, filling)
            except BendError as error:
                if error.message.startswith("stopped:"):
                    raise
                return "rejected by", user.name
        return "accepted", ""

    def _admit_needed(self, name: str) -> None:
        """Admit what an item rests on and what is not yet checked."""
        for entry, filling in self.order_of(self.needed([name]) - self.checker.complete - {name}):
            self.admit(entry, filling)

    def _forget(self, names: Iterable[str]) -> None:
        """Take back all that is known of items beyond their text: the next look reads them anew."""
        for name in names:
            self.program.book.defs.pop(name, None)
            self.program._bodies.discard(name)
            self.checker._dependent.pop(name, None)
            self.checker.instances.calls.pop(name, None)
            self.checker.complete.discard(name)
            self.machine.defs.pop(name, None)

    def users(self, name: str) -> list[str]:
        """The items that rest on an item. Of the generated ones only those that mention it, up to the next chunk."""
        if not self._users:
            for each, entry in self.library.names.items():
                if not entry.module.base:
                    for mentioned in self.mentions(each):
                        self._users.setdefault(mentioned, []).append(each)
        found: set[str] = set()
        stack = list(self._users.get(name, []))
        if self._generated(name):
            return [user for user in stack if user.endswith(CHUNKS)]
        while stack:
            user = stack.pop()
            if user not in found and not self._generated(user):
                found.add(user)
                stack.extend(self._users.get(user, []))
        return list(found - {name})

    def _generated(self, name: str) -> bool:
        return self.file_of(self.library.names[name]) in GENERATED


class Original(NamedTuple):
    """An item before its mutants: its type, and its body (None: the mutants are of a law's claim)."""

    head: Head
    body: c.Term | None


def head(decl: c.DefDecl) -> Head:
    """A def's type, without names and places."""
    return (*((param.mark, param.type) for param in decl.params), (c.ONE, decl.result))


def parsed(text: str, filling: bool) -> s.SDecl:
    """The one declaration of a text. Raises BendError."""
    found: list[s.SDecl] = []
    FileParser(text, "mutant").declarations(lambda _: filling, found.append)
    if len(found) != 1:
        raise BendError(message=f"{len(found)} declarations")
    return found[0]


def another(name: str, arity: dict[str, tuple[str, int]]) -> str | None:
    """The next lemma of the same file with as many arguments."""
    if name not in arity:
        return None
    like = [other for other, known in arity.items() if known == arity[name]]
    after = like[(like.index(name) + 1) % len(like)]
    return None if after == name else after
