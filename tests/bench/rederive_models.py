#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces models from random configurations in training and inference (aot_eager) and prints what `dynascope-cli
rederive` makes of each, as a Markdown table. Needs PyTorch and transformers.

    rederive_models.py path/to/dynascope-cli [--configurations N] [--traces DIR] [NAME ...]
    rederive_models.py path/to/dynascope-cli --architectures [--every] [--limit SECONDS] [--traces DIR] [NAME ...]

With --traces the traces stay in DIR, and one that is there already is used again. With --architectures the models are
tiny ones of transformers' own architectures, a choice of them or with --every all that it maps; NAME is then a model_type.
One that cannot be built, or whose trace takes more than SECONDS (60) of CPU time, is left out, and the row says so.
"""
import argparse
import collections
import json
import os
import random
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ["GPT-2", "Llama", "BERT", "T5", "ViT", "Swin", "CLIP", "Whisper", "Mixtral", "Mamba", "ResNet",
         "MobileNet-like", "U-Net", "LSTM", "GRU", "MLP-Mixer", "autoencoder", "graph convolution",
         "cache with index_copy_", "Adam step"]


def training(model, inputs):
    import torch
    compiled = torch.compile(model.train(), backend="aot_eager")
    result = compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)
    loss = getattr(result, "loss", None)
    if loss is None:
        loss = result if isinstance(result, torch.Tensor) else result[0]
    (loss if loss.dim() == 0 else loss.square().mean()).backward()


def inference(model, inputs):
    import torch
    compiled = torch.compile(model.eval(), backend="aot_eager")
    with torch.no_grad():
        compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)


def run(name, mode, seed, architecture):
    import torch
    torch._dynamo.config.allow_rnn = True
    torch.manual_seed(seed)
    step = training if mode == "training" else inference
    if architecture:
        import architectures
        return step(*architectures.build(name))
    import models
    pick = random.Random(f"{name} {seed}")
    if name == "Adam step":
        optimize, arguments = models.adam_step(pick)
        optimize(*arguments)
    else:
        step(*models.MODELS[name](pick))


def traced(name, mode, seed, folder, options):
    """The trace of one model, made in a child of this process; or None and why there is none."""
    target = folder / f"{name} {mode} {seed}.log".replace(" ", "_")
    if target.exists():
        return target, ""
    logs = Path(os.environ["TORCH_TRACE"])
    why = logs / "why.txt"
    import torch._dynamo.backends.debugging  # once, for all children
    import torch._functorch.aot_autograd
    import transformers
    if options.architectures:
        import architectures
    child = os.fork()
    if child == 0:
        if options.architectures:
            resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit))
        try:
            run(name, mode, seed, options.architectures)
            os._exit(0)
        except BaseException as error:
            why.write_text(f"{type(error).__name__}: {error}".splitlines()[0][:200])
            os._exit(1)
    _, status = os.waitpid(child, 0)
    log = next(logs.glob("*.log"), None)
    if status == 0 and log:
        shutil.move(log, target)
        return target, ""
    if log:
        log.unlink()
    return None, why.read_text() if status != 0 and why.exists() else f"no trace, status {status}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--configurations", type=int, default=3)
    parser.add_argument("--traces")
    parser.add_argument("--architectures", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--limit", type=int, default=60)
    options = parser.parse_intermixed_args()
    if options.architectures:
        options.configurations = 1
    print("| model | mode | isomorphic | other verdicts |\n|---|---|---|---|")
    total = same = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.traces or Path(temporary, "kept"))
        os.environ["TORCH_TRACE"] = temporary
        folder.mkdir(parents=True, exist_ok=True)
        names = options.names or NAMES
        if options.architectures and not options.names:
            import architectures  # and with it torch, which looks for TORCH_TRACE now
            names = architectures.every() if options.every else architectures.CHOSEN
        for name in names:
            for mode in ["inference"] if name == "Adam step" else ["training", "inference"]:
                stages, others = [], collections.Counter()
                for seed in range(options.configurations):
                    log, why = traced(name, mode, seed, folder, options)
                    if not log:
                        others[f"not traced: {why}"] += 1
                        continue
                    answer = subprocess.run([options.cli, "rederive", str(log), "--json"], capture_output=True, text=True)
                    if not answer.stdout:
                        others[answer.stderr.strip()] += 1
                        continue
                    stages += json.loads(answer.stdout)["stages"]
                good = [stage for stage in stages if stage["verdict"] == "isomorphic"]
                for stage in stages:
                    if stage["verdict"] != "isomorphic":
                        others[f"{stage['stage']} {stage['verdict']}: {stage['reason']}"] += 1
                words = "; ".join(f"{count} x {text}" if count > 1 else text for text, count in sorted(others.items()))
                print(f"| {name} | {mode} | {len(good)} of {len(stages)} | {words[:400]} |", flush=True)
                total, same = total + len(stages), same + len(good)
    print(f"\n{same} of {total} stages isomorphic ({100 * same / max(total, 1):.1f} %).")


if __name__ == "__main__":
    main()
