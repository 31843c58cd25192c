# SPDX-License-Identifier: BSD-3-Clause
"""Keeps what PyTorch's flight recorder holds of a rank: the collectives that it called, is in, and waits for.

A rank that hangs is mostly ended from outside, where nothing of ours runs any more. So a thread writes the dump again and
again while collectives come, as `flight_rank_N` beside the trace, each replaced as a whole. It says when it was written:
what another rank called later than that, this one may have called as well."""

import os
import pickle
import sys
import threading
import time

from .writer import whole_file

_LOOK = 0.1  # seconds between two looks for a process group, until there was one
_PAUSE = 1.0  # seconds between two dumps,
_SHARE = 50  # which take one part in so many of the time at most
_STAMP_NS = 4_000_000_000  # after which one that has not changed is written again, with the time


def say(text):
    print(f"dynascope_capture: {text}", file=sys.stderr)


class Flight:
    """Of a process, after the import of `c10d`, which is torch.distributed.distributed_c10d. Never raises: a dump is not
    worth a program's end."""

    def __init__(self, folder, c10d):
        self._folder = os.fspath(folder)
        self._c10d = c10d
        self._pid = os.getpid()
        self._rank = self._seen = None
        self._stamped = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def start(self):
        rank = os.environ.get("RANK", "")
        if rank.isdigit() and os.path.exists(self._target(rank)):
            os.unlink(self._target(rank))  # of a run before this one
        threading.Thread(target=self._follow, name="dynascope_flight", daemon=True).start()

    def _follow(self):
        pause = _LOOK
        while not self._ended.wait(pause):
            began = time.thread_time()  # a busy machine makes no dump dear
            if not self.write():
                return
            pause = _LOOK if self._rank is None else max(_PAUSE, _SHARE * (time.thread_time() - began))

    def write(self, ends=False):
        """Whether it is worth trying again."""
        if os.getpid() != self._pid:
            return False  # a process below ours is no rank
        try:
            with self._lock:
                self._write(ends)
        except Exception as error:
            say(f"no flight-recorder dump: {type(error).__name__}: {error}")
            return False
        return True

    def _target(self, rank):
        return os.path.join(self._folder, f"flight_rank_{rank}")

    def _write(self, ends=False):
        if self._c10d.is_initialized():
            self._rank = self._c10d.get_rank()
        # An import of torch here would wait for the program's own.
        recorder = getattr(sys.modules.get("torch._C._distributed_c10d"), "_dump_fr_trace", None)
        if recorder is None:
            return
        if self._rank is None and ends and os.environ.get("RANK", "").isdigit():
            # Groups that came and went between two looks leave their calls, and not the rank.
            if pickle.loads(recorder()).get("entries"):
                self._rank = int(os.environ["RANK"])
        if self._rank is None:
            return
        now = time.time_ns()
        dump = recorder()  # which outlives the process groups
        if dump == self._seen and now - self._stamped < _STAMP_NS:
            return
        held = pickle.loads(dump)  # this process's own
        held["dynascope_dumped_ns"] = now
        with whole_file(self._target(self._rank)) as file:
            pickle.dump(held, file, protocol=2)
        self._seen, self._stamped = dump, now

    def finish(self):
        """At the end of the program, also where it has let its process groups go."""
        self._ended.set()
        self.write(ends=True)
