"""Rule-based state machines: the laws, held over the planner and the store in every order of events."""
