# SPDX-License-Identifier: BSD-3-Clause
"""Faults under torchrun: check_ranks.py DYNASCOPE_CLI [--runs N] [--timed] [--keep DIR] [--torchfrtrace].

Every rank of a torchrun forks a process for each case, so that PyTorch is imported once; these meet by a file, compile
and run a program with Gloo, and write traces and flight-recorder dumps. A fault is named with rank, compile and line;
N runs without a fault, of other programs, seeds and numbers of ranks, are alike. With --timed also a slow rank and a
stopped one, which are told by what runs when the dump is made: on a machine that is busy that says little. With
--torchfrtrace PyTorch's own analyzer reads each folder of dumps too: it finds a fault where the flight recorder tells
`ranks` of one, and none where it tells of none.
"""

import datetime
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

here = os.path.abspath(__file__)
timed = ["slow", "dead"]
faults = ["length", "skipped", "swapped", "reduction", "dtype", "constant", "cold"] + (timed if "--timed" in sys.argv else [])
own_line = ["length", "dtype", "constant"]  # the others: a collective's text has a line of PyTorch's only
limit = 6  # seconds that a case may hang
patience = 5  # of `ranks`: a dump says nothing of a call that is younger


def line_of(mark):
    with open(here, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.rstrip().endswith("# at: " + mark))


def with_fault(torch, fc, group, odd, fault):
    def step(x, w):
        y = x @ w  # at: near
        if odd and fault == "length":
            y = torch.cat([y, y])  # at: length
        if odd and fault == "dtype":
            y = y.double()  # at: dtype
        if odd and fault == "constant":
            y = y * 3.5  # at: constant
        elif fault == "constant":
            y = y * 2.5
        if odd and fault == "swapped":
            b = fc.all_gather_tensor(y, 0, group)
            a = fc.all_reduce(y, "sum", group)
        elif odd and fault == "skipped":
            a = y
            b = fc.all_gather_tensor(a, 0, group)
        else:
            kind = "max" if odd and fault == "reduction" else "sum"
            a = fc.all_reduce(y, kind, group)
            b = fc.all_gather_tensor(a.relu(), 0, group)
        c = fc.reduce_scatter_tensor(b.sin(), "sum", 0, group)
        return a.sum() + c.sum().to(a.dtype)

    return step


def without_fault(torch, fc, group, rank, number):
    kinds = [
        lambda x: fc.all_reduce(x.sin(), "sum", group) + 1,
        lambda x: fc.all_gather_tensor(x.relu() * rank, 0, group).sum(0),
        lambda x: fc.reduce_scatter_tensor(torch.cat([x] * group.size()), "sum", 0, group),
        lambda x: fc.all_to_all_single(torch.cat([x] * group.size()), None, None, group).cos(),
        lambda x: fc.all_reduce(fc.all_reduce(x, "max", group) @ x.t(), "sum", group),
    ]
    chosen = [kinds[(number + i) % len(kinds)] for i in range(1 + number % 3)]

    def step(x):
        return sum(f(x).sum() for f in chosen)

    return step


def dump(torch, folder, rank):
    with open(f"{folder}/flight_{rank}", "wb") as file:
        file.write(torch._C._distributed_c10d._dump_fr_trace())


def later(seconds, what):
    timer = threading.Timer(seconds, what)
    timer.daemon = True
    timer.start()


