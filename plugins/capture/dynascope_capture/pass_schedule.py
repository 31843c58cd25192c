# SPDX-License-Identifier: BSD-3-Clause
"""Inductor's scheduler: its nodes, what it asks about pairs of them and why it says no, fusions, and the order at last."""

import math

from . import pass_nodes, pass_orders, pass_tags as tags
from .pass_graphs import Numbers
from .pass_ir import text_of

MOST_ROWS = 4096
MOST_TEXT = 400


class Schedule:
    """What is known of one scheduler."""

    def __init__(self, identity, phase):
        self.identity, self.phase = identity, phase
        self.numbers = Numbers()
        self.known = set()  # numbers of nodes that were written
        self.named = {}  # name -> number
        self.fusing = False  # nodes are described from then on: before, their dependencies still change
        self.round = 0
        self.rows = {}  # (a, b, answer, score, reasons) -> number of the row
        self.fresh = []  # rows that are not written yet
        self.counts = {}  # row -> how often, in this round
        self.open = []  # questions that are being answered
        self.last_score = {}
        self.key = {}


def install(recorder, hooks):
    from torch._inductor import scheduler

    kind = scheduler.Scheduler
    watch = _Watch(recorder)
    hooks.wrap(kind, "_init" if "_init" in kind.__dict__ else "__init__", watch.whole)
    hooks.wrap(kind, "fuse_nodes", watch.all_nodes)
    hooks.wrap(kind, "fuse_nodes_once", watch.once)
    hooks.wrap(kind, "can_fuse", watch.question)
    hooks.wrap(kind, "score_fusion_memory", watch.score)
    hooks.wrap(kind, "score_fusion_key", watch.score_key)
    hooks.wrap(scheduler.WhyNoFuse, "__call__", watch.why)
    if "fuse_two_nodes" in kind.__dict__:
        hooks.wrap(kind, "fuse_two_nodes", watch.fused)
    else:  # before 2.9 it is inside of fuse_nodes_once
        for backend in _backends(scheduler.BaseScheduling):
            hooks.wrap(backend, "fuse", watch.fused_by_backend)
    pass_orders.install(recorder, hooks, watch)
    hooks.wrap(kind, "benchmark_fused_nodes", watch.benchmark)
    if "benchmark_codegened_module" in kind.__dict__:
        hooks.wrap(kind, "benchmark_codegened_module", watch.timing)
    if "speedup_by_fusion" in kind.__dict__:
        hooks.wrap(kind, "speedup_by_fusion", watch.speedup)
    return watch


def _free(function):
    """The variables of the function around it that a function reads, by name."""
    cells = getattr(function, "__closure__", None) or ()
    found = {}
    for name, cell in zip(getattr(getattr(function, "__code__", None), "co_freevars", ()), cells):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return found


def _backends(base):
    found, waiting = [], [base]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if "fuse" in kind.__dict__ and kind not in found:
            found.append(kind)
    return found


