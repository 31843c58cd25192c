# SPDX-License-Identifier: BSD-3-Clause
"""From the graph to Inductor's buffers: what each node became, when and why a buffer was realized or its layout fixed, and
what fell back to PyTorch's own kernels."""

import sys

from . import pass_tags as tags
from .pass_ir import buffer_name, bytes_of, device_text, dtype_text, layout_of, origins_of, sizes

_FREEZE = ("freeze_layout", "freeze_layout_with_stride_order", "freeze_layout_with_fill_order", "freeze_layout_with_same_order",
           "freeze_layout_with_exact_strides")
_PLUMBING = frozenset(("realize", "inner", "wrapped", "__getattr__", "time_wrapper", "<listcomp>", "<genexpr>", "<lambda>",
                       "as_storage_and_layout", "decide_layout", *_FREEZE))
MOST_CALLERS = 4


class Lowering:
    """Of one node."""

    def __init__(self, node, buffers, operations):
        self.node, self.buffers, self.operations = node, buffers, operations
        self.fallback = None
        self.constraints = []


def install(recorder, hooks):
    from torch._inductor import graph, ir

    hooks.wrap(graph.GraphLowering, "run_node", lambda original: _run_node(recorder, original))
    hooks.wrap(graph, "fallback_node_due_to_unsupported_type", lambda original: _unsupported(recorder, original))
    hooks.wrap(graph, "make_fallback", lambda original: _no_lowering(recorder, original))
    hooks.wrap(ir.StorageBox, "realize", lambda original: _realize(recorder, original))
    for name in _FREEZE:
        hooks.wrap(ir.Buffer, name, lambda original: _freeze(recorder, original))
    hooks.wrap_class_method(ir.ExternKernel, "require_strides", lambda original: _require(recorder, original))


def _run_node(recorder, original):
    def run_node(self, n, *rest, **named):
        now = recorder.now
        phase = now.phase
        if phase is None or now.mute:
            return original(self, n, *rest, **named)
        outer = now.lowering
        now.lowering = Lowering(n, len(self.buffers), len(self.operations))
        try:
            result = original(self, n, *rest, **named)
            recorder.guarded(_write, recorder, self, now.lowering, result)
        finally:
            now.lowering = outer
        return result

    return run_node


def _write(recorder, graph, lowering, result):
    node = lowering.node
    phase = recorder.now.phase
    if node.op in ("placeholder", "output"):
        return
    out = {"graph": phase.identity, "node": recorder.numbers.pair(node), "target": str(node.target), **_result(result)}
    name = getattr(graph, "name", None)
    if name:
        out["inside"] = str(name)
    made = graph.operations[lowering.operations:]
    if made:
        out["operations"] = [[operation.get_operation_name(), type(operation).__name__, buffer_name(operation)] for operation in made]
    buffers = [buffer_name(buffer) for buffer in graph.buffers[lowering.buffers:]]
    if buffers:
        out["buffers"] = buffers
    fallback = next((operation for operation in made if type(operation).__name__ == "FallbackKernel"), None)
    if fallback is not None or lowering.fallback:
        out["fallback"] = lowering.fallback or _why_fallback(node.target)
        if fallback is not None:
            out["kernel"] = str(getattr(fallback, "python_kernel_name", "") or "")
    if lowering.constraints:
        out["constraints"] = lowering.constraints
    recorder.write(tags.LOWERED, out)


def _why_fallback(target):
    from torch._inductor import lowering

    return "in the list of fallbacks" if target in getattr(lowering, "fallbacks", ()) else "its lowering calls the kernel"


