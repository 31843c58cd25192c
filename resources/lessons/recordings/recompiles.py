import torch


@torch.compile(backend="aot_eager")
def scale(x, factor):
    return x * factor + 1


scale(torch.randn(4, 8), 2)
scale(torch.randn(6, 8), 2)
scale(torch.randn(9, 8), 2)
scale(torch.randn(9, 8), 3)
scale(torch.randn(9, 8, dtype=torch.float64), 3)
