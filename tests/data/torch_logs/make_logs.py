"""Makes logs.tar.xz: what TORCH_LOGS prints for a few programs, each with the TORCH_TRACE of the same run.

    python make_logs.py            # makes all of them, with the interpreter it runs in
    python make_logs.py NAME       # the program itself
"""
import hashlib, os, re, subprocess, sys, tarfile, tempfile
from pathlib import Path

LOGS = "graph_code,aot_graphs,aot_joint_graph,pre_grad_graphs,post_grad_graphs,output_code,graph_breaks,guards,recompiles"
PROGRAMS = {"breaks": LOGS, "train": LOGS, "dynamic": LOGS + ",+dynamo", "verbose": "recompiles_verbose,bytecode,graph_code",
            "fail": LOGS + ",+dynamo", "ranks": "graph_code,aot_graphs,graph_breaks,guards,recompiles"}


def program(name):
    import torch
    if name == "breaks":
        def inner(x):
            y = x.sin()
            print("norm", y.shape)
            return y + 1
        @torch.compile
        def f(x, k):
            z = inner(x * k)
            w = torch.nn.functional.relu(z)
            w[:, 0] = x[:, 0]
            return w if w.sum() > 0 else -w
        for rows, k in ((4, 2), (5, 2), (5, 3)):
            f(torch.ones(rows, 8), k)
    elif name == "train":
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
        torch.compile(model)(torch.ones(2, 8)).sum().backward()
    elif name in ("dynamic", "verbose"):
        @torch.compile
        def g(x, n):
            return (x * n).sin().sum(-1)
        for i in range(4):
            x = torch.ones(4, 3 + i)
            g(x.double() if i == 2 else x, float(i))
    elif name == "fail":
        @torch.compile
        def h(x):
            return x + torch.ops.aten._unsafe_view(x, [7])
        h(torch.ones(2, 3))
    elif name == "ranks":
        import torch.distributed as dist
        dist.init_process_group("gloo")
        rank = dist.get_rank()
        @torch.compile(backend="aot_eager")
        def f(x):
            y = x @ x.t()
            if rank == 1: print("rank", rank)
            return y.relu()
        f(torch.ones(3 + rank, 8))
        dist.destroy_process_group()


def neutral(text, folder):
    prefix = sys.prefix
    text = text.replace(os.path.realpath(prefix), "/opt/venv").replace(prefix, "/opt/venv").replace(str(folder), "/home/user/models")
    return re.sub(r"/tmp/torchinductor_\w+", "/tmp/torchinductor_user", text)


def rehash(trace):
    """Payload hashes of a trace whose text was changed."""
    lines, out, i = trace.split("\n"), [], 0
    while i < len(lines):
        head, i = lines[i], i + 1
        payload = []
        while i < len(lines) and lines[i].startswith("\t"):
            payload.append(lines[i][1:])
            i += 1
        if payload:
            digest = hashlib.md5("\n".join(payload).encode()).hexdigest()
            head = re.sub(r'"has_payload": "\w+"', f'"has_payload": "{digest}"', head)
        out += [head, *("\t" + line for line in payload)]
    return "\n".join(out)


def anonymous(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def make():
    with tempfile.TemporaryDirectory() as name, tarfile.open("logs.tar.xz", "w:xz") as archive:
        folder = Path(name) / "models"
        folder.mkdir()
        (folder / "programs.py").write_text(Path(__file__).read_text())
        for program_name, logs in PROGRAMS.items():
            traces = folder / program_name
            env = dict(os.environ, TORCH_LOGS=logs, TORCH_TRACE=str(traces), TORCHINDUCTOR_CACHE_DIR=str(Path(name) / "cache"),
                       PYTHONUNBUFFERED="1", TORCHINDUCTOR_FORCE_DISABLE_CACHES="1")
            run = [sys.executable]
            if program_name == "ranks":
                run += ["-m", "torch.distributed.run", "--nproc-per-node=2"]
            done = subprocess.run(run + ["programs.py", program_name], cwd=folder, env=env, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            files = {f"{program_name}.log": done.stdout}
            for trace in sorted(traces.iterdir()):
                rank = re.search(r"_rank_\d+", trace.name)
                files[f"{program_name}.trace{rank[0] if rank else ''}.log"] = rehash(neutral(trace.read_text(), folder))
            files[f"{program_name}.log"] = neutral(files[f"{program_name}.log"], folder)
            for path, text in files.items():
                out = folder / path
                out.write_text(text)
                archive.add(out, path, filter=anonymous)


if __name__ == "__main__":
    program(sys.argv[1]) if len(sys.argv) > 1 else make()
