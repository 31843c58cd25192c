# SPDX-License-Identifier: BSD-3-Clause
"""Where the recorder of passes listens: observers of graph transformations, and functions that change graphs without an
observer."""

import functools
import importlib
import sys

from . import pass_kernels, pass_lowering, pass_patterns, pass_phases, pass_schedule
from .hooks import Patches

# Functions that change a graph and have no observer: module, name.
_STEPS = (
    ("torch._inductor.compile_fx", "view_to_reshape"),
    ("torch._inductor.compile_fx", "fake_tensor_prop"),
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
    ("torch._inductor.freezing", "convert_conv_weights_to_channels_last"),
    ("torch._inductor.freezing", "view_to_reshape"),
    ("torch._inductor.freezing", "replace_params_with_constants"),
    ("torch._inductor.freezing", "fx_graph_cse"),
    ("torch._inductor.freezing", "freezing_passes"),
    ("torch._inductor.fx_passes.freezing_patterns", "constant_fold"),
    ("torch._inductor.fx_passes.freezing_patterns", "fake_tensor_prop"),
    ("torch._inductor.fx_passes.freezing_patterns", "_eliminate_duplicate_packed_nodes"),
    ("torch._inductor.fx_passes.freezing_patterns", "stable_topological_sort"),
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
    ("torch._functorch._aot_autograd.graph_compile", "maybe_inline_graph_saved_tensors_hooks"),
)
_RETURNING = ("fx_graph_cse", "cleanup_recompute_tags", "functionalize_rng_ops", "reordering_to_mimic_autograd_engine")
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
    pass_phases.install(recorder, hooks)
    pass_patterns.install(recorder, hooks)
    pass_lowering.install(recorder, hooks)
    watch = pass_schedule.install(recorder, hooks)
    watch.kernels = pass_kernels.Kernels(recorder, hooks, watch)
    watch.kernels.install()
    recorder.missing = list(dict.fromkeys(recorder.missing + hooks.missing))
    recorder.release()
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
        if now.mute or now.passes and now.passes[-1].kind != "function":
            return original(*arguments, **named)
        return graph_step(recorder, lambda: _begin_step(recorder, name, arguments, place), original, *arguments, **named)

    return step


def graph_step(recorder, begin, original, *arguments, **named):
    """Calls `original` as a pass, if `begin` has begun one."""
    entry = recorder.guarded(begin)
    if entry is None:
        return original(*arguments, **named)
    recorder.pass_runs(entry)
    try:
        result = original(*arguments, **named)
    except BaseException as error:
        recorder.guarded(recorder.end_pass, entry, error)
        raise
    recorder.guarded(recorder.end_pass, entry)
    if entry.name in _RETURNING and recorder.now.phases and entry.index:
        recorder.now.phase.by = entry.index
    return result


def _begin_step(recorder, name, arguments, place):
    gm = _graph_module(arguments)
    phase = recorder.now.phase
    if gm is None or recorder.lost:
        return None
    if phase is None:
        if not recorder.follows(gm):
            return None
    elif phase.tracked is None or phase.tracked.module() is not gm:
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
