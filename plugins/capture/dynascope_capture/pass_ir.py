# SPDX-License-Identifier: BSD-3-Clause
"""Inductor's buffers and expressions as text and numbers. Nothing here decides a layout or guards on a size."""

MOST_TEXT = 400


def text_of(value):
    """An expression as short text."""
    kind = type(value)
    if kind is str:
        return value
    if kind in (int, float, bool) or value is None:
        return str(value)
    if getattr(value, "free_symbols", None) is not None and hasattr(value, "args"):
        from torch._inductor.utils import sympy_str

        try:
            return sympy_str(value)[:MOST_TEXT]
        except Exception:
            pass
    if kind in (list, tuple):
        return "(" + ", ".join(map(text_of, value)) + ")"
    return str(value)[:MOST_TEXT]


def size_of(value):
    """A number, or a symbolic one as text."""
    if type(value) is int:
        return value
    if getattr(value, "is_Integer", False):
        return int(value)
    return text_of(value)


def sizes(values):
    return [size_of(value) for value in values] if values is not None else []


def dtype_text(dtype):
    return str(dtype).removeprefix("torch.") if dtype is not None else ""


def device_text(node):
    try:
        device = node.get_device()
    except Exception:
        return ""
    return str(device) if device is not None else ""


def layout_of(ir):
    """Size, stride, dtype and kind of the layout that a buffer has by now."""
    layout = getattr(ir, "layout", None)
    if layout is None or not hasattr(layout, "size"):
        return {"layout": type(layout).__name__ if layout is not None else ""}
    out = {"layout": type(layout).__name__, "size": sizes(layout.size), "stride": sizes(layout.stride), "dtype": dtype_text(layout.dtype)}
    offset = size_of(layout.offset)
    if offset:
        out["offset"] = offset
    return out


def bytes_of(ir):
    """Of what has to be allocated, None where sizes are symbolic."""
    layout = getattr(ir, "layout", None)
    try:
        size, stride = sizes(layout.size), sizes(layout.stride)
        if not all(type(value) is int for value in (*size, *stride)):
            return None
        if 0 in size:
            return 0
        return (1 + sum((extent - 1) * step for extent, step in zip(size, stride))) * layout.dtype.itemsize
    except AttributeError:
        return None


def origins_of(ir, numbers):
    """[number, name] of the graph's nodes that something was made from."""
    found = getattr(ir, "origins", None) or ()
    return [numbers.pair(node) for node in found if hasattr(node, "name") and hasattr(node, "op")]


def buffer_name(ir):
    name = getattr(ir, "name", None)
    return name if isinstance(name, str) else ""
