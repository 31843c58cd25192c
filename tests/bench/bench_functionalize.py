#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functionalizes a graph of 10,000 operators in the engine, steps and scorecard recorded, and with PyTorch's
make_fx(functionalize(f)), in one run, and compares both the time and the graphs. Needs PyTorch.

    bench_functionalize.py path/to/dynascope-cli [--ops N] [--at-least RATIO]
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def program(ops):
    """Rounds of: a view, a write through it, a new value, a column of it, a write through that."""
    lines = ["graph():", "    %x_1 : [num_users=1] = placeholder[target=x_1]"]
    used = {}

    def call(name, target, args):
        used[name] = used.get(name, -1) + 1
        out = name if used[name] == 0 else f"{name}_{used[name]}"
        lines.append(f"    %{out} : [num_users=1] = call_function[target=torch.ops.aten.{target}]"
                     f"(args = ({args}), kwargs = {{}})")
        return "%" + out

    y = "%x_1"
    for _ in range(ops // 5):
        flat = call("view", "view.default", f"{y}, [64]")
        call("add_", "add_.Tensor", f"{flat}, 1")
        y = call("mul", "mul.Tensor", f"{y}, 0.5")
        column = call("select", "select.int", f"{y}, 1, 0")
        call("relu_", "relu_.default", column)
    lines.append(f"    return ({y[1:]},)")
    return "\n".join(lines)


def same_program(rounds):
    def run(x):
        y = x
        for _ in range(rounds):
            y.view([64]).add_(1)
            y = y * 0.5
            y.select(1, 0).relu_()
        return (y,)
    return run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--ops", type=int, default=10000)
    parser.add_argument("--at-least", type=float, default=200)
    options = parser.parse_args()

    import torch
    from torch.func import functionalize
    from torch.fx.experimental.proxy_tensor import make_fx

    inputs = {"storages": [{"dtype": "float32", "data": [float(i % 7) for i in range(64)]}],
              "inputs": [{"name": "x", "storage": 0, "shape": [8, 8], "stride": [8, 1], "storage_offset": 0,
                          "dtype": "float32", "via": "set"}]}
    with tempfile.TemporaryDirectory() as folder:
        graph, values = Path(folder, "graph.fx"), Path(folder, "inputs.json")
        graph.write_text(program(options.ops))
        values.write_text(json.dumps(inputs))
        answer = subprocess.run([options.cli, "pass", "functionalize", str(graph), "--inputs", str(values),
                                 "--steps", "--json"], capture_output=True, text=True, check=True)
    reply = json.loads(answer.stdout)
    rows = sum(len(step.get("scorecard", [])) for step in reply["steps"])

    x = torch.tensor(inputs["storages"][0]["data"]).view(8, 8)
    start = time.perf_counter()
    traced = make_fx(functionalize(same_program(options.ops // 5), remove="mutations"))(x)
    theirs = time.perf_counter() - start

    ours = reply["median_us"] / 1e6
    ratio = theirs / ours
    print(f"{options.ops} operators -> {reply['nodes_after']} nodes, {len(reply['steps'])} steps, {rows} rows")
    print(f"engine {ours * 1e3:.1f} ms, PyTorch {theirs:.2f} s, ratio {ratio:.0f}")
    if str(traced.graph) != reply["graph"]:
        print("the graphs differ", file=sys.stderr)
        return 1
    return 0 if ratio >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
