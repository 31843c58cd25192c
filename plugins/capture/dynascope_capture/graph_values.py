# SPDX-License-Identifier: BSD-3-Clause
"""Keeps what each graph of Dynamo's is called with at first: real numbers, as `dynascope-cli exec --inputs` reads them.

They are read when the graph is compiled, off the tensors that Dynamo traced with, which are those of the call that follows.
Nothing is written to them, no random number is drawn, and no mode of the program's sees the reading."""

import contextlib
import functools
import json
import math
import os
import secrets

from .telling import say
from .writer import rank_name, whole_file

_MOST_ELEMENTS = 1 << 18  # of a storage; of a larger one its length and range are kept
_SEED = 1


class _Odd(Exception):
    """What no file of inputs can say."""


def install(folder):
    from torch._dynamo import output_graph

    owner = output_graph.OutputGraph
    original = owner.call_user_compiler

    @functools.wraps(original)
    def call_user_compiler(self, gm, *rest, **named):
        write(folder, gm)
        return original(self, gm, *rest, **named)

    owner.call_user_compiler = call_user_compiler


def write(folder, gm):
    """Never raises: the values are not worth a program's end."""
    import torch
    from torch._guards import CompileContext

    context = CompileContext.try_get()
    compile_id = str(context.compile_id) if context is not None else "-"
    try:
        with _unseen(torch):
            described = _described(torch, gm)
        name = f"values_{rank_name()}{os.getpid()}_{secrets.token_hex(4)}_{compile_id.replace('/', '-')}.inputs.json"
        with whole_file(os.path.join(folder, name), "w") as file:
            json.dump(described, file)
    except _Odd as odd:
        say(f"no values of {compile_id}: {odd}")
    except Exception as error:
        say(f"no values of {compile_id}: {type(error).__name__}: {error}")


@contextlib.contextmanager
def _unseen(torch):
    from torch.utils._python_dispatch import _disable_current_modes

    with torch._C.DisableTorchFunction(), _disable_current_modes(), torch.no_grad():
        yield


def _described(torch, gm):
    storages = _Storages(torch)
    inputs = [_input(torch, node, storages) for node in gm.graph.nodes if node.op == "placeholder"]
    constants = {}
    for node in gm.graph.nodes:
        if node.op == "get_attr" and node.target not in constants:
            value = functools.reduce(getattr, node.target.split("."), gm)
            if isinstance(value, torch.Tensor):
                constants[node.target] = _constant(torch, value, node.target)
    alone = {"storages": storages.all, "inputs": inputs}
    return {"inputs": alone, "before_attrs": constants} if constants else alone


def _input(torch, node, storages):
    argument = node.meta.get("grapharg")
    if argument is None:
        raise _Odd(f"{node.name} has no value")
    value = argument.example
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        value = value.node.hint  # its value alone; to compare it would add a guard
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return _number(value)
    _check(torch, value, node.name)
    out = {
        "storage": storages.of(value, node.name),
        "shape": list(value.shape),
        "stride": list(value.stride()),
        "storage_offset": value.storage_offset(),
        "dtype": _dtype(value),
    }
    told = {"requires_grad": value.requires_grad, "conj": value.is_conj(), "neg": value.is_neg()}
    out.update({key: True for key, holds in told.items() if holds})
    if not value.is_leaf:
        out["is_leaf"] = False
    return out


def _check(torch, value, name):
    if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        raise _Odd(f"{name} is a {type(value).__name__}")
    if value.layout is not torch.strided or value.is_quantized or value.device.type == "meta":
        raise _Odd(f"{name} is no dense tensor with values")


def _dtype(value):
    return str(value.dtype).removeprefix("torch.")


class _Storages:
    def __init__(self, torch):
        self._torch = torch
        self._known = {}
        self.all = []

    def of(self, value, name):
        torch = self._torch
        storage = value.untyped_storage()
        known = self._known.get(storage._cdata)
        if known is None:
            flat = torch.empty(0, dtype=value.dtype, device=value.device).set_(storage)
            known = self._known[storage._cdata] = len(self.all), value.dtype
            self.all.append({"dtype": _dtype(value), **_elements(torch, flat, "size", flat.numel())})
        if known[1] != value.dtype:
            raise _Odd(f"{name} views memory of another dtype")
        return known[0]


def _constant(torch, value, name):
    _check(torch, value, name)
    flat = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return {"dtype": _dtype(value), "shape": list(value.shape), **_elements(torch, flat, None, None)}


def _elements(torch, flat, key, length):
    """All of them, or what stands for them."""
    if flat.numel() <= _MOST_ELEMENTS:
        return {"data": [_number(element) for element in _plain(torch, flat).tolist()]}
    out = {"seed": _SEED} if key is None else {key: length, "seed": _SEED}
    if flat.dtype == torch.bool or flat.dtype.is_complex:
        return out
    least, most = (float(bound) for bound in torch.aminmax(_plain(torch, flat)))
    if not flat.dtype.is_floating_point:
        return {**out, "low": int(least), "high": int(most) + 1}
    if math.isfinite(least) and math.isfinite(most) and least < most:
        out.update(low=least, high=most)
    return out


def _plain(torch, flat):
    """In a dtype that can be listed: the narrow ones cannot."""
    return flat.float() if flat.dtype.is_floating_point and flat.dtype.itemsize == 1 else flat


def _number(element):
    if type(element) is complex:
        return [_number(element.real), _number(element.imag)]
    if type(element) is float and not math.isfinite(element):
        return "nan" if element != element else "inf" if element > 0 else "-inf"
    return element
