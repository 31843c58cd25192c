#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes small torch.export archives and, beside each, str(graph) of the program that PyTorch loads from it.

    make_archives.py [ARCHIVE.pt2 ...]      also the graphs of these archives

archives.tar.xz holds the result, and two larger archives without most of their weights. Paths in it are neutral.
"""
import os
import sys
import zipfile

import torch
from torch.export import Dim, export, load, save


class Views(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 3)
        self.register_buffer("steps", torch.zeros(2))

    def forward(self, x, scale=1e-05):
        self.steps.add_(1)
        values, places = torch.topk(self.lin(x), 2, dim=-1)
        a, b, c = x.chunk(3, dim=0)
        return values.to(torch.float64), places, {"b": b * float("inf"), "k": scale}


class Branch(torch.nn.Module):
    def forward(self, x):
        def yes(v):
            return (v.sin(), v + 1)

        def no(v):
            return (v.cos(), v - 1)

        return torch.cond(x.sum() > 0, yes, no, (x,))


class Dynamic(torch.nn.Module):
    def forward(self, x, y):
        n = x.shape[0]
        z = x.view(n * 2, -1) + torch.arange(2, device="cpu", dtype=torch.float32)
        z[0] = 1
        return z.sum() + y[: n - 1].sum(), torch.zeros(n + 1, dtype=torch.bool)


class Submodules(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU())

    def forward(self, x):
        with torch.no_grad():
            y = self.body(x)
        return y.to(memory_format=torch.channels_last).mean((2, 3))


def neutralise(path):
    """Takes the folders of this machine out of the stack traces."""
    with zipfile.ZipFile(path) as archive:
        entries = [(entry, archive.read(entry)) for entry in archive.namelist()]
    folders = {os.path.dirname(os.path.abspath(__file__)): "/home/user", sys.prefix: "/opt/venv"}
    with zipfile.ZipFile(path, "w") as archive:
        for entry, content in entries:
            if entry.endswith(".json"):
                for old, new in folders.items():
                    content = content.replace(old.encode(), new.encode())
            archive.writestr(entry, content)


torch.manual_seed(0)
n = Dim("n", min=3, max=64)
cases = {
    "views": (Views(), (torch.randn(6, 4),), None),
    "branch": (Branch(), (torch.randn(3),), None),
    "dynamic": (Dynamic(), (torch.randn(8, 4), torch.randn(8)), ({0: n}, {0: n})),
    "submodules": (Submodules().train(), (torch.randn(2, 1, 6, 6),), None),
}
for name, (module, inputs, shapes) in cases.items():
    save(export(module, inputs, dynamic_shapes=shapes), f"{name}.pt2")
    with open(f"{name}.txt", "w") as out:
        out.write(str(load(f"{name}.pt2").graph))
    neutralise(f"{name}.pt2")
for path in sys.argv[1:]:
    with open(path.rsplit("/", 1)[1].replace(".pt2", ".txt"), "w") as out:
        out.write(str(load(path).graph))
