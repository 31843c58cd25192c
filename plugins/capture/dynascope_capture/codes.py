# SPDX-License-Identifier: BSD-3-Clause
"""Code objects and source text, each written once."""

import linecache
import os
import sysconfig
import types

LONGEST_TEXT = 200
LONGEST_SOURCE = 1 << 20


def shorten(text):
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "\u2026"


_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))


def constant_text(value, depth=0):
    """repr of a constant of a code object, without running any code of the program."""
    kind = type(value)
    if kind is types.CodeType:
        return f"<code {value.co_name}>"
    if kind in (str, bytes) and len(value) > LONGEST_TEXT:
        return repr(value[:LONGEST_TEXT]) + "\u2026"
    if kind in _PLAIN:
        try:
            return shorten(repr(value))
        except ValueError:
            return "<large int>"
    if kind in (tuple, frozenset) and depth < 3:
        inner = ", ".join(constant_text(item, depth + 1) for item in list(value)[:20])
        return shorten(f"({inner})" if kind is tuple else f"frozenset({{{inner}}})")
    return f"<{kind.__name__}>"


def _argument_text(instruction, index):
    """What an instruction works on, as `dis` prints it."""
    if instruction.target is not None:
        place = index.get(id(instruction.target))
        return "" if place is None else f"to {place}"
    value = instruction.argval
    # From Python 3.13 on Dynamo splits instructions that load two locals; the halves have a name and no argument.
    if instruction.arg is None and type(value) is not str:
        return ""
    if type(value) is str and not instruction.opname.startswith("LOAD_CONST"):
        return shorten(value)
    if instruction.opname.startswith("LOAD_CONST") or type(value) is types.CodeType:
        return constant_text(value)
    if type(value) is tuple:
        return shorten(", ".join(map(str, value)) if all(type(v) is str for v in value) else constant_text(value))
    return constant_text(value)


def line_numbers(instructions):
    """The line of each instruction, None where it is not known."""
    out, line = [], None
    for instruction in instructions:
        line = instruction.starts_line or line
        out.append(getattr(instruction.positions, "lineno", None) or line)
    return out


def handlers(instructions, index):
    """The exception table, which Python has from 3.11 on: [first, last, handler, height of the stack, whether the place is
    pushed] of each run of instructions, by index."""
    out, before = [], None
    for i, instruction in enumerate(instructions):
        entry = getattr(instruction, "exn_tab_entry", None)
        target = index.get(id(entry.target)) if entry is not None else None
        found = None if target is None else (target, entry.depth, bool(entry.lasti))
        if found is not None and found == before:
            out[-1][1] = i
        elif found is not None:
            out.append([i, i, *found])
        before = found
    return out


def describe_code(identity, code, instructions, library):
    """The JSON of a code record. Columns rather than rows: they compress to half. Code of a library goes without places
    within its lines."""
    index = {id(instruction): i for i, instruction in enumerate(instructions)}
    positions = [instruction.positions for instruction in instructions]
    columns = {
        "op": [i.opname for i in instructions],
        "arg": [i.arg for i in instructions],
        "text": [_argument_text(i, index) for i in instructions],
        "offset": [i.offset for i in instructions],
        "line": line_numbers(instructions),
        "end_line": [getattr(p, "end_lineno", None) for p in positions],
        "column": [getattr(p, "col_offset", None) for p in positions],
        "end_column": [getattr(p, "end_col_offset", None) for p in positions],
        "target": [None if i.target is None else index.get(id(i.target)) for i in instructions],
    }
    if library:
        for name in ("end_line", "column", "end_column"):
            del columns[name]
    return {
        "id": identity,
        "name": code.co_name,
        "qualname": getattr(code, "co_qualname", code.co_name),
        "file": code.co_filename,
        "first_line": code.co_firstlineno,
        "flags": code.co_flags,
        "arguments": code.co_argcount,
        "positional_only": code.co_posonlyargcount,
        "keyword_only": code.co_kwonlyargcount,
        "locals": list(code.co_varnames),
        "names": list(code.co_names),
        "cells": list(code.co_cellvars),
        "free": list(code.co_freevars),
        "constants": [constant_text(value) for value in code.co_consts],
        "handlers": handlers(instructions, index),
        "instructions": columns,
    }


def source_lines(name):
    try:
        return linecache.getlines(name)
    except (ValueError, OSError):  # a name that no file can have
        return []


class Sources:
    """Which lines of which files are to be written. A file of the program goes in whole, of a library only the
    functions that were traced."""

    def __init__(self):
        import torch

        paths = sysconfig.get_paths()
        self._libraries = tuple(
            os.path.join(folder, "")
            for folder in {os.path.dirname(torch.__file__), paths["stdlib"], paths["purelib"], paths["platlib"]}
        )
        self._whole = set()
        self._parts = set()

    def is_library(self, code):
        return code.co_filename.startswith(self._libraries)

    def wanted(self, code):
        """The JSON of a source record, or None if it is there already or cannot be had."""
        name = code.co_filename
        if name in self._whole:
            return None
        library = self.is_library(code)
        part = (name, code.co_firstlineno, code.co_name)
        if library and part in self._parts:
            return None
        lines = source_lines(name)
        if not lines:
            return None
        if not library:
            self._whole.add(name)
            text = "".join(lines)
            return {"file": name, "first_line": 1, "text": text} if len(text) <= LONGEST_SOURCE else None
        self._parts.add(part)
        first = code.co_firstlineno
        last = max((line for _, _, line in code.co_lines() if line), default=first)
        return {"file": name, "first_line": first, "text": "".join(lines[first - 1 : last])}
