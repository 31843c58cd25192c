# SPDX-License-Identifier: BSD-3-Clause
"""The text of an fx.Node in which other nodes stand as their ids: their names may still change."""

from .codes import LONGEST_TEXT

MOST_NODE_TEXT = 4000


def node_fields(node, node_of, type_text):
    """(op, target, type annotation, arguments)."""
    op = node.op
    kind = f"{type_text(node.type)}" if node.type is not None else ""
    if op in ("placeholder", "get_attr"):
        return op, str(node.target), kind, ""
    try:
        target = node._pretty_print_target(node.target)
    except Exception:
        target = str(node.target)
    if op == "output":
        return op, target, kind, argument_text(node._args[0] if node._args else None, node_of, 0, True)[:MOST_NODE_TEXT]
    text = f"(args = {argument_text(node._args, node_of, 0)}, kwargs = {_keywords(node._kwargs, node_of)})"
    return op, target, kind, text[:MOST_NODE_TEXT]


def _keywords(values, node_of, by_repr=False):
    text = repr if by_repr else str
    return "{" + ", ".join(f"{text(key)}: {argument_text(value, node_of, 1, by_repr)}" for key, value in values.items()) + "}"


def argument_text(value, node_of, depth, by_repr=False):
    """As FX prints an argument: by str(), which shows the parts of a slice and of what is returned by repr()."""
    kind = type(value)
    identity = node_of(value) if kind.__name__ == "Node" else None
    if identity is not None:
        return f"\x01{identity}\x03" if by_repr else f"\x01{identity}\x02"
    if depth < 8:
        if isinstance(value, tuple):
            inner = ", ".join(argument_text(item, node_of, depth + 1, by_repr) for item in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, list):
            return "[" + ", ".join(argument_text(item, node_of, depth + 1, by_repr) for item in value) + "]"
        if isinstance(value, dict):
            return _keywords(value, node_of, by_repr)
        if isinstance(value, slice):
            parts = (argument_text(part, node_of, depth + 1, True) for part in (value.start, value.stop, value.step))
            return "slice(" + ", ".join(parts) + ")"
    if kind is str:
        text = value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "\u2026"
        return repr(text) if by_repr else text
    if kind.__name__ in ("SymInt", "SymFloat", "SymBool") and hasattr(value, "node"):
        return str(value.node.expr)
    if isinstance(value, type) or callable(value) and hasattr(value, "__name__"):
        return getattr(value, "__qualname__", kind.__name__)
    try:
        text = str(value) if kind.__module__ in ("builtins", "torch") else f"<{kind.__name__}>"
    except Exception:
        text = f"<{kind.__name__}>"
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "\u2026"
