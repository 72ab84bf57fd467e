"""The deliberate breaks: what each one does wrong, as an exact change of the text, and the laws that must catch it.

`laws` are those that say the thing that the break gets wrong: caught by one of them is caught, by others alone is not.
"""

from __future__ import annotations

from typing import NamedTuple


class Edit(NamedTuple):
    """`old`, which stands exactly once in `file` (a path below `impl/optchat`), becomes `new`."""

    file: str
    old: str
    new: str


class Break(NamedTuple):
    name: str
    says: str
    laws: tuple[str, ...]
    edits: tuple[Edit, ...]
    hunters: tuple[str, ...] = ("histories", "machine", "contract", "proof")
    """Who looks for it, in this order (`hunt.HUNTERS`)."""
    kind: str = "impl"
    """What is broken: "impl" is a copy of `impl/optchat`."""
    tests: tuple[str, ...] = ()
    """For the hunter "test": tests below the checkout's root that must fail, where no law of the planner speaks."""
    rule: str = ""
    """Where no law speaks: the number of the rule (spec/optchat_spec/rules.toml) that is broken, or OURS."""

    @property
    def named(self) -> str:
        """What the break is named for: its laws, or its rule."""
        return ", ".join(self.laws) or (f"rule {self.rule}" if self.rule != OURS else OURS)


OURS = "a promise of our own"
"""What no rule of the table says: a message that comes again under its key is logged once; no NUL is logged."""


def broken(name: str, says: str, laws: str, *edits: tuple[str, str, str], by: str = "") -> Break:
    """A break of the implementation; `laws` and the hunters `by` are separated by spaces."""
    made = Break(name, says, tuple(laws.split()), tuple(Edit(*edit) for edit in edits))
    return made._replace(hunters=tuple(by.split())) if by else made


def stored(name: str, rule: str, says: str, tests: str, *edits: tuple[str, str, str]) -> Break:
    """A break of a rule of the files. `tests` are separated by spaces; they lie in stateful_tests/store, if in no other
    folder.
    """
    made = Break(name, says, (), tuple(Edit(*edit) for edit in edits))
    paths = tuple(f"stateful_tests/{test if '/' in test else f'store/{test}'}" for test in tests.split())
    return made._replace(hunters=("test",), tests=paths, rule=rule)
