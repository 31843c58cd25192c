import torch


@torch.compile(backend="aot_eager")
def step(x):
    h = x.relu()
    peak = h.max().item()
    return h / peak


step(torch.ones(4, 4))
