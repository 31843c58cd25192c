# SPDX-License-Identifier: BSD-3-Clause
"""What the manager of CUDA graph trees decides at each call of a compiled function: to warm up, to record, to replay, or to
run it without a CUDA graph, and why an earlier recording did not serve."""

import sys

from . import stream as tags
from .imports import AfterImport
from .stream import number

MOST_REASON = 2000


def install(recorder, patches):
    """Waits for the module, which PyTorch imports at the first compile with CUDA graphs."""
    log = TreeLog(recorder)
    waiting = AfterImport("torch._inductor.cudagraph_trees", lambda module: recorder.guarded(log.watch, module, patches))
    patches.at_undo(waiting.cancel)


class TreeLog:
    def __init__(self, recorder):
        self._recorder = recorder
        self._decided = True  # at the call that is under way
        self._skipped = {}  # why a function runs without a CUDA graph
        self._message = ""

    def watch(self, trees, patches):
        manager = trees.CUDAGraphTreeManager
        patches.wrap(manager, "_run", self.run)
        patches.wrap(manager, "run_eager", self.run_eager)
        patches.wrap(manager, "record_function", self.record)
        patches.wrap(manager, "execute_node", self.replay)
        patches.wrap(manager, "clear_current_path_state_and_set_to_none", self.end_path)
        patches.wrap(trees.CUDAGraphNode, "check_invariants", self.check)
        for name in ("torch._inductor.cudagraph_trees", "torch._inductor.cudagraph_utils", "torch._inductor.compile_fx",
                     "torch._inductor.output_code"):
            module = sys.modules.get(name)
            if module is not None:
                patches.wrap(module, "log_cudagraph_skip_and_bump_counter", self.skip_message)

    def _decide(self, *what):
        self._decided = True
        self._write(*what)

    def _write(self, what, function, node, manager, reason=""):
        stream = self._recorder.stream
        compile_id = getattr(manager, "compile_id", None)
        payload = bytearray()
        number(payload, stream.string(what))
        number(payload, function)
        number(payload, 0 if node is None else node + 1)
        for text in (str(compile_id) if compile_id is not None else "", reason[:MOST_REASON]):
            number(payload, stream.string(text) if text else 0)
        stream.record(tags.TREE, payload)
        stream.flush()

    def run(self, original):
        def _run(manager, new_inputs, function_id, *rest, **named):
            self._decided, self._message = False, ""
            result = original(manager, new_inputs, function_id, *rest, **named)
            if not self._decided:
                self._recorder.guarded(self._write_skip, manager, function_id)
            return result

        return _run

    def _write_skip(self, manager, function_id):
        function = function_id.id
        if self._message:  # PyTorch says it once
            self._skipped[function] = self._message
        self._decide("skip", function, None, manager, self._skipped.get(function, ""))

    def run_eager(self, original):
        def run_eager(manager, new_inputs, function_id, *rest, **named):
            warm = function_id in manager.warmed_up_functions
            self._recorder.guarded(self._decide, "warm again" if warm else "warm up", function_id.id, None, manager)
            return original(manager, new_inputs, function_id, *rest, **named)

        return run_eager

    def record(self, original):
        def record_function(manager, new_inputs, function_id, *rest, **named):
            result = original(manager, new_inputs, function_id, *rest, **named)
            self._recorder.guarded(lambda: self._decide("record", function_id.id, _node(manager), manager))
            return result

        return record_function

    def replay(self, original):
        def execute_node(manager, node, *rest, **named):
            self._recorder.guarded(lambda: self._decide("replay", _function(node), node.id.id, manager))
            return original(manager, node, *rest, **named)

        return execute_node

    def end_path(self, original):
        def clear_current_path_state_and_set_to_none(manager, *rest, **named):
            self._recorder.guarded(lambda: self._write("path ends", 0, _node(manager), manager))
            return original(manager, *rest, **named)

        return clear_current_path_state_and_set_to_none

    def check(self, original):
        def check_invariants(node, *rest, **named):
            result = original(node, *rest, **named)
            self._recorder.guarded(self._write_mismatch, node, result)
            return result

        return check_invariants

    def _write_mismatch(self, node, result):
        status, explain = result
        name = getattr(status, "name", str(status))
        if name != "SUCCESS":
            self._write("mismatch", _function(node), node.id.id, node, f"{name}: {explain()}")

    def skip_message(self, original):
        def log_cudagraph_skip_and_bump_counter(message, *rest, **named):
            self._message = str(message)
            return original(message, *rest, **named)

        return log_cudagraph_skip_and_bump_counter


def _function(node):
    return node.wrapped_function.id.id


def _node(manager):
    node = manager.current_node
    return node.id.id if node is not None else None
