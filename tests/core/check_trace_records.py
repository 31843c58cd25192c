# SPDX-License-Identifier: BSD-3-Clause
"""check_trace_records.py TABLE [TORCH]: fails on a record type or artifact that PyTorch's sources write to a
TORCH_TRACE log and that docs/trace-records.md lacks.

Reads the sources, of this interpreter's PyTorch unless a folder is named, and runs nothing of them. A name that is no constant is followed to where it is assigned and, if it is
a parameter, to the calls of its function; what is filled into an f-string stands as *."""

import ast
import fnmatch
import importlib.util
import os
import sys

WRITERS = {"trace_structured", "dtrace_structured", "trace_structured_artifact"}
DEEPEST = 3  # calls that a parameter is followed through


class Source:
    def __init__(self, path, tree):
        self.path = path
        self.tree = tree
        self.parents = {}
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def enclosing(self, node, kinds):
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, kinds):
                yield node


def called(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


class Torch:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.parsed = {}
        self.assumed = {}  # what a name can be so far, while its assignments are read: they may name itself
        for folder, _, files in os.walk(root):
            for name in files:
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8", errors="replace") as file:
                        self.texts[path] = file.read()

    def source(self, path):
        if path not in self.parsed:
            self.parsed[path] = Source(os.path.relpath(path, self.root), ast.parse(self.texts[path]))
        return self.parsed[path]

    def calls(self, names):
        """Every call of a function of one of these names, with its source."""
        for path, text in self.texts.items():
            if any(name + "(" in text for name in names):
                source = self.source(path)
                for node in ast.walk(source.tree):
                    if isinstance(node, ast.Call) and called(node) in names:
                        yield source, node

    def values(self, source, node, depth=0):
        """The texts that an expression can have, with * for what is not known; empty where nothing is known."""
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else set()
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
            return {text} if text.strip("*") else self.filled(source, node, depth)
        if isinstance(node, ast.IfExp):
            return self.values(source, node.body, depth) | self.values(source, node.orelse, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.values(source, side, depth) or {"*"} for side in (node.left, node.right)]
            return {left + right for left in parts[0] for right in parts[1]} - {"**"}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
            return self.named(source, node.func, depth)
        if isinstance(node, ast.Name):
            return self.named(source, node, depth)
        if isinstance(node, ast.Lambda):
            return self.values(source, node.body, depth)
        return set()

    def filled(self, source, node, depth):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return self.values(source, parts[0], depth) if len(parts) == 1 else set()

    def named(self, source, name, depth):
        for scope in [*source.enclosing(name, (ast.FunctionDef, ast.AsyncFunctionDef)), source.tree]:
            key = (scope, name.id)
            if key in self.assumed:
                return set(self.assumed[key])
            found = self.assumed[key] = set()
            for node in ast.walk(scope):
                targets = node.targets if isinstance(node, ast.Assign) else []
                if isinstance(node, (ast.NamedExpr, ast.AnnAssign)) and node.value is not None:
                    targets = [node.target]
                if isinstance(node, ast.AugAssign) and getattr(node.target, "id", "") == name.id:
                    found |= {text + "*" for text in self.values(source, node.value, depth)} - {"*"}
                if any(getattr(target, "id", "") == name.id for target in targets):
                    found |= self.values(source, node.value, depth)
            del self.assumed[key]
            if found:
                return found
            if isinstance(scope, ast.Module):
                continue
            parameters = [argument.arg for argument in scope.args.posonlyargs + scope.args.args]
            keywords = [argument.arg for argument in scope.args.kwonlyargs]
            if name.id in parameters + keywords and depth < DEEPEST:
                return self.passed(scope, parameters, name.id, depth)
        return set()

    def passed(self, function, parameters, name, depth):
        """What callers give for a parameter, and its default."""
        out = set()
        for source, call in self.calls({function.name}):
            given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
            if given is None and name in parameters:
                place = parameters.index(name) - (parameters[:1] == ["self"])
                given = call.args[place] if place < len(call.args) else None
            if given is not None:
                out |= self.values(source, given, depth + 1)
        return out

    def records(self):
        """(type, name, where): name is empty for what is neither an artifact nor a graph_dump."""
        for source, call in self.calls(WRITERS):
            where = f"{source.path}:{call.lineno}"
            kind = called(call)
            function = next(source.enclosing(call, (ast.FunctionDef,)), None)
            if source.path == os.path.join("_logging", "_internal.py") and function and function.name in WRITERS:
                continue  # the writers themselves
            first = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "name"), None)
            types = self.values(source, first) if kind != "trace_structured_artifact" else {"artifact"}
            if not types:
                yield "", "", where
            for written in types:
                if written not in ("artifact", "graph_dump"):
                    yield written, "", where
                    continue
                names = self.values(source, first) if kind == "trace_structured_artifact" else self.metadata(source, call)
                for name in names or {""}:
                    yield written, name, where

    def metadata(self, source, call):
        given = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "metadata_fn"), None)
        for node in ast.walk(given) if given is not None else ():
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values):
                    if isinstance(key, ast.Constant) and key.value == "name":
                        return self.values(source, value)
        if isinstance(given, ast.Name):  # a function that returns the dictionary
            for node in ast.walk(source.tree):
                if isinstance(node, ast.FunctionDef) and node.name == given.id:
                    return self.metadata(source, ast.Call(func=given, args=[given, node], keywords=[]))
        return set()


def table(path):
    """(type, name) of every row."""
    rows = set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 4 and cells[0] in ("type", "artifact", "graph_dump"):
                rows.add((cells[0], cells[1].strip("`")))
    return rows


def main(path, torch=None):
    rows = table(path)
    torch = torch or os.path.dirname(importlib.util.find_spec("torch").origin)
    missing, unnamed, seen = {}, [], 0
    for written, name, where in Torch(torch).records():
        seen += 1
        kind = written if written in ("artifact", "graph_dump") else "type"
        word = name or (written if kind == "type" else "")
        if not word:
            unnamed.append(where)
        elif not any(k == kind and fnmatch.fnmatchcase(word, pattern) for k, pattern in rows):
            missing.setdefault((kind, word), where)
    for (kind, word), where in sorted(missing.items()):
        print(f"{path} lacks {kind} {word}, written by {where}")
    for where in unnamed:
        print(f"{where}: cannot tell the name that is written")
    print(f"{seen} calls, {len(rows)} rows")
    return 1 if missing or unnamed or seen < 100 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
