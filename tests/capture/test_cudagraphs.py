# SPDX-License-Identifier: BSD-3-Clause
"""Decisions of CUDA graph trees: PyTorch's own logic, over recordings and replays that do nothing."""

import collections
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "plugins", "capture")]

import dynascope_capture
import recording
import torch
import torch._dynamo
from torch._inductor import cudagraph_trees as trees

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))


class Node:
    """Stands in for a recorded graph."""

    def __init__(self, identity, function):
        self.id = trees.GraphID(identity)
        self.wrapped_function = types.SimpleNamespace(id=function)
        self.children = collections.defaultdict(list)
        self.fits = True

    def check_invariants(self, inputs):
        status = trees.CheckInvariantStatus
        if self.fits:
            return status.SUCCESS, lambda: "fits"
        return status.CudagraphManagedIdxMismatch, lambda: "an input moved"

    def all_outputs_are_dead(self):
        return True


class Warmup:
    id = trees.GraphID(0)


class Manager(trees.CUDAGraphTreeManager):
    """With nothing of a device; what decides is PyTorch's."""

    def __init__(self):
        function = trees.FunctionID(7)
        self.function = function
        self.compile_id = "3/0"
        self.path_state = trees.ExecutionState.NONE
        self.roots = collections.defaultdict(list)
        self._current_node = None
        self.warmed_up_functions = set()
        self.num_rerecord = collections.defaultdict(lambda: collections.defaultdict(int))
        self.non_cudagraph_managed_mutation_hint = collections.defaultdict(dict)
        self.warned_mutation = set()
        self.warned_functions = set()
        self.debug_fail_counter = 0
        self.id_to_mode = {function: trees.CompilationMode.FORWARD}
        self.id_to_compile_id = {function: "3/0"}
        self.ids_to_funcs = {function: types.SimpleNamespace(model=lambda inputs: "plain", mutated_input_idxs=[], id=function)}
        self.graph = object()
        self.running_forwards_with_pending_backwards = False
        self.made = 0

    current_node = property(lambda self: self._current_node, lambda self, node: setattr(self, "_current_node", node))

    def _update_non_cudagraph_managed_mutation(self, function_id, inputs):
        self.non_cudagraph_managed_mutation_hint[self._get_node_id()][function_id] = False

    def try_end_curr_warmup(self, function_id):
        self.current_node, self.path_state = None, trees.ExecutionState.NONE

    try_end_curr_recording = try_end_curr_warmup

    def try_end_curr_execution(self):
        if self.current_node is not None:
            self.clear_current_path_state_and_set_to_none()

    def _get_node_id(self):
        return None if self.current_node is None else self.current_node.id

    def get_func_name(self, function_id):
        return "f"


def run_eager(self, inputs, function_id):
    self.warmed_up_functions.add(function_id)
    self.path_state = trees.ExecutionState.WARMUP
    self.current_node = Warmup()
    return "warm"


def record_function(self, inputs, function_id):
    node = Node(self.made, function_id)
    self.made += 1
    self.roots[function_id].append(node)
    self.current_node, self.path_state = node, trees.ExecutionState.RECORDING
    return "recorded"


def execute_node(self, node, inputs):
    self.current_node, self.path_state = node, trees.ExecutionState.EXECUTION
    return "replayed"


def clear(self):
    self.current_node = None


def decisions(path):
    strings, out = {0: ""}, []
    for tag, payload in recording.records(path):
        if tag == "s":
            identity, at = recording.number(payload, 0)
            strings[identity] = payload[at:].decode()
        elif tag == "w":
            numbers, at = [], 0
            while at < len(payload):
                value, at = recording.number(payload, at)
                numbers.append(value)
            what, function, node, compile_id, reason = numbers
            out.append((strings[what], function, node - 1 if node else None, strings[compile_id], strings[reason]))
    return out


@unittest.skipUnless(VERSION == (2, 13), "written for the manager of 2.13")
class TreesTest(unittest.TestCase):
    def test_every_decision(self):
        owner = trees.CUDAGraphTreeManager
        fakes = {"run_eager": run_eager, "record_function": record_function, "execute_node": execute_node,
                 "clear_current_path_state_and_set_to_none": clear}
        with tempfile.TemporaryDirectory() as folder, mock.patch.multiple(owner, **fakes), \
                mock.patch.object(trees, "CUDAGraphNode", Node), mock.patch.object(trees, "CUDAWarmupNode", Warmup), \
                mock.patch.object(torch._inductor.config.triton, "cudagraph_unexpected_rerecord_limit", 1):
            path = os.path.join(folder, "trees.dsteps")
            manager = Manager()
            with dynascope_capture.record(path):
                said = [manager.run([], manager.function) for _ in range(3)]
                for round_ in range(2):
                    for node in manager.roots[manager.function]:
                        node.fits = False
                    manager.current_node, manager.path_state = None, trees.ExecutionState.NONE
                    said.append(manager.run([], manager.function))
            self.assertEqual(said, ["warm", "recorded", "replayed", "recorded", "plain"])
            found = decisions(path)
            self.assertEqual([entry[0] for entry in found if entry[0] != "path ends"],
                             ["warm up", "record", "replay", "mismatch", "record", "mismatch", "mismatch", "skip"])
            self.assertEqual({entry[1] for entry in found if entry[0] != "path ends"}, {7})
            self.assertEqual([entry[2] for entry in found if entry[0] in ("record", "replay")], [0, 0, 1])
            self.assertTrue(all(entry[3] == "3/0" for entry in found if entry[0] in ("record", "replay", "skip")))
            reasons = [entry[4] for entry in found if entry[0] == "mismatch"]
            self.assertEqual(set(reasons), {"CudagraphManagedIdxMismatch: an input moved"})
            self.assertIn("exceeding max", found[-1][4])
            self.assertEqual(recording.documents(path, "!"), [])
        self.assertFalse(hasattr(owner._run, "__wrapped__"))

    def test_the_module_is_waited_for(self):
        import subprocess

        program = ("import sys, torch._dynamo, dynascope_capture as c\n"
                   "c.start(sys.argv[1])\n"
                   "assert 'torch._inductor.cudagraph_trees' not in sys.modules\n"
                   "from torch._inductor import cudagraph_trees as t\n"
                   "assert hasattr(t.CUDAGraphTreeManager._run, '__wrapped__')\n"
                   "c.stop()\n"
                   "assert not hasattr(t.CUDAGraphTreeManager._run, '__wrapped__')\n")
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True,
                                 env={**os.environ,
                                      "PYTHONWARNINGS": "ignore", "TORCH_LOGS": "-all",  # PyTorch's own, such as that of a missing NumPy
                                      "PYTHONPATH": os.pathsep.join(
                                     [os.path.join(HERE, "..", "..", "plugins", "capture"), os.environ.get("PYTHONPATH", "")])})
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
