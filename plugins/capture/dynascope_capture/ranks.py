# SPDX-License-Identifier: BSD-3-Clause
"""Replays the graphs of a captured rank on the process groups of this PyTorch.

    torchrun --nproc-per-node 2 -m dynascope_capture.ranks REQUEST.json --library dynascope-ranks.so --out FOLDER

`dynascope-cli replay PATH --ranks 2` writes the request and starts this; any launcher that sets torchrun's variables
(RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) will do. Process groups get the names, sizes and members that the capture
had. Each rank writes FOLDER/rank_N.json.
"""

import argparse
import ctypes
import datetime
import json
import os
import sys

import torch.distributed as dist

NEWEST_REQUEST = 1  # rankFilesVersion of core/engine/wire/ranks_document.h; a request without a version is of the first


def make_groups(groups, timeout):
    """Process groups under their captured names; one of all ranks is the default group. The others get names of their
    own first, made of their ranks, since PyTorch's numbers could be captured names of other groups."""
    from torch._C._distributed_c10d import _register_process_group, _resolve_process_group

    world, rank = list(range(dist.get_world_size())), dist.get_rank()
    made = {tuple(world): dist.group.WORLD}
    for group in groups:
        name, ranks = group["name"], tuple(group["ranks"])
        if rank not in ranks:
            continue
        if ranks not in made:
            made[ranks] = dist.new_group(list(ranks), timeout=timeout, use_local_synchronization=True)
        if made[ranks].group_name == name:
            continue
        try:
            _resolve_process_group(name)
        except (RuntimeError, LookupError, ValueError):
            _register_process_group(name, made[ranks])
        else:
            raise SystemExit(f"dynascope_capture.ranks: another process group has the name '{name}'")
    return made


def wait_for_all(size, timeout):
    """Until every rank has written what it found. Whoever leaves closes connections that others still read, and whoever
    leaves with a failure makes torchrun end the others, which then say nothing of where they waited. By the store and
    not by a collective: behind a call that failed no group works any more."""
    store = dist.distributed_c10d._get_default_store()
    try:
        if store.add("dynascope/ended", 1) == size:
            store.set("dynascope/all ended", "")
        store.wait(["dynascope/all ended"], timeout)
    except (RuntimeError, ValueError):  # its owner has left, or a rank hangs outside of any collective
        pass


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m dynascope_capture.ranks", description=__doc__.split("\n", 1)[0])
    parser.add_argument("request", help="what to replay, as `dynascope-cli replay --ranks` writes it")
    parser.add_argument("--library", required=True, help="dynascope-ranks.so of the engine")
    parser.add_argument("--out", required=True, help="a folder for what each rank found")
    parser.add_argument("--backend", help="of the process groups; gloo, and nccl for graphs on GPUs")
    parser.add_argument("--timeout", type=float, default=60, help="seconds that a rank waits in a collective")
    options = parser.parse_args(arguments)

    with open(options.request, encoding="utf-8") as file:
        request = json.load(file)
    if request.get("version", 1) > NEWEST_REQUEST:
        raise SystemExit(f"dynascope_capture.ranks: {options.request}: it was written by a newer version of Dynascope")
    timeout = datetime.timedelta(seconds=options.timeout)
    gpus = request.get("backend") == "cuda"
    local = int(os.environ.get("LOCAL_RANK", 0))
    if gpus:
        import torch

        if local >= torch.cuda.device_count():
            raise SystemExit(f"dynascope_capture.ranks: no GPU for rank {local} of this machine: {torch.cuda.device_count()} here")
        torch.cuda.set_device(local)
    dist.init_process_group(options.backend or ("nccl" if gpus else "gloo"), timeout=timeout)
    rank, size = dist.get_rank(), dist.get_world_size()
    if size != len(request["ranks"]):
        raise SystemExit(f"dynascope_capture.ranks: the request has {len(request['ranks'])} ranks, and {size} were started")
    groups = make_groups(request["groups"], timeout)
    library = ctypes.CDLL(os.path.abspath(options.library))
    reply = os.path.join(options.out, f"rank_{rank}.json")
    status = library.dynascope_rank_run(
        os.fsencode(options.request), ctypes.c_ulong(rank), os.fsencode(reply), ctypes.c_int(local)
    )
    wait_for_all(size, 2 * timeout + datetime.timedelta(seconds=30))  # a busy machine may run one late
    sys.stdout.flush()
    sys.stderr.flush()
    del groups
    os._exit(status)


if __name__ == "__main__":
    main()
