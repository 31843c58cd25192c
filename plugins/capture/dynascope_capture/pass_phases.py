# SPDX-License-Identifier: BSD-3-Clause
"""Phases of a compile: what AOTAutograd and Inductor do to a graph between two states that PyTorch's trace prints too."""

import functools
import sys

from . import pass_options, pass_tags as tags

_AOT = ("torch._functorch._aot_autograd.graph_compile", "torch._functorch._aot_autograd.jit_compile_runtime_wrappers")



def install(recorder, hooks):
    compile_fx = hooks.module("torch._inductor.compile_fx")
    hooks.wrap(compile_fx, "_recursive_pre_grad_passes", lambda original: _phase(
        recorder, "pre_grad", original, lambda gm, named: "dynamo", ("before_pre_grad_graph", "after_pre_grad_graph")))
    hooks.wrap(compile_fx, "_recursive_joint_graph_passes", lambda original: _phase(
        recorder, "joint", original, _joint_kind, ("before_joint_graph", "after_joint_graph")))
    hooks.wrap(compile_fx, "_compile_fx_inner", lambda original: _phase(recorder, "inductor", original, _compile_kind))
    hooks.wrap(compile_fx, "_recursive_post_grad_passes", lambda original: _phase(
        recorder, "post_grad", original, _outer_kind, ("before_post_grad_graph", "inductor_post_grad_graph")))
    hooks.wrap(compile_fx, "min_cut_rematerialization_partition", lambda original: _phase(
        recorder, "partition", original, lambda gm, named: "joint"))
    freezing = hooks.module("torch._inductor.freezing")
    if freezing is not None:
        hooks.wrap(freezing, "freeze", lambda original: _phase(
            recorder, "freezing", original, lambda gm, named: "inference", which=1))
    found = False
    for name in _AOT:
        module = sys.modules.get(name)
        if hasattr(module, "aot_dispatch_autograd_graph"):
            found = True
            hooks.wrap(module, "aot_dispatch_autograd_graph", lambda original: _traced(recorder, "joint", original))
            hooks.wrap(module, "aot_dispatch_base_graph", lambda original: _traced(recorder, "inference", original))
        if hasattr(module, "_log_joint_graph"):
            hooks.wrap(module, "_log_joint_graph", lambda original: _logged(recorder, ("joint",), original))
            hooks.wrap(module, "_log_fw_bw_graphs", lambda original: _logged(recorder, ("forward", "backward"), original))
    # Before 2.9 the trace prints where the graphs are made.
    recorder.stages_are_logged = any(hasattr(sys.modules.get(name), "_log_joint_graph") for name in _AOT)
    if not found:
        hooks.missing.append("aot_dispatch_autograd_graph")
    proxies = hooks.module("torch.fx.experimental.proxy_tensor")
    if proxies is not None:
        hooks.wrap(proxies, "maybe_handle_decomp", functools.partial(_decomposed, recorder))


def _is_busy(recorder):
    """Patterns are compiled like programs, within the passes that look for them."""
    return recorder.now.mute or recorder.now.passes or recorder.lost


def _first_name(gm):
    return next((node.name for node in gm.graph.nodes), "")


def _joint_kind(gm, named):
    return "joint" if _first_name(gm).startswith(("primals", "tangents", "fwd_")) else "inference"


def _compile_kind(gm, named):
    if named.get("is_backward"):
        return "backward"
    return "inference" if named.get("is_inference") else "forward"


def _outer_kind(gm, named):
    return None


def _phase(recorder, name, original, kind_of, stages=None, which=0):
    def run(*arguments, **named):
        phase = recorder.guarded(_begin_phase, recorder, name, arguments, named, kind_of, stages, which)
        try:
            result = original(*arguments, **named)
        except BaseException as error:
            if phase is not None:
                recorder.guarded(recorder.end_phase, phase, None, error)
            raise
        if phase is not None:
            recorder.guarded(_end_phase, recorder, phase, result, stages)
        return result

    return run


