# SPDX-License-Identifier: BSD-3-Clause
"""The program's own comptime calls and what they print."""

import sys

from . import stream as tags

_CALLS = (
    "get_local", "graph_break", "graph", "assert_static", "print_graph", "parent", "print", "print_disas",
    "print_value_stack", "print_locals", "print_bt", "print_guards", "sleep",
)
MOST_OUTPUT = 1 << 16


class _Tee:
    """Passes on what is written to standard output and keeps a copy."""

    def __init__(self, stream):
        self._stream = stream
        self.text = []
        self.size = 0

    def write(self, text):
        if self.size < MOST_OUTPUT:
            self.text.append(text)
            self.size += len(text)
        return self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


def install(recorder, patches):
    from torch._dynamo import comptime

    for name in _CALLS:
        patches.wrap(comptime.ComptimeContext, name, lambda original, name=name: _call(recorder, name, original))


def _call(recorder, name, original):
    def call(self, *rest, **named):
        standard = sys.stdout
        tee = _Tee(standard)
        sys.stdout = tee
        try:
            return original(self, *rest, **named)
        finally:
            if sys.stdout is tee:
                sys.stdout = standard
            recorder.guarded(write, rest, tee)

    def write(rest, tee):
        attempt = recorder.current()
        if attempt is None:
            return
        attempt.flush()
        arguments = [argument for argument in rest if type(argument) in (str, int)]
        recorder.json(tags.COMPTIME, {"call": name, "arguments": arguments, "output": "".join(tee.text)})
        recorder.stream.flush()

    return call
