import torch

torch.manual_seed(0)


@torch.compile(backend="aot_eager_decomp_partition")
def loss(x, w):
    h = x @ w
    g = torch.sin(h)
    return (torch.exp(g) * g).sum()


loss(torch.randn(32, 16), torch.randn(16, 64, requires_grad=True)).backward()
