# SPDX-License-Identifier: BSD-3-Clause
"""Matches of patterns: which nodes fitted, what took their place, and what refused the others."""

import functools
import weakref

from . import pass_tags as tags

MOST_EXPRESSION = 4000
MOST_LINES = 16000
MOST_ARGUMENT = 200


class Pending:
    """A pattern that fits. Whether it is applied is seen from what happens next."""

    def __init__(self, entry, match, anchor, numbers):
        self.entry = entry
        self.nodes = [numbers.pair(node) for node in match.nodes]
        self.anchor = numbers.pair(anchor) if hasattr(anchor, "name") else None
        self.arguments = {name: str(value)[:MOST_ARGUMENT] for name, value in match.kwargs.items()}
        self.positional = [str(value)[:MOST_ARGUMENT] for value in match.args]
        self.crosses = _crosses(match.nodes)
        self.created = None
        self.erased = None


def _crosses(nodes):
    """What the pattern matcher itself asks before any check."""
    if len({node.meta.get("mutation_region_id") for node in nodes}) > 1:
        return "crosses a mutation"
    if len({(node.meta.get("custom") or {}).get("stream", 0) for node in nodes}) > 1:
        return "crosses streams"
    return None


def install(recorder, hooks):
    from torch._inductor import pattern_matcher
    from torch.fx import Graph, Node

    known = weakref.WeakKeyDictionary()  # matcher -> (how many entries, {id of a pattern: entry})
    hooks.wrap(pattern_matcher.PatternMatcherPass, "apply", lambda original: _apply_all(recorder, known, original))
    for kind in _with(pattern_matcher.PatternExpr, "match"):
        hooks.wrap(kind, "match", lambda original: _match(recorder, pattern_matcher, original))
    for kind in _with(pattern_matcher.PatternEntry, "apply"):
        if kind is not pattern_matcher.PatternEntry:
            hooks.wrap(kind, "apply", lambda original: _apply(recorder, original))
    hooks.wrap(Node, "__init__", lambda original: _created(recorder, original))
    hooks.wrap(Graph, "erase_node", lambda original: _erased(recorder, original))
    hooks.wrap(Node, "replace_all_uses_with", lambda original: _replaced(recorder, original))


def _with(base, name):
    """The classes below `base` that have a method of their own."""
    found, waiting = [], [base]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if name in kind.__dict__ and kind not in found:
            found.append(kind)
    return found


def _apply_all(recorder, known, original):
    def apply(self, gm, *rest, **named):
        now = recorder.now
        entries = recorder.guarded(_entries, known, self) if now.phases and not now.mute else None
        pending, now.pending = now.pending, None
        now.patterns.append(entries or {})
        try:
            return original(self, gm, *rest, **named)
        finally:
            now.patterns.pop()
            now.pending = pending

    return apply


def _entries(known, matcher):
    count = sum(map(len, matcher.patterns.values()))
    found = known.get(matcher)
    if found is None or found[0] != count:
        found = known[matcher] = count, {id(entry.pattern): entry for entries in matcher.patterns.values() for entry in entries}
    return found[1]


def _match(recorder, pattern_matcher, original):
    is_match = pattern_matcher.is_match

    def match(self, node, *rest, **named):
        now = recorder.now
        entry = now.patterns[-1].get(id(self)) if now.patterns else None
        if entry is None or now.current is None:
            return original(self, node, *rest, **named)
        if now.pending is not None:
            recorder.guarded(_refused, recorder)
        result = original(self, node, *rest, **named)
        now.current.tries += 1
        if is_match(result):
            now.current.fits += 1
            now.pending = recorder.guarded(Pending, entry, result, node, recorder.numbers)
        return result

    return match


def finish(recorder):
    """A pass ends: what waits was refused."""
    if recorder.now.pending is not None:
        _refused(recorder)


def _refused(recorder):
    pending, recorder.now.pending = recorder.now.pending, None
    _write(recorder, pending, refused=pending.crosses or "check")


def _apply(recorder, original):
    def apply(self, match, graph, node, *rest, **named):
        now = recorder.now
        current = now.current
        if current is None or current.tracked is None or not now.patterns or now.patterns[-1].get(id(self.pattern)) is not self:
            return original(self, match, graph, node, *rest, **named)
        pending, now.pending = now.pending, None
        if pending is None or pending.entry is not self:
            pending = recorder.guarded(Pending, self, match, node, recorder.numbers)
        outer, now.match = now.match, pending
        if pending is not None:
            pending.created, pending.erased = [], []
            # The check may have put other arguments in.
            recorder.guarded(_arguments, pending, match)
        try:
            result = original(self, match, graph, node, *rest, **named)
        finally:
            now.match = outer
        if pending is not None:
            current.matched += 1
            recorder.guarded(_applied, recorder, pending, graph)
        return result

    return apply


