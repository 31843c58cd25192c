# SPDX-License-Identifier: BSD-3-Clause
"""Random programs over views, in-place writes, index operators, dtypes and aliased inputs.

program(seed) gives (source, inputs, facts): a Python function f as text, its inputs in the form of an oracle case, and
what the program holds. Every step is run as it is made, so that the program runs to its end; a write whose sources
partly overlap its destination is never made, because eager PyTorch gives it no defined result.
"""
import random

import torch

DTYPES = {str(t).removeprefix("torch."): t for t in (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool,
    torch.complex64)}
LARGEST = 1000.0  # beyond it the order of additions could show
ENOUGH_ELEMENTS = 64


def cells(tensor):
    """Positions of the storage that the tensor reads."""
    found = [tensor.storage_offset()]
    for size, stride in zip(tensor.shape, tensor.stride()):
        found = [base + step * stride for base in found for step in range(size)]
    return found


def overlaps_itself(tensor):
    found = cells(tensor)
    return len(set(found)) != len(found)


def disturbs(written, read):
    """Whether writing to one while the other is read depends on the order of the elements."""
    if written.untyped_storage()._cdata != read.untyped_storage()._cdata:
        return False
    same = (written.shape, written.stride(), written.storage_offset()) == (
        read.shape, read.stride(), read.storage_offset())
    return not same and not set(cells(written)).isdisjoint(cells(read))


def strides_of(shape):
    out, step = [], 1
    for size in reversed(shape):
        out.insert(0, step)
        step *= max(size, 1)
    return out


def value(rng, dtype):
    if dtype == "bool":
        return rng.random() < 0.5
    number = rng.randint(0 if dtype == "uint8" else -4, 4)
    if dtype == "complex64":
        return [float(number), float(rng.randint(-2, 2))]
    return number if DTYPES[dtype].is_floating_point is False else float(number)


def make_inputs(spec):
    """The tensors of a case's inputs, and its storages."""
    storages = []
    for storage in spec["storages"]:
        data = [complex(*v) if isinstance(v, list) else v for v in storage["data"]]
        storages.append(torch.tensor(data, dtype=DTYPES[storage["dtype"]]))
    bases, tensors = {}, []
    for entry in spec["inputs"]:
        if entry.get("same_as") is not None:
            tensors.append(tensors[entry["same_as"]])
            continue
        flat = storages[entry["storage"]]
        geometry = entry["shape"], entry["stride"], entry["storage_offset"]
        if entry["via"] == "view":
            base = bases.setdefault(entry["storage"], flat.detach())
            tensors.append(base.as_strided(*geometry))
        else:
            empty = torch.empty(0, dtype=flat.dtype)
            tensors.append(empty.set_(flat.untyped_storage(), geometry[2], geometry[0], geometry[1]))
    for entry, tensor in zip(spec["inputs"], tensors):
        if entry.get("requires_grad"):
            tensor.requires_grad_(True)
    return tensors, storages


