#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""many_ranks.py FOLDER [--ranks N] [--from LOGS]

Makes the folder of a run of N ranks (1,024) of the logs of a few: each log is written as many ranks may have written it, with
that rank's number in its records, device and file name. Of tests/data/ranks/moe by default, whose two ranks are alike.
The last rank's log comes of a run in which a rank calls other collectives (tests/data/ranks/diverge has one) where --odd is given.
"""
import argparse
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def as_rank(text, was, rank):
    text = text.replace(f'"rank": {was}', f'"rank": {rank}').replace(f"[rank{was}]:", f"[rank{rank}]:")
    return re.sub(rf"\bcuda:{was}\b", f"cuda:{rank}", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--from", dest="logs", type=Path, default=ROOT / "tests/data/ranks/moe")
    parser.add_argument("--odd", type=Path, help="the log that the last rank has")
    parsed = parser.parse_args()
    parsed.folder.mkdir(parents=True, exist_ok=True)
    logs = []
    for path in sorted(parsed.logs.glob("*.log")):
        logs.append((int(re.search(r"rank_(\d+)", path.name)[1]), path.read_text()))
    total = 0
    for rank in range(parsed.ranks):
        was, text = logs[rank % len(logs)]
        if parsed.odd and rank == parsed.ranks - 1:
            was, text = int(re.search(r"rank_(\d+)", parsed.odd.name)[1]), parsed.odd.read_text()
        total += (parsed.folder / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_text(as_rank(text, was, rank))
    print(f"{parsed.ranks} ranks, {total / 1e6:.0f} MB in {parsed.folder}")


if __name__ == "__main__":
    main()
