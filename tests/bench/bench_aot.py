#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Derives metadata, joint graph and the two halves of one training step of a 24-layer Llama in the engine, and has
PyTorch's AOTAutograd do the same to the same Dynamo graph, in one run. Each does it once to warm up, then so many times
again, of which the shortest counts. Compares the time; the graphs must be isomorphic. Needs PyTorch and transformers.

    bench_aot.py path/to/dynascope-cli [--layers N] [--rounds N] [--at-least RATIO]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def record(folder, layers, rounds):
    """The step under aot_eager with the trace on; then again without it, timing AOTAutograd alone."""
    os.environ["TORCH_TRACE"] = folder
    import torch
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import min_cut_rematerialization_partition
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(num_hidden_layers=layers, hidden_size=64, intermediate_size=128, num_attention_heads=4,
                         num_key_value_heads=2, vocab_size=512, max_position_embeddings=128, use_cache=False)
    model = LlamaForCausalLM(config).train()
    ids = torch.randint(0, config.vocab_size, (2, 32))
    torch.compile(model, backend="aot_eager")(input_ids=ids, labels=ids).loss.backward()

    del os.environ["TORCH_TRACE"]
    for handler in list(torch._logging._internal.trace_log.handlers):
        torch._logging._internal.trace_log.removeHandler(handler)
    boxed = lambda graph, inputs: make_boxed_func(graph.forward)
    aot = aot_autograd(fw_compiler=boxed, bw_compiler=boxed,
                       partition_fn=min_cut_rematerialization_partition, keep_inference_input_mutations=True)
    seconds = []

    def timed(graph, inputs, **options):
        start = time.perf_counter()
        compiled = aot(graph, inputs, **options)
        seconds.append(time.perf_counter() - start)
        return compiled

    for _ in range(rounds):
        torch._dynamo.reset()
        torch.compile(model, backend=timed)(input_ids=ids, labels=ids)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=100)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        theirs = record(folder, options.layers, options.rounds)
        log, = Path(folder).glob("*.log")
        repeat = str(options.rounds + 1)
        answer = subprocess.run([options.cli, "rederive", str(log), "--json", "--repeat", repeat],
                                capture_output=True, text=True)
    stages = json.loads(answer.stdout)["stages"]
    ours = 0
    for stage in stages:
        ours += stage["time_us"] / 1e6
        print(f"{stage['stage']:32} {stage['verdict']:12} {stage['nodes']:6} nodes  {stage['time_us'] / 1e3:8.1f} ms"
              f"  {stage['reason']}")
    ratio = theirs / ours
    print(f"engine {ours * 1e3:.0f} ms, PyTorch {theirs:.2f} s, ratio {ratio:.0f}")
    if any(stage["verdict"] != "isomorphic" for stage in stages):
        print("the graphs differ", file=sys.stderr)
        return 1
    return 0 if ratio >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