class _Watch:
    def __init__(self, recorder):
        self._recorder = recorder
        self.kernels = None
        self.current = None  # of the scheduler that is at work
        self.timed = None  # times of kernels, while a fusion is decided by them

    def of(self, scheduler):
        """The schedule of a scheduler, if the compile it belongs to is recorded."""
        found = self._recorder.schedules.get(scheduler)
        if found is None:
            phase = self._recorder.now.phase
            if phase is None or self._recorder.now.mute or self._recorder.lost:
                return None
            found = self._recorder.schedules[scheduler] = Schedule(self._recorder.next("schedule"), phase)
        return found

    def number(self, schedule, node):
        """The number of a scheduler node; its record is written before the first that names it."""
        number = schedule.numbers.of(node)
        if number not in schedule.known:
            schedule.known.add(number)
            schedule.named[node.get_name()] = number
            try:
                described = pass_nodes.describe(node, lambda inner: self.number(schedule, inner), self._recorder)
            except Exception as error:
                self._recorder.fault(error)
                described = {"name": node.get_name(), "class": type(node).__name__}
            self._recorder.json(tags.NODES, {"schedule": schedule.identity, "id": number, **described})
        return number

    def reason(self, text):
        found = self._recorder.reasons.get(text)
        if found is None:
            found = self._recorder.reasons[text] = len(self._recorder.reasons) + 1
            self._recorder.json(tags.REASON, {"id": found, "text": text})
        return found

    # The whole

    def whole(self, original):
        def __init__(scheduler, nodes, *rest, **named):
            schedule = self._recorder.guarded(self._begin, scheduler, nodes)
            began = self._recorder.clock()
            outer, self.current = self.current, schedule or self.current
            try:
                return original(scheduler, nodes, *rest, **named)
            finally:
                if schedule is not None:
                    spent = self._recorder.clock() - began
                    self._recorder.guarded(self._end, schedule, scheduler, spent)
                self.current = outer

        return __init__

    def _begin(self, scheduler, nodes):
        schedule = self.of(scheduler)
        if schedule is not None:
            self.kernels.wrap_backends()
            from torch._inductor.virtualized import V

            self.write(tags.SCHEDULE, schedule, "begin", name=str(getattr(V.graph, "name", None) or ""), operations=len(nodes))
        return schedule

    def _end(self, schedule, scheduler, spent):
        self._flush(schedule)
        order = [self.number(schedule, node) for node in getattr(scheduler, "nodes", ())]
        last = {}
        for node in getattr(scheduler, "nodes", ()):
            used = sorted(getattr(node, "last_usage", ()) or ())
            if used:
                last[self.number(schedule, node)] = used
        self.write(tags.SCHEDULE, schedule, "end", order=order, time_us=round(spent * 1e6), last_use=list(last.items()))

    def write(self, tag, schedule, what, **more):
        self._recorder.write(tag, {"schedule": schedule.identity, "graph": schedule.phase.identity, "what": what, **more})

    def all_nodes(self, original):
        def fuse_nodes(scheduler, nodes):
            schedule = self._recorder.guarded(self.of, scheduler)
            if schedule is None:
                return original(scheduler, nodes)
            schedule.fusing = True
            self._recorder.guarded(lambda: self.write(tags.SCHEDULE, schedule, "fusion begins",
                                                       order=[self.number(schedule, node) for node in nodes]))
            result = original(scheduler, nodes)
            self._recorder.guarded(lambda: self.write(tags.SCHEDULE, schedule, "fusion ends",
                                                       order=[self.number(schedule, node) for node in result]))
            return result

        return fuse_nodes

    def once(self, original):
        def fuse_nodes_once(scheduler, nodes, *rest, **named):
            schedule = self._recorder.guarded(self.of, scheduler)
            if schedule is None:
                return original(scheduler, nodes, *rest, **named)
            schedule.round += 1
            reorder = bool(named.get("is_reorder_round", rest[0] if rest else False))
            self._recorder.guarded(lambda: self._recorder.write(tags.ROUND, {
                "schedule": schedule.identity, "round": schedule.round, "nodes": len(nodes), "reorder": reorder}))
            try:
                return original(scheduler, nodes, *rest, **named)
            finally:
                self._recorder.guarded(self._flush, schedule)

        return fuse_nodes_once

    # Questions

    def question(self, original):
        def can_fuse(scheduler, node1, node2, *rest, **named):
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is None:
                return original(scheduler, node1, node2, *rest, **named)
            asked = [node1, node2, None, []]
            schedule.open.append(asked)
            outer, self.current = self.current, schedule
            try:
                answer = original(scheduler, node1, node2, *rest, **named)
            finally:
                schedule.open.remove(asked)
                self.current = outer
            self._recorder.guarded(self._answered, schedule, scheduler, asked, bool(answer))
            return answer

        return can_fuse

    def _answered(self, schedule, scheduler, asked, answer):
        a, b = self.number(schedule, asked[0]), self.number(schedule, asked[1])
        reasons = tuple(map(self.reason, asked[3]))
        row = self._row(schedule, (a, b, int(answer), asked[2], reasons))
        schedule.last_score[a, b] = asked[2]
        if row is not None and not answer and any("no shared data" in text for text in asked[3]):
            row.append(self._detail(scheduler, asked[0], asked[1]))

    def _row(self, schedule, key):
        """Counts a row; gives it back if it is a new one."""
        number = schedule.rows.get(key)
        fresh = None
        if number is None:
            number = schedule.rows[key] = len(schedule.rows) + 1
            fresh = list(key)
            fresh[4] = list(key[4])
            schedule.fresh.append(fresh)
        schedule.counts[number] = schedule.counts.get(number, 0) + 1
        if len(schedule.counts) >= MOST_ROWS:
            # What is open may still get its detail.
            self._flush(schedule, but_last=fresh is not None)
        return fresh

    def _detail(self, scheduler, node1, node2):
        """Why nothing is shared by nodes that use the same buffers."""
        decide = getattr(scheduler, "decide_fusion_fail_reason", None)
        common = node1.read_writes.buffer_names() & node2.read_writes.buffer_names()
        if not common or decide is None:
            return ""
        try:
            return str(decide(node1, node2, common))[:MOST_TEXT]
        except Exception:  # not every buffer is one that it can look up
            return ""

    def _flush(self, schedule, but_last=False):
        if not schedule.counts:
            return
        kept = [schedule.fresh.pop()] if but_last and schedule.fresh else []
        held = {len(schedule.rows): schedule.counts.pop(len(schedule.rows), 0)} if kept else {}
        runs = []
        for number, count in sorted(schedule.counts.items()):
            if runs and runs[-1][1] == number - 1 and runs[-1][2] == count:
                runs[-1][1] = number
            else:
                runs.append([number, number, count])
        self._recorder.write(tags.ASKED, {"schedule": schedule.identity, "round": schedule.round, "rows": schedule.fresh, "counts": runs})
        schedule.fresh, schedule.counts = kept, held

    def score(self, original):
        def score_fusion_memory(scheduler, node1, node2, *rest, **named):
            result = original(scheduler, node1, node2, *rest, **named)
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is not None and schedule.open:
                asked = schedule.open[-1]
                if asked[0] is node1 and asked[1] is node2:
                    value = result[0] + result[1] if type(result) is tuple else result
                    asked[2] = value if type(value) in (int, float) else text_of(value)
            return result

        return score_fusion_memory

    def score_key(self, original):
        def score_fusion_key(scheduler, nodes, *rest, **named):
            result = original(scheduler, nodes, *rest, **named)
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is not None:
                self._recorder.guarded(self._note_key, schedule, nodes, result)
            return result

        return score_fusion_key

    def _note_key(self, schedule, nodes, result):
        schedule.key[tuple(self.number(schedule, node) for node in nodes)] = text_of(result)

    def why(self, original):
        def __call__(why, reason, *arguments):
            schedule = self.current
            if schedule is not None:
                self._recorder.guarded(self._refused, schedule, why, reason, arguments)
            return original(why, reason, *arguments)

        return __call__

    def _refused(self, schedule, why, reason, arguments):
        text = str(reason % arguments if arguments else reason)[:MOST_TEXT]
        names = [why.name1, why.name2] if hasattr(why, "name1") else [why.node1.get_name(), why.node2.get_name()]  # 2.6
        if schedule.open:
            asked = schedule.open[-1]
            if asked[0].get_name() == names[0] and asked[1].get_name() == names[1]:
                asked[3].append(text)
                return
        # Refusals that answer no question: cycles, benchmarks, pairs within groups.
        names = [schedule.named.get(name, name) for name in names]
        self._row(schedule, (*names, 2, None, (self.reason(text),)))

    # Fusions and orders

    def fused(self, original):
        def fuse_two_nodes(scheduler, node1, node2, *rest, **named):
            result = original(scheduler, node1, node2, *rest, **named)
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is not None:
                self._recorder.guarded(self._write_fused, schedule, node1, node2, result)
            return result

        return fuse_two_nodes

    def fused_by_backend(self, original):
        def fuse(backend, node1, node2, *rest, **named):
            result = original(backend, node1, node2, *rest, **named)
            schedule = self._recorder.schedules.get(node1.scheduler)
            if schedule is not None:
                self._recorder.guarded(self._write_fused, schedule, node1, node2, result)
            return result

        return fuse

    def _write_fused(self, schedule, node1, node2, result):
        pair = self.number(schedule, node1), self.number(schedule, node2)
        self._recorder.write(tags.FUSED, {
            "schedule": schedule.identity, "round": schedule.round, "a": pair[0], "b": pair[1], "result": self.number(schedule, result),
            "score": schedule.last_score.get(pair), "key": schedule.key.get(pair)})

    # Fusions that are decided by timing them

    def timing(self, original):
        def benchmark_codegened_module(scheduler, *rest, **named):
            result = original(scheduler, *rest, **named)
            if self.timed is not None and isinstance(result, tuple) and result and isinstance(result[0], float):
                self.timed.append(result[0])
            return result

        return benchmark_codegened_module

    def speedup(self, original):
        def speedup_by_fusion(scheduler, node1, node2, *rest, **named):
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is None:
                return original(scheduler, node1, node2, *rest, **named)
            outer, self.timed = self.timed, []
            try:
                result = original(scheduler, node1, node2, *rest, **named)
                timed = self.timed
            finally:
                self.timed = outer
            decide = getattr(result, "callable_fn", None)
            if decide is not None:  # the answer comes once the kernels are compiled
                result.callable_fn = self._deciding(schedule, node1, node2, decide, timed)
            elif timed:
                answer = getattr(result, "should_fuse", result)
                self._recorder.guarded(self._write_timed, schedule, node1, node2, bool(answer), timed, None)
            return result

        return speedup_by_fusion

    def _deciding(self, schedule, node1, node2, decide, before):
        def benchmark_when_ready(*arguments, **named):
            outer, self.timed = self.timed, []
            try:
                answer = decide(*arguments, **named)
                timed = self.timed
            finally:
                self.timed = outer
            self._recorder.guarded(self._write_timed, schedule, node1, node2, bool(answer), timed, _free(decide), before)
            return answer

        return benchmark_when_ready

    def _write_timed(self, schedule, node1, node2, answer, timed, free, before=()):
        """What is known of the times: of a template's epilogue those of each choice and, apart, in PyTorch's own variables;
        of two kernels the first, the second, both as one."""
        times = {}
        if free and "ms1" in free and "ms2" in free:
            apart = free["ms1"], free["ms2"]
            if all(isinstance(ms, float) and math.isfinite(ms) for ms in apart):
                times["apart"] = apart
            if timed:
                times["fused"] = min(timed)
        elif len(timed) == 3:
            times["apart"] = timed[0], timed[1]
            times["fused"] = timed[2]
        if "fused" in times and not math.isfinite(times["fused"]):
            del times["fused"]
        self.write(tags.SCHEDULE, schedule, "timed", a=self.number(schedule, node1), b=self.number(schedule, node2),
                    fused=answer, round=schedule.round, runs=len(timed) + len(before), ms=times)

    def benchmark(self, original):
        def benchmark_fused_nodes(scheduler, nodes, *rest, **named):
            result = original(scheduler, nodes, *rest, **named)
            schedule = self._recorder.schedules.get(scheduler)
            if schedule is not None:
                self._recorder.guarded(lambda: self.write(
                    tags.SCHEDULE, schedule, "benchmark", order=[self.number(schedule, node) for node in nodes],
                    ms=result[0] if isinstance(result[0], float) else None))
            return result

        return benchmark_fused_nodes
