# SPDX-License-Identifier: BSD-3-Clause
"""Profiles some steps of a program once it has stopped compiling, without a change to it.

A step begins where one compiled function is called from outside of compiled code: the first one that is called three
times, until another one was called eight times without it: the program goes on with that. Two steps in which nothing
was compiled are waited for, then torch.profiler warms up for one and records those that were asked for. Before and
after, each call of a compiled function costs a counter. The profile lies beside the trace, as `profile_*.json.gz`."""

import os
import secrets
import tempfile
import threading

from .telling import say

_LEADS_FROM = 3  # calls from outside, after which a compiled function makes the steps
_GONE_AFTER = 8  # calls of another one, after which it makes the steps instead
_QUIET = 2  # steps without a compilation


def _compilations():
    from torch._dynamo.utils import counters

    return [sum(counters[kind].values()) for kind in ("frames", "aot_autograd", "inductor")]


class Profiler:
    """Follows the compiled functions of a process. Its methods never raise: a profile is not worth a program's end."""

    def __init__(self, folder, steps):
        self._folder = os.fspath(folder)
        self._steps = steps
        self._depth = threading.local()
        self._calls = {}  # by context, since the last step
        self._leader = None
        self._thread = None
        self._known = None
        self._quiet = 0
        self._profile = None
        self._done = self._discards = False
        self.written = None

    def install(self, eval_frame):
        """Every compiled function enters and leaves through the hooks of its context, outside of what is compiled."""
        profiler, context = self, eval_frame._TorchDynamoContext
        init = context.__init__

        def __init__(self, *args, **kwargs):
            init(self, *args, **kwargs)
            self.enter_exit_hooks.append(lambda: profiler.enter(self))

        context.__init__ = __init__

    def enter(self, context):
        depth = getattr(self._depth, "value", 0)
        if depth == 0 and not self._done:
            try:
                self._called(context)
            except Exception as error:
                self._give_up(f"{type(error).__name__}: {error}")
        self._depth.value = depth + 1
        return self._leave

    def _leave(self):
        self._depth.value = max(0, getattr(self._depth, "value", 1) - 1)

    def _called(self, context):
        if self._leader is not context:
            calls = self._calls[id(context)] = self._calls.get(id(context), 0) + 1
            if calls < (_LEADS_FROM if self._leader is None else _GONE_AFTER):
                return
            if self._profile is not None and self.written is None:
                self._start_over()
            self._leader, self._thread = context, threading.get_ident()
        if self._thread == threading.get_ident():
            self._calls.clear()
            self._step()

    def _step(self):
        if self._profile is not None:
            if self.written is None and _compilations() != self._known:
                return self._start_over()
            self._profile.step()
            if self.written is not None or self._done:
                self._stop()
            return
        now = _compilations()
        self._quiet = self._quiet + 1 if now == self._known else 0
        self._known = now
        if self._quiet >= _QUIET:
            self._start()

    def _start(self):
        import torch

        if torch.autograd._profiler_enabled():
            return self._give_up("the program uses a profiler itself")
        activities = [torch.profiler.ProfilerActivity.CPU]
        for kind in ("CUDA", "XPU"):
            device, activity = getattr(torch, kind.lower(), None), getattr(torch.profiler.ProfilerActivity, kind, None)
            if device is not None and activity is not None and device.is_available():
                activities.append(activity)
        self._profile = torch.profiler.profile(
            activities=activities,
            schedule=torch.profiler.schedule(wait=0, warmup=1, active=self._steps, repeat=1),
            on_trace_ready=self._write,
            record_shapes=True,
        )
        self._profile.start()

    def _stop(self):
        profile, self._profile = self._profile, None
        self._done = True
        profile.stop()

    def _start_over(self):
        """Something was compiled after all: it would stand in the profile, so that is not kept."""
        profile, self._profile = self._profile, None
        self._discards = True
        profile.stop()
        self._discards = False
        self._quiet, self._known = 0, _compilations()

    def _write(self, profile):
        if self.written is not None or self._discards:
            return
        rank = os.environ.get("RANK", "")
        part = f"rank_{rank}_" if rank.isdigit() else ""
        name = f"profile_{part}{os.getpid()}_{secrets.token_hex(4)}.json.gz"
        with tempfile.TemporaryDirectory(prefix=".profile-", dir=self._folder) as made:
            whole = os.path.join(made, name)
            profile.export_chrome_trace(whole)
            os.chmod(whole, 0o600)
            self.written = os.path.join(self._folder, name)
            os.rename(whole, self.written)

    def _give_up(self, why):
        self._done = True
        say(f"no profile: {why}")
        if self._profile is not None:
            try:
                self._stop()
            except Exception:
                self._profile = None

    def finish(self):
        """At the end of the program: keeps what was recorded by then, or says why there is nothing."""
        if self._done:
            return
        try:
            if self._profile is not None:
                self._stop()
        except Exception as error:
            return self._give_up(f"{type(error).__name__}: {error}")
        self._done = True
        if self.written is None:
            say("no profile: the program ended before compiling had settled")

    def forked(self):
        """A process below ours keeps to itself; the profiler is not made for it."""
        self._done, self._profile = True, None
