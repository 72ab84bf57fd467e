"""Other agents' chats as records: parsers for each format, and the gathering that puts them in one order, each once.

Nothing here writes a chat. `gather` reads and checks every file before its caller logs the first message.
"""

from optchat.imports.gather import Gathered, gather
from optchat.imports.record import Damage, ImportFailed, LeftOut, Record

__all__ = ["Damage", "Gathered", "ImportFailed", "LeftOut", "Record", "gather"]
