"""One machine function as C: the code of a def, of a delayed value, or of a function value.

``eval`` writes code that has a value evaluated and goes on, ``tail`` code that ends the function with it, ``delay``
code that only puts it off. What is safe and takes no time is done at once instead of being put off.
"""

from __future__ import annotations

from collections.abc import Callable

from .compile_frame import Frame, Operand, c_string, text, union
from .compile_ir import Alt, Apply, Call, Case, Con, Expr, Fail, Fun, Imm, Let, Prim, Str, V
from .compile_prims import CHEAP, TESTS, prim_statement


class Unit(Frame):
    """Writes the machine function's code."""

    # -- values -----------------------------------------------------------------------------------------------

    def eval(self, e: Expr, alive: frozenset[int]) -> Operand:
        """The value of ``e`` in weak head normal form; ``alive`` is needed afterwards."""
        match e:
            case V(var):
                self.force(var, alive)
                return var
            case Imm() | Str() | Con() | Fun():
                return self.delay(e)
            case Prim(op, args):
                return self.primitive(op, self.operands(args, alive))
            case Call(fun, ()):
                return self.eval_caf(fun, alive)
            case Call(fun, args):
                values = self.arguments(fun, args, alive)
                return self.wait(alive, self.jump(values, self.call(fun)))
            case Apply(head, args):
                later = alive | union(args)
                function = self.eval(head, later)
                values = [self.delay(a) for a in args]
                return self.wait(alive, self.jump(values, f"return apply({text(function)}, {len(values)});"))
            case Let(var, value, body):
                self.let(var, value, body, alive)
                return self.eval(body, alive)
            case Case():
                return self.join(e, alive)
            case Fail(why):
                self.put(f"return fail({c_string(why)});")
                return "NONE"

    def eval_caf(self, fun: int, alive: frozenset[int]) -> Operand:
        var = self.temp()
        self.put(f"v{var} = caf[{self.emitter.caf(fun)}];")
        self.force(var, alive)
        return var

    def operands(self, args: tuple[Expr, ...], alive: frozenset[int]) -> list[Operand]:
        """All of them evaluated, from the left."""
        done: list[Operand] = []
        for i, arg in enumerate(args):
            later = alive | union(args[i + 1 :]) | {d for d in done if isinstance(d, int)}
            done.append(self.eval(arg, later))
        return done

    def primitive(self, op: str, values: list[Operand]) -> int:
        result = self.temp()
        self.put(prim_statement(op, f"v{result}", [text(v) for v in values]))
        self.known |= {result}
        return result

    def arguments(self, fun: int, args: tuple[Expr, ...], alive: frozenset[int]) -> list[Operand]:
        """The arguments of a call: the strict ones are evaluated first, the others put off."""
        strict = self.emitter.strict[fun]
        values: dict[int, Operand] = {}
        waiting = [i for i in range(len(args)) if i not in strict]
        for i in sorted(strict):
            later = alive | union([args[j] for j in range(len(args)) if j not in values and j != i])
            values[i] = self.eval(args[i], later | {v for v in values.values() if isinstance(v, int)})
        for i in waiting:
            values[i] = self.delay(args[i])
        return [values[i] for i in range(len(args))]

    def jump(self, values: list[Operand], go: str) -> str:
        self.emitter.registers = max(self.emitter.registers, len(values) + 1)
        return " ".join([f"reg[{i}] = {text(v)};" for i, v in enumerate(values)]) + " " + go

    def call(self, fun: int) -> str:
        self.emitter.want(fun)
        return f"return E_f{fun};"

    def let(self, var: int, value: Expr, body: Expr, alive: frozenset[int]) -> None:
        """Binds; at once when the body surely evaluates it."""
        later = alive | (body.fv - {var})
        if self.emitter.forces(body, var):
            self.bind(var, self.eval(value, later))
            self.known |= {var}
        else:
            done = self.delay(value)
            self.bind(var, done)
            if isinstance(done, str) or done in self.known:
                self.known |= {var}

    # -- putting off ------------------------------------------------------------------------------------------

    def delay(self, e: Expr) -> Operand:
        """A word that stands for ``e``; nothing is evaluated that could take long, fail or not end."""
        constant = self.emitter.constant(e)
        if constant is not None:
            return constant
        match e:
            case V(var):
                return var
            case Con("SCon", (head, tail)):
                return self.cell(self.delay(head), self.delay(tail))
            case Con(con, args):
                values = [self.delay(a) for a in args]
                return self.allocate(f"HEADER(K_CON, {len(values)}, {self.emitter.tag(con)})", values, True)
            case Fun(params, body):
                code, free = self.emitter.closure(params, body, self.known, self.title)
                header = f"HEADER(K_FUN, {len(free) + 1}, E_{code})"
                return self.allocate(header, [f"NAT({len(params)})", *free], True)
            case Call(fun, ()):
                var = self.temp()
                self.put(f"v{var} = caf[{self.emitter.caf(fun)}];")
                return var
            case Let(var, value, Con() as body):
                self.bind(var, self.delay(value))
                return self.delay(body)
            case Prim() if cheap(e):
                return self.speculate(e)
            case _:
                return self.thunk(e)

    def cell(self, head: Operand, tail: Operand) -> Operand:
        """A character in front of a string: compact when the character is known."""
        result = self.temp()
        self.room(3)
        self.put(f"CELL(v{result}, {text(head)}, {text(tail)});")
        self.known |= {result}
        return result

    def allocate(self, header: str, values: list[Operand], known: bool) -> int:
        result = self.temp()
        size = max(1, len(values))
        self.room(size + 1)
        fields = " ".join([f"hp[{i + 1}] = {text(v)};" for i, v in enumerate(values)]) or "hp[1] = NONE;"
        self.put(f"hp[0] = {header}; {fields} v{result} = ADDRESS(hp); hp += {size + 1};")
        if known:
            self.known |= {result}
        return result

    def thunk(self, e: Expr) -> int:
        code, free = self.emitter.thunk(e, self.known, self.title)
        return self.allocate(f"HEADER(K_THUNK, {max(1, len(free))}, E_{code})", list(free), False)

    def speculate(self, e: Prim) -> int:
        """A cheap operation is done at once if its arguments happen to be evaluated, and put off otherwise."""
        unsure = sorted(e.fv - self.known)
        if not unsure:
            return self.inline(e)
        before = self.known
        result = self.temp()
        for var in unsure:
            self.put(f"if (DELAYED(v{var}) && LINKED(v{var})) v{var} = TARGET(v{var});")
        self.put(f"if ({' || '.join(f'DELAYED(v{var})' for var in unsure)}) {{")
        self.put(f"v{result} = v{self.thunk(e)};")
        self.put("} else {")
        self.known = before | set(unsure)
        self.put(f"v{result} = v{self.inline(e)};")
        self.put("}")
        self.known = before
        return result

    def inline(self, e: Expr) -> int:
        match e:
            case Prim(op, args):
                return self.primitive(op, [self.inline_operand(a) for a in args])
            case _:
                raise AssertionError(e)

    def inline_operand(self, e: Expr) -> Operand:
        constant = self.emitter.constant(e)
        if constant is not None:
            return constant
        return e.id if isinstance(e, V) else self.inline(e)

    # -- control ----------------------------------------------------------------------------------------------

    def tail(self, e: Expr) -> None:
        """Code that ends with the value of ``e`` as the function's."""
        match e:
            case V(var) if var not in self.known:
                self.put(f"TAIL(v{var});")
            case Call(fun, args) if args and fun == self.function:
                self.loop(self.arguments(fun, args, frozenset()))
            case Call(fun, args) if args:
                self.put(self.jump(self.arguments(fun, args, frozenset()), self.call(fun)))
            case Apply(head, args):
                function = self.eval(head, union(args))
                values = [self.delay(a) for a in args]
                self.put(self.jump(values, f"return apply({text(function)}, {len(values)});"))
            case Let(var, value, body):
                self.let(var, value, body, frozenset())
                self.tail(body)
            case Case():
                self.branches(e, frozenset(), None)
            case Fail(why):
                self.put(f"return fail({c_string(why)});")
            case _:
                self.put(f"RETURN({text(self.eval(e, frozenset()))});")

    def loop(self, values: list[Operand]) -> None:
        """A call of the function itself: its parameters get new values, all at once."""
        self.loops = True
        moves = [(p, v) for p, v in zip(self.params, values, strict=True) if p != v]
        written = {p for p, _ in moves}
        late: list[str] = []
        for param, value in moves:
            if isinstance(value, int) and value in written:
                copy = self.temp()
                self.put(f"v{copy} = v{value};")
                late.append(f"v{param} = v{copy};")
            else:
                late.append(f"v{param} = {text(value)};")
        self.put(" ".join(late) + " goto start;")

    def join(self, e: Case, alive: frozenset[int]) -> int:
        """A case in the middle of something: every branch leaves its value in one variable."""
        result = self.temp()
        self.branches(e, alive, result)
        return result

    def branches(self, e: Case, alive: frozenset[int], result: int | None) -> None:
        """The case; with ``result``, what follows it is needed and the branches meet, else each ends the function."""
        inner: frozenset[int] = frozenset()
        for alt in e.alts:
            inner |= alt.body.fv.difference(alt.fields)
        if e.default is not None:
            inner |= e.default.fv
        end = self.label()
        arms = self.tests(e, alive | (inner - {e.var}), e.var in inner)
        before = self.known
        for test, arm in arms:
            fields, body = (arm.fields, arm.body) if isinstance(arm, Alt) else ((), arm)
            self.put(f"{test}{{")
            self.known = before
            taken = {e.var} if any(f in body.fv for f in fields) else set()
            self.stretch(alive | body.fv.difference(fields) | taken)
            if isinstance(arm, Alt):
                self.take(e.var, arm)
            if result is None:
                self.tail(body)
            else:
                self.put(f"v{result} = {text(self.eval(body, alive))}; goto join{end};")
            self.put("}")
        if result is not None:
            self.put(f"join{end}:;")
            self.known = before | {result}
            self.stretch(alive | {result})

    def tests(self, e: Case, alive: frozenset[int], whole: bool) -> list[tuple[str, Alt | Expr]]:
        """Evaluates the scrutinee; the branches with the C text of their tests, the last one with none."""
        if isinstance(e.scrut, Prim) and e.scrut.op in TESTS and not whole:
            values = [text(v) for v in self.operands(e.scrut.args, alive)]
            holds = TESTS[e.scrut.op](*values)
            return self.order(e, lambda con: holds if con == "True" else f"!({holds})")
        value = self.eval(e.scrut, alive)
        if isinstance(value, str) or value != e.var:
            self.bind(e.var, value)
            self.known |= {e.var}
        return self.order(e, lambda con: self.test(e.var, con))

    def order(self, e: Case, test: Callable[[str], str]) -> list[tuple[str, Alt | Expr]]:
        arms: list[Alt | Expr] = [*e.alts]
        if e.default is not None and len(e.alts) < self.emitter.siblings(e.alts):
            arms.append(e.default)
        if not arms:
            return [("", Fail("a case without branches was reached"))]
        found: list[tuple[str, Alt | Expr]] = []
        for i, arm in enumerate(arms):
            head = "else " if i else ""
            if isinstance(arm, Alt) and i < len(arms) - 1:
                head += f"if ({test(arm.con)}) "
            found.append((head, arm))
        return found

    def test(self, var: int, con: str) -> str:
        match con:
            case "Zero":
                return f"v{var} == NAT(0)"
            case "Succ":
                return f"v{var} != NAT(0)"
            case "SCon":
                return f"v{var} != CON0(C_SNil)"
        if self.emitter.program.constructors[con] == 0:
            return f"v{var} == CON0({self.emitter.tag(con)})"
        return f"TAG(v{var}) == {self.emitter.tag(con)}"

    def take(self, var: int, alt: Alt) -> None:
        """Binds the fields that the arm uses."""
        used = [f for f in alt.fields if f in alt.body.fv]
        for i, name in enumerate(alt.fields):
            if name not in used:
                continue
            self.locals.add(name)
            match alt.con:
                case "Succ":
                    self.put(f"v{name} = v{var} - 16;")
                case "Chr":
                    self.put(f"v{name} = U32(IMM_VALUE(v{var}));")
                case "U32":
                    self.put(f"v{name} = IMM(I_WORD, IMM_VALUE(v{var}) << 6 | 32u);")
                case "WCon":
                    bits = f"IMM_VALUE(v{var})"
                    word = f"IMM(I_WORD, {bits} >> 7 << 6 | (({bits} & 63u) - 1))"
                    self.put(f"v{name} = {word};" if i else f"v{name} = BOOL({bits} >> 6 & 1u);")
                case "SCon":
                    if i:
                        self.room(3)
                    self.put(f"v{name} = {'text_tail' if i else 'text_head'}(v{var});")
                case _:
                    self.put(f"v{name} = OBJ(v{var})[{i + 1}];")
            if alt.con in ("Succ", "Chr", "U32", "WCon"):
                self.known |= {name}


def cheap(e: Expr) -> bool:
    """Whether an operation and everything in it takes no time and cannot fail."""
    match e:
        case Prim(op, args):
            return op in CHEAP and all([cheap(a) for a in args])
        case V() | Imm():
            return True
        case _:
            return False
