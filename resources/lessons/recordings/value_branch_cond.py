import torch


@torch.compile(backend="aot_eager")
def step(x):
    h = torch.cond(x.mean() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
    return h.sum()


step(torch.ones(4, 4))
