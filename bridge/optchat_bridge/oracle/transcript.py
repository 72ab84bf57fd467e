"""What our planner holds after every event of a scenario, in the words of `bend/bridge.bend`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from optchat.core.line import CutOff, LineBuilder
from optchat.core.node import Node
from optchat.core.planner import Planner, Refused
from optchat.core.render import render
from optchat.protocol import Log, reopened
from optchat_bridge.oracle.scenario import escape, read_config, unescape


class Player:
    """Plays a scenario's events on a planner of ours; a session without files."""

    def __init__(self, first_line: str) -> None:
        self.config = read_config(first_line)
        self.log = Log()
        self.planner = Planner(self.config, self.log)
        self.events = 0
        self.view: list[Node] = []
        self.cview: list[Node] = []

    def play(self, line: str) -> str:
        """One event's page of the transcript."""
        self.events += 1
        word, _, rest = line.partition(" ")
        match word:
            case "c":
                return self._context(Node(*map(int, rest.split(" "))))
            case "l":
                return self._replies(rest)
            case _:
                return self._event(word, rest)

    def rendered(self) -> str:
        return render(self.planner.chat.view.nodes, self.planner.line) + "\n"

    def _title(self, verdict: str) -> str:
        return f"event {self.events} {verdict}\n"

    def _event(self, word: str, rest: str) -> str:
        batches = len(self.log.batches)
        try:
            self._happen(word, rest)
        except Refused:
            return self._title("refused") + self._columns([])
        ran = len(self.log.batches) > batches
        merged = list(self.log.batches[-1].merged) if ran else []
        return self._title("ok") + self._columns(merged) + (self.rendered() if ran else "")

    def _happen(self, word: str, rest: str) -> None:
        planner = self.planner
        match word:
            case "m":
                kind, _, text = rest.partition(" ")
                self.log.messages.append((kind, unescape(text)))
                self.log.record(planner.message(*self.log.messages[-1]))
            case "s":
                planner.started(_node(rest))
            case "b":
                level, index, text = rest.split(" ", 2)
                self.log.record(planner.built(Node(int(level), int(index)), unescape(text)))
            case "f":
                self.log.record(planner.failed(_node(rest)))
            case "r":
                planner.retry()
            case "w":
                planner.wait(rest == "1")
            case "o":
                self.planner = reopened(planner, self.log)
            case _:
                raise ValueError(f"no event of a scenario: {word!r}")

    def _columns(self, merged: list[Node]) -> str:
        planner = self.planner
        view, cview = planner.chat.view, planner.compaction.view
        text = (
            f"view {_change(self.view, view.nodes)}cview {_change(self.cview, cview.nodes)}"
            f"shrinking {planner.chat.shrinking:d} {planner.compaction.shrinking:d}\n"
            f"merged{_names(merged)}queue{_names(planner.candidates())}waiting{_names(planner.candidates(True))}"
            f"bytes {view.bytes} {cview.bytes}\n"
        )
        self.view, self.cview = view.nodes.copy(), cview.nodes.copy()
        return text

    def _context(self, node: Node) -> str:
        lines = self.planner.context(node)
        return f"{self._title('ok')}context{_names(lines)}{render(lines, self.planner.line)}\n"

    def _replies(self, rest: str) -> str:
        source, *answers = rest.split("\t")
        asked, line = line_of(unescape(source), answers, self.config.node, self.config.tries)
        return f"{self._title('ok')}replies {asked} " + ("error\n" if line is None else f"line {escape(line)}\n")


def line_of(source: str, answers: list[str], node: int, tries: int) -> tuple[int, str | None]:
    """How many replies were asked for, and the line, or None for an error. A reply that never came is an error."""
    builder = LineBuilder(source, node, tries)
    for answer in answers:
        try:
            step = builder.offer(unescape(answer[1:]), cut_off=answer[:1] != "=")
        except CutOff:
            return builder.asked + 1, None
        if isinstance(step, str):
            return builder.asked, step
    return builder.asked + 1, None


def transcript(lines: Iterable[str]) -> Iterator[str]:
    """The pages of a scenario's transcript: one an event, then the last one."""
    rest = iter(lines)
    player = Player(next(rest))
    for line in rest:
        yield player.play(line)
    yield "end\n" + player.rendered()


def _node(text: str) -> Node:
    level, index = text.split(" ")
    return Node(int(level), int(index))


def _names(nodes: Iterable[Node]) -> str:
    return "".join(f" {node.name}" for node in nodes) + "\n"


def _change(old: list[Node], new: list[Node]) -> str:
    """A view as a change: how many lines at its start are as before, and the names of the others."""
    kept = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        kept += 1
    return f"{kept}{_names(new[kept:])}"
