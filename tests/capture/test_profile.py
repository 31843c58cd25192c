# SPDX-License-Identifier: BSD-3-Clause
"""`dynascope-cli capture --profile`: so many steps of a program that was not changed, once compiling has settled."""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

HEAD = """
    import sys
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inner = torch.compile(lambda x: x.sin(), backend="aot_eager")
    compiled = torch.compile(lambda x: model(inner(x)), backend="aot_eager")
    once = torch.compile(lambda x: x + 1, backend="eager")
    once(torch.ones(2))

    def step(size):
        compiled(torch.ones(size, 8)).sum().backward()
        optimizer.step()
"""


class Profiles(unittest.TestCase):
    def run_program(self, body, *options):
        """The program's standard error, and its profiles."""
        with tempfile.TemporaryDirectory() as folder:
            script, out = os.path.join(folder, "prog.py"), os.path.join(folder, "out")
            with open(script, "w") as file:
                file.write(textwrap.dedent(HEAD) + textwrap.dedent(body))
            ended = subprocess.run(
                [os.environ["DYNASCOPE_CLI"], "capture", "-o", out, *options, "--", sys.executable, "-W", "ignore", script],
                capture_output=True,
                text=True,
                timeout=300,
            )
            self.assertEqual(ended.returncode, 0, ended.stderr)
            profiles = []
            for name in sorted(os.listdir(out)):
                if name.startswith("profile_"):
                    self.assertEqual(os.stat(os.path.join(out, name)).st_mode & 0o777, 0o600)
                    with gzip.open(os.path.join(out, name), "rt") as file:
                        profiles.append(json.load(file)["traceEvents"])
            self.assertFalse([name for name in os.listdir(out) if name.startswith(".profile")])
            return ended.stderr, profiles

    def steps(self, events):
        return [event for event in events if event.get("ph") == "X" and event["name"].startswith("ProfilerStep#")]

    def regions(self, events):
        return [event for event in events if event.get("name", "").startswith("Torch-Compiled Region")]

    def test_so_many_steps(self):
        said, profiles = self.run_program("for _ in range(12): step(4)", "--profile=3")
        self.assertEqual(len(profiles), 1, said)
        self.assertIn("1 profile", said)
        self.assertEqual(len(self.steps(profiles[0])), 3)
        self.assertGreaterEqual(len(self.regions(profiles[0])), 3)
        # A step is a call of the compiled function with what lies between it and the next: backward is in it.
        self.assertTrue(any("Backward" in event.get("name", "") for event in profiles[0]))

    def test_waits_until_compiling_has_settled(self):
        said, profiles = self.run_program("for i in range(20): step(4 if i < 6 else 5)", "--profile=2")
        self.assertEqual(len(profiles), 1, said)
        # The size changes while the profiler warms up: that attempt is not kept.
        shapes = [event["args"].get("Input Dims") for event in profiles[0] if event.get("name") == "aten::addmm"]
        self.assertTrue(shapes)
        self.assertTrue(all([5, 8] in shape for shape in shapes), shapes)
        self.assertEqual(len(self.steps(profiles[0])), 2)

    def test_a_program_that_ends_first(self):
        said, profiles = self.run_program("for _ in range(3): step(4)", "--profile")
        self.assertEqual(profiles, [])
        self.assertIn("no profile: the program ended before compiling had settled", said)

    def test_a_program_that_goes_on_with_another_function(self):
        said, profiles = self.run_program(
            """
            for _ in range(4): step(4)
            torch._dynamo.reset()
            compiled = torch.compile(lambda x: model(x.cos()), backend="aot_eager")
            for _ in range(20): step(4)
            """,
            "--profile=2",
        )
        self.assertEqual(len(profiles), 1, said)
        self.assertEqual(len(self.steps(profiles[0])), 2)
        self.assertTrue(any(event.get("name") == "aten::cos" for event in profiles[0]))

    def test_what_was_recorded_by_the_end_is_kept(self):
        said, profiles = self.run_program("for _ in range(9): step(4)", "--profile=50")
        self.assertEqual(len(profiles), 1, said)
        self.assertTrue(0 < len(self.steps(profiles[0])) < 9)

    def test_a_profiler_of_the_program_goes_first(self):
        said, profiles = self.run_program(
            """
            with torch.profiler.profile() as own:
                for _ in range(12): step(4)
            assert any("Compiled" in event.key for event in own.key_averages())
            """,
            "--profile",
        )
        self.assertEqual(profiles, [])
        self.assertIn("no profile: the program uses a profiler itself", said)

    def test_the_same_is_compiled(self):
        body = "for _ in range(12): step(4)\nprint(torch._dynamo.utils.counters['stats'], file=sys.stderr)"
        said = [self.run_program(body, *options)[0] for options in ([], ["--profile=2"])]
        counts = [[line for line in text.splitlines() if line.startswith("Counter(")] for text in said]
        self.assertEqual(len(counts[0]), 1)
        self.assertEqual(counts[0], counts[1])


if __name__ == "__main__":
    unittest.main()
