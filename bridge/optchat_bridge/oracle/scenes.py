"""The scenarios of the differential test, from fixed seeds. A scene drives our planner to know what it may start."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from optchat.core.config import Config
from optchat.core.node import Node
from optchat_bridge.oracle import scenario
from optchat_bridge.oracle.transcript import Player

KINDS = ("user", "unii", "tool", "echo", "work", "note")
WORDS = (
    "view",
    "batch",
    "naïve",
    "日本",
    "🙂",
    "x=1",
    "/tmp/a",
    "E404",
    "due",
    "\r\n",
    "\n",
    "\r",
    "\t",
    "a\\b",
    "|",
    "12+4|",
)


class Scene(NamedTuple):
    """A named scenario: its lines are a function of its name alone."""

    name: str
    make: Callable[[Random], list[str]]

    def lines(self) -> list[str]:
        return self.make(Random(self.name))


class Writer:
    """Writes a scenario while a planner of ours plays it."""

    def __init__(self, config: Config, random: Random) -> None:
        self.random = random
        self.lines = [scenario.config_line(config)]
        self.player = Player(self.lines[0])

    @property
    def running(self) -> list[Node]:
        return list(self.player.planner.queue.running)

    def do(self, line: str) -> None:
        self.lines.append(line)
        self.player.play(line)

    def message(self) -> None:
        self.do(scenario.message(self.random.choice(KINDS), self.text(self.message_bytes())))

    def message_bytes(self) -> int:
        """Mostly some hundred bytes; at times nothing, or right at a node's size, or a long paste."""
        node = self.player.config.node
        near = self.random.choice((0, 1, node - 8, node - 7, node - 6, node - 5, node, 3 * node, 30_000))
        return near if self.random.random() < 0.2 else self.random.randrange(2 * node)

    def text(self, size: int) -> str:
        """Words until about `size` bytes are full; long texts are of one word, which costs the oracle less to read."""
        words: list[str] = []
        left = size
        while left > 0:
            word = self.random.choice(WORDS) if self.random.random() < 0.5 else "w" * self.random.randrange(1, 60)
            word = "long paste " * 200 if left > 5_000 else word[:left]
            words.append(word)
            left -= len(word.encode()) + 1
        return " ".join(words)

    def build(self, node: Node) -> None:
        limit = self.player.config.node
        size = limit if self.random.random() < 0.3 else self.random.randrange(1, limit + 1)
        text = self.text(size).encode()[:limit].decode(errors="ignore") or "?"
        self.do(scenario.built(node, text))

    def catch_up(self) -> None:
        """A compactor that is never late."""
        while ready := self.player.planner.candidates():
            for node in ready:
                self.do(scenario.started(node))
                self.build(node)

    def look(self) -> None:
        """Print the context of some node of the chat."""
        total = self.player.planner.total
        level = self.random.randrange(max(1, total.bit_length()))
        if total >> level:
            self.do(scenario.context(Node(level, self.random.randrange(total >> level))))

    def late_step(self) -> None:
        """Calls start, fail and end in any order; at times an event that the rules refuse."""
        roll = self.random.random()
        ready, running = self.player.planner.candidates(), self.running
        if roll < 0.45 and ready:
            self.do(scenario.started(self.random.choice(ready)))
        elif roll < 0.8 and running:
            self.build(self.random.choice(running))
        elif roll < 0.92 and running:
            self.do(scenario.failed(self.random.choice(running)))
        elif roll < 0.94:
            self.do(scenario.RETRY)
        elif roll < 0.97:
            self.do(scenario.wait(self.random.random() < 0.5))
        elif roll < 0.99:
            node = Node(self.random.randrange(5), self.random.randrange(self.player.planner.total + 1))
            self.do(self.random.choice((scenario.started(node), scenario.failed(node), scenario.built(node, "no"))))
        else:
            self.do(scenario.REOPEN)

    def ask(self) -> None:
        """A line from model replies."""
        source = "user: " + self.text(self.random.randrange(600))
        sizes = (0, 1, 40, 511, 512, 513, 700, 1500)
        answers = [self.reply(self.random.choice(sizes)) for _ in range(self.random.randrange(1, 7))]
        self.do(scenario.replies(source, answers))

    def reply(self, size: int) -> str | None:
        if self.random.random() < 0.05:
            return None
        return (
            self.random.choice(("", " ", "40+8|", "\n12+4| ", "+|"))
            + self.text(size)
            + self.random.choice(("", "\r\n"))
        )


def punctual(config: Config, messages: int) -> Callable[[Random], list[str]]:
    """A compactor that is never late."""

    def make(random: Random) -> list[str]:
        writer = Writer(config, random)
        for number in range(messages):
            writer.message()
            writer.catch_up()
            if number % 97 == 0:
                writer.look()
            if number % 500 == 499:
                writer.do(scenario.REOPEN)
        return writer.lines

    return make


def late(config: Config, messages: int, steps: int = 3) -> Callable[[Random], list[str]]:
    """About `steps` other events a message: batches stop above the floor and go on later."""

    def make(random: Random) -> list[str]:
        writer = Writer(config, random)
        for number in range(messages):
            writer.message()
            for _ in range(random.randrange(2 * steps + 1)):
                writer.late_step()
            if number % 41 == 0:
                writer.look()
        return writer.lines

    return make


def any_sizes(messages: int) -> Callable[[Random], list[str]]:
    """Random sizes, budgets and jobs."""

    def make(random: Random) -> list[str]:
        node = random.choice((8, 16, 64, 200, 512))
        floor, cfloor = random.randrange(node, 12 * node), random.randrange(node, 8 * node)
        ceiling, cceiling = floor + random.randrange(12 * node), cfloor + random.randrange(8 * node)
        jobs, ahead = random.randrange(1, 9), random.choice((1, 3, 8))
        config = Config(node, ceiling, floor, cceiling, cfloor, jobs, ahead, random.randrange(1, 5))
        lines = late(config, messages, random.choice((1, 3, 5)))(random)
        return lines if random.random() < 0.5 else punctual(config, messages)(random)

    return make


def replies(count: int) -> Callable[[Random], list[str]]:
    def make(random: Random) -> list[str]:
        writer = Writer(Config(), random)
        for _ in range(count):
            writer.ask()
        return writer.lines

    return make


SMALL = Config(ceiling=6_000, floor=3_000, cceiling=2_000, cfloor=1_000)
SCENES = (
    Scene("real sizes, punctual, 3000", punctual(Config(), 3_000)),
    Scene("small sizes, punctual, 4000", punctual(SMALL, 4_000)),
    Scene("real sizes, late, 1500", late(Config(), 1_500, 6)),
    Scene("small sizes, late, 2500", late(SMALL, 2_500, 6)),
    Scene("model replies, 400", replies(400)),
    *(Scene(f"any sizes, {number}", any_sizes(250)) for number in range(24)),
)
