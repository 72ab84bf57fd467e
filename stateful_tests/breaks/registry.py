"""Every break, by its name."""

from __future__ import annotations

from stateful_tests.breaks import of_queue, of_store, of_texts, of_view
from stateful_tests.breaks.catalogue import Break

ALL: tuple[Break, ...] = (*of_view.BREAKS, *of_queue.BREAKS, *of_texts.BREAKS, *of_store.BREAKS)

BREAKS: dict[str, Break] = {each.name: each for each in ALL}
