"""The planner's numbers, and their defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields

LARGEST = 2**53
"""The most that a number may be: every reader of JSON holds it exactly, and every machine counts to it."""


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes in UTF-8 bytes, the rest in counts. Raises ValueError, one line, on numbers that make no memory."""

    node: int = 512
    ceiling: int = 128_000
    floor: int = 64_000
    cceiling: int = 32_000
    cfloor: int = 16_000
    jobs: int = 8
    lookahead: int = 8
    failures: int = 3
    tries: int = 5

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < 1:
                raise ValueError(f"{each.name} must be 1 or more, not {getattr(self, each.name)}")
            if getattr(self, each.name) > LARGEST:
                raise ValueError(f"{each.name} must be at most {LARGEST}")
        if self.node < 4:
            raise ValueError(f"node must be 4 bytes or more, so that any character fits, not {self.node}")
        if self.floor > self.ceiling or self.cfloor > self.cceiling:
            raise ValueError("a floor must not be above its ceiling")
