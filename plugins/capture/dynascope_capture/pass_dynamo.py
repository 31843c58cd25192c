# SPDX-License-Identifier: BSD-3-Clause
"""What Dynamo does to its graph after the last instruction: nodes that it drops, assertions that it adds."""

import functools
import inspect
import weakref

from .pass_hooks import Hooks, graph_step, place_of

# Methods of OutputGraph, functions of its module, and of another: those that are given a graph module.
_METHODS = ("cleanup_graph", "dedup_pass", "remove_unused_get_attr_nodes", "remove_unused_graphargs", "remove_tensorify_specialized_graphargs")
_FUNCTIONS = (("torch._dynamo.output_graph", "insert_deferred_runtime_asserts"), ("torch._dynamo.dce_extra_outputs", "dce_hop_extra_outputs"))


class OpenGraph:
    """The graph of an OutputGraph as a module of graphs is looked at: it has no module before Dynamo is done with it."""

    def __init__(self, output):
        self._output = weakref.ref(output)

    @property
    def graph(self):
        return self._output().graph

    @property
    def _modules(self):
        modules = self._output().nn_modules
        return {node.target: modules[node.target] for node in self.graph.nodes
                if node.op in ("get_attr", "call_module") and node.target in modules}

    def named_children(self):
        return self._modules.items()

    def print_readable(self, **flags):
        from torch.fx import graph_module

        known = inspect.signature(graph_module._print_readable).parameters
        return graph_module._print_readable(self, "GraphModule", **{name: value for name, value in flags.items() if name in known})


def install(recorder):
    """Starts listening; torch._dynamo.output_graph must be importable. Returns the Patches to undo."""
    hooks = Hooks()
    output_graph = hooks.module("torch._dynamo.output_graph")
    if output_graph is None:
        return hooks
    kind = output_graph.OutputGraph
    hooks.wrap(kind, "compile_subgraph", functools.partial(_subgraph, recorder))
    hooks.wrap(kind, "call_user_compiler", functools.partial(_made, recorder))
    for name in _METHODS:
        if name in kind.__dict__:  # later versions have more of them
            hooks.wrap(kind, name, functools.partial(_method, recorder, name))
    for module, name in _FUNCTIONS:
        owner = _module(module)
        if hasattr(owner, name):
            hooks.wrap(owner, name, functools.partial(_function, recorder, name))
    return hooks


def _module(name):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _subgraph(recorder, original):
    """All that follows the last instruction of a graph."""

    def compile_subgraph(output, *arguments, **named):
        phase = recorder.guarded(_begin, recorder, output)
        try:
            return original(output, *arguments, **named)
        finally:
            # It ended before, where a backend got the graph.
            if phase is not None:
                recorder.guarded(recorder.end_phase, phase)
            recorder.forget()

    return compile_subgraph


def _begin(recorder, output):
    now = recorder.now
    if now.mute or now.passes or recorder.lost or all(node.op in ("placeholder", "output") for node in output.graph.nodes):
        return None
    graph = OpenGraph(output)
    phase = recorder.begin_phase("dynamo", "dynamo", graph)
    phase.data["graph"] = graph  # nobody else keeps it
    return phase


def _phase_of(recorder, graph):
    """The phase that is about a graph, if it is under way."""
    phase = recorder.now.phase
    found = phase.data.get("graph") if phase is not None else None
    return phase if found is not None and found.graph is graph else None


def _made(recorder, original):
    """A backend gets the graph, which has its module now."""

    def call_user_compiler(output, gm, *rest, **named):
        recorder.guarded(_end, recorder, output, gm)
        return original(output, gm, *rest, **named)

    return call_user_compiler


def _end(recorder, output, gm):
    phase = _phase_of(recorder, output.graph)
    if phase is not None:
        recorder.look(gm)
        recorder.stage("dynamo_output_graph", gm)
        recorder.end_phase(phase, gm)


def _method(recorder, name, original):
    place = place_of(original)

    def method(output, *arguments, **named):
        return graph_step(recorder, lambda: _step(recorder, name, output.graph, place), original, output, *arguments, **named)

    return method


def _function(recorder, name, original):
    place = place_of(original)

    def function(gm, *arguments, **named):
        return graph_step(recorder, lambda: _step(recorder, name, gm.graph, place), original, gm, *arguments, **named)

    return function


def _step(recorder, name, graph, place):
    phase = _phase_of(recorder, graph)
    if phase is None or recorder.now.passes or recorder.lost:
        return None
    return recorder.begin_pass(name, phase.data["graph"], place, "function")
