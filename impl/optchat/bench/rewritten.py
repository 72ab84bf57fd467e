"""How many lines of the view a message rewrites: batches against merging at each message.

A line is rewritten when it stands behind the first place where the new view differs from the old one: a provider's
prompt cache reads what is before that place and writes the rest.
"""

from __future__ import annotations

from optchat.bench.chats import PunctualChat
from optchat.bench.table import Row
from optchat.core.config import Config
from optchat.core.node import Node

MESSAGES = 30_000


def common_prefix(old: list[Node], new: list[Node]) -> int:
    """How many lines both views begin with."""
    for at, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return at
    return min(len(old), len(new))


def lines_a_message(config: Config, messages: int = MESSAGES) -> float:
    chat = PunctualChat(config)
    rewritten = 0
    old: list[Node] = []
    for _ in range(messages):
        chat.message()
        new = chat.planner.chat.view.nodes.copy()
        rewritten += len(new) - common_prefix(old, new)
        old = new
    return rewritten / messages


def rewritten_rows() -> list[Row]:
    """A ceiling equal to its floor merges at each message: the view is always just under it."""
    rows = [Row("rewritten lines a message, batches 128,000/64,000", f"{lines_a_message(Config()):.2f}", "1.8 to 2")]
    for budget in (64_000, 128_000):
        each = lines_a_message(Config(ceiling=budget, floor=budget))
        rows.append(Row(f"rewritten lines a message, merging at each, {budget:,}", f"{each:.2f}", "53 to 94"))
    return rows
