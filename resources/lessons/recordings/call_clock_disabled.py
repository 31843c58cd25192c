import time
import torch

times = []


@torch.compiler.disable
def now():
    return time.perf_counter()


@torch.compile(backend="aot_eager")
def step(x, w):
    begin = now()
    h = (x @ w).relu()
    times.append(now() - begin)
    return h.sum()


step(torch.ones(4, 4), torch.ones(4, 4))
