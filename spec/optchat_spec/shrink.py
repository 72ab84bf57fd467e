"""The smallest history that still breaks: events left out, texts made plain and short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from optchat_spec.steps import Event

Breaks = Callable[[Sequence[Event]], int | None]
"""Plays a history to a new chat: the position of the first event that breaks the law in question, or None."""


class Shrinker:
    """The best history so far, and how many more events may be played."""

    def __init__(self, events: Sequence[Event], breaks: Breaks, work: int) -> None:
        at = breaks(events)
        if at is None:
            raise ValueError("this history breaks nothing")
        self.best = list(events[: at + 1])
        self.breaks = breaks
        self.left = work

    def take(self, events: list[Event]) -> bool:
        """Play a simpler history; if it still breaks, up to its first break it is the best now."""
        if self.left <= 0:
            return False
        self.left -= 1 + len(events)
        at = self.breaks(events)
        if at is None:
            return False
        self.best = events[: at + 1]
        return True

    def leave_out(self, run: int) -> bool:
        """Try without each run of so many events, the newest first; whether any could go."""
        before, stop = len(self.best), len(self.best)
        while stop > 0 and self.left > 0:
            start = max(0, stop - run)
            self.take(self.best[:start] + self.best[stop:])
            stop = min(start, len(self.best))
        return len(self.best) < before

    def make_plain(self) -> bool:
        """Try each text shorter or plainer; whether any could be."""
        changed = False
        for at, event in enumerate(self.best):
            for plainer in _plainer(event):
                if at < len(self.best) and self.take([*self.best[:at], plainer, *self.best[at + 1 :]]):
                    changed = True
                    break
        return changed


def smallest(events: Sequence[Event], breaks: Breaks, work: int = 400_000) -> list[Event]:
    """A short history that still breaks, found by playing shorter ones, of about `work` events in all.

    Runs of events are left out, long runs first; then single texts become shorter or plainer, and so on while either
    helps: with work left, no single event of the result can be left out. Raises ValueError when `events` breaks
    nothing.
    """
    shrinker = Shrinker(events, breaks, work)
    plainer = True
    while plainer:
        run = len(shrinker.best) // 2
        while run > 0:
            if not shrinker.leave_out(run):
                run //= 2
        plainer = shrinker.make_plain()
    return shrinker.best


def _plainer(event: Event) -> Iterator[Event]:
    if event.op not in ("message", "built"):
        return
    size = len(event.text.encode(errors="replace"))
    texts = ["", "x", "x" * (size // 2), "x" * (size - 1), "x" * size] if size else []
    for text in texts:
        if len(text) < len(event.text) or (text != event.text and set(event.text) != {"x"}):
            yield event._replace(text=text)
    if event.op == "message" and event.kind != "user":
        yield event._replace(kind="user")
