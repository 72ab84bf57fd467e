"""`optchat check`: hold this planner, anyone's implementation, or a change of this repository to the laws."""
