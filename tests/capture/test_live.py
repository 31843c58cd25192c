# SPDX-License-Identifier: BSD-3-Clause
"""Live mode: a program that waits where a client asked it to, and does what the client says."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(HERE, "..", "..", "plugins", "capture")
sys.path[:0] = [HERE, PLUGIN]

import recording
import torch
from dynascope_capture import conditions

NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 9)

PROGRAM = """
    import torch

    graphs = 0

    def backend(gm, inputs):
        global graphs
        graphs += 1
        return gm.forward

    def helper(x, k):
        y = x * k
        return y.relu()

    def f(x):
        a = x + 1
        b = helper(a, 2)
        c = b.sin()
        return c + b

    result = torch.compile(f, backend=backend)(torch.ones(3))
    print(graphs, torch.equal(result, f(torch.ones(3))))
"""
LINES = {text.strip(): i + 1 for i, text in enumerate(textwrap.dedent(PROGRAM).splitlines())}


class Client:
    """Starts the program and talks to it."""

    def __init__(self, folder, source=PROGRAM):
        path = os.path.join(folder, "live")
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent(source))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.listener.settimeout(120)
        self.process = subprocess.Popen(
            [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.path.join(PLUGIN, "startup") + os.pathsep + PLUGIN,
                 "DYNASCOPE_CAPTURE": folder, "DYNASCOPE_LIVE": path, "PYTHONWARNINGS": "ignore"},
        )
        self.socket, _ = self.listener.accept()
        self.lines = self.socket.makefile("rw")
        self.hello = self.hear()
        self.start = self.hear()

    def hear(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def say(self, command, **fields):
        self.lines.write(json.dumps({"command": command, **fields}) + "\n")
        self.lines.flush()
        return self.hear()

    def go(self, command="continue"):
        """Lets it run; the next stop, or None if it ended."""
        assert self.say(command) == {"event": "running"}
        return self.hear()

    def end(self):
        """What it printed, once it ended by itself."""
        while self.go() is not None:
            pass
        return self.finish()

    def finish(self):
        self.lines.close()
        self.socket.close()
        self.listener.close()
        output, errors = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, errors
        return output.strip()


class LiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_it_stops_at_lines_and_conditions(self):
        client = Client(self.folder)
        self.assertEqual((client.hello["event"], client.hello["protocol"]), ("hello", 1))
        self.assertEqual(client.start, {"event": "stopped", "reason": "start"})
        self.assertEqual(client.say("break", file="program.py", line=LINES["c = b.sin()"]), {"event": "breakpoint", "id": 1})
        self.assertEqual(client.say("break", line=LINES["y = x * k"], condition="local k is constant and k == 2")["id"], 2)
        self.assertEqual(client.say("break", line=LINES["y = x * k"], condition="k == 3")["id"], 3)
        self.assertEqual(client.say("break", condition="nodes >= 2 and guard on L['x']")["id"], 4)
        stops = [client.go() for _ in range(3)]
        self.assertEqual([stop["breakpoint"] for stop in stops], [4, 2, 1])
        self.assertEqual([stop["function"] for stop in stops], ["f", "helper", "f"])
        self.assertEqual([stop["nodes"] for stop in stops], [2, 2, 4])
        self.assertEqual([stop["depth"] for stop in stops], [0, 1, 0])
        # The recording goes as far as the step that is about to be carried out.
        self.assertEqual(recording.count(stops[-1]["recording"], "i"), stops[-1]["step"] + 1)
        self.assertEqual(client.end(), "1 True")

    def test_it_steps(self):
        client = Client(self.folder)
        client.say("break", file="program.py", line=LINES["b = helper(a, 2)"])
        at = client.go()
        first = at["step"]
        self.assertEqual(client.go("step")["step"], first + 1)
        while at["op"] != "CALL":
            at = client.go("step")
        self.assertEqual(client.go("step")["function"], "helper")
        self.assertEqual(client.go("out")["function"], "f")
        self.assertEqual(client.go("line")["line"], LINES["c = b.sin()"])
        inside = [client.go("next") for _ in range(3)]
        self.assertEqual({stop["function"] for stop in inside}, {"f"})
        self.assertEqual(client.end(), "1 True")

    def test_it_breaks_the_graph(self):
        def run(folder, where, moves):
            os.mkdir(folder)
            client = Client(folder)
            client.say("break", line=LINES[where])
            at = client.go()
            while at["op"] != moves:
                at = client.go("step")
            self.assertEqual(client.say("graph_break"), {"event": "running"})
            output = client.end() if client.hear() else client.finish()
            breaks = [record["reason"] for record in recording.documents(at["recording"], "B")]
            self.assertEqual(recording.documents(at["recording"], "!"), [])
            return output, breaks

        # At a call of the frame: the rest becomes a resume function.
        output, breaks = run(os.path.join(self.folder, "call"), "c = b.sin()", "CALL")
        self.assertEqual(output, "2 True")
        self.assertTrue(any("ComptimeContext graph break" in reason or "live mode" in reason for reason in breaks), breaks)
        # In an inlined call: the caller's graph ends before it, and it is compiled by itself.
        output, breaks = run(os.path.join(self.folder, "inlined"), "y = x * k", "LOAD_FAST")
        self.assertEqual(output, "3 True")
        # Elsewhere: up to the last statement that began with an empty stack.
        output, breaks = run(os.path.join(self.folder, "other"), "return c + b", "BINARY_OP")
        self.assertEqual(output, "1 True")
        if NEW:  # before 2.9 it was not logged there
            self.assertIn("Compiling up to the previous resumable state", breaks[0])

    def test_it_stops_at_graph_breaks_and_exceptions(self):
        client = Client(self.folder, PROGRAM.replace("c = b.sin()", "torch._dynamo.graph_break(); c = b.sin()"))
        client.say("break", on="graph break")
        client.say("break", on="exception")
        stops = []
        while stop := client.go():
            stops.append(stop)
            if stop["reason"] == "graph break":
                self.assertEqual(client.say("graph_break")["event"], "error")
        self.assertEqual([stop["reason"] for stop in stops], ["graph break"])
        self.assertIn("graph_break()", stops[0]["text"])
        self.assertEqual(client.finish(), "2 True")

    def test_a_program_never_waits_for_nobody(self):
        client = Client(self.folder)  # and goes away while the program is paused
        self.assertEqual(client.finish(), "1 True")
        os.unlink(os.path.join(self.folder, "live"))
        client = Client(self.folder)
        client.say("break", condition="nodes > 0")
        client.go()
        self.assertIsNone(client.say("detach"))
        self.assertEqual(client.finish(), "1 True")
        # The listener is gone.
        program = subprocess.run(
            [sys.executable, os.path.join(self.folder, "program.py")], capture_output=True, text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": os.path.join(PLUGIN, "startup") + os.pathsep + PLUGIN,
                 "DYNASCOPE_CAPTURE": self.folder, "DYNASCOPE_LIVE": os.path.join(self.folder, "live")},
        )
        self.assertEqual((program.returncode, program.stdout.strip()), (0, "1 True"))

    def test_nonsense_is_answered(self):
        client = Client(self.folder)
        for command in ({"command": "fly"}, {"command": "break"}, {"command": "break", "line": "7"},
                        {"command": "break", "line": -1}, {"command": "break", "condition": "nodes >"},
                        {"command": "break", "condition": "(" * 5000}, {"command": "break", "on": "monday"}, {}):
            client.lines.write(json.dumps(command) + "\n")
            client.lines.flush()
            self.assertEqual(client.hear()["event"], "error", command)
        client.lines.write("{nonsense\n[]\n")
        client.lines.flush()
        self.assertEqual([client.hear()["event"] for _ in range(2)], ["error", "error"])
        self.assertEqual(client.end(), "1 True")

    @unittest.skipUnless("DYNASCOPE_CLI" in os.environ, "needs dynascope-cli")
    def test_conditions_hold_where_the_recording_says(self):
        for condition in ("nodes > 3 and op == RETURN_VALUE", "local y is tensor and y.dtype == f32", "guard on L['x']",
                          "k == 2 and not local y", "local k is lazy"):
            folder = tempfile.mkdtemp(dir=self.folder)
            client = Client(folder)
            self.assertEqual(client.say("break", condition=condition)["event"], "breakpoint")
            stop = client.go()
            client.end() if stop else client.finish()
            path = stop["recording"] if stop else os.path.join(folder, os.listdir(folder)[0])
            found = subprocess.run([os.environ["DYNASCOPE_CLI"], "steps", path, "--until", condition, "--json"],
                                   capture_output=True, text=True)
            self.assertEqual(stop["step"] if stop else None, json.loads(found.stdout)["step"] if found.stdout else None, condition)

    def test_conditions_are_read_as_the_reader_reads_them(self):
        for text in ("nodes > 10", "local x is tensor and x.dtype == f32", "guard on L['x'] or (function == helper and not stack > 2)",
                     "local x", "x.shape == '[2, 3]'", "local x is not tensor", "guard on L['a'].size()[0]"):
            conditions.parse(text)
        for text in ("", "nodes", "nodes >", "nodes > 1 2", "(nodes > 1", "guard L['x']", "guard on", "x == 'a", "not", "is x"):
            with self.assertRaises(conditions.ConditionError, msg=text):
                conditions.parse(text)


if __name__ == "__main__":
    unittest.main()
