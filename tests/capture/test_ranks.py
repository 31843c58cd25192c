# SPDX-License-Identifier: BSD-3-Clause
"""torchrun under `dynascope-cli capture`: a recording a rank, and the exit code."""

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
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


def recordings(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".dsteps"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Waits within a compile, so that the recording is not whole by itself.
WAITING = """
    import os, sys, time
    import torch
    import torch.distributed as dist

    def backend(gm, inputs):
        open(os.path.join(sys.argv[1], f"ready{dist.get_rank()}"), "w").close()
        time.sleep(600)
        return gm.forward

    dist.init_process_group("gloo")
    torch.compile(lambda x: x.sin() + 1, backend=backend)(torch.ones(2))
"""


@unittest.skipUnless("DYNASCOPE_CLI" in os.environ, "needs dynascope-cli")
class RanksTest(unittest.TestCase):
    def start(self, folder, source, argument, **options):
        program, out = os.path.join(folder, "ranks.py"), os.path.join(folder, "out")
        with open(program, "w") as file:
            file.write(textwrap.dedent(source))
        # The loopback by its number: a machine may not know its own name.
        run = subprocess.Popen(
            [os.environ["DYNASCOPE_CLI"], "capture", "-o", out, "--", sys.executable, "-m", "torch.distributed.run",
             "--master_addr=127.0.0.1", f"--master_port={free_port()}", "--local_addr=127.0.0.1", "--nproc_per_node=2",
             program, argument],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"}, **options)
        self.addCleanup(run.kill)
        return run, out

    def run_ranks(self, folder, code):
        run, out = self.start(folder, PROGRAM, str(code))
        _, errors = run.communicate(timeout=200)
        return run.returncode, errors, recordings(out)

    def interrupted(self, number):
        """The end of a run whose ranks are all compiling when the signal comes to the capture alone, or where there is
        none, when Ctrl+C is typed in its terminal, which sends SIGINT to all of the process group."""
        with tempfile.TemporaryDirectory() as folder:
            keyboard, terminal = os.openpty()
            self.addCleanup(os.close, keyboard)
            run, out = self.start(folder, WAITING, folder, stdin=terminal, start_new_session=True,
                                  preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0))
            os.close(terminal)
            deadline = time.monotonic() + 150
            while not all(os.path.exists(os.path.join(folder, f"ready{rank}")) for rank in range(2)):
                self.assertIsNone(run.poll(), "ended before its ranks compiled")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            if number is None:
                os.write(keyboard, b"\x03")
            else:
                run.send_signal(number)
            # torchrun gives its ranks 30 seconds before it kills them.
            _, errors = run.communicate(timeout=200)
            names = recordings(out)
            self.assertEqual(len(names), 2)
            for name in names:
                path = os.path.join(out, name)
                self.assertEqual(recording.instructions(path)[-1][1], "RETURN_VALUE")
                self.assertEqual(recording.count(path, "n"), 4)  # the whole graph, its output among the nodes
            self.assertIn("2 recordings", errors)
            return run.returncode, errors

    def test_a_recording_a_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            code, errors, names = self.run_ranks(folder, 0)
            self.assertEqual(code, 0, errors)
            self.assertEqual([re.sub(r"\d+_[0-9a-f]{8}\.", "PID_RANDOM.", name) for name in names],
                             ["dynamo_steps_rank_0_PID_RANDOM.dsteps", "dynamo_steps_rank_1_PID_RANDOM.dsteps"])
            for rank, name in enumerate(names):
                (header,) = recording.documents(os.path.join(folder, "out", name), "H")
                self.assertEqual(header["rank"], rank)
                self.assertEqual(len(recording.documents(os.path.join(folder, "out", name), "E")), 1)

    def test_a_failure_is_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            code, errors, names = self.run_ranks(folder, 3)
            self.assertEqual(code, 1)  # torchrun's own, for a rank that failed
            self.assertIn("exitcode  : 3", errors)
            self.assertEqual(len(names), 2)

    def test_signals_reach_all_ranks(self):
        for number in (signal.SIGTERM, signal.SIGINT, None):
            with self.subTest(signal=number or "Ctrl+C"):
                code, errors = self.interrupted(number)
                # torchrun ends with an exception that tells of the signal.
                self.assertEqual(code, 1, errors)
                self.assertIn("Signal", errors)


if __name__ == "__main__":
    unittest.main()
