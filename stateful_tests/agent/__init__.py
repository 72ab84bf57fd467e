"""Tests of the agent's parts."""