def _begin_phase(recorder, name, arguments, named, kind_of, stages, which):
    from torch.fx import GraphModule

    gm = arguments[which] if len(arguments) > which else named.get("gm")
    if _is_busy(recorder) or not isinstance(gm, GraphModule):
        return None
    outer = recorder.now.phase
    kind = kind_of(gm, named) or (outer.kind if outer is not None else "unknown")
    nested = outer is not None and outer.name == name
    phase = recorder.begin_phase(name, kind, gm, options=pass_options.read(name), **({"inside": True} if nested else {}))
    phase.nested = nested
    if name == "post_grad" and outer is not None:
        outer.data["generated"] = True
    if stages and not nested and stages[0]:
        recorder.stage(stages[0], gm)
    return phase


def _end_phase(recorder, phase, result, stages):
    from torch.fx import GraphModule

    gm = result if isinstance(result, GraphModule) else phase.tracked.module() if phase.tracked is not None else None
    more = {}
    if phase.name == "inductor":
        more["generated"] = phase.data.get("generated", False)
    for name, reason in pass_options.not_run(phase.name, phase.kind, phase.ran):
        recorder.skipped_pass(phase, name, reason)
    if stages and not phase.nested and gm is not None:
        recorder.look(gm)
        recorder.stage(stages[1], gm, fast=phase.name == "post_grad")
    if isinstance(result, tuple) and phase.name in ("partition", "freezing"):
        made = [entry for entry in result if isinstance(entry, GraphModule)]
        more["made"] = [recorder.look(entry).state for entry in made]
        if phase.name == "partition" and not recorder.stages_are_logged:
            for kind, entry in zip(("forward", "backward"), made):
                recorder.stage(f"aot_{kind}_graph", entry, expanded=True)
        if phase.name == "freezing":
            gm = None
    recorder.end_phase(phase, gm, **more)


def _traced(recorder, kind, original):
    """AOTAutograd traces a graph, under functionalization and with its table of decompositions."""

    def trace(*arguments, **named):
        phase = None
        if not _is_busy(recorder):
            phase = recorder.guarded(recorder.begin_phase, "aot", kind)
        try:
            result = original(*arguments, **named)
        except BaseException as error:
            if phase is not None:
                recorder.guarded(recorder.end_phase, phase, None, error)
            raise
        if phase is not None:
            recorder.guarded(_end_trace, recorder, phase, kind, result)
        return result

    return trace


def _end_trace(recorder, phase, kind, result):
    from torch.fx import GraphModule

    made = result if isinstance(result, tuple) else (result,)
    gm = next((entry for entry in made if isinstance(entry, GraphModule)), None)
    _write_decompositions(recorder, phase)
    if gm is not None and kind == "inference":
        recorder.stage("aot_inference_graph", gm, expanded=True)
    elif gm is not None and not recorder.stages_are_logged:
        recorder.stage("aot_joint_graph", gm, expanded=True)
    recorder.end_phase(phase, gm)


def _logged(recorder, kinds, original):
    """Where PyTorch's trace prints graphs of AOTAutograd."""

    def log(*arguments, **named):
        if not _is_busy(recorder):
            for kind, gm in zip(kinds, arguments):
                recorder.guarded(recorder.stage, f"aot_{kind}_graph", gm, True)
        return original(*arguments, **named)

    return log


# Decompositions


def _decomposed(recorder, original):
    def maybe_handle_decomp(proxy_mode, op, *rest, **named):
        now = recorder.now
        phase = now.phase
        if phase is None or phase.name != "aot" or now.mute:
            return original(proxy_mode, op, *rest, **named)
        open_ = phase.data.setdefault("decomposing", [])
        into = set()
        open_.append(into)
        try:
            result = original(proxy_mode, op, *rest, **named)
        finally:
            open_.pop()
        recorder.guarded(_count, phase, open_, str(op), into, result is NotImplemented)
        return result

    return maybe_handle_decomp


def _count(phase, open_, name, into, stays):
    if open_:
        open_[-1].add(name)
    if not stays:
        counts = phase.data.setdefault("decomposed", {})
        entry = counts.setdefault(name, [0, set()])
        entry[0] += 1
        entry[1] |= into


def _write_decompositions(recorder, phase):
    counts = phase.data.get("decomposed")
    if counts:
        rows = [[name, count, sorted(into)] for name, (count, into) in sorted(counts.items())]
        recorder.write(tags.DECOMPOSITIONS, {"graph": phase.identity, "operators": rows})
