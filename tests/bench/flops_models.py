# SPDX-License-Identifier: BSD-3-Clause
"""flops_models.py DYNASCOPE_CLI [MODEL...]: a training step of each model of models.py is compiled under aot_eager and profiled;
the FLOPs that `profile` counts of its nodes, by their shapes, against those that torch.utils.flop_counter counts while the
same graphs run. A model whose graphs call an operator with a symbolic shape says so. --seeds N draws N architectures each."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("cli")
parser.add_argument("models", nargs="*")
parser.add_argument("--seeds", type=int, default=1)
options = parser.parse_args()
cli = shutil.which(options.cli) or os.path.abspath(options.cli)


def one(name, seed):
    """In a process of its own, so that the trace is of this model alone."""
    code = f"import sys; sys.argv = ['x']; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); " + BODY
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TORCH_TRACE=folder + "/trace", NAME=name, SEED=str(seed), FOLDER=folder, CLI=cli)
        out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        line = next((l for l in out.stdout.splitlines() if l.startswith("{")), None)
        if line is None:
            return {"skipped": (out.stderr.strip().splitlines() or ["nothing"])[-1][:150]}
        return json.loads(line)


BODY = '''
import json, os, random, subprocess, torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode
from models import MODELS
pick = random.Random(int(os.environ["SEED"]))
torch.manual_seed(int(os.environ["SEED"]))
made = MODELS[os.environ["NAME"]](pick)
model, inputs = made
def tensors(out):
    if isinstance(out, torch.Tensor): return [out]
    if isinstance(out, dict): return tensors(list(out.values()))
    if isinstance(out, (list, tuple)): return [t for o in out for t in tensors(o)]
    return []
def step(f):
    out = f(**inputs) if isinstance(inputs, dict) else f(*inputs)
    loss = sum(t.float().pow(2).mean() for t in tensors(out) if t.requires_grad and t.is_floating_point())
    if isinstance(loss, torch.Tensor): loss.backward()
compiled = torch.compile(model, backend="aot_eager", dynamic=False)
for _ in range(2): step(compiled)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
    step(compiled)
with FlopCounterMode(display=False) as counter:
    step(compiled)
path = os.environ["FOLDER"] + "/flops.json"
p.export_chrome_trace(path)
done = subprocess.run([os.environ["CLI"], "profile", path, "--capture", os.environ["FOLDER"] + "/trace", "--by", "node", "--json"],
                      capture_output=True, text=True)
document = json.loads(done.stdout)
nodes = [row for row in document["rows"] if row["part"] == "node"]
print(json.dumps({"ours": sum(row["flop"] or 0 for row in nodes), "theirs": counter.get_total_flops(),
                  "unknown": sum(row["flop"] is None for row in nodes), "nodes": len(nodes),
                  "operators": document["joined"]["operators"]}))
'''

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from models import MODELS  # noqa: E402

equal = compared = 0
for name in options.models or MODELS:
    for seed in range(options.seeds):
        result = one(name, seed)
        if "skipped" in result:
            print(f"{name} {seed}: not run: {result['skipped']}", flush=True)
            continue
        if result["operators"]["all"] == 0:
            print(f"{name} {seed}: Dynamo compiled nothing of it", flush=True)
            continue
        compared += 1
        equal += result["ours"] == result["theirs"]
        words = "equal" if result["ours"] == result["theirs"] else f"{result['theirs']:.0f} counted by PyTorch"
        of = result["operators"]
        print(f"{name} {seed}: {result['ours']:.0f} FLOP, {words}; {of['joined']} of {of['all']} operators joined, "
              f"{result['unknown']} of {result['nodes']} rows of no known shape", flush=True)
print(f"{equal} of {compared} equal torch.utils.flop_counter")
raise SystemExit(equal != compared)
