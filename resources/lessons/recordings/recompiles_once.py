import torch


@torch.compile(backend="aot_eager")
def scale(x, factor):
    return x * factor + 1


for rows, factor in ((4, 2), (6, 2), (9, 2), (9, 3)):
    x = torch.randn(rows, 8)
    torch._dynamo.mark_dynamic(x, 0)
    scale(x, factor)
