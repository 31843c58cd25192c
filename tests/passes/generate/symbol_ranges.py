#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/symbol_ranges.json: guards between symbols, and the ranges that PyTorch's ShapeEnv then knows.

    symbol_ranges.py OUT [--cases 200] [--seed 1]

Each case: symbols with the range that they are made with, guards in their order as PyTorch prints them, and after each
the range of every symbol.
"""
import argparse
import json
import random

from torch._dynamo.source import ConstantSource
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

NAMES = ["a", "b", "c"]


def spelled(value_range):
    return f"[{value_range.lower}, {value_range.upper}]"


def term(rng, sizes):
    name = rng.choice(NAMES)
    kind = rng.randrange(12)
    size = sizes[name]
    if kind < 6:
        return size
    if kind < 9:
        return rng.choice([2, 3, 4]) * size
    if kind == 9:
        return size // rng.choice([2, 3, 4])
    if kind == 10:
        return size * sizes[rng.choice(NAMES)]
    return size + rng.choice([-3, -1, 1, 2, 8])


def side(rng, sizes):
    out = term(rng, sizes)
    for _ in range(rng.choice([0, 0, 0, 1])):
        out = out + term(rng, sizes) if rng.random() < 0.7 else out - term(rng, sizes)
    return out


def compare(rng, sizes):
    left = side(rng, sizes)
    right = side(rng, sizes) if rng.random() < 0.7 else rng.choice([3, 16, 31, 64, 65, 100, 128])
    kind = rng.randrange(9)  # mostly what the hints say, so that few are the other way round
    if left.node.hint > (right if isinstance(right, int) else right.node.hint) and kind < 6:
        left, right = right, left
    if kind < 4:
        return left < right
    if kind < 6:
        return left <= right
    if kind < 7:
        return left > right
    if kind < 8:
        return left >= right
    return left == right


def case(rng):
    env = ShapeEnv()
    sizes, symbols = {}, {}
    hints = rng.choice([[8, 20, 30], [10, 20, 40], [12, 12, 24], [30, 15, 7]])
    for name, hint in zip(NAMES, hints):
        source = ConstantSource(name)
        symbol = env.create_symbol(hint, source=source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None)
        symbols[name] = symbol
        sizes[name] = env.create_symintnode(symbol, hint=hint, source=source)
    out = {"symbols": {str(s): spelled(env.var_to_range[s]) for s in symbols.values()}, "guards": []}
    for _ in range(rng.randrange(2, 6)):
        before = len(env.guards)
        bool(sizes["c"] <= rng.choice([64, 100]) if before == 0 and rng.random() < 0.7 else compare(rng, sizes))
        if any(env.replacements.get(symbol) is not None for symbol in symbols.values()):
            break  # from then on guards are printed with what became of it
        if len(env.guards) != before + 1:
            continue  # it follows from those before
        out["guards"].append({"guard": str(env.guards[-1].expr),
                              "ranges": {str(s): spelled(env.var_to_range[s]) for s in symbols.values()}})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    cases = []
    while len(cases) < args.cases:
        one = case(rng)
        if one["guards"]:
            cases.append(one)
    with open(args.out, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(one) for one in cases) + "\n]\n")


if __name__ == "__main__":
    main()
