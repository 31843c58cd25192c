# SPDX-License-Identifier: BSD-3-Clause
"""Where the recorder of passes listens: observers of graph transformations, phases of Inductor and AOTAutograd, and the
functions that change graphs without an observer."""

import functools
import importlib
import sys

from . import pass_kernels, pass_lowering, pass_options, pass_patterns, pass_schedule, pass_tags as tags
from .hooks import Patches

# Functions that change a graph and have no observer: module, name.
_STEPS = (
    ("torch._inductor.compile_fx", "view_to_reshape"),
    ("torch._inductor.compile_fx", "fake_tensor_prop"),
    ("torch._inductor.compile_fx", "convert_conv_weights_to_channels_last"),
    ("torch._inductor.fx_passes.pre_grad", "numpy_compat_normalization"),
    ("torch._inductor.fx_passes.pre_grad", "fuse_fx"),
    ("torch._inductor.fx_passes.pre_grad", "stable_topological_sort"),
    ("torch._inductor.fx_passes.pre_grad", "_run_pre_dispatch_passes"),
    ("torch._inductor.fx_passes.quantization", "quant_lift_up"),
    ("torch._inductor.fx_passes.joint_graph", "canonicalize_aten_ir_passes"),
    ("torch._inductor.fx_passes.joint_graph", "replace_random_passes"),
    ("torch._inductor.fx_passes.joint_graph", "stable_topological_sort"),
    ("torch._inductor.fx_passes.post_grad", "stable_topological_sort"),
    ("torch._inductor.fx_passes.post_grad", "micro_pipeline_tp_pass"),
    ("torch._inductor.fx_passes.post_grad", "decompose_mem_bound_mm"),
    ("torch._inductor.freezing", "freezing_passes"),
    ("torch._inductor.freezing", "constant_fold"),
    ("torch._inductor.freezing", "invalidate_eager_modules"),
    ("torch._inductor.freezing", "discard_traced_gm_params"),
    ("torch._functorch.partitioners", "fx_graph_cse"),
    ("torch._functorch.partitioners", "cleanup_recompute_tags"),
    ("torch._functorch.partitioners", "force_save_collectives"),
    ("torch._functorch.partitioners", "force_save_bw_mutation_src"),
    ("torch._functorch.partitioners", "functionalize_rng_ops"),
    ("torch._functorch.partitioners", "reordering_to_mimic_autograd_engine"),
    ("torch._functorch._aot_autograd.graph_compile", "_apply_tensorify_python_scalars"),
    ("torch._functorch._aot_autograd.graph_compile", "run_joint_graph_passes_on_hops"),
)
_RETURNING = ("fx_graph_cse", "cleanup_recompute_tags", "functionalize_rng_ops", "reordering_to_mimic_autograd_engine")
_AOT = ("torch._functorch._aot_autograd.graph_compile", "torch._functorch._aot_autograd.jit_compile_runtime_wrappers")
_SETUPS = ("pre_grad", "joint_graph", "post_grad", "freezing_patterns")


class Hooks(Patches):
    """Patches that remember what was not there to be replaced."""

    def __init__(self):
        super().__init__()
        self.missing = []

    def wrap(self, owner, name, make):
        before = len(self._replaced)
        super().wrap(owner, name, make)
        if len(self._replaced) == before:
            self.missing.append(f"{owner.__module__ + '.' + owner.__qualname__ if isinstance(owner, type) else owner.__name__}.{name}")

    def module(self, name):
        """A module, None if this version of PyTorch has none of that name."""
        try:
            return importlib.import_module(name)
        except Exception as error:
            self.missing.append(f"{name}: {type(error).__name__}")
            return None


def install(recorder):
    """Starts listening; torch._inductor.compile_fx must be importable. Returns the Patches to undo."""
    from torch.fx import Graph
    from torch.fx.passes.graph_transform_observer import GraphTransformObserver

    hooks = Hooks()
    _observers(recorder, hooks, GraphTransformObserver)
    hooks.wrap(Graph, "eliminate_dead_code", lambda original: _step(recorder, "eliminate_dead_code", original))
    for name, function in _STEPS:
        module = hooks.module(name)
        if module is not None:
            hooks.wrap(module, function, functools.partial(_step, recorder, function))
    for name in _SETUPS:
        module = hooks.module(f"torch._inductor.fx_passes.{name}")
        if module is not None:
            hooks.wrap(module, "lazy_init", functools.partial(_setup, recorder))
    _phases(recorder, hooks)
    pass_patterns.install(recorder, hooks)
    pass_lowering.install(recorder, hooks)
    watch = pass_schedule.install(recorder, hooks)
    watch.kernels = pass_kernels.Kernels(recorder, hooks, watch)
    watch.kernels.install()
    recorder.missing = hooks.missing
    return hooks


