# SPDX-License-Identifier: BSD-3-Clause
"""partition_cases.py FOLDER: programs that draw random numbers under checkpointing, and what PyTorch's partitioners make of
their joint graphs: cases of kind `partition`, NAME__default.json and NAME__min_cut.json for each program."""

import inspect
import json
import os
import sys

import torch
import torch.nn.functional as F
from functorch.compile import aot_module_simplified, default_partition, min_cut_rematerialization_partition, nop
from torch import nn
from torch.utils.checkpoint import checkpoint


def ckpt_two_dropouts():
    m = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Tanh(), nn.Linear(16, 8), nn.Dropout(0.25))
    return m, lambda x: checkpoint(m, x, use_reentrant=False).sum(), torch.randn(4, 8)


def ckpt_attention_dropout():
    m = nn.Linear(8, 24)

    def block(x):
        q, k, v = m(x).chunk(3, -1)
        return F.dropout(torch.softmax(q @ k.transpose(-1, -2), -1), 0.1) @ v

    return m, lambda x: checkpoint(block, x, use_reentrant=False).sin().sum(), torch.randn(2, 4, 8)


def ckpt_two_regions():
    m = nn.Linear(8, 8)

    def noisy(x):
        return (m(x) + torch.rand_like(x)).relu()

    def dropped(x):
        return F.dropout(m(x), 0.5).sigmoid()

    return (m, lambda x: checkpoint(dropped, checkpoint(noisy, x, use_reentrant=False), use_reentrant=False).sum(),
            torch.randn(4, 8))


def tensor(value, storages):
    return {"shape": list(value.shape), "stride": list(value.stride()), "dtype": str(value.dtype)[6:],
            "device": str(value.device),
            "storage": storages.setdefault(value.untyped_storage()._cdata, len(storages))}


def facts(node, storages):
    value, out = node.meta.get("val"), {}
    if isinstance(value, torch.Tensor):
        out = tensor(value, storages)
        if value.storage_offset():
            out["storage_offset"] = value.storage_offset()
    elif isinstance(value, (tuple, list)):
        out["items"] = [tensor(item, storages) for item in value]
    if tag := node.meta.get("partitioner_tag"):
        out["tag"] = tag
    if policy := node.meta.get("recompute"):
        out["recompute"] = policy.name
    if node.meta.get("ac_graph_id") is not None:
        out["ac_graph_id"] = node.meta["ac_graph_id"]
    if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
        out["nondeterministic_seeded"] = True
    if "tensor_meta" in node.meta:
        out["has_tensor_meta"] = True
    return out


def size(value):
    """In bytes; the random state has a symbolic length in its node's meta."""
    symbolic = any(not isinstance(extent, int) for extent in value.shape)
    return torch.get_rng_state().nbytes if symbolic else value.nbytes


def outputs(graph):
    return list(graph.output_node().args[0])


def answers(joint, forward, backward, count):
    saved = outputs(forward.graph)[count:]
    own = {}
    for graph in (forward.graph, backward.graph):
        of = graph.find_nodes(op="placeholder") if graph is forward.graph else []
        for node in [*of, *(outputs(graph)[:count] if graph is forward.graph else outputs(graph))]:
            if node is not None and isinstance(node.meta.get("val"), torch.Tensor):
                own[node.meta["val"].untyped_storage()._cdata] = True
    calls = {node.name for node in forward.graph.nodes if node.op == "call_function"}
    return {"fw": str(forward.graph), "bw": str(backward.graph), "saved": [node.name for node in saved],
            "saved_bytes": sum(size(node.meta["val"]) for node in saved), "n_saved_symints": 0,
            "donated_saved": [node.name for node in saved
                              if node.meta["val"].untyped_storage()._cdata not in own],
            "bw_inputs": [node.name for node in backward.graph.find_nodes(op="placeholder")],
            "recomputed": [node.name for node in backward.graph.nodes
                           if node.op == "call_function" and node.name in calls]}


def case(program, name, partition):
    torch._dynamo.reset()
    torch.manual_seed(0)
    module, function, x = program()
    x.requires_grad_()
    found = {}

    def partitioned(joint, inputs, *, num_fwd_outputs, static_lifetime_input_indices=None, **more):
        storages, names = {}, [node.name for node in joint.graph.find_nodes(op="placeholder")]
        found.update({"joint": str(joint.graph),
                      "node_meta": {node.name: facts(node, storages) for node in joint.graph.nodes if node.op != "output"},
                      "attrs": {}, "num_fwd_outputs": num_fwd_outputs,
                      "n_primals": sum(name.startswith("primals") for name in names),
                      "tangents": [name for name in names if "tangent" in name],
                      "static_lifetime_input_indices": list(static_lifetime_input_indices or ())})
        halves = partition(joint, inputs, num_fwd_outputs=num_fwd_outputs,
                           static_lifetime_input_indices=static_lifetime_input_indices, **more)
        found.update(answers(joint, *halves, num_fwd_outputs))
        return halves

    def backend(graph, inputs):
        return aot_module_simplified(graph, inputs, fw_compiler=nop, bw_compiler=nop, partition_fn=partitioned)

    torch.compile(function, backend=backend, fullgraph=True)(x).backward()
    return {"name": name, "kind": "partition", "partitioner": name.rsplit("__", 1)[1], "frontend": "compile",
            "decompositions": "none", "keep_input_mutations": False, "dynamic": False, "config": {},
            "python_source": inspect.getsource(program), **found}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for program in (ckpt_two_dropouts, ckpt_attention_dropout, ckpt_two_regions):
        for kind, partition in (("default", default_partition), ("min_cut", min_cut_rematerialization_partition)):
            name = f"{program.__name__}__{kind}"
            with open(os.path.join(sys.argv[1], f"part_{name}.json"), "w", encoding="utf-8") as file:
                json.dump(case(program, name, partition), file, indent=1)


if __name__ == "__main__":
    main()
