#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replays a block of 12 transformer layers (408 aten calls) at planned addresses, beside the same calls in Python and as a
frozen TorchScript, in one run on one thread. Needs PyTorch, and dynascope-cli of a release build.

    bench_replay.py path/to/dynascope-cli [--sizes tiny,small,large] [--rounds N] [--check]

Every round measures each side, in turns from either end, and compares what it measured: a figure is the median of the
rounds' ratios, with the smallest and the largest behind it. Python's page faults in one run are shown because they decide
some of its time for large tensors: whether the C library gives memory back to the system and takes it again depends on where
a process happens to have its blocks.

With --check the exit status is 1 where a target is missed: at most 0.65 of TorchScript and 0.25 of Python for tiny tensors
(0.45 and 0.15 without oneDNN), at most 0.95 of Python for large ones, no allocator calls, an arena of at most 1.05 of the
peak.
"""
import argparse
import json
import operator
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

SIZES = {"tiny": (2, 8, 2), "small": (16, 64, 4), "large": (256, 512, 8)}  # tokens, width, heads
LAYERS = 12
aten = torch.ops.aten
contiguous = torch.contiguous_format


def parameters(T, D):
    """Shapes of the inputs: x, the mask, and twelve tensors a layer."""
    layer = [(D,), (D,), (D, 3 * D), (3 * D,), (D, D), (D,), (D,), (D,), (D, 4 * D), (4 * D,), (4 * D, D), (D,)]
    return [(1, T, D), (T, T)] + layer * LAYERS


def block(call, inputs, T, D, H):
    """The block, each operator through `call(overload, arguments)`."""
    inputs = iter(inputs)
    x, mask = next(inputs), next(inputs)
    view = lambda value, *shape: call(aten.view.default, value, list(shape))
    clone = lambda value: call(aten.clone.default, value, memory_format=contiguous)
    norm = lambda *args: call(operator.getitem, call(aten.native_layer_norm.default, *args), 0)
    for _ in range(LAYERS):
        g1, b1, wq, bq, wo, bo, g2, b2, w1, c1, w2, c2 = (next(inputs) for _ in range(12))
        y = view(norm(x, [D], g1, b1, 1e-5), T, D)
        y = view(call(aten.addmm.default, bq, y, wq), 1, T, 3, H, D // H)
        y = call(aten.permute.default, y, [2, 0, 3, 1, 4])
        q, k, v = (call(aten.select.int, y, 0, i) for i in range(3))
        q = view(clone(call(aten.mul.Scalar, q, 0.125)), H, T, D // H)
        k = view(clone(call(aten.transpose.int, k, -1, -2)), H, D // H, T)
        v = view(clone(v), H, T, D // H)
        s = call(aten.add.Tensor, call(aten.bmm.default, q, k), mask)
        o = view(call(aten.bmm.default, call(aten._softmax.default, s, -1, False), v), 1, H, T, D // H)
        o = view(clone(call(aten.permute.default, o, [0, 2, 1, 3])), T, D)
        x = call(aten.add.Tensor, x, view(call(aten.addmm.default, bo, o, wo), 1, T, D))
        y = view(norm(x, [D], g2, b2, 1e-5), T, D)
        y = call(aten.gelu.default, call(aten.addmm.default, c1, y, w1))
        x = call(aten.add.Tensor, x, view(call(aten.addmm.default, c2, y, w2), 1, T, D))
    return x


class Text:
    """Writes the calls down as FX prints them."""

    def __init__(self, count):
        self.lines = ["graph():"]
        self.inputs = [f"%a{i}" for i in range(count)]
        self.lines += [f"    {name} : [num_users=1] = placeholder[target={name[1:]}]" for name in self.inputs]
        self.calls = 0

    def call(self, target, *args, **kwargs):
        word = lambda value: str(value)
        name = f"%n{len(self.lines)}"
        path = "operator.getitem" if target is operator.getitem else f"torch.ops.{target}"
        self.calls += target is not operator.getitem
        arguments = ", ".join(map(word, args)) + ("," if len(args) == 1 else "")
        options = ", ".join(f"{key}: {word(value)}" for key, value in kwargs.items())
        self.lines.append(f"    {name} : [num_users=1] = call_function[target={path}](args = ({arguments}), "
                          f"kwargs = {{{options}}})")
        return name

    def text(self, result):
        return "\n".join(self.lines) + f"\n    return ({result[1:]},)\n"


def case(shapes):
    storages, inputs = [], []
    for i, shape in enumerate(shapes):
        strides, size = [], 1
        for extent in reversed(shape):
            strides.insert(0, size)
            size *= extent
        storages.append({"dtype": "float32", "size": size, "seed": i + 1, "low": -0.08, "high": 0.08})
        inputs.append({"name": f"a{i}", "storage": i, "shape": list(shape), "stride": strides, "storage_offset": 0,
                       "dtype": "float32", "via": "set"})
    return {"inputs": {"storages": storages, "inputs": inputs}}


class Block(torch.nn.Module):
    def __init__(self, tensors, size):
        super().__init__()
        self.size = size
        self.rest = [f"p{i}" for i in range(len(tensors) - 1)]
        for name, tensor in zip(self.rest, tensors[1:]):
            self.register_buffer(name, tensor)

    def forward(self, x):
        run = lambda target, *args, **kwargs: target(*args, **kwargs)
        return block(run, [x] + [getattr(self, name) for name in self.rest], *self.size)


def median_us(run, seconds):
    for _ in range(5):
        run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) / 1000)
    return sorted(times)[len(times) // 2]


def faults_of(run):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    run()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def middle(values):
    return sorted(values)[len(values) // 2]


def spread(values):
    return f"{middle(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def measure(cli, name, onednn, seconds, rounds):
    size = SIZES[name]
    shapes = parameters(size[0], size[1])
    torch.backends.mkldnn.enabled = onednn
    torch.manual_seed(1)
    tensors = [torch.randn(shape) * 0.05 for shape in shapes]
    module = Block(tensors, size).eval()
    script = torch.jit.freeze(torch.jit.trace(module, tensors[0]))
    run = lambda target, *args, **kwargs: target(*args, **kwargs)
    text = Text(len(shapes))
    graph = text.text(block(text.call, text.inputs, *size))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "graph.txt").write_text(graph)
        Path(folder, "case.json").write_text(json.dumps(case(shapes)))
        command = [cli, "replay", f"{folder}/graph.txt", "--inputs", f"{folder}/case.json", "--threads", "1",
                   "--node-iterations", "0", "--json"] + ([] if onednn else ["--no-onednn"])
        in_python = lambda: block(run, tensors, *size)
        iterations = str(max(5, int(seconds * 1e6 / median_us(in_python, 0))))
        command += ["--iterations", iterations, "--verify", iterations]
        taken = {"python": [], "frozen": [], "replay": [], "eager": []}
        different = calls = 0

        def engine():
            nonlocal answer, different, calls
            answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            taken["replay"].append(answer["median_us"])
            taken["eager"].append(answer["eager_median_us"])
            different += answer["different"]
            calls += answer["allocator_calls"]

        answer = {}
        sides = [lambda: taken["python"].append(median_us(in_python, seconds)),
                 lambda: taken["frozen"].append(median_us(lambda: script(tensors[0]), seconds)), engine]
        for i in range(rounds):
            for side in sides if i % 2 == 0 else reversed(sides):
                side()
        faults = faults_of(in_python)
    arena = answer["arena_bytes"] / answer["peak_live_bytes"]
    python, frozen, replay, eager = (middle(values) for values in taken.values())
    of = {other: [a / b for a, b in zip(taken["replay"], taken[other])] for other in ("python", "frozen", "eager")}
    print(f"{name:6} {'oneDNN' if onednn else 'plain':7} {text.calls:4} calls  Python {python:9.1f}  TorchScript "
          f"{frozen:9.1f}  engine eager {eager:9.1f}  replay {replay:9.1f} us   of TorchScript {spread(of['frozen'])}  "
          f"of Python {spread(of['python'])}  of engine eager {spread(of['eager'])}  arena/peak {arena:.3f}  "
          f"Python's page faults {faults}  allocator calls {calls}  different {different}", flush=True)
    good = calls == 0 and arena <= 1.05 and different == 0
    if name == "tiny":
        good &= middle(of["frozen"]) <= (0.65 if onednn else 0.45) and middle(of["python"]) <= (0.25 if onednn else 0.15)
    if name == "large":
        good &= middle(of["python"]) <= 0.95
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cli")
    parser.add_argument("--sizes", default="tiny,small,large")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    good = True
    with torch.no_grad():
        for name in options.sizes.split(","):
            for onednn in (True, False):
                good &= measure(options.cli, name, onednn, options.seconds, options.rounds)
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
