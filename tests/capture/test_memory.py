# SPDX-License-Identifier: BSD-3-Clause
"""`dynascope-cli run --what memory` without a GPU: PyTorch's own way to start one is carried out over stand-ins of what it calls
in C++, with the snapshot that a GPU once gave."""

import json
import lzma
import os
import pickle
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import unittest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "memory", "h200.tar.xz")

# Started as a GPU is, by what only its driver would do.
STAND_IN = """
    import os, pickle, sys, torch
    asked = []
    def started():
        torch._C._cuda_init = lambda: None
        torch._C._cuda_getDeviceCount = lambda: 1
        torch._C._cuda_record_memory_history = lambda *words: asked.append(words)
        torch._C._cuda_memorySnapshot = lambda pool: pickle.load(open(sys.argv[1], "rb"))
        torch.cuda._cudart = torch.version.cuda = None
        torch.cuda._cudart = object()
        torch.cuda._queued_calls[:] = [call for call in torch.cuda._queued_calls if call[0].__module__.startswith("dynascope")]
"""


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.snapshot = os.path.join(cls.kept.name, "gpu.bin")
        with lzma.open(DATA) as packed, tarfile.open(fileobj=packed) as archive:
            for member in archive:
                if member.name.endswith(".pickle"):
                    with open(cls.snapshot, "wb") as file:
                        file.write(archive.extractfile(member).read())

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def run_program(self, folder, source, what="trace,memory", **variables):
        script = os.path.join(folder, "prog.py")
        with open(script, "w") as file:
            file.write(textwrap.dedent(STAND_IN) + textwrap.dedent(source))
        return subprocess.run(
            [os.environ["DYNASCOPE_CLI"], "run", "--into", os.path.join(folder, "runs"), "--what", what, "--", sys.executable,
             "-W", "ignore", script, self.snapshot],
            env=dict(os.environ, **variables), capture_output=True, text=True, timeout=300,
        )

    def held(self, folder):
        runs = os.path.join(folder, "runs")
        run = os.path.join(runs, sorted(os.listdir(runs))[-1])
        return run, sorted(name for name in os.listdir(run) if "memory" in name)

    def test_a_snapshot_beside_the_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = self.run_program(folder, """
                torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
                before = torch.cuda.is_initialized(), list(asked)
                started()
                torch.cuda.init()
                print(before, asked)
            """, RANK="3")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stdout.split("[]) ")[0], "(False, ")
            self.assertIn("('all', 'all', 'python', 100000, ", ran.stdout)
            self.assertIn("1 memory snapshot,", ran.stderr)
            run, names = self.held(folder)
            self.assertEqual(len(names), 1)
            self.assertRegex(names[0], r"^memory_snapshot_rank_3_\d+_[0-9a-f]{8}\.pickle$")
            path = os.path.join(run, names[0])
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            with open(path, "rb") as file, open(self.snapshot, "rb") as real:
                self.assertEqual(pickle.load(file), pickle.load(real))
            info = subprocess.run([os.environ["DYNASCOPE_CLI"], "info", run], capture_output=True, text=True)
            self.assertIn("memory, " + names[0], info.stdout)
            told = json.loads(subprocess.run([os.environ["DYNASCOPE_CLI"], "info", run, "--json"], capture_output=True, text=True).stdout)
            self.assertEqual((told["kind"], len(told["compiles"]), told["memories"][0]["rank"]), ("TORCH_TRACE", 1, 3))
            alone = subprocess.run([os.environ["DYNASCOPE_CLI"], "memory", path, "--json"], capture_output=True, text=True)
            self.assertEqual(told["memory"]["devices"][0]["peak"]["bytes"], json.loads(alone.stdout)["devices"][0]["peak"]["bytes"])

    def test_without_a_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = self.run_program(folder, "started(); torch.cuda.init()")
            run, names = self.held(folder)
            self.assertEqual((ran.returncode, len(names)), (0, 1), ran.stderr)
            self.assertIn("What does memory peak at", ran.stderr)

    def test_no_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            program = """
                torch.manual_seed(1)
                print(torch.compile(lambda x: x + 1, backend="eager")(torch.rand(2)), torch.cuda.is_initialized(), torch.rand(1))
            """
            without, ran = self.run_program(folder, program, "trace"), self.run_program(folder, program)
            self.assertEqual((ran.returncode, ran.stdout), (0, without.stdout))
            self.assertIn("No memory snapshot: no process used a GPU", ran.stderr)
            self.assertNotIn("memory", without.stderr.split("Answers")[0])
            self.assertEqual(self.held(folder)[1], [])

    def test_what_cannot_be_recorded(self):
        for change, said in (
            ("del torch.cuda.memory._record_memory_history", "this PyTorch records no history of torch.cuda"),
            ("torch.cuda.memory._record_memory_history = lambda enabled: 1", "no memory snapshot: TypeError"),
            ("torch.cuda.memory._snapshot = lambda: 1 / 0", "no memory snapshot: ZeroDivisionError"),
            ("torch.cuda.memory._snapshot = lambda: {'segments': [], 'device_traces': [[], []]}", "nothing was allocated"),
        ):
            with self.subTest(change), tempfile.TemporaryDirectory() as folder:
                ran = self.run_program(folder, f"started()\n{change}\ntorch.cuda.init(); print(torch.cuda.is_initialized())\n")
                self.assertEqual((ran.returncode, ran.stdout), (0, "True\n"), ran.stderr)
                self.assertIn(said, ran.stderr)
                self.assertEqual(self.held(folder)[1], [])

    def test_processes_below(self):
        """One that is forked keeps nothing of its own; the snapshot is of the one that started the GPU."""
        with tempfile.TemporaryDirectory() as folder:
            ran = self.run_program(folder, """
                started()
                torch.cuda.init()
                if os.fork() == 0:
                    sys.exit(0)
                os.wait()
                print(os.getpid())
            """)
            names = self.held(folder)[1]
            self.assertEqual(len(names), 1, ran.stderr)
            self.assertIn(f"_{ran.stdout.strip()}_", names[0])


if __name__ == "__main__":
    unittest.main()
