"""An implementation that shows its view alone need not take the work: what it does not show is not judged."""

from __future__ import annotations

from optchat_bridge.check.judge import Judge
from optchat_bridge.check.own import PlannerSubject
from optchat_spec.session import Answer
from optchat_spec.steps import Event, State
from optchat_spec.vocabulary import Config

WORK = {"started", "built", "failed", "retry", "wait"}


class ViewAlone(PlannerSubject):
    """Our planner, which refuses all work, and shows `t` and `view`."""

    name = "a view alone"
    supports = frozenset({"view"})
    refuses = WORK

    def can(self, event: Event) -> bool:
        return event.op in WORK | {"message"}

    def open(self, config: Config) -> State:
        return shown(super().open(config))

    def do(self, event: Event) -> Answer:
        if event.op in self.refuses:
            return Answer(False, shown(self._state(())))
        answer = super().do(event)
        return Answer(answer.accepted, shown(answer.state))


class TakesCalls(ViewAlone):
    """It takes summaries, and knows nothing of calls, of retries and of turns that wait."""

    refuses = WORK - {"built"}


class Forgets(ViewAlone):
    """It refuses a summary, and builds it all the same."""

    def do(self, event: Event) -> Answer:
        taken = PlannerSubject.do(self, event)
        return Answer(taken.accepted and event.op == "message", shown(taken.state))


def shown(state: State) -> State:
    return State(state.t, state.view)


def broken(subject: type[ViewAlone]) -> set[str]:
    return {row.law.name for row in Judge(subject()).seeded(3_000, 0).rows if row.word == "broken"}


def test_work_that_is_not_taken_is_not_judged() -> None:
    assert broken(ViewAlone) == set()
    assert broken(TakesCalls) == set()


def test_work_that_is_taken_and_called_refused_is_found() -> None:
    assert "fit_merges_built" in broken(Forgets)
