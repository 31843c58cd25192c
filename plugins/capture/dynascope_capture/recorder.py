# SPDX-License-Identifier: BSD-3-Clause
"""Follows Dynamo's translators step by step and hands what it sees to a Stream.

Everything here runs in the middle of a trace: it calls no torch operator, asks no tracker anything, and lets no
exception out.
"""

import os
import threading

from . import codes, stream as tags
from .attempt import Attempt, FrameState
from .live import Live
from .stream import number
from .writer import Writer

MOST_TEXT = 8000


class Recorder(Writer):
    """Follows the attempts of a process to trace its frames."""

    prefix, ending = "dynamo_steps_", ".dsteps"

    def __init__(self, folder=None, path=None):
        super().__init__(folder, path)
        self._attempts = []  # the innermost is last; compiles nest
        self._last_attempt = 0
        self._codes = {}
        self._raised = None
        self._sources = None
        self.steps = 0
        self.live = Live.from_environment()

    def begin(self, header):
        self._sources = codes.Sources()
        super().begin(header)
        if self.live is not None:
            self._stream.flush()
            self.live.begin({**header, "recording": os.path.abspath(self._stream.path)})

    def close(self):
        if self._pid != os.getpid():
            return
        super().close()
        if self.live is not None:
            self.live.close()

    def forked(self):
        if self.live is not None:
            self.live.close()
        super().forked()

    # Attempts and frames

    @property
    def attempt(self):
        return self._attempts[-1] if self._attempts else None

    def _attempt_of(self, tx):
        attempt = self.attempt
        if attempt is not None and attempt.output is tx.output:
            return attempt
        for older in self._attempts[:-1]:
            if older.output is tx.output:
                while self._attempts[-1] is not older:
                    self._end_attempt()
                return older
        return self._begin_attempt(tx)

    def _begin_attempt(self, tx):
        from torch._guards import CompileContext
        from torch.fx.node import _type_repr

        context = CompileContext.try_get()
        compile_id = str(context.compile_id) if context is not None else ""
        number_of = getattr(context, "attempt", 0) if context is not None else 0
        root = tx
        while parent_of(root) is not None:
            root = root.parent
        self._last_attempt += 1
        attempt = Attempt(self.stream, self._last_attempt, tx.output, _type_repr, compile_id, number_of)
        self._attempts.append(attempt)
        self.json(tags.ATTEMPT, {
            "id": attempt.identity,
            "compile_id": compile_id,
            "attempt": number_of,
            "code": self._code_id(root),
            "thread": threading.get_ident(),
        })
        return attempt

    def _end_attempt(self):
        attempt = self._attempts.pop()
        payload = bytearray()
        number(payload, attempt.identity)
        self.stream.record(tags.ATTEMPT_END, payload)

    def _code_id(self, tx):
        code = tx.f_code
        found = self._codes.get(id(code))
        if found is not None:
            return found[0]
        identity = len(self._codes) + 1
        self._codes[id(code)] = (identity, code)
        stream = self.stream
        source = self._sources.wanted(code)
        if source is not None:
            self.json(tags.SOURCE, source)
        self.json(tags.CODE, codes.describe_code(identity, code, tx.instructions, self._sources.is_library(code)))
        return identity

    def known_code(self, code):
        """The number of a code object that was written; 0 if it was not."""
        found = self._codes.get(id(code))
        return found[0] if found is not None and found[1] is code else 0

    def _frame_of(self, attempt, tx):
        frame = attempt.frames.get(id(tx))
        if frame is not None:
            return frame
        parent = None
        if parent_of(tx) is not None:
            parent = self._frame_of(attempt, tx.parent)
        code = self._code_id(tx)
        frame = FrameState(len(attempt.frames) + 1, tx)
        attempt.frames[id(tx)] = frame
        payload = bytearray()
        for value in (frame.identity, parent.identity if parent else 0, code, tx.inline_depth):
            number(payload, value)
        number(payload, self.stream.string(type(tx).__name__))
        self.stream.record(tags.FRAME, payload)
        return frame

    # Steps

    def before_step(self, tx):
        """Writes a step that is about to be carried out. True if a client of live mode asks to break the graph there."""
        index = tx.instruction_pointer
        if index is None or self._stream is not None and self._stream.lost:
            return False
        attempt = self._attempts[-1] if self._attempts else None
        if attempt is None or attempt.output is not tx.output:
            attempt = self._attempt_of(tx)
        frame = attempt.frames.get(id(tx)) or self._frame_of(attempt, tx)
        attempt.flush()
        attempt.step(frame, tx, index)
        self._stream.flush()
        self.steps += 1
        return self.live is not None and self.live.connected and self.live.step(tx, frame, attempt, index, self)

    def left(self, tx):
        """The frame returned or yielded."""
        attempt = self.attempt
        frame = attempt.frames.get(id(tx)) if attempt is not None else None
        if frame is None:
            return
        attempt.flush()
        payload = bytearray()
        number(payload, frame.identity)
        self.stream.record(tags.LEAVE, payload)
        if parent_of(tx) is None:
            self._end_attempt()
        self.stream.flush()

    def raised(self, tx, error):
        """An exception leaves a step."""
        attempt = self.attempt
        frame = attempt.frames.get(id(tx)) if attempt is not None else None
        if frame is None:
            return
        if error is not self._raised:
            self._raised = error
            attempt.flush()
            described = describe_error(error)
            self.json(tags.RAISED, {"frame": frame.identity, **described})
            # That Dynamo begins a frame anew is no exception of the program's.
            if self.live is not None and not any(base.__name__ == "RestartAnalysis" for base in type(error).__mro__):
                self.stream.flush()
                self.live.event("exception", tx, frame, attempt, self, f"{described['type']}: {described.get('text', '')}")
        payload = bytearray()
        number(payload, frame.identity)
        self.stream.record(tags.LEAVE, payload)
        if parent_of(tx) is None:
            self._raised = None
            self._end_attempt()
        self.stream.flush()

    def current(self, output=None):
        """The innermost attempt if it is the one that `output` belongs to."""
        attempt = self.attempt
        return attempt if attempt is not None and (output is None or attempt.output is output) else None


def parent_of(tx):
    """The translator of the caller; that of the frame that is compiled has none, up to 2.6 not even the attribute."""
    return getattr(tx, "parent", None)


def user_stack(summary):
    return [[entry.filename, entry.lineno, entry.name] for entry in summary or ()][-40:]


def describe_error(error):
    kind = type(error)
    out = {"type": kind.__name__}
    # str() of an exception of the program would run the program's code.
    if kind.__module__.startswith("torch."):
        text = str(error) or str(getattr(error, "restart_reason", "") or "")
        out["text"] = text[:MOST_TEXT]
        stack = getattr(error, "real_stack", None)
        if stack:
            out["stack"] = user_stack(stack)
        if getattr(error, "gb_type", None):
            out["gb_type"] = str(error.gb_type)
    elif error.args and type(error.args[0]) is str:
        out["text"] = error.args[0][:MOST_TEXT]
    return out
