# SPDX-License-Identifier: BSD-3-Clause
"""Lines for whoever started the program. They come at its end, on the standard error that it began with: earlier they would
stand among what a test of pytest prints, or in a notebook's cell, and so change what comes of it."""

import atexit
import os
import sys

_MOST = 20  # lines of a process

_lines = []  # (process, text)


def say(text):
    _lines.append((os.getpid(), f"dynascope_capture: {text}"))


def _tell():
    own = [text for process, text in _lines if process == os.getpid()]
    _lines.clear()
    if len(own) > _MOST:
        own[_MOST:] = [f"dynascope_capture: and {len(own) - _MOST} lines more"]
    if sys.__stderr__ is not None:
        for text in own:
            print(text, file=sys.__stderr__)


atexit.register(_tell)  # at the import, and so after all that is said at the end
