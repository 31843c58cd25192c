# SPDX-License-Identifier: BSD-3-Clause
"""Side effects at the end of a graph: which objects Dynamo tracks, which it found changed, and the bytecode that makes
the changes real. Trackers are read as values.py reads them."""

import collections
import sys
import types

from . import generated, stream as tags
from .codes import constant_text
from .recorder import user_stack
from .values import fields, source_name

MOST_STACK = 4
_CONTAINERS = ("ListVariable", "DequeVariable", "TupleVariable", "ConstDictVariable", "SetVariable", "FrozensetVariable")
_MAPPINGS = (dict, collections.OrderedDict)
_BASES = ("_base_vt", "_dict_vt", "_list_vt", "_tuple_vt")


def install(recorder, patches, made):
    """`made` is the GeneratedLog."""
    from torch._dynamo import side_effects

    owner = side_effects.SideEffects
    log = EffectsLog(recorder, made)
    patches.wrap(owner, "prune_dead_object_new", log.prune)
    patches.wrap(owner, "codegen_save_tempvars", lambda original: log.generate(original, "built"))
    patches.wrap(owner, "codegen_update_mutated", lambda original: log.generate(original, "loads"))
    patches.wrap(owner, "_get_modified_vars", log.modified)
    return log


class EffectsLog:
    def __init__(self, recorder, made):
        self._recorder = recorder
        self._made = made
        self._watched = None  # what _get_modified_vars is asked for
        self._replay = {}  # of the last pass

    def prune(self, original):
        def prune_dead_object_new(effects, tx):
            tracked = list(effects.id_to_variable.values())
            ways = getattr(effects, "attr_mutation_kinds", {})
            stores = {id(item): (dict(stored), dict(ways.get(item, ()))) for item, stored in effects.store_attr_mutations.items()}
            result = original(effects, tx)
            self._replay = {}
            self._recorder.guarded(self._write_table, effects, tx.output, tracked, stores)
            return result

        return prune_dead_object_new

    def _write_table(self, effects, output, tracked, stores):
        attempt = self._recorder.current(output)
        if attempt is None:
            return
        live = {id(item) for item in effects.id_to_variable.values()}
        attempt.flush()
        objects, untouched = [], 0
        for item in tracked:
            described = _describe(attempt, effects, item, *stores.get(id(item), ({}, {})))
            if not described["new"] and not described["flag"] and not described["stores"] and not described.get("base_flag"):
                untouched += 1
                continue
            described["live"] = id(item) in live
            objects.append(described)
        if objects:
            self._recorder.json(tags.EFFECTS, {"objects": objects, "untouched": untouched})

    def modified(self, original):
        def _get_modified_vars(effects):
            found = original(effects)
            watched, self._watched = self._watched, None
            return found if watched is None else watched.follow(found)

        return _get_modified_vars

    def generate(self, original, part):
        def codegen(effects, cg, *rest, **named):
            self._watched = watched = _Watch(cg)
            try:
                return original(effects, cg, *rest, **named)
            finally:
                self._watched = None
                self._replay[part] = watched
                self._recorder.guarded(self._mark, part, watched)

        return codegen

    def _mark(self, part, watched):
        loads, rest = (generated.LOAD, generated.STORE) if part == "loads" else (generated.NEW_OBJECTS, generated.NEW_OBJECTS)
        for _, code in watched.parts:
            self._made.mark(code, loads)
        self._made.mark(watched.rest, rest)

    def write_replay(self, output):
        """After the code of a graph's end was made, of which Dynamo makes two versions; the second one is kept."""
        replay, self._replay = self._replay, {}
        attempt = self._recorder.current(output)
        if attempt is None or not any(watched.parts for watched in replay.values()):
            return
        attempt.flush()
        out = {}
        for part, watched in replay.items():
            out[part] = [{"value": attempt.value_id(item), "code": _texts(code)} for item, code in watched.parts]
        if "loads" in replay:
            watched = replay["loads"]
            out["stores"] = [{"value": attempt.value_id(item), "code": _texts(code)} for item, code in watched.suffixes]
            out["emitted"] = _texts(watched.rest)
        if not _replays():
            out["replay_side_effects"] = False
        self._recorder.json(tags.REPLAY, out)


def _replays():
    from torch._dynamo import config

    return getattr(config, "replay_side_effects", True)


class _Watch:
    """Follows a loop of Dynamo's over changed objects: which instructions each of them led to."""

    def __init__(self, cg):
        self._output = cg.get_instructions()
        self.parts = []  # (tracker, its instructions)
        self.suffixes = []  # (tracker, instructions that are put at the end, the last ones first)
        self.rest = []

    def follow(self, found):
        loop = sys._getframe(1)
        for item in found:
            begin = len(self._output)
            known = self._known(loop)
            yield item
            self.parts.append((item, self._output[begin:]))
            self.suffixes += [(item, list(suffix)) for suffix in (loop.f_locals.get("suffixes") or ())[known:]]
        begin = len(self._output)
        self.rest = _Rest(self._output, begin)

    @staticmethod
    def _known(loop):
        return len(loop.f_locals.get("suffixes") or ())


class _Rest:
    """What a list gets from now on."""

    def __init__(self, output, begin):
        self._output = output
        self._begin = begin

    def __iter__(self):
        return iter(self._output[self._begin :])


