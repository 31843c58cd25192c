# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of Inductor's scheduler as records."""

from .pass_ir import bytes_of, device_text, layout_of, origins_of, sizes, text_of


def describe(node, number, recorder):
    """A scheduler node: its reads and writes, what it computes and where that came from."""
    out = {"name": node.get_name(), "class": type(node).__name__}
    members = [inner for inner in node.get_nodes() if inner is not node]
    group = getattr(node, "group", None)
    if group:
        out["group"] = text_of(group)
    if members:
        out["members"] = [number(inner) for inner in members]
        return out
    if hasattr(node, "min_order"):
        out["order"] = [node.min_order, node.max_order]
    out["reads"] = [_dependency(dep) for dep in node.read_writes.reads]
    out["writes"] = [_dependency(dep) for dep in node.read_writes.writes]
    ir = node.node
    if ir is None:
        return out
    out["device"] = device_text(node)
    out["ir"] = type(ir).__name__
    data = getattr(ir, "data", None)
    if data is not None:
        out["data"] = type(data).__name__
        out["ranges"] = sizes(getattr(data, "ranges", None))
        reduced = sizes(getattr(data, "reduction_ranges", None))
        if reduced:
            out["reduction_ranges"], out["reduction_type"] = reduced, str(getattr(data, "reduction_type", ""))
    kernel = getattr(ir, "python_kernel_name", None)
    if kernel:
        out["kernel"] = str(kernel)
    body = getattr(node, "_body", None)
    if body is not None:
        out["body"] = _body(body)
    out["origins"] = origins_of(ir, recorder.numbers)
    out["outputs"] = [_output(buffer) for buffer in node.get_outputs()]
    mutated = list(node.get_mutations()) if hasattr(node, "get_mutations") else []
    if mutated:
        out["mutates"] = [str(name) for name in mutated]
    return out


def _dependency(dep):
    """[buffer, kind, index, sizes of its loop]."""
    kind = type(dep).__name__
    if kind == "MemoryDep":
        return [dep.name, kind, text_of(dep.index), sizes(dep.size)] + ([dep.mode] if dep.mode else [])
    return [dep.name, kind]


def _body(body):
    """The loop body as text: what is indexed, and the operations."""
    blocks = [("", body.root_block.graph)] + [(name, block.graph) for name, block in body.subblocks.items()]
    lines = [f"{name} = {text_of(index)}" for name, index in body.indexing_exprs.items()]
    for name, graph in blocks:
        lines += [f"{name}:"] if name else []
        for node in graph.nodes:
            if node.op == "output":
                continue
            arguments = ", ".join([text_of(value) for value in node.args if getattr(value, "name", "") != "ops"]
                                  + [f"{key}={text_of(value)}" for key, value in node.kwargs.items()])
            if node.op != "placeholder":
                lines.append(f"{node.name} = {node.target if isinstance(node.target, str) else text_of(node.target)}({arguments})")
    return lines


def _output(buffer):
    ir = buffer.node
    users = [user.node.get_name() if hasattr(user.node, "get_name") else "OUTPUT" for user in buffer.users]
    return {"name": buffer.get_name(), **layout_of(ir), "bytes": bytes_of(ir), "users": users}
