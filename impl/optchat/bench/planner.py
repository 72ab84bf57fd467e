"""The planner's speed and memory: messages a second, the latency of a batch, bits a message."""

from __future__ import annotations

import statistics
from time import perf_counter

from optchat.bench.chats import PunctualChat
from optchat.bench.table import Row
from optchat.core.config import Config


def planner_rows(sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)) -> list[Row]:
    """Messages of 600 bytes, lines of 512, every summary built at once."""
    rows: list[Row] = []
    chat = PunctualChat(Config())
    batches: list[float] = []
    start = perf_counter()
    for done in range(1, max(sizes) + 1):
        before = perf_counter()
        effects = chat.planner.message("user", chat.texts.message(done)[1])
        if effects.batch is not None:
            batches.append(perf_counter() - before)
        chat.catch_up()
        if done in sizes:
            rate = done / (perf_counter() - start)
            rows.append(Row(f"planner, {done:,} messages", f"{rate:,.0f} messages/s"))
    view = chat.planner.chat.view
    middle, worst = statistics.median(batches), max(batches)
    bits = sum(map(len, chat.planner.built_nodes.levels)) * 8 / chat.planner.total
    rows.append(Row("a batch's event, median and worst", f"{middle * 1e3:.2f} ms, {worst * 1e3:.2f} ms"))
    rows.append(Row("lines of the view at the end", f"{len(view.nodes)} ({view.bytes:,} bytes)"))
    rows.append(Row("memory for built nodes", f"{bits:.1f} bits a message", "a few bits"))
    return rows