def _result(result):
    """What a value is made of, from the outside in, and what it computes."""
    if isinstance(result, (list, tuple)):
        return {"kind": type(result).__name__, "results": [_result(value) for value in result[:8]]}
    wrapped = []
    inner = result
    for _ in range(8):
        data = getattr(inner, "data", None)
        if data is None or not type(data).__module__.startswith("torch._inductor"):
            break
        wrapped.append(type(inner).__name__)
        inner = data
        if hasattr(inner, "ranges") or buffer_name(inner):
            break
    out = {"kind": type(inner).__name__}
    if wrapped:
        out["within"] = wrapped
    loops = inner if hasattr(inner, "ranges") else getattr(inner, "data", None)
    if hasattr(loops, "ranges"):
        out["ranges"] = sizes(loops.ranges)
        reduced = sizes(getattr(loops, "reduction_ranges", None))
        if reduced:
            out["reduction_ranges"] = reduced
        if loops is not inner:
            out["kind"] = type(loops).__name__
    name = buffer_name(inner)
    if name:
        out.update(realized=True, buffer=name, bytes=bytes_of(inner), **layout_of(inner))
    for key, method, shown in (("size", "get_size", sizes), ("dtype", "get_dtype", dtype_text)):
        if not wrapped:
            break
        try:
            out[key] = shown(getattr(result, method)())
        except Exception:  # not all values have one
            pass
    device = device_text(result) if wrapped else ""
    if device:
        out["device"] = device
    return out


# Reasons


def _callers():
    """Functions of Inductor that led here, the nearest first, with the line in each."""
    frame, found = sys._getframe(3), []
    while frame is not None and len(found) < MOST_CALLERS:
        code = frame.f_code
        if "dynascope_capture" not in code.co_filename:
            if "_inductor" not in code.co_filename:
                if found:
                    break
            elif code.co_name not in _PLUMBING:
                if not found or found[-1].partition(":")[0] != code.co_name:
                    found.append(f"{code.co_name}:{frame.f_lineno}")
                if code.co_name == "run_node":
                    break
        frame = frame.f_back
    return found


def _realize(recorder, original):
    def realize(self, *rest, **named):
        now = recorder.now
        before = self.data
        result = original(self, *rest, **named)
        if self.data is not before and now.phases and not now.mute:
            recorder.guarded(_write_realized, recorder, self, before)
        return result

    return realize


def _write_realized(recorder, box, before):
    made = box.data
    lowering = recorder.now.lowering
    out = {"graph": recorder.now.phase.identity, "what": "realized", "buffer": buffer_name(made), "kind": type(before).__name__,
           "why": _callers(), "origins": origins_of(made, recorder.numbers)}
    if lowering is not None:
        out["node"] = recorder.numbers.pair(lowering.node)
    recorder.write(tags.REALIZED, out)


def _freeze(recorder, original):
    def freeze_layout(self, *rest, **named):
        now = recorder.now
        before = getattr(self, "layout", None)
        result = original(self, *rest, **named)
        if getattr(self, "layout", None) is not before and now.phases and not now.mute:
            recorder.guarded(_write_frozen, recorder, self)
        return result

    return freeze_layout


def _write_frozen(recorder, buffer):
    lowering = recorder.now.lowering
    out = {"graph": recorder.now.phase.identity, "what": "layout", "buffer": buffer_name(buffer), **layout_of(buffer), "why": _callers()}
    if lowering is not None:
        out["node"] = recorder.numbers.pair(lowering.node)
    recorder.write(tags.REALIZED, out)


def _require(recorder, original):
    def require_strides(cls, x, *rest, **named):
        lowering = recorder.now.lowering
        if lowering is not None:
            recorder.guarded(_constrain, lowering, x, rest, named)
        return original.__func__(cls, x, *rest, **named)

    return require_strides


def _constrain(lowering, x, rest, named):
    order = named.get("order", rest[0] if rest else None)
    exact = named.get("exact_strides")
    name = ""
    try:
        name = x.get_name()
    except Exception:  # not realized
        pass
    lowering.constraints.append({"buffer": name, **({"order": sizes(order)} if order is not None else {}),
                                 **({"strides": sizes(exact)} if exact is not None else {})})


def _unsupported(recorder, original):
    def fallback_node_due_to_unsupported_type(*arguments, **named):
        result = original(*arguments, **named)
        lowering = recorder.now.lowering
        if result and lowering is not None:
            lowering.fallback = "a type that Inductor has no code for"
        return result

    return fallback_node_due_to_unsupported_type


def _no_lowering(recorder, original):
    def make_fallback(*arguments, **named):
        lowering = recorder.now.lowering
        if lowering is not None:
            lowering.fallback = "no lowering"
        return original(*arguments, **named)

    return make_fallback