class Inputs:
    """Storages, and tensors on them: several to a storage, overlapping or not, and sometimes one twice."""

    def __init__(self, rng, with_grad):
        self.rng = rng
        self.storages, self.inputs = [], []
        main = rng.choices(["float32", "float64", "int64", "int32", "float16", "bfloat16", "complex64", "uint8"],
                           [12, 2, 2, 1, 1, 1, 1, 1])[0]
        for _ in range(rng.randint(1, 3)):
            dtype = "float32" if with_grad else main if rng.random() < 0.8 else rng.choice(list(DTYPES))
            self.add_storage(dtype)
        rng.shuffle(self.inputs)
        self.inputs = self.inputs[:5]
        if rng.random() < 0.15:
            self.add_duplicate()
        if with_grad:
            self.ask_for_gradients()
        self.add_index()
        for position, entry in enumerate(self.inputs[:-1]):
            entry["name"] = f"x{position}"
        self.inputs[-1]["name"] = "idx"

    def add_storage(self, dtype):
        rng = self.rng
        shape = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
        count = 1
        for size in shape:
            count *= size
        padding = rng.choice([0, 0, 2])
        total = count + padding
        self.storages.append({"dtype": dtype, "base_shape": [total], "data": [value(rng, dtype) for _ in range(total)]})
        via = rng.choice(["set", "view"])
        whole = torch.arange(total).as_strided(shape, strides_of(shape), rng.randint(0, padding))
        for _ in range(rng.choices([1, 2, 3], [6, 4, 2])[0]):
            view = whole
            for _ in range(rng.randint(0, 2) if len(self.inputs) else 0):
                view = self.some_view(view)
            self.inputs.append({"storage": len(self.storages) - 1, "shape": list(view.shape),
                                "stride": list(view.stride()), "storage_offset": view.storage_offset(),
                                "dtype": dtype, "via": via})

    def some_view(self, tensor):
        if tensor.dim() == 0:
            return tensor
        rng = self.rng
        dim = rng.randrange(tensor.dim())
        size = tensor.shape[dim]
        kind = rng.choice(["cut", "swap", "pick", "step"])
        if kind == "cut" and size > 1:
            start = rng.randrange(size)
            return tensor.narrow(dim, start, rng.randint(1, size - start))
        if kind == "swap":
            return tensor.transpose(dim, rng.randrange(tensor.dim()))
        if kind == "pick" and tensor.dim() > 1:
            return tensor.select(dim, rng.randrange(size))
        if kind == "step" and size > 1:
            return tensor[(slice(None),) * dim + (slice(None, None, 2),)]
        return tensor

    def add_duplicate(self):
        of = self.rng.randrange(len(self.inputs))
        copy = {k: v for k, v in self.inputs[of].items() if k != "same_as"}
        self.inputs.append({**copy, "same_as": of})

    def ask_for_gradients(self):
        """Of inputs that have a storage of their own: others are no leaves that a user could have."""
        shared = [entry["storage"] for entry in self.inputs]
        for entry in self.inputs:
            if shared.count(entry["storage"]) == 1 and self.rng.random() < 0.7:
                entry["via"] = "set"
                entry["requires_grad"] = True

    def add_index(self):
        rng = self.rng
        data = [rng.randint(0, 1) for _ in range(rng.randint(1, 3))] if rng.random() < 0.4 else rng.sample(
            range(3), rng.randint(1, 3))
        self.storages.append({"dtype": "int64", "base_shape": [len(data)], "data": data})
        self.inputs.append({"storage": len(self.storages) - 1, "shape": [len(data)], "stride": [1],
                            "storage_offset": 0, "dtype": "int64", "via": "set"})

    def spec(self):
        used = sorted({entry["storage"] for entry in self.inputs})
        for entry in self.inputs:
            entry["storage"] = used.index(entry["storage"])
        groups = {}
        for position, entry in enumerate(self.inputs):
            groups.setdefault(entry["storage"], []).append(position)
        return {"storages": [self.storages[i] for i in used], "inputs": self.inputs,
                "aliasing_groups": [group for group in groups.values() if len(group) > 1]}


