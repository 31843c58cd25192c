import torch


@torch.compile(backend="aot_eager")
def scale(x, factor):
    return x * factor + 1


scale(torch.randn(4, 8), 2)
