# SPDX-License-Identifier: BSD-3-Clause
"""A second, minimal reader of recordings of passes, for their tests. docs/pass-recording-format.md is its source."""

import collections
import glob
import json
import os

import recording

TAGS = {"H": "header", "h": "missing", "C": "compile", "O": "options", "G": "graph", "E": "graph_end", "T": "state", "N": "stage",
        "p": "pass_begin", "P": "pass", "m": "pattern", "M": "match", "D": "decompositions", "!": "fault", "L": "lowered",
        "R": "realized", "S": "nodes", "r": "round", "Q": "asked", "F": "fused", "W": "reason", "o": "schedule", "K": "kernel",
        "A": "tuned", "w": "lines", "c": "output"}


class Recording:
    """All records by kind, in order, and the texts of states."""

    def __init__(self, path):
        self.all = [(TAGS.get(tag, tag), json.loads(payload)) for tag, payload in recording.records(path, b"\x89DYNPASS")]
        self._lines = {}
        for state in self.of("state"):
            self._lines[state["id"]] = rebuild(self._lines.get(state["base"]), state["text"])

    def of(self, kind):
        return [record for name, record in self.all if name == kind]

    def text(self, state):
        return "\n".join(self._lines[state])

    def stage_text(self, stage):
        lines = self._lines[stage["state"]]
        return "\n".join(rebuild(lines, stage["text"]) if "text" in stage else lines)

    def passes(self):
        """The two records of each pass as one."""
        ends = {record["index"]: record for record in self.of("pass")}
        return [{**record, **ends.get(record["index"], {})} for record in self.of("pass_begin")]

    def refusals(self):
        """What the scheduler said of pairs that it did not fuse, as TORCH_LOGS=fusion words it, counted."""
        reasons = {record["id"]: record["text"] for record in self.of("reason")}
        names = {(node["schedule"], node["id"]): node["name"] for node in self.of("nodes")}
        rows, out = {}, collections.Counter()
        for record in self.of("asked"):
            known = rows.setdefault(record["schedule"], [None])
            known += record["rows"]
            for first, last, count in record["counts"]:
                for row in known[first : last + 1]:
                    a, b = (names.get((record["schedule"], node), node) for node in row[:2])
                    for reason in row[4]:
                        out[f"cannot fuse {a} with {b}: {reasons[reason]}"] += count
        return out

    def nodes(self, state):
        """id -> name of the nodes in a state, made from the changes of its module."""
        records = {record["id"]: record for record in self.of("state")}
        wanted = records[state]
        nodes = {}
        for record in self.of("state"):
            if record["module"] != wanted["module"] or record["id"] > state:
                continue
            if "nodes" in record:
                nodes = dict(map(tuple, record["nodes"]))
            for identity, _ in record.get("erased", ()):
                del nodes[identity]
            for identity, name in record.get("created", ()):
                nodes[identity] = name
            for identity, _, name in record.get("renamed", ()):
                nodes[identity] = name
        return nodes


def rebuild(before, operations):
    out = []
    for operation in operations:
        if isinstance(operation, str):
            out.append(operation)
        else:
            first, count = operation
            out += before[first : first + count]
    return out


def folder(path):
    """The recordings in a folder."""
    return [Recording(found) for found in sorted(glob.glob(os.path.join(path, "*.dpasses")))]


def compare_with_trace(recordings, traced):
    """(how many of the trace's stages are recorded text for text, how many there are, those that are not)."""
    known = {}
    for found in recordings:
        for stage in found.of("stage"):
            known.setdefault(stage["stage"], set()).add(found.stage_text(stage))
    good = total = 0
    lost = []
    for name, text in traced:
        total += 1
        if text.partition("\n\n # graph id:")[0].rstrip("\n") in {entry.rstrip("\n") for entry in known.get(name, ())}:
            good += 1
        else:
            lost.append((name, text))
    return good, total, lost


STAGES = ("dynamo_output_graph", "before_pre_grad_graph", "after_pre_grad_graph", "aot_joint_graph", "aot_forward_graph", "aot_backward_graph",
          "aot_inference_graph", "before_joint_graph", "after_joint_graph", "before_post_grad_graph", "inductor_post_grad_graph",
          "after_post_grad_graph")


def stages_of(trace_records):
    """(stage, text) of what a trace prints of graphs."""
    for metadata, payload in trace_records:
        artifact = metadata.get("artifact")
        name = artifact.get("name") if isinstance(artifact, dict) else next((stage for stage in STAGES if stage in metadata), None)
        if name in STAGES:
            yield name, payload.rstrip("\n")


if __name__ == "__main__":
    import sys

    for path in sys.argv[1:]:
        found = Recording(path)
        for entry in found.passes():
            print(f"{entry['index']:4} G{entry['graph']:<3} {'  ' if entry['parent'] else ''}{entry['name']:<36} {entry['kind']:<9}"
                  f"{entry.get('time_us', -1):>9} us {entry.get('nodes_before', 0):>4} -> {entry.get('nodes_after', 0):<4}"
                  f"{'CHANGED ' if entry.get('changed') else ''}{entry.get('matched', '')} {entry.get('skipped', '')}")
        for kind in dict.fromkeys(name for name, _ in found.all):
            print(kind, len(found.of(kind)), sum(len(json.dumps(record)) for record in found.of(kind)))
        print([stage["stage"] for stage in found.of("stage")])
        print(found.of("fault"), found.of("header"))