class Program:
    """Grows a function step by step. A step proposes an expression, or nothing where it does not fit."""

    def __init__(self, rng, spec):
        self.rng = rng
        tensors, self.storages = make_inputs(spec)
        self.names = [entry["name"] for entry in spec["inputs"]]
        self.grad = any(entry.get("requires_grad") for entry in spec["inputs"])
        self.values = dict(zip(self.names, tensors))
        self.idx = self.values.pop("idx")
        self.lines, self.counts = [], {"views": 0, "mutations": 0}

    def pick(self, fits=lambda tensor: True):
        names = [name for name, tensor in self.values.items() if fits(tensor)]
        if not names:
            return None, None
        name = self.rng.choice(names[-5:] if self.rng.random() < 0.6 else names)
        return name, self.values[name]

    def emit(self, expression, results=1):
        """Runs the expression; keeps it only if it can be run and its results stay small."""
        scope = {**self.values, "torch": torch, "idx": self.idx}
        with torch.set_grad_enabled(self.grad):
            try:
                made = eval(expression, scope)
            except Exception:
                return False
        made = [made] if results == 1 else list(made)
        start = sum(1 for name in self.values if name.startswith("v"))
        names = [f"v{start + i}" for i in range(len(made))]
        self.lines.append(f"{', '.join(names)}{',' if results != 1 and len(names) == 1 else ''} = {expression}")
        self.values.update(zip(names, made))
        return True

    def grow(self, steps):
        for _ in range(5 * steps):
            if len(self.lines) >= steps:
                break
            kind = self.rng.choices(["views", "mutations", "others"], [9, 7, 5])[0]
            step = self.rng.choice({"views": VIEWS, "mutations": WRITES, "others": OTHERS}[kind])
            if step(self) and kind in self.counts:
                self.counts[kind] += 1

    def sane(self):
        for tensor in self.values.values():
            if tensor.numel() > ENOUGH_ELEMENTS:
                return False
            wide = tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64)
            if wide.numel() and not wide.abs().max() <= LARGEST:
                return False
        return True

    def source(self):
        made = [name for name in self.values if name.startswith("v")]
        outputs = [made[-1]] + self.rng.sample(made, self.rng.randint(0, min(3, len(made) - 1)))
        if self.rng.random() < 0.2:
            outputs.append(self.rng.choice(self.names[:-1]))
        body = "".join(f"    {line}\n" for line in self.lines)
        return f"def f({', '.join(self.names)}):\n{body}    return {', '.join(outputs)},\n"


def aten(name, *arguments, **keywords):
    words = [str(a) for a in arguments] + [f"{k}={v}" for k, v in keywords.items()]
    return f"torch.ops.aten.{name}({', '.join(words)})"


def has_dims(tensor):
    return tensor.dim() > 0 and tensor.numel() > 0


# ------------------------------------------------------------------------------------------------------ views
VIEWS, WRITES, OTHERS = [], [], []


def step(group, weight=1):
    def add(function):
        group.extend([function] * weight)
        return function
    return add


