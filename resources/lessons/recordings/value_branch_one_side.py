import torch


@torch.compile(backend="aot_eager")
def step(x):
    h = x.sin()
    return h.sum()


step(torch.ones(4, 4))
