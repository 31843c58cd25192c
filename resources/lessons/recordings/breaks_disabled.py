import torch


@torch.compiler.disable
def normalise(x):
    print("normalising", x.shape)
    peak = x.abs().max()
    if peak > 1:
        x = x / peak
    return x


@torch.compile(backend="aot_eager")
def step(x, w):
    h = normalise(x @ w)
    return h.relu().sum()


step(torch.ones(4, 4), torch.ones(4, 4))
