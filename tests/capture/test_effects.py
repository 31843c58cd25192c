# SPDX-License-Identifier: BSD-3-Clause
"""Side effects of programs: what the rules of core/dynamo/side_effects.h expect, against the bytecode that PyTorch
generates."""

import collections
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "plugins", "capture")]

import dynascope_capture
import recording
import torch
import torch._dynamo

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))
written = 0


class OwnList(list):
    def append(self, item):
        raise RuntimeError


class OwnDict(dict):
    pass


class OwnOrderedDict(collections.OrderedDict):
    pass


class OwnSetattr:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: object


class Plain:
    def __init__(self, value):
        self.value = value


class Slots:
    __slots__ = ("value",)


def objects(x, own_list, own_dict, own_ordered, queue, setattr_, plain, slots, set_):
    y = x + 1
    own_list[0] = y
    own_dict["z"] = y
    del own_dict["a"]
    own_ordered["q"] = y
    queue.append(y)
    setattr_.n = 5
    del plain.gone
    plain.value = 3
    slots.value = y
    set_.add(4)
    dead = Plain(1)  # noqa: F841
    return Plain(Frozen(y))


def cells(x, mapping, items):
    global written
    written = 3
    n = 0

    def count(k):
        nonlocal n
        n = n + k
        return n

    def make():
        c = 0

        def next_one():
            nonlocal c
            c = c + 1
            return c

        next_one()
        return next_one

    count(1)
    mapping.clear()
    mapping["k"] = x.sin()
    items.insert(0, x)
    items.pop()
    return count, make()


def branch(x, items):
    def changes(x):
        items.append(1)
        return x.sin()

    return torch.cond(x.sum() > 0, changes, lambda x: x.cos(), (x,))


class EffectsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "effects.dsteps")

    def record(self, function, *arguments):
        torch._dynamo.reset()
        with dynascope_capture.record(self.path):
            try:
                torch.compile(function, backend="eager")(*arguments)
            except torch._dynamo.exc.TorchDynamoException:
                pass
        self.assertEqual(recording.documents(self.path, "!"), [])

    def report(self):
        cli = os.environ.get("DYNASCOPE_CLI")
        if cli is None:
            self.skipTest("needs dynascope-cli")
        out = subprocess.run([cli, "steps", self.path, "--side-effects", "--json"], capture_output=True, text=True, check=True)
        return json.loads(out.stdout)

    def test_objects_of_every_kind(self):
        plain = Plain(1)
        plain.gone = 2
        self.record(objects, torch.ones(2), OwnList([1]), OwnDict(a=2), OwnOrderedDict(a=1), collections.deque([1]), OwnSetattr(),
                    plain, Slots(), {1})
        if VERSION < (2, 13) and (recording.documents(self.path, "B") or len(recording.documents(self.path, "T")) != 1):
            self.skipTest("this PyTorch does not take all of it into one graph")
        (table,) = recording.documents(self.path, "T")
        self.assertEqual(sum(not described["live"] for described in table["objects"]), 1)
        (graph,) = self.report()["graphs"]
        self.assertEqual(graph["faults"], [])
        stores = [step["text"] for step in graph["steps"] if step["phase"] == "store"]
        self.assertIn("L['own_list']: list.clear, list.extend; never OwnList's own methods", stores)
        self.assertIn("L['own_ordered']: dict.clear, dict.__setitem__ for each item; never OwnOrderedDict's own methods", stores)
        # The attribute was set before; from 2.13 on the instance's own dict is told apart.
        self.assertIn("del L['plain'].gone" + (", around descriptors" if VERSION >= (2, 13) else ""), stores)
        self.assertEqual(stores[-1], stores[stores.index("L['own_list']: list.clear, list.extend; never OwnList's own methods")])
        phases = [step["phase"] for step in graph["steps"]]
        self.assertEqual(phases, sorted(phases, key=["build", "load", "store"].index))

    def test_cells_globals_and_containers(self):
        self.record(cells, torch.ones(2), {"a": 1}, [1, 2])
        (graph,) = self.report()["graphs"]
        self.assertEqual(graph["faults"], [])
        stores = [step["text"] for step in graph["steps"] if step["phase"] == "store"]
        for text in ("global written", "cell n", "L['mapping'].clear()", "L['mapping'].update(its new items)", "L['items'][:] = its new items"):
            self.assertIn(text, stores)
        self.assertLess(stores.index("L['mapping'].clear()"), stores.index("L['mapping'].update(its new items)"))

    def test_a_branch_of_cond_must_not_change_anything(self):
        self.record(branch, torch.ones(2), [1])
        (refused,) = self.report()["refused"]
        self.assertEqual(refused["object"], "ListVariable L['items']")
        self.assertEqual(os.path.basename(refused["file"]), "test_effects.py")

    def test_generated_code_is_there(self):
        def broken(x):
            x = x + 1
            torch._dynamo.graph_break()
            return x.sin()

        self.record(broken, torch.ones(2))
        codes = [end["code"] for end in recording.documents(self.path, "E") if "code" in end]
        self.assertEqual(len(codes), 2)
        self.assertTrue(any("__resume_at" in text for text in codes[-1]["instructions"] + codes[0]["instructions"]))
        (resume,) = recording.documents(self.path, "O")
        self.assertEqual((resume["role"], resume["of"]), ("resume", "broken"))


if __name__ == "__main__":
    unittest.main()
