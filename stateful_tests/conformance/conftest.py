"""A repository that changes are proposed to."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful_tests.conformance.proposals import GOLDEN, copy_files, git


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this checkout, but for the model and the tests of Bend, as the one commit of a repository."""
    folder = tmp_path_factory.mktemp("repository")
    copy_files(folder, lambda path: not path.startswith(("bend/", "stateful_tests/bend/")) or path == GOLDEN)
    git(folder, "init", "--quiet", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder
