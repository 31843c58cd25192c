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

_active = None  # (recorder, patches)


def start(path):
    """Begins to record. `path` is a folder, which gets a file for each process that compiles, or a file that ends in
    ".dsteps"."""
    global _active
    if _active is not None:
        raise RuntimeError("a recording is under way")
    from . import hooks
    from .recorder import Recorder

    path = os.fspath(path)
    recorder = Recorder(path=path) if path.endswith(".dsteps") else Recorder(folder=path)
    _active = recorder, hooks.install(recorder)


def stop():
    """Ends the recording; without one it does nothing."""
    global _active
    if _active is None:
        return
    recorder, patches = _active
    _active = None
    patches.undo()
    recorder.close()


@contextlib.contextmanager
def record(path):
    """Records what is compiled inside the block."""
    start(path)
    try:
        yield
    finally:
        stop()


def _forked():
    if _active is not None:
        _active[0].forked()


atexit.register(stop)
os.register_at_fork(after_in_child=_forked)
