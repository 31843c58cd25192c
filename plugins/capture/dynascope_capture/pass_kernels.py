# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with the scheduler nodes in them, choices that were timed, and the lines of the wrapper: what is allocated,
reused and freed."""

import hashlib
import re
import sys

from . import pass_tags as tags
from .pass_ir import buffer_name, bytes_of, layout_of, sizes, text_of

_LINES = {"AllocateLine": "allocate", "ReuseLine": "reuse", "FreeIfNotReusedLine": "free", "FreeLine": "free", "ReinterpretLine": "reinterpret",
          "KernelCallLine": "call", "ExternKernelOutLine": "extern", "ExternKernelAllocLine": "extern", "KernelDefinitionLine": "define",
          # Comments, checks and indentation.
          "NullLine": "", "LineContext": "", "CommentLine": "", "AssertSizeStrideLine": "", "UnbackedSymbolDefsLine": "",
          "EnterDeviceContextManagerLine": "", "ExitDeviceContextManagerLine": "", "CommBufferAllocateLine": "allocate", "CommBufferFreeLine": "free", "ExternKernelMultiOutLine": "extern",
          "EnterSubgraphLine": "enter", "ExitSubgraphLine": "exit", "MultiOutputLine": "item"}
MOST_LINE = 300
_CALL = re.compile(r"(\w+)(?:\.run)?\((.*)\)")


class Kernels:
    def __init__(self, recorder, hooks, watch):
        self._recorder, self._hooks, self._watch = recorder, hooks, watch
        self._wrapped = set()
        self._tiling = None

    def install(self):
        from torch._inductor.codegen import wrapper

        for name in ("memory_plan_reuse", "memory_plan"):
            self._hooks.wrap(wrapper.PythonWrapperCodegen, name, self._planned)
        select = self._hooks.module("torch._inductor.select_algorithm")
        if select is not None:
            self._hooks.wrap_static_method(select.AlgorithmSelectorCache, "log_results", self._tuned)

    def wrap_backends(self):
        """Backends are imported when they are first asked for."""
        from torch._inductor.scheduler import BaseScheduling

        waiting = [BaseScheduling]
        while waiting:
            kind = waiting.pop()
            waiting += kind.__subclasses__()
            if kind in self._wrapped:
                continue
            self._wrapped.add(kind)
            if "define_kernel" in kind.__dict__:
                self._hooks.wrap(kind, "define_kernel", self._define)
            if "select_tiling" in kind.__dict__ and isinstance(kind.__dict__["select_tiling"], classmethod):
                self._hooks.wrap_class_method(kind, "select_tiling", self._tiled_class)
        cpp = sys.modules.get("torch._inductor.codegen.cpp")
        selector = getattr(cpp, "TilingSelect", None)
        if selector is not None and selector not in self._wrapped:
            self._wrapped.add(selector)
            self._hooks.wrap(selector, "select_tiling", self._tiled)

    def _tiled(self, original):
        def select_tiling(selector, *arguments, **named):
            result = original(selector, *arguments, **named)
            self._tiling = self._recorder.guarded(
                lambda: [sizes(part) for part in result if isinstance(part, (list, tuple))])
            return result

        return select_tiling

    def _tiled_class(self, original):
        def select_tiling(cls, *arguments, **named):
            result = original.__func__(cls, *arguments, **named)
            self._tiling = self._recorder.guarded(
                lambda: {str(name): text_of(value) for name, value in result.items()} if isinstance(result, dict) else sizes(result))
            return result

        return select_tiling

    def _define(self, original):
        def define_kernel(backend, source, nodes, *rest, **named):
            name = original(backend, source, nodes, *rest, **named)
            if self._recorder.now.phases and not self._recorder.now.mute:
                self._recorder.guarded(self._write_kernel, backend, source, nodes, name, rest)
            return name

        return define_kernel

    def _write_kernel(self, backend, source, nodes, name, rest):
        tiling, self._tiling = self._tiling, None
        scheduler = getattr(backend, "scheduler", None)
        schedule = self._watch.of(scheduler) if scheduler is not None else None
        members = [node for node in nodes if hasattr(node, "get_nodes")]
        text = source if isinstance(source, str) else str(source)
        out = {"graph": self._recorder.now.phase.identity, "schedule": schedule.identity if schedule else 0, "name": str(name),
               "backend": type(backend).__name__,
               "nodes": [self._watch.number(schedule, node) for node in members] if schedule else [],
               "operations": [inner.get_name() for node in members for inner in node.get_nodes()],
               "source": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16], "lines": text.count("\n") + 1}
        self._recorder.now.phase.data.setdefault("kernels", set()).add(str(name))
        if tiling:
            out["tiling"] = tiling
        kernel = rest[0] if rest else None
        in_place = _in_place(backend, kernel)
        if in_place:
            out["in_place"] = in_place
        numels = getattr(kernel, "numels", None)
        if isinstance(numels, dict):
            out["numels"] = {str(key): text_of(value) for key, value in numels.items()}
        self._recorder.write(tags.KERNEL, out)

    def _tuned(self, original):
        def log_results(name, input_nodes, timings, *rest, **named):
            self._recorder.guarded(self._write_tuned, name, input_nodes, timings)
            return original(name, input_nodes, timings, *rest, **named)

        return log_results

    def _write_tuned(self, name, inputs, timings):
        phase = self._recorder.now.phase
        if phase is None or not timings:
            return
        rows = sorted(((getattr(choice, "name", str(choice)), float(time)) for choice, time in timings.items()), key=lambda row: row[1])
        self._recorder.write(tags.TUNED, {
            "graph": phase.identity, "name": str(name), "inputs": [layout_of(node) for node in inputs],
            "choices": [[choice, time if time == time and abs(time) != float("inf") else None] for choice, time in rows]})

    def _planned(self, original):
        def memory_plan(wrapper, *arguments, **named):
            result = original(wrapper, *arguments, **named)
            if self._recorder.now.phases and not self._recorder.now.mute:
                self._recorder.guarded(self._write_lines, wrapper)
            return result

        return memory_plan

    def _write_lines(self, wrapper):
        from torch._inductor.virtualized import V

        rows = []
        names = self._recorder.now.phase.data.get("kernels", ())
        for line in wrapper.lines:
            row = _line(line, names)
            if row is not None:
                rows.append(row)
        peak = getattr(getattr(wrapper, "estimate_peak", None), "overall_peak_memory", None)
        scheduler = getattr(V.graph, "scheduler", None)
        schedule = self._watch.of(scheduler) if scheduler is not None else None
        self._recorder.write(tags.LINES, {
            "graph": self._recorder.now.phase.identity, "schedule": schedule.identity if schedule else 0,
            "lines": rows, "peak": peak if type(peak) is int else text_of(peak) if peak is not None else None,
            "inputs": list(map(str, V.graph.graph_inputs)), "outputs": list(map(str, V.graph.get_output_names())),
            "removed": sorted(map(str, getattr(V.graph, "removed_buffers", ())))})


def _in_place(backend, kernel):
    """Groups of buffers that share memory within a kernel."""
    arguments = getattr(kernel, "args", None) or (kernel if hasattr(kernel, "inplace_buffers") else None)
    if arguments is None:
        arguments = getattr(getattr(backend, "kernel_group", None), "args", None)
    found = {}
    for shared in (getattr(arguments, "inplace_buffers", None) or {}).values():
        names = getattr(shared, "other_names", None)
        if names:
            found[tuple(map(str, names))] = None
    return list(map(list, found))


def _line(line, kernels):
    """[what, buffer or kernel, more]; None for what draws nothing."""
    if isinstance(line, str):
        called = _CALL.match(line)
        if called and called.group(1) in kernels:  # up to 2.7 they are text
            return ["call", called.group(1), [part.strip() for part in called.group(2)[:MOST_LINE].split(",")]]
        return ["text", line[:MOST_LINE]] if line.strip() else None
    kind = type(line).__name__
    what = _LINES.get(kind, kind)
    if not what:
        return None
    node = getattr(line, "node", None)
    if what == "reuse":
        return [what, line.reused_as.get_name(), line.node.get_name(), bytes_of(line.reused_as), bool(line.delete_old)]
    if what == "allocate":
        return [what, node.get_name(), bytes_of(node), getattr(line, "scheduler_node_index", None)]
    if what == "free":
        return [what, node.get_name(), bool(getattr(line, "is_reused", False))]
    if what == "call":
        return [what, str(line.kernel_name), [str(argument)[:MOST_LINE] for argument in line.call_args]]
    if what == "define":
        return [what, str(line.kernel_name)]
    if what == "extern":
        return [what, buffer_name(node), str(node.get_kernel_name()), node.get_operation_name()]
    if what == "item":
        return [what, str(getattr(line, "result_name", "")), str(getattr(line, "arg_name", ""))]
    return [what, buffer_name(node)] if node is not None else [what]
