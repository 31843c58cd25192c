# SPDX-License-Identifier: BSD-3-Clause
"""States of FX graphs: numbers of their nodes, a cheap test whether anything changed, and texts as differences.

Nothing here keeps a node, graph or tensor alive, and nothing calls an operator."""

import inspect
import re
import weakref

_PLAIN = (int, str, type(None))


class Numbers:
    """A number for each node, its own for as long as the process lives."""

    def __init__(self):
        self._known = {}  # id() -> (weak reference, number); an entry goes with its node
        self._last = 0

    def entry(self, node):
        key = id(node)
        found = self._known.get(key)
        if found is None:
            known = self._known
            self._last += 1
            found = known[key] = weakref.ref(node, lambda _: known.pop(key, None)), self._last
        return found

    def of(self, node):
        return self.entry(node)[1]

    def pair(self, node):
        return [self.entry(node)[1], node.name]

    def __len__(self):
        return len(self._known)


class Reader:
    """Takes the fingerprints of graphs: everything that their text is made of, by identity where that is enough."""

    def __init__(self, numbers):
        import torch
        from torch.fx import GraphModule, Node

        self._entry = numbers.entry
        self._values = Numbers()
        self._tensor, self._node, self._module = torch.Tensor, Node, GraphModule
        self._named = (torch._ops.OpOverload, torch.dtype, torch.device, torch.memory_format, torch.layout)
        self._environment = None

    def rows(self, gm):
        """(number, name, what it computes, what else its text depends on) of each node, and the same of graphs inside."""
        entry, structure, value = self._entry, self._structure, self._value
        self._environment = None
        rows = []
        for node in gm.graph.nodes:
            reference, number = entry(node)
            meta = node.meta
            got = meta.get
            target = node.target
            kwargs = node._kwargs
            # Hashes instead of what they are made of: millions of tuples that stay would keep the garbage collector busy.
            rows.append((number, node.name, hash((
                node.op, target if type(target) is str else id(target), structure(node._args), structure(kwargs) if kwargs else None,
                None if node.type is None else id(node.type),
            )), hash((
                value(got("val")), got("stack_trace"),
                # Graphs of Dynamo have the one, those of 2.6 at times the other.
                value(got("example_value")) if "val" not in meta else None, id(got("tensor_meta")),
                id(got("custom")), id(got("recompute")), got("ac_graph_id"),
            ))))
        environment = self._environment
        facts = len(environment.replacements) if environment is not None else 0
        inner = tuple(
            (name, self.rows(module)) for name, module in gm._modules.items() if isinstance(module, self._module)
        ) if gm._modules else ()
        return rows, facts, inner

    def symbolic(self):
        """Whether the graph read last may have sizes that are no numbers."""
        environment = self._environment
        if environment is None:
            return False
        # The first has another name before 2.11, which warns of the old one from then on.
        values = "backed_var_to_val" if hasattr(environment, "backed_var_to_val") else "var_to_val"
        return bool(getattr(environment, values, None) or getattr(environment, "var_to_range", None))

    def _structure(self, value):
        """Something that can be hashed, and whose hash tells it from others."""
        kind = type(value)
        if kind is self._node:
            return self._entry(value)[0]
        if kind is int:
            return value if value != -1 else "-1"  # hash(-1) is hash(-2)
        if kind is str or value is None:
            return value
        if kind is float or kind is bool:
            return kind, repr(value)  # equal to ints otherwise
        if isinstance(value, (list, tuple)):
            return kind, *map(self._structure, value)
        if isinstance(value, dict):
            return tuple([(key, self._structure(entry)) for key, entry in value.items()])
        if kind is slice:
            return slice, self._structure(value.start), self._structure(value.stop), self._structure(value.step)
        return value if isinstance(value, self._named) else id(value)

    def _value(self, value):
        """An identity that no later value can have."""
        if isinstance(value, self._tensor):
            if self._environment is None:
                mode = getattr(value, "fake_mode", None)
                self._environment = getattr(mode, "shape_env", None)
            return self._tensor, self._values.of(value)  # weak references compare what they refer to
        kind = type(value)
        if kind in _PLAIN:
            return kind, str(value)
        if kind is tuple or kind is list:
            return kind, *map(self._value, value)
        inner = getattr(value, "node", None)  # symbolic numbers
        try:
            return kind, self._values.of(value if inner is None else inner)
        except TypeError:  # no weak references to it
            return kind, id(value)


