# SPDX-License-Identifier: BSD-3-Clause
"""Settings of torch._dynamo.config for one run of a program that does not make them itself: what would a way out of a
graph break bring? DYNASCOPE_SETTINGS has them, separated by semicolons:

    capture_scalar_outputs=True; reorderable_logging_functions+=print

A value is a literal of Python; += adds a function to a set: a builtin, or one of the modules logging and warnings."""

import ast
import builtins
import importlib
import sys

_MODULES = ("logging", "warnings")


def _function(name):
    first, *rest = name.split(".")
    if first in _MODULES and rest:
        found = importlib.import_module(first)
    else:
        found, rest = builtins, [first, *rest]
    for part in rest:
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is no function")
    return found


def _apply(config, setting):
    name, sign, value = setting.partition("+=")
    if sign:
        getattr(config, name.strip()).add(_function(value.strip()))
        return
    name, sign, value = setting.partition("=")
    if not sign:
        raise ValueError("no value")
    getattr(config, name.strip())  # an error where there is no such setting
    setattr(config, name.strip(), ast.literal_eval(value.strip()))


def apply(config, settings):
    """Makes each; one that cannot be made is said on standard error, and the others hold."""
    for setting in filter(None, map(str.strip, settings.split(";"))):
        try:
            _apply(config, setting)
        except Exception as error:
            print(f"dynascope_capture: {setting}: {type(error).__name__}: {error}", file=sys.stderr)
