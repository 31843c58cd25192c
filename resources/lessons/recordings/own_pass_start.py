import torch
from torch._inductor import config


def once(graph):
    for node in graph.nodes:
        pass


config.post_grad_custom_post_pass = once


@torch.compile
def f(x):
    return torch.abs(torch.abs(x)) + 1


f(torch.ones(8, 8))
