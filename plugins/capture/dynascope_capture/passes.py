# SPDX-License-Identifier: BSD-3-Clause
"""Follows the graphs of Inductor and AOTAutograd from pass to pass and hands what it sees to a Stream.

Everything here runs in the middle of a compile: it calls no torch operator, changes no graph, and lets no exception out.
What is kept between two looks at a graph are numbers and texts."""

import collections
import threading
import time
import weakref

from . import pass_patterns, pass_tags as tags
from .pass_graphs import Look, Numbers, Printer, Reader, Tracked, change, difference
from .writer import Writer

MOST_TEXTS = 8


class Phase:
    """A run of passes over one graph, or a compile of one."""

    def __init__(self, identity, compile_number, name, kind, parent):
        self.identity, self.compile, self.name, self.kind, self.parent = identity, compile_number, name, kind, parent
        self.tracked = None
        self.ran = set()  # names of passes
        self.nested = False
        self.by = None  # a pass whose result its caller puts into the graph
        self.data = {}  # what other parts of the recorder keep as long as the phase lasts


class Pass:
    """One that runs. Those that are not recorded have no index."""

    def __init__(self, index, name):
        self.index, self.name = index, name
        self.tracked = None
        self.before = self.seen = None
        self.replaced = []
        self.tries = self.fits = self.matched = 0
        self.skipped = None
        self.began = None  # by PassRecorder.clock()
        self.kind = ""
        self.alone = None  # the phase that was begun for it
        self.observer = 0


class Now(threading.local):
    """Where a thread is."""

    def __init__(self):
        self.phases = []
        self.passes = []
        self.mute = 0  # within the tracing of patterns
        self.place = None  # of the function that an observer is about to run
        self.patterns = []  # entries by id() of their patterns, of each matcher that is at work
        self.match = None
        self.pending = None
        self.lowering = None
        self.own = 0.0  # seconds spent recording
        self.since = None  # when the recording began that goes on; None while the program runs

    @property
    def phase(self):
        return self.phases[-1] if self.phases else None

    @property
    def current(self):
        """The innermost pass, if it is recorded."""
        return self.passes[-1] if self.passes and self.passes[-1].index else None