@step(VIEWS, 2)
def view(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    a = p.rng.choice([n for n in (1, 2, 3, 4, 6) if t.numel() % n == 0])
    shape = p.rng.choice([[-1], [a, -1], [t.numel() // a, a]])
    return p.emit(aten("view.default", name, shape) if p.rng.random() < 0.9 else f"torch.reshape({name}, {shape})")


@step(VIEWS, 4)
def cut(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    dim = p.rng.randrange(t.dim())
    size = t.shape[dim]
    start = p.rng.randrange(size)
    end = p.rng.choice([9223372036854775807, p.rng.randint(start + 1, size)])
    kind = p.rng.choice(["slice", "slice", "select", "narrow"])
    if kind == "select":
        return p.emit(aten("select.int", name, dim, start - p.rng.choice([0, size])))
    if kind == "narrow":
        return p.emit(f"torch.narrow({name}, {dim}, {start}, {p.rng.randint(1, size - start)})")
    return p.emit(aten("slice.Tensor", name, dim - p.rng.choice([0, t.dim()]), start, end, p.rng.choice([1, 1, 2])))


@step(VIEWS, 3)
def turn(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    dims = list(range(t.dim()))
    p.rng.shuffle(dims)
    other = p.rng.randrange(t.dim())
    return p.emit(p.rng.choice([
        aten("permute.default", name, dims), aten("transpose.int", name, dims[0], other),
        aten("t.default", name) if t.dim() <= 2 else aten("movedim.int", name, 0, -1)]))


@step(VIEWS, 3)
def pieces(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    dim = p.rng.randrange(t.dim())
    size = t.shape[dim]
    kind = p.rng.choice(["split", "sizes", "chunk", "unbind"])
    if kind == "split":
        return p.emit(aten("split.Tensor", name, p.rng.randint(1, size), dim), results=2)
    if kind == "sizes":
        first = p.rng.randint(0, size)
        return p.emit(aten("split_with_sizes.default", name, [first, size - first], dim), results=2)
    if kind == "chunk":
        return p.emit(aten("chunk.default", name, 2, dim), results=2)
    return size <= 3 and p.emit(aten("unbind.int", name, dim), results=2)


@step(VIEWS, 2)
def ones(p):
    name, t = p.pick()
    dim = p.rng.randint(-1, t.dim())
    return p.emit(p.rng.choice([
        aten("unsqueeze.default", name, dim), aten("squeeze.dim", name, max(0, dim - 1)), aten("squeeze.default", name),
        aten("expand.default", name, [2 if size == 1 else size for size in t.shape] or [2])]))


@step(VIEWS, 2)
def odd_views(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    # Not view.dtype: its trace has a detach of autograd's, of which PyTorch's functionalization of the program itself
    # knows nothing.
    kind = p.rng.choice(["diagonal", "alias", "detach", "unfold", "as_strided", "real"])
    if kind == "diagonal":
        return t.dim() > 1 and p.emit(aten("diagonal.default", name, p.rng.choice([0, 0, 1, -1])))
    if kind in ("alias", "detach"):
        return p.emit(aten(kind + ".default", name))
    if kind == "unfold":
        return t.shape[0] > 1 and p.emit(aten("unfold.default", name, 0, 2, p.rng.choice([1, 2, 2, 3])))
    if kind == "real":
        return t.is_complex() and p.emit(aten("view_as_real.default", name))
    total = t.untyped_storage().nbytes() // t.element_size()
    shape = [p.rng.randint(1, 2) for _ in range(p.rng.randint(1, 2))]
    stride = [p.rng.randint(1, 3) for _ in shape]
    reach = sum((size - 1) * by for size, by in zip(shape, stride)) + 1
    return reach <= total and p.emit(aten("as_strided.default", name, shape, stride, p.rng.randint(0, total - reach)))


# ------------------------------------------------------------------------------------------------------ writes
def writable(tensor):
    return not overlaps_itself(tensor)


def broadcastable(target):
    def fits(tensor):
        sizes = zip(reversed(tensor.shape), reversed(target.shape))
        return tensor.dim() <= target.dim() and all(a in (1, b) for a, b in sizes) and not disturbs(target, tensor)
    return fits


@step(WRITES, 4)
def write_number(p):
    name, t = p.pick(writable)
    if not name:
        return False
    n = p.rng.choice([1, 2, -1, 3])
    return p.emit(p.rng.choice([
        aten("add_.Tensor", name, n), aten("mul_.Tensor", name, n), aten("fill_.Scalar", name, n), aten("zero_.default", name),
        aten("relu_.default", name), aten("neg_.default", name), aten("clamp_.default", name, -2, 2),
        aten("sub_.Tensor", name, n, alpha=2), aten("abs_.default", name), aten("bitwise_not_.default", name),
        aten("eq_.Scalar", name, n), aten("div_.Tensor", name, 2)]))


@step(WRITES, 4)
def write_tensor(p):
    name, t = p.pick(writable)
    if not name:
        return False
    other, _ = p.pick(broadcastable(t))
    if not other:
        return False
    return p.emit(p.rng.choice([
        aten("add_.Tensor", name, other), aten("copy_.default", name, other), aten("mul_.Tensor", name, other),
        aten("copy_.default", name, other), aten("sub_.Tensor", name, other),
        aten("masked_fill_.Scalar", name, aten("gt.Scalar", other, 0), 1),
        aten("logical_and_.default", name, other), aten("lerp_.Scalar", name, other, 0.5)]))


@step(WRITES, 3)
def write_at_index(p):
    biggest, repeats = int(p.idx.max()), len(set(p.idx.tolist())) != len(p.idx)
    name, t = p.pick(lambda t: t.dim() > 0 and t.shape[0] > biggest and writable(t))
    if not name:
        return False
    rows = [len(p.idx), *t.shape[1:]]
    word = str(t.dtype)
    one = f"torch.ops.aten.full.default([], 2, dtype={word})"
    source = f"torch.ops.aten.full.default({rows}, 3, dtype={word})"
    choices = [
        aten("index_put_.default", name, "[idx]", one, True), aten("index_fill_.int_Scalar", name, 0, "idx", 1),
        aten("index_add_.default", name, 0, "idx", source), aten("index_put_.default", name, f"[torch.ops.aten.gt.Scalar({name}, 0)]", one)]
    if not repeats:
        choices += [aten("index_put_.default", name, "[idx]", one), aten("index_copy_.default", name, 0, "idx", source)]
    if t.dim() == 1:
        choices += [aten("scatter_.value", name, 0, "idx", 1), aten("scatter_add_.default", name, 0, "idx", source)]
    return p.emit(p.rng.choice(choices))


@step(WRITES, 1)
def write_out(p):
    """Operators with out=, the result tensor of which is another value of the program."""
    name, t = p.pick(lambda t: writable(t) and t.is_contiguous())
    if not name:
        return False
    other, _ = p.pick(lambda o: o.shape == t.shape and o.dtype == t.dtype and not disturbs(t, o))
    return bool(other) and p.emit(p.rng.choice([
        aten("add.out", other, 1, out=name), aten("neg.out", other, out=name), aten("mul.out", other, other, out=name)]))


@step(WRITES, 1)
def change_geometry(p):
    name, t = p.pick(has_dims)
    if not name:
        return False
    return p.emit(p.rng.choice([
        aten("transpose_.default", name, 0, t.dim() - 1), aten("unsqueeze_.default", name, 0),
        aten("squeeze_.dim", name, 0), aten("t_.default", name) if t.dim() <= 2 else aten("squeeze_.default", name)]))


# ------------------------------------------------------------------------------------------------------ others
@step(OTHERS, 3)
def of_one(p):
    name, t = p.pick()
    dim = p.rng.randrange(max(1, t.dim()))
    choices = [aten("add.Tensor", name, p.rng.choice([1, -3])), aten("mul.Tensor", name, 2), aten("neg.default", name),
               aten("clone.default", name), aten("relu.default", name), aten("sum.default", name),
               aten("_to_copy.default", name, dtype="torch.float64"), aten("zeros_like.default", name)]
    if t.dim():
        choices += [aten("sum.dim_IntList", name, [dim]), aten("flip.default", name, [dim]), aten("cumsum.default", name, dim),
                    aten("amax.default", name, [dim]), aten("argmax.default", name, dim), aten("any.dim", name, dim)]
        if t.shape[0] > int(p.idx.max()):
            choices += [aten("index.Tensor", name, "[idx]"), aten("index_select.default", name, 0, "idx")]
    return p.emit(p.rng.choice(choices))


@step(OTHERS, 2)
def of_two(p):
    name, t = p.pick()
    other, _ = p.pick(lambda o: o.shape == t.shape)
    return bool(other) and p.emit(p.rng.choice([
        aten("add.Tensor", name, other), aten("sub.Tensor", name, other), aten("maximum.default", name, other),
        aten("stack.default", f"[{name}, {other}]"), aten("where.self", aten("gt.Scalar", name, 0), name, other),
        aten("cat.default", f"[{name}, {other}]") if t.dim() else aten("mul.Tensor", name, other),
        aten("eq.Tensor", name, other)]))


@step(OTHERS, 1)
def fresh(p):
    shape = [p.rng.randint(1, 3) for _ in range(p.rng.randint(1, 2))]
    kind = p.rng.choice(["zeros.default", "ones.default", "arange.default"])
    return p.emit(aten(kind, p.rng.randint(1, 4) if kind == "arange.default" else shape))


def program(seed):
    for attempt in range(200):
        rng = random.Random(f"{seed}/{attempt}")
        spec = Inputs(rng, with_grad=rng.random() < 0.12).spec()
        made = Program(rng, spec)
        made.grow(rng.randint(3, 14))
        if len(made.lines) >= 3 and min(made.counts.values()) >= 1 and made.sane():
            return made.source(), spec, {"seed": seed, "attempt": attempt, "steps": len(made.lines), **made.counts}
    raise RuntimeError(f"seed {seed} gives no program")
