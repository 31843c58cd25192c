# SPDX-License-Identifier: BSD-3-Clause
"""What can be said of a VariableTracker without asking it anything.

Only `type(v)` and the instance's own dictionary are read. isinstance(), hasattr() or any method may realize a lazy
tracker, which adds guards and graph inputs and so changes what is compiled.
"""

import collections
import itertools
import types

from .codes import constant_text, shorten

MOST_ITEMS = 64
DEEPEST = 4

_fields_of = object.__getattribute__
_PLAIN_TYPES = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), tuple, frozenset)
_SCALARS = (int, bool, str, type(None))
_SEQUENCES = (list, tuple, dict, collections.deque)
_MAPPINGS = (dict, collections.OrderedDict)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


def fields(tracker):
    return _fields_of(tracker, "__dict__")


def type_name(value):
    return type.__dict__["__name__"].__get__(type(value))


def plain_key(tracker):
    """What a constant without a source is known by; None for everything else."""
    kind = type(tracker).__name__
    if kind == "NullVariable":
        return kind
    if kind == "ConstantVariable":
        state = fields(tracker)
        value = state["value"]
        if type(value) in _SCALARS and state.get("source") is None:
            return type(value), value
    return None


def source_name(source):
    """Where a value comes from, "L['x']"; empty for values made in the frame."""
    if source is None:
        return ""
    try:
        name = source.name
        return name() if callable(name) else name
    except Exception:  # LocalCellSource has none
        return f"{type(source).__name__}({vars(source).get('local_name', '')})"


def symbol_text(number):
    """The expression of a SymInt, SymFloat or SymBool. Comparing or printing its value would add a guard."""
    if type(number) in (int, float, bool):
        return str(number)
    return str(number.node.expr)


def object_text(value):
    """A name for a real object, found without running code of its class."""
    kind = type(value)
    if kind in _FUNCTIONS:
        return f"{value.__qualname__}"
    if kind is types.MethodType:
        return object_text(value.__func__)
    if kind is type or issubclass(kind, type):
        return type.__dict__["__qualname__"].__get__(value)
    if kind is types.ModuleType:
        return str(value.__dict__.get("__name__", ""))
    if kind in _PLAIN_TYPES:
        return constant_text(value)
    if kind.__module__ == "torch" and kind.__name__ in ("dtype", "device", "layout", "memory_format"):
        return str(value)
    return ""


