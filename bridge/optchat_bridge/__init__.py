"""Our own small Bend, the oracle, and the checks that hold implementations to the laws."""
