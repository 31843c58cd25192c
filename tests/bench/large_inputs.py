#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes large captures, made of the records and nodes of real ones.

    large_inputs.py trace OUT --bytes 2100000000    a TORCH_TRACE log: whole compiles of tests/data/captures, each copy with
                                                    compile ids, times, payloads and hashes of its own
    large_inputs.py compiles OUT --count 10000      the same with the smallest compiles, up to that many
    large_inputs.py graph OUT --count 200000        one joint graph: that of gpt2_train, copy after copy, each fed by the one before
    large_inputs.py line OUT --bytes 420000000      a log in which one payload is one line of that length
    large_inputs.py header OUT --bytes 420000000    a log with a header of that length
    large_inputs.py stray OUT --bytes 420000000     a log with a line of that length that is no record

The same arguments give the same bytes.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
# Inductor and AOT eager, training and inference, graph breaks and recompiles.
TRACES = ["trace_inductor/graph_breaks", "trace_inductor/train", "trace_aot_eager/gpt2_train", "trace_inductor/recompiles",
          "trace_inductor/encoder", "trace_inductor/gpt2_tiny", "trace_aot_eager/resnet"]
SMALL = ["trace_aot_eager/view_mutation", "trace_inductor/fail", "trace_aot_eager/dynamic_views"]
PROCESS = b"10733"
PREFIX = re.compile(rb"^([VDIWEC]\d{4} [\d:.]+) (\d+) ([^\]]*\] )")
FRAME = re.compile(rb'"frame_id": (\d+)')
HASH = re.compile(rb'"has_payload": "[0-9a-f]{32}"')
EVENT_TIME = re.compile(rb'"ts": ([0-9.]+)')
EVENT_ID = re.compile(rb'"compile_id": "(\d+)/(\d+)"')


