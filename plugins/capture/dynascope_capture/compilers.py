# SPDX-License-Identifier: BSD-3-Clause
"""What happens to a graph after Dynamo, as far as the structured trace does not tell: storages of its inputs, the operators
that AOTAutograd sees before functionalization, saved-tensor hooks, AOTAutograd's cache, and lookups of Dynamo's own."""

import sys
import weakref

from . import stream as tags
from .nodes import argument_text
from .stream import number
from .values import object_text, symbol_text, type_name

MOST_OPERATORS = 20000
MOST_PART = 2000


def install(recorder, patches):
    from torch._dynamo import output_graph

    patches.wrap(output_graph.OutputGraph, "call_user_compiler", lambda original: _inputs(recorder, patches, original))
    _watch_lookups(recorder, patches)


def _install_late(recorder, patches):
    """At the first graph: AOTAutograd cannot be imported any earlier, and a program without graphs needs none of it."""
    from torch._functorch import aot_autograd
    from torch._functorch._aot_autograd import autograd_cache
    from torch._subclasses import functional_tensor

    operators = _Operators(recorder)
    patches.wrap(aot_autograd, "run_functionalized_fw_and_collect_metadata", operators.collect)
    patches.wrap(functional_tensor.FunctionalTensorMode, "__torch_dispatch__", operators.dispatch)
    keys = _Keys(recorder, autograd_cache)
    patches.wrap(autograd_cache, "autograd_cache_key", keys.key)
    patches.wrap(autograd_cache, "_get_debug_lines_for_cache_key", keys.parts)
    patches.wrap_static_method(autograd_cache.AOTAutogradCache, "_lookup", keys.lookup)


# Inputs and hooks


def _inputs(recorder, patches, original):
    late = [_install_late]

    def call_user_compiler(self, gm, *rest, **named):
        if late:
            recorder.guarded(late.pop(), recorder, patches)
        recorder.guarded(_write_inputs, recorder, self, gm)
        return original(self, gm, *rest, **named)

    return call_user_compiler


def _write_inputs(recorder, output, gm):
    import torch

    attempt = recorder.current(output)
    if attempt is None:
        return
    storages, inputs = {}, []
    for node in output.graph.nodes:
        if node.op != "placeholder":
            continue
        value = getattr(node.meta.get("grapharg"), "_example", None)
        if type(value).__name__ == "TensorWeakRef":
            value = value()
        if not isinstance(value, torch.Tensor):
            continue
        try:
            with torch._C.DisableTorchFunctionSubclass():
                storage = value.untyped_storage()
                place = storage._cdata, value.storage_offset(), storage.nbytes()
        except (RuntimeError, NotImplementedError, AttributeError):  # subclasses without a storage
            continue
        inputs.append([node.name, storages.setdefault(place[0], len(storages)), int(place[1]), int(place[2])])
    hooks = []
    for name, module in gm._modules.items():
        if name.startswith("saved_tensors_hooks_") and hasattr(module, "graph"):
            hashes = [[node.name, str(node.meta.get("user_cache_hash") or "")]
                      for node in module.graph.nodes if node.meta.get("is_wrapped")]
            hooks.append({"name": name, "graph": str(module.graph)[:20000], "wrapped": hashes})
    in_force = _hooks_in_force(torch)
    if inputs or hooks or in_force:
        attempt.flush()
        recorder.json(tags.INPUTS, {"storages": inputs, "hooks": hooks, **({"in_force": in_force} if in_force else {})})


def _hooks_in_force(torch):
    """The saved-tensor hooks that the graph is compiled under. Graph modules are taken into the graphs and guarded by
    identity; functions are called at run time. From 2.8 on."""
    find = getattr(sys.modules.get("torch._functorch._aot_autograd.utils"), "top_saved_tensors_hooks", None)
    pair = find() if find is not None else None
    if not pair:
        return None
    modules = [isinstance(hook, torch.fx.GraphModule) for hook in pair]
    return {
        "inlined": all(modules),
        "filter": str(getattr(torch._functorch.config, "saved_tensors_hooks_filtering_mode", "")),
        # The class of a graph module is named after what was traced.
        "pair": [[id(hook), *(("GraphModule", type_name(hook)) if module else (type_name(hook), object_text(hook)))]
                 for hook, module in zip(pair, modules)],
    }


