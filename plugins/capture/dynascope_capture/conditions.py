# SPDX-License-Identifier: BSD-3-Clause
"""Conditions of breakpoints, judged while a program is compiled: `nodes > 10`, `local x is tensor and x.dtype == f32`,
`guard on L['x']`. The language is the one of core/dynamo/condition.h, which judges recordings."""

import operator
import re

from .values import fields, source_name

DEEPEST = 100
_TOKEN = re.compile(r"""\s*(?:("[^"]*"|'[^']*')|([\w.$\-\u0080-\U0010ffff]+)|(==|!=|<=|>=|[^\s]))""")
_SOURCE = re.compile(r"\s*((?:[^\s()\[\]]|\[[^\]]*\]|\([^)]*\))+)")
_COMPARE = {
    "==": operator.eq, "=": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
    "<": operator.lt, ">": operator.gt,
}
_WORDS = ("nodes", "guards", "stack", "depth", "line", "offset", "step", "attempt", "effects", "op", "function", "file",
          "compile")


class ConditionError(ValueError):
    """The text is no condition."""


def parse(text):
    """A function of a Moment that answers True or False."""
    parser = _Parser(text)
    test = parser.either(0)
    if parser.kind != "end":
        raise ConditionError(f"'{parser.text}' is not expected here")
    return test


class Moment:
    """A step that is about to be carried out."""

    def __init__(self, attempt, tx, index, line, step):
        self.attempt = attempt
        self.tx = tx
        self.index = index
        self.line = line
        self.step = step

    def word(self, name):
        tx, attempt = self.tx, self.attempt
        if name == "nodes":
            return attempt.graph.count if attempt.graph is not None else 0
        if name == "guards":
            return len(attempt.guards)
        if name == "stack":
            return len(tx.stack)
        if name == "depth":
            return tx.inline_depth
        if name in ("line", "step"):
            return getattr(self, name)
        if name == "offset":
            offset = tx.instructions[self.index].offset
            return -1 if offset is None else offset
        if name == "attempt":
            return attempt.number
        if name == "effects":
            return attempt.effects_written
        if name == "op":
            return tx.instructions[self.index].opname
        if name == "function":
            return tx.f_code.co_name
        return tx.f_code.co_filename if name == "file" else attempt.compile_id

    def local(self, name):
        """(outer, inner): a local and what is inside of it, a cell's contents or a realized lazy tracker; None without."""
        outer = self.tx.symbolic_locals.get(name)
        if outer is None:
            return None
        contents = dict(self.described(outer)[1]).get("contents") if type(outer).__name__ == "CellVariable" else None
        return outer, _realized(outer if contents is None else contents)

    def described(self, tracker):
        return self.attempt.describer.describe(tracker, self.attempt.output.side_effects)

    def field(self, path):
        name, dot, field = path.partition(".")
        found = self.local(name)
        if found is None:
            return None
        kind, pairs = self.described(found[1])
        if field == "kind":
            return kind
        values = dict(pairs)
        value = values.get(field if dot else "value")
        if value is None and field in ("requires_grad", "modified"):
            return 0
        if type(value) is bool:
            return int(value)
        if field == "node" and value is not None:
            return next((node.name for identity, node, *_ in self.attempt.node_numbers.values() if identity == value), None)
        return value if type(value) in (int, str) else None

    def is_kind(self, name, kind):
        found = self.local(name)
        if found is None or not kind:
            return found is not None
        outer, inner = found
        if kind == "cell":
            return type(outer).__name__ == "CellVariable"
        if kind == "lazy":
            return dict(self.described(outer)[1]).get("realized") is False
        name, pairs = self.described(inner)
        values = dict(pairs)
        if kind == "tensor":
            return bool(values.get("dtype")) or values.get("peek_type") in ("Tensor", "Parameter")
        if kind in ("constant", "symbol"):
            return name == ("ConstantVariable" if kind == "constant" else "SymNodeVariable")
        if kind in ("list", "dict", "tuple", "set", "function"):
            return kind.capitalize() in name or values.get("peek_type") == kind
        return kind in (name, type(outer).__name__, values.get("type"), values.get("peek_type"))

    def guard_on(self, source):
        return any(_guard_name(guard) == source for _, guard in self.attempt.guards.values())


