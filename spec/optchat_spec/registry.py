"""What a law is to a program: its name, its sentence, how strong it is, what it needs to see, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from optchat_spec.order_laws import Fit
from optchat_spec.steps import Step, Talk
from optchat_spec.vocabulary import Pushed

Area = Literal["view", "order", "queue", "line"]
Source = Literal["design", "added"]


class Verdict(NamedTuple):
    """What a law says of one step: whether it speaks of it at all, and what is broken (None: it holds)."""

    spoke: bool
    broken: str | None = None


SILENT = Verdict(False)


def spoken(broken: str | None) -> Verdict:
    """The verdict of a law that speaks of a step."""
    return Verdict(True, broken)


class Law(NamedTuple):
    """One law. Exactly one of `step`, `fit`, `push` and `talk` is given: what the law is judged on.

    `needs` names what must be seen for it: fields of State or Step (`bytes`, `cview`, `queue`, ... as the protocol's
    `supports` does), or "context", "reopen", "zoom", "fit", "talk". `source` is "added" for a law that design/laws.md
    does not list.
    """

    name: str
    area: Area
    sentence: str
    strength: str
    needs: frozenset[str]
    predicate: Callable[..., str | None]
    source: Source = "design"
    step: Callable[[Step], Verdict] | None = None
    fit: Callable[[Fit], Verdict] | None = None
    push: Callable[[Fit, Pushed], Verdict] | None = None
    talk: Callable[[Talk], Verdict] | None = None


Laws = Mapping[str, Law]
