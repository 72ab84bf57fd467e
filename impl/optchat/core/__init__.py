"""The planner: the pure core of the memory."""
