#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder costs: the time of a first compile with it, over the time without.

    bench_capture.py [--backends eager,aot_eager,inductor] [--rounds 5] [--most 1.3]

Each compile is made anew in one process, in turns, and the best of each kind counts. Exit status 1 if a ratio of aot_eager or
inductor is above --most; the backend eager only hands the graph back, so that its compiles are all tracing.
"""

import argparse
import os
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugins", "capture")]

import dynascope_capture
import torch
import torch._dynamo


def compile_once(model, x, backend, path):
    torch._dynamo.reset()
    if path is not None:
        dynascope_capture.start(path)
    begin = time.perf_counter()
    torch.compile(model, backend=backend)(x)
    took = time.perf_counter() - begin
    dynascope_capture.stop()
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", default="eager,aot_eager")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--most", type=float, default=1.3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False
    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)
    model = torch.nn.TransformerEncoder(layer, options.layers, enable_nested_tensor=False).train()
    x = torch.randn(2, 8, 32)
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        for backend in options.backends.split(","):
            compile_once(model, x, backend, None)
            plain, recorded = [], []
            for i in range(options.rounds):
                plain.append(compile_once(model, x, backend, None))
                recorded.append(compile_once(model, x, backend, os.path.join(folder, f"{backend}{i}.dsteps")))
            ratio = min(recorded) / min(plain)
            print(f"{backend}: {min(plain):.2f} s, with the recorder {min(recorded):.2f} s, {ratio:.2f} times")
            slow = slow or (backend != "eager" and ratio > options.most)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
