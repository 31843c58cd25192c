# SPDX-License-Identifier: BSD-3-Clause
"""The recorder of Inductor's passes against PyTorch's own trace, and that it changes nothing."""

import collections
import gc
import glob
import logging
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(HERE, "..", "..", "plugins", "capture")
sys.path[:0] = [HERE, PLUGIN]
PROGRAM = os.path.join(HERE, "..", "data", "passes", "block.py")

_FOLDER = tempfile.TemporaryDirectory()
os.environ["TORCH_TRACE"] = os.path.join(_FOLDER.name, "trace")
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"

import check_captures
import dynascope_capture
import pass_recording
import torch
import torch._dynamo
import torch._inductor.config as inductor_config
from torch._inductor import scheduler

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))


def can_run_inductor():
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    return os.path.exists(header) and bool(shutil.which("c++") or shutil.which("g++"))


def trace():
    """What the trace holds by now."""
    out = []
    for path in glob.glob(os.path.join(os.environ["TORCH_TRACE"], "*.log")):
        out += check_captures.records(path)
    return out


def fresh_cache():
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(dir=_FOLDER.name)


class Refusals(logging.Handler):
    """What TORCH_LOGS=fusion says of pairs that are not fused, counted."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.counts = collections.Counter()

    def emit(self, record):
        text = record.getMessage()
        if text.startswith("cannot fuse "):
            self.counts[text] += 1

    def __enter__(self):
        log = scheduler.fusion_log
        self.before = log.level, log.propagate
        log.setLevel(logging.DEBUG)
        log.propagate = False
        log.addHandler(self)
        return self

    def __exit__(self, *error):
        log = scheduler.fusion_log
        log.removeHandler(self)
        log.setLevel(self.before[0])
        log.propagate = self.before[1]


def compile_block(path=None):
    """Runs the program; gives back the trace's records of it and the result."""
    torch._dynamo.reset()
    fresh_cache()
    before = len(trace())
    if path is None:
        result = runpy.run_path(PROGRAM)
    else:
        with dynascope_capture.record(path, passes=True):
            result = runpy.run_path(PROGRAM)
    return trace()[before:], result


def codes(records):
    """Generated code, without the names of the folders that it lies in and of what it is hashed into."""
    found = [payload for metadata, payload in records if "inductor_output_code" in metadata]
    return [re.sub(r"# AOT ID: .*|/tmp/\S+", "", text) for text in found]