def place_of(function):
    """(name, file, line) of a function behind what wraps it."""
    for _ in range(16):
        inner = getattr(function, "func", None) or getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    if code is None:
        kind = type(function)
        code = getattr(getattr(kind, "__call__", None), "__code__", None)
        return (kind.__qualname__, code.co_filename, code.co_firstlineno) if code else None
    return getattr(function, "__qualname__", code.co_name), code.co_filename, code.co_firstlineno


# Observers


def _observers(recorder, hooks, observer):
    def enter(original):
        def __enter__(self):
            place, recorder.now.place = recorder.now.place, None
            if place is None:
                frame = sys._getframe(1)
                place = frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name, \
                    frame.f_code.co_filename, frame.f_lineno
            entry = recorder.guarded(_entered, recorder, self, place)
            result = original(self)
            if entry is not None:
                recorder.pass_runs(entry)
            return result

        return __enter__

    def leave(original):
        def __exit__(self, kind, value, trace):
            recorder.guarded(_left, recorder, self, value)
            return original(self, kind, value, trace)

        return __exit__

    def applies(original):
        def apply_pass(self, pass_fn):
            recorder.now.place = recorder.guarded(place_of, pass_fn)
            return original(self, pass_fn)

        return apply_pass

    def disabled(original):
        def _check_disable_pass(self):
            result = original(self)
            current = recorder.now.current
            if result and current is not None:
                recorder.guarded(_disabled, current, self)
            return result

        return _check_disable_pass

    hooks.wrap(observer, "__enter__", enter)
    hooks.wrap(observer, "__exit__", leave)
    hooks.wrap(observer, "apply_gm_pass", applies)
    hooks.wrap(observer, "apply_graph_pass", applies)
    hooks.wrap(observer, "_check_disable_pass", disabled)


def _entered(recorder, observer, place):
    kind = "patterns" if place and place[0].endswith("PatternMatcherPass.apply") else "pass"
    entry = recorder.begin_pass(observer.passname, observer.gm, place, kind, observer.subsystem)
    entry.observer = id(observer)
    return entry


def _left(recorder, observer, error):
    for entry in reversed(recorder.now.passes):
        if entry.observer == id(observer):
            recorder.end_pass(entry, error)
            return


def _disabled(entry, observer):
    from torch._inductor import config

    by_name = observer.passname.upper() in getattr(config, "disabled_passes", "").upper()
    entry.skipped = "config.disabled_passes names it" if by_name else "the bisector of compilers turned it off"


# Functions without an observer


def _graph_module(arguments):
    """The graph module that a function is given first."""
    from torch.fx import Graph, GraphModule

    first = arguments[0] if arguments else None
    if isinstance(first, Graph):
        first = first.owning_module
    return first if isinstance(first, GraphModule) else None


def _step(recorder, name, original):
    place = place_of(original)

    def step(*arguments, **named):
        now = recorder.now
        if not now.phases or now.passes or now.mute:
            return original(*arguments, **named)
        entry = recorder.guarded(_begin_step, recorder, name, arguments, place)
        if entry is None:
            return original(*arguments, **named)
        recorder.pass_runs(entry)
        try:
            result = original(*arguments, **named)
        except BaseException as error:
            recorder.guarded(recorder.end_pass, entry, error)
            raise
        recorder.guarded(recorder.end_pass, entry)
        if name in _RETURNING and now.phases and entry.index:
            now.phase.by = entry.index
        return result

    return step


def _begin_step(recorder, name, arguments, place):
    gm = _graph_module(arguments)
    tracked = recorder.now.phase.tracked
    if gm is None or tracked is None or tracked.module() is not gm:
        return None
    return recorder.begin_pass(name, gm, place, "function")


def _setup(recorder, original):
    """Patterns are traced once a process: passes run on them that are none of the program's."""

    def lazy_init(*arguments, **named):
        now = recorder.now
        phase = now.phase
        gm = phase.tracked.module() if phase is not None and phase.tracked is not None else None
        entry = recorder.guarded(recorder.begin_pass, "lazy_init", gm, place_of(original), "setup") if gm is not None else None
        if entry is not None:
            recorder.pass_runs(entry)
        now.mute += 1
        try:
            return original(*arguments, **named)
        finally:
            now.mute -= 1
            if entry is not None:
                recorder.guarded(recorder.end_pass, entry)

    return lazy_init


# Phases


def _phases(recorder, hooks):
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
