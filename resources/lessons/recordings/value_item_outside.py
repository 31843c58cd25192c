import torch


@torch.compile(backend="aot_eager")
def step(x, peak):
    h = x.relu()
    return h / peak


x = torch.ones(4, 4)
step(x, x.relu().max().item())
