#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Oracle cases of kind `random`, with PyTorch's answers.

    fuzz_cases.py FIRST END FOLDER      one case for each seed from FIRST up to, not including, END

The form is that of tests/oracle/README.md without AOTAutograd's parts. Needs PyTorch and nothing else.
"""
import contextlib
import copy
import json
import logging
import pathlib
import sys
import warnings

import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from fuzz_programs import make_inputs, program


def number(value):
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def data(tensor):
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return [number(v) for v in plain.tolist()]


def described(tensor):
    return {"shape": list(tensor.shape), "stride": list(tensor.stride()), "dtype": str(tensor.dtype).removeprefix("torch."),
            "storage_offset": tensor.storage_offset()}


def storage_of(tensor):
    return tensor.untyped_storage()._cdata


def error(exception):
    return {"type": type(exception).__name__, "message": str(exception).split("\n\nC++ Capture")[0][:1500]}


def gradients(outputs, inputs):
    """Of the sum over differentiable outputs, the k-th weighted by k, for the leaf inputs that require grad."""
    loss, weight = None, 1
    for output in outputs:
        if output.requires_grad and output.is_floating_point():
            term = (output * weight).sum()
            loss, weight = term if loss is None else loss + term, weight + 1
    if loss is None:
        return None
    leaves = [t for t in inputs if t.requires_grad and t.is_leaf]
    found = torch.autograd.grad(loss, leaves, allow_unused=True)
    return [None if g is None else {**described(g), "data": data(g)} for g in found]


def run(function, spec):
    """What a case calls `eager`: outputs, the state after the call, and gradients."""
    inputs, storages = make_inputs(spec)
    before = [storage_of(t) for t in inputs]
    grad = any(t.requires_grad for t in inputs)
    with contextlib.nullcontext() if grad else torch.no_grad():
        outputs = list(function(*inputs))
    out = []
    for position, tensor in enumerate(outputs):
        out.append({**described(tensor), "data": data(tensor),
                    "is_input": next((i for i, t in enumerate(inputs) if t is tensor), None),
                    "aliases_inputs": [i for i, key in enumerate(before) if key == storage_of(tensor)],
                    "aliases_outputs": [i for i in range(position) if storage_of(outputs[i]) == storage_of(tensor)]})
    own = [storage_of(s) for s in storages]
    answer = {"outputs": out, "post": {
        "storages": [data(s) for s in storages],
        "inputs": [{**described(t), "data": data(t), "same_storage": storage_of(t) in own} for t in inputs]}}
    if grad and (found := gradients(outputs, inputs)) is not None:
        answer["grads"] = found
    return answer


def without(spec, *keys):
    """Every input a tensor of its own, as in a traced graph, and without the given keys."""
    out = copy.deepcopy(spec)
    for entry in out["inputs"]:
        for key in ("same_as", *keys):
            entry.pop(key, None)
    return out


def close(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-5 * max(1.0, abs(a), abs(b))
    return a == b


def agreement(expected, got):
    """The six questions of matches_eager."""
    def same(rows, *keys):
        pairs = zip(*(r["outputs"] if rows == "outputs" else r["post"]["inputs"] for r in (expected, got)))
        return all(close(a.get(key), b.get(key)) for a, b in pairs for key in keys)
    return {"output_values": same("outputs", "shape", "data"), "output_strides": same("outputs", "stride"),
            "output_aliasing": same("outputs", "aliases_inputs", "is_input", "aliases_outputs"),
            "storages": close(expected["post"]["storages"], got["post"]["storages"]),
            "input_values": same("inputs", "shape", "data"), "input_strides": same("inputs", "stride", "storage_offset")}


def constants(module):
    names = [node.target for node in module.graph.nodes if node.op == "get_attr"]
    return {name: {**described(t), "data": data(t)} for name in names if isinstance(t := getattr(module, name), torch.Tensor)}


def traced(function, spec, mode):
    inputs, _ = make_inputs(spec)
    with torch.no_grad():
        return make_fx(function, tracing_mode=mode)(*inputs)


def case(seed):
    source, spec, facts = program(seed)
    scope = {"torch": torch}
    exec(source, scope)
    function = scope["f"]
    out = {"name": f"fuzz_{seed:06d}", "kind": "random", "tags": ["random"] + ["alias"] * bool(spec["aliasing_groups"]),
           "python_source": source, "torch_version": torch.__version__, "generator": facts, "inputs": spec}
    try:
        out["eager"] = run(function, spec)
    except Exception as exception:
        out["eager"] = {"error": error(exception)}
    alone = without(spec, "requires_grad")
    try:
        try:
            before = traced(function, alone, "fake")
        except Exception:
            before = traced(function, alone, "real")
        out["before"], out["before_attrs"] = str(before.graph), constants(before)
    except Exception as exception:
        out["before"], out["before_error"] = None, error(exception)
    out["after"] = {mode: functional(function, alone, mode, spec, out["eager"]) for mode in ("mutations", "mutations_and_views")}
    return out


def functional(function, alone, mode, spec, eager):
    try:
        after = traced(functionalize(function, remove=mode), alone, "real")
    except Exception as exception:
        return {"error": error(exception)}
    out = {"graph": str(after.graph), "attrs": constants(after)}
    if "error" not in eager and "grads" not in eager:
        try:
            out["matches_eager"] = agreement(eager, run(after, without(spec) | {"inputs": [
                {k: v for k, v in entry.items() if k != "requires_grad"} for entry in spec["inputs"]]}))
        except Exception as exception:
            out["run_error"] = error(exception)
    return out


def main():
    first, end, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, end):
        made = case(seed)
        (folder / f"{made['name']}.json").write_text(json.dumps(made))
    print(f"{end - first} cases in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    main()
