# SPDX-License-Identifier: BSD-3-Clause
"""`dynascope-cli run --what values`: what graphs are called with, whole or by length and range, and nothing changed by it."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = """
    import sys, torch
    torch.manual_seed(0)
    table, weight = torch.arange(40).reshape(10, 4), torch.randn(3, 4, requires_grad=True)

    @torch.compile(backend="aot_eager")
    def f(x, y, k):
        z = x.view(-1)[1:5] * 2 + y.sum() + torch.tensor(3)
        torch._dynamo.graph_break()
        return z + table[k].sum()

    print(f(weight, weight, torch.tensor([1, 2])).tolist(), f(weight[1:], weight, torch.tensor([1])).tolist())
    g = torch.compile(lambda a, n: a.float() * n, backend="aot_eager", dynamic=True)
    print(g(torch.randint(3, 7, (600, 600)), 5).sum().item(), torch.rand(1).item())
    h = torch.compile(lambda a, b: (a + 1, b.imag), backend="eager")
    h(torch.tensor([1.5, float("nan"), float("-inf")], dtype=torch.bfloat16), torch.tensor([1 + 2j]).conj())
    torch.compile(lambda a: a + 1, backend="eager")(torch.ones(3, device="meta"))
"""


class Values(unittest.TestCase):
    def run_program(self, folder, what):
        script = os.path.join(folder, "prog.py")
        with open(script, "w") as file:
            file.write(textwrap.dedent(PROGRAM))
        ran = subprocess.run(
            [os.environ["DYNASCOPE_CLI"], "run", "--into", os.path.join(folder, what), "--what", what, "--", sys.executable, "-W", "ignore", script],
            capture_output=True, text=True, timeout=300,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran, glob.glob(os.path.join(folder, what, "*"))[0]

    def info(self, run):
        out = subprocess.run([os.environ["DYNASCOPE_CLI"], "info", run, "--json"], capture_output=True, text=True)
        kept = ("compile_id", "status", "attempts", "stages", "symbols", "guards", "inputs", "recompile_reason")
        return [{key: compile[key] for key in kept} for compile in json.loads(out.stdout)["compiles"]]

    def test_what_graphs_are_called_with(self):
        with tempfile.TemporaryDirectory() as folder:
            (without, plain), (ran, run) = self.run_program(folder, "trace"), self.run_program(folder, "trace,values")
            self.assertEqual(ran.stdout, without.stdout)
            self.assertEqual(self.info(run), self.info(plain))
            found = {}
            for path in glob.glob(os.path.join(run, "values_*.inputs.json")):
                with open(path) as file:
                    found[path.split("_")[-1].removesuffix(".inputs.json")] = json.load(file)
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            self.assertIn(f"values of {len(found)} graphs", ran.stderr)
            self.assertRegex(ran.stderr, "no values of 4/0: .* is no dense tensor with values")
            self.assertEqual(sorted(found), ["0-0", "0-1", "1-0", "1-1", "2-0", "3-0"])
            first = found["0-0"]
            self.assertEqual([len(storage["data"]) for storage in first["storages"]], [12])
            self.assertEqual(first["inputs"], [{"storage": 0, "shape": [3, 4], "stride": [4, 1], "storage_offset": 0, "dtype": "float32", "requires_grad": True}])
            view, base = found["0-1"]["inputs"][-2:]  # behind the sizes that became symbolic
            self.assertEqual((view["storage"], view["storage_offset"], view["is_leaf"], base["storage"]), (0, 4, False, 0))
            self.assertIn([1, 2], [storage["data"] for storage in found["1-0"]["storages"]])
            self.assertEqual(found["2-0"]["storages"], [{"dtype": "int64", "size": 360000, "seed": 1, "low": 3, "high": 7}])
            self.assertEqual([one for one in found["2-0"]["inputs"] if type(one) is int], [600, 5])
            odd = found["3-0"]
            self.assertEqual([storage["data"] for storage in odd["storages"]], [[1.5, "nan", "-inf"], [[1.0, 2.0]]])
            self.assertTrue(odd["inputs"][1]["conj"])

    def test_the_engine_runs_on_them(self):
        with tempfile.TemporaryDirectory() as folder:
            _, run = self.run_program(folder, "trace,values")
            for compile_id in ("0/0", "1/0", "2/0"):
                path, = glob.glob(os.path.join(run, f"values_*_{compile_id.replace('/', '-')}.inputs.json"))
                ran = subprocess.run(
                    [os.environ["DYNASCOPE_CLI"], "exec", run, "--frame", compile_id, "--stage", "dynamo_output_graph", "--inputs", path, "--values"],
                    capture_output=True, text=True,
                )
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
