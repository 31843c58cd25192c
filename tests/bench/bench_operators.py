#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces PyTorch's database of operators (torch.testing's op_db) under aot_eager, one function for each operator and sample, and
prints as a Markdown table what `dynascope-cli rederive` makes of them. Needs PyTorch with numpy and expecttest.

    bench_operators.py path/to/dynascope-cli [--samples 0,1,2,3] [--shapes static,dynamic] [--dtypes first,second]
                       [--only REGEX] [--traces DIR] [--json OUT] [--graph-seconds N] [--log-seconds N]

An operator's first dtype is float32 where it takes that, else complex64, int64, bool or float16; the second is the first other one of
complex64, int64, bool and float16. Gradients are asked for wherever PyTorch has them. With --traces the traces stay in DIR, and a
configuration that is there already is used again; --json has one row for each stage that is not isomorphic. A trace is made by child
processes: one that dies, or an operator that takes over 30 seconds, costs that operator alone. A graph that is not derived within
--graph-seconds (60) costs its stages, a log of 60 operators that is not answered within --log-seconds (1800) all of its; the last column
counts both, each log as one, and the list names them.
"""
import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PER_CHILD = 60
SECONDS = 30
DTYPES = ["float32", "complex64", "int64", "bool", "float16"]


class TooLong(BaseException):
    pass


def too_long(*_):
    raise TooLong()


def dtype_of(op, which, torch):
    known = op.supported_dtypes("cpu")
    found = [name for name in DTYPES if getattr(torch, name) in known]
    if which == "second":
        found = [name for name in found[1:] if name != "float32"]
    return getattr(torch, found[0]) if found else None


def trace_operator(op, number, folder, shapes, which, samples, say):
    import torch
    import torch.utils._pytree as pytree
    dtype = dtype_of(op, which, torch)
    if dtype is None:
        return say(status="no dtype")
    train = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex) and dtype in op.supported_backward_dtypes("cpu")
    torch.manual_seed(0)
    for k, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=train)):
        if k > max(samples):
            return
        if k not in samples:
            continue
        leaves, spec = pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
        at = [j for j, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        arguments = [leaves[j] for j in at]
        constants = [None if j in at else leaf for j, leaf in enumerate(leaves)]
        name = f"op{number:03d}_{k}_" + re.sub(r"\W", "_", op.full_name)
        given = ", ".join(f"t{j}" for j in at)
        body = ", ".join(f"t{j}" if j in at else f"constants[{j}]" for j in range(len(leaves)))
        source = (f"def {name}({given}):\n    a, b, c = pytree.tree_unflatten([{body}], spec)\n"
                  "    return op(a, *b, **c)\n")
        path = folder / f"{name}.py"
        path.write_text(source)
        scope = {"__name__": name, "op": op.op, "constants": constants, "spec": spec, "pytree": pytree}
        exec(compile(source, str(path), "exec"), scope)
        try:
            torch.manual_seed(0)
            try:
                scope[name](*arguments)
            except Exception as error:
                say(sample=k, status="eager raises", why=f"{type(error).__name__}: {error}"[:160])
                continue
            torch.manual_seed(0)
            compiled = torch.compile(scope[name], backend="aot_eager", fullgraph=True, dynamic=shapes == "dynamic")
            results = [x for x in pytree.tree_leaves(compiled(*arguments)) if isinstance(x, torch.Tensor) and x.requires_grad]
            if train and results:
                sum(x.abs().sum() for x in results).backward()
            say(sample=k, status="traced")
        except Exception as error:
            say(sample=k, status="PyTorch raises", why=f"{type(error).__name__}: {error}"[:200])


def trace(options):
    """Takes operators from --begin on; the exit status is 7 after the last one."""
    import warnings
    warnings.filterwarnings("ignore")
    import torch
    import torch._dynamo as dynamo
    import torch.testing._internal.common_methods_invocations as database
    database.wrapper_set_seed = lambda f, *a, **k: f(*a, **k)  # Dynamo cannot trace the seed's context manager
    torch.set_num_threads(1)
    dynamo.config.capture_scalar_outputs = dynamo.config.capture_dynamic_output_shape_ops = True
    dynamo.config.recompile_limit = dynamo.config.accumulated_recompile_limit = 100000
    signal.signal(signal.SIGALRM, too_long)
    folder = Path(options.folder)
    with (folder / "status.jsonl").open("a") as log:
        done = 0
        for number, op in enumerate(database.op_db[options.begin:], options.begin):
            if options.only and not re.search(options.only, op.full_name):
                continue
            if done == PER_CHILD:
                return

            def say(**row):
                log.write(json.dumps({"number": number, "op": op.full_name, **row}) + "\n")
                log.flush()

            done += 1
            say(status="begin")
            signal.alarm(SECONDS)
            try:
                trace_operator(op, number, folder / "sources", options.shapes, options.dtypes, options.samples, say)
            except TooLong:
                say(status=f"over {SECONDS} s")
                return  # what was cut short may leave Dynamo in any state
            except Exception as error:
                say(status="no samples", why=f"{type(error).__name__}: {error}"[:160])
            finally:
                signal.alarm(0)
    sys.exit(7)


def rows_of(folder):
    status = folder / "status.jsonl"
    return [json.loads(line) for line in status.read_text().splitlines()] if status.exists() else []


def capture(folder, shapes, dtypes, options):
    (folder / "sources").mkdir(parents=True)
    begin = seen = 0
    while True:
        environment = {**os.environ, "TORCH_TRACE": str(folder / f"{begin:04d}"), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--trace", "--folder", str(folder), "--begin", str(begin), "--shapes", shapes, "--dtypes",
                   dtypes, "--samples", options.samples, "--only", options.only]
        with (folder / f"{begin:04d}.txt").open("w") as output:
            status = subprocess.run(command, env=environment, stdout=output, stderr=subprocess.STDOUT).returncode
        rows = rows_of(folder)
        if status == 7 or len(rows) == seen:
            return
        if status != 0:
            with (folder / "status.jsonl").open("a") as log:
                log.write(json.dumps({**rows[-1], "status": f"the process died ({status})"}) + "\n")
        begin, seen = rows[-1]["number"] + 1, len(rows_of(folder))


def answer(command, seconds):
    """The answer of dynascope-cli, or why there is none."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its engine may be in a kernel that never ends
        process.communicate()
        return None, f"{command[1]} did not end within {seconds} s"
    try:
        return json.loads(output), ""
    except ValueError:
        return None, errors.strip()[-200:] or f"{command[1]} ended with status {process.returncode}"


