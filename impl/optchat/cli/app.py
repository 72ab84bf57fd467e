"""The table of commands, and what becomes of errors. Nothing here imports a command before it runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_command

from optchat import __version__
from optchat.cli.common import help_of
from optchat.cli.failures import failure_of
from optchat.cli.status import HELP, Status, complain
from optchat.cli.streams import finish, prepare


class Entry(NamedTuple):
    """A command: its name, the function that is it (`module:function`), and its line in `optchat --help`."""

    name: str
    where: str
    help: str


COMMANDS = (
    Entry(
        "import",
        "optchat.cli.import_:import_",
        "Take in the sessions of other agents, oldest first, each message once.",
    ),
    Entry("memory", "optchat.cli.memory:memory", "Show the view: its state and its last lines."),
    Entry("zoom", "optchat.cli.zoom:zoom", "Open a line of the view, down to the message, word for word."),
    Entry("date", "optchat.cli.zoom:date", "Show when a message was written."),
    Entry("search", "optchat.cli.search:search", "Find messages that hold a text, newest first."),
    Entry("export", "optchat.cli.export:export", "Write the chat as JSON lines, Markdown or one HTML page."),
    Entry("doctor", "optchat.cli.doctor:doctor", "Check every file of the chat, and mend what can be mended."),
    Entry("settings", "optchat.cli.settings:settings", "Show, find and change the settings."),
    Entry("replay", "optchat.cli.replay:replay", "Run an event list or a chat through the planner, state by state."),
    Entry(
        "check",
        "optchat_bridge.check.command:check_command",
        "Hold this planner, anyone's implementation, or a change of this repository to the laws.",
    ),
    Entry("laws", "optchat_bridge.laws:laws", "Check the proofs of the laws, and show each law with its state."),
    Entry("bend", "optchat_bridge.bend.command:bend", "Check or run a Bend file with our own small Bend."),
    Entry("bench", "optchat.bench.command:bench", "Measure speed and memory, beside the published figures."),
)


class LazyCommand(TyperCommand):
    """A command that is imported when it is run, or asked for its own help."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.help)
        self.entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return load(self.entry).make_context(info_name, args, parent, **extra)


def load(entry: Entry) -> Any:
    """The real command of an entry."""
    module, _, name = entry.where.partition(":")
    function: Callable[..., None] = getattr(import_module(module), name)
    single = typer.Typer(add_completion=False, rich_markup_mode="rich")
    single.command(entry.name, help=help_of(function.__doc__))(function)
    return get_command(single)


class Commands(TyperGroup):
    """All commands. Errors become one line and a status here, so that a test's runner sees what a shell sees."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands.update({entry.name: LazyCommand(entry) for entry in COMMANDS})

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_rest: Any, **_extra: Any) -> Any:
        sys.exit(self.status(args, prog_name))

    def status(self, args: Sequence[str] | None, prog_name: str | None) -> int:
        """Run a command and give the status to exit with."""
        try:
            prepare()
            result = super().main(args, prog_name or "optchat", standalone_mode=False)
            sys.stdout.flush()
            if result == Status.INTERRUPTED:  # What typer makes of Ctrl-C.
                complain("stopped")
            return result if isinstance(result, int) else Status.OK
        except TyperException as error:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "optchat"
            complain(f"{meant(error)} (see: {path} --help)")
            return Status.USAGE
        except (KeyboardInterrupt, Abort):
            complain("stopped")
            return Status.INTERRUPTED
        except BrokenPipeError:
            finish()
            return Status.PIPE
        except SystemExit as error:
            # What typer makes of a closed pipe.
            if not isinstance(error.__context__, BrokenPipeError):
                raise
            return Status.PIPE
        except Exception as error:
            finish()
            failure = failure_of(error)
            if failure is None:
                import traceback

                traceback.print_exc()
                return Status.BUG
            complain(str(failure))
            return failure.status


def meant(error: TyperException) -> str:
    """What is wrong with a command, in one line. `-4` is a number that somebody meant, not an option."""
    if re.fullmatch(r"-\d", str(getattr(error, "option_name", ""))):
        return "ids and numbers must be 0 or more here, not negative"
    return " ".join(error.format_message().split())


app = typer.Typer(
    cls=Commands,
    name="optchat",
    help="One chat that never ends: a log of every message, a tree of one-line summaries, a view that fits a prompt.",
    epilog=help_of(HELP),
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"optchat {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Show the version."),
) -> None:
    if context.invoked_subcommand is None and not version:
        typer.echo(context.get_help())
