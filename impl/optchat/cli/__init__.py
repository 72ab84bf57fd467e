"""The command line. `optchat` starts in `main`."""

from __future__ import annotations


def main() -> None:
    """Run the command that `sys.argv` names and exit with its status (see `optchat.cli.status`)."""
    from optchat.cli.app import app

    app(prog_name="optchat")
