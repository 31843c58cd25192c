# SPDX-License-Identifier: BSD-3-Clause
"""python collectives.py > ../collectives.json: what PyTorch's Gloo gives on 2 and 4 ranks.

Each graph is run as it stands by as many processes as it has ranks; inputs, results and gradients of each rank are
written out in full. Values are small integers, so that the order of a sum does not matter, but for the last graphs,
which two ranks run: there are only two orders of a sum of two numbers, and both give the same.
"""
import json
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives  # noqa: F401  (registers meta kernels and gradients)
import torch.multiprocessing as processes

PREFIX = "torch.ops._c10d_functional."


def graph(shape, lines, result):
    body = "".join(f"        {line}\n" for line in lines)
    return (f'class GraphModule(torch.nn.Module):\n    def forward(self, x: "f32{list(shape)}"):\n{body}'
            f"        return ({result},)\n")


def called(name, *arguments):
    return [f"a = {PREFIX}{name}.default({', '.join(arguments)})", f"b = {PREFIX}wait_tensor.default(a)"]


def cases():
    for world in (2, 4):
        rows = 4 * world
        group = f"{world}, '0'"
        even = str([4] * world)
        for reduction in ("sum", "product", "min", "max"):
            yield f"all_reduce {reduction}", world, graph((3, 2), called("all_reduce", "x", f"'{reduction}'", "'0'"), "b")
        yield "all_reduce_", world, graph((3,), ["c = torch.ops.aten.clone.default(x)",
                                                 *called("all_reduce_", "c", "'sum'", "'0'")], "b")
        yield "all_gather", world, graph((3, 2), called("all_gather_into_tensor", "x", group), "b")
        yield "reduce_scatter", world, graph((rows, 2), called("reduce_scatter_tensor", "x", "'sum'", group), "b")
        yield "reduce_scatter max", world, graph((rows, 2), called("reduce_scatter_tensor", "x", "'max'", group), "b")
        yield "all_to_all", world, graph((rows, 2), called("all_to_all_single", "x", even, even, "'0'"), "b")
        yield "broadcast", world, graph((3,), called("broadcast", "x", "1", "'0'"), "b")
        yield "shard_dim_alltoall", world, graph((4, 2 * world), [
            "a = torch.ops._dtensor.shard_dim_alltoall.default(x, 0, 1, '0')",
            f"b = {PREFIX}wait_tensor.default(a)"], "b")
        yield "coalesced", world, graph((4,), ["y = torch.ops.aten.mul.Tensor(x, 2)",
                                               f"l = {PREFIX}all_reduce_coalesced.default([x, y], 'sum', '0')",
                                               "a = operator.getitem(l, 1)",
                                               f"b = {PREFIX}wait_tensor.default(a)"], "b")
        yield "mixture", world, graph((rows, 2), [
            *called("all_to_all_single", "x", even, even, "'0'"),
            "m = torch.ops.aten.mul.Tensor(b, 3)",
            f"c = {PREFIX}all_to_all_single.default(m, {even}, {even}, '0')",
            f"d = {PREFIX}wait_tensor.default(c)",
            "s = torch.ops.aten.sum.dim_IntList(d, [0])",
            f"e = {PREFIX}all_reduce.default(s, 'sum', '0')",
            f"f = {PREFIX}wait_tensor.default(e)",
            "g = torch.ops.aten.add.Tensor(d, f)"], "g")
    yield "uneven all_to_all", 2, graph((5, 2), called("all_to_all_single", "x", "[0, 0]", "[0, 0]", "'0'"), "b")
    yield "floats", 2, graph((7, 3), ["y = torch.ops.aten.sin.default(x)",
                                      *called("all_reduce", "y", "'sum'", "'0'"),
                                      "c = torch.ops.aten.exp.default(b)"], "c")
    yield "floats scattered", 2, graph((6, 3), ["y = torch.ops.aten.sin.default(x)",
                                                *called("reduce_scatter_tensor", "y", "'sum'", "2, '0'")], "b")


# How many rows rank 0 and rank 1 send each other in the uneven case.
SENT = [[2, 3], [4, 1]]

# PyTorch has none for these: it refuses, or only warns that what comes of it may be wrong.
NO_GRADIENT = {"all_reduce product", "all_reduce min", "all_reduce max", "all_reduce_", "reduce_scatter max", "broadcast",
               "shard_dim_alltoall"}


def text_of(name, text, rank):
    if name != "uneven all_to_all":
        return text
    received = [SENT[0][rank], SENT[1][rank]]
    return text.replace("[0, 0], [0, 0]", f"{received}, {SENT[rank]}")


def values(name, shape, rank):
    count = 1
    for size in shape:
        count *= size
    if name.startswith("floats"):
        return (torch.arange(count) * 0.37 + rank * 1.9).reshape(shape)
    return ((torch.arange(count) * (rank + 3) + rank) % 7 + 1).float().reshape(shape)


def run(rank, world, answers):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", os.environ.get("PORT", "29513")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    for index, (name, ranks, text) in enumerate(cases()):
        if ranks != world:
            continue
        text = text_of(name, text, rank)
        scope = {"torch": torch, "operator": __import__("operator")}
        exec(text, scope)
        shape = json.loads(text[text.index("f32") + 3:text.index('"):')])
        x = values(name, shape, rank)
        (out,) = scope["GraphModule"]().forward(x.clone())
        answer = {"text": text, "input": x.flatten().tolist(), "shape": shape, "output": out.flatten().tolist(),
                  "output_shape": list(out.shape)}
        if name not in NO_GRADIENT:
            leaf = x.clone().requires_grad_()
            (out,) = scope["GraphModule"]().forward(leaf)
            out.sum().backward()
            answer["grad"] = leaf.grad.flatten().tolist()
        answers[(index, rank)] = answer
    dist.destroy_process_group()


def main():
    out = []
    with processes.Manager() as manager:
        answers = manager.dict()
        for world in (2, 4):
            processes.spawn(run, (world, answers), nprocs=world)
        for index, (name, world, _) in enumerate(cases()):
            out.append({"name": name, "ranks": [answers[(index, rank)] for rank in range(world)]})
    json.dump({"torch": torch.__version__, "backend": "gloo", "cases": out}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
