# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program with and without the recorder, and keeps what was compiled."""

import contextlib
import importlib.util
import io
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "plugins", "capture")]

import dynascope_capture
import torch
import torch._dynamo
from torch._dynamo import guards, output_graph


class Compiled:
    """What a run compiled: graphs, guards, results, what it printed."""

    def __init__(self):
        self.graphs = []
        self.guards = []
        self.result = self.printed = None

    def __eq__(self, other):
        return vars(self) == vars(other)


def stable(text):
    """Without addresses, ids and counters, which differ from run to run."""
    return re.sub(r"0x[0-9a-f]+|\b\d{9,}\b|\d{9,}(?=_c)|(?<=___)\d+|(?<=_c)\d+\b|(?<=\baot)\d+(?=_)|(?<=contains\()\d+", "*", text)


def observe(case, folder, record_to=None):
    """Runs a program and collects what was compiled."""
    seen = Compiled()
    compile_graph = output_graph.OutputGraph.call_user_compiler
    build_guards = guards.CheckFunctionManager.__init__

    def call_user_compiler(self, gm, *rest, **named):
        seen.graphs.append(stable(str(gm.graph)))
        return compile_graph(self, gm, *rest, **named)

    def check_function(self, code, graph, *rest, **named):
        build_guards(self, code, graph, *rest, **named)
        seen.guards.append(sorted(
            (stable(guard.name), guard.create_fn_name(), stable(str(guard.code_list))) for guard in graph.guards
        ))

    path = os.path.join(folder, case["file"])
    with open(path, "w") as file:
        file.write(case["source"])
    torch._dynamo.reset()
    output = io.StringIO()
    output_graph.OutputGraph.call_user_compiler = call_user_compiler
    guards.CheckFunctionManager.__init__ = check_function
    default = torch.get_default_dtype()
    try:
        with contextlib.redirect_stdout(output):
            with dynascope_capture.record(record_to) if record_to else contextlib.nullcontext():
                spec = importlib.util.spec_from_file_location(case["name"], path)
                module = importlib.util.module_from_spec(spec)
                sys.modules[case["name"]] = module
                spec.loader.exec_module(module)
                torch.manual_seed(0)
                try:
                    seen.result = stable(repr(module.main()))
                except Exception as error:
                    seen.result = type(error).__name__
                if hasattr(module, "state"):
                    seen.result += stable(repr(module.state()))
    finally:
        output_graph.OutputGraph.call_user_compiler = compile_graph
        guards.CheckFunctionManager.__init__ = build_guards
        torch.set_default_dtype(default)
        torch.use_deterministic_algorithms(False)
        sys.modules.pop(case["name"], None)
    seen.printed = stable(output.getvalue())
    return seen
