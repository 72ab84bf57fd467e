"""The command line. `optchat` starts in `main`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that `sys.argv` names and exit with its status (see `optchat.cli.status`)."""
    try:
        from optchat.cli.app import app
    except KeyboardInterrupt:
        # Ctrl-C while the modules are read, before `app` can say so.
        sys.exit(130)
    app(prog_name="optchat")
