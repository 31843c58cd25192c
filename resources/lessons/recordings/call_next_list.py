import torch

rates = iter([1.0, 0.5])


@torch.compile(backend="aot_eager")
def step(x, g):
    rate = next(rates)
    return x.relu() - rate * g


x, g = torch.ones(4, 4), torch.ones(4, 4)
for _ in range(2):
    x = step(x, g)
