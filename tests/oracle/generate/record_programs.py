#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of the oracle's kind `dynamo_program`, for tests that have no Python.

    record_programs.py recordings.tar.xz

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


def main():
    with tempfile.TemporaryDirectory() as folder, tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
        for case in test_recorder.oracle_programs():
            path = os.path.join(folder, case["name"] + ".dsteps")
            test_recorder.observe(case, folder, path)
            data = rewritten(path, folder)
            member = tarfile.TarInfo(case["name"] + ".dsteps")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main()
