# SPDX-License-Identifier: BSD-3-Clause
"""Random programs against PyTorch's own figures: check_programs.py DYNASCOPE_CLI [--seeds FIRST:END] [--keep DIR].

A program has branches on data, breaks in loops, helpers and try blocks, random numbers and NumPy; it is called with other shapes, dtypes and
grad modes, runs into the limit of recompiles, and is at times reset in between. What `info` says of its trace is held
against the metrics and counters that PyTorch kept in that process: compiles, recompiles, failures, nodes, breaks. No
stage may be different from what the engine derives. Needs PyTorch; without NumPy programs do without it.
"""

import collections
import glob
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap


numpy = importlib.util.find_spec("numpy") is not None


class Program:
    """Source of a module M whose forward(x, y, n, flag) takes two float tensors of shape [s, 4]."""

    def __init__(self, rng):
        self.rng, self.names, self.helpers = rng, 0, []
        lines, values = self.block(["x", "y"], 0, True)
        lines.append(f"return {rng.choice(values)}")
        self.source = "\n".join([
            "import random, sys, time, warnings",
            *(["import numpy as np"] if numpy else []),
            "import torch",
            "import torch.nn.functional as F",
            "G = []",
            *self.helpers,
            "class M(torch.nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
            "        self.lin = torch.nn.Linear(4, 4)",
            "        self.count = 0",
            "    def forward(self, x, y, n=2, flag=True):",
            textwrap.indent("\n".join(lines), " " * 8),
            "",
        ])

    def new(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def expression(self, values, in_module):
        a, b = self.rng.choice(values), self.rng.choice(values)
        return self.rng.choice([
            f"{a} * {self.rng.randint(2, 4)} + 1",
            f"torch.relu({a})",
            f"{a} + {b}",
            f"{a}.sum(0, keepdim=True) + {a}",
            f"self.lin({a}.to(self.lin.weight.dtype))" if in_module else f"{a}.cos()",
            f"{a}.clone().add_(1)",
            f"torch.cat([{a}, {a}])[: {a}.shape[0]]",
            f"F.dropout({a}, 0.5, {self.rng.choice(['True', 'False'])})",
            f"torch.nonzero({a} > 0).float().sum() + {a}",
            f"torch.from_numpy(np.sin({a}.detach().numpy())) + {a}" if numpy else f"{a}.sin()",
            f"[t * 2 for t in ({a}, {b})][0]",
        ])

    def block(self, values, depth, in_module):
        """Lines, and the names that hold tensors after them."""
        lines, values = [], list(values)
        for _ in range(self.rng.randint(1, 4)):
            made = getattr(self, self.rng.choice(
                ["assign"] * 8 + ["call_out"] * 3 + ["item", "try_it", "no_grad"] + (["branch", "branch", "loop", "helper"] if depth < 2 else [])
            ))(values, depth, in_module)
            lines += made
        return lines, values

    def assign(self, values, depth, in_module):
        line = f"{self.new()} = {self.expression(values, in_module)}"
        values.append(line.split(" ")[0])
        return [line]

    def call_out(self, values, depth, in_module):
        return [self.rng.choice([
            "torch._dynamo.graph_break()", "print('p', end='', file=sys.stderr)", "G.append(1)", "len(G)", "time.time()",
            "warnings.warn('w')", "random.random()", "self.count += 1" if in_module else "G.append(2)"])]

    def item(self, values, depth, in_module):
        value, made = self.rng.choice(values), self.new()
        values.append(made)
        return [f"{made} = {value} * {value}.sum().item()"]

    def try_it(self, values, depth, in_module):
        value, made = self.rng.choice(values), self.new()
        values.append(made)
        inside = self.rng.choice(["torch._dynamo.graph_break()", "raise ValueError('x')", "pass"])
        return ["try:", f"    {made} = {value}.tan()", f"    {inside}", "except ValueError:", f"    {made} = {value}.cosh()"]

    def no_grad(self, values, depth, in_module):
        value, made = self.rng.choice(values), self.new()
        values.append(made)
        return ["with torch.no_grad():", f"    {made} = {value} + 1", *(["    torch._dynamo.graph_break()"] if self.rng.random() < 0.4 else [])]

    def branch(self, values, depth, in_module):
        value = self.rng.choice(values)
        condition = self.rng.choice([
            f"{value}.sum() > {self.rng.randint(-3, 3)}", f"n > {self.rng.randint(0, 4)}", f"{value}.shape[0] > {self.rng.randint(2, 6)}",
            "flag", "self.training" if in_module else "flag", "torch.is_grad_enabled()"])
        lines = [f"if {condition}:", *self.indented(values, depth, in_module)]
        return lines + (["else:", *self.indented(values, depth, in_module)] if self.rng.random() < 0.5 else [])

    def indented(self, values, depth, in_module):
        return ["    " + line for line in self.block(values, depth + 1, in_module)[0]]

    def loop(self, values, depth, in_module):
        made = self.new()
        lines = [f"{made} = {self.rng.choice(values)}", f"for i in range({self.rng.choice(['2', '3', 'n'])}):"]
        values.append(made)
        return lines + self.indented(values, depth + 1, in_module) + [f"    {made} = {made} + {self.rng.choice(['1', 'i'])}"]

    def helper(self, values, depth, in_module):
        name, made, given = self.new("h"), self.new(), self.rng.choice(values)
        lines, inside = self.block(["a"], depth + 1, False)
        disabled = ["@torch.compiler.disable"] if self.rng.random() < 0.25 else []
        self.helpers += [*disabled, f"def {name}(a, n, flag):", textwrap.indent("\n".join([*lines, f"return {inside[-1]}"]), "    ")]
        values.append(made)
        return [f"{made} = {name}({given}, n, flag)"]


def run(seed, folder, torch):
    """Compiles and calls the program of a seed; what PyTorch counted."""
    import torch._dynamo.utils as utils

    rng = random.Random(seed)
    torch.manual_seed(seed)
    path = os.path.join(folder, "program.py")
    with open(path, "w") as out:
        out.write(Program(rng).source)
    space = {"__name__": "program", "__file__": path}
    with open(path) as source:
        exec(compile(source.read(), path, "exec"), space)
    backend = rng.choice(["inductor", *["aot_eager", "eager"] * 2])
    torch._dynamo.config.recompile_limit = rng.choice([2, 8, 8])
    dynamic = rng.choice([None, None, True, False])
    kept = {}
    for again in range(rng.choice([1, 1, 2])):
        if again:
            torch._dynamo.reset()
        module = space["M"]()
        module.train(rng.random() < 0.7)
        compiled = torch.compile(module, backend=backend, dynamic=dynamic)
        for _ in range(rng.randint(2, 6)):
            rows, grad, train = rng.choice([3, 3, 5, 7]), rng.random() < 0.3, rng.random() < 0.7
            arguments = [torch.randn(rows, 4, requires_grad=grad), torch.randn(rows, 4), *([rng.randint(0, 5)] if rng.random() < 0.3 else [])]
            try:
                with torch.set_grad_enabled(rng.random() < 0.8):
                    result = compiled(*arguments, **({"flag": False} if rng.random() < 0.2 else {}))
                    if isinstance(result, torch.Tensor) and result.requires_grad and train:
                        result.sum().backward()
            except Exception:  # the program's own, such as a variable that no branch bound
                pass
        kept.update({id(one): one for one in utils.get_compilation_metrics()})
    # What the limit of recompiles ends has neither name nor direction.
    compiles = [one for one in kept.values() if one.is_forward is not False and not one.is_runtime]
    return {
        "compiles": [[str(one.compile_id), one.co_name, bool(one.recompile_reason), one.fail_type, one.graph_op_count] for one in compiles],
        "breaks": sum(utils.counters["graph_break"].values()),
        "graphs": utils.counters["stats"].get("unique_graphs", 0),
        "backend": backend,
    }


def trace(seed, folder):
    os.environ["TORCH_TRACE"] = folder
    import torch

    torch.set_num_threads(1)
    with open(os.path.join(folder, "truth.json"), "w") as out:
        json.dump(run(seed, folder, torch), out)


def asked(cli, *arguments):
    answer = subprocess.run([cli, *arguments], capture_output=True, text=True)
    try:
        return json.loads(answer.stdout)
    except ValueError:
        raise SystemExit(f"{arguments}: {answer.stderr.strip()[-300:]}")


def differences(cli, folder):
    with open(os.path.join(folder, "truth.json")) as file:
        truth = json.load(file)
    logs = glob.glob(folder + "/dedicated_log_torch_trace_*.log")
    if not logs:
        return [f"no log of {len(truth['compiles'])} compiles"] if truth["compiles"] else []
    info = asked(cli, "info", "--json", logs[0])
    found = []

    def same(what, theirs, here):
        if theirs != here:
            found.append(f"{what}: PyTorch {theirs}, here {here}")

    compiles = info["compiles"]
    ids = [compile["compile_id"].split("@")[0] for compile in compiles]
    theirs = truth["compiles"]
    same("compiles", sorted(collections.Counter(one[0] for one in theirs).items()), sorted(collections.Counter(ids).items()))
    # At the limit of recompiles PyTorch keeps no name.
    named = [(i, one["function"]) for i, one in zip(ids, compiles) if "recompile limit" not in str(one.get("failure"))]
    same("functions", sorted((one[0], one[1]) for one in theirs if one[1]), sorted(named))
    same("recompiles", sorted(one[0] for one in theirs if one[2]), sorted(i for i, one in zip(ids, compiles) if one["recompile_reason"]))
    same("failures", sorted((one[0], one[3]) for one in theirs if one[3]), sorted((i, one["failure"]["type"]) for i, one in zip(ids, compiles) if one.get("failure")))
    same("graphs", truth["graphs"], sum(any(stage["name"] == "dynamo_output_graph" for stage in one["stages"]) for one in compiles))
    # Branches on data and frames that are skipped are breaks that PyTorch's counter leaves out.
    breaks = [one["short_reason"] for compile in compiles for one in compile["graph_breaks"]]
    if len(breaks) < truth["breaks"]:
        found.append(f"breaks: PyTorch {truth['breaks']}, here {len(breaks)}")
    found += [f"a break's title: {title}" for title in breaks if title.startswith(("Encountered", "Failed to handle")) or title.endswith(":")]
    answer = next(one for one in info["answers"] if one["question"] == "breaks")
    same("breaks of the answer", str(len(breaks)), answer["figure"])
    if truth["backend"] != "eager":
        for stage in asked(cli, "rederive", "--json", logs[0])["stages"]:
            if stage["verdict"] == "different":
                found.append(f"{stage['compile']} {stage['stage']}: different: {stage.get('reason', '')[:200]}")
    return found


def main():
    if sys.argv[1] == "--trace":
        return trace(int(sys.argv[2]), sys.argv[3])
    cli = sys.argv[1]
    options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
    first, end = (int(part) for part in options.get("--seeds", "0:6").split(":"))
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(first, end):
            folder = os.path.join(options.get("--keep", temporary), f"seed_{seed}")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            child = subprocess.run([sys.executable, "-W", "ignore", __file__, "--trace", str(seed), folder], capture_output=True, text=True)
            if not os.path.exists(folder + "/truth.json"):
                print(f"seed {seed}: not traced (status {child.returncode}): {child.stderr.strip()[-200:]}")
                continue
            for text in differences(cli, folder):
                wrong += 1
                print(f"seed {seed}: {text}")
    print(f"{end - first} programs, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
