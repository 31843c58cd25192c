#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether recordings of programs hold what PyTorch's own traces of them hold.

    check_captures.py TRACES RECORDINGS

TRACES has a folder with TORCH_TRACE logs for each program, RECORDINGS one of the same name that `dynascope-cli capture`
made. Every graph break, recompile reason and guard of a trace must be in the recording. Exit status 1 if one is not.
"""

import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import recording


def records(path):
    """(metadata, payload) of a TORCH_TRACE log."""
    metadata, payload = None, []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("\t"):
                payload.append(line[1:])
                continue
            if metadata is not None:
                yield metadata, "".join(payload)
            brace = line.find("{")
            try:
                metadata = json.loads(line[brace:]) if brace >= 0 else None
            except json.JSONDecodeError:
                metadata = None
            payload = []
    if metadata is not None:
        yield metadata, "".join(payload)


def stable(text):
    """Without what differs from run to run and from machine to machine."""
    text = re.sub(r"0x[0-9a-f]+|\b\d{9,}\b|(?<=___)\d+", "*", text)
    text = re.sub(r'"num_threads":\d+|num_threads=\d+|: ?\d+\.\d+ us', "*", text)
    return re.sub(r"[\w./-]*/([\w.-]+\.py)", r"\1", text)


def break_reason(payload):
    """The reason alone, without the stacks around it."""
    found = re.search(r"Graph Break Reason: (.*?)(?:\n\nStack variable source|\n\nUser code traceback|\Z)", payload, re.S)
    return stable(found.group(1)).strip() if found else stable(payload).strip()


def guard_leaves(payload):
    """The checks of a guard tree, without the lines of source that they come from."""
    for line in payload.splitlines():
        _, mark, leaf = line.partition("+- ")
        kind, colon, _ = leaf.partition(": ")
        if mark and colon and not kind.endswith("Manager"):
            yield stable(leaf.split("  #")[0]).strip()


def wanted_of(folder):
    out = {"break": [], "recompile": [], "guard": []}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.log"), recursive=True)):
        for metadata, payload in records(path):
            name = metadata.get("artifact", {}).get("name") if isinstance(metadata.get("artifact"), dict) else None
            if name == "dynamo_graph_break_reason":
                out["break"].append(break_reason(payload))
            elif name == "recompile_reasons":
                reasons = json.loads(payload) if payload.startswith("[") else [payload]
                out["recompile"] += [stable(reason).split("  #")[0].strip() for reason in reasons]
            elif "dynamo_cpp_guards_str" in metadata:
                out["guard"] += guard_leaves(payload)
    return out


def recorded_of(folder):
    breaks, reasons, guards = [], [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.dsteps"))):
        breaks += [stable(record["reason"]).strip() for record in recording.documents(path, "B")]
        for end in recording.documents(path, "E"):
            breaks.append(stable(end.get("exception", {}).get("text", "")).strip())
            guards += [stable(guard) for guard in end.get("guards", ())]
        reasons += [stable(reason) for record in recording.documents(path, "R") for reason in record["reasons"]]
    return breaks, reasons, "\n".join(guards)


def main():
    traces, recordings = sys.argv[1:3]
    missing = total = 0
    for name in sorted(os.listdir(traces)):
        if not os.path.isdir(os.path.join(recordings, name)):
            continue
        wanted = wanted_of(os.path.join(traces, name))
        breaks, reasons, guards = recorded_of(os.path.join(recordings, name))
        lost = []
        for reason in wanted["break"]:
            core = reason.split("Graph break encountered:\n\n")[-1]
            if not any(reason in found or core in found or found and found.splitlines()[0] in reason for found in breaks):
                lost.append(("break", reason.splitlines()[0]))
        lost += [("recompile", reason) for reason in wanted["recompile"] if not any(reason in found for found in reasons)]
        lost += [("guard", leaf) for leaf in wanted["guard"] if leaf not in guards]
        counts = ", ".join(f"{len(found)} {kind}s" for kind, found in wanted.items())
        print(f"{name}: {counts}, {len(lost)} not recorded")
        for kind, what in lost:
            print("   ", kind, what)
        missing += len(lost)
        total += sum(map(len, wanted.values()))
    print(f"{total - missing} of {total} found")
    return 1 if missing or not total else 0


if __name__ == "__main__":
    sys.exit(main())
