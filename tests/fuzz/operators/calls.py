#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/fuzz/operators/calls.txt: calls of PyTorch's operators that are right, for fuzz_operators to spoil. They come from
running PyTorch's own database of operators (torch.testing's op_db), forward and backward, and from by_hand.txt, for operators that the
database does not reach. Needs PyTorch with numpy and expecttest.

    calls.py [OUTPUT]

A line is a call, as in `add.Tensor self=f32[2,3] other=f32[3] alpha=1`. A tensor of integers gives its values where they matter
(`index=i64[3]:0,2,1`); those of other tensors are made up. At most three calls of an overload, the smallest.
"""
import signal
import sys
from pathlib import Path

import torch
from torch.testing._internal import common_methods_invocations as database
from torch.utils._python_dispatch import TorchDispatchMode
import torch.utils._pytree as pytree

CALLS = 3
LARGEST = 600  # elements of a call
DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
          torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "b8", torch.complex64: "c64", torch.complex128: "c128"}
calls = {}


class NotTold(Exception):
    """An argument that the text has no words for."""


def number(value):
    return repr(value) if isinstance(value, float) else str(value)


def text_of(value):
    if value is None:
        return "None"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.dtype not in DTYPES or value.is_quantized or value.is_nested or value.device.type != "cpu":
            raise NotTold
        out = DTYPES[value.dtype] + "[" + ",".join(map(str, value.shape)) + "]"
        if not value.dtype.is_floating_point and not value.dtype.is_complex and value.numel() <= 64:
            out += ":" + ",".join(str(int(item)) for item in value.reshape(-1).tolist())
        return out
    if isinstance(value, (list, tuple)):
        return "(" + ";".join(text_of(item) for item in value) + ")"
    if isinstance(value, str):
        if not value or any(letter in value for letter in " '=;()"):
            raise NotTold
        return "'" + value + "'"
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise NotTold
        return "@" + DTYPES[value]
    raise NotTold


def remember(op, args, kwargs):
    if op.namespace not in ("aten", "prims"):
        return
    size = sum(leaf.numel() for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor))
    if size > LARGEST:
        return
    name = op._schema.name.removeprefix("aten::") + "." + (op._schema.overload_name or "default")
    formals = op._schema.arguments
    given = dict(zip((formal.name for formal in formals), args)) | kwargs
    try:
        words = [formal.name + "=" + text_of(given[formal.name]) for formal in formals
                 if formal.name in given and str(formal.type) not in ("Device", "Layout", "MemoryFormat", "Generator")]
    except (NotTold, RuntimeError):
        return
    known = calls.setdefault(name, {})
    line = name + " " + " ".join(words)
    if line in known or len(line) > 1500:
        return
    known[line] = size
    if len(known) > CALLS:
        # Of one shape each, and small: emptiness is left to the fuzzer.
        del known[max(known, key=lambda one: (known[one] == 0, known[one], len(one)))]


class Recorder(TorchDispatchMode):
    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = op(*args, **kwargs)
        remember(op, args, kwargs)
        return out


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong


def run(op, sample, mode, train):
    def clone(value):
        return value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value
    args, kwargs = pytree.tree_map(clone, (sample.args, sample.kwargs))
    first = pytree.tree_map(clone, sample.input)
    with mode:
        results = [leaf for leaf in pytree.tree_leaves(op.op(first, *args, **kwargs)) if isinstance(leaf, torch.Tensor)]
        if train:
            results = [result for result in results if result.requires_grad]
            inputs = [leaf for leaf in pytree.tree_leaves((first, args, kwargs)) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            if results and inputs:
                torch.autograd.grad(results, inputs, [torch.ones_like(result) for result in results], allow_unused=True)


def main():
    output = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("calls.txt"))
    torch.manual_seed(0)
    signal.signal(signal.SIGALRM, too_long)
    recorders = [Recorder, lambda: Recorder(torch._C.DispatchKey.PreDispatch)]
    for op in database.op_db:
        known = op.supported_dtypes("cpu")
        for dtype in (torch.float32, torch.int64, torch.bool):
            if dtype not in known:
                continue
            train = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu") and dtype.is_floating_point
            signal.alarm(20)
            try:
                for k, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=train)):
                    if k == 24:
                        break
                    for recorder in recorders:
                        try:
                            run(op, sample, recorder(), train)
                        except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError, AssertionError):
                            pass  # a sample that this build of PyTorch cannot run is no call to spoil
            except TooLong:
                print(f"{op.name}: not all of its samples", file=sys.stderr)
            except Exception as error:
                print(f"{op.name}: {error}", file=sys.stderr)
            finally:
                signal.alarm(0)
    lines = {line for known in calls.values() for line in known}
    lines = sorted(lines | set(Path(__file__).with_name("by_hand.txt").read_text(encoding="utf-8").splitlines()))
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} calls of {len(calls)} overloads")


if __name__ == "__main__":
    main()