def _texts(instructions):
    return [f"{i.opname} {_made_argument(i)}".rstrip() for i in instructions]


def _made_argument(instruction):
    """Of an instruction that was made and has no place yet: a value, a number, or neither."""
    value = instruction.argval
    if instruction.opname.startswith("LOAD_CONST"):
        return constant_text(value)
    if instruction.target is not None or value is instruction.arg is None:
        return ""
    if type(value) is type:  # Dynamo's mark for "none was given"
        return "" if instruction.arg is None else str(instruction.arg)
    return value if type(value) is str else constant_text(value)


def _container_name(kind):
    """What a tracker of a container's subclass is beside a user's object: ListVariable."""
    return next((base.__name__ for base in kind.__mro__ if base.__name__ in _CONTAINERS), "")


def _key(key):
    """What a key is known by: constants by their value, all else by its tracker."""
    tracker = fields(key)["vt"] if type(key).__name__ in ("HashableTracker", "_HashableTracker") else key
    tracker = _realized(tracker)
    value = fields(tracker).get("value")
    if type(tracker).__name__ == "ConstantVariable" and type(value) in (int, bool, str, float, type(None)):
        return type(value), value
    return id(tracker)


def _realized(tracker):
    while type(tracker).__name__ in ("LazyVariableTracker", "LazyConstantVariable"):
        inner = fields(tracker)["_cache"].vt
        if inner is None:
            break
        tracker = inner
    return tracker


def _contents(container, new):
    """What a dict or set holds against what it held: "same", "more" (others beside them or in their places) or "other"
    (something went or moved). Empty for what keeps no earlier items."""
    state = fields(container)
    items, before = state.get("items"), state.get("original_items")
    if type(items) not in _MAPPINGS or type(before) not in _MAPPINGS:
        return ""
    if new:
        return "more" if items else "same"
    now = [(_key(key), id(_realized(value))) for key, value in items.items()]
    then = [(_key(key), id(_realized(value))) for key, value in before.items()]
    if any(base.__name__ == "SetVariable" for base in type(container).__mro__):  # without an order
        left, right = {key for key, _ in now}, {key for key, _ in then}
        return "same" if left == right else "more" if left > right else "other"
    if now == then:
        return "same"
    return "more" if [key for key, _ in now[: len(then)]] == [key for key, _ in then] else "other"


def _existed(item, name):
    """Whether an object has an attribute, found without running code of its class; None where only that would tell."""
    state = fields(item)
    kind = getattr(state.get("mutation_type"), "__class__", type(None)).__name__
    if kind.endswith("New"):
        return False
    if "value" not in state:
        return None
    value = state["value"]
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        own = {}
    if name in own:
        return True
    for base in type(value).__mro__:
        if name in base.__dict__:
            slot = base.__dict__[name]
            if type(slot) is not types.MemberDescriptorType:
                return None
            try:
                slot.__get__(value)
                return True
            except AttributeError:
                return False
    return False


def _describe(attempt, effects, item, stored, ways):
    state = fields(item)
    mutation = state.get("mutation_type")
    kind = type(mutation).__name__
    out = {
        "value": attempt.value_id(item),
        "kind": type(item).__name__,
        "mutation": kind if mutation is not None else "",
        "new": kind.endswith("New"),
        "flag": bool(mutation is not None and mutation.__dict__.get("is_modified")),
        "scope": mutation.__dict__.get("scope", 0) if mutation is not None else 0,
        "source": source_name(state.get("source")),
        "stores": [],
    }
    container = item
    name = state.get("local_name")
    if type(name) is str:
        out["cell"] = name
    for name, value in stored.items():
        way = ways.get(name)
        deleted = type(value).__name__ == "DeletedVariable"
        out["stores"].append([str(name), attempt.value_id(value), getattr(way, "name", ""), deleted])
        if deleted:
            out["stores"][-1].append(_existed(item, name))
    for name in _BASES:
        base = state.get(name)
        if base is None:
            continue
        of_base = fields(base).get("mutation_type")
        out["base"] = type(base).__name__
        container = base
        out["base_flag"] = bool(of_base is not None and of_base.__dict__.get("is_modified"))
        # A new one is rebuilt item by item, so that it counts as changed.
        out["base_new"] = type(of_base).__name__.endswith("New")
        break
    else:
        if kind.startswith("ValueAndAttribute"):  # from 2.15 on it is both in one
            out["base"] = _container_name(type(item))
            out["base_flag"] = out["flag"]
            out["base_new"] = out["new"]
    contents = _contents(container, type(fields(container).get("mutation_type")).__name__.endswith("New"))
    if contents:
        out["contents"] = contents
    value = state.get("value")
    if any(base.__name__ == "UserDefinedObjectVariable" for base in type(item).__mro__):
        out["user"] = True
        out["own_setattr"] = type.__getattribute__(type(value), "__setattr__") is not object.__setattr__
        out["class"] = type(value).__name__
    known = getattr(effects, "mutation_user_stacks", {})
    stacks = known.get(item) or known.get(container)
    if stacks:
        out["stack"] = user_stack(stacks[-1])[-MOST_STACK:]
    return out
