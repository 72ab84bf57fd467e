"""Every contract, by its name."""

from __future__ import annotations

from stateful_tests.contracts import of_line, of_order, of_planner, of_queue, of_view
from stateful_tests.contracts.contract import CONTRACTS

__all__ = ["CONTRACTS", "of_line", "of_order", "of_planner", "of_queue", "of_view"]
