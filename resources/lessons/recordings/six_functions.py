import torch

total = torch.zeros(8, 8)
torch._dynamo.mark_static_address(total)


@torch.compile
def doubles(x):
    return (x * 2).relu()


@torch.compile
def writes_input(x):
    x.mul_(2)
    return x + 1


@torch.compile
def adds_up(x):
    total.add_(x)
    return total * 2


@torch.compile
def finds(x):
    return torch.nonzero(x) + 1


@torch.compile
def joins(x):
    return torch.cat([x, x]) * 2


@torch.compile
def draws(x):
    return x + torch.rand_like(x)


torch._dynamo.config.capture_dynamic_output_shape_ops = True
for f in (doubles, writes_input, adds_up, finds, joins, draws):
    f(torch.ones(8, 8))
