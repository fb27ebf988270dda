"""Several programs as one function for a compiler of PyTorch, and compiled functions that are kept.

A module costs seconds, whatever it contains, and each program adds its own share. The function runs all the programs,
each on its own inputs, and its backward pass runs all their vjps. So no program affects another one's derivatives.

A program is compiled once for all its points and cotangents: these are arguments of the function. A later case with the
same program at other points runs the same function. The same case again is compiled alone, as nothing else may explain
what it shows.
"""
import linecache
import os
import pathlib
import time

import adapter

MOST_OPS = 600  # of a module: a longer one takes more time than its parts
MOST_KEPT = 3000  # ops of all functions that are kept
REMEMBERED = 3600  # seconds


class Question:
    """A case to be asked with others: its program, and for each point the inputs, those to differentiate by, the seeds."""

    def __init__(self, torch, case, ops, tensor_source):
        if [level["transform"] for level in case["request"]] != ["vjp"]:
            raise adapter.Unsupported("together: anything but a vjp")
        program, level, self.room = adapter.Program(case, ops), case["request"][0], {"torch": torch}
        types = [program.types[x] for x in program.inputs]
        source = program.source("f")
        self.key = key(source, types, level["wrt"])
        define(source, self.room)
        seeds = [tensor_source(d, program.types[r]) for d, r in zip(level["cotangents"], program.results)]
        self.ops, self.asked, self.runs = len(case["body"]), f"{case['points']} {seeds}", []
        seeds = [eval(s, self.room) for s in seeds]
        for point in case["points"]:
            xs = [eval(tensor_source(d, t), self.room) for d, t in zip(point, types)]
            self.room["f"](*xs)  # a program that fails without the compiler is asked alone
            xs = [x.requires_grad_() if i in level["wrt"] and x.is_floating_point() else x for i, x in enumerate(xs)]
            self.runs.append((xs, [xs[i] for i in level["wrt"]], seeds))


def define(source, room, name="program"):
    """Runs a source that torch.compile takes for a file.  It would wrap a function of no file in one of its own, always
    the same.  That counts as one function compiled again and again, which torch soon calls without compiling it."""
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), room)


def strict(torch):
    """No function is called uncompiled because it was compiled too often: that is an error."""
    for name in ("fail_on_cache_limit_hit", "fail_on_recompile_limit_hit"):
        if hasattr(torch._dynamo.config, name):
            setattr(torch._dynamo.config, name, True)


def remember_vectors(config, cpu_vec_isa, folder):
    """Whether torch can compile vectors here, as an earlier process found out.  torch tries it in each process, by further
    processes that import it: seconds.  config: of inductor; folder: where it is noted."""
    note = os.path.join(folder, "adjudge-vectors")
    if config.cpp.vec_isa_ok is not None:
        return
    if os.path.exists(note) and time.time() - os.path.getmtime(note) < REMEMBERED:
        config.cpp.vec_isa_ok = pathlib.Path(note).read_text() == "yes"
        return
    fresh = getattr(cpu_vec_isa.valid_vec_isa_list, "cache_clear", lambda: None)
    works = list(map(str, cpu_vec_isa.valid_vec_isa_list()))
    fresh()
    config.cpp.vec_isa_ok = True
    wanted = list(map(str, cpu_vec_isa.valid_vec_isa_list()))
    fresh()
    config.cpp.vec_isa_ok = True if works == wanted else None if works else False
    if config.cpp.vec_isa_ok is None:  # some: torch is to choose
        return
    new = f"{note}.{os.getpid()}"
    os.makedirs(folder, exist_ok=True)
    pathlib.Path(new).write_text("yes" if works else "no")
    os.replace(new, note)


def key(source, types, wrt):
    """What a function is compiled for: another type, or another input to differentiate by, is another compilation."""
    return source, str(types), str(wrt)


