"""The change gate: a proposed change of this repository, held to everything in a clean worktree."""
