"""Every break, by its name."""

from __future__ import annotations

from stateful_tests.breaks import of_model, of_model_work, of_queue, of_store, of_texts, of_view
from stateful_tests.breaks.catalogue import Break

ALL: tuple[Break, ...] = (*of_view.BREAKS, *of_queue.BREAKS, *of_texts.BREAKS, *of_store.BREAKS)

BREAKS: dict[str, Break] = {each.name: each for each in ALL}
"""The implementation's."""

MODEL: dict[str, Break] = {each.name: each for each in (*of_model.BREAKS, *of_model_work.BREAKS)}
"""The Bend model's."""