def _realized(tracker):
    for _ in range(6):
        cache = fields(tracker).get("_cache") if "Lazy" in type(tracker).__name__ else None
        if cache is None or cache.vt is None:
            break
        tracker = cache.vt
    return tracker


def _guard_name(guard):
    try:
        name = guard.name
        return name() if callable(name) else name
    except Exception:
        return source_name(getattr(guard, "originating_source", None))


class _Parser:
    def __init__(self, text):
        self.whole = text
        self.at = 0
        self.advance()

    def advance(self):
        match = _TOKEN.match(self.whole, self.at)
        if match is None:
            self.kind, self.text, self.begin = "end", "", len(self.whole)
            return
        quoted, word, sign = match.groups()
        self.begin = match.start(match.lastindex)
        self.at = match.end()
        if sign in ("'", '"'):
            raise ConditionError("the quotation has no end")
        self.kind, self.text = ("text", quoted[1:-1]) if quoted else ("word", word) if word else ("sign", sign)

    def take(self, text):
        if self.kind == "text" or self.text != text or self.kind == "end":
            return False
        self.advance()
        return True

    def either(self, depth):
        tests = [self.both(depth)]
        while self.take("or"):
            tests.append(self.both(depth))
        return tests[0] if len(tests) == 1 else lambda moment: any(test(moment) for test in tests)

    def both(self, depth):
        tests = [self.one(depth)]
        while self.take("and"):
            tests.append(self.one(depth))
        return tests[0] if len(tests) == 1 else lambda moment: all(test(moment) for test in tests)

    def one(self, depth):
        if depth > DEEPEST:
            raise ConditionError("nested too deeply")
        if self.take("not"):
            test = self.one(depth + 1)
            return lambda moment: not test(moment)
        if self.take("("):
            test = self.either(depth + 1)
            if not self.take(")"):
                raise ConditionError("')' is missing")
            return test
        return self.test()

    def test(self):
        if self.take("guard"):
            if self.text != "on":
                raise ConditionError("'on' and a source are missing")
            match = _SOURCE.match(self.whole, self.at)
            if match is None:
                raise ConditionError("a source such as L['x'] is missing")
            self.at = match.end()
            self.advance()
            source = match.group(1)
            return lambda moment: moment.guard_on(source)
        local = self.take("local")
        first = self.operand()
        if self.take("is"):
            negated = self.take("not")
            kind = self.operand()[1]
            return lambda moment: moment.is_kind(first[1], kind) != negated
        if self.kind == "sign" and self.text in _COMPARE:
            compare = _COMPARE[self.text]
            self.advance()
            second = self.operand()
            return lambda moment: _compare(moment, compare, first, second)
        if not local:
            raise ConditionError("a comparison such as '> 10' is missing")
        return lambda moment: moment.is_kind(first[1], "")

    def operand(self):
        if self.kind not in ("word", "text"):
            raise ConditionError("something is missing at the end" if self.kind == "end"
                                 else f"'{self.text}' is not expected here")
        out = self.kind, self.text
        self.advance()
        return out


def _value(moment, operand):
    kind, text = operand
    if kind == "text" or _number(text) is not None:
        return text
    return moment.word(text) if text in _WORDS else moment.field(text)


def _number(value):
    try:
        return float(value)
    except ValueError:
        return None


def _compare(moment, compare, first, second):
    left = _value(moment, first)
    if left is None:
        return False
    right = _value(moment, second)
    if right is None:
        right = second[1]  # a word that names nothing stands for itself: f32, helper, LOAD_FAST
    if first == ("word", "file") and "/" not in str(right):
        left = left.rpartition("/")[2]
    numbers = _number(left), _number(right)
    return compare(*numbers) if None not in numbers else compare(str(left), str(right))