class PassRecorder(Writer):
    """Writes one stream a process, made with its first record."""

    prefix, ending, magic = "inductor_passes_", ".dpasses", tags.MAGIC

    def __init__(self, folder=None, path=None, missing=()):
        super().__init__(folder, path)
        self._held = None  # records in order, while it is not known whether there will be a recording
        self.missing = list(missing)
        self.now = Now()
        self.numbers = Numbers()
        self.reader = self.printer = None
        self._modules = {}  # id() of a graph module -> Tracked; an entry goes with its module
        self._texts = collections.OrderedDict()  # state -> (compile, lines): what the next states are told against
        self._compiles = weakref.WeakKeyDictionary()  # context -> {attempt: number}
        self._runs = collections.Counter()
        self._counts = collections.Counter()
        self.patterns, self.known_patterns = Numbers(), set()  # those that were written
        self.stages_are_logged = True
        self.reasons = {}  # of the scheduler: text -> number
        self.schedules = weakref.WeakKeyDictionary()  # scheduler -> Schedule

    def begin(self, header):
        super().begin({**header, "missing": self.missing})

    # Before Inductor is imported nobody knows whether it will be: what Dynamo did to a graph waits for that.

    def hold(self):
        """Keeps records, until release() or forget()."""
        self._held = []

    def release(self):
        """Writes what was kept, and from now on all at once."""
        held, self._held = self._held, None
        for tag, value in held or ():
            self.json(tag, value)

    def forget(self):
        """Gives up what is kept; later records do not know of it."""
        if self._held:
            now, logged = self.now, self.stages_are_logged
            self.__init__(self._folder, self._path, self.missing)
            self.now, self.stages_are_logged, self._held = now, logged, []

    def flush(self):
        if self._held is None:
            super().flush()

    def json(self, tag, value):
        if self._held is None:
            super().json(tag, value)
        else:
            self._held.append((tag, value))

    def forked(self):
        missing, now, logged, held = self.missing, self.now, self.stages_are_logged, self._held
        super().forked()
        self.missing, self.now, self.stages_are_logged = missing, now, logged  # hooks know `now`
        self._held = None if held is None else []
        now.__init__()

    def guarded(self, work, *arguments):
        now, began = self.now, time.perf_counter()
        outermost = now.since is None
        if outermost:
            now.since = began
        try:
            return work(*arguments)
        except Exception as error:
            self.fault(error)
        finally:
            if outermost:
                now.own += time.perf_counter() - began
                now.since = None
        return None

    def clock(self):
        """Seconds by a clock of this thread that stands still while it records. So what runs within a phase never takes longer than it."""
        now = self.now
        return (time.perf_counter() if now.since is None else now.since) - now.own

    def next(self, what):
        self._counts[what] += 1
        return self._counts[what]

    def write(self, tag, value):
        self.json(tag, value)
        self.flush()

    # Compiles

    def compile(self):
        """The number of the compile that is under way; its record is written when it is first seen."""
        from torch._guards import CompileContext

        context = CompileContext.try_get()
        if context is None:
            return 0
        attempts = self._compiles.setdefault(context, {})
        attempt = getattr(context, "attempt", 0) or 0
        found = attempts.get(attempt)
        if found is None:
            compile_id = str(context.compile_id)
            if not attempts:
                self._runs[compile_id] += 1
            found = attempts[attempt] = self.next("compile")
            self.json(tags.COMPILE, {"id": found, "compile_id": compile_id, "attempt": attempt,
                                     "run": self._runs[compile_id], "thread": threading.get_ident(), "time": time.time()})
            self.json(tags.OPTIONS, {"compile": found, **_options()})
        return found

    # States of graphs

    def track(self, gm):
        found = self._modules.get(id(gm))
        if found is None or found.module() is not gm:
            modules, key = self._modules, id(gm)
            found = modules[key] = Tracked(gm, self.next("module"))
            found.module = weakref.ref(gm, lambda _: modules.pop(key, None))
        return found

    def follows(self, gm):
        """Whether it was looked at before."""
        found = self._modules.get(id(gm))
        return found is not None and found.module() is gm

    def look(self, gm, by=None):
        """The state that a graph is in: a new one if it changed, made by a pass or between passes."""
        if self.reader is None:
            self.reader, self.printer = Reader(self.numbers), Printer()
        tracked = self.track(gm)
        rows, before = self.reader.rows(gm), tracked.seen
        if before is not None and before.rows == rows:
            return tracked
        tracked.symbolic = self.reader.symbolic()
        lines = self.printer.text(gm).split("\n")
        tracked.seen = seen = Look(rows, lines)
        names = [row[:2] for row in rows[0]]
        if before is not None and lines == before.lines and names == [row[:2] for row in before.rows[0]]:
            return tracked
        phase = self.now.phase
        if by is None and phase is not None:
            by, phase.by = phase.by, None
        base, ops = self._against(lines, tracked.state)
        out = {"id": self.next("state"), "graph": phase.identity if phase else 0, "module": tracked.identity,
               "pass": by, "base": base, "text": ops, "count": len(names)}
        if before is None:
            out["nodes"] = [list(name) for name in names]
        else:
            out.update(change(before, seen))
        self.write(tags.STATE, out)
        tracked.state = out["id"]
        self._keep(tracked.state, lines)
        return tracked

    def _keep(self, state, lines):
        self._texts[state] = lines
        if len(self._texts) > MOST_TEXTS:
            self._texts.popitem(last=False)

    def _against(self, lines, state):
        """The state that a text is told against, and how."""
        if state not in self._texts:
            wanted, best = set(lines), 0
            state = 0
            for other, known in reversed(self._texts.items()):
                shared = len(wanted.intersection(known))
                if shared > best:
                    best, state = shared, other
            if best * 4 < len(wanted):
                state = 0
        if not state:
            return 0, lines
        return state, difference(self._texts[state], lines)

    def stage(self, name, gm, expanded=False, fast=False):
        """What PyTorch's trace prints here, which may differ in form from the state."""
        tracked = self.look(gm)
        out = {"stage": name, "graph": self.now.phase.identity if self.now.phase else 0, "state": tracked.state}
        flags = {}
        if expanded and self.printer.has("expanded_def"):
            flags["expanded_def"] = True
        if fast and tracked.symbolic and self.printer.has("fast_sympy_print"):
            flags["fast_sympy_print"] = True
        if flags:
            lines = self.printer.text(gm, **flags).split("\n")
            if lines != tracked.seen.lines:
                out["text"] = difference(tracked.seen.lines, lines)
        self.write(tags.STAGE, out)

    # Phases

    def begin_phase(self, name, kind, gm=None, **more):
        now = self.now
        phase = Phase(self.next("graph"), self.compile(), name, kind, now.phase)
        now.phases.append(phase)
        phase.began, phase.clock = time.perf_counter(), self.clock()
        self.write(tags.GRAPH, {"id": phase.identity, "compile": phase.compile, "phase": name, "graph": kind,
                                "parent": phase.parent.identity if phase.parent else 0,
                                "module": self.track(gm).identity if gm is not None else 0,
                                "thread": threading.get_ident(), "time": time.time(), **more})
        if gm is not None:
            phase.tracked = self.look(gm)
            phase.tracked.kind = kind
        return phase

    def end_phase(self, phase, gm=None, error=None, **more):
        now = self.now
        if phase not in now.phases:
            return
        while now.phases[-1] is not phase:
            now.phases.pop()
        module = gm if gm is not None else phase.tracked.module() if phase.tracked else None
        state = 0
        if module is not None and error is None:
            phase.tracked = self.look(module)
            state = phase.tracked.state
        now.phases.pop()
        if not now.phases:
            now.passes.clear()
            now.pending = now.match = None
        spent, elapsed = time.perf_counter() - phase.began, self.clock() - phase.clock
        out = {"graph": phase.identity, "state": state, "time_us": round(spent * 1e6),
               "own_us": max(0, round(spent * 1e6) - round(elapsed * 1e6)), **more}
        if error is not None:
            out["exception"] = {"type": type(error).__name__, "text": str(error)[:2000]}
        self.write(tags.GRAPH_END, out)

    # Passes

    def begin_pass(self, name, gm, place=None, kind="pass", subsystem=None):
        """A pass begins. It is not recorded if it is about graphs of patterns, or graphs that a pass makes for itself."""
        now = self.now
        entry = Pass(0, name)
        phase = None
        if not now.mute and gm is not None:
            phase = now.phase
            if phase is None:
                entry.alone = phase = self.begin_phase("other", self.track(gm).kind, gm)
            elif phase.tracked is None or phase.tracked.module() is not gm:
                if now.passes:
                    phase = None
                else:
                    phase.tracked = self.look(gm)  # a pass may give back another module
        outer = now.current
        now.passes.append(entry)
        if phase is None:
            return entry
        entry.tracked = self.look(gm, outer.index if outer else None)
        entry.before, entry.seen = entry.tracked.state, entry.tracked.seen
        entry.index, entry.kind = self.next("pass"), kind
        phase.ran.add(name)
        self.write(tags.PASS_BEGIN, {
            "index": entry.index, "name": name, "kind": kind, "subsystem": subsystem, "graph": phase.identity,
            "parent": outer.index if outer else 0, "before": entry.before,
            **({"function": place[0], "file": place[1], "line": place[2]} if place else {}),
        })
        return entry

    def pass_runs(self, entry):
        """Right before the original: from here on its time counts."""
        entry.began = self.clock()

    def end_pass(self, entry, error=None, skipped=None):
        now = self.now
        elapsed = 0 if entry.began is None else self.clock() - entry.began
        if entry not in now.passes:
            return
        while now.passes[-1] is not entry:
            now.passes.pop()
        if not entry.index:
            now.passes.pop()
            return
        pass_patterns.finish(self)
        now.passes.pop()
        gm = entry.tracked.module()
        after = entry.before
        if gm is not None:
            after = self.look(gm, entry.index).state
        seen = entry.tracked.seen
        out = {"index": entry.index, "after": after, "time_us": max(0, round(elapsed * 1e6)), "changed": after != entry.before,
               "nodes_before": len(entry.seen.rows[0]), "nodes_after": len(seen.rows[0])}
        if after != entry.before:
            out.update(change(entry.seen, seen))
        for name in ("replaced", "tries", "fits", "matched"):
            if getattr(entry, name):
                out[name] = getattr(entry, name)
        if skipped or entry.skipped:
            out["skipped"] = skipped or entry.skipped
        if error is not None:
            out["exception"] = {"type": type(error).__name__, "text": str(error)[:500]}
        self.write(tags.PASS, out)
        entry.seen = None
        if entry.alone is not None:
            self.end_phase(entry.alone)

    def skipped_pass(self, phase, name, reason):
        """A pass that did not run, in one record."""
        state = phase.tracked.state if phase.tracked else 0
        index = self.next("pass")
        self.json(tags.PASS_BEGIN, {"index": index, "name": name, "kind": "skipped", "subsystem": None, "graph": phase.identity,
                                    "parent": 0, "before": state})
        self.json(tags.PASS, {"index": index, "after": state, "time_us": 0, "changed": False, "nodes_before": 0,
                              "nodes_after": 0, "skipped": reason})


def _options():
    """What is not set as PyTorch sets it by itself, as text."""
    out = {}
    for name, module in (("inductor", "torch._inductor.config"), ("functorch", "torch._functorch.config"),
                         ("dynamo", "torch._dynamo.config")):
        import importlib

        try:
            config = importlib.import_module(module)
            values = config._get_dict(skip_default=True) if hasattr(config, "_get_dict") else {}
            out[name] = {key: repr(value)[:300] for key, value in values.items()}
        except Exception as error:
            out[name] = {"": f"{type(error).__name__}: {error}"[:300]}
    return out
