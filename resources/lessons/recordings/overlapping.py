import torch


@torch.compile(backend="aot_eager")
def shift(a, b):
    a.add_(1)
    return a * b


base = torch.arange(8.0)
shift(base[:6], base[2:])
