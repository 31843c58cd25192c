# SPDX-License-Identifier: BSD-3-Clause
"""bench_profile.py BENCH_PROFILE PROFILE.json.gz [--megabytes N]: a profile written so many times over, read and joined
by bench_profile, and in the same run by HTA (pip install HolisticTraceAnalysis) where Python has it. The trace in the
profile's folder is what it is joined to."""

import argparse
import gzip
import json
import os
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("bench")
parser.add_argument("profile")
parser.add_argument("--megabytes", type=int, default=200)
options = parser.parse_args()

document = json.load(gzip.open(options.profile))
events = document.pop("traceEvents")
timed = [e["ts"] for e in events if "ts" in e]
length = max(timed) - min(timed) + 1000

with tempfile.TemporaryDirectory() as folder:
    path = folder + "/profile.json"
    with open(path, "w") as f:
        f.write(json.dumps(document)[:-1] + ', "traceEvents": [\n')
        times = 0
        while f.tell() < options.megabytes * 1e6:
            for e in events:
                moved = dict(e)
                if "ts" in moved and moved.get("ph") != "M":
                    moved["ts"] = round(moved["ts"] + times * length, 3)
                f.write((",\n" if f.tell() > 1 and (times or e is not events[0]) else "") + json.dumps(moved))
            times += 1
        f.write("\n]}\n")
    size = os.path.getsize(path) / 1e6
    trace = next((f for f in os.listdir(os.path.dirname(options.profile)) if ".log" in f), None)
    capture = [os.path.join(os.path.dirname(options.profile), trace)] if trace else []
    print(subprocess.run([options.bench, path, *capture], capture_output=True, text=True).stdout, end="")
    try:
        from hta.common.trace_parser import parse_trace_dataframe
        from hta.configs.parser_config import ParserConfig
    except ImportError:
        raise SystemExit("HTA is not here")
    start = time.perf_counter()
    parse_trace_dataframe(path, ParserConfig.get_default_cfg())
    seconds = time.perf_counter() - start
    print(f"HTA: parsed in {seconds:.2f} s ({size / seconds:.1f} MB/s); it joins nothing")
