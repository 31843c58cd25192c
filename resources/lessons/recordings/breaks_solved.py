import torch


def normalise(x):
    peak = x.abs().max()
    return torch.where(peak > 1, x / peak, x)


@torch.compile(backend="aot_eager")
def step(x, w):
    h = normalise(x @ w)
    return h.relu().sum()


step(torch.ones(4, 4), torch.ones(4, 4))