def _arguments(pending, match):
    pending.arguments = {name: str(value)[:MOST_ARGUMENT] for name, value in match.kwargs.items()}


def _applied(recorder, pending, graph):
    added = []
    for reference in pending.created:
        node = reference()
        if node is not None and node.graph is graph and not node._erased:
            added.append(recorder.numbers.pair(node))
    _write(recorder, pending, added=added, gone=pending.erased)


def _write(recorder, pending, **outcome):
    current = recorder.now.current
    if current is None:
        return
    out = {"pass": current.index, "pattern": _pattern(recorder, pending.entry), "nodes": pending.nodes, **outcome}
    if pending.anchor is not None:
        out["anchor"] = pending.anchor
    if pending.arguments:
        out["keywords"] = pending.arguments
    if pending.positional:
        out["arguments"] = pending.positional
    recorder.write(tags.MATCH, out)


def _pattern(recorder, entry):
    """The number of a pattern; its record is written before the first of its matches."""
    from .pass_hooks import place_of

    number = recorder.patterns.of(entry)
    if number in recorder.known_patterns:
        return number
    recorder.known_patterns.add(number)
    cells = _cells(entry.extra_check)
    out = {
        "id": number,
        "kind": type(entry).__name__.replace("PatternEntry", "").lower(),
        "name": getattr(entry, "pattern_name", None) or "",
        "handler": place_of(getattr(entry, "handler", None)) if getattr(entry, "handler", None) is not None else None,
        # register_replacement's own check looks at shapes, then asks the pattern's.
        "check": place_of(cells.get("extra_check") or entry.extra_check),
        "search": place_of(cells["search_fn"]) if "search_fn" in cells else None,
        "replace": place_of(cells["replace_fn"]) if "replace_fn" in cells else None,
        "expression": _expression(entry.pattern),
    }
    if not out["name"]:
        named = out["search"] or out["handler"]
        out["name"] = named[0] if named else ""
    recorder.json(tags.PATTERN, {name: value for name, value in out.items() if value is not None})
    return number


def _expression(pattern):
    """As repr() writes it; one that writes nodes again and again, a line for each of its nodes."""
    text = repr(pattern)
    if len(text) > MOST_EXPRESSION:
        try:
            from torch._inductor.pattern_matcher import PatternPrettyPrinter

            lines = PatternPrettyPrinter.run(pattern)
        except Exception:  # a pattern of another kind, or a PyTorch that writes patterns in another way
            lines = ""
        if 0 < len(lines) <= MOST_LINES:
            return lines
    return text[:MOST_EXPRESSION]


def _cells(function):
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    out = {}
    for name, cell in zip(names, getattr(function, "__closure__", None) or ()):
        try:
            out[name] = cell.cell_contents
        except ValueError:  # empty
            pass
    return out


# Nodes


def _created(recorder, original):
    now = recorder.now

    @functools.wraps(original)
    def __init__(self, *arguments, **named):
        original(self, *arguments, **named)
        match = now.match
        if match is not None and match.created is not None:
            match.created.append(weakref.ref(self))

    return __init__


def _erased(recorder, original):
    now = recorder.now

    def erase_node(self, to_erase, *rest, **named):
        match = now.match
        pair = None
        if match is not None and match.erased is not None and not to_erase._erased:
            pair = recorder.guarded(recorder.numbers.pair, to_erase)
        result = original(self, to_erase, *rest, **named)
        if pair is not None:
            match.erased.append(pair)
        return result

    return erase_node


def _replaced(recorder, original):
    now = recorder.now

    def replace_all_uses_with(self, replace_with, *rest, **named):
        result = original(self, replace_with, *rest, **named)
        current = now.current
        if current is not None and current.tracked is not None:
            recorder.guarded(_note_replaced, recorder, current, self, replace_with, result)
        return result

    return replace_all_uses_with


def _note_replaced(recorder, current, old, new, users):
    if old.graph.owning_module is not current.tracked.module() or not hasattr(new, "name"):
        return
    pair = recorder.numbers.pair
    current.replaced.append([pair(old), pair(new), [pair(user) for user in users or ()]])
