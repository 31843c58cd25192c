# SPDX-License-Identifier: BSD-3-Clause
"""Live mode: pauses a compilation where a client asked for it, and carries on as the client says.

The client listens on the Unix socket that DYNASCOPE_LIVE names; every process that compiles connects to it. Both
sides send lines of JSON, docs/live-protocol.md. Without a client, or once it is gone, the program runs on.
"""

import json
import os
import select
import socket

from . import conditions
from .codes import line_numbers, shorten, source_lines

PROTOCOL = 1
LONGEST_LINE = 1 << 20
MOST_TEXT = 4000
MOVES = ("continue", "step", "next", "out", "line")
EVENTS = ("graph break", "exception")


class Breakpoint:
    __slots__ = ("identity", "file", "line", "test", "event", "held")

    def __init__(self, identity, file, line, test, event):
        self.identity = identity
        self.file = file
        self.line = line
        self.test = test
        self.event = event
        self.held = None  # the attempt at whose last step the condition held


class Live:
    """One process's end of the connection. Everything happens in the thread that compiles."""

    def __init__(self, path):
        self._path = path
        self._socket = None
        self._poll = None
        self._received = b""
        self._breakpoints = []
        self._last = 0
        self._move = "continue"
        self._from = None  # (attempt, depth, frame, line) where the move began
        self._lines = {}  # id() of a list of instructions -> (their lines, the list)
        self._places = {}  # id() of a FrameState -> (line and number of its last step, the state)
        self._attempt = None

    @classmethod
    def from_environment(cls):
        path = os.environ.get("DYNASCOPE_LIVE")
        return cls(path) if path else None

    def close(self):
        """The program runs on without a client."""
        if self._socket is not None:
            self._socket.close()
        self._socket = self._path = None

    @property
    def connected(self):
        return self._socket is not None

    def begin(self, header):
        """Connects, once; then the client may set breakpoints before anything is traced."""
        if self._path is None or self._socket is not None:
            return
        try:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(self._path)
        except OSError:
            self.close()
            return
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._send({"event": "hello", "protocol": PROTOCOL, **header})
        self._pause({"event": "stopped", "reason": "start"}, may_break=False)

    # Where the recorder calls

    def step(self, tx, frame, attempt, index, recorder):
        """Called when a step was written and before it is carried out. True asks to break the graph here."""
        lines = self._lines_of(tx)
        line = lines[index] if index < len(lines) else 0
        line = line or 0
        if attempt is not self._attempt:
            self._attempt = attempt
            self._places.clear()
        before = self._places.get(id(frame))
        self._places[id(frame)] = line, recorder.steps - 1, frame
        while self.connected and self._poll.poll(0):
            self._take(self._receive())
        if not self.connected:
            return False
        moment = conditions.Moment(attempt, tx, index, line, recorder.steps - 1)
        reason = self._reason(moment, frame, before[0] if before else None)
        if reason is None:
            return False
        return self._pause(self._place(moment, recorder, **reason), may_break=True, here=(attempt, tx.inline_depth, frame, line))

    def event(self, kind, tx, frame, attempt, recorder, text):
        """A graph break or an exception, which were written."""
        hit = next((b for b in self._breakpoints if b.event == kind), None)
        if hit is None or not self.connected:
            return
        line, step, _ = self._places.get(id(frame), (0, recorder.steps - 1, None))
        moment = conditions.Moment(attempt, tx, max(frame.index, 0), line, step)
        # The statement as well: older versions name a file of PyTorch's own.
        statement = "".join(source_lines(moment.word("file"))[max(line - 1, 0) : line]).strip()
        text = text[:MOST_TEXT] + (f"\n{shorten(statement)}" if statement else "")
        place = self._place(moment, recorder, reason=kind, breakpoint=hit.identity, text=text)
        self._pause(place, may_break=False, here=(attempt, tx.inline_depth, frame, line))

    # Whether to stop

    def _lines_of(self, tx):
        found = self._lines.get(id(tx.instructions))
        if found is None:
            found = self._lines[id(tx.instructions)] = line_numbers(tx.instructions), tx.instructions
        return found[0]

    def _reason(self, moment, frame, line_before):
        hit = None
        for point in self._breakpoints:
            if point.event is not None:
                continue
            if point.line:
                if moment.line != point.line or line_before == point.line or not _same_file(moment.word("file"), point.file):
                    continue
                if point.test is None or point.test(moment):
                    hit = hit or point
                continue
            # A condition stops where it comes to hold.
            held, point.held = point.held, moment.attempt if point.test(moment) else None
            if point.held is not None and held is not moment.attempt:
                hit = hit or point
        if hit is not None:
            return {"reason": "breakpoint", "breakpoint": hit.identity}
        if self._move == "continue":
            return None
        if self._move == "pause" or self._from is None:
            return {"reason": "pause"}
        attempt, depth, begun_in, line = self._from
        now = moment.tx.inline_depth
        if self._move == "step":
            arrived = True
        elif moment.attempt is not attempt:
            arrived = now == 0
        elif self._move == "next":
            arrived = now <= depth
        elif self._move == "out":
            arrived = now < depth
        else:
            arrived = now <= depth and not (frame is begun_in and moment.line == line)
        return {"reason": "step"} if arrived else None

    def _place(self, moment, recorder, **reason):
        return {
            "event": "stopped",
            **reason,
            "recording": os.path.abspath(recorder.stream.path),
            "step": moment.step,
            **{word: moment.word(word) for word in ("compile", "attempt", "file", "function", "op", "depth", "nodes", "guards")},
            "line": moment.line,
        }

    # The connection

    def _pause(self, place, may_break, here=None):
        self._move = "continue"
        self._from = here
        self._send(place)
        while self.connected:
            command = self._receive()
            name = command.get("command") if command else None
            if name == "graph_break":
                if may_break:
                    self._send({"event": "running"})
                    return True
                self._send({"event": "error", "text": "no instruction is about to be traced: the graph cannot break here"})
            elif name in MOVES:
                self._move = name
                self._send({"event": "running"})
                return False
            else:
                self._take(command)
        return False

    def _take(self, command):
        """Carries out what may be asked at any time."""
        if command is None:
            return
        name = command.get("command")
        try:
            if name == "break":
                self._add_breakpoint(command)
            elif name == "delete":
                self._breakpoints = [point for point in self._breakpoints if point.identity != command.get("id")]
            elif name == "pause":
                self._move = "pause"
            elif name == "detach":
                self.close()
            elif name in MOVES or name == "graph_break":
                raise ValueError("the program is running")
            else:
                raise ValueError("unknown command")
        except ValueError as error:
            self._send({"event": "error", "text": str(error)})

    def _add_breakpoint(self, command):
        file, line = command.get("file", ""), command.get("line", 0)
        condition, event = command.get("condition", ""), command.get("on")
        if type(file) is not str or type(line) is not int or type(condition) is not str or line < 0:
            raise ValueError("a breakpoint's file and condition are texts, its line a number")
        if event is not None and event not in EVENTS:
            raise ValueError("a breakpoint may be on: " + ", ".join(EVENTS))
        if event is None and not line and not condition:
            raise ValueError("a breakpoint needs a line, a condition or an event")
        test = conditions.parse(condition) if condition else None
        self._last += 1
        self._breakpoints.append(Breakpoint(self._last, file, line, test, event))
        self._send({"event": "breakpoint", "id": self._last})

    def _send(self, message):
        if self._socket is None:
            return
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self.close()

    def _receive(self):
        """The next command; None where the line is no command or the client is gone."""
        while b"\n" not in self._received:
            try:
                data = self._socket.recv(65536)
            except OSError:
                data = b""
            if not data or len(self._received) > LONGEST_LINE:
                self.close()
                return None
            self._received += data
        line, self._received = self._received.split(b"\n", 1)
        try:
            command = json.loads(line)
        except ValueError:
            command = None
        if type(command) is not dict:
            self._send({"event": "error", "text": "not a command: a line is one JSON object"})
            return None
        return command


