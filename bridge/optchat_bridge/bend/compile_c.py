"""A program in the compiler's language as one C file: the run time's header, the program's functions, the run time.

The functions are found from main on; a delayed value and a function value get functions of their own.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Final

from .compile_emit import Unit
from .compile_frame import START, c_string
from .compile_ir import Alt, Con, Expr, Imm, Program, Str
from .compile_lower import PRIME
from .compile_natives import EFFECTS
from .compile_strict import Forced, forced, strictness

HERE: Final = Path(__file__).parent
_KNOWN: Final = (
    *("True", "False", "LT", "EQ", "GT", "Unit", "Nil", "Con", "SNil", "SCon", "Tuple", "Done", "Fail"),
    *("ALeaf", "ANode"),
)
"""Constructors that the run time or an operation names."""
_EFFECT_CODES: Final = ("text", "text_head", "step", "bound", "got", "done")
_SHOW_CODES: Final = ("force", "forced", "print")


class Emitter:
    """The C text of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.strict = strictness(program)
        self.registers = 4
        self.numbers = {name: i for i, name in enumerate(program.constructors)}
        self._families = program.families
        self._forced: dict[int, Forced] = {}
        self._constants: list[str] = []
        self._constant_of: dict[int, str | None] = {}
        self._links: dict[str, str] = {}  # how a constant names another one before addresses are known
        self._bytes = bytearray()
        self._cafs: list[int] = []
        self._todo: deque[tuple[Unit, str, tuple[int, ...], Expr]] = deque()
        self._wanted: set[int] = set()
        self._count = 0
        self._alive: list[Expr] = []

    # -- what a unit asks -------------------------------------------------------------------------------------

    def tag(self, con: str) -> str:
        """A constructor's number in C."""
        return f"C_{con}" if con in _KNOWN else str(self.numbers[con])

    def siblings(self, alts: tuple[Alt, ...]) -> int:
        """How many constructors the type of these has."""
        return self._families[alts[0].con] if alts else 1

    def forces(self, body: Expr, var: int) -> bool:
        """Whether ``body`` surely evaluates the variable."""
        found = forced(body, self.strict, self._forced)
        return found is None or var in found

    def caf(self, fun: int) -> int:
        """The place of a def without parameters among the shared values."""
        if fun not in self._cafs:
            self._cafs.append(fun)
            function = self.program.functions[fun]
            unit = Unit(self, f"c{fun}", function.name, None, ())
            self._todo.append((unit, "thunk", (), function.body))
        return self._cafs.index(fun)

    def want(self, fun: int) -> None:
        """The code of a def is called."""
        if fun not in self._wanted:
            self._wanted.add(fun)
            function = self.program.functions[fun]
            unit = Unit(self, f"f{fun}", function.name, fun, function.params)
            unit.known = frozenset(function.params[i] for i in self.strict[fun])
            self._todo.append((unit, "def", function.params, function.body))

    def thunk(self, e: Expr, known: frozenset[int], title: str) -> tuple[str, tuple[int, ...]]:
        """The code of a delayed value in the function ``title``, and the variables it holds."""
        self._count += 1
        free = tuple(sorted(e.fv))
        unit = Unit(self, f"t{self._count}", title, None, free, known=known & e.fv)
        self._todo.append((unit, "thunk", free, e))
        return unit.name, free

    def closure(
        self, params: tuple[int, ...], body: Expr, known: frozenset[int], title: str
    ) -> tuple[str, tuple[int, ...]]:
        """The code of a function value in the function ``title``, and the variables it holds."""
        self._count += 1
        free = tuple(sorted(body.fv.difference(params)))
        unit = Unit(self, f"l{self._count}", title, None, (*params, *free), known=known & frozenset(free))
        self._todo.append((unit, "closure", params, body))
        self.registers = max(self.registers, len(params) + 1)
        return unit.name, free

    # -- constants --------------------------------------------------------------------------------------------

    def constant(self, e: Expr) -> str | None:
        """The C text of a value that is known now, or None."""
        match e:
            case Imm(kind, value, name):
                if kind == "con":
                    return f"CON0({self.tag(name)})"
                if kind == "none":
                    return "NONE"
                return f"IMM(I_{kind.upper()}, UINT64_C({value}))"
            case Str() | Con():
                if id(e) not in self._constant_of:
                    self._alive.append(e)
                    self._constant_of[id(e)] = self._object(e)
                return self._constant_of[id(e)]
            case _:
                return None

    def _object(self, e: Str | Con) -> str | None:
        match e:
            case Str(value) if any("\ud800" <= c <= "\udfff" for c in value):
                return self.constant(_cells(value))
            case Str(value):
                data = value.encode()
                start = len(self._bytes)
                self._bytes += data
                return self._static("HEADER(K_TEXT, 2, C_SCon)", [f"BYTES({start})", f"NAT({len(data)})"])
            case Con("SCon", (Imm("chr", code), tail)):
                rest = self.constant(tail)
                return None if rest is None else self._static(f"HEADER(K_CELL, 1, {code})", [rest])
            case Con(con, args):
                fields = []
                for arg in args:
                    field = self.constant(arg)
                    if field is None:
                        return None
                    fields.append(field)
                return self._static(f"HEADER(K_CON, {len(fields)}, {self.tag(con)})", fields)

    def _static(self, header: str, fields: list[str]) -> str:
        start = len(self._constants)
        self._constants += [header, *[self._links.get(f, f) for f in fields]]
        name = f"ADDRESS(constants + {start})"
        self._links[name] = f"LINK({start})"
        return name

    # -- the file ---------------------------------------------------------------------------------------------

    def emit(self) -> str:
        """The whole C file."""
        self.want(self.program.main)
        bodies: list[str] = []
        entries: list[tuple[str, str]] = []
        while self._todo:
            unit, kind, params, body = self._todo.popleft()
            self._enter(unit, kind, params)
            unit.tail(body)
            bodies.append(f"/* {unit.title} */\n{unit.finish()}")
            entries.append((f"E_{unit.name}", unit.name))
            entries += [(f"E_{entry}", unit.name) for entry in unit.entries]
        return "\n".join([_read("runtime.h"), *self._declarations(entries), *bodies, *self._tables(entries)])

    def _enter(self, unit: Unit, kind: str, params: tuple[int, ...]) -> None:
        """What a unit does first: takes its arguments and what it holds."""
        unit.locals.update(unit.params)
        unit.put("if (sp >= slim) grow_stack();")
        if kind == "thunk":
            unit.put(" ".join(f"v{v} = OBJ(reg[0])[{i + 1}];" for i, v in enumerate(params)))
            unit.put(f"OBJ(reg[0])[0] = HEADER(K_HOLE, {max(1, len(params))}, 0);")
            unit.put("PUSH(reg[0]); PUSH(CODE(CODE_UPDATE));")
        else:
            unit.put(" ".join(f"v{v} = reg[{i}];" for i, v in enumerate(params)))
        if kind == "closure":
            free = unit.params[len(params) :]
            unit.put(" ".join(f"v{v} = OBJ(reg[{len(params)}])[{i + 2}];" for i, v in enumerate(free)))
        if kind == "def":
            unit.put(START)
        unit.stretch(frozenset(unit.params))

    def _declarations(self, entries: list[tuple[str, str]]) -> list[str]:
        known = {name: self.numbers.get(name, 0xF0000 + i) for i, name in enumerate(_KNOWN)}
        return [
            f"#define MAIN_EFFECT {int(self.program.effect)}",
            f"#define MAIN_CODE E_f{self.program.main}",
            f"#define REGISTERS {2 * self.registers + 16}",
            f"enum {{ CAFS = {len(self._cafs)} }};",
            "#define LINK(n) ((W)(n) << 3 | 2u)",
            "#define BYTES(n) ((W)(n) << 3 | 4u)",
            '#define NAT_LARGE "a natural number of 2^59 or more does not fit this machine"',
            "enum { " + ", ".join(f"C_{name} = {number}" for name, number in known.items()) + " };",
            "enum { "
            + ", ".join(f"E_{name.replace('.', '_')} = {self.numbers['%' + name]}" for name in EFFECTS)
            + " };",
            "enum { E_FIRST = CODE_FIRST - 1, " + ", ".join(name for name, _ in entries) + " };",
            f"static W constants[] = {{ {', '.join([*self._constants, 'NONE'])} }};",
        ]

    def _tables(self, entries: list[tuple[str, str]]) -> list[str]:
        names = ", ".join(c_string(name.removesuffix(PRIME)) for name in self.numbers)
        data = [f"{b}," for b in self._bytes]
        lines = [" ".join(data[i : i + 32]) for i in range(0, len(data), 32)]
        codes = [f"E_c{fun}" for fun in self._cafs]
        return [
            "static const unsigned char literal_bytes[] = {",
            *lines,
            "0 };",
            f"static const int caf_codes[] = {{ {', '.join([*codes, '0'])} }};",
            *([] if self.program.effect else [f"static const char *const constructor_names[] = {{ {names} }};"]),
            "static void link_constants(void) {",
            "  for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {",
            "    W w = constants[i];",
            "    if ((w & 7u) == 2u) constants[i] = ADDRESS(constants + (w >> 3));",
            "    if ((w & 7u) == 4u) constants[i] = ADDRESS(literal_bytes + (w >> 3));",
            "  }",
            "}",
            _read("runtime.c"),
            _read("runtime_effects.c" if self.program.effect else "runtime_show.c"),
            "static const Code table[] = {",
            *[f"  code_{name}," for name in self._machine_codes()],
            *[f"  {unit}," for _, unit in entries],
            "};",
            _read("runtime_main.c"),
        ]

    def _machine_codes(self) -> list[str]:
        """The run time's own codes in the order of runtime.h; those of the part that is left out stop."""
        effect = self.program.effect
        codes = [name if effect else "stop" for name in _EFFECT_CODES]
        return ["stop", "update", "apply", *codes, *["stop" if effect else name for name in _SHOW_CODES]]


def _cells(text: str) -> Expr:
    """A string as a chain of characters: for codes that have no UTF-8."""
    chain: Expr = Imm("con", 0, "SNil")
    for char in reversed(text):
        chain = Con("SCon", (Imm("chr", ord(char)), chain))
    return chain


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
