import torch


@torch.compile(backend="aot_eager")
def step(x):
    h = x.sin() if bool(x.mean() > 0) else x.cos()
    return h.sum()


step(torch.ones(4, 4))