# Operators before functionalization


class _Operators:
    """Listens while AOTAutograd runs a graph for its metadata."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._lines = None
        self._known = {}  # id() of a tensor -> (a weak reference to it, its number)
        self._count = 0
        self._dtypes = None

    def collect(self, original):
        def run_functionalized_fw_and_collect_metadata(*rest, **named):
            inner = original(*rest, **named)

            def collected(*arguments):
                if self._recorder.attempt is None or self._lines is not None:
                    return inner(*arguments)
                self._lines, self._known, self._count = [], {}, 0
                try:
                    return inner(*arguments)
                finally:
                    lines, self._lines = self._lines, None
                    self._known = {}
                    self._recorder.guarded(self._recorder.json, tags.OPERATORS, {"operators": lines})

            return collected

        return run_functionalized_fw_and_collect_metadata

    def dispatch(self, original):
        def __torch_dispatch__(mode, func, types, args=(), kwargs=None):
            lines = self._lines
            text = None
            # "prim" asks for devices and the like.
            if lines is not None and len(lines) < MOST_OPERATORS and not str(func).startswith("prim."):
                try:
                    text = self._text(func, args, kwargs)  # before: in-place operators change their arguments
                except Exception as error:
                    self._recorder.fault(error)
            result = original(mode, func, types, args, kwargs)
            if text is not None and result is not NotImplemented:
                self._recorder.guarded(lambda: lines.append(f"{self._results(result)} = {text}"))
            return result

        return __torch_dispatch__

    def _text(self, func, args, kwargs):
        parts = [self._argument(value) for value in args]
        parts += [f"{name}={self._argument(value)}" for name, value in (kwargs or {}).items()]
        return f"{func}({', '.join(parts)})"

    def _argument(self, value, depth=0):
        import torch

        if isinstance(value, torch.Tensor):
            return self._number(value)
        if type(value) in (list, tuple) and depth < 4:
            return "[" + ", ".join(self._argument(item, depth + 1) for item in value) + "]"
        return argument_text(value, lambda node: None, 1)

    def _number(self, tensor):
        found = self._known.get(id(tensor))
        if found is None or found[0]() is not tensor:
            found = self._known[id(tensor)] = weakref.ref(tensor), self._count
            self._count += 1
        return f"%{found[1]}"

    def _results(self, result):
        import torch

        if isinstance(result, torch.Tensor):
            if self._dtypes is None:
                self._dtypes = self._recorder.attempt.describer._dtypes
            with torch._C.DisableTorchFunctionSubclass():
                shape = ", ".join(map(symbol_text, result.shape))
                return f"{self._number(result)}: {self._dtypes.get(result.dtype, result.dtype)}[{shape}]"
        if type(result) in (list, tuple):
            return "(" + ", ".join(map(self._results, result)) + ")"
        return symbol_text(result) if hasattr(result, "node") else argument_text(result, lambda node: None, 1)


# AOTAutograd's cache


class _Keys:
    def __init__(self, recorder, autograd_cache):
        self._recorder = recorder
        self._check_node = getattr(autograd_cache, "check_node_safe", None)
        self._parts = None

    def key(self, original):
        def autograd_cache_key(mod, *rest, **named):
            self._parts = None
            try:
                result = original(mod, *rest, **named)
            except Exception as error:
                self._recorder.guarded(self._write, mod, {"bypass": str(error)[:MOST_PART], "type": type(error).__name__})
                raise
            self._recorder.guarded(self._write, mod, {"key": str(result[0]), "parts": _short(self._parts or result[1] or [])})
            return result

        return autograd_cache_key

    def parts(self, original):
        def _get_debug_lines_for_cache_key(pickler, details, key):
            lines = original(pickler, details, key)
            try:
                self._parts = list(_readable(lines or pickler.debug_lines(details), pickler, details))
            except Exception as error:
                self._recorder.fault(error)
            return lines

        return _get_debug_lines_for_cache_key

    def lookup(self, original):
        def _lookup(key, *rest, **named):
            result = original(key, *rest, **named)
            if self._recorder.attempt is not None:
                state = "miss" if result is None else "hit"
                self._recorder.guarded(self._recorder.json, tags.CACHE_KEY, {"key": str(key), "state": state})
            return result

        return _lookup

    def _write(self, mod, said):
        if self._recorder.attempt is None:
            return
        gm = getattr(mod, "gm", mod)
        nodes = []
        for node in getattr(getattr(gm, "graph", None), "nodes", ()):
            reason = ""
            try:
                if self._check_node is not None:
                    self._check_node(node)
            except Exception as error:
                reason = str(error)[:MOST_PART]
            wrapped, user_hash = bool(node.meta.get("is_wrapped")), str(node.meta.get("user_cache_hash") or "")
            if reason or wrapped or user_hash:
                nodes.append({"name": node.name, "reason": reason, "wrapped": wrapped, "user_cache_hash": user_hash})
        self._recorder.json(tags.CACHE_KEY, {**said, "nodes": nodes})


def _readable(lines, pickler, details):
    """PyTorch prints bytes as if they were UTF-8. Here they are escaped, and the pickled settings of AOTAutograd one by one."""
    binary = {f"] {name}: ": value for name, value in vars(details).items() if type(value) is bytes}
    for line in map(str, lines):
        name = next((name for name in binary if line.partition("] ")[2].startswith(name[2:])), None)
        if name is None:
            yield line
        elif name == "] autograd_config: ":
            yield from _settings(pickler) or [line.partition(name)[0] + name + repr(binary[name])]
        else:
            yield line.partition(name)[0] + name + repr(binary[name])


def _settings(pickler):
    from torch._functorch import config

    if not hasattr(config, "get_config_copy"):
        return []
    ignored = getattr(config, "_save_config_ignore", [])
    settings = {name: value for name, value in config.get_config_copy().items() if name not in ignored}
    return [f"[{pickler.get_hash(value)}] autograd_config[{name}]: {value}" for name, value in settings.items()]


def _short(parts):
    return [part if len(part) <= MOST_PART else part[:MOST_PART] + "\u2026" for part in map(str, parts)]


# Dynamo's cache


def _watch_lookups(recorder, patches):
    """PyTorch calls this at each lookup among cache entries; its answer is passed on as it is."""
    try:
        from torch._C._dynamo.eval_frame import set_guard_complete_hook
    except ImportError:  # before 2.8
        return

    def looked_up(hit):
        recorder.guarded(_write_lookup, recorder, hit)
        return hit

    before = set_guard_complete_hook(looked_up)
    if before is not None:  # ranks agree on their lookups there
        set_guard_complete_hook(before)
        return

    def undo():
        now = set_guard_complete_hook(None)
        if now is not looked_up:
            set_guard_complete_hook(now)

    patches.at_undo(undo)


def _write_lookup(recorder, hit):
    if not recorder.started:
        return
    frame = sys._getframe(3)  # the caller of the frame that is looked up
    function = frame.f_locals.get("fn") if frame.f_code.co_name == "compile_wrapper" else None
    code = getattr(function, "__code__", None)
    place = f"{code.co_name} {code.co_filename}:{code.co_firstlineno}" if code is not None else \
        f"from {frame.f_code.co_name} {frame.f_code.co_filename}:{frame.f_lineno}"
    payload = bytearray([1 if hit else 0])
    number(payload, recorder.stream.string(place))
    recorder.stream.record(tags.LOOKUP, payload)
    recorder.stream.flush()
