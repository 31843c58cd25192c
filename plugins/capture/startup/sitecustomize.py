# SPDX-License-Identifier: BSD-3-Clause
"""Runs at the start of every Python below `dynascope-cli capture`: waits until the program imports Dynamo, and then
starts the recorder. A program that never compiles pays nothing."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

_WAITED_FOR = "torch._dynamo.convert_frame"


class _AfterDynamo(importlib.abc.MetaPathFinder):
    """Finds one module as everybody else does, and has the recorder start once it is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != _WAITED_FOR:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _start()

            spec.loader.exec_module = exec_module
        return spec


def _start():
    try:
        import dynascope_capture

        dynascope_capture.start(os.environ["DYNASCOPE_CAPTURE"])
    except Exception as error:
        print(f"dynascope_capture: not recording: {type(error).__name__}: {error}", file=sys.stderr)


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
    sys.meta_path.insert(0, _AfterDynamo())
_next_customization()
