import torch
from torch._inductor import config


def once(graph):
    for node in list(graph.nodes):
        if node.target is torch.ops.aten.abs.default and node.args[0].target is node.target:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


config.post_grad_custom_post_pass = once


@torch.compile
def f(x):
    return torch.abs(torch.abs(x)) + 1


f(torch.ones(8, 8))
