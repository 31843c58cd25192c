# SPDX-License-Identifier: BSD-3-Clause
"""torchrun under `dynascope-cli capture`: a recording a rank, and the exit code."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import recording

PROGRAM = """
    import sys
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2 + dist.get_rank()))
    dist.barrier()
    dist.destroy_process_group()
    sys.exit(int(sys.argv[1]))
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless("DYNASCOPE_CLI" in os.environ, "needs dynascope-cli")
class RanksTest(unittest.TestCase):
    def run_ranks(self, folder, code):
        program = os.path.join(folder, "ranks.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent(PROGRAM))
        out = os.path.join(folder, f"out{code}")
        # The loopback by its number: a machine may not know its own name.
        run = subprocess.run(
            [os.environ["DYNASCOPE_CLI"], "capture", "-o", out, "--", sys.executable, "-m", "torch.distributed.run",
             "--master_addr=127.0.0.1", f"--master_port={free_port()}", "--local_addr=127.0.0.1", "--nproc_per_node=2",
             program, str(code)],
            capture_output=True, text=True, timeout=200, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"})
        return run, sorted(name for name in os.listdir(out) if name.endswith(".dsteps"))

    def test_a_recording_a_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            run, names = self.run_ranks(folder, 0)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual([re.sub(r"\d+\.", "PID.", name) for name in names],
                             ["dynamo_steps_rank_0_PID.dsteps", "dynamo_steps_rank_1_PID.dsteps"])
            for rank, name in enumerate(names):
                (header,) = recording.documents(os.path.join(folder, "out0", name), "H")
                self.assertEqual(header["rank"], rank)
                self.assertEqual(len(recording.documents(os.path.join(folder, "out0", name), "E")), 1)

    def test_a_failure_is_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            run, names = self.run_ranks(folder, 3)
            self.assertEqual(run.returncode, 1)  # torchrun's own, for a rank that failed
            self.assertIn("exitcode  : 3", run.stderr)
            self.assertEqual(len(names), 2)


if __name__ == "__main__":
    unittest.main()
