# SPDX-License-Identifier: BSD-3-Clause
"""The bytecode that Dynamo generates, and what each of its instructions is for. Dynamo's instructions are objects that
keep their identity until the code is assembled, so that whoever makes them can be asked."""

import dis

from . import stream as tags
from .codes import constant_text

MOST_ARGUMENT = 200
_PREFIX_OPS = ("RESUME", "MAKE_CELL", "COPY_FREE_VARS", "RETURN_GENERATOR")

ENTRY = "entry"
GRAPH_CALL = "graph call"
NEW_OBJECTS = "new objects"
RECONSTRUCTION = "stack and locals"
LOAD = "load"
STORE = "store"
INSTRUCTION = "instruction"
BLOCKS = "blocks"
RESUME = "resume"
RETURN = "return"
PROLOGUE = "prologue"
ORIGINAL = "original"


def install(recorder, patches):
    from torch._dynamo import bytecode_transformation, output_graph, resume_execution, symbolic_convert

    log = GeneratedLog(recorder)
    patches.wrap(output_graph.OutputGraph, "compile_subgraph", log.compile_subgraph)
    patches.wrap(output_graph.OutputGraph, "compile_and_call_fx_graph", log.call_graph)
    patches.wrap(symbolic_convert, "_reconstruct_block_stack", log.enter_blocks)
    for name in ("try_finally", "try_except_torch_function_mode"):
        patches.wrap(resume_execution.ReenterWith, name, log.enter_block)
    for owner in (symbolic_convert.InstructionTranslatorBase, symbolic_convert.InstructionTranslator):
        patches.wrap(owner, "create_call_resume_at", log.call_resume)
    patches.wrap(bytecode_transformation, "clean_and_assemble_instructions", log.assemble)
    patches.wrap(resume_execution, "transform_code_object", log.transform)
    patches.wrap_class_method(resume_execution.ContinueExecutionCache, "generate", log.resume)
    return log


