#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Captures of random programs on fake CUDA tensors, with PyTorch's own answers about CUDA graphs.

    cudagraph_captures.py FIRST END FOLDER

One folder a seed: the log that TORCH_TRACE wrote, and answers.json. No GPU is needed, and none is used: tensors are
fake, and where PyTorch would record a graph, what its runtime asks first is asked instead.
"""
import glob
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

# PyTorch for the CPU has no guard for CUDA devices, which kernels of views ask for even where tensors are fake.
GUARD = """
#include <c10/core/impl/DeviceGuardImplInterface.h>
namespace c10::impl {
C10_REGISTER_GUARD_IMPL(CUDA, NoOpDeviceGuardImpl<DeviceType::CUDA>)
}
"""


def program(seed):
    """Source of a module, its inputs, and how it is compiled."""
    rng = random.Random(seed)
    inputs = ["x0", "x1", "x2"][: rng.randint(1, 3)]
    devices = {name: "cuda:0" for name in inputs}
    odd = rng.random()
    if odd < 0.06:
        devices[inputs[0]] = "meta"
    elif odd < 0.12:
        devices[inputs[-1]] = "cuda:1"
    elif odd < 0.18:
        devices[inputs[-1]] = "cpu"
    elif odd < 0.22:
        devices = {name: "cpu" for name in inputs}
    values = [name for name in inputs if devices[name] == "cuda:0"] or [name for name in inputs if devices[name] == "cpu"]
    lines, made = [], 0
    alive = list(values) or ["self.c.expand(3, 4).clone()"]
    for name in inputs:
        if name not in values:
            lines.append(f"{name}_ = {name} + 1")

    def new(expression):
        nonlocal made
        lines.append(f"v{made} = {expression}")
        alive.append(f"v{made}")
        made += 1

    def pick():
        return rng.choice(alive)

    for _ in range(rng.randint(2, 7)):
        kind = rng.randint(0, 19)
        if kind < 4:
            new(f"{pick()} * {rng.randint(2, 5)} + self.w")
        elif kind == 4:
            new(f"torch.relu({pick()})")
        elif kind == 5:
            lines.append(f"{pick()}.add_({rng.randint(1, 3)})")
        elif kind == 6:
            lines.append(f"{pick()}[0].mul_(2)")
        elif kind == 7:
            lines.append(f"{pick()}.t()[1:3].sub_(1)")
        elif kind == 8:
            lines.append("self.b.add_(1)")
        elif kind == 9:
            lines.append(f"self.b.copy_({pick()}.sum(0))")
        elif kind == 10:
            lines.append(f"torch._foreach_add_([{pick()}, {pick()}], 1)")
        elif kind == 11:
            lines.append(f"torch._foreach_mul_([{pick()}], 2.0)")
        elif kind == 12:
            lines.append(f"{pick()}.copy_({pick()})")
        elif kind == 13:
            lines.append(f"{pick()}[self.m] = 0")
        elif kind == 14:
            lines.append(f"torch.add({pick()}, 1, out={pick()})")
        elif kind == 15:
            new(f"torch.nonzero({pick()}).sum() + {pick()}" if rng.random() < 0.5 else f"{pick()}.clamp(min=0)")
        elif kind == 16:
            new(f"{pick()}.t().contiguous().t()")
        elif kind == 17:
            new(f"{pick()}[:]")
        elif kind == 18:
            lines.append("self.w.mul_(1.5)")
        else:
            new(f"{pick()} + self.c")
        if rng.random() < 0.25:
            lines.append("torch._dynamo.graph_break()")
            if made > 0 and rng.random() < 0.6:
                lines.append(f"v{rng.randrange(made)}.{rng.choice(['add_(1)', 'mul_(2)', 't()[0].neg_()', 'copy_(self.w)'])}")
    result = sorted({pick() for _ in range(rng.randint(1, 2))})
    source = "\n".join(
        [
            "import torch",
            "",
            "class M(torch.nn.Module):",
            "    def __init__(self, device):",
            "        super().__init__()",
            "        self.w = torch.nn.Parameter(torch.ones(4, device=device), requires_grad=False)",
            "        self.register_buffer('b', torch.zeros(4, device=device))",
            "        self.register_buffer('m', torch.zeros(3, 4, dtype=torch.bool, device=device))",
            "        self.c = torch.ones(4, device=device)",
            "",
            f"    def forward(self, {', '.join(inputs)}):",
            *("        " + line for line in lines),
            f"        return {', '.join(result)},",
            "",
        ]
    )
    backend = "cudagraphs" if seed % 2 else "inductor"
    return source, [devices[name] for name in inputs], backend, rng.random() < 0.15


def run_seed(seed, folder):
    import torch
    import torch._dynamo.backends.cudagraphs as cg
    import torch._inductor.compile_fx as compile_fx
    import torch._inductor.cudagraph_trees as trees
    import torch._inductor.cudagraph_utils as utils
    from torch._guards import CompileContext
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    source, devices, backend, static = program(seed)
    # A path of its own for every seed, the same on every machine.
    path = f"/tmp/dynascope_cudagraphs/seed_{seed}.py"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(source)
    space = {"__name__": "program", "__file__": path}
    exec(compile(source, path, "exec"), space)
    answers = []
    real_skip = cg.check_for_skip
    recorded = []  # results of recordings, of this call
    uncertain = []  # of graphs that Inductor would cut: only some of them lie in recordings

    def failed(error):
        return {"error": [type(error).__name__, str(error)]}

    def asked(function):
        try:
            return function()
        except Exception as error:
            return failed(error)

    def answer(gm, part, fixed, static_inputs, writes_allowed=False):
        graph = gm.graph
        placeholders = utils.get_placeholder_info(graph)
        mutated = asked(lambda: sorted(cg.find_input_mutations(graph)))
        # Inductor asks about writes when a graph is called.
        with torch._dynamo.config.patch(cudagraph_backend_support_input_mutation=writes_allowed):
            skip = asked(lambda: real_skip(gm, fixed) or "")
        device = asked(lambda: cg.get_device_index(gm)) if skip == "" else None
        devices = {device.type for device in cg.get_device_node_mapping(gm)}
        # Inductor leaves CPU tensors out of its CUDA graphs, and says nothing of a graph without a CUDA tensor.
        with torch._inductor.config.patch({"triton.cudagraphs": True}):
            lowering = asked(lambda: utils.check_multiple_devices_or_any_cpu_nodes(cg.get_device_node_mapping(gm)) or "")
        out = {
            "compile": str(CompileContext.current_compile_id()),
            "part": part,
            "inputs": len(placeholders),
            "static": list(static_inputs),
            "fixed": fixed,
            "mutated": mutated,
            "skip": skip,
            "device": device,
            "devices": sorted(devices),
            "lowering": lowering if "cuda" in devices else "",
            "unsafe": bool(asked(lambda: torch._inductor.utils.get_first_incompatible_cudagraph_node(gm)) is not None),
            "called": False,
        }
        answers.append(out)

        def run(args):
            # Asked as the runtime of CUDA-graph trees asks on the first call.
            inputs = list(args)
            arguments = [value for value in inputs if isinstance(value, torch.Tensor)]
            written = mutated if isinstance(mutated, list) else []
            function = utils.WrappedFunction(gm, tuple(static_inputs), utils.FunctionID(len(answers)), (), placeholders, tuple(written))
            ids = [t.untyped_storage()._cdata for t in recorded]

            def is_recorded(value):
                return isinstance(value, torch.Tensor) and value.untyped_storage()._cdata in ids

            message = utils.check_for_mutation(function, inputs, is_recorded)
            if not out["called"]:
                out["called"] = True
                out["message"] = message or ""
                out["categories"] = {
                    str(i): "static" if i in static_inputs else "recorded" if is_recorded(inputs[i]) else "other" for i in written
                }
                cut = [t.untyped_storage()._cdata for t in uncertain]
                out["certain"] = not any(inputs[i].untyped_storage()._cdata in cut for i in written)
            boxed = isinstance(graph._codegen, torch.fx.graph._BoxedCodeGen)
            results = gm(inputs) if boxed else gm(*inputs)
            # What lies in an input lies in no recording: the runtime makes it anew of the caller's own tensor.
            given = [t.untyped_storage()._cdata for t in arguments]
            made = [r for r in results if isinstance(r, torch.Tensor) and r.untyped_storage()._cdata not in given]
            # A graph on the CPU is asked about as if it were on a GPU.
            can_be_recorded = devices == {"cpu"} or lowering == "" if writes_allowed else skip == ""
            cut = writes_allowed and (out["unsafe"] or devices >= {"cpu", "cuda"})
            if can_be_recorded and not out["certain"]:
                uncertain.extend(made)
            elif can_be_recorded and message is None:
                (uncertain if cut else recorded).extend(made)
            return results

        run._boxed_call = True
        return run

    def inner(gm, example_inputs, *, static_input_idxs=(), is_backward=False, is_inference=False, **_):
        part = "backward" if is_backward else "inference" if is_inference else "forward"
        return answer(gm, part, 0, static_input_idxs, True)

    def cudagraphify(model, inputs, static_input_idxs, **kwargs):
        return answer(kwargs_of[id(model)], "backward" if kwargs["is_backward"] else "inference" if kwargs["is_inference"] else "forward",
                      len(static_input_idxs), list(static_input_idxs))

    kwargs_of = {}

    def boxed_nop(model, inputs):
        out = real_nop(model, inputs)
        kwargs_of[id(out)] = model
        kept.append(out)
        return out

    kept, real_nop = [], cg.boxed_nop

    def check_for_skip(gm, fixed):
        try:
            reason = real_skip(gm, fixed)
        except Exception:
            answer(gm, "inference", fixed, range(fixed))
            raise
        if reason or asked(lambda: cg.get_device_index(gm)) != 0:
            answer(gm, "inference", fixed, range(fixed))
        return reason

    if backend == "cudagraphs":
        trees.cudagraphify_impl = cudagraphify
        cg.boxed_nop = boxed_nop
        asking = cg.check_for_skip

        def compiler(gm, inputs):
            saved, cg.check_for_skip = cg.check_for_skip, wrapped_skip
            try:
                return cg.cudagraphs(gm, inputs)
            finally:
                cg.check_for_skip = saved

        def wrapped_skip(gm, fixed):
            cg.check_for_skip = asking
            try:
                return check_for_skip(gm, fixed)
            finally:
                cg.check_for_skip = wrapped_skip
    else:

        def compiler(gm, inputs):
            return compile_fx.compile_fx(gm, inputs, inner_compile=inner)

    error = ""
    torch._dynamo.reset()
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    handler = torch._logging._internal.LOG_TRACE_HANDLER
    handler.root_dir = folder
    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()), torch.no_grad():
        model = space["M"]("cpu" if set(devices) == {"cpu"} else "cuda:0")
        tensors = [torch.zeros(3, 4, device=device) for device in devices]
        if static:
            torch._dynamo.mark_static_address(tensors[0])
        try:
            torch.compile(model, backend=compiler)(*tensors)
        except Exception as raised:
            error = f"{type(raised).__name__}: {str(raised)[:600]}"
    with open(os.path.join(folder, "answers.json"), "w") as out:
        json.dump({"seed": seed, "backend": backend, "torch": torch.__version__, "error": error, "graphs": answers}, out, indent=1)


def tidy(path, torch):
    """Leaves out records that nothing here needs, and where PyTorch and this script lie."""
    unused = ("chromium_event", "fx_graph_runnable", "torch._functorch.config", "torch._inductor.config")
    places = {os.getcwd(): "/cwd", os.path.dirname(os.path.dirname(torch.__file__)): "/python", os.path.dirname(os.path.abspath(__file__)): "/dynascope"}
    records = []  # header and the lines of its payload
    with open(path) as log:
        for line in log:
            if line.startswith("\t"):
                records[-1][1].append(line)
            else:
                records.append((line, []))
    with open(path, "w") as log:
        for header, payload in records:
            if any(f'"{name}"' in header for name in unused):
                continue
            text, was = "".join(line[1:] for line in payload), "".join(line[1:] for line in payload)
            for place, name in places.items():
                header, text = header.replace(place, name), text.replace(place, name)
            if text != was:
                digests = (hashlib.md5(t.removesuffix("\n").encode()).hexdigest() for t in (was, text))
                header = header.replace(*digests)
            log.write(header + "".join("\t" + line for line in text.splitlines(keepends=True)))


def load_guard(torch):
    root = os.path.dirname(torch.__file__)
    with tempfile.TemporaryDirectory() as folder:
        library = folder + "/guard.so"
        command = ["c++", "-std=c++20", "-shared", "-fPIC", "-DNDEBUG", "-x", "c++", "-", "-o", library]
        command += [f"-I{root}/include", f"-L{root}/lib", "-lc10"]
        subprocess.run(command, input=GUARD, text=True, check=True)
        torch.ops.load_library(library)


def main():
    first, end, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.environ["TORCH_TRACE"] = tempfile.mkdtemp()  # a handler is made on import, and pointed elsewhere for each seed
    import torch

    load_guard(torch)
    handler = torch._logging._internal.LOG_TRACE_HANDLER
    for seed in range(first, end):
        to = os.path.join(folder, f"seed_{seed:04d}")
        shutil.rmtree(to, ignore_errors=True)
        os.makedirs(to)
        run_seed(seed, to)
        if handler.stream is not None:
            handler.close()
            handler.stream = None
        logs = glob.glob(to + "/dedicated_log_torch_trace_*.log")
        for log in logs:
            os.rename(log, os.path.join(to, "trace.log"))
            tidy(os.path.join(to, "trace.log"), torch)
        print(seed, len(logs), flush=True)


if __name__ == "__main__":
    main()
