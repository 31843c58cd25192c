#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `dynascope-cli info` with tlparse on one trace log, run by run in turn.

    bench_info.py LOG [--cli build/release/bin/dynascope-cli] [--tlparse tlparse] [--runs 9]

Prints medians, their ratio, and the peak memory of each as a multiple of the log's size. Ends with 1 if `info` is less than
5 times faster or takes more than 6 times the log's size. tlparse comes from `pip install tlparse==0.4.3`.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Wall seconds and peak resident bytes of one command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{command[0]} ended with status {status}")
    return seconds, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--cli", default="build/release/bin/dynascope-cli")
    parser.add_argument("--tlparse", default=shutil.which("tlparse") or "tlparse")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()

    size = os.path.getsize(options.log)
    ours, peer = [], []
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        for _ in range(options.runs):
            ours.append(run([options.cli, "info", options.log, "--json"]))
            peer.append(run([options.tlparse, options.log, "-o", out, "--overwrite", "--no-browser"]))

    def line(name, samples):
        seconds = [s for s, _ in samples]
        memory = max(m for _, m in samples)
        median = statistics.median(seconds)
        print(f"{name:20} median {median * 1e3:7.1f} ms  min {min(seconds) * 1e3:7.1f}  max {max(seconds) * 1e3:7.1f}"
              f"  peak {memory / 2**20:6.1f} MiB = {memory / size:.1f} x the log")
        return median, memory

    print(f"{options.log}: {size / 1e6:.1f} MB, {options.runs} runs each")
    our_median, our_memory = line("dynascope-cli info", ours)
    peer_median, _ = line("tlparse", peer)
    ratio = peer_median / our_median
    print(f"info is {ratio:.1f} times faster")
    return 0 if ratio >= 5 and our_memory <= 6 * size else 1


if __name__ == "__main__":
    sys.exit(main())