def logs(names):
    """The logs of tests/data/captures of these names, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "--zstd", "-xf", DATA / "captures/captures.tar.zst", "-C", folder], check=True)
        return [next((pathlib.Path(folder) / name).glob("*.log")).read_bytes() for name in names]


class Template:
    """A log cut into records, to be written again and again."""

    def __init__(self, log):
        self.records = []  # (before the JSON, JSON, payload lines with their tabs)
        for line in log.splitlines(keepends=True):
            if line.startswith(b"\t"):
                self.records[-1][2].append(line)
                continue
            head = PREFIX.match(line)
            if head:
                before = head.group(1) + b" " + PROCESS + b" " + head.group(3)
                self.records.append((before, line[head.end():], []))
        self.frames = 1 + max((int(n) for record in self.records for n in FRAME.findall(record[1])), default=0)
        times = [float(t) for record in self.records for t in EVENT_TIME.findall(b"".join(record[2]))]
        self.span = max(times) - min(times) + 1000 if times else 0
        self.compiles = len({(FRAME.search(j).group(1), re.search(rb'"frame_compile_id": (\d+)', j).group(1))
                             for _, j, _ in self.records if b'"frame_compile_id"' in j})

    def write(self, out, copy, frame, time):
        """Frames count from `frame` and times are `time` us later; `copy` is what tells payloads apart."""
        for before, header, payload in self.records:
            header = FRAME.sub(lambda m: b'"frame_id": %d' % (int(m.group(1)) + frame), header)
            if payload:
                text = b"".join(payload)
                if b'"chromium_event"' in header:
                    text = EVENT_TIME.sub(lambda m: b'"ts": %.1f' % (float(m.group(1)) + time), text)
                    text = EVENT_ID.sub(lambda m: b'"compile_id": "%d/%s"' % (int(m.group(1)) + frame, m.group(2)), text)
                elif b"_graph" in header or b"inductor_output_code" in header:
                    text = text.rstrip(b"\n") + b"\n\t# copy %d\n" % copy
                elif b"_cache_" in header:
                    text = text.replace(b'"key": "', b'"key": "%d' % copy, 1)
                logged = text.rstrip(b"\n").replace(b"\n\t", b"\n")[1:]
                header = HASH.sub(b'"has_payload": "%s"' % hashlib.md5(logged).hexdigest().encode(), header)
                out.write(before + header + text)
            else:
                out.write(before + header)


def copies(out, templates, enough):
    """Copies until `enough(bytes, compiles)`; says how many compiles there are."""
    copy = frame = compiles = 0
    time = 0.0
    while not enough(out.tell(), compiles):
        template = templates[copy % len(templates)]
        template.write(out, copy, frame, time)
        copy += 1
        frame += template.frames
        time += template.span
        compiles += template.compiles
    return compiles


def write_graph(out, count):
    lines = (DATA / "graphs/gpt2_train.aot_joint.txt").read_text().splitlines()
    node = re.compile(r'^\s+(\w+): "[^"]*"')
    names = {m.group(1) for m in map(node.match, lines) if m}
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("primals_1:"))
    body = next(i for i, line in enumerate(lines) if "tree_flatten_spec" in line) + 1
    end = next(i for i, line in enumerate(lines) if line.lstrip().startswith("return "))
    inputs, nodes = lines[first:body - 1], lines[body:end]
    per_copy = sum(1 for line in inputs + nodes if node.match(line))
    word = re.compile(r"\b(" + "|".join(sorted(names, key=len, reverse=True)) + r")\b")
    # What the forward half computes last that is a float goes into the next copy in place of its position embedding's weight.
    weights = [re.match(r"\s+(\w+)", line).group(1) for line in inputs]
    carried = "embedding_1"
    last = [m.group(1) for m in map(node.match, nodes) if m and '"f32[1, 32, 64]' in m.group(0)][-1]
    number = -(-count // per_copy)
    out.write("class inner_f(torch.nn.Module):\n    def forward(\n        self,\n        primals,\n        tangents,\n    ):\n")

    def renamed(line, copy):
        comment = line.find("#")
        if line.lstrip().startswith("#"):
            # Each layer has lines of its own, as unrolled or generated code has.
            return re.sub(r"\.py:(\d+) in", lambda m: f".py:{int(m.group(1)) + 1000 * copy} in", line)
        code, rest = (line[:comment], line[comment:]) if comment >= 0 else (line, "")
        return word.sub(lambda m: f"{m.group(1)}_c{copy}", code) + rest

    for copy in range(number):
        for line in inputs:
            out.write(renamed(line, copy) + "\n")
    flat = ", ".join(f"{name}_c{copy}" for copy in range(number) for name in weights)
    out.write(f"        {flat}, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n")
    for copy in range(number):
        for line in nodes:
            text = renamed(line, copy)
            at = node.match(line)
            if copy > 0 and at and at.group(1) != carried:
                text = re.sub(rf"\b{carried}_c{copy}\b(?!:)", f"{last}_c{copy - 1}", text)
            out.write(text + "\n")
    out.write(f"        return ({last}_c{number - 1},)\n")
    return number * per_copy


def write_long(out, kind, size):
    template = Template(logs(["trace_aot_eager/view_mutation"])[0])
    template.write(out, 0, 0, 0.0)
    head = b"V1121 02:07:57.012000 10733 torch/_inductor/codecache.py:1] "
    piece = b'{"name": "buf0", "size": [2, 16, 64], "stride": [1024, 64, 1]}, '
    text = b'{"key": "f0", "lines": [' + piece * (size // len(piece)) + b"0]}"
    if kind == "line":
        header = {"artifact": {"name": "fx_graph_cache_miss", "encoding": "json"}, "frame_id": 0, "frame_compile_id": 0,
                  "attempt": 0, "has_payload": hashlib.md5(text).hexdigest()}
        out.write(head + json.dumps(header).encode() + b"\n\t" + text + b"\n")
    elif kind == "header":
        out.write(head + b'{"guard_added_fast": ' + text + b', "frame_id": 0, "frame_compile_id": 0, "attempt": 0}\n')
    else:
        out.write(text + b"\n")
    template.write(out, 1, template.frames, template.span)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["trace", "compiles", "graph", "line", "header", "stray"])
    parser.add_argument("out")
    parser.add_argument("--bytes", type=int)
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    if options.kind == "graph":
        with open(options.out, "w", encoding="utf-8") as out:
            print(f"{options.out}: at least {write_graph(out, options.count or 200_000)} nodes")
        return
    with open(options.out, "wb", buffering=1 << 20) as out:
        if options.kind == "trace":
            size = options.bytes or 2_100_000_000
            n = copies(out, [Template(log) for log in logs(TRACES)], lambda written, _: written >= size)
            print(f"{options.out}: {out.tell()} bytes, {n} compiles")
        elif options.kind == "compiles":
            count = options.count or 10_000
            n = copies(out, [Template(log) for log in logs(SMALL)], lambda _, compiles: compiles >= count)
            print(f"{options.out}: {out.tell()} bytes, {n} compiles")
        else:
            write_long(out, options.kind, options.bytes or 420_000_000)
            print(f"{options.out}: {out.tell()} bytes")


if __name__ == "__main__":
    sys.exit(main())
