import torch


@torch.compiler.disable
def wave(x):
    if x.mean() > 0:
        return x.sin()
    return x.cos()


@torch.compile(backend="aot_eager")
def step(x):
    h = wave(x)
    return h.sum()


step(torch.ones(4, 4))