class Printer:
    """print_readable with the flags that PyTorch's own trace prints with, as far as this version has them."""

    def __init__(self):
        from torch.fx import GraphModule

        known = inspect.signature(GraphModule.print_readable).parameters
        wanted = {"print_output": False, "include_stride": True, "include_device": True}
        self._flags = {name: value for name, value in wanted.items() if name in known}
        self._known = known

    def has(self, flag):
        return flag in self._known

    def text(self, gm, **flags):
        return gm.print_readable(**self._flags, **{name: value for name, value in flags.items() if name in self._known})


def difference(before, after):
    """`after` as a list of [first, count], lines of `before`, and of lines. Lines may come from anywhere, so that what
    moved is told in few words."""
    out = []
    places = None
    at, count = 0, len(before)
    run = None
    for line in after:
        if run is not None and at < count and before[at] == line:
            run[1] += 1
            at += 1
            continue
        if run is None and at < count and before[at] == line:
            found = at
        else:
            if places is None:
                places = {}
                for index in range(count - 1, -1, -1):
                    places.setdefault(before[index], []).append(index)
            found = _nearest(places.get(line), at)
        if found is None:
            out.append(line)
            run = None
            continue
        run = [found, 1]
        out.append(run)
        at = found + 1
    return out


def _nearest(places, at):
    """The first at or after `at`, else the last before it. Places go down; few lines have many."""
    if not places:
        return None
    if len(places) > 64:
        low, high = 0, len(places)
        while low < high:
            middle = (low + high) // 2
            if places[middle] >= at:
                low = middle + 1
            else:
                high = middle
        return places[low - 1] if low else places[0]
    best = None
    for place in places:
        if place < at:
            break
        best = place
    return places[0] if best is None else best


class Tracked:
    """What is known of one graph module: the state that was written last."""

    __slots__ = ("module", "identity", "state", "seen", "symbolic", "kind")

    def __init__(self, gm, identity):
        self.module = weakref.ref(gm)
        self.identity = identity
        self.state = 0
        self.seen = None
        self.symbolic = True
        self.kind = "unknown"


_ANNOTATED = re.compile(r'(\w+): "([^"\n]*)"')


class Look:
    """A graph at one moment."""

    __slots__ = ("rows", "lines", "_types")

    def __init__(self, rows, lines):
        self.rows, self.lines, self._types = rows, lines, None

    def types(self):
        """name -> what its value is printed as."""
        if self._types is None:
            self._types = dict(_ANNOTATED.findall("\n".join(self.lines)))
        return self._types


def change(before, after):
    """How the nodes of two looks at a graph differ: ids with names, and whether those that stay changed places. Passes
    that compute all values anew update those that are printed differently."""
    old = {row[0]: row for row in before.rows[0]}
    new = {row[0]: row for row in after.rows[0]}
    out = {
        "created": [[row[0], row[1]] for row in after.rows[0] if row[0] not in old],
        "erased": [[row[0], row[1]] for row in before.rows[0] if row[0] not in new],
        "renamed": [], "updated": [],
    }
    for row in after.rows[0]:
        known = old.get(row[0])
        if known is None or known == row:
            continue
        if known[1] != row[1]:
            out["renamed"].append([row[0], known[1], row[1]])
        if known[2] != row[2] or known[3] != row[3] and before.types().get(known[1]) != after.types().get(row[1]):
            out["updated"].append(row[0])
    stayed = [row[0] for row in before.rows[0] if row[0] in new]
    if stayed != [row[0] for row in after.rows[0] if row[0] in old]:
        out["moved"] = True
    return {name: value for name, value in out.items() if value}
