"""OptChat: one chat that never ends, held to its laws."""

__version__ = "0.1.0"
