"""The frame of a machine function in C: variables, entries, what is saved on the stack, checks of the heap.

A C function holds all the entry points of its machine function: where a value has to be waited for, what is needed
later goes on the stack, the function returns to the main loop, and comes in again at a label that takes it back.
Room on the heap is checked once for a stretch of code without labels; a stretch begins at the entry, at a label and
at a branch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from .compile_ir import Expr

if TYPE_CHECKING:
    from .compile_c import Emitter

Operand: TypeAlias = int | str
"""A variable, or a constant as C text."""
START: Final = "start:;"
FRAME_LIMIT: Final = 3000
"""Words that a function may save; the run time keeps 4096 free."""


@dataclass(slots=True)
class Stretch:
    """A piece of code with one check of the heap: where the check goes, who is alive there, what is allocated."""

    line: int
    alive: frozenset[int]
    words: int = 0


@dataclass(slots=True)
class Frame:
    """The machine function being written: its name in C, its title for people, its number if it is a def.

    ``known`` are the variables that are evaluated at the point that is being written.
    """

    emitter: Emitter
    name: str
    title: str
    function: int | None
    params: tuple[int, ...]
    lines: list[str] = field(default_factory=list)
    resumes: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    locals: set[int] = field(default_factory=set)
    known: frozenset[int] = frozenset()
    stretches: list[Stretch] = field(default_factory=list)
    labels: int = 0
    loops: bool = False

    # -- text -------------------------------------------------------------------------------------------------

    def put(self, line: str) -> None:
        self.lines.append(line)

    def label(self) -> int:
        self.labels += 1
        return self.labels

    def temp(self) -> int:
        var = self.emitter.program.fresh()
        self.locals.add(var)
        return var

    def bind(self, var: int, value: Operand) -> None:
        self.locals.add(var)
        if value != var:
            self.put(f"v{var} = {text(value)};")

    def stretch(self, alive: frozenset[int]) -> None:
        self.put("")
        self.stretches.append(Stretch(len(self.lines) - 1, alive))

    def room(self, words: int) -> None:
        self.stretches[-1].words += words

    def entry(self) -> str:
        """A new place where the main loop can come in."""
        name = f"{self.name}_{len(self.entries) + 1}"
        self.entries.append(name)
        return name

    def finish(self) -> str:
        """The C function."""
        for each in self.stretches:
            if each.words:
                saved = sorted(each.alive)
                save = " ".join(f"sp[{i}] = v{v};" for i, v in enumerate(saved))
                load = " ".join(f"v{v} = sp[{i}];" for i, v in enumerate(saved))
                self.lines[each.line] = (
                    f"if ((size_t)(hlim - hp) < {each.words}) {{ {save} collect({len(saved)}, {each.words}); {load} }}"
                )
        body = [line for line in self.lines if line and (self.loops or line != START)] + self.resumes
        if not any(word in line for line in body for word in ("return", "RETURN", "TAIL")):
            body.append("return pc;")  # never reached: all that the function does is to begin again
        head = [f"static int {self.name}(int pc) {{"]
        if self.locals:
            head.append(f"W {', '.join(f'v{v}' for v in sorted(self.locals))};")
            head.append(" ".join(f"(void)v{v};" for v in sorted(self.locals)))
        if self.entries:
            head.append("switch (pc) {")
            head += [f"case E_{e}: goto {e};" for e in self.entries]
            head.append("default: break;")
            head.append("}")
        else:
            head.append("(void)pc;")
        return "\n".join([*head, *body, "}"])

    # -- saving -----------------------------------------------------------------------------------------------

    def save(self, alive: frozenset[int], entry: str) -> tuple[str, str]:
        """C text that puts what is alive and the entry on the stack, and the text that takes it back."""
        order = sorted(alive)
        if len(order) > FRAME_LIMIT:
            raise OverflowError(f"{self.name} keeps {len(order)} values at once")
        push = "".join(f"PUSH(v{v}); " for v in order) + f"PUSH(CODE(E_{entry}));"
        pop = " ".join(f"v{v} = POP();" for v in reversed(order))
        return push, pop

    def force(self, var: int, alive: frozenset[int]) -> None:
        """Evaluates a variable; ``alive`` is needed afterwards."""
        if var in self.known:
            return
        entry = self.entry()
        others = alive - {var}
        push, pop = self.save(others, entry)
        self.put(f"if (DELAYED(v{var})) {{ if (!LINKED(v{var})) {{ {push} return enter(v{var}); }}")
        self.put(f"v{var} = TARGET(v{var}); }}")
        self.put(f"{entry}_back:;")
        self.resumes.append(f"{entry}: v{var} = ret; {pop} goto {entry}_back;")
        self.known |= {var}
        self.stretch(alive | {var})

    def wait(self, alive: frozenset[int], go: str) -> int:
        """Goes elsewhere for a value; the result is evaluated."""
        entry = self.entry()
        push, pop = self.save(alive, entry)
        result = self.temp()
        self.put(f"{push} {go}")
        self.put(f"{entry}: v{result} = ret; {pop}")
        self.known |= {result}
        self.stretch(alive | {result})
        return result


def union(parts: Iterable[Expr]) -> frozenset[int]:
    """The free variables of all of them."""
    found: frozenset[int] = frozenset()
    for part in parts:
        found |= part.fv
    return found


def text(value: Operand) -> str:
    """An operand in C."""
    return f"v{value}" if isinstance(value, int) else value


def c_string(value: str) -> str:
    """A C string literal, every unusual byte in octal."""
    plain = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in value.encode()]
    return '"' + "".join(plain) + '"'
