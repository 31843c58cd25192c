# SPDX-License-Identifier: BSD-3-Clause
"""Runs at the start of every Python below `dynascope-cli capture`: waits until the program imports Dynamo, and then
starts the recorder. A program that never compiles pays nothing."""

import importlib.machinery
import importlib.util
import os
import sys

_WAITED_FOR = "torch._dynamo.convert_frame"


def _start(module):
    try:
        import dynascope_capture

        if os.environ.get("DYNASCOPE_SETTINGS"):
            from dynascope_capture import settings

            settings.apply(sys.modules["torch._dynamo.config"], os.environ["DYNASCOPE_SETTINGS"])

        dynascope_capture.start(os.environ["DYNASCOPE_CAPTURE"])
        if os.environ.get("DYNASCOPE_VALUES") == "1":
            from dynascope_capture import graph_values

            graph_values.install(os.environ["DYNASCOPE_CAPTURE"])
    except Exception as error:
        print(f"dynascope_capture: not recording: {type(error).__name__}: {error}", file=sys.stderr)


def _start_passes(module):
    try:
        import dynascope_capture

        dynascope_capture.start_passes(os.environ["DYNASCOPE_CAPTURE"])
    except Exception as error:
        print(f"dynascope_capture: not recording passes: {type(error).__name__}: {error}", file=sys.stderr)


def _start_profile(module):
    try:
        import atexit

        from dynascope_capture.profiling import Profiler

        profiler = Profiler(os.environ["DYNASCOPE_CAPTURE"], int(os.environ["DYNASCOPE_PROFILE"]))
        profiler.install(module)
        atexit.register(profiler.finish)
        os.register_at_fork(after_in_child=profiler.forked)
    except Exception as error:
        print(f"dynascope_capture: not profiling: {type(error).__name__}: {error}", file=sys.stderr)


def _start_flight(module):
    try:
        import atexit

        from dynascope_capture.flight import Flight

        flight = Flight(os.environ["DYNASCOPE_CAPTURE"], module)
        flight.start()
        atexit.register(flight.finish)
    except Exception as error:
        print(f"dynascope_capture: no flight-recorder dump: {type(error).__name__}: {error}", file=sys.stderr)


def _start_memory(module):
    try:
        from dynascope_capture.memory import Memory

        Memory(os.environ["DYNASCOPE_CAPTURE"], module).start()
    except Exception as error:
        print(f"dynascope_capture: no memory snapshot: {type(error).__name__}: {error}", file=sys.stderr)


def _wait_for_dynamo():
    try:
        from dynascope_capture.imports import AfterImport
    except ImportError as error:
        print(f"dynascope_capture: not recording: {error}", file=sys.stderr)
    else:
        AfterImport(_WAITED_FOR, _start)
        if os.environ.get("DYNASCOPE_PASSES") == "1":
            AfterImport("torch._inductor.compile_fx", _start_passes)
        if os.environ.get("DYNASCOPE_PROFILE"):
            AfterImport("torch._dynamo.eval_frame", _start_profile)
        if os.environ.get("DYNASCOPE_FLIGHT") == "1":
            AfterImport("torch.distributed.distributed_c10d", _start_flight)
        if os.environ.get("DYNASCOPE_MEMORY") == "1":
            for device in ("torch.cuda", "torch.xpu"):
                AfterImport(device, _start_memory)


def _next_customization():
    """The environment's own sitecustomize, which this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if os.environ.get("DYNASCOPE_CAPTURE"):
    _wait_for_dynamo()
_next_customization()
