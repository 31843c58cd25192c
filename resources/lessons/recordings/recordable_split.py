import torch


@torch.compile
def step(x):
    y = x * 2
    found = torch.nonzero(y > 0)
    return y + found.shape[0]


torch._dynamo.config.capture_dynamic_output_shape_ops = True
step(torch.ones(8, 8))
