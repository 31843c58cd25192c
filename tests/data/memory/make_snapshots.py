"""Writes snapshots.tar.xz: pickles in the structure of torch.cuda.memory._dump_snapshot. They are synthetic: no GPU was at hand."""
import io, pickle, tarfile

KiB = 1024
TORCH = [{"filename": "??", "line": 0, "name": "torch::autograd::THPVariable_zeros(_object*)"},
         {"filename": "/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py", "line": 2000, "name": "linear"}]


def stack(*user):
    return TORCH + [{"filename": "/home/user/train.py", "line": line, "name": name} for line, name in user]


WEIGHTS = stack((12, "__init__"), (90, "<module>"))
HIDDEN = stack((20, "forward"), (41, "step"), (91, "<module>"))
LOSS = stack((44, "step"), (91, "<module>"))


def block(address, size, requested, state, frames):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames}


def event(action, addr, size, time_us, frames, stream=0):
    return {"action": action, "addr": addr, "size": size, "stream": stream, "time_us": time_us, "frames": frames}


def training():
    base = 0x7F0000000000
    small, large = base, base + 0x2000000
    segments = [
        {"device": 0, "address": small, "total_size": 2048 * KiB, "stream": 0, "segment_type": "small", "allocated_size": 3 * KiB,
         "active_size": 4 * KiB, "requested_size": 2900, "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
         "blocks": [block(small, 2 * KiB, 2000, "active_allocated", WEIGHTS), block(small + 2 * KiB, KiB, 900, "active_allocated", LOSS),
                    block(small + 3 * KiB, KiB, KiB, "active_pending_free", HIDDEN),
                    block(small + 4 * KiB, 2044 * KiB, 0, "inactive", [])]},
        {"device": 0, "address": large, "total_size": 20480 * KiB, "stream": 0, "segment_type": "large", "allocated_size": 8192 * KiB,
         "active_size": 8192 * KiB, "requested_size": 8192 * KiB, "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
         "blocks": [block(large, 8192 * KiB, 8192 * KiB, "active_allocated", WEIGHTS),
                    block(large + 8192 * KiB, 12288 * KiB, 0, "inactive", [])]},
        {"device": 1, "address": base + 0x8000000, "total_size": 2048 * KiB, "stream": 7, "segment_type": "small", "allocated_size": 512,
         "active_size": 512, "requested_size": 512, "segment_pool_id": (0, 0), "is_expandable": True, "frames": [],
         "blocks": [block(base + 0x8000000, 512, 512, "active_allocated", [])]},
    ]
    hidden = large + 8192 * KiB
    trace = [event("segment_alloc", small, 2048 * KiB, 1000, WEIGHTS), event("alloc", small, 2 * KiB, 1001, WEIGHTS),
             event("alloc", hidden, 4096 * KiB, 1010, HIDDEN),
             event("alloc", hidden + 4096 * KiB, 4096 * KiB, 1020, HIDDEN), event("alloc", small + 2 * KiB, KiB, 1030, LOSS),
             event("free_requested", hidden, 4096 * KiB, 1040, LOSS), event("free_completed", hidden, 4096 * KiB, 1041, LOSS),
             event("free_requested", small + 3 * KiB, KiB, 1045, LOSS),
             event("free_requested", hidden + 4096 * KiB, 4096 * KiB, 1050, LOSS),
             event("free_completed", hidden + 4096 * KiB, 4096 * KiB, 1051, LOSS),
             {"action": "oom", "device_free": 12345, "size": 1 << 40, "stream": 0, "time_us": 1060, "frames": HIDDEN},
             event("snapshot", 0, 0, 1070, [])]
    return {"segments": segments, "device_traces": [trace, []], "external_annotations": [],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
                                   "expandable_segments": False}}


def old():
    """As PyTorch 2.0 wrote it: blocks with a history, without addresses."""
    return [{"device": 0, "address": 4096, "total_size": 2048, "stream": 0, "segment_type": "small", "allocated_size": 512, "active_size": 512,
             "blocks": [{"size": 512, "state": "active_allocated", "history": [{"addr": 4096, "real_size": 500, "frames": LOSS}]},
                        {"size": 1024, "state": "active_allocated", "history": [{"addr": 4608, "real_size": 1000, "frames": LOSS}]},
                        {"size": 512, "state": "inactive"}]}]


class Call:
    def __reduce__(self):
        return (print, ("called",))


class State:
    pass


def main():
    files = {f"training.{protocol}.pickle": pickle.dumps(training(), protocol) for protocol in range(6)}
    files["old.pickle"] = pickle.dumps(old(), 2)
    files["values.pickle"] = pickle.dumps([0, 1, -1, 255, 256, 65535, 65536, -2**31, 2**31, 2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, 1.5, True, None,
                                           "é☃\U0001f600\n", (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), {"a": [1]}], 4)
    files["values.0.pickle"] = pickle.dumps([0, -7, 2**40, 2**80, 1.5, True, False, None, "é☃\U0001f600\\n\n", (1,), {"a": [1]}], 0)
    cycle = []
    cycle.append(cycle)
    files["cycle.pickle"] = pickle.dumps({"segments": cycle, "device_traces": cycle})
    for protocol in (0, 2, 4):
        files[f"call.{protocol}.pickle"] = pickle.dumps({"segments": [Call()]}, protocol)
        files[f"object.{protocol}.pickle"] = pickle.dumps(State(), protocol)
    with tarfile.open("snapshots.tar.xz", "w:xz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


main()
