# SPDX-License-Identifier: BSD-3-Clause
"""Records what Dynamo, PyTorch's tracer, sees at every bytecode instruction. Needs PyTorch 2.6 or newer, nothing else.

    with dynascope_capture.record("recordings/"):
        compiled(x)

`dynascope-cli capture -- python script.py` does the same without a change to the program. The files are read by
Dynascope; docs/recording-format.md says how they are made. Recording changes nothing in what is compiled.
"""

import atexit
import contextlib
import os

__all__ = ["record", "start", "stop"]
__version__ = "0.1.0"  # that of CMakeLists.txt

_active = None  # (recorder, patches)
_passes = None  # the same of passes: (recorder, what undoes it), from when they are asked for


def start(path, passes=False):
    """Begins to record. `path` is a folder, which gets a file for each process that compiles, or a file that ends in
    ".dsteps". With `passes`, Inductor's passes go into a file beside it that ends in ".dpasses"."""
    global _active
    if _active is not None:
        raise RuntimeError("a recording is under way")
    from . import hooks
    from .recorder import Recorder

    path = os.fspath(path)
    recorder = Recorder(path=path) if path.endswith(".dsteps") else Recorder(folder=path)
    _active = recorder, hooks.install(recorder)
    if passes:
        start_passes(path)


def start_passes(path):
    """Begins to record passes: those of Dynamo once it is imported, and Inductor's. A process that never imports Inductor
    writes no file."""
    global _passes
    if _passes is not None:
        raise RuntimeError("a recording of passes is under way")
    from .passes import PassRecorder

    path = os.fspath(path)
    stem, ending = os.path.splitext(path)
    recorder = PassRecorder(path=stem + PassRecorder.ending) if ending in (".dsteps", PassRecorder.ending) else PassRecorder(folder=path)
    recorder.hold()
    undo = contextlib.ExitStack()
    _passes = recorder, undo

    def listen(name):
        from importlib import import_module

        undo.callback(import_module(name, __name__).install(recorder).undo)

    from .imports import AfterImport

    for module, listener in (("torch._dynamo.output_graph", ".pass_dynamo"), ("torch._inductor.compile_fx", ".pass_hooks")):
        undo.callback(AfterImport(module, lambda _, listener=listener: listen(listener)).cancel)


def stop():
    """Ends the recording; without one it does nothing."""
    global _active, _passes
    passes, _passes = _passes, None
    if passes is not None:
        passes[1].close()
        passes[0].close()
    if _active is None:
        return
    recorder, patches = _active
    _active = None
    patches.undo()
    recorder.close()


@contextlib.contextmanager
def record(path, passes=False):
    """Records what is compiled inside the block."""
    start(path, passes)
    try:
        yield
    finally:
        stop()


def _forked():
    if _active is not None:
        _active[0].forked()
    if _passes is not None:
        _passes[0].forked()


atexit.register(stop)
os.register_at_fork(after_in_child=_forked)