@unittest.skipUnless(can_run_inductor(), "Inductor needs a C++ compiler and Python's headers")
class BlockTest(unittest.TestCase):
    """One program, recorded once: attention and an MLP, trained a step and then run without gradients."""

    @classmethod
    def setUpClass(cls):
        cls.path = os.path.join(_FOLDER.name, "block.dsteps")
        cls.alone, cls.result = compile_block()
        with Refusals() as cls.logged:
            cls.trace, cls.recorded_result = compile_block(cls.path)
        cls.recording = pass_recording.Recording(cls.path.replace(".dsteps", ".dpasses"))

    def test_nothing_that_is_compiled_changes(self):
        self.assertEqual(codes(self.alone), codes(self.trace))
        self.assertEqual(len(codes(self.trace)), 3)
        for name, value in self.result["block"].named_parameters():
            self.assertTrue(torch.equal(value.grad, self.recorded_result["block"].get_parameter(name).grad), name)
        guards = [[leaf for metadata, payload in records if "dynamo_cpp_guards_str" in metadata
                   for leaf in check_captures.guard_leaves(payload)] for records in (self.alone, self.trace)]
        self.assertEqual(*guards)

    def test_it_fails_at_nothing(self):
        self.assertEqual(self.recording.of("fault"), [])
        self.assertFalse(os.path.exists(self.recording_path() + ".tail"))

    def recording_path(self):
        return self.path.replace(".dsteps", ".dpasses")

    def test_states_are_those_of_the_trace(self):
        good, total, lost = pass_recording.compare_with_trace([self.recording], pass_recording.stages_of(self.trace))
        self.assertEqual([name for name, _ in lost], [])
        self.assertGreaterEqual(total, 14 if VERSION >= (2, 9) else 6)

    def test_the_chain_of_states_is_whole(self):
        states = self.recording.of("state")
        last = {}
        for state in states:
            nodes = self.recording.nodes(state["id"])
            self.assertEqual(len(nodes), state["count"])
            text = self.recording.text(state["id"])
            for name in nodes.values():
                if name != "output":
                    self.assertIn(name, text)
            last[state["module"]] = state["id"]
        for entry in self.recording.passes():
            self.assertEqual(entry["changed"], entry["before"] != entry["after"])
        for end in self.recording.of("graph_end"):
            self.assertLessEqual(end["own_us"], end["time_us"])

    def test_no_phase_is_shorter_than_its_passes(self):
        inner = collections.Counter()
        count = collections.Counter()
        for entry in self.recording.passes():
            if not entry["parent"]:
                inner[entry["graph"]] += entry["time_us"]
                count[entry["graph"]] += 1
        self.assertTrue(any(inner.values()))
        for end in self.recording.of("graph_end"):
            rounded = count[end["graph"]] + 1  # each to a microsecond
            self.assertLessEqual(inner[end["graph"]], end["time_us"] - end["own_us"] + rounded)

    def test_phases(self):
        graphs = {graph["id"]: graph for graph in self.recording.of("graph")}
        kinds = [(graph["phase"], graph["graph"]) for graph in graphs.values()]
        for wanted in (("dynamo", "dynamo"), ("pre_grad", "dynamo"), ("aot", "joint"), ("joint", "joint"), ("partition", "joint"), ("inductor", "forward"),
                       ("post_grad", "forward"), ("inductor", "backward"), ("post_grad", "backward"), ("aot", "inference"),
                       ("joint", "inference"), ("inductor", "inference"), ("post_grad", "inference")):
            self.assertIn(wanted, kinds)
        for graph in graphs.values():
            if graph["phase"] == "post_grad":
                self.assertEqual(graphs[graph["parent"]]["phase"], "inductor")
        self.assertEqual([compile_["compile_id"] for compile_ in self.recording.of("compile")], ["0/0", "0/1"])
        self.assertEqual(len(self.recording.of("graph_end")), len(graphs))

    def test_passes(self):
        passes = self.recording.passes()
        changed = {entry["name"] for entry in passes if entry["changed"]}
        self.assertLess({"remove_noop_ops", "constant_fold_uniform_value", "pass_pattern_0", "view_to_reshape"}, changed)
        self.assertIn("skipped", next(entry for entry in passes if entry["name"] == "post_grad_custom_post_pass"))
        noop = next(entry for entry in passes if entry["name"] == "remove_noop_ops" and entry["changed"])
        self.assertTrue(noop["file"].endswith("post_grad.py"))
        self.assertEqual({name for _, name in noop["erased"]}, {old[1] for old, _, _ in noop["replaced"]})
        nested = [entry for entry in passes if entry["parent"]]
        self.assertIn("pattern_matcher", {entry["name"] for entry in nested})

    def test_matches(self):
        patterns = {pattern["id"]: pattern for pattern in self.recording.of("pattern")}
        matches = [match for match in self.recording.of("match") if patterns[match["pattern"]]["name"].startswith("_sfdp_pattern")]
        applied = [match for match in matches if "refused" not in match]
        self.assertEqual(len(applied), 2)  # joint and inference
        for match in applied:
            self.assertTrue(any("scaled_dot_product" in name for _, name in match["added"]))
            self.assertIn("query", match["keywords"])
            pattern = patterns[match["pattern"]]
            self.assertTrue(pattern["search"][1].endswith("fuse_attention.py"))
        # A long one has a line for each of its nodes, in the order in which they fit.
        lines = [line for match in applied for line in patterns[match["pattern"]]["expression"].splitlines() if " = CallFunction(" in line]
        self.assertEqual(len(lines), max(len(match["nodes"]) for match in applied))
        refused = [match for match in self.recording.of("match") if match.get("refused") == "check"]
        self.assertIn("should_pad_mm", {patterns[match["pattern"]]["check"][0] for match in refused})
        counted = {}
        for match in self.recording.of("match"):
            if "refused" not in match:
                counted[match["pass"]] = counted.get(match["pass"], 0) + 1
        self.assertEqual(counted, {entry["index"]: entry["matched"] for entry in self.recording.passes() if "matched" in entry})

    def test_decompositions(self):
        found = {row[0]: row for record in self.recording.of("decompositions") for row in record["operators"]}
        self.assertIn("aten.native_layer_norm.default", found)
        self.assertIn("aten.rsqrt.default", found["aten.native_layer_norm.default"][2])


    def test_refusals_are_those_that_are_logged(self):
        self.assertEqual(self.recording.refusals(), self.logged.counts)
        self.assertGreater(sum(self.logged.counts.values()), 20)

    def test_schedules(self):
        ends = {record["schedule"]: record for record in self.recording.of("schedule") if record["what"] == "end"}
        self.assertEqual(len(ends), 3)
        nodes = {(node["schedule"], node["id"]): node for node in self.recording.of("nodes")}
        for schedule, end in ends.items():
            start = next(record for record in self.recording.of("schedule")
                         if record["schedule"] == schedule and record["what"] == "fusion begins")["order"]
            # Fusions in order lead from the first nodes to the last.
            now = set(start)
            for fusion in self.recording.of("fused"):
                if fusion["schedule"] == schedule:
                    now = now - {fusion["a"], fusion["b"]} | {fusion["result"]}
            self.assertEqual(now, set(end["order"]))
            members = [member for node in end["order"] for member in nodes[schedule, node].get("members", [node])]
            self.assertEqual(sorted(members), sorted(start))
            for number in start:
                self.assertIn("origins", nodes[schedule, number])

    def test_orders_that_were_weighed(self):
        weighed = {record["schedule"]: record for record in self.recording.of("schedule") if record["what"] == "orders"}
        if VERSION < (2, 9) and not weighed:
            self.skipTest("this version weighs no orders")
        self.assertEqual(len(weighed), 3)
        for schedule, record in weighed.items():
            rows = record["orders"]
            self.assertEqual([row["method"] for row in rows],
                             ["baseline", "topological_sort_lpmf", "topological_sort_bfs", "topological_sort_dfs"])
            for row in rows:
                self.assertEqual(sorted(row["order"]), sorted(rows[0]["order"]))
                self.assertEqual((max(row["live"]), len(row["live"])), (row["peak"], len(row["order"])))
            self.assertEqual(rows[record["taken"]]["peak"], min(row["peak"] for row in rows))
            last = next(end for end in self.recording.of("schedule") if end["schedule"] == schedule and end["what"] == "end")
            self.assertEqual(rows[record["taken"]]["order"], last["order"])

    def test_every_kernel_has_its_nodes(self):
        kernels = {kernel["name"]: kernel for kernel in self.recording.of("kernel")}
        generated = "\n".join(codes(self.trace))
        names = set(re.findall(r"^(cpp_fused\w*|triton_\w+) = async_compile", generated, re.M))
        self.assertEqual(names, set(kernels))
        origins = {(node["schedule"], node["id"]): node.get("origins") for node in self.recording.of("nodes")}
        for kernel in kernels.values():
            self.assertTrue(kernel["operations"] and kernel["nodes"])
            self.assertTrue(any(origins.get((kernel["schedule"], node)) for node in kernel["nodes"]))
        called = {line[1] for record in self.recording.of("lines") for line in record["lines"] if line[0] == "call"}
        self.assertEqual(called, names)

    def test_lowering(self):
        lowered = {row["node"][1]: row for row in self.recording.of("lowered")}
        flash = next(row for name, row in lowered.items() if "scaled_dot_product" in name)
        self.assertIn("fallback", flash)
        last = self.recording.of("stage")[-1]
        self.assertEqual(last["stage"], "inductor_post_grad_graph")
        for name in self.recording.nodes(last["state"]).values():
            if not re.match(r"(primals|tangents|arg\d+|output)", name):
                self.assertIn(name, lowered)
        self.assertTrue(all(row["why"] for row in self.recording.of("realized")))


class SmallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "small.dpasses")
        torch._dynamo.reset()
        fresh_cache()

    def record(self, function, *arguments):
        with dynascope_capture.record(self.path.replace(".dpasses", ".dsteps"), passes=True):
            torch.compile(function)(*arguments)
        return pass_recording.Recording(self.path)

    @unittest.skipUnless(can_run_inductor(), "Inductor needs a C++ compiler and Python's headers")
    def test_custom_and_disabled_passes(self):
        from torch._inductor.custom_graph_pass import CustomGraphPass

        class Twice(CustomGraphPass):
            def __call__(self, graph):
                for node in graph.nodes:
                    if node.target is torch.ops.aten.sin.default:
                        node.target = torch.ops.aten.cos.default

            def uuid(self):
                return b"twice"

        with inductor_config.patch(post_grad_custom_post_pass=Twice()):
            found = self.record(lambda x: x.sin() + 1, torch.ones(4))
        made = next(entry for entry in found.passes() if entry["name"] == "post_grad_custom_post_pass")
        self.assertTrue(made["changed"])
        self.assertEqual(made["function"], "SmallTest.test_custom_and_disabled_passes.<locals>.Twice")
        self.assertEqual(len(made["updated"]), 1)
        self.assertIn("aten.cos.default", found.text(made["after"]))
        self.assertEqual(found.of("fault"), [])
        options = found.of("options")[0]
        self.assertIn("post_grad_custom_post_pass", options["inductor"])

    @unittest.skipUnless(can_run_inductor(), "Inductor needs a C++ compiler and Python's headers")
    def test_what_dynamo_does_to_its_graph(self):
        def function(x, w):
            with torch.no_grad():
                pass
            return (x @ w).relu() + x.shape[0]

        found = self.record(torch._dynamo.config.patch(assume_static_by_default=False)(function), torch.ones(4, 8), torch.ones(8, 8))
        (graph,) = [graph["id"] for graph in found.of("graph") if graph["phase"] == "dynamo"]
        passes = {entry["name"]: entry for entry in found.passes() if entry["graph"] == graph}
        self.assertEqual({name for _, name in passes["cleanup_graph"]["erased"]}, {"_set_grad_enabled", "_set_grad_enabled_1"})
        self.assertTrue(passes["remove_unused_graphargs"]["file"].endswith("output_graph.py"))
        stage = next(stage for stage in found.of("stage") if stage["stage"] == "dynamo_output_graph")
        traced = [text for name, text in pass_recording.stages_of(trace()) if name == "dynamo_output_graph"]
        self.assertIn(found.stage_text(stage).rstrip("\n"), traced)
        # The next phase has the same nodes.
        first = next(stage for stage in found.of("stage") if stage["stage"] == "before_pre_grad_graph")
        self.assertEqual(found.nodes(stage["state"]), found.nodes(first["state"]))
        self.assertEqual(found.of("fault"), [])

    def test_without_inductor_there_is_no_file(self):
        program = os.path.join(self.folder, "program.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent("""
                import sys, torch
                torch.compile(lambda x: x.sin() + 1, backend="eager")(torch.ones(3))
                assert "torch._inductor.compile_fx" not in sys.modules
                if len(sys.argv) > 1:
                    torch.compile(lambda x: x.cos() + 1)(torch.ones(3))
            """))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((PLUGIN, os.path.join(PLUGIN, "startup"))),
                       "DYNASCOPE_CAPTURE": self.folder, "DYNASCOPE_PASSES": "1"}
        subprocess.run([sys.executable, program], env=environment, check=True, capture_output=True)
        self.assertEqual(glob.glob(os.path.join(self.folder, "*.dpasses")), [])
        if can_run_inductor():
            subprocess.run([sys.executable, program, "more"], env=environment, check=True, capture_output=True)
            (found,) = pass_recording.folder(self.folder)
            self.assertEqual([graph["phase"] for graph in found.of("graph")][:2], ["dynamo", "pre_grad"])
            self.assertEqual([compile_["compile_id"] for compile_ in found.of("compile")], ["1/0"])
            self.assertEqual(found.of("state")[0]["id"], 1)

    @unittest.skipUnless(can_run_inductor(), "Inductor needs a C++ compiler and Python's headers")
    def test_a_cached_graph_has_no_passes(self):
        def function(x):
            return x.sin() + 2

        self.assertIn("post_grad", [graph["phase"] for graph in self.record(function, torch.ones(4)).of("graph")])
        torch._dynamo.reset()
        os.unlink(self.path)
        with dynascope_capture.record(self.path.replace(".dpasses", ".dsteps"), passes=True):
            torch.compile(function)(torch.ones(4))
        if os.path.exists(self.path):  # AOTAutograd's cache comes before all passes
            found = pass_recording.Recording(self.path)
            self.assertNotIn("post_grad", [graph["phase"] for graph in found.of("graph")])
            self.assertEqual(found.of("fault"), [])

    @unittest.skipUnless(can_run_inductor() and VERSION >= (2, 9), "older versions keep graphs themselves")
    def test_no_graph_is_kept(self):
        def nodes():
            gc.collect()
            return sum(isinstance(found, torch.fx.Node) for found in gc.get_objects())

        def function(x):
            return (x.sin() @ x).softmax(-1).sum()

        def compile_it():
            torch._dynamo.reset()
            fresh_cache()
            torch.compile(function)(torch.ones(4, 4, requires_grad=True)).backward()

        compile_it()  # keeps what PyTorch keeps once a process
        compile_it()
        torch._dynamo.reset()
        before = nodes()
        with dynascope_capture.record(self.path.replace(".dpasses", ".dsteps"), passes=True):
            compile_it()
            recorder = dynascope_capture._passes[0]
            torch._dynamo.reset()
            self.assertLessEqual(nodes(), before)
            self.assertEqual(len(recorder.numbers), sum(entry[0]() is not None for entry in recorder.numbers._known.values()))

    @unittest.skipUnless(can_run_inductor() and hasattr(os, "fork"), "Inductor needs a C++ compiler and Python's headers")
    def test_a_child_writes_its_own_file(self):
        def function(x):
            return x.cos() + 3

        with dynascope_capture.record(self.folder, passes=True):
            torch.compile(function)(torch.ones(5))
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    torch._dynamo.reset()
                    fresh_cache()
                    torch.compile(function)(torch.ones(6, 2))
                    dynascope_capture.stop()
                    status = 0
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        found = {recording.of("header")[0]["pid"]: recording for recording in pass_recording.folder(self.folder)}
        self.assertEqual(set(found), {os.getpid(), child})
        for recording in found.values():
            self.assertIn("inductor_post_grad_graph", [stage["stage"] for stage in recording.of("stage")])
            self.assertEqual(recording.of("fault"), [])
            self.assertEqual(recording.of("state")[0]["base"], 0)
            recording.refusals()

    def test_everything_is_put_back(self):
        from torch._inductor import compile_fx, pattern_matcher
        from torch.fx import Graph, Node
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver

        from torch._dynamo.output_graph import OutputGraph

        places = [(GraphTransformObserver, "__enter__"), (OutputGraph, "cleanup_graph"), (pattern_matcher.PatternMatcherPass, "apply"), (Node, "__init__"),
                  (Graph, "erase_node"), (compile_fx, "_recursive_post_grad_passes")]
        before = [getattr(owner, name) for owner, name in places]
        with dynascope_capture.record(self.path.replace(".dpasses", ".dsteps"), passes=True):
            self.assertNotEqual(before, [getattr(owner, name) for owner, name in places])
        self.assertEqual(before, [getattr(owner, name) for owner, name in places])

    def test_a_killed_program_leaves_what_ran(self):
        program = os.path.join(self.folder, "program.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent("""
                import os, signal, sys, torch
                import torch._inductor.config as config
                from torch._inductor.custom_graph_pass import CustomGraphPass
                class Kill(CustomGraphPass):
                    def __call__(self, graph):
                        os.kill(os.getpid(), signal.SIGKILL)
                    def uuid(self):
                        return None
                config.post_grad_custom_pre_pass = Kill()
                torch.compile(lambda x: x.sin() + 1)(torch.ones(3))
            """))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((PLUGIN, os.path.join(PLUGIN, "startup"))),
                       "DYNASCOPE_CAPTURE": self.folder, "DYNASCOPE_PASSES": "1"}
        ran = subprocess.run([sys.executable, program], env=environment, capture_output=True)
        self.assertEqual(ran.returncode, -signal.SIGKILL, ran.stderr)
        (path,) = glob.glob(os.path.join(self.folder, "*.dpasses"))
        found = pass_recording.Recording(path)
        last = found.passes()[-1]
        self.assertEqual(last["name"], "post_grad_custom_pre_pass")
        self.assertNotIn("after", last)


if __name__ == "__main__":
    unittest.main()
