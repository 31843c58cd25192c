# SPDX-License-Identifier: BSD-3-Clause
"""Starts the programs that lie beside this file in a wheel. What they are given goes to them as it is, and what they end with is
what their caller sees: they take the place of this process."""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run(name):
    program = os.path.join(_HERE, "bin", name)
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {program}: {error.strerror}")


def window():
    if not os.path.isdir(os.path.join(os.path.dirname(_HERE), "PySide6", "Qt", "lib")):
        sys.exit("dynascope: Qt is not installed beside it: pip install PySide6-Essentials")
    _run("dynascope")


def command_line():
    _run("dynascope-cli")


def engine():
    """For `--engine ssh HOST dynascope-engine`. Window and command line start the engine beside them without this."""
    if not os.path.exists(os.path.join(_HERE, "bin", "dynascope-engine")):
        sys.exit("dynascope-engine: this wheel was built without PyTorch and has no engine")
    _run("dynascope-engine")
