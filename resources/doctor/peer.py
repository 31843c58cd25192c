# SPDX-License-Identifier: BSD-3-Clause
"""Runs Dynascope's own test programs as PyTorch runs them, eagerly and as torch.cuda.CUDAGraph, and prints their
times as one JSON document.

usage: python peer.py FOLDER DEVICE ITERATIONS [NAME...]
"""
import json
import pathlib
import re
import statistics
import sys
import time

import torch

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64}


def program(text, device):
    """The module that the text describes, and values for its inputs."""
    names = {"torch": torch, "device": torch.device}
    exec(text, names)
    module = names[re.search(r"class (\w+)", text)[1]]()
    head = re.search(r"def forward\(self, (.*)\):", text)[1]
    inputs = []
    for dtype, sizes in re.findall(r'"(\w+)\[([\d, ]*)\]"', head):
        shape = [int(size) for size in sizes.split(",") if size.strip()]
        inputs.append(torch.randn(shape, device=device).to(DTYPES[dtype]))
    return module, inputs


def median_us(call, iterations):
    """Of the wall time from the call to the device's end, as Dynascope measures it."""
    samples = []
    for _ in range(iterations):
        begin = time.perf_counter_ns()
        call()
        torch.cuda.current_stream().synchronize()
        samples.append((time.perf_counter_ns() - begin) / 1e3)
    return statistics.median(samples)


def measure(text, device, iterations):
    module, inputs = program(text, device)
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            module(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved(device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        held = module(*inputs)
    pool = torch.cuda.memory_reserved(device) - before
    for _ in range(20):
        graph.replay()
    out = {"cudagraph_us": median_us(graph.replay, iterations), "pool_bytes": pool}
    del held
    for _ in range(20):
        module(*inputs)
    out["eager_us"] = median_us(lambda: module(*inputs), iterations)
    return out


def main():
    folder, device, iterations, *names = sys.argv[1:]
    device = torch.device(device if ":" in device else device + ":0")
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    result = {"torch": torch.__version__, "device": torch.cuda.get_device_name(device), "programs": {}}
    with torch.no_grad():
        for path in sorted(pathlib.Path(folder).glob("*.txt")):
            if names and path.stem not in names:
                continue
            try:
                result["programs"][path.stem] = measure(path.read_text(), device, int(iterations))
            except Exception as error:  # one program must not hide what the others say
                result["programs"][path.stem] = {"error": str(error).split("\n")[0]}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
