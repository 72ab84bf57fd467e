"""The laws as executable predicates on plain data."""
