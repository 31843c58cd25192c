import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile(backend="aot_eager")
def step(x):
    h = x.relu()
    places = h.nonzero()
    return h.sum() / places.shape[0]


step(torch.ones(4, 4))
