"""`python -m optchat.bench`."""

import typer

from optchat.bench.command import bench

typer.run(bench)
