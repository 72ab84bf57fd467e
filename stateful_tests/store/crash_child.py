"""A process that is killed at every operation on files in turn: `python -m ... FOLDER`.

For the n-th run it forks a child that works on a chat in `FOLDER/n` and kills itself at its n-th operation, until one
reaches its end. Each child writes what was acknowledged to it, a line each, to `FOLDER/n/acknowledged`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from optchat.store import Chat, Item
from stateful_tests.store.harness import SMALL, Clock, kills, settle, summary


def scenario(folder: Path, at: int, torn: bool, say: Callable[[object], None]) -> None:
    """A small life of a chat: messages one by one and many, long and keyed ones, nodes, batches, reopens, a new day."""
    files = kills(at, torn)
    clock = Clock()
    number = 0
    for session in range(3):
        with Chat.open(folder, SMALL, now=clock, files=files) as chat:
            for _ in range(9):
                text = f"message {number} " + "é" * (number * 11 % 30)
                key = f"key {number}"
                say({"ids": chat.append("user", text, key=key), "text": text, "key": key})
                number += 1
                for node in chat.planner.candidates()[:2]:
                    text = summary(chat.planner, node)
                    chat.built(node, text)
                    say({"node": node, "text": text})
            if session == 1:
                clock.now += timedelta(days=1)
            items = [Item("tool", "out", None, f"many {session} {each}") for each in range(4)]
            answers = chat.append_many([*items, Item("work", "long " * 13_000, None, f"long {session}")])
            for item, answer in zip(items, answers, strict=False):
                say({"ids": answer.ids, "text": item.text, "key": item.key})
            say({"ids": answers[-1].ids, "text": "long " * 13_000, "key": f"long {session}"})
            with chat.deferred():
                settle(chat)
    say("end")


def child(folder: Path, at: int, torn: bool) -> None:
    folder.mkdir()
    fd = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def say(what: object) -> None:
        os.write(fd, json.dumps(what).encode() + b"\n")

    scenario(folder, at, torn, say)


def main() -> None:
    folder, step = Path(sys.argv[1]), int(sys.argv[2])
    for at in range(0, 100_000, step):
        ended = []
        for torn in (False, True):
            run = folder / f"{at}{'t' if torn else ''}"
            pid = os.fork()
            if pid == 0:
                child(run, at, torn)
                os._exit(0)
            ended.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        if set(ended) == {0}:
            return
        if ended != [-9, -9]:
            sys.exit(f"operation {at}: a child ended with {ended}, where SIGKILL must have come")


if __name__ == "__main__":
    main()
