import time
import torch

times = []


@torch.compile(backend="aot_eager")
def step(x, w):
    begin = time.perf_counter()
    h = (x @ w).relu()
    times.append(time.perf_counter() - begin)
    return h.sum()


step(torch.ones(4, 4), torch.ones(4, 4))
