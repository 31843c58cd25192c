"""Makes folder.tar.xz: what TORCH_COMPILE_DEBUG=1 leaves behind for a small program, and the drawings of Inductor's passes.
trace.tar.xz has the TORCH_TRACE of the same run, with Inductor's provenance records.

    PYTHONPATH=FOLDER_WITH_PYDOT python make_folder.py
"""
import os, re, subprocess, sys, tarfile, tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "torch_logs"))
from make_logs import anonymous, neutral, rehash

PROGRAM = '''\
import torch
@torch.compile
def f(x, y):
    z = torch.cat([x, y], 0).view(8, 5)
    z = z.to(torch.float32) * 1
    y = z + 3
    y[:, 0] = x.sum()
    return y.relu()
f(torch.ones(4, 5), torch.ones(4, 5))
lin = torch.nn.Linear(8, 4)
@torch.compile
def train(x):
    return lin(x).relu().sum()
train(torch.ones(2, 8)).backward()
'''


def main():
    with tempfile.TemporaryDirectory() as name, tarfile.open("folder.tar.xz", "w:xz") as archive:
        folder = Path(name) / "models"
        drawings = folder / "torch_compile_debug" / "passes"
        drawings.mkdir(parents=True)
        (folder / "cap.py").write_text(PROGRAM)
        env = dict(os.environ, TORCH_COMPILE_DEBUG="1", INDUCTOR_LOG_URL_FOR_GRAPH_XFORM=str(drawings), TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
                   TORCHINDUCTOR_CACHE_DIR=str(Path(name) / "cache"))
        subprocess.run([sys.executable, "cap.py"], cwd=folder, env=env, check=True, stderr=subprocess.DEVNULL)
        for path in sorted((folder / "torch_compile_debug").rglob("*")):
            if not path.is_file() or path.stat().st_size == 0:
                continue
            text = neutral(path.read_text(), folder)
            if path.parent.name == "tlparse":
                path.write_text(rehash(text))
                with tarfile.open("trace.tar.xz", "w:xz") as trace:
                    trace.add(path, "trace.log", filter=anonymous)
                continue
            path.write_text(text)
            inner = re.sub(r"run_[\w-]+pid_\d+", "run_2026_11_21_10_00_00_000000-pid_100", str(path.relative_to(folder)))
            archive.add(path, inner, filter=anonymous)


main()
