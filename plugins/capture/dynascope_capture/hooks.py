# SPDX-License-Identifier: BSD-3-Clause
"""Where the recorder listens: a few methods of Dynamo, replaced by ones that tell the recorder and then do what
the original does."""

import functools
import os
import sys
import types

from . import comptime_log, compilers, cudagraphs, effects, generated, live, stream as tags
from .recorder import describe_error, user_stack

_MISSING = object()


class Patches:
    """Replaced attributes, put back in reverse order."""

    def __init__(self):
        self._replaced = []
        self._undo = []

    def wrap(self, owner, name, make):
        """Replaces owner.name by make(original) if it exists."""
        original = owner.__dict__.get(name, _MISSING) if isinstance(owner, type) else getattr(owner, name, _MISSING)
        if original is _MISSING:
            return
        setattr(owner, name, functools.wraps(original)(make(original)))
        self._replaced.append((owner, name, original))

    def wrap_class_method(self, owner, name, make):
        """The same for a class method; the new one gets the class as well."""
        original = owner.__dict__.get(name, _MISSING)
        if isinstance(original, classmethod):
            setattr(owner, name, classmethod(functools.wraps(original.__func__)(make(getattr(owner, name)))))
            self._replaced.append((owner, name, original))

    def wrap_static_method(self, owner, name, make):
        original = owner.__dict__.get(name, _MISSING)
        if isinstance(original, staticmethod):
            setattr(owner, name, staticmethod(functools.wraps(original.__func__)(make(original.__func__))))
            self._replaced.append((owner, name, original))

    def at_undo(self, action):
        self._undo.append(action)

    def undo(self):
        for action in self._undo:
            action()
        self._undo.clear()
        for owner, name, original in reversed(self._replaced):
            setattr(owner, name, original)
        self._replaced.clear()


def install(recorder):
    """Starts listening; torch._dynamo must be importable. Returns the Patches to undo."""
    import torch._guards as guards
    import torch.fx.node as fx_node
    from torch._dynamo import convert_frame, output_graph, side_effects, symbolic_convert
    from torch._dynamo import guards as dynamo_guards
    from torch._dynamo.variables import lazy

    patches = Patches()
    translator = symbolic_convert.InstructionTranslatorBase
    made = generated.install(recorder, patches)
    log = effects.install(recorder, patches, made)
    patches.wrap(translator, "step", lambda original: _step(recorder, original))
    patches.wrap(translator, "exception_handler", lambda original: _exception_handler(recorder, original))
    patches.wrap(translator, "log_graph_break", lambda original: _log_graph_break(recorder, original))
    patches.wrap(symbolic_convert, "log_graph_break", lambda original: _log_graph_break_function(recorder, original))
    patches.wrap(output_graph.OutputGraph, "compile_subgraph", lambda original: _compile_subgraph(recorder, log, original))
    patches.wrap(output_graph.OutputGraph, "call_user_compiler", lambda original: _call_user_compiler(recorder, original))
    patches.wrap(guards.GuardsSet, "add", lambda original: _add_guard(recorder, original))
    patches.wrap(side_effects.SideEffects, "store_attr", lambda original: _store_attr(recorder, original))
    patches.wrap(side_effects.SideEffects, "mutation", lambda original: _mutation(recorder, original))
    patches.wrap(lazy.LazyCache, "realize", lambda original: _realize(recorder, original))
    patches.wrap(fx_node.Node, "_rename", lambda original: _rename(recorder, original))
    patches.wrap(convert_frame, "_compile", lambda original: _compile(recorder, made, original))
    for module in (dynamo_guards, convert_frame):
        for name in ("get_and_maybe_log_recompilation_reasons", "get_and_maybe_log_recompilation_reason"):  # 2.6: the latter
            patches.wrap(module, name, lambda original: _recompile(recorder, original))
    comptime_log.install(recorder, patches)
    compilers.install(recorder, patches)
    cudagraphs.install(recorder, patches)
    return patches


def _step(recorder, original):
    guarded, before, left, raised = recorder.guarded, recorder.before_step, recorder.left, recorder.raised

    def step(self):
        break_graph = False
        try:
            break_graph = before(self)
        except Exception as error:
            recorder.fault(error)
        try:
            going_on = live.step_with_break(original, self) if break_graph else original(self)
        except BaseException as error:
            guarded(raised, self, error)
            raise
        if not going_on:
            guarded(left, self)
        return going_on

    return step


