# SPDX-License-Identifier: BSD-3-Clause
"""`dynascope-cli capture --flight`: dumps of PyTorch's flight recorder, of ranks that end and of ranks that hang."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

SOURCE = """
    import datetime, os, sys, time
    if sys.argv[1] == "unseen":  # before its thread starts, which is at torch's import
        from dynascope_capture import flight
        flight._LOOK = 1000
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as fc

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))
    layer = torch.nn.Linear(8, 8)

    @torch.compile(backend="aot_eager")
    def step(x):
        with torch.no_grad():
            return fc.all_reduce(layer(x), "sum", dist.group.WORLD).sum()

    for i in range(4):
        if sys.argv[1] == "hangs" and dist.get_rank() == 1 and i == 3:
            time.sleep(100)
        step(torch.ones(4, 8))
    dist.destroy_process_group()
"""


def kill_all(script):
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline") as file:
                words = file.read().split("\0")
            if script in words:
                os.kill(int(number), signal.SIGKILL)
        except OSError:
            pass  # it ended meanwhile


class Flight(unittest.TestCase):
    def start(self, folder, mode, **variables):
        script = os.path.join(folder, "prog.py")
        with open(script, "w") as file:
            file.write(textwrap.dedent(SOURCE))
        out = os.path.join(folder, "out")
        torchrun = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        return out, subprocess.Popen(
            [os.environ["DYNASCOPE_CLI"], "capture", "--flight", "-o", out, "--", *torchrun, script, mode],
            env=dict(os.environ, OMP_NUM_THREADS="1", **variables),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ranks(self, out):
        said = subprocess.run([os.environ["DYNASCOPE_CLI"], "ranks", out, "--json"], capture_output=True, text=True)
        return said.returncode, json.loads(said.stdout or "{}")  # nothing while a log is missing

    def dumps(self, out):
        return sorted(name for name in os.listdir(out) if "flight" in name)

    def test_ranks_that_end(self):
        with tempfile.TemporaryDirectory() as folder:
            out, run = self.start(folder, "ends")
            _, errors = run.communicate(timeout=200)
            self.assertEqual(run.returncode, 0, errors)
            self.assertIn("2 flight-recorder dumps", errors)
            self.assertEqual(self.dumps(out), ["flight_rank_0", "flight_rank_1"])
            for name in self.dumps(out):
                self.assertEqual(os.stat(os.path.join(out, name)).st_mode & 0o777, 0o600)
            code, told = self.ranks(out)
            self.assertEqual((code, told["verdict"], told["waiting"]), (0, "alike", []))

    def test_groups_that_nobody_saw(self):
        """Their calls are left when they are gone: on a machine that is busy, or in a short program."""
        with tempfile.TemporaryDirectory() as folder:
            out, run = self.start(folder, "unseen")
            _, errors = run.communicate(timeout=200)
            self.assertEqual(run.returncode, 0, errors)
            self.assertEqual(self.dumps(out), ["flight_rank_0", "flight_rank_1"])
            code, told = self.ranks(out)
            self.assertEqual((code, told["verdict"]), (0, "alike"))

    def test_a_rank_that_hangs(self):
        """Everything is killed at once: what the ranks were in was written before."""
        with tempfile.TemporaryDirectory() as folder:
            out, run = self.start(folder, "hangs")
            try:
                for _ in range(600):
                    time.sleep(0.2)
                    if os.path.isdir(out) and len(self.dumps(out)) == 2:
                        code, told = self.ranks(out)
                        # Not before the other rank's dump is some seconds younger than the call.
                        if told.get("verdict") == "will hang":
                            break
            finally:
                os.killpg(run.pid, signal.SIGKILL)
                kill_all(os.path.join(folder, "prog.py"))  # torchrun's ranks have groups of their own
                run.communicate(timeout=60)
            code, told = self.ranks(out)
            self.assertEqual((code, told["verdict"]), (1, "will hang"))
            self.assertEqual([(wait["rank"], wait["collective"]) for wait in told["waiting"]], [(0, "all_reduce")])
            self.assertIn("rank 1 never reached it", told["reasons"][0]["text"])

    def test_the_programs_own_settings_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            script = "import os; print(*(os.environ[name] for name in os.environ if name.startswith('TORCH_FR')))"
            said = subprocess.run(
                [os.environ["DYNASCOPE_CLI"], "capture", "--flight", "-o", folder, "--", sys.executable, "-c", script],
                env=dict(os.environ, TORCH_FR_BUFFER_SIZE="7", TORCH_FR_DUMP_TEMP_FILE="/elsewhere/x"),
                capture_output=True,
                text=True,
            )
            self.assertEqual(sorted(said.stdout.split()), ["/elsewhere/x", "7"])


if __name__ == "__main__":
    unittest.main()
