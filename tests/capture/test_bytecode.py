# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that an instruction lies in, and the bytecode that Dynamo generates, against PyTorch itself."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "plugins", "capture")]

import dynascope_capture
import recording
import torch
import torch._dynamo


def inner(x):
    with torch.enable_grad():
        return x.exp()


def blocks(x, items):
    with torch.no_grad():
        for i in range(2):
            x = x + i
        try:
            x = inner(x)
        except ValueError:
            x = x + 3
        print("", end="")
        items.append(x)
        x = x.cos()
    return x


class Holder:
    pass


def changes(x, items):
    made = Holder()
    made.value = x + 1
    items.append(made)
    torch._dynamo.graph_break()
    return x.sin()


class BytecodeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "bytecode.dsteps")

    def record(self, function, *arguments):
        torch._dynamo.reset()
        with dynascope_capture.record(self.path):
            torch.compile(function, backend="eager")(*arguments)
        self.assertEqual(recording.documents(self.path, "!"), [])

    def steps(self, *options):
        cli = os.environ.get("DYNASCOPE_CLI")
        if cli is None:
            self.skipTest("needs dynascope-cli")
        out = subprocess.run([cli, "steps", self.path, *options, "--json"], capture_output=True, text=True, check=True)
        return json.loads(out.stdout)

    def blocks_where(self, function, op, argument):
        step = next(s for s in self.steps("--list", "--count", "100000")
                    if (s["function"], s["op"], s["argument"]) == (function, op, argument))
        return self.steps("--at", str(step["step"]))["blocks"]

    def test_blocks(self):
        self.record(blocks, torch.ones(2), [])
        loop = self.blocks_where("blocks", "LOAD_FAST", "i")
        self.assertEqual([block["kind"] for block in loop], ["with", "loop"])
        self.assertTrue(loop[0]["tracked"] and loop[0]["restorable"])
        self.assertEqual(loop[0]["context"]["kind"], "GradModeVariable")
        self.assertEqual(loop[0]["context"]["value"], "False")
        attempted = self.blocks_where("blocks", "LOAD_GLOBAL", "inner")
        self.assertEqual([block["kind"] for block in attempted], ["with", "try"])
        within = self.blocks_where("inner", "LOAD_FAST", "x")
        self.assertEqual([block["kind"] for block in within], ["with"])
        self.assertEqual(within[0]["context"]["value"], "True")

    def test_every_instruction_has_a_purpose(self):
        self.record(changes, torch.ones(2), [])
        codes = [end["code"] for end in recording.documents(self.path, "E")] + recording.documents(self.path, "O")
        self.assertEqual(len(codes), 3)
        for code in codes:
            self.assertEqual(sum(many for many, _ in code["phases"]), len(code["instructions"]))
            self.assertEqual(code["offsets"], sorted(set(code["offsets"])))
            self.assertGreater(code["original"], 0)
        purposes = [[name for _, name in code["phases"]] for code in codes]
        first = next(p for p in purposes if "new objects" in p)
        wanted = ["entry", "graph call", "new objects", "stack and locals", "load", "store", "instruction", "resume"]
        # stack and locals are put together before the stores and packed after them.
        self.assertEqual(list(dict.fromkeys(first)), wanted)
        self.assertEqual(purposes[2], ["prologue", "original"])
        resumed = next(p for p in purposes if "return" in p)
        self.assertNotIn("resume", resumed)

    def test_purposes_fit_the_instructions(self):
        self.record(blocks, torch.ones(2), [])
        for code in self.steps("--bytecode"):
            phases = [line["phase"] for line in code["generated"]]
            by_phase = {name: [line for line in code["generated"] if line["phase"] == name] for name in set(phases)}
            for line in by_phase.get("graph call", [])[:1]:
                self.assertIn("__compiled_fn", line["argument"])
            if code["role"] == "resume":
                self.assertEqual([name for name, _ in itertools.groupby(phases)], ["prologue", "original"])
                self.assertEqual(code["of"], "blocks")
            elif "resume" in by_phase:
                self.assertTrue(any("__resume_at" in line["argument"] for line in by_phase["resume"]))
                self.assertTrue(any(line["op"].startswith("CALL") for line in by_phase["instruction"]))
                self.assertIn("blocks", by_phase)
            else:
                self.assertEqual(code["generated"][-1]["op"], "RETURN_VALUE")


if __name__ == "__main__":
    unittest.main()
