"""Reading a chat that another process may be writing: no lock, and never half a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from optchat.core.node import Node
from optchat.core.text import PLACEHOLDER, flatten
from optchat.store.contents import Contents, covering
from optchat.store.errors import READABLE, StoreError, usable
from optchat.store.files import OS_FILES, Files
from optchat.store.images import load_image
from optchat.store.layout import Layout
from optchat.store.records import BatchRecord, Message, NodeRecord
from optchat.store.start import adopt_view, load

RUN = 256
"""Messages read at once when they are walked newest first."""


class Reader:
    """A chat as its files were when it was opened. It writes nothing."""

    def __init__(self, layout: Layout, contents: Contents) -> None:
        self.layout = layout
        self._contents = contents
        self.shrinking = contents.replay.shrinking
        self._lines = contents.lines()

    @classmethod
    def open(cls, folder: Path, *, agent: str = "unii", files: Files = OS_FILES) -> Self:
        """Open the chat in `folder/chat`. Raises Unusable when there is none, Damaged as Chat.open does."""
        with usable(folder, READABLE):
            layout = Layout.of(folder)
            layout.check()
            contents = load(layout, files, agent)
            try:
                adopt_view(layout, contents)
            except BaseException:
                contents.close()
                raise
            return cls(layout, contents)

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self._contents.messages)

    def message(self, index: int) -> Message:
        """A message. Raises StoreError on an id that does not exist."""
        if not 0 <= index < len(self):
            raise StoreError(f"there is no message {index}: this chat has {len(self)}, counted from 0")
        return self._contents.whole(index)

    def messages(self, start: int = 0, stop: int | None = None, *, newest_first: bool = False) -> Iterator[Message]:
        """The messages `[start, stop)`, read as they are walked."""
        stop = len(self) if stop is None else min(stop, len(self))
        if not newest_first:
            yield from self._contents.run(start, stop)
            return
        while stop > start:
            low = max(start, stop - RUN)
            yield from reversed(list(self._contents.run(low, stop)))
            stop = low

    def image(self, name: str) -> bytes:
        """The bytes of a message's image. Raises StoreError when it is gone."""
        return load_image(self.layout.images, name)

    def is_built(self, node: Node) -> bool:
        return node in self._contents.built

    def node_text(self, node: Node) -> str | None:
        """The text of a node, None while it is not built. Raises StoreError on what is no node of this chat."""
        if node.level < 0 or node.i < 0 or node.level > 63 or node.end > len(self):
            name = node.name if node.level in range(64) else f"({node.level}, {node.i})"
            raise StoreError(f"there is no node {name}: this chat has {len(self)} messages, counted from 0")
        return self._contents.node(node) if node in self._contents.built else None

    def line(self, node: Node) -> str:
        """A node's line text, the placeholder while it is not built."""
        text = self.node_text(node)
        return PLACEHOLDER if text is None else flatten(text)

    def tree_records(self) -> Iterator[NodeRecord | BatchRecord]:
        """The nodes and batches as they were recorded, in that order, up to the open. Raises Damaged."""
        return self._contents.tree_records()

    def view(self) -> list[Node]:
        """The view's lines, oldest first. They tile the messages."""
        return self._lines.copy()

    def covering(self, index: int) -> Node:
        """The view's line that covers a message. Raises StoreError on an id that does not exist."""
        if not 0 <= index < len(self):
            raise StoreError(f"there is no message {index}: this chat has {len(self)}, counted from 0")
        return covering(self._lines, index)

    def close(self) -> None:
        self._contents.main.close()
        self._contents.tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
