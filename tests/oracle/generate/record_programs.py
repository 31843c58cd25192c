#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of the oracle's kind `dynamo_program`, for tests that have no Python.

    record_programs.py recordings.tar.xz
    record_programs.py FOLDER             for dynascope-cli oracle --recordings FOLDER
    record_programs.py TARGET CASES       of the cases in this folder in place of those of oracle.tar.xz

Blocks are stored unpacked, so that xz finds what the recordings have in common; paths and process ids are taken out.
"""

import io
import json
import os
import sys
import sysconfig
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "capture"))

import recording  # noqa: E402
import test_recorder  # noqa: E402
from dynascope_capture.stream import MAGIC, VERSION, number  # noqa: E402
import zlib  # noqa: E402


def neutral(tag, payload, folder):
    """A payload without what is only so on this machine."""
    for path in (folder, sysconfig.get_paths()["purelib"], sysconfig.get_paths()["stdlib"]):
        payload = payload.replace((path + os.sep).encode(), b"")
    payload = payload.replace((os.path.basename(folder) + os.sep).encode(), b"")  # as PyTorch shortens it
    if tag in "HA":
        document = json.loads(payload)
        document.update({"pid": 1, "arguments": ["program.py"], "started": 0} if tag == "H" else {"thread": 1})
        payload = json.dumps(document, separators=(",", ":")).encode()
    return payload


def rewritten(path, folder):
    """The recording with neutral records, in one block that is stored rather than packed."""
    raw = bytearray()
    for tag, payload in recording.records(path):
        payload = neutral(tag, payload, folder)
        raw.append(ord(tag))
        number(raw, len(payload))
        raw += payload
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(raw)) + packer.flush()
    words = (len(packed), len(raw), zlib.crc32(raw))
    return MAGIC + VERSION.to_bytes(4, "little") + b"BLCK" + b"".join(n.to_bytes(4, "little") for n in words) + packed


def programs_in(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            case = json.load(file)
        if case["kind"] == "dynamo_program":
            yield case


def main():
    target = sys.argv[1]
    cases = programs_in(sys.argv[2]) if len(sys.argv) > 2 else test_recorder.oracle_programs()
    with tempfile.TemporaryDirectory() as folder:
        recordings = []
        for case in cases:
            name = case["name"] + ".dsteps"
            test_recorder.observe(case, folder, os.path.join(folder, name))
            recordings.append((name, rewritten(os.path.join(folder, name), folder)))
    if not target.endswith(".tar.xz"):
        os.makedirs(target, exist_ok=True)
        for name, data in recordings:
            with open(os.path.join(target, name), "wb") as file:
                file.write(data)
        return
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for name, data in recordings:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main()
