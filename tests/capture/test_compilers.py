# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded of a graph after Dynamo, and that recording it changes nothing."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "plugins", "capture")]

import dynascope_capture
import recording
import torch
import torch._dynamo

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))
NEW = VERSION >= (2, 13)


def can_run_inductor():
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    return os.path.exists(header) and bool(shutil.which("c++") or shutil.which("g++"))


@torch.fx.wrap
def scaled(x, factor):
    return x * factor


def hook(function, user_hash=""):
    """A hook that is a graph module, which AOTAutograd takes in."""
    made = torch.fx.symbolic_trace(function)
    for node in made.graph.nodes:
        if user_hash and node.meta.get("is_wrapped"):
            node.meta["user_cache_hash"] = user_hash
    return made


class CompilersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "graphs.dsteps")
        torch._dynamo.reset()

    def faultless(self):
        self.assertEqual(recording.documents(self.path, "!"), [])

    def test_storages_and_operators_before_functionalization(self):
        def f(x, y):
            return x.mul_(2) + y.view(-1)

        both = torch.ones(6)
        with dynascope_capture.record(self.path):
            torch.compile(f, backend="aot_eager")(both[:3], both[3:])
        (inputs,) = recording.documents(self.path, "J")
        self.assertEqual(inputs["storages"], [["l_x_", 0, 0, 24], ["l_y_", 0, 3, 24]])
        (operators,) = recording.documents(self.path, "D")
        self.assertEqual([text.split(" = ")[1].split("(")[0] for text in operators["operators"]],
                         ["aten.mul_.Tensor", "aten.view.default", "aten.add.Tensor"])
        self.faultless()

    @unittest.skipIf(VERSION < (2, 8), "PyTorch tells of lookups from 2.8 on")
    def test_every_lookup(self):
        compiled = torch.compile(lambda x, n: x * n, backend="eager")
        with dynascope_capture.record(self.path):
            for n in (2, 2, 2, 3, 3):
                compiled(torch.ones(2), n)
        hits = [payload[0] for tag, payload in recording.records(self.path) if tag == "L"]
        self.assertEqual(hits, [1, 1, 0, 1])  # the first call finds no entry to ask
        self.faultless()

    @unittest.skipUnless(hasattr(torch._functorch.config, "saved_tensors_hooks_filtering_mode"), "new in 2.8")
    def test_saved_tensor_hooks(self):
        compiled = torch.compile(lambda x, w: (x @ w).sin().exp(), backend="aot_eager")
        x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, 3)
        plain = [(hook(lambda x: x.to(torch.float16)), hook(lambda x: x.to(torch.float32))) for _ in range(2)]
        wrapped = hook(lambda x: scaled(x, 2.0), "two"), hook(lambda x: scaled(x, 0.5), "half")
        functions = (lambda x: x), (lambda x: x)
        with dynascope_capture.record(self.path):
            for pair in (plain[0], plain[0], wrapped, functions, plain[1]):
                with torch.autograd.graph.saved_tensors_hooks(*pair):
                    compiled(x, w).sum().backward()
        graphs = recording.documents(self.path, "J")
        self.assertEqual([graph["in_force"]["inlined"] for graph in graphs], [True, True, False, True])
        self.assertEqual([entry[0] for entry in graphs[0]["in_force"]["pair"]], list(map(id, plain[0])))
        self.assertEqual([found["name"] for found in graphs[0]["hooks"]],
                         ["saved_tensors_hooks_pack_0", "saved_tensors_hooks_unpack_0"])
        self.assertIn("torch.float16", graphs[0]["hooks"][0]["graph"])
        self.assertEqual([found["wrapped"] for found in graphs[1]["hooks"]], [[["scaled", "two"]], [["scaled", "half"]]])
        self.assertEqual(graphs[2]["hooks"], [])
        self.faultless()
        if "DYNASCOPE_CLI" in os.environ:
            said = subprocess.run([os.environ["DYNASCOPE_CLI"], "steps", self.path, "--graphs"],
                                  capture_output=True, text=True, check=True).stdout
            self.assertIn(f"GraphModule <lambda> (id {id(wrapped[0])})", said)
            self.assertIn("scaled user_cache_hash two", said)
            self.assertIn("told apart by identity", said)
            self.assertIn("equal hooks in other objects", said)
            self.assertIn("without saved-tensor hooks", said)

    def test_graphs_of_aot_autograd_stay_the_same(self):
        from torch._dynamo.backends.common import aot_autograd

        def model(x, w):
            x = x + 1
            x.mul_(w)
            y = torch.nn.functional.gelu(x @ w).view(-1)
            y[0] = 3
            return y.sum(), x.t()

        def graphs(record):
            out = []

            def compiler(gm, inputs):
                out.append(gm.print_readable(print_output=False))
                return gm.forward

            torch._dynamo.reset()
            compiled = torch.compile(model, backend=aot_autograd(fw_compiler=compiler))
            x, w = torch.ones(3, 3), torch.ones(3, 3, requires_grad=True)
            if record:
                with dynascope_capture.record(self.path):
                    compiled(x, w)[0].backward()
            else:
                compiled(x, w)[0].backward()
            return out, w.grad.tolist()

        self.assertEqual(graphs(False), graphs(True))
        self.faultless()

    @unittest.skipUnless(can_run_inductor(), "Inductor needs a C++ compiler and Python's headers")
    def test_keys_of_the_cache(self):
        compiled = torch.compile(lambda x: x.sin() + 1, backend="inductor", dynamic=False)
        # Off by itself up to 2.6.
        with torch._functorch.config.patch(enable_autograd_cache=True), dynascope_capture.record(self.path):
            for size in (2, 3):
                compiled(torch.ones(size))
        said = recording.documents(self.path, "K")
        keys = [document for document in said if "parts" in document]
        self.assertEqual(len(keys), 2)
        self.assertNotEqual(keys[0]["key"], keys[1]["key"])
        if NEW:
            first = next(a for a, b in zip(keys[0]["parts"], keys[1]["parts"]) if a != b)
            self.assertRegex(first, r"^\[\w+\] \w+")
            self.assertTrue(all(document["state"] in ("hit", "miss") for document in said if "state" in document))
            # Bytes are escaped, and settings stand one by one.
            parts = keys[0]["parts"]
            self.assertFalse([part for part in parts if "\ufffd" in part])
            self.assertRegex("\n".join(parts), r"\] torch_version: b['\"]")
            self.assertRegex("\n".join(parts), r"\] autograd_config\[\w+\]: ")
        self.faultless()


if __name__ == "__main__":
    unittest.main()
