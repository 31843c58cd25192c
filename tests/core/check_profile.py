# SPDX-License-Identifier: BSD-3-Clause
"""Profiles against PyTorch: check_profile.py DYNASCOPE_CLI.

Self times by operator are those of prof.key_averages(), to 0.1 %. Under aot_eager each operator's time goes to the node
that ran it: the graphs are run with every node named by record_function, the names are taken out of the profile, and
what is joined without them is compared with what they say, to the nanosecond. FLOPs are those of torch.utils.flop_counter.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

cli = sys.argv[1]
folder = tempfile.TemporaryDirectory()
os.environ["TORCH_TRACE"] = folder.name + "/trace"

import torch  # noqa: E402  (reads TORCH_TRACE when it is imported)
from functorch.compile import make_boxed_func  # noqa: E402
from torch._dynamo.backends.common import aot_autograd  # noqa: E402
from torch.profiler import ProfilerActivity, profile, record_function  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

torch.manual_seed(0)
torch.set_num_threads(1)


class NamedNodes(torch.fx.Interpreter):
    def run_node(self, n):
        if n.op != "call_function":
            return super().run_node(n)
        with record_function("node " + n.name):
            return super().run_node(n)


def named(graph, inputs):
    return make_boxed_func(lambda *args: NamedNodes(graph).run(*args))


class Block(torch.nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.norm, self.attention = torch.nn.LayerNorm(d), torch.nn.MultiheadAttention(d, 4, batch_first=True)
        self.feed = torch.nn.Sequential(torch.nn.Linear(d, 2 * d), torch.nn.GELU(), torch.nn.Linear(2 * d, d))

    def forward(self, x):
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.feed(x)


def run(model, x, backend):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend)

    def step():
        with record_function("step"):
            compiled(x).pow(2).mean().backward()

    for _ in range(3):
        step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
        for _ in range(3):
            step()
    return p


def rows(path, by, *more):
    out = subprocess.run([cli, "profile", path, "--by", by, "--json", *more], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def check_operators(p):
    path = folder.name + "/operators.json.gz"
    p.export_chrome_trace(path)
    ours = collections.defaultdict(float)
    for row in rows(path, "operator")["rows"]:
        ours[row["key"]] += row["self_us"]
    theirs = {e.key: e.self_cpu_time_total for e in p.key_averages()}
    for key, time in theirs.items():
        assert abs(ours[key] - time) <= max(0.001 * time, 0.01), (key, ours[key], time)
    assert set(ours) == set(theirs), set(ours) ^ set(theirs)
    print(len(theirs), "operators have PyTorch's self time")


def check_nodes(p):
    """The truth: for each node, the time of operators inside its annotation. It is in nobody's profile but ours."""
    path = folder.name + "/nodes.json"
    p.export_chrome_trace(path)
    document = json.load(open(path))
    events = [e for e in document["traceEvents"] if e.get("ph") == "X" and e.get("cat") in ("cpu_op", "user_annotation")]
    events.sort(key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    truth, stack = collections.defaultdict(float), []
    for e in events:
        while stack and (stack[-1]["tid"] != e["tid"] or e["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]):
            stack.pop()
        outer = [s for s in stack if s["name"].startswith("node ")]
        backward = any("CompiledFunctionBackward" in s["name"] for s in stack)
        if outer and stack[-1] is outer[-1]:
            truth[(outer[-1]["name"][5:], backward)] += e["dur"]
        stack.append(e)
    document["traceEvents"] = [e for e in document["traceEvents"] if not e.get("name", "").startswith("node ")]
    json.dump(document, open(path, "w"))
    ours = rows(path, "node", "--capture", folder.name + "/trace")
    joined = collections.defaultdict(float)
    for row in ours["rows"]:
        if row["part"] == "node":
            joined[(row["node"], row["stage"].startswith("aot_backward"))] += row["self_us"]
    right = sum(min(time, joined[key]) for key, time in truth.items())
    whole = sum(truth.values())
    wrong = [(key, time, joined[key]) for key, time in truth.items() if abs(time - joined[key]) > 0.01]
    assert right >= 0.99 * whole, (right, whole, wrong[:5])
    nodes = len(truth)
    print(f"{nodes - len(wrong)} of {nodes} nodes have the time of their operators, {100 * right / whole:.2f} % of it")
    assert len(wrong) <= 0.01 * nodes, wrong[:5]


def check_flops(model, x):
    """Nodes of a compiled step have the FLOPs that torch.utils.flop_counter counts of the same step without the compiler."""
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="aot_eager")
    compiled(x).pow(2).mean().backward()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
        compiled(x).pow(2).mean().backward()
    with FlopCounterMode(display=False) as counter:
        model(x).pow(2).mean().backward()
    path = folder.name + "/flops.json"
    p.export_chrome_trace(path)
    nodes = [row for row in rows(path, "node", "--capture", folder.name + "/trace")["rows"] if row["part"] == "node"]
    ours = sum(row["flop"] for row in nodes)
    assert ours == counter.get_total_flops(), (ours, counter.get_total_flops())
    print(f"{ours:.0f} FLOP, as torch.utils.flop_counter counts")


model = torch.nn.Sequential(Block(), Block())
x = torch.randn(2, 8, 32)
check_operators(run(model, x, "aot_eager"))
check_operators(run(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()), torch.randn(4, 8), "eager"))
# The trace of this run alone: the folder's other compiles have other run numbers.
check_nodes(run(model, x, aot_autograd(fw_compiler=named, bw_compiler=named)))
convolutions = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3, stride=2, groups=2),
    torch.nn.ConvTranspose2d(4, 6, 3), torch.nn.Flatten(), torch.nn.LazyLinear(5))
convolutions(torch.randn(2, 3, 16, 16))
check_flops(convolutions, torch.randn(2, 3, 16, 16))
check_flops(model, x)