def run_case(torch, folder, fault, number):
    import torch.distributed as dist
    import torch.distributed._functional_collectives as fc

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch._logging._internal.LOG_TRACE_HANDLER.root_dir = folder
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/../cache_{rank}" if fault in ("warm", "cold") else f"{folder}/cache_{rank}"
    odd = rank == world - 1
    if odd and fault == "cold":
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/cache_of_its_own"
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=world,
                            timeout=datetime.timedelta(seconds=limit + (2 * patience if fault in timed else 0)))
    later((20 if fault in ("warm", "cold") else 4) * limit, lambda: os._exit(0))
    torch.manual_seed(number)
    group = dist.group.WORLD
    backend = "inductor" if fault in ("warm", "cold") else "aot_eager"
    if fault == "none":
        step, inputs = without_fault(torch, fc, group, rank, number), [torch.randn(4 + number % 3, 4 + number % 3)]
    else:
        step, inputs = with_fault(torch, fc, group, odd, fault), [torch.randn(world * 2, 8), torch.randn(8, 8)]
    compiled = torch.compile(step, backend=backend, dynamic=False)
    try:
        compiled(*inputs)
        if fault not in timed:
            time.sleep(1)  # until all calls have retired
            dump(torch, folder, rank)
        if odd and fault == "dead":
            os.kill(os.getpid(), signal.SIGSTOP)  # as a process that is stuck in the kernel
        if fault in timed:
            later(patience + 3, lambda: dump(torch, folder, rank))
            time.sleep(limit + patience if odd else 0)
            compiled(*inputs)
    except Exception as error:  # what Gloo says of ranks that do not fit
        print(rank, fault, type(error).__name__, file=sys.stderr)
        if fault not in timed:
            dump(torch, folder, rank)
        time.sleep(3)  # the dump comes first


def worker(plan):
    import torch
    import torch.distributed._functional_collectives  # noqa: F401  (once for all cases)

    torch.set_num_threads(1)
    for folder, fault, number in plan:
        child = os.fork()
        if child == 0:
            try:
                run_case(torch, folder, fault, number)
            finally:
                os._exit(0)
        ended = time.time() + (20 if fault in ("warm", "cold") else 4) * limit + 5
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.time() > ended:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.1)


def torchrun(world, plan):
    env = dict(os.environ, TORCH_FR_BUFFER_SIZE="2000", TORCHINDUCTOR_COMPILE_THREADS="1", OMP_NUM_THREADS="1",
               TORCHINDUCTOR_FX_GRAPH_CACHE="1", TORCHINDUCTOR_AUTOGRAD_CACHE="0",
               GLOO_SOCKET_IFNAME="lo")  # a machine's own name need not lead to it
    env.pop("TORCH_TRACE", None)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(plan, file)
    for folder, _, _ in plan:
        os.makedirs(folder)
    subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(world), here,
                    "--worker", file.name], env=env, check=True, timeout=600,
                   stderr=None if "--verbose" in sys.argv else subprocess.DEVNULL)
    os.unlink(file.name)