def _same_file(path, wanted):
    return not wanted or path == wanted or "/" not in wanted and os.path.basename(path) == wanted


class _Refusing:
    """A dispatch table in which each instruction is one that Dynamo cannot trace, as if the program had called
    comptime.graph_break() there."""

    def __init__(self, table):
        self._table = table

    def __getitem__(self, opcode):
        handler = self._table[opcode]
        parts = _closure(handler)
        if "handle_graph_break" in parts:  # before 2.9 only that one knows of `push`
            parts = {**_closure(parts["handle_graph_break"].cell_contents), **parts}
        if "inner_fn" not in parts or "push" not in parts:
            return _refuse
        from torch._dynamo.symbolic_convert import break_graph_if_unsupported

        # An instruction at which a graph can end and a resume function begin: it ends there.
        options = {name: parts[name].cell_contents for name in ("push", "msg_prefix") if name in parts}
        return break_graph_if_unsupported(**options)(_refuse)


def _closure(function):
    code = getattr(function, "__code__", None)
    return dict(zip(code.co_freevars, function.__closure__ or ())) if code is not None else {}


def _refuse(tx, instruction):
    from torch._dynamo.comptime import ComptimeContext

    ComptimeContext(tx).graph_break("asked for in Dynascope's live mode")


def step_with_break(original, tx):
    """Carries out a step whose instruction is refused."""
    tx.dispatch_table = _Refusing(type(tx).dispatch_table)
    try:
        return original(tx)
    finally:
        del tx.dispatch_table