def judged(cli, folder, options):
    """A row for each stage, with the function that it is of; one for a log that has no answer."""
    out = []
    for log in sorted(folder.glob("[0-9]*/*.log")):
        rederived, why = answer([cli, "rederive", str(log), "--json", "--timeout", str(options.graph_seconds)], options.log_seconds)
        info, lack = answer([cli, "info", str(log), "--json"], options.log_seconds) if rederived else (None, why)
        if not info:
            out.append({"verdict": "no answer", "reason": lack, "stage": "", "function": f"trace {log.parent.name}", "trace": str(log)})
            continue
        functions = {compiled["compile_id"]: compiled.get("function") or "" for compiled in info["compiles"]}
        for stage in rederived["stages"]:
            out.append({**stage, "function": functions.get(stage["compile_id"], ""), "trace": str(log)})
    return out


def bare(row):
    return re.sub(r"^op\d+_\d_", "", row["function"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--samples", default="0,1,2,3")
    parser.add_argument("--shapes", default="static,dynamic")
    parser.add_argument("--dtypes", default="first,second")
    parser.add_argument("--only", default="")
    parser.add_argument("--traces")
    parser.add_argument("--json")
    parser.add_argument("--graph-seconds", type=int, default=60)
    parser.add_argument("--log-seconds", type=int, default=1800)
    options = parser.parse_args()
    print("| shapes | dtype | operators traced | stages | isomorphic | equivalent | different | declined | no answer |")
    print("|---|---|---|---|---|---|---|---|---|")
    every, odd, left_out = collections.Counter(), [], []
    with tempfile.TemporaryDirectory() as temporary:
        for shapes in options.shapes.split(","):
            for dtypes in options.dtypes.split(","):
                folder = Path(options.traces or temporary) / f"{shapes}_{dtypes}_{options.samples.replace(',', '')}"
                if not folder.exists():
                    capture(folder, shapes, dtypes, options)
                stages = [row for row in judged(options.cli, folder, options)
                          if row["verdict"] == "no answer" or re.search(options.only, bare(row))]
                verdicts = collections.Counter(row["verdict"] for row in stages)
                traced = {row["op"] for row in rows_of(folder) if row["status"] == "traced"}
                share = 100 * verdicts["isomorphic"] / max(len(stages), 1)
                print(f"| {shapes} | {dtypes} | {len(traced)} | {len(stages)} | {verdicts['isomorphic']} ({share:.1f} %) | "
                      f"{verdicts['equivalent']} | {verdicts['different']} | {verdicts['declined']} | "
                      f"{verdicts['not derived'] + verdicts['no answer']} |", flush=True)
                every += verdicts
                left_out += [f"{shapes}, {dtypes}, {bare(row)}, {row['stage']}: {row['left_out']}" for row in stages if row.get("left_out")]
                odd += [{"shapes": shapes, "dtypes": dtypes, **row} for row in stages if row["verdict"] != "isomorphic"]
    total = sum(every.values())
    print(f"\n{every['isomorphic']} of {total} stages isomorphic ({100 * every['isomorphic'] / max(total, 1):.1f} %).\n")
    causes = collections.defaultdict(set)
    counts = collections.Counter()
    for row in odd:
        key = row["verdict"], row["reason"][:160]
        causes[key].add(bare(row))
        counts[key] += 1
    for (verdict, reason), count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1])):
        names = sorted(causes[verdict, reason])
        print(f"- {verdict}, {count} stages ({', '.join(names[:6])}{', ...' if len(names) > 6 else ''}): {reason}")
    for line in left_out:
        print(f"- isomorphic as far as derived: {line}")
    if options.json:
        Path(options.json).write_text(json.dumps(odd, indent=1))


def child():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--folder")
    parser.add_argument("--begin", type=int)
    parser.add_argument("--shapes")
    parser.add_argument("--dtypes")
    parser.add_argument("--samples", type=lambda text: [int(k) for k in text.split(",")])
    parser.add_argument("--only")
    trace(parser.parse_args())


if __name__ == "__main__":
    child() if sys.argv[1:2] == ["--trace"] else main()
