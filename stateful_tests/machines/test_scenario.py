"""Histories as files: written and read back, refused with the line named, and left behind by a machine that fails."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from optchat.core.planner import Effects, Planner
from optchat_spec import scenario
from optchat_spec.generate import CONFIGS, MIXES, OWN_CONFIGS, next_event
from optchat_spec.laws import STEP_LAWS
from optchat_spec.scenario import BadScenario
from optchat_spec.session import Session, first_broken
from optchat_spec.steps import Event
from optchat_spec.vocabulary import Config
from stateful_tests.machines import laws_held
from stateful_tests.machines.planner_machine import PlannerMachine, Start
from stateful_tests.machines.planner_subject import PlannerSubject


@given(st.integers(0, 10**6), st.sampled_from([*CONFIGS, *OWN_CONFIGS]), st.sampled_from(sorted(MIXES)))
def test_a_history_reads_back(seed: int, config: Config, mix: str) -> None:
    rng, session = Random(seed), Session(PlannerSubject(), config)
    events = []
    for _ in range(30):
        events.append(next_event(rng, config, session.facts, session.state, MIXES[mix]))
        session.do(events[-1])
    again = scenario.read(scenario.write(config, events))
    assert again[0] == config
    assert [scenario.request(event) for event in again[1]] == [scenario.request(event) for event in events]
    assert first_broken(PlannerSubject(), *again) is None


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x7f"])
def test_a_line_of_a_history_ends_at_a_newline_alone(end: str) -> None:
    """JSON lets a text hold these as they are, and other writers than ours do so."""
    text = f'{OPEN}{{"op":"message","kind":"user","text":"a{end}b"}}\r\n'
    assert [event.text for event in scenario.read(text)[1]] == [f"a{end}b"]


OPEN = '{"op":"open"}\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1: there is no `open`"),
        ("{", "line 1: this is no JSON object"),
        (OPEN + "[]", "line 2: this is no JSON object"),
        (OPEN + "[" * 100_000, "line 2: this is no JSON object"),
        ('{"op":"retry"}', "line 1: the first request must be `open`"),
        (OPEN + OPEN, "line 2: a second `open`"),
        ('{"op":"open","config":{"node":0}}', "line 1: the numbers of `config`"),
        ('{"op":"open","config":{"node":true}}', "line 1: the numbers of `config`"),
        ('{"op":"open","config":{"jobs":99999999999999999999999}}', "line 1: the numbers of `config`"),
        ('{"op":"open","config":{"nodes":5}}', "line 1: `config` may hold"),
        (OPEN + '\n{"op":"frobnicate"}', "line 3: 'frobnicate' is no request"),
        (OPEN + '{"op":"started","node":[0]}', "line 2: `node` must be [l, i]"),
        (OPEN + '{"op":"message","kind":"user"}', "line 2: `message` needs a text `text`"),
        (OPEN + '{"op":"wait"}', "line 2: `wait` needs `on`"),
        (OPEN + '{"op":"wait","on":true,"on":false}', 'line 2: the key "on" is there twice'),
        ('{"op":"open","config":{"jobs":1,"jobs":2}}', 'line 1: the key "jobs" is there twice'),
    ],
)
def test_what_is_no_history_is_refused_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(BadScenario) as error:
        scenario.read(text)
    assert str(error.value).startswith(fault)
    assert "\n" not in str(error.value)


class WaitsForNothing(Planner):
    """A planner that lets every call run on when a turn waits."""

    def wait(self, on: bool) -> Effects:
        self.queue.waiting = on
        return Effects([], None, [])


class BrokenSubject(PlannerSubject):
    make = WaitsForNothing


class MachineOfABreak(PlannerMachine):
    laws = STEP_LAWS
    subject = BrokenSubject
    # The deep starts take too long to leave out each single event of them.
    starts = PlannerMachine.starts[:-4]
    played: ClassVar[dict[Start, tuple[Session, list[Event]]]] = {}


def test_a_broken_law_is_named_and_leaves_its_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws_held, "SCENARIOS", tmp_path)
    with pytest.raises(laws_held.LawBroken, match="need_first_running") as error:
        run_state_machine_as_test(MachineOfABreak, settings=laws_held.searching())
    [path] = tmp_path.iterdir()
    assert str(path) in str(error.value)
    config, events = scenario.read(path.read_text(encoding="utf-8"))
    for at in range(len(events)):
        fewer = first_broken(BrokenSubject(), config, events[:at] + events[at + 1 :])
        assert fewer is None or fewer[1][0].law.name != "need_first_running", f"event {at} could have been left out"
    assert events[-1] == Event("wait", on=True)
    broken = first_broken(BrokenSubject(), config, events)
    assert broken is not None
    assert (broken[0], broken[1][0].law.name) == (len(events) - 1, "need_first_running")
    assert first_broken(PlannerSubject(), config, events) is None
