# SPDX-License-Identifier: BSD-3-Clause
"""`dynascope-cli run` over programs that run others' code and take what it prints: as pytest does, whose tests may compare it, and
as a Jupyter kernel does, a process of its own that is sent cells. Both are made here of Python's library; pytest itself
is tried as well where it is installed."""

import glob
import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

TESTS = """
    import torch

    @torch.compile(backend="aot_eager")
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    def test_result():
        print("in a test")
        assert f(torch.ones(3)).sum() == 12

    def test_what_cannot_be_kept():
        f(torch.ones(3, device="meta"))

    def test_fails():
        assert f(torch.ones(4)).sum() == 0
"""

# With descriptors 1 and 2 in a file while a test runs, as pytest has them.
LIKE_PYTEST = """
    import importlib.util, os, sys, tempfile

    spec = importlib.util.spec_from_file_location("tests", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    failed = 0
    for name in [name for name in vars(module) if name.startswith("test_")]:
        kept = [os.dup(1), os.dup(2)]
        with tempfile.TemporaryFile() as taken:
            os.dup2(taken.fileno(), 1), os.dup2(taken.fileno(), 2)
            try:
                getattr(module, name)()
                ended = "passed"
            except AssertionError:
                ended, failed = "failed", 1
            finally:
                sys.stdout.flush(), sys.stderr.flush()
                for to, was in enumerate(kept, 1):
                    os.dup2(was, to), os.close(was)
            taken.seek(0)
            print(name, ended, taken.read())
    sys.exit(failed)
"""

KERNEL = """
    import contextlib, io, json, sys

    space = {}
    for line in sys.stdin:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            exec(json.loads(line), space)
        print(json.dumps(said.getvalue()), flush=True)
"""
LIKE_JUPYTER = """
    import json, subprocess, sys

    kernel = subprocess.Popen([sys.executable, "-W", "ignore", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for cell in ("import torch\\nf = torch.compile(lambda x: x + 1, backend='eager')", "print(f(torch.ones(2)))", "f(torch.ones(2, device='meta'))"):
        kernel.stdin.write(json.dumps(cell) + "\\n")
        kernel.stdin.flush()
        print(json.loads(kernel.stdout.readline()))
    kernel.stdin.close()
    sys.exit(kernel.wait())
"""


class Harnesses(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = self.kept.name

    def tearDown(self):
        self.kept.cleanup()

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_program(self, *words):
        """What it does alone, and under `run`; the folder of the run."""
        python = [sys.executable, "-W", "ignore", *words]
        variables = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        alone = subprocess.run(python, capture_output=True, text=True, timeout=300, cwd=self.folder, env=variables)
        ran = subprocess.run(
            [os.environ["DYNASCOPE_CLI"], "run", "--into", "runs", "--what", "trace,steps,profile,values,memory", "--", *python],
            capture_output=True, text=True, timeout=300, cwd=self.folder, env=variables,
        )
        runs = glob.glob(os.path.join(self.folder, "runs", "*"))
        self.assertEqual(len(runs), 1, ran.stderr)
        return alone, ran, runs[0]

    def held(self, run, ending):
        return len(glob.glob(os.path.join(run, "*" + ending)))

    def test_as_pytest_does(self):
        alone, ran, run = self.run_program(self.written("like.py", LIKE_PYTEST), self.written("test_it.py", TESTS))
        self.assertEqual((ran.returncode, ran.stdout), (1, alone.stdout), ran.stderr)
        self.assertEqual(alone.stdout, "test_result passed b'in a test\\n'\ntest_what_cannot_be_kept passed b''\ntest_fails failed b''\n")
        self.assertRegex(ran.stderr, "dynascope_capture: no values of .*dense tensor")
        self.assertIn("dynascope_capture: no profile: the program ended before", ran.stderr)
        self.assertEqual((self.held(run, ".log"), self.held(run, ".dsteps"), self.held(run, ".tail")), (1, 1, 0))
        self.assertGreaterEqual(self.held(run, ".inputs.json"), 2)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_under_pytest(self):
        tests = self.written("test_it.py", TESTS)
        alone, ran, run = self.run_program("-m", "pytest", "-q", "-p", "no:cacheprovider", "--show-capture=no", "--tb=no", tests)
        told = [line for line in ran.stdout.splitlines() if not line.startswith(("1 failed", "=="))]
        self.assertEqual((ran.returncode, alone.returncode), (1, 1), ran.stderr)
        self.assertEqual(told, [line for line in alone.stdout.splitlines() if not line.startswith(("1 failed", "=="))])
        self.assertIn("1 failed, 2 passed", ran.stdout)
        self.assertEqual((self.held(run, ".log"), self.held(run, ".dsteps")), (1, 1))

    def test_as_a_kernel_does(self):
        alone, ran, run = self.run_program(self.written("like.py", LIKE_JUPYTER), self.written("kernel.py", KERNEL))
        self.assertEqual((ran.returncode, ran.stdout), (0, alone.stdout), ran.stderr)
        self.assertEqual(alone.stdout, "\ntensor([2., 2.])\n\n\n")
        self.assertRegex(ran.stderr, "dynascope_capture: no values of .*dense tensor")
        self.assertEqual((self.held(run, ".log"), self.held(run, ".dsteps"), self.held(run, ".inputs.json")), (1, 1, 1))


if __name__ == "__main__":
    unittest.main()