class Describer:
    """Turns trackers into fields: (name, value) pairs whose value is a text, a number, a bool, a tracker or a list of
    trackers."""

    def __init__(self, node_of):
        import torch

        self._torch = torch
        self._node_of = node_of  # fx.Node -> its id in this attempt, or None
        self._handlers = {}
        try:
            from torch.utils._dtype_abbrs import dtype_abbrs
        except ImportError:
            from torch.fx.graph import dtype_abbrs
        self._dtypes = dtype_abbrs

    def describe(self, tracker, effects):
        kind = type(tracker)
        handler = self._handlers.get(kind)
        if handler is None:
            handler = self._handlers[kind] = self._handler_for(kind)
        state = fields(tracker)
        out = []
        handler(self, tracker, state, effects, out)
        mutation = state.get("mutation_type")
        if mutation is not None:
            out.append(("mutation", type(mutation).__name__))
            if mutation.__dict__.get("is_modified"):
                out.append(("modified", True))
        source = source_name(state.get("source"))
        if source:
            out.append(("source", source))
        return kind.__name__, out

    def _handler_for(self, kind):
        names = [base.__name__ for base in kind.__mro__]
        for name in names:
            if name in _HANDLERS:
                return _HANDLERS[name]
        return Describer._other

    def _lazy(self, tracker, state, effects, out):
        cache = state["_cache"]
        realized = cache.vt
        out.append(("realized", realized is not None))
        if realized is not None:
            out.append(("inner", realized))
        elif "value" in cache.__dict__:
            out.append(("peek_type", type_name(cache.value)))

    def _tensor(self, tracker, state, effects, out):
        out.append(("dtype", self._dtypes.get(state.get("dtype"), str(state.get("dtype")))))
        shape, stride = self._geometry(state)
        out.append(("shape", shape))
        if stride:
            out.append(("stride", stride))
        device = str(state.get("device"))
        if device != "cpu":
            out.append(("device", device))
        if state.get("requires_grad"):
            out.append(("requires_grad", True))
        self._node(state, out)

    def _geometry(self, state):
        size, stride = state.get("_size"), state.get("stride")
        if size is None:
            example = state["proxy"].node.meta.get("example_value")
            if example is None:
                return "", ""
            # User modes must not see this.
            with self._torch._C.DisableTorchFunction():
                size, stride = tuple(example.shape), None
        return _sizes(size), _sizes(stride) if stride is not None else ""

    def _node(self, state, out):
        proxy = state.get("proxy")
        node = self._node_of(proxy.node) if proxy is not None else None
        if node is not None:
            out.append(("node", node))

    def _symbol(self, tracker, state, effects, out):
        out.append(("value", symbol_text(state["sym_num"])))
        self._node(state, out)

    def _constant(self, tracker, state, effects, out):
        value = state["value"]
        text = object_text(value)
        out.append(("value", text or f"<{type_name(value)}>"))
        out.append(("type", type_name(value)))

    def _cell(self, tracker, state, effects, out):
        stored = effects.store_attr_mutations.get(tracker)
        if stored is not None and "cell_contents" in stored:
            out.append(("contents", stored["cell_contents"]))
            out.append(("contents_from", "store_attr_mutations"))
        elif state.get("pre_existing_contents") is not None:
            out.append(("contents", state["pre_existing_contents"]))
            out.append(("contents_from", "pre_existing_contents"))
        else:
            out.append(("contents_from", "unbound"))
        name = state.get("local_name")
        if type(name) is str:
            out.append(("name", name))

    def _sequence(self, tracker, state, effects, out):
        items = state.get("items")
        if type(items) not in _SEQUENCES:  # what looks like a container may build trackers when read
            return
        out.append(("len", len(items)))
        first = list(itertools.islice(items, MOST_ITEMS))
        if type(items) is dict:
            first = [key.vt for key in first if hasattr(key, "vt")]
        out.append(("items", first))

    def _iterator(self, tracker, state, effects, out):
        self._sequence(tracker, state, effects, out)
        if type(state.get("index")) is int:
            out.append(("index", state["index"]))

    def _generator(self, tracker, state, effects, out):
        code = state.get("code")
        if type(code) is types.CodeType:
            out.append(("name", code.co_name))

    def _mapping(self, tracker, state, effects, out):
        items = state.get("items")
        if type(items) not in _MAPPINGS:
            return
        out.append(("len", len(items)))
        pairs = [(key.vt, value) for key, value in itertools.islice(items.items(), MOST_ITEMS) if hasattr(key, "vt")]
        out.append(("keys", [key for key, _ in pairs]))
        out.append(("items", [value for _, value in pairs]))

    def _function(self, tracker, state, effects, out):
        for name in ("fn", "value"):
            if name in state:
                out.append(("object", object_text(state[name])))
                return
        if state.get("im_func") is not None:  # methods from 2.15 on
            out.append(("inner", state["im_func"]))
            if state.get("im_self") is not None:
                out.append(("of", state["im_self"]))
            return
        code = state.get("code")
        if code is not None:
            value = code if type(code) is types.CodeType else fields(code).get("value")
            if type(value) is types.CodeType:
                out.append(("object", getattr(value, "co_qualname", value.co_name)))

    def _attribute(self, tracker, state, effects, out):
        if state.get("obj") is not None:
            out.append(("of", state["obj"]))
        name = state.get("name", state.get("method_name"))  # the latter of methods that are about to be called, from 2.15 on
        if type(name) is str:
            out.append(("name", shorten(name)))

    def _context(self, tracker, state, effects, out):
        values = state.get("target_values")
        if type(values) in (list, tuple) and values:
            texts = [object_text(value) or f"<{type_name(value)}>" for value in values]
            out.append(("value", shorten(", ".join(texts))))

    def _exit_function(self, tracker, state, effects, out):
        if state.get("ctx") is not None:
            out.append(("of", state["ctx"]))

    def _object(self, tracker, state, effects, out):
        value = state.get("value")
        out.append(("type", type_name(value)))
        text = object_text(value)
        if text:
            out.append(("object", text))
        for name in ("_base_vt", "_dict_vt", "_list_vt", "_tuple_vt"):
            if state.get(name) is not None:
                out.append(("inner", state[name]))
                return
        # From 2.15 on subclasses of containers hold their items themselves.
        if type(state.get("items")) in _MAPPINGS:
            self._mapping(tracker, state, effects, out)
        else:
            self._sequence(tracker, state, effects, out)

    def _other(self, tracker, state, effects, out):
        for name in ("fn", "value"):
            if name in state and state[name] is not None:
                text = object_text(state[name])
                if text:
                    out.append(("object", text))
                else:
                    out.append(("type", type_name(state[name])))
                return
        name = state.get("name")
        if type(name) is str:
            out.append(("name", shorten(name)))


def _sizes(sizes):
    return "[" + ", ".join(map(symbol_text, sizes)) + "]"


_HANDLERS = {
    "LazyVariableTracker": Describer._lazy,
    "TensorVariable": Describer._tensor,
    "SymNodeVariable": Describer._symbol,
    "ConstantVariable": Describer._constant,
    "CellVariable": Describer._cell,
    "ConstDictVariable": Describer._mapping,
    "SetVariable": Describer._sequence,
    "BaseListVariable": Describer._sequence,
    "ListIteratorVariable": Describer._iterator,
    "LocalGeneratorObjectVariable": Describer._generator,
    "BaseUserFunctionVariable": Describer._function,
    "GetAttrVariable": Describer._attribute,
    "CallMethodVariable": Describer._attribute,
    "ContextWrappingVariable": Describer._context,
    "WithExitFunctionVariable": Describer._exit_function,
    "UserDefinedObjectVariable": Describer._object,
    "UserDefinedVariable": Describer._object,
}
