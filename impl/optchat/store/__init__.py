"""The store: one chat as files. Append-only day files, one writer, and a start that replays what was recorded."""

from optchat.store.chat import Chat
from optchat.store.doctor import Problem, Report, doctor, mend
from optchat.store.errors import Damaged, Locked, Poisoned, StoreError, Unusable
from optchat.store.items import Appended, Item
from optchat.store.reader import Reader
from optchat.store.records import Message

__all__ = [
    "Appended",
    "Chat",
    "Damaged",
    "Item",
    "Locked",
    "Message",
    "Poisoned",
    "Problem",
    "Reader",
    "Report",
    "StoreError",
    "Unusable",
    "doctor",
    "mend",
]
