#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether recordings of passes hold what PyTorch itself says of the same compiles, and what recording costs.

    check_passes.py [PROGRAMS.py] [--only NAME,NAME] [--write FILE]

Compiles programs with and without the recorder, each in a process of its own with empty caches: those below, the models of
tests/bench/models.py, and with PROGRAMS.py, a program that takes NAME and "inductor", those that it compares its name with.
Prints a table in Markdown: "without" and "with" are seconds of compiling, C++ compilers among them, the factor is of the time that Python's process
was busy, "own" what the recorder says it took of it. Exit status 1 if something is missing, differs or failed.
"""

import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import check_captures
import pass_recording

# What the models and programs of others leave out.
OWN = {
    "dynamic": """
        @torch.compile(dynamic=True)
        def f(x, w):
            y = (x @ w).relu()
            return y.reshape(-1)[: x.shape[0]].softmax(0), y.sum(1)
        for n in (5, 9):
            f(torch.randn(n, 8, requires_grad=True), torch.randn(8, 16))[1].sum().backward()
    """,
    "frozen_conv": """
        torch._inductor.config.freezing = True
        m = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 1)).eval()
        with torch.no_grad():
            torch.compile(m)(torch.randn(2, 3, 12, 12))
    """,
    "cond": """
        @torch.compile
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))
        f(torch.ones(8, 8))
    """,
    "complex": """
        @torch.compile
        def f(x):
            return torch.fft.rfft(x).abs() + torch.view_as_real(torch.complex(x, x)).sum(-1)[:, :9]
        f(torch.randn(4, 16))
    """,
    "scatter": """
        @torch.compile
        def f(x, i, v):
            x.index_put_((i,), v, accumulate=True)
            return x.cumsum(0), torch.sort(v).values
        f(torch.zeros(16, 4), torch.tensor([1, 3, 3]), torch.randn(3, 4))
    """,
    "max_autotune": """
        torch._inductor.config.max_autotune = True
        m = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 64)).eval()
        with torch.no_grad():
            torch.compile(m)(torch.randn(32, 64))
    """,
    "custom_passes": """
        from torch._inductor.custom_graph_pass import CustomGraphPass
        class Swap(CustomGraphPass):
            def __call__(self, graph):
                for node in list(graph.nodes):
                    if node.target is torch.ops.aten.sin.default:
                        with graph.inserting_after(node):
                            new = graph.call_function(torch.ops.aten.cos.default, node.args)
                        new.meta.update(node.meta)
                        node.replace_all_uses_with(new)
                        graph.erase_node(node)
            def uuid(self):
                return b"swap"
        config = torch._inductor.config
        config.joint_custom_post_pass = config.post_grad_custom_pre_pass = config.post_grad_custom_post_pass = Swap()
        config.pre_grad_custom_pass = lambda graph: None
        torch.compile(lambda x: (x.sin() * 2).sum())(torch.ones(8, requires_grad=True)).backward()
    """,
    "checkpointed": """
        from torch.utils.checkpoint import checkpoint
        m = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.GELU(), torch.nn.Linear(16, 16))
        torch.compile(lambda x: checkpoint(m, x, use_reentrant=False).sum())(torch.randn(4, 16)).backward()
    """,
}
MODELS = ("gpt2", "llama", "bert", "mixtral", "mamba", "vit", "resnet", "unet", "lstm", "mixer")


def run_model(name):
    """One of tests/bench/models.py, trained a step."""
    import random

    import torch

    sys.path.insert(0, os.path.join(HERE, "..", "bench"))
    import models

    torch.manual_seed(0)
    model, inputs = getattr(models, name)(random.Random(1))
    compiled = torch.compile(model)
    out = compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)
    tensors = [value for value in _leaves(out) if value.is_floating_point() and value.requires_grad]
    if tensors:
        sum(value.float().sum() for value in tensors).backward()


def _leaves(out):
    import torch

    if isinstance(out, torch.Tensor):
        return [out]
    if isinstance(out, dict):
        out = list(out.values())
    return [leaf for value in out for leaf in _leaves(value)] if isinstance(out, (list, tuple)) else []


def child(kind, name, programs, folder, recorded, said):
    """In a process of its own: runs a program, and writes what was logged and how long it compiled."""
    import logging
    import runpy
    import textwrap
    import time

    import torch
    import torch._dynamo
    import torch._inductor.compile_fx
    from torch._inductor import scheduler

    counts = collections.Counter()

    class Handler(logging.Handler):
        def emit(self, record):
            text = record.getMessage()
            if text.startswith("cannot fuse "):
                counts[text] += 1

    scheduler.fusion_log.setLevel(logging.DEBUG)
    scheduler.fusion_log.propagate = False
    scheduler.fusion_log.addHandler(Handler(logging.DEBUG))
    if recorded:
        sys.path.insert(0, os.path.join(HERE, "..", "..", "plugins", "capture"))
        import dynascope_capture

        dynascope_capture.start_passes(folder)
    error = None
    began, busy = time.perf_counter(), time.process_time()
    try:
        if kind == "own":
            torch.manual_seed(0)
            exec(compile(textwrap.dedent(OWN[name]), f"{name}.py", "exec"), {"torch": torch, "__name__": "__main__"})
        elif kind == "model":
            run_model(name)
        else:
            sys.argv = [programs, name, "inductor"]
            runpy.run_path(programs, run_name="__main__")
    except BaseException as failure:
        error = f"{type(failure).__name__}: {failure}"[:200]
    elapsed, busy = time.perf_counter() - began, time.process_time() - busy
    if recorded:
        dynascope_capture.stop()
    times = torch._dynamo.utils.compilation_time_metrics
    spent = {key: sum(times.get(key, ())) for key in ("entire_frame_compile", "entire_backward_compile")}
    with open(said, "w") as file:
        json.dump({"refusals": counts, "error": error, "elapsed": elapsed, "busy": busy, "compile": sum(spent.values()) or elapsed}, file)


def run(kind, name, programs, recorded, folder):
    """What one run left: what it said, its trace, its recordings."""
    place = os.path.join(folder, "with" if recorded else "without")
    trace, recording, said = (os.path.join(place, part) for part in ("trace", "recording", "said.json"))
    os.makedirs(recording)
    environment = {**os.environ, "TORCH_TRACE": trace, "TORCHINDUCTOR_CACHE_DIR": os.path.join(place, "cache"), "OMP_NUM_THREADS": "1",
                   "TORCHINDUCTOR_COMPILE_THREADS": "1", "PYTHONHASHSEED": "0"}
    subprocess.run([sys.executable, "-W", "ignore", os.path.abspath(__file__), "--child", kind, name, programs or "", recording,
                    "1" if recorded else "", said], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200)
    with open(said) as file:
        said = json.load(file)
    records = [record for path in sorted(glob.glob(os.path.join(trace, "*.log"))) for record in check_captures.records(path)]
    return said, records, recording


def codes(records):
    found = [payload for metadata, payload in records if "inductor_output_code" in metadata]
    return [re.sub(r"# AOT ID: .*|/tmp/\S+|# kernel path: .*|0x[0-9a-f]+|\b[0-9a-f]{12}\b", "", text) for text in found]


def makers(recording):
    """(nodes of post-grad graphs that a record says the maker of, of all)."""
    made, modules = set(), {}
    for state in recording.of("state"):
        if "nodes" in state:
            # A copy keeps the names of what it is a copy of; the rest was traced then.
            made |= {identity for identity, _ in state["nodes"]}
        if state["pass"]:
            made |= {identity for identity, _ in state.get("created", ())}
        modules[state["id"]] = state
    good = total = 0
    for stage in recording.of("stage"):
        if stage["stage"] in ("inductor_post_grad_graph", "after_post_grad_graph"):
            nodes = recording.nodes(stage["state"])
            good += sum(identity in made for identity in nodes)
            total += len(nodes)
    return good, total


def kernels(recordings, texts):
    """(kernels of generated code with scheduler nodes, of all)."""
    known = {kernel["name"] for recording in recordings for kernel in recording.of("kernel") if kernel["operations"]}
    names = [name for text in texts for name in re.findall(r"^(\w+) = async_compile\.", text, re.M)]
    return sum(name in known for name in names), len(names)


def ends(recording):
    """Of the phases that are in no other."""
    inner = {graph["id"] for graph in recording.of("graph") if graph["parent"]}
    return [end for end in recording.of("graph_end") if end["graph"] not in inner]


def check(kind, name, programs):
    with tempfile.TemporaryDirectory() as folder:
        alone, plain, _ = run(kind, name, programs, False, folder)
        said, records, place = run(kind, name, programs, True, folder)
        found = pass_recording.folder(place)
        good, total, lost = pass_recording.compare_with_trace(found, pass_recording.stages_of(records))
        texts = codes(records)
        passes = [entry for recording in found for entry in recording.passes() if entry["kind"] != "skipped"]
        refused = sum((recording.refusals() for recording in found), collections.Counter())
        made = [sum(column) for column in zip(*map(makers, found))] or [0, 0]
        row = {
            "name": name, "graphs": len(texts), "passes": len(passes), "changed": sum(entry.get("changed", False) for entry in passes),
            "states": (good, total), "makers": tuple(made), "kernels": kernels(found, texts),
            "refusals": (sum((refused & collections.Counter(said["refusals"])).values()), sum(said["refusals"].values())),
            "more": sum((refused - collections.Counter(said["refusals"])).values()),
            "same": codes(plain) == texts and alone["error"] == said["error"],
            "faults": [fault for recording in found for fault in recording.of("fault")],
            "seconds": (alone["compile"], said["compile"]), "busy": (alone["busy"], said["busy"]),
            "own": sum(end["own_us"] for recording in found for end in ends(recording)) / 1e6,
            "bytes": sum(os.path.getsize(path) for path in glob.glob(os.path.join(place, "*.dpasses"))),
            "lost": sorted({stage for stage, _ in lost}), "error": said["error"],
        }
    return row


def line(row):
    def share(pair):
        return f"{pair[0]} of {pair[1]}"

    before, after = row["seconds"]
    busy = row["busy"][1] / row["busy"][0]
    return (f"| {row['name']} | {row['graphs']} | {row['passes']} | {row['changed']} | {share(row['states'])} | {share(row['makers'])} | "
            f"{share(row['kernels'])} | {share(row['refusals'])} | {'yes' if row['same'] else 'NO'} | {before:.1f} s | {after:.1f} s | "
            f"{busy:.2f} | {row['own']:.2f} s | {row['bytes'] / 1024:.0f} KiB |")


def is_good(row):
    pairs = ("states", "makers", "kernels", "refusals")
    return all(row[name][0] == row[name][1] for name in pairs) and row["same"] and not row["faults"] and not row["more"]


def main():
    if sys.argv[1:2] == ["--child"]:
        kind, name, programs, folder, recorded, said = sys.argv[2:]
        child(kind, name, programs, folder, bool(recorded), said)
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    options = parser.parse_args()
    wanted = [("own", name) for name in OWN]
    if options.programs:
        with open(options.programs) as file:
            wanted += [("program", name) for name in dict.fromkeys(re.findall(r'name == "(\w+)"', file.read()))]
    wanted += [("model", name) for name in MODELS]
    only = set(filter(None, options.only.split(",")))
    head = ["| program | graphs | passes | changed | states as traced | nodes with a maker | kernels with nodes | refusals as logged | "
            "same code | without | with | CPU time, factor | own | recording |", "|" + " --- |" * 14]
    print("\n".join(head), flush=True)
    lines, failed = head, 0
    for kind, name in wanted:
        if only and name not in only:
            continue
        try:
            row = check(kind, name, options.programs)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            failed += 1
            continue
        lines.append(line(row))
        print(lines[-1], flush=True)
        if not is_good(row):
            failed += 1
            print(f"    {name}: not as traced {row['lost']}, refusals too many {row['more']}, faults {row['faults'][:3]}, {row['error']}",
                  file=sys.stderr, flush=True)
    if options.write:
        with open(options.write, "w") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
