"""Runs programs that lie beside this with TORCH_TRACE, and packs the log of each: NAME.py makes NAME.log.gz.

    python record.py            # all of them, with the interpreter it runs in; takes a PyTorch, Inductor's need a C++ compiler
    python record.py NAME ...   # those
"""
import gzip, hashlib, os, re, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def neutral(text, folder):
    """Paths of this machine become paths of none."""
    prefix = sys.prefix
    text = text.replace(os.path.realpath(prefix), "/opt/venv").replace(prefix, "/opt/venv").replace(str(folder), "/home/user/models")
    return re.sub(r"/tmp/torchinductor_\w+", "/tmp/torchinductor_user", text)


def hashed(text):
    """Payload hashes, of which PyTorch writes the MD5, follow what was changed in the payloads."""
    out = []
    for record in re.split(r"(?m)^(?=V\d{4} )", text):
        header, _, payload = record.partition("\n")
        if '"has_payload"' in header:
            content = "\n".join(line[1:] if line.startswith("\t") else line for line in payload.rstrip("\n").split("\n"))
            header = re.sub(r'"has_payload": "[0-9a-f]{32}"',
                            f'"has_payload": "{hashlib.md5(content.encode()).hexdigest()}"', header)
        out.append(header + "\n" + payload if payload else header + "\n")
    return "".join(out)


def record(name):
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / f"{name}.py"
        program.write_text((HERE / f"{name}.py").read_text())
        trace = Path(folder) / "trace"
        env = dict(os.environ, TORCH_TRACE=str(trace), TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
                   TORCHINDUCTOR_CACHE_DIR="/tmp/torchinductor_lessons")
        subprocess.run([sys.executable, program.name], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
        text = neutral(next(trace.glob("*.log")).read_text(), folder)
        (HERE / f"{name}.log.gz").write_bytes(gzip.compress(hashed(text).encode(), 9, mtime=0))


for name in sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.py") if path.stem != "record"):
    record(name)
    print(name, (HERE / f"{name}.log.gz").stat().st_size, "bytes")
