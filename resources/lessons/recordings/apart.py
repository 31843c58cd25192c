import torch


@torch.compile(backend="aot_eager")
def shift(a, b):
    a.add_(1)
    return a * b


shift(torch.arange(6.0), torch.ones(6))