def _exception_handler(recorder, original):
    def exception_handler(self, raised_exception):
        def write():
            attempt = recorder.current(self.output)
            frame = attempt.frames.get(id(self)) if attempt else None
            if frame is not None:
                attempt.flush()
                kind = type(raised_exception)
                name = getattr(raised_exception, "python_type_name", None) or kind.__name__
                recorder.json(tags.RAISED, {"frame": frame.identity, "type": str(name), "handled": True})
                recorder.stream.flush()
                if recorder.live is not None:
                    recorder.live.event("exception", self, frame, attempt, recorder, str(name))

        recorder.guarded(write)
        return original(self, raised_exception)

    return exception_handler


def _with_operator(exc, reason):
    """As Dynamo logs it: with the higher-order operator in whose function the graph breaks, from 2.11 on."""
    augment = getattr(sys.modules.get("torch._dynamo.exc"), "augment_exc_message_with_hop_name", None)
    return str(reason) if exc is None or augment is None else augment(exc, str(reason))


def _log_graph_break(recorder, original):
    def log_graph_break(self, *rest, **named):
        # What comes after the reason differs between versions.
        reason = named.get("reason", next((value for value in rest if type(value) is str), ""))
        exc = named.get("exc", next((value for value in rest if isinstance(value, BaseException)), None))
        if exc is None:  # 2.10
            exc = sys.exc_info()[1]

        def write():
            attempt = recorder.current(self.output)
            if attempt is None or getattr(exc, "logged", False):
                return
            frame = attempt.frames.get(id(self))
            attempt.flush()
            recorder.json(tags.BREAK, {
                "frame": frame.identity if frame else 0,
                "reason": _with_operator(exc, reason),
                **({"exception": describe_error(exc)} if exc is not None else {}),
            })
            recorder.stream.flush()
            if recorder.live is not None and frame is not None:
                recorder.live.event("graph break", self, frame, attempt, recorder, str(reason))

        recorder.guarded(write)
        return original(self, *rest, **named)

    return log_graph_break


def _log_graph_break_function(recorder, original):
    """Before 2.9 it was no method."""

    def log_graph_break(code_options, reason="", *rest, **named):
        def write():
            attempt = recorder.current()
            if attempt is None:
                return
            exc = sys.exc_info()[1]
            frame = attempt.last_frame
            attempt.flush()
            recorder.json(tags.BREAK, {
                "frame": frame.identity if frame else 0,
                "reason": str(reason),
                **({"exception": describe_error(exc)} if exc is not None else {}),
            })
            recorder.stream.flush()
            if recorder.live is not None and frame is not None:
                recorder.live.event("graph break", frame.tx, frame, attempt, recorder, str(reason))

        recorder.guarded(write)
        return original(code_options, reason, *rest, **named)

    return log_graph_break


def _compile_subgraph(recorder, log, original):
    def compile_subgraph(self, tx, *rest, **named):
        def write():
            reason = generated.reason_among(rest, named)
            attempt = recorder.current(self)
            if attempt is None:
                return
            frame = attempt.frames.get(id(tx))
            attempt.flush()
            recorder.json(tags.GRAPH_END, {
                "frame": frame.identity if frame else 0,
                "reason": str(getattr(reason, "reason", reason)),
                "graph_break": bool(getattr(reason, "graph_break", True)),
                "stack": user_stack(getattr(reason, "user_stack", ())),
            })
            recorder.stream.flush()

        recorder.guarded(write)
        result = original(self, tx, *rest, **named)
        recorder.guarded(log.write_replay, self)
        return result

    return compile_subgraph


def _call_user_compiler(recorder, original):
    def call_user_compiler(self, *rest, **named):
        def write():
            attempt = recorder.current(self)
            if attempt is not None:
                attempt.flush(thorough=True)
                recorder.stream.flush()

        recorder.guarded(write)
        return original(self, *rest, **named)

    return call_user_compiler


def _who():
    """The code of Dynamo that asked for a guard: "variables/builder.py:412 wrap_tensor"."""
    frame = sys._getframe(3)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if code.co_name not in ("install_guard", "install_guards", "update", "add") and not name.endswith("_guards.py"):
            folder, file = os.path.split(name)
            return f"{os.path.basename(folder)}/{file}:{frame.f_lineno} {code.co_name}"
        frame = frame.f_back
    return ""


