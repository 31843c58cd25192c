import torch


@torch.compile
def step(x):
    x.mul_(2)
    found = torch.nonzero(x > 0)
    return x + found.shape[0]


torch._dynamo.config.capture_dynamic_output_shape_ops = True
step(torch.ones(8, 8))
