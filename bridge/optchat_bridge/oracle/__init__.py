"""The compiled Bend model as the oracle: the same scenarios for it and for our planner, compared byte for byte."""
