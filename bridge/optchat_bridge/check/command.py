"""`optchat check`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from optchat.cli.common import Json, print_json, progress
from optchat.cli.status import Failure, Status
from optchat.core.config import Config as PlannerConfig
from optchat_bridge.check.stopping import unwound
from optchat_spec import scenario as scenarios
from optchat_spec.steps import Event
from optchat_spec.vocabulary import Config

FARTHEST_LEVEL = 99
"""Beyond it a node's size is a number that takes memory to write down; a chat of 2**64 messages ends at 64."""

HISTORIES = Path("optchat-check")
"""Where the histories that break laws are written, if nobody says where."""

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of a scenario's file."""

Cmd = Annotated[
    str | None,
    typer.Option("--cmd", metavar="COMMAND", help="Hold this implementation to the laws: see docs/conformance.md."),
]
Scenario = Annotated[
    Path | None, typer.Option("--scenario", metavar="FILE", help="Replay this history instead of seeded ones.")
]
Events = Annotated[int, typer.Option("--events", min=1, help="How many events to judge.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Where the histories come from: the same seed, the same run.")]
Timeout = Annotated[
    float,
    typer.Option("--timeout", min=0.01, max=86_400.0, metavar="SECONDS", help="How long one answer may take."),
]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit file too, for gates.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the histories that break laws are written.")]
Change = Annotated[
    str | None,
    typer.Option("--change", metavar="REV|PATCHFILE", help="Hold a change of this repository to everything."),
]
AllowLawChange = Annotated[
    bool,
    typer.Option("--allow-law-change", help="Let the change edit laws, predicates, contracts or breaks (and say so)."),
]
StepTimeout = Annotated[
    float,
    typer.Option("--step-timeout", min=1.0, metavar="SECONDS", help="With --change: how long one step may take."),
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="With --change: stop at the first step that it breaks.")]


def check_command(
    cmd: Cmd = None,
    scenario: Scenario = None,
    events: Events = 20_000,
    seed: Seed = 0,
    timeout: Timeout = 10.0,
    json: Json = False,
    junit: Junit = None,
    out: Out = HISTORIES,
    change: Change = None,
    allow_law_change: AllowLawChange = False,
    fail_fast: FailFast = False,
    step_timeout: StepTimeout = 3600.0,
) -> None:
    """Hold this planner, anyone's implementation, or a change of this repository to the laws.

    Exits with 0 when nothing is broken, 1 when a law is, 2 when the command could not be run or broke the protocol.
    A broken law comes with the smallest history found, as a file that --scenario replays.

    Example:

        optchat check --cmd 'node my-memory/adapter.js'
    """
    if change is not None:
        if cmd is not None or scenario is not None:
            raise Failure("--change goes with neither --cmd nor --scenario: run it alone", Status.USAGE)
        from optchat_bridge.check.change import check_change

        with unwound():
            status = check_change(
                change, allow_law_change, json, junit, fail_fast=fail_fast, seconds=step_timeout, out=out
            )
            raise typer.Exit(status)
    with unwound():
        raise typer.Exit(check_laws(cmd, scenario, events, seed, timeout, json, junit, out))


def check_laws(
    cmd: str | None,
    scenario_file: Path | None,
    events: int,
    seed: int,
    timeout: float,
    json: bool,
    junit: Path | None,
    out: Path,
) -> int:
    """Judge, print, write; the status to exit with."""
    from optchat_bridge.check import report as reports
    from optchat_bridge.check.judge import Finding, Judge, Own
    from optchat_bridge.check.peer import Fault, Peer
    from optchat_bridge.check.remote import Remote
    from optchat_bridge.check.written import Writing

    history = None if scenario_file is None else read_history(scenario_file)
    remote = None if cmd is None else Remote(lambda: Peer(cmd, timeout))
    judge, writing = None, Writing()
    try:
        if remote is not None:
            remote.hello()
        with nullcontext(lambda _done, _total: None) if json else progress("judged") as say:
            judge = Judge(Own() if remote is None else remote, say)
            report = judge.seeded(events, seed) if history is None else judge.replayed(*history)
        if remote is not None:
            remote.bye()
    except Fault as fault:
        broken = [] if judge is None else [row for row in judge.rows.values() if row.finding]
        where = None
        if judge is not None and judge.last[1]:
            where = writing.keep(out, "protocol-fault", Finding(str(fault), *judge.last))
        status = tell_fault(str(fault), [row.law.name for row in broken], where, json, seed)
        writing.junit(junit, "optchat check", [reports.Case("protocol", "fault", str(fault))])
        return writing.status(status)
    finally:
        if remote is not None:
            remote.kill()
    kept = {row.law.name: writing.keep(out, row.law.name, row.finding) for row in report.broken}
    rows = reports.cases(report, kept)
    if json:
        print_json(reports.as_json(report, kept, seed))
    else:
        reports.print_table(reports.console(), report, rows)
    writing.junit(junit, "optchat check", rows)
    return writing.status(reports.EXIT_BROKEN if report.broken else reports.EXIT_HELD)


def read_history(path: Path) -> tuple[Config, list[Event]]:
    """The history of a scenario file. Raises Failure, in one line, when it is none that can be played."""
    try:
        # What is no file may have no end, or wait for one.
        if path.exists() and not path.is_file():
            raise Failure(f"{path} is no scenario: it is no regular file", Status.USAGE)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Failure(f"{path} is no scenario: it is longer than {LARGEST_FILE:,} bytes", Status.USAGE)
        config, events = scenarios.read(data.decode())
        PlannerConfig(*config)
    except FileNotFoundError:
        raise Failure(f"there is no file {path}", Status.USAGE) from None
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}", Status.USAGE) from None
    except UnicodeDecodeError:
        raise Failure(f"{path} is no scenario: it is not UTF-8", Status.USAGE) from None
    except ValueError as error:
        raise Failure(f"{path} is no scenario: {error}", Status.USAGE) from None
    for number, event in enumerate(events, 1):
        if abs(event.node[0]) > FARTHEST_LEVEL or abs(event.node[1]) >= 1 << 63:
            raise Failure(f"{path} is no scenario: event {number} names a node that no chat can have", Status.USAGE)
    return config, events


def tell_fault(fault: str, broken: list[str], where: Path | None, json: bool, seed: int) -> int:
    """Say how the protocol was broken, and which laws were before that."""
    from optchat_bridge.check.report import EXIT_FAULT

    if json:
        path = None if where is None else str(where)
        print_json({"fault": fault, "scenario": path, "broken_before": broken, "seed": seed, "laws": []})
    else:
        print(f"optchat: {fault}", file=sys.stderr)
        if where is not None:
            print(f"the chat until then, to replay with --scenario: {where}", file=sys.stderr)
        if broken:
            print(f"laws that were broken before: {', '.join(broken)}", file=sys.stderr)
    return EXIT_FAULT