class GeneratedLog:
    def __init__(self, recorder):
        self._recorder = recorder
        self._purpose = {}  # id() of an instruction -> (what it is for, the instruction)
        self._rest = INSTRUCTION  # what comes after the end of a graph
        self._resuming = 0
        self._assembled = {}  # id() of a code object -> (the code object, what it is for by offset)

    def mark(self, instructions, purpose):
        """The first one to mark an instruction is nearest to its making."""
        for instruction in instructions:
            self._purpose.setdefault(id(instruction), (purpose, instruction))

    def forget(self):
        """A compile that is not within another one has ended."""
        self._purpose.clear()
        self._assembled.clear()

    def compile_subgraph(self, original):
        def compile_subgraph(output, tx, *rest, **named):
            begin = len(output.output_instructions)
            result = original(output, tx, *rest, **named)
            self._recorder.guarded(self._graph_ended, output, tx, reason_among(rest, named), begin)
            return result

        return compile_subgraph

    def _graph_ended(self, output, tx, reason, begin):
        made = output.output_instructions[begin:]
        purposes = [self._purpose.get(id(instruction), (None,))[0] for instruction in made]
        if GRAPH_CALL in purposes:
            first = purposes.index(GRAPH_CALL)
            self.mark(made[:first], ENTRY)
            last = len(purposes) - purposes[::-1].index(GRAPH_CALL)
            self.mark([i for i in made[last : last + 1] if i.opname in ("STORE_FAST", "POP_TOP")], GRAPH_CALL)
        else:
            self.mark([i for i in made if i.opname in _PREFIX_OPS], ENTRY)
        self.mark(made, RECONSTRUCTION)
        if str(getattr(reason, "reason", reason)) == "step_unsupported":
            self.mark(tx.instructions, ORIGINAL)
            self._rest = RECONSTRUCTION
        else:
            self._rest = INSTRUCTION if getattr(reason, "graph_break", True) else RETURN

    def call_graph(self, original):
        def compile_and_call_fx_graph(*rest, **named):
            made = original(*rest, **named)
            # From 2.12 on with Python source beside it.
            self._recorder.guarded(self.mark, made[0] if isinstance(made, tuple) else made, GRAPH_CALL)
            return made

        return compile_and_call_fx_graph

    def enter_blocks(self, original):
        def _reconstruct_block_stack(tx, cg, cleanup, *rest, **named):
            output = cg.get_instructions()
            begin = len(output)
            result = original(tx, cg, cleanup, *rest, **named)
            self._recorder.guarded(lambda: self.mark(output[begin:] + cleanup, BLOCKS))
            return result

        return _reconstruct_block_stack

    def enter_block(self, original):
        """Of one block; older versions do without a function for all of them."""

        def enter(block, code_options, cleanup, *rest, **named):
            made = original(block, code_options, cleanup, *rest, **named)
            if not self._resuming:
                self._recorder.guarded(lambda: self.mark(list(made) + cleanup, BLOCKS))
            return made

        return enter

    def call_resume(self, original):
        def create_call_resume_at(*rest, **named):
            made = original(*rest, **named)
            self._recorder.guarded(self.mark, made, RESUME)
            return made

        return create_call_resume_at

    # Resume functions

    def resume(self, original):
        def generate(cls, code, *rest, **named):
            self._resuming += 1
            try:
                made = original(code, *rest, **named)
            finally:
                self._resuming -= 1
            self._recorder.guarded(self._write_resume, code, made)
            return made

        return generate

    def transform(self, original):
        def transform_code_object(code, transformations, *rest, **named):
            def watched(instructions, code_options):
                own = list(instructions)
                result = transformations(instructions, code_options)
                self._recorder.guarded(self._mark_resume, own, instructions)
                return result

            return original(code, watched if self._resuming == 1 else transformations, *rest, **named)

        return transform_code_object

    def _mark_resume(self, own, instructions):
        self.mark(own, ORIGINAL)
        self.mark(instructions, PROLOGUE)

    def _write_resume(self, code, made):
        attempt = self._recorder.attempt
        if attempt is not None:
            attempt.flush()
            self._recorder.json(tags.OUTPUT, {
                "role": "resume", "of": code.co_name, "original": self._recorder.known_code(code), **self.document(made)})

    # Codes

    def assemble(self, original):
        def clean_and_assemble_instructions(instructions, *rest, **named):
            result = original(instructions, *rest, **named)
            if self._purpose:
                self._recorder.guarded(self._keep, *result)
            return result

        return clean_and_assemble_instructions

    def _keep(self, instructions, code):
        purposes = {}
        for instruction in instructions:
            found = self._purpose.get(id(instruction))
            if found is not None and found[1] is instruction:
                purposes[instruction.offset] = found[0]
        if purposes:
            self._assembled[id(code)] = code, purposes, self._rest

    def document(self, code):
        """A code object that Dynamo made, as a record has it."""
        made = list(dis.get_instructions(code))
        index = {instruction.offset: i for i, instruction in enumerate(made)}
        out = {
            "name": code.co_name, "file": code.co_filename, "first_line": code.co_firstlineno, "locals": list(code.co_varnames),
            "free": list(code.co_freevars), "instructions": [_text(instruction) for instruction in made],
            "offsets": [instruction.offset for instruction in made],
            "lines": _lines(made),
            "targets": [index.get(i.argval) if i.opcode in _JUMPS else None for i in made],
        }
        known = self._assembled.get(id(code))
        if known is not None:
            out["phases"] = _runs(made, known[1], known[2])
        return out


def reason_among(rest, named):
    """The reason for the end of a graph among compile_subgraph's arguments, whose order differs between versions."""
    return named.get("reason") or next((value for value in rest if hasattr(value, "graph_break")), None)


_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


def _text(instruction):
    if instruction.opname.startswith("LOAD_CONST"):
        text = constant_text(instruction.argval)
    else:
        text = (instruction.argrepr or ("" if instruction.arg is None else str(instruction.arg)))[:MOST_ARGUMENT]
    return f"{instruction.opname} {text}".rstrip()


def _lines(instructions):
    lines, line = [], None
    for instruction in instructions:
        # A number up to Python 3.12, from then on whether a line begins.
        starts = getattr(instruction, "line_number", instruction.starts_line)
        line = starts if type(starts) is int else line
        lines.append(line)
    return lines


def _runs(instructions, purposes, rest):
    """[how many, what for] of each run. What was put in when the code was assembled belongs to the instruction after it."""
    found, after = [], rest
    for instruction in reversed(instructions):
        purpose = purposes.get(instruction.offset)
        if purpose is not None:
            after = purpose
        elif instruction.opname != "EXTENDED_ARG":
            after = rest
        found.append(after)
    runs = []
    for purpose in reversed(found):
        if runs and runs[-1][1] == purpose:
            runs[-1][0] += 1
        else:
            runs.append([1, purpose])
    return runs
