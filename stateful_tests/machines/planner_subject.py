"""Our planner as the laws see it: the one that `optchat check` judges in its own process."""

from __future__ import annotations

from optchat_bridge.check.own import PlannerSubject, pair, plain, planner_fit, state_of

__all__ = ["PlannerSubject", "pair", "plain", "planner_fit", "state_of"]