def _add_guard(recorder, original):
    def add(self, guard, *rest, **named):
        before = len(self.inner)
        if "skip" in named:
            named["skip"] += 1
        elif not rest:
            named["skip"] = 1
        result = original(self, guard, *rest, **named)

        def write():
            attempt = recorder.current()
            if attempt is not None and attempt.output.guards is self:
                attempt.waiting.append((attempt.guard_added, (guard, _who())))

        if len(self.inner) != before:
            recorder.guarded(write)
        return result

    return add


def _store_attr(recorder, original):
    def store_attr(self, item, name, value, *rest, **named):
        result = original(self, item, name, value, *rest, **named)

        def write():
            attempt = recorder.current()
            if attempt is not None and attempt.output.side_effects is self:
                attempt.waiting.append((attempt.attribute_stored, (item, name, value)))
                attempt.dirty[id(item)] = item

        recorder.guarded(write)
        return result

    return store_attr


def _mutation(recorder, original):
    def mutation(self, var):
        result = original(self, var)

        def write():
            attempt = recorder.current()
            if attempt is not None and attempt.output.side_effects is self:
                attempt.waiting.append((attempt.mutated, (var,)))
                attempt.dirty[id(var)] = var

        recorder.guarded(write)
        return result

    return mutation


def _realize(recorder, original):
    def realize(self):
        result = original(self)

        def write():
            attempt = recorder.current()
            if attempt is not None:
                attempt.realized(self)

        recorder.guarded(write)
        return result

    return realize


def _rename(recorder, original):
    def _rename(self, candidate):
        result = original(self, candidate)

        def write():
            attempt = recorder.current()
            if attempt is not None and id(self) in attempt.node_numbers:
                attempt.waiting.append((attempt.renamed, (self,)))

        recorder.guarded(write)
        return result

    return _rename


def _compile(recorder, made, original):
    def _compile(code, *rest, **named):
        compile_id = str(named.get("compile_id", ""))

        def begin():
            recorder.json(tags.COMPILE, {
                "compile_id": compile_id,
                "function": code.co_name,
                "file": code.co_filename,
                "first_line": code.co_firstlineno,
            })
            recorder.stream.flush()

        def end(outcome):
            recorder.json(tags.COMPILE_END, {"compile_id": compile_id, **outcome})
            recorder.stream.flush()
            if recorder.attempt is None:
                made.forget()

        recorder.guarded(begin)
        try:
            result = original(code, *rest, **named)
        except BaseException as error:
            recorder.guarded(lambda: end({"status": "raised", "exception": describe_error(error)}))
            raise
        recorder.guarded(lambda: end(_outcome(result, made, recorder.known_code(code))))
        return result

    return _compile


def _outcome(result, made, original):
    """What was installed: its guards as PyTorch's guard tree words them."""
    guarded_code = getattr(result, "guarded_code", result)
    if guarded_code is None:
        return {"status": "skipped"}
    out = {"status": "compiled"}
    if isinstance(getattr(guarded_code, "code", None), types.CodeType):
        out["code"] = {"original": original, **made.document(guarded_code.code)}
    manager = getattr(guarded_code, "guard_manager", None)
    if manager is not None:
        out["guards"] = _leaves(str(manager))
    return out


def _leaves(tree):
    """The checks in a guard tree, without the managers that hold them and the lines of source that they come from:
    "TYPE_MATCH: ___check_type_id(...)"."""
    out = []
    for line in tree.splitlines():
        _, mark, leaf = line.partition("+- ")
        kind, colon, _ = leaf.partition(": ")
        if mark and colon and not kind.endswith("Manager"):
            out.append(leaf.partition("  #")[0].rstrip()[:2000])
    return out


def _recompile(recorder, original):
    def get_and_maybe_log_recompilation_reasons(*rest, **named):
        reasons = original(*rest, **named)

        def write():
            if reasons:
                recorder.json(tags.RECOMPILE, {"reasons": [str(reason) for reason in reasons]})
                recorder.stream.flush()

        recorder.guarded(write)
        return reasons

    return get_and_maybe_log_recompilation_reasons
