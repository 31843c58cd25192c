# SPDX-License-Identifier: BSD-3-Clause
"""The recorder against PyTorch itself: what it writes, and that it changes nothing."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(HERE, "..", "..", "plugins", "capture")
sys.path[:0] = [HERE, PLUGIN]

import dynascope_capture
import recording
import torch
import torch._dynamo
from dynascope_capture.stream import Stream
from observing import observe


def oracle_programs():
    """The programs of the oracle's kind dynamo_program."""
    with tarfile.open(os.path.join(HERE, "..", "oracle", "oracle.tar.xz")) as archive:
        for member in archive:
            if member.name.startswith("dynamo/") and member.name.endswith(".json"):
                yield json.load(archive.extractfile(member))


def python(folder, source, *arguments, environment=None):
    """Starts the program in a Python of its own."""
    path = os.path.join(folder, "program.py")
    with open(path, "w") as file:
        file.write(textwrap.dedent(source))
    return subprocess.Popen(
        [sys.executable, path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": PLUGIN, **(environment or {})},
    )


class RecorderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_nothing_that_is_compiled_changes(self):
        programs = 0
        for case in oracle_programs():
            with self.subTest(case["name"]):
                path = self.path(case["name"] + ".dsteps")
                alone = observe(case, self.folder)
                recorded = observe(case, self.folder, path)
                if alone != recorded:  # PyTorch does some things once a process: up to 2.10 guards of torch.cond are among them
                    alone = observe(case, self.folder)
                self.assertEqual(vars(alone), vars(recorded))
                self.assertEqual(recording.documents(path, "!"), [])
                self.assertEqual(len(recording.documents(path, "E")), len(recording.documents(path, "C")))
                programs += 1
        self.assertEqual(programs, 41)

    def test_every_instruction_is_there(self):
        if sys.version_info[:2] != (3, 11):
            self.skipTest("the logs are of Python 3.11")
        # PyTorch's own bytecode log leaves out an instruction at which a failed speculation is honoured.
        for case in oracle_programs():
            # In gb17 PyTorch compiled a function under disable(recursive=False), which 2.13 by itself does not do.
            if case["step_log"]["truncated"] or case["name"].startswith("gb17") or not torch.__version__.startswith(case["torch"]):
                continue
            with self.subTest(case["name"]):
                path = self.path(case["name"] + ".dsteps")
                observe(case, self.folder, path)
                logged = [line.split()[1] for line in case["step_log"]["lines"] if re.match(r"\d+/\d+#\d+ ", line)]
                steps = [op for _, op in recording.instructions(path)]
                if logged != steps:
                    breaks = sum("step_unsupported" in end["reason"] for end in recording.documents(path, "G"))
                    self.assertEqual(len(steps) - len(logged), breaks)

    def test_a_killed_program_leaves_every_step(self):
        path = self.path("killed.dsteps")
        program = python(self.folder, """
            import os, signal, sys, torch, dynascope_capture
            def backend(gm, inputs):
                os.kill(os.getpid(), signal.SIGKILL)
            def f(x):
                for i in range(40):
                    x = torch.sin(x) + i
                return x
            dynascope_capture.start(sys.argv[1])
            torch.compile(f, backend=backend)(torch.ones(3))
        """, path)
        program.communicate()
        self.assertEqual(program.returncode, -signal.SIGKILL)
        self.assertEqual(recording.instructions(path)[-1], ("f", "RETURN_VALUE"))
        self.assertEqual(recording.count(path, "n"), 82)  # the output among them

    def test_it_can_be_read_while_it_grows(self):
        path = self.path("grows.dsteps")
        seen = []

        def backend(gm, inputs):
            seen.append(recording.count(path, "i"))
            return gm.forward

        def f(x):
            x = x.sin()
            torch._dynamo.graph_break()
            return x.cos()

        torch._dynamo.reset()
        with dynascope_capture.record(path):
            torch.compile(f, backend=backend)(torch.ones(3))
        self.assertEqual(len(seen), 2)
        self.assertLess(0, seen[0])
        self.assertLess(seen[0], seen[1])
        self.assertLess(seen[1], recording.count(path, "i") + 1)
        self.assertFalse(os.path.exists(path + ".tail"))

    def test_its_files_are_the_owners_alone(self):
        path = self.path("private.dsteps")
        with open(path, "w") as file:
            file.write("an older recording")
        os.chmod(path, 0o644)
        with os.fdopen(os.open(path, os.O_RDONLY)) as older:
            stream = Stream(path)
            self.assertFalse(stream.lost)
            for name in (path, path + ".tail"):
                self.assertEqual(os.stat(name).st_mode & 0o777, 0o600)
            stream.close()
            self.assertEqual(older.read(), "an older recording")

    def test_a_planted_link_is_an_error_of_the_recording_alone(self):
        for name in ("planted.dsteps", "planted.dsteps.tail"):
            for replaces in (True, False):
                target = self.path("target of " + name)
                with open(target, "w") as file:
                    file.write("precious")
                path = self.path("planted.dsteps")
                os.symlink(target, self.path(name))
                said = io.StringIO()
                with contextlib.redirect_stderr(said):
                    stream = Stream(path, replaces)
                    stream.record(ord("H"), b"{}")
                    stream.flush()
                    stream.close()
                self.assertTrue(stream.lost)
                self.assertIn("the program goes on", said.getvalue())
                with open(target) as file:
                    self.assertEqual(file.read(), "precious")
                for left in (path, path + ".tail"):
                    if os.path.lexists(left):
                        os.unlink(left)

    def test_a_step_takes_at_most_forty_bytes(self):
        layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
        model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).train()
        path = self.path("model.dsteps")
        torch._dynamo.reset()
        with dynascope_capture.record(path):
            torch.compile(model, backend="eager")(torch.randn(2, 4, 16))
        steps = recording.count(path, "i")
        self.assertLess(1000, steps)
        self.assertLess(os.path.getsize(path) / steps, 40)

    def test_iterators_generators_slices_and_operators(self):
        import torch.utils.checkpoint

        seen = []

        def numbers(n):
            for i in range(n):
                yield i

        def noted(x):
            seen.append(1)
            return x.sin()

        def f(x, parts):
            for part in parts:
                x = x + part
            for i in numbers(2):
                x = x + i
            return x[: x.shape[0] // 2]

        def g(x):
            return torch.utils.checkpoint.checkpoint(noted, x, use_reentrant=False) * 2

        path = self.path("shown.dsteps")
        torch._dynamo.reset()
        with dynascope_capture.record(path):
            torch.compile(f, backend="eager", dynamic=True)(torch.ones(6), [torch.ones(6), torch.ones(6)])
            torch.compile(g, backend="eager")(torch.ones(2))
        values = recording.values(path)
        indices = [row["index"] for kind, row in values if kind == "ListIteratorVariable"]
        self.assertEqual((min(indices), max(indices)), (0, 2))
        self.assertIn("numbers", [row.get("name") for kind, row in values if kind == "LocalGeneratorObjectVariable"])
        nodes = [payload.decode("latin-1") for tag, payload in recording.records(path) if tag == "n"]
        self.assertTrue(any(re.search("slice\\(None, \x01\\d+\x03, None\\)", node) for node in nodes))
        if hasattr(torch._dynamo.exc, "augment_exc_message_with_hop_name"):
            reasons = [document["reason"] for document in recording.documents(path, "B")]
            self.assertTrue(any("Higher Order Operator: torch.utils.checkpoint.checkpoint" in reason for reason in reasons))

    def test_breaks_recompiles_and_comptime_are_there(self):
        from torch._dynamo.comptime import comptime

        def f(x, n):
            x = x * n
            comptime.print_locals()
            torch._dynamo.graph_break()
            return x + 1

        path = self.path("events.dsteps")
        torch._dynamo.reset()
        with dynascope_capture.record(path), contextlib.redirect_stdout(io.StringIO()) as printed:
            compiled = torch.compile(f, backend="eager")
            compiled(torch.ones(2), 3)
            compiled(torch.ones(2), 4)
        breaks = recording.documents(path, "B")
        self.assertIn("graph_break", breaks[0]["reason"])
        ends = recording.documents(path, "G")
        self.assertEqual([end["graph_break"] for end in ends][:2], [True, False])
        reasons = [reason for record in recording.documents(path, "R") for reason in record["reasons"]]
        self.assertTrue(any(re.search(r"\bn\b.* == 3", reason) for reason in reasons), reasons)
        calls = recording.documents(path, "P")
        self.assertIn("print_locals", [call["call"] for call in calls])
        self.assertEqual("".join(call["output"] for call in calls), printed.getvalue())
        self.assertEqual(recording.documents(path, "!"), [])

    def test_symbols_are_there(self):
        def f(x, n):
            if x.shape[0] > 3:
                return x * n
            return x + n

        path = self.path("symbols.dsteps")
        torch._dynamo.reset()
        with dynascope_capture.record(path):
            torch.compile(f, backend="eager", dynamic=True)(torch.ones(5, 6), 7)
        symbols = recording.texts(path, "y")
        of = {source: (name, hint) for name, hint, _, source in symbols}
        self.assertEqual({hint for _, hint in of.values()}, {"5", "6", "7"}, symbols)
        name, hint = of["L['x'].size()[0]"]
        self.assertEqual(hint, "5")
        self.assertIn(["guard", f"{name} > 3"], recording.texts(path, "F"))

    def test_a_forked_child_has_a_file_of_its_own(self):
        program = python(self.folder, """
            import os, sys, torch, dynascope_capture
            dynascope_capture.start(sys.argv[1])
            f = torch.compile(lambda x: x + 1, backend="eager")
            f(torch.ones(2))
            child = os.fork()
            if child == 0:
                f(torch.ones(2, 3))
                dynascope_capture.stop()
                os._exit(0)
            os.waitpid(child, 0)
        """, self.path("runs"))
        _, errors = program.communicate()
        self.assertEqual(program.returncode, 0, errors)
        files = sorted(os.listdir(self.path("runs")))
        self.assertEqual(len(files), 2, files)
        for name in files:
            self.assertEqual(len(recording.documents(os.path.join(self.path("runs"), name), "A")), 1)

    def test_the_environment_is_enough(self):
        program = python(self.folder, """
            import torch
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        """, environment={
            "PYTHONPATH": os.path.join(PLUGIN, "startup") + os.pathsep + PLUGIN,
            "DYNASCOPE_CAPTURE": self.path("env"),
            "PYTHONWARNINGS": "ignore", "TORCH_LOGS": "-all",  # PyTorch's own, such as that of a missing NumPy
            "RANK": "3",
        })
        _, errors = program.communicate()
        self.assertEqual((program.returncode, errors), (0, ""))
        (name,) = os.listdir(self.path("env"))
        self.assertRegex(name, r"^dynamo_steps_rank_3_\d+_[0-9a-f]{8}\.dsteps$")
        (header,) = recording.documents(os.path.join(self.path("env"), name), "H")
        self.assertEqual((header["format"], header["rank"]), (1, 3))

    def test_settings_for_one_run(self):
        program = python(self.folder, """
            import logging
            import torch

            @torch.compile(backend="eager")
            def f(x):
                print("inside")
                return x * x.sum().item()

            f(torch.ones(2))
            config = torch._dynamo.config
            print(config.capture_scalar_outputs, print in config.reorderable_logging_functions,
                  logging.Logger.info in config.reorderable_logging_functions, config.recompile_limit)
        """, environment={
            "PYTHONPATH": os.path.join(PLUGIN, "startup") + os.pathsep + PLUGIN,
            "DYNASCOPE_CAPTURE": self.path("env"),
            "DYNASCOPE_SETTINGS": "capture_scalar_outputs=True; reorderable_logging_functions+=print;"
                                  "reorderable_logging_functions += logging.Logger.info; recompile_limit=3; no_such=1;"
                                  "reorderable_logging_functions+=os.system; cache_size_limit=__import__('os')",
            "PYTHONWARNINGS": "ignore", "TORCH_LOGS": "-all",
        })
        output, errors = program.communicate()
        self.assertEqual(program.returncode, 0, errors)
        self.assertEqual(output.split("\n")[-2], "True True True 3")
        # One that cannot be made is said, and nothing of it is run.
        self.assertEqual([line.split(": ")[1:3] for line in errors.strip().split("\n")],
                         [["no_such=1", "AttributeError"],
                          ["reorderable_logging_functions+=os.system", "AttributeError"],
                          ["cache_size_limit=__import__('os')", "ValueError"]])
        (name,) = os.listdir(self.path("env"))
        ends = recording.documents(os.path.join(self.path("env"), name), "A")
        self.assertEqual(len(ends), 1)  # neither breaks the graph: one compile, one attempt

    def test_a_fault_of_the_recorder_stays_inside(self):
        from dynascope_capture import attempt

        flush = attempt.Attempt.flush

        def broken(self, thorough=False):
            raise ValueError("on purpose")

        path = self.path("fault.dsteps")
        torch._dynamo.reset()
        attempt.Attempt.flush = broken
        try:
            with dynascope_capture.record(path):
                result = torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        finally:
            attempt.Attempt.flush = flush
        self.assertEqual(result.tolist(), [2, 2])
        self.assertEqual(recording.documents(path, "!")[0]["text"], "on purpose")

    def test_a_program_goes_on_without_its_recording(self):
        source = """
            import os, resource, sys, torch, dynascope_capture
            def f(x):
                for i in range(40):
                    x = torch.sin(x) + i
                return x
            kind, path = sys.argv[1:]
            if kind == "limit":  # already the tail does not fit
                resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
            dynascope_capture.start(path)
            compiled = torch.compile(f, backend="eager")
            compiled(torch.ones(2))
            if kind == "closed":
                os.closerange(3, 4096)
                mine = [os.open(os.path.join(os.path.dirname(path), "mine"), os.O_RDWR | os.O_CREAT) for _ in range(40)]
            print(compiled(torch.ones(2, 3)).shape, len(os.listdir("/proc/self/fd")) < 100)
            dynascope_capture.stop()
            if kind == "closed":
                print([os.fstat(descriptor).st_size for descriptor in mine] == [0] * len(mine))
        """
        for kind, path, printed in (("limit", self.path("runs"), "torch.Size([2, 3]) True\n"),
                                    ("closed", self.path("closed.dsteps"), "torch.Size([2, 3]) True\nTrue\n"),
                                    ("folder", os.path.join(__file__, "runs"), "torch.Size([2, 3]) True\n")):
            with self.subTest(kind):
                program = python(self.folder, source, kind, path, environment={"PYTHONWARNINGS": "ignore", "TORCH_LOGS": "-all"})
                output, errors = program.communicate()
                self.assertEqual((program.returncode, output), (0, printed), errors)
                self.assertRegex(errors, r"^dynascope_capture: the recording ends here, the program goes on: .*\n$")
        self.assertEqual(len(recording.documents(self.path("closed.dsteps"), "A")), 2)  # in its tail
        self.assertEqual([name for name in os.listdir(self.path("runs")) if name.endswith(".tail")], [])

    def test_stopping_puts_everything_back(self):
        from torch._dynamo.symbolic_convert import InstructionTranslatorBase

        def replaced():
            return InstructionTranslatorBase.step, torch._guards.GuardsSet.add

        before = replaced()
        with dynascope_capture.record(self.folder):
            self.assertIsNot(InstructionTranslatorBase.step, before[0])
            with self.assertRaises(RuntimeError):
                dynascope_capture.start(self.folder)
            self.assertIsNot(torch._guards.GuardsSet.add, before[-1])
        self.assertEqual(before, replaced())
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".dsteps")], [])


if __name__ == "__main__":
    unittest.main()
