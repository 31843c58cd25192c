# SPDX-License-Identifier: BSD-3-Clause
"""The file: records in compressed blocks, and a journal of the block that is still being filled.

docs/recording-format.md describes every byte; recordings of passes differ in their first eight. A record is handed to the kernel before the step that it tells of
is carried out, so that a killed program leaves a recording that is whole up to its last step.
"""

import contextlib
import errno
import mmap
import os
import sys
import threading
import zlib

MAGIC = b"\x89DYNSTEP"
TAIL_MAGIC = b"\x89DYNTAIL"
VERSION = 1
TAIL_HEAD = len(TAIL_MAGIC) + 4
BLOCK_BYTES = 128 * 1024


_KEPT = []  # mappings that would close a file of the program's


def number(out, value):
    """Appends an unsigned LEB128 number."""
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


class Stream:
    """One recording that grows. Dynamo compiles under one lock, but calls of what it compiled come from any thread.

    A program runs on as it is when its recording cannot be written: standard error says so once, and what is recorded
    from then on is dropped.

    Both files are new ones, which their owner alone can read and write, as PyTorch's own log: a recording holds the
    program's values. What lies under their names is replaced if `replaces`, and else an error, as a link always is."""

    def __init__(self, path, replaces=True, magic=MAGIC):
        self.path = path
        self._magic = magic
        self._replaces = replaces
        self.tail_path = path + ".tail"
        self.lost = False
        self._file = -1
        self._tail = None
        self._used = TAIL_HEAD
        self._blocks = 0
        self._pending = bytearray()
        self.strings = {}  # text -> its id
        self._lock = threading.RLock()
        try:
            self._open()
        except OSError as error:
            self._lose(error)

    def _open(self):
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        self._file = self._create(self.path, os.O_WRONLY)
        self._identity = _identity(self._file)
        _write_all(self._file, self._magic + VERSION.to_bytes(4, "little"))
        tail = self._create(self.tail_path, os.O_RDWR)
        try:
            # Reserved, so that writing through the mapping cannot fail for want of space.
            os.posix_fallocate(tail, 0, TAIL_HEAD + BLOCK_BYTES)
            # The mapping keeps a duplicate of the descriptor: the lowest number that is free.
            duplicate = os.dup(tail)
            os.close(duplicate)
            self._tail = mmap.mmap(tail, TAIL_HEAD + BLOCK_BYTES)
            self._tail_identity = duplicate, _identity(duplicate)
        except OSError:
            os.unlink(self.tail_path)
            raise
        finally:
            os.close(tail)
        self._tail[:TAIL_HEAD] = TAIL_MAGIC + bytes(4)

    def _create(self, path, access):
        if self._replaces and os.path.isfile(path) and not os.path.islink(path):
            os.unlink(path)
        return os.open(path, access | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def _lose(self, error):
        """What was written stays, with its tail."""
        self.lost = True
        self.abandon()
        self._pending.clear()
        with contextlib.suppress(Exception):
            print(f"dynascope_capture: the recording ends here, the program goes on: {error}", file=sys.stderr)

    def record(self, tag, payload):
        """Adds a record to what the next flush writes."""
        with self._lock:
            if self._file < 0:
                return
            out = self._pending
            out.append(tag)
            size = len(payload)
            if size < 128:
                out.append(size)
            else:
                number(out, size)
            out += payload

    def string(self, text):
        """The id of a text; ids count from 1, and 0 stands for none."""
        found = self.strings.get(text)
        if found is not None:
            return found
        with self._lock:
            found = self.strings.get(text)
            if found is None:
                found = len(self.strings) + 1
                payload = bytearray()
                number(payload, found)
                payload += text.encode("utf-8", "backslashreplace")
                self.record(STRING, payload)
                self.strings[text] = found
        return found

    def flush(self):
        """Writes the records that were added: to memory that the kernel keeps when the process is killed."""
        with self._lock:
            if self._pending and self._file >= 0:
                try:
                    self._flush()
                except OSError as error:
                    self._lose(error)

    def _flush(self):
        data = self._pending
        begin = self._used
        end = begin + len(data)
        if end > len(self._tail):
            self._close_block()
            begin, end = self._used, self._used + len(data)
        if end > len(self._tail):
            self._write_block(bytes(data))
            self._next_tail()
        else:
            # The first byte comes last: a reader ends at a zero, and so never sees half of this.
            self._tail[begin + 1 : end] = bytes(data[1:])
            self._tail[begin] = data[0]
            self._used = end
        data.clear()

    def close(self):
        self.flush()
        with self._lock:
            if self._file < 0:
                return
            try:
                self._close_block()
                self.abandon()
                os.unlink(self.tail_path)
            except OSError as error:
                self._lose(error)

    def abandon(self):
        """Lets go of the files as they are."""
        descriptor, self._file = self._file, -1
        # A program that closes descriptors it does not know may have ones of its own under these numbers.
        tail, self._tail = self._tail, None
        if tail is not None:
            duplicate, identity = self._tail_identity
            if _identity(duplicate) == identity:
                tail.close()
            else:
                _KEPT.append(tail)
        if descriptor >= 0 and _identity(descriptor) == self._identity:
            os.close(descriptor)

    def _close_block(self):
        if self._used > TAIL_HEAD:
            self._write_block(self._tail[TAIL_HEAD : self._used])
            self._next_tail()

    def _write_block(self, raw):
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(raw) + packer.flush()
        if _identity(self._file) != self._identity:
            raise OSError(errno.EBADF, "the program closed its file")
        head = b"BLCK" + b"".join(n.to_bytes(4, "little") for n in (len(packed), len(raw), zlib.crc32(raw)))
        _write_all(self._file, head + packed)
        self._blocks += 1

    def _next_tail(self):
        """Until its number is that of the next block, a reader takes the tail for out of date."""
        self._tail[TAIL_HEAD : self._used] = bytes(self._used - TAIL_HEAD)
        self._tail[len(TAIL_MAGIC) : TAIL_HEAD] = self._blocks.to_bytes(4, "little")
        self._used = TAIL_HEAD


def _identity(descriptor):
    """Of the file that a descriptor stands for, None for none."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _write_all(descriptor, data):
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


# Record tags. The values are the format: never change one.
HEADER = ord("H")
STRING = ord("s")
CODE = ord("c")
SOURCE = ord("t")
COMPILE = ord("C")
COMPILE_END = ord("E")
ATTEMPT = ord("A")
ATTEMPT_END = ord("Z")
FRAME = ord("f")
STEP = ord("i")
LEAVE = ord("l")
VALUE = ord("v")
GRAPH = ord("g")
NODE = ord("n")
NODE_GONE = ord("d")
NODE_NAME = ord("r")
GUARD = ord("q")
GUARD_GONE = ord("x")
ATTRIBUTE = ord("a")
MUTATION = ord("m")
EFFECTS_RESET = ord("e")
SYMBOL = ord("y")
FACT = ord("F")
RAISED = ord("X")
BREAK = ord("B")
GRAPH_END = ord("G")
RECOMPILE = ord("R")
COMPTIME = ord("P")
EFFECTS = ord("T")
REPLAY = ord("U")
OUTPUT = ord("O")
INPUTS = ord("J")
OPERATORS = ord("D")
CACHE_KEY = ord("K")
LOOKUP = ord("L")
TREE = ord("w")
FAULT = ord("!")