def report(cli, folder, flight):
    command = [cli, "ranks", folder, "--json"] + (["--flight", folder] if flight else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode > 1:
        raise SystemExit(f"{folder}: {done.stderr}")
    return json.loads(done.stdout)


def check_fault(cli, folder, fault, world):
    """What is wrong with what is said of a fault; nothing where it is named."""
    odd = world - 1
    verdict = {"reduction": "may be wrong", "constant": "may be wrong", "cold": "slower"}.get(fault, "will hang")
    if fault == "dead":  # it wrote no dump: nobody can say where it is
        waiting = report(cli, folder, True)["waiting"]
        said = [w for w in waiting if w["compile"] == "0/0" and w["line"] > 0 and w["rank"] != odd]
        text = subprocess.run([cli, "ranks", folder, "--flight", folder], capture_output=True, text=True).stdout
        return None if len(said) == world - 1 and f"of rank {odd} there is no dump" in text else (waiting, text)
    found = report(cli, folder, fault == "slow")
    if found["verdict"] != verdict:
        return found["verdict"], found["reasons"]
    named = [r for r in found["reasons"] if r["verdict"] == verdict and r["compile"] == "0/0" and r["line"] > 0]
    if fault == "slow":
        named = [r for r in named if r["ranks"] == list(range(odd)) and f"rank {odd} never reached it" in r["text"]]
    else:
        named = [r for r in named if r["ranks"] == [odd]]
        if fault == "cold":
            named = [r for r in named if "found nothing in fx_graph_cache" in r["text"]]
        else:
            named = [r for r in named if os.path.basename(r["file"]) == os.path.basename(here)
                     and r["line"] == line_of(fault if fault in own_line else "near")]
    return None if named else found["reasons"]


def filled(source, target):
    """Dumps as torchfrtrace can read them, which knows NCCL's: Gloo's groups lack their name, its calls their end, and
    all_gather the number of ranks in what it gives."""
    os.makedirs(target)
    for name in os.listdir(source):
        if not re.fullmatch(r"flight_\d+", name):
            continue
        with open(f"{source}/{name}", "rb") as file:
            trace = pickle.load(file)  # our own
        groups = trace["pg_config"]
        unnamed = groups.pop("", None)
        for entry in trace["entries"]:
            group, desc = entry["process_group"]
            if unnamed and group not in groups:
                groups[group] = {**unnamed, "name": group, "desc": desc}
            entry["profiling_name"] = entry["profiling_name"].replace("gloo:", "nccl:")
            if entry["profiling_name"] == "nccl:all_gather" and entry["output_sizes"] == [[1, *entry["input_sizes"][0]]]:
                entry["output_sizes"] = [[len(json.loads(groups[group]["ranks"])), *entry["input_sizes"][0]]]
            if entry["retired"]:
                entry["state"] = "completed"
        with open(f"{target}/{name}", "wb") as file:
            pickle.dump(trace, file)


def analyzed(folder):
    """What torchfrtrace says of the dumps in a folder; nothing where it finds no fault."""
    with tempfile.TemporaryDirectory() as own:
        filled(folder, f"{own}/dumps")
        done = subprocess.run([sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", f"{own}/dumps", "--prefix", "flight_", "--allow-incomplete-ranks"],
                              capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    if done.returncode:
        raise SystemExit(f"{folder}: torchfrtrace: {said}")
    lines = [line for line in said.splitlines() if re.search(r"not all ranks|mismatch|culprit|did not|error", line, re.I)]
    return [line for line in lines if "No errors found" not in line]


def check_analyzer(cli, folder):
    """How the two analyzers differ; nothing where they agree."""
    own = report(cli, folder, True)
    told = [r["text"] for r in own["reasons"] if "by the flight recorder" in r["text"] or " waits in " in r["text"]]
    theirs = analyzed(folder)
    return None if bool(told) == bool(theirs) else {"ranks": told, "torchfrtrace": theirs, "waiting": own["waiting"]}


def main():
    cli = sys.argv[1]
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 2
    analyzes, compared = "--torchfrtrace" in sys.argv, 0
    world, wrong, started = 3, [], time.time()
    with tempfile.TemporaryDirectory() as own:
        folder = sys.argv[sys.argv.index("--keep") + 1] if "--keep" in sys.argv else own
        plan = [(f"{folder}/{fault}", fault, 1) for fault in ["warm"] + faults]
        torchrun(world, plan)
        for path, fault, _ in plan[1:]:
            if problem := check_fault(cli, path, fault, world):
                wrong.append((fault, problem))
            if analyzes and fault not in ("cold", "dead"):  # of which one dump is not there
                compared += 1
                if problem := check_analyzer(cli, path):
                    wrong.append((f"torchfrtrace, {fault}", problem))
        for ranks in (2, 3, 4):
            plan = [(f"{folder}/none_{n}", "none", n) for n in range(runs) if 2 + n % 3 == ranks]
            if not plan:
                continue
            torchrun(ranks, plan)
            for path, _, number in plan:
                found = report(cli, path, False)
                if found["verdict"] != "alike" or found["ranks"] != list(range(ranks)):
                    wrong.append((f"no fault {number}", found["reasons"]))
                if analyzes:
                    compared += 1
                    if problem := check_analyzer(cli, path):
                        wrong.append((f"torchfrtrace, no fault {number}", problem))
    for name, problem in wrong:
        print(name, json.dumps(problem, indent=1), file=sys.stderr)
    also = f", {compared} compared with torchfrtrace" if analyzes else ""
    print(f"{len(faults)} faults, {runs} runs without one{also}, {len(wrong)} wrong, {time.time() - started:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        with open(sys.argv[2], encoding="utf-8") as plan_file:
            worker(json.load(plan_file))
    else:
        sys.exit(main())
