import torch


@torch.compile(backend="aot_eager")
def step(x):
    if x.mean() > 0:
        h = x.sin()
    else:
        h = x.cos()
    return h.sum()


step(torch.ones(4, 4))
