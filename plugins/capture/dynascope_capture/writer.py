# SPDX-License-Identifier: BSD-3-Clause
"""What recorders have in common: a stream a process, made with its first record, and no exception that gets out."""

import contextlib
import json
import os
import platform
import sys
import tempfile
import time

from . import stream as tags
from .stream import Stream

MOST_FAULTS = 20


def rank_name():
    rank = os.environ.get("RANK", "")
    return f"rank_{rank}_" if rank.isdigit() else ""


@contextlib.contextmanager
def whole_file(path, mode="wb"):
    """A file to write that has its name once it is whole. Its mode is 0600."""
    made, whole = tempfile.mkstemp(prefix=".writing-", dir=os.path.dirname(path))
    try:
        with os.fdopen(made, mode) as file:
            yield file
        os.rename(whole, path)
    except BaseException:
        os.unlink(whole)
        raise


class Writer:
    """Writes one stream a process, made with its first record."""

    prefix, ending, magic = "", "", tags.MAGIC

    def __init__(self, folder=None, path=None):
        self._folder = folder
        self._path = path
        self._stream = None
        self._pid = os.getpid()
        self._faults = 0

    @property
    def stream(self):
        if self._stream is None:
            if self._path:
                self._stream = Stream(self._path, magic=self.magic)
            else:  # nobody can have put something under a name that nobody can know
                name = f"{self.prefix}{rank_name()}{self._pid}_{os.urandom(4).hex()}{self.ending}"
                self._stream = Stream(os.path.join(self._folder, name), replaces=False, magic=self.magic)
            self._write_header()
        return self._stream

    @property
    def started(self):
        """Whether there is a stream."""
        return self._stream is not None and self._pid == os.getpid()

    @property
    def lost(self):
        return self._stream is not None and self._stream.lost

    def _write_header(self):
        import torch

        rank = os.environ.get("RANK", "")
        self.begin({
            "torch": torch.__version__,
            "python": platform.python_version(),
            "pid": self._pid,
            "rank": int(rank) if rank.isdigit() else None,
            "arguments": list(sys.orig_argv),
            "started": time.time(),
        })

    def begin(self, header):
        """Writes the first record."""
        self.json(tags.HEADER, {"format": tags.VERSION, **header})

    def json(self, tag, value):
        self.stream.record(tag, json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace"))

    def flush(self):
        self.stream.flush()

    def close(self):
        if self._pid == os.getpid() and self._stream is not None:
            self._stream.close()

    def forked(self):
        """In a child process: begins a stream of its own, if it compiles anything."""
        if self._stream is not None:
            self._stream.abandon()
        folder, path = self._folder, self._path
        if path is not None:
            path = f"{path}.{os.getpid()}"
        self.__init__(folder, path)

    def guarded(self, work, *arguments):
        """Carries out `work`; what goes wrong in it is recorded and not passed on."""
        try:
            return work(*arguments)
        except Exception as error:
            self.fault(error)
        return None

    def fault(self, error):
        self._faults += 1
        if self._faults > MOST_FAULTS:
            return
        try:
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
            self.json(tags.FAULT, {"type": type(error).__name__, "text": str(error)[:500], "place": place})
            self.flush()
        except Exception:
            pass