class Module:
    """Questions about different programs, as one function."""

    def __init__(self, torch, questions, wrap):
        self.torch, self.last, room, calls, n = torch, [q.runs[0] for q in questions], {"torch": torch}, [], 0
        self.at, self.asked = {q.key: k for k, q in enumerate(questions)}, set()
        for k, (xs, _, _) in enumerate(self.last):
            room[f"f{k}"] = questions[k].room["f"]
            calls.append(f"*f{k}(*xs[{n}:{n + len(xs)}])")
            n += len(xs)
        define(f"def f(*xs):\n    return ({', '.join(calls)},)\n", room)
        torch.default_generator.manual_seed(0)
        self.f = eval(wrap, {**room, "xs": [x for xs, _, _ in self.last for x in xs]})

    def has(self, question):
        """Whether the module has the program, and was not asked about it at the same points."""
        return question.key in self.at and (question.key, question.asked) not in self.asked

    def answers(self, questions, encode):
        """Of each question its answers, one per point.  Raises whatever one of the programs raises."""
        out, by_program = [[] for _ in questions], [[] for _ in self.last]
        for i, q in enumerate(questions):
            by_program[self.at[q.key]] += [(i, run) for run in q.runs]
        for turn in range(max(len(runs) for runs in by_program)):
            now = [runs[turn] if turn < len(runs) else (None, last) for runs, last in zip(by_program, self.last)]
            self.last = [run for _, run in now]
            for (i, _), answer in zip(now, self.run([run for _, run in now], encode)):
                if i is not None:
                    out[i].append(answer)
        self.asked.update((q.key, q.asked) for q in questions)
        return out

    def run(self, runs, encode):
        """The answer of each program, at one point each."""
        torch, seeds = self.torch, [c for _, _, seeds in runs for c in seeds]
        primal = self.f(*[x for xs, _, _ in runs for x in xs])
        live = [(y, c) for y, c in zip(primal, seeds) if y.requires_grad]
        wanted = [x for _, wrt, _ in runs for x in wrt if x.requires_grad]
        grads = iter(torch.autograd.grad([y for y, _ in live], wanted, [c for _, c in live], allow_unused=True) if live and wanted else [None] * len(wanted))
        out, y = [], iter(primal)
        for _, wrt, seeds in runs:
            derivative = [next(grads) if x.requires_grad else None for x in wrt]
            derivative = [torch.zeros_like(x) if g is None else g for x, g in zip(wrt, derivative)]
            out.append({"primal": [encode(torch, next(y)) for _ in seeds], "derivative": [encode(torch, t) for t in derivative]})
        return out


class Together:
    """Answers cases together, and keeps what was compiled."""

    def __init__(self, torch, ops, wrap, tensor_source, encode):
        self.torch, self.ops, self.wrap, self.tensor_source, self.encode = torch, ops, wrap, tensor_source, encode
        strict(torch)
        self.forget()

    def forget(self):
        self.alone, self.modules, self.kept = {}, [], 0
        self.torch._dynamo.reset()

    def make_room(self, ops):
        if self.kept + ops > MOST_KEPT:
            self.forget()
        self.kept += ops

    def function(self, of, ops, compile):
        """The function that was compiled alone for `of`; compile() makes it."""
        if of not in self.alone:
            self.make_room(ops)
            self.alone[of] = compile()
        return self.alone[of]

    def question(self, case):
        """None: the case is to be asked alone."""
        try:
            return Question(self.torch, case, self.ops, self.tensor_source)
        except Exception:
            return None

    def again(self, case):
        """The answers to a case whose program was compiled with others, at other points.  None: there is none."""
        question = self.question(case) if self.modules else None
        if not question or question.key in self.alone:
            return None
        return self.kept_answers(question)

    def kept_answers(self, question):
        for module in self.modules:
            if module.has(question):
                try:
                    return module.answers([question], self.encode)[0]
                except Exception:
                    self.forget()
                    return None
        return None

    def halved(self, programs):
        """Of each question of each program its answers: programs that cannot be compiled are left out, and have None."""
        questions = [q for program in programs for q in program]
        ops = sum(program[0].ops for program in programs)
        self.make_room(ops)
        try:
            module = Module(self.torch, [program[0] for program in programs], self.wrap)
            got = dict(zip(map(id, questions), module.answers(questions, self.encode)))
            self.modules.append(module)
            return got
        except Exception:
            self.forget()
            half = len(programs) // 2
            return {**self.halved(programs[:half]), **self.halved(programs[half:])} if half else {}

    def answers(self, cases):
        """For each case a list of answers, one per point, or None: it is to be asked alone."""
        questions = [self.question(case) for case in cases]
        out = [q and self.kept_answers(q) for q in questions]
        programs, groups = {}, [[]]
        for q, answer in zip(questions, out):
            if q and answer is None:
                programs.setdefault(q.key, []).append(q)
        for program in programs.values():
            if sum(other[0].ops for other in groups[-1]) + program[0].ops > MOST_OPS:
                groups.append([])
            groups[-1].append(program)
        got = {}
        for group in groups:
            if sum(len(program) for program in group) > 1:  # one is asked alone
                got.update(self.halved(group))
        return [got.get(id(q)) if answer is None else answer for q, answer in zip(questions, out)]
