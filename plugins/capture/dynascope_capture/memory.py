# SPDX-License-Identifier: BSD-3-Clause
"""Keeps what PyTorch's caching allocator of a GPU did: a snapshot at the end of the program, beside the trace.

Nothing here makes PyTorch start a GPU: the history begins when the program has it started, before its first
allocation. `torch.cuda` and `torch.xpu` are alike in what is called here."""

import atexit
import os
import pickle
import secrets

from .telling import say
from .writer import rank_name, whole_file

_MOST_EVENTS = 100_000  # of a device: the oldest are given up first


class Memory:
    """Of a process and one kind of device, whose module is `device`. Never raises: a snapshot is not worth a program's
    end, nor the start of its GPU."""

    def __init__(self, folder, device):
        self._folder = os.fspath(folder)
        self._device = device
        self._pid = None
        self.written = None

    def start(self):
        """Waits for the program to start the device; at once where it has."""
        self._device._lazy_call(self._begin)

    def _begin(self):
        memory = getattr(self._device, "memory", None)
        record = getattr(memory, "_record_memory_history", None)
        if record is None or not hasattr(memory, "_snapshot"):
            return say(f"no memory snapshot: this PyTorch records no history of {self._device.__name__}")
        try:
            # C++ frames are found out one by one at the end, which takes minutes.
            record("all", context="all", stacks="python", max_entries=_MOST_EVENTS)
            self._pid = os.getpid()
            # Called before what was asked for earlier, as by PyTorch, which lets go of memory.
            atexit.register(self.finish)
        except Exception as error:
            say(f"no memory snapshot: {type(error).__name__}: {error}")

    def finish(self):
        """At the end of the program."""
        if self._pid != os.getpid() or self.written is not None:
            return  # nothing was begun, or in a process above ours
        try:
            self._write(self._device.memory._snapshot())
        except Exception as error:
            say(f"no memory snapshot: {type(error).__name__}: {error}")

    def _write(self, snapshot):
        if not snapshot.get("segments") and not any(snapshot.get("device_traces") or ()):
            return say("no memory snapshot: nothing was allocated")
        name = f"memory_snapshot_{rank_name()}{self._pid}_{secrets.token_hex(4)}.pickle"
        path = os.path.join(self._folder, name)
        with whole_file(path) as file:
            pickle.dump(snapshot, file)
        self.written = path
