# SPDX-License-Identifier: BSD-3-Clause
"""Programs that do what few programs do: what is compiled of them stays as it is, and so does what they print."""

import os
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import recording
from observing import observe

PROGRAMS = {
    "values_whose_code_has_effects": """
        import torch

        said = []

        class Loud:
            def __init__(self, value):
                self.value = value

            def __repr__(self):
                said.append("repr")
                raise RuntimeError("no repr")

            __str__ = __repr__

            def __hash__(self):
                said.append("hash")
                return 1

            def __eq__(self, other):
                said.append("eq")
                return self is other

            def __bool__(self):
                said.append("bool")
                return True

            def __len__(self):
                said.append("len")
                return 3

        class Proxy:
            def __getattr__(self, name):
                said.append(name)
                raise AttributeError(name)

            @property
            def __class__(self):
                said.append("class")
                return int

        class Text(str):
            def __str__(self):
                said.append("str")
                return "other"

            __repr__ = __str__

            def __len__(self):
                said.append("text len")
                return 1

        class Meta(type):
            def __repr__(cls):
                said.append("meta repr")
                return "?"

            def __getattribute__(cls, name):
                if name in ("__name__", "__qualname__", "__module__"):
                    said.append("meta " + name)
                return super().__getattribute__(name)

        class Odd(metaclass=Meta):
            pass

        class Failure(Exception):
            def __str__(self):
                said.append("failure")
                return "failure"

        loud, proxy, text = Loud(2), Proxy(), Text("abc")

        def fails(x):
            raise Failure(loud)

        def f(x, a, b, c, d):
            y = x * a.value
            kept = [a, b, c, d, Odd]
            try:
                fails(y)
            except Failure:
                y = y + 1
            torch._dynamo.graph_break()
            return y.sin() + len(kept)

        def main():
            out = torch.compile(f, backend="eager")(torch.ones(3), loud, proxy, text, Odd())
            return out.tolist(), said
    """,
    "unicode_names": """
        import torch

        class Größe(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.schräg = torch.nn.Parameter(torch.ones(2))

            def forward(self, 入力, *, ключ="\\ud800 \\U0001f600"):
                Δ = 入力 * self.schräg
                print(ключ == "x", end="")
                return Δ, {ключ: Δ + 1}, "\\x00\\x01\\x02"

        def main():
            out = torch.compile(Größe(), backend="eager")(torch.ones(2))
            return ascii(out)
    """,
    "a_huge_tensor_and_long_constants": """
        import torch

        big = torch.zeros(1).expand(10 ** 12)
        text = "x" * 100000
        number = 10 ** 5000

        def f(x, b, t):
            y = x + b[0] + len(t)
            return y if number > 3 else x

        def main():
            return torch.compile(f, backend="eager")(torch.ones(2), big, text).tolist()
    """,
    "data_dependent_symbols": """
        import torch

        torch._dynamo.config.capture_scalar_outputs = True
        torch._dynamo.config.capture_dynamic_output_shape_ops = True

        def f(x):
            u = x.sum().to(torch.int64).item()
            torch._check(u >= 2)
            torch._check(u <= 100)
            y = torch.zeros(u)
            z = x.nonzero()
            return y.sum() + z.shape[0], torch.ones(u) + 1

        def main():
            try:
                compiled = torch.compile(f, backend="eager", dynamic=True)
                return [repr(compiled(torch.ones(n))) for n in (3, 5)]
            finally:
                torch._dynamo.config.capture_scalar_outputs = False
                torch._dynamo.config.capture_dynamic_output_shape_ops = False
    """,
    "one_compile_inside_another": """
        import torch

        inner = torch.compile(lambda x: x.sin() + 1, backend="eager")
        other = torch.compile(lambda x: x.cos(), backend="aot_eager")

        def backend(gm, inputs):
            other(torch.ones(4))  # while another graph is compiled
            return gm.forward

        def f(x):
            return inner(x) * 2

        def main():
            return torch.compile(f, backend=backend)(torch.ones(3)).tolist(), other(torch.ones(2)).tolist()
    """,
    "reset_in_the_middle": """
        import torch

        def f(x, n):
            return x * n

        def backend(gm, inputs):
            return gm.forward

        def main():
            out = []
            compiled = torch.compile(f, backend=backend)
            for n in range(3):
                out.append(compiled(torch.ones(2), n).tolist())
                torch._dynamo.reset()
            return out
    """,
    "module_hooks": """
        import torch

        calls = []

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(3, 3)

            def forward(self, x):
                return self.layer(x).relu()

        def main():
            torch.manual_seed(1)
            model = Model()
            model.layer.register_forward_hook(lambda module, inputs, output: output * 2)
            model.layer.register_forward_pre_hook(lambda module, inputs: (inputs[0] + 1,))
            model.register_full_backward_hook(lambda module, grad_in, grad_out: calls.append(1))
            out = torch.compile(model, backend="aot_eager")(torch.ones(2, 3, requires_grad=True))
            out.sum().backward()
            return out.tolist(), calls
    """,
    "generators_and_contexts": """
        import contextlib
        import torch

        @contextlib.contextmanager
        def scaled(out, by):
            out.append(by)
            try:
                yield by
            finally:
                out.append(-by)

        def numbers(n):
            for i in range(n):
                got = yield i
                if got:
                    yield got

        class Context:
            def __enter__(self):
                return 3

            def __exit__(self, *error):
                return error[0] is ValueError

        def f(x, out):
            total = sum(numbers(3))
            made = (x + i for i in range(3))
            with scaled(out, 2) as by, torch.autograd.set_grad_enabled(False), Context() as c:
                for value in made:
                    x = x + value * by * c
                raise ValueError
            with Context():
                x = x.sin()
            return x + total

        def main():
            out = []
            result = torch.compile(f, backend="eager")(torch.ones(2), out).tolist()
            return result, out
    """,
    "export": """
        import torch

        class Model(torch.nn.Module):
            def forward(self, x, flag: bool):
                y = x.sin() if flag else x.cos()
                return torch.cond(y.sum() > 0, lambda v: v + 1, lambda v: v - 1, (y,))

        def main():
            program = torch.export.export(Model(), (torch.ones(4, 2), True), strict=True,
                                          dynamic_shapes={"x": {0: torch.export.Dim("n")}, "flag": None})
            again = torch.export.export(Model(), (torch.ones(2), False), strict=False)
            return str(program.graph), str(again.graph), program.module()(torch.ones(3, 2), True).tolist()
    """,
    "compiled_autograd": """
        import torch

        def f(x):
            return (x.sin() * 2).sum()

        def main():
            x = torch.ones(3, requires_grad=True)
            with torch._dynamo.compiled_autograd._enable(lambda gm: torch.compile(gm, backend="eager")):
                torch.compile(f, backend="aot_eager")(x).backward()
            return x.grad.tolist()
    """,
    "the_limit_of_recompiles": """
        import torch

        def f(x, n):
            if n > 2:
                return x + n
            return x - n

        def main():
            compiled = torch.compile(f, backend="eager", dynamic=False)
            return [compiled(torch.ones(2), n).tolist() for n in range(12)]
    """,
    "an_uncaught_exception": """
        import torch

        class Stop(Exception):
            pass

        def f(x):
            x = x + 1
            if x.shape[0] == 2:
                raise Stop(x.shape[0])
            return x

        def main():
            compiled = torch.compile(f, backend="eager")
            try:
                compiled(torch.ones(2))
            except Stop as stop:
                print(stop.args)
            return compiled(torch.ones(3)).tolist()
    """,
    "what_the_tracer_meets_rarely": """
        import collections
        import dataclasses
        import enum
        import functools
        import torch

        class Colour(enum.Enum):
            RED = 1

        Point = collections.namedtuple("Point", "x y")

        @dataclasses.dataclass
        class Data:
            x: torch.Tensor
            n: int = 3

        class Descriptor:
            def __get__(self, item, owner):
                return 5

        class Base:
            def run(self, x):
                return x + 1

        class Derived(Base):
            five = Descriptor()
            __slots__ = ("slot",)

            def run(self, x):
                return super().run(x) * self.five

        def outer(x):
            n = 0

            def count(step):
                nonlocal n
                n += step
                return n

            return count(2), x + n

        def f(x, d, *rest, key=None, **named):
            point = Point(x, 2)
            table = collections.defaultdict(list)
            table["a"].append(point.x)
            queue = collections.deque([1, 2], maxlen=2)
            queue.append(3)
            data = Data(x)
            partial = functools.partial(torch.add, x)
            first, *others = rest
            match key:
                case {"k": int(k)}:
                    x = x + k
                case _:
                    x = x - 1
            derived = Derived()
            derived.slot = x
            x = derived.run(derived.slot) + partial(1) + data.n + queue[0] + len(table) + first
            if Colour.RED is named["colour"] and (size := len(others)):
                x = x * size
            d["seen"] = {1, 2} | {3}
            del named["colour"]
            assert x is not None, "never"
            return outer(x), f"{size!r:>4}", {**d}, [*others], sorted(rest, key=lambda v: -v)

        def main():
            d = {}
            out = torch.compile(f, backend="eager")(torch.ones(2), d, 1, 2, 3, key={"k": 4}, colour=Colour.RED)
            return repr(out), repr(d)
    """,
    "a_subclass_and_a_mode": """
        import torch
        from torch.overrides import TorchFunctionMode

        seen = []

        class Sub(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append(getattr(func, "__name__", "?"))
                return super().__torch_function__(func, types, args, kwargs or {})

        class Mode(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append("mode " + getattr(func, "__name__", "?"))
                return func(*args, **(kwargs or {}))

        def f(x, y):
            return x.sin() + y

        def main():
            sub = torch.ones(2).as_subclass(Sub)
            out = torch.compile(f, backend="eager")(sub, torch.ones(2))
            with Mode():
                more = torch.compile(f, backend="eager")(torch.ones(2), torch.ones(2))
            return type(out).__name__, len(seen), more.shape
    """,
}


class ProgramsTest(unittest.TestCase):
    def test_nothing_changes(self):
        for name, source in PROGRAMS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                case = {"name": name, "file": name + ".py", "source": textwrap.dedent(source)}
                path = os.path.join(folder, name + ".dsteps")
                observe(case, folder)  # what PyTorch does once a process
                alone = observe(case, folder)
                recorded = observe(case, folder, path)
                self.assertEqual(vars(alone), vars(recorded))
                self.assertNotIn(alone.result, ("NameError", "TypeError", "SyntaxError", "ImportError"))
                self.assertEqual(recording.documents(path, "!"), [])
                self.assertEqual(len(recording.documents(path, "E")), len(recording.documents(path, "C")))


if __name__ == "__main__":
    unittest.main()
