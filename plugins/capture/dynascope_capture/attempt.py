# SPDX-License-Identifier: BSD-3-Clause
"""One attempt to trace a frame: what has been written of it, so that each step writes differences only."""

from . import stream as tags
from .nodes import node_fields
from .stream import number
from .values import DEEPEST, Describer, fields, plain_key, source_name, symbol_text


_NOT_REALIZED = ("realized", False)


class FrameState:
    """A translator as it was at its last step."""

    __slots__ = ("identity", "tx", "index", "names", "locals", "stack", "blocks")

    def __init__(self, identity, tx):
        self.identity = identity
        self.tx = tx
        self.index = -1
        self.names = []
        self.locals = []  # of id()
        self.stack = []  # of id(); Attempt.held keeps the trackers alive
        self.blocks = []  # Dynamo's entries


class GraphState:
    __slots__ = ("identity", "graph", "nodes", "count")

    def __init__(self, identity, graph):
        self.identity = identity
        self.graph = graph
        self.nodes = {}  # id() of an fx.Node -> (its number, the node, its arguments as they were written)
        self.count = 0


class Attempt:
    def __init__(self, stream, identity, output, type_text, compile_id, number_of):
        self.stream = stream
        self.identity = identity
        self.compile_id = compile_id
        self.number = number_of
        self.output = output
        self.context = output.tracing_context
        self.frames = {}
        self.values = {}  # id() of a tracker -> its number
        self.held = []  # the trackers, so that no id() is used twice
        self.plain = {}  # encoded values of constants, which come by the thousand
        self.lazies = {}  # id() of the cache of a tracker that is not realized -> the tracker
        self.dirty = {}  # trackers that changed since they were written
        self.waiting = []  # records of things that happened since the last flush
        self.last_frame = None
        self.last_node = 0
        self.describer = Describer(self.node_id)
        self.type_text = type_text
        self.graphs = {}
        self.graph = None
        self.node_numbers = {}
        self.guards = {}  # id() of a Guard -> (its number, the guard)
        self.last_guard = 0
        self.effects = None
        self.effects_written = 0
        self.shapes = None
        self.shape_version = None
        self.ranges = {}
        self.facts = 0
        self.replaced = {}
        self.asserts = 0

    # Values

    def value_id(self, tracker, depth=0):
        found = self.values.get(id(tracker))
        if found is not None:
            return found
        self.held.append(tracker)
        identity = self.values[id(tracker)] = len(self.held)
        self._write_value(identity, tracker, depth)
        return identity

    def _write_value(self, identity, tracker, depth):
        payload = bytearray()
        number(payload, identity)
        plain = plain_key(tracker)
        if plain is not None:
            encoded = self.plain.get(plain)
            if encoded is None:
                encoded = bytearray()
                self._encode(encoded, tracker, depth)
                self.plain[plain] = encoded
            payload += encoded
        else:
            self._encode(payload, tracker, depth)
        self.stream.record(tags.VALUE, payload)

    def _encode(self, payload, tracker, depth):
        kind, described = self.describer.describe(tracker, self.effects)
        if described and described[0] == _NOT_REALIZED:
            self.lazies[id(fields(tracker)["_cache"])] = tracker
        known = self.stream.strings.get
        string = self.stream.string
        number(payload, known(kind) or string(kind))
        for name, value in described:
            key = (known(name) or string(name)) << 2
            form = type(value)
            if form is str:
                pair = key, known(value) or string(value)
            elif form is int or form is bool:
                pair = key | 1, int(value)
            elif depth >= DEEPEST:
                continue
            elif form is list:
                pair = key | 3, len(value), *[self.value_id(item, depth + 1) for item in value]
            else:
                pair = key | 2, self.value_id(value, depth + 1)
            for item in pair:
                if item < 128:
                    payload.append(item)
                else:
                    number(payload, item)

    def realized(self, cache):
        """A lazy tracker became a real one."""
        tracker = self.lazies.pop(id(cache), None)
        if tracker is not None:
            self.dirty[id(tracker)] = tracker

    # Graph

    def node_id(self, node):
        found = self.node_numbers.get(id(node))
        return found[0] if found is not None else None

    def _switch_graph(self, graph):
        state = self.graphs.get(id(graph))
        if state is None:
            state = self.graphs[id(graph)] = GraphState(len(self.graphs), graph)
        self.graph = state
        payload = bytearray()
        number(payload, state.identity)
        number(payload, len(self.output.tracers) - 1)
        self.stream.record(tags.GRAPH, payload)
        return state

    def _sync_nodes(self, state, thorough):
        graph = state.graph
        missing = graph._len - state.count
        fresh = []
        node = graph._root._prev
        while missing > len(fresh) and node is not graph._root and id(node) not in state.nodes:
            fresh.append(node)
            node = node._prev
        changed = []
        if len(fresh) != missing or missing < 0 or thorough:
            fresh = []
            seen = set()
            node = graph._root._next
            while node is not graph._root:
                seen.add(id(node))
                known = state.nodes.get(id(node))
                if known is None:
                    fresh.append(node)
                elif known[2] is not node._args or known[3] is not node._kwargs:
                    changed.append(node)
                node = node._next
            for key in [key for key in state.nodes if key not in seen]:
                self._forget_node(state, key)
        else:
            fresh.reverse()
        for node in fresh:
            self.last_node += 1
            self._write_node(state, node, self.last_node)
        for node in changed:
            self._write_node(state, node, state.nodes[id(node)][0])
        state.count = graph._len

    def _forget_node(self, state, key):
        identity = state.nodes.pop(key)[0]
        self.node_numbers.pop(key, None)
        payload = bytearray()
        number(payload, identity)
        self.stream.record(tags.NODE_GONE, payload)

    def _write_node(self, state, node, identity):
        op, target, kind, arguments = node_fields(node, self.node_id, self.type_text)
        state.nodes[id(node)] = self.node_numbers[id(node)] = (identity, node, node._args, node._kwargs)
        string = self.stream.string
        previous = state.nodes.get(id(node._prev))
        example = node.meta.get("example_value") if op != "output" else None
        payload = bytearray()
        number(payload, identity)
        number(payload, state.identity)
        number(payload, previous[0] if previous else 0)
        for text in (op, node.name, target, kind, self._example_text(example)):
            number(payload, string(text) if text else 0)
        payload += arguments.encode("utf-8", "backslashreplace")
        self.stream.record(tags.NODE, payload)

    def _example_text(self, example):
        if example is None or not hasattr(example, "fake_mode"):
            return symbol_text(example) if type(example).__name__ in ("SymInt", "SymFloat", "SymBool") else ""
        torch = self.describer._torch
        with torch._C.DisableTorchFunction():
            shape = ", ".join(map(symbol_text, example.shape))
            return f"{self.describer._dtypes.get(example.dtype, example.dtype)}[{shape}]"

    def renamed(self, node):
        found = self.node_numbers.get(id(node))
        if found is None:
            return
        payload = bytearray()
        number(payload, found[0])
        number(payload, self.stream.string(node.name))
        self.stream.record(tags.NODE_NAME, payload)

    # Guards

    def guard_added(self, guard, who):
        self.last_guard += 1
        self.guards[id(guard)] = (self.last_guard, guard)
        string = self.stream.string
        try:
            name = guard.name
            name = name() if callable(name) else name
        except Exception:
            name = ""
        create = guard.create_fn_name() if hasattr(guard, "create_fn_name") else ""
        kind = guard.source.name.lower() if guard.source is not None else ""
        payload = bytearray()
        number(payload, self.last_guard)
        for text in (kind, name, create, who):
            number(payload, string(text) if text else 0)
        self.stream.record(tags.GUARD, payload)

    def _sync_guards(self, inner):
        present = {id(guard) for guard in inner}
        for key in [key for key in self.guards if key not in present]:
            identity, _ = self.guards.pop(key)
            payload = bytearray()
            number(payload, identity)
            self.stream.record(tags.GUARD_GONE, payload)
        for guard in inner:
            if id(guard) not in self.guards:
                self.guard_added(guard, "")

    # Side effects

    def attribute_stored(self, item, name, value):
        payload = bytearray()
        number(payload, self.value_id(item))
        number(payload, self.stream.string(str(name)))
        number(payload, self.value_id(value))
        self.stream.record(tags.ATTRIBUTE, payload)
        self.effects_written += 1

    def mutated(self, tracker):
        payload = bytearray()
        number(payload, self.value_id(tracker))
        self.stream.record(tags.MUTATION, payload)
        self.effects_written += 1

    def _switch_effects(self, effects):
        first = self.effects is None
        self.effects = effects
        if first and not effects.store_attr_mutations:
            return
        # A higher-order operator's trial run was rolled back.
        self.stream.record(tags.EFFECTS_RESET, b"")
        self.effects_written = 0
        for item, stored in effects.store_attr_mutations.items():
            if id(item) in self.values:
                self.dirty[id(item)] = item
            for name, value in stored.items():
                self.attribute_stored(item, name, value)

    # Symbols

    def _sync_shapes(self, shapes):
        hints = vars(shapes).get("backed_var_to_val")
        if hints is None:  # before 2.11
            hints = vars(shapes).get("var_to_val", {})
        sources = getattr(shapes, "var_to_sources", {})
        for symbol, span in shapes.var_to_range.items():
            if self.ranges.get(symbol) is span:
                continue
            self.ranges[symbol] = span
            named = ", ".join(filter(None, map(source_name, sources.get(symbol, ()))))
            self._texts(tags.SYMBOL, str(symbol), str(hints.get(symbol, "")), f"[{span.lower}, {span.upper}]", named)
        for guard in shapes.guards[self.facts :]:
            self._texts(tags.FACT, "guard", str(guard.expr))
        self.facts = len(shapes.guards)
        for symbol, target in shapes.replacements.items():
            if self.replaced.get(symbol) is not target:
                self.replaced[symbol] = target
                self._texts(tags.FACT, "replacement", f"{symbol} = {target}")
        asserts = [a for group in shapes.deferred_runtime_asserts.values() for a in group]
        for deferred in asserts[self.asserts :]:
            self._texts(tags.FACT, "runtime assert", str(deferred.expr))
        self.asserts = len(asserts)

    def _texts(self, tag, *texts):
        payload = bytearray()
        for text in texts:
            number(payload, self.stream.string(text) if text else 0)
        self.stream.record(tag, payload)

    # Steps

    def flush(self, thorough=False):
        """Writes what happened since the last step."""
        output = self.output
        if output.side_effects is not self.effects:
            self._switch_effects(output.side_effects)
        graph = output.tracers[-1].graph
        state = self.graph
        if state is None or state.graph is not graph:
            state = self._switch_graph(graph)
        if thorough or graph._len != state.count:
            self._sync_nodes(state, thorough)
        if self.waiting:
            waiting, self.waiting = self.waiting, []
            for write, arguments in waiting:
                write(*arguments)
        if self.dirty:
            dirty, self.dirty = self.dirty, {}
            for key, tracker in dirty.items():
                known = self.values.get(key)
                if known is not None:
                    self._write_value(known, tracker, 0)
        inner = self.context.guards_context.dynamo_guards.inner
        if len(inner) != len(self.guards):
            self._sync_guards(inner)
        shapes = self.shapes
        if shapes is None:
            mode = self.context.fake_mode
            shapes = self.shapes = mode.shape_env if mode is not None else None
        if shapes is not None:
            # The counter tells of what was changed; new symbols, guards and asserts leave it as it is.
            version = (
                shapes._version_counter,
                len(shapes.var_to_range),
                len(shapes.guards),
                shapes.num_deferred_runtime_asserts,
            )
            if version != self.shape_version:
                self.shape_version = version
                self._sync_shapes(shapes)

    def step(self, frame, tx, index):
        flags = 0
        payload = bytearray(1)
        if frame is not self.last_frame:
            flags = 1
            number(payload, frame.identity)
            self.last_frame = frame
        if index != frame.index + 1:
            flags |= 2
            number(payload, index)
        frame.index = index
        ids = list(map(id, tx.stack))
        if ids != frame.stack:
            flags |= 4
            self._stack_change(payload, frame.stack, ids, tx.stack)
            frame.stack = ids
        values = tx.symbolic_locals
        ids = list(map(id, values.values()))
        names = list(values)
        if ids != frame.locals or names != frame.names:
            flags |= 8
            self._locals_change(payload, frame, names, ids, values)
            frame.names = names
            frame.locals = ids
        blocks = tx.block_stack
        if (blocks or frame.blocks) and list(map(id, blocks)) != list(map(id, frame.blocks)):
            flags |= 16
            self._blocks_change(payload, frame.blocks, blocks, tx.indexof)
            frame.blocks = list(blocks)
        payload[0] = flags
        self.stream.record(tags.STEP, payload)

    def _stack_change(self, payload, before, after, stack):
        same = 0
        for old, new in zip(before, after):
            if old != new:
                break
            same += 1
        number(payload, same)
        number(payload, len(after) - same)
        known = self.values
        for i in range(same, len(after)):
            value = known.get(after[i]) or self.value_id(stack[i])
            if value < 128:
                payload.append(value)
            else:
                number(payload, value)

    def _blocks_change(self, payload, before, after, index_of):
        same = 0
        for old, new in zip(before, after):
            if old is not new:
                break
            same += 1
        number(payload, same)
        number(payload, len(after) - same)
        for block in after[same:]:
            # Until 3.10 an exception that is being handled pushes a block that no instruction of the code stands for.
            number(payload, index_of.get(block.inst, -1) + 1)
            number(payload, index_of.get(block.target, -1) + 1)
            number(payload, block.stack_index or 0)
            number(payload, self.value_id(block.with_context) if block.with_context is not None else 0)

    def _locals_change(self, payload, frame, names, ids, values):
        if names == frame.names:
            changed = [(name, values[name]) for name, old, new in zip(names, frame.locals, ids) if old != new]
            gone = ()
        else:
            before = dict(zip(frame.names, frame.locals))
            changed = [(name, values[name]) for name, new in zip(names, ids) if before.get(name) != new]
            gone = [name for name in before if name not in values]
        number(payload, len(changed) + len(gone))
        for name, tracker in changed:
            number(payload, self.stream.string(name))
            number(payload, self.value_id(tracker))
        for name in gone:
            number(payload, self.stream.string(name))
            payload.append(0)
