"""What a contract is: a function that CrossHair runs on every input that its leading asserts let through."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Check = Callable[..., None]


class Contract(NamedTuple):
    """`check`'s first asserts say for which inputs; its last one is the law's predicate on what `function` did."""

    law: str
    function: str
    """The function that carries the law; of `optchat.core` where it says no more."""
    check: Check
    bounds: str
    """The inputs, in words."""
    seconds: float
    """How long CrossHair may search."""
    confirmed: bool
    """Whether CrossHair is known to go down every path in that time: then the law is proven for these inputs."""
    quick: bool
    """Whether it belongs to the tests' quick subset."""

    @property
    def name(self) -> str:
        return self.check.__name__


CONTRACTS: dict[str, Contract] = {}
"""By the name of the check: filled as the modules of contracts are imported."""


def contract(
    law: str, function: str, bounds: str, *, seconds: float = 40, confirmed: bool = True, quick: bool = False
) -> Callable[[Check], Check]:
    """Register a check as a contract for a law. Raises ValueError when its name is taken."""

    def register(check: Check) -> Check:
        if check.__name__ in CONTRACTS:
            raise ValueError(f"two contracts are named {check.__name__}")
        CONTRACTS[check.__name__] = Contract(law, function, check, bounds, seconds, confirmed, quick)
        return check

    return register
