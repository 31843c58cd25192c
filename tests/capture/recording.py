# SPDX-License-Identifier: BSD-3-Clause
"""A second, minimal reader of recordings, for the tests of the recorder. docs/recording-format.md is its source."""

import json
import os
import zlib


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def split(raw):
    at = 0
    while at < len(raw) and raw[at]:
        tag = chr(raw[at])
        size, at = number(raw, at + 1)
        yield tag, bytes(raw[at : at + size])
        at += size


def records(path, magic=b"\x89DYNSTEP"):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == magic and int.from_bytes(data[8:12], "little") == 1
    at, blocks = 12, 0
    while at + 16 <= len(data):
        assert data[at : at + 4] == b"BLCK"
        packed, size, check = (int.from_bytes(data[at + i : at + i + 4], "little") for i in (4, 8, 12))
        if at + 16 + packed > len(data):
            break
        raw = zlib.decompress(data[at + 16 : at + 16 + packed], -15)
        assert len(raw) == size and zlib.crc32(raw) == check
        yield from split(raw)
        at, blocks = at + 16 + packed, blocks + 1
    if os.path.exists(path + ".tail"):
        with open(path + ".tail", "rb") as file:
            tail = file.read()
        assert tail[:8] == b"\x89DYNTAIL"
        if int.from_bytes(tail[8:12], "little") == blocks:
            yield from split(tail[12:])


def documents(path, tag):
    """The JSON payloads of one kind of record."""
    return [json.loads(payload) for kind, payload in records(path) if kind == tag]


def count(path, tag):
    return sum(kind == tag for kind, _ in records(path))


def texts(path, tag):
    """The payloads of records that are numbers of strings."""
    strings, out = {0: ""}, []
    for kind, payload in records(path):
        if kind == "s":
            identity, at = number(payload, 0)
            strings[identity] = payload[at:].decode()
        elif kind == tag:
            at, row = 0, []
            while at < len(payload):
                identity, at = number(payload, at)
                row.append(strings[identity])
            out.append(row)
    return out


def values(path):
    """Kind and fields of every value record, those that are values themselves left out."""
    strings, out = {0: ""}, []
    for tag, payload in records(path):
        if tag == "s":
            identity, at = number(payload, 0)
            strings[identity] = payload[at:].decode()
        elif tag == "v":
            _, at = number(payload, 0)
            kind, at = number(payload, at)
            row = {}
            while at < len(payload):
                key, at = number(payload, at)
                entry, at = number(payload, at)
                if key & 3 == 0:
                    row[strings[key >> 2]] = strings[entry]
                elif key & 3 == 1:
                    row[strings[key >> 2]] = entry
                for _ in range(entry if key & 3 == 3 else 0):
                    _, at = number(payload, at)
            out.append((strings[kind], row))
    return out


def instructions(path):
    """(function, opname) of every step."""
    strings, codes, frames, out, frame = {}, {}, {}, [], None
    index = {}
    for tag, payload in records(path):
        if tag == "c":
            code = json.loads(payload)
            codes[code["id"]] = code
        elif tag == "A":
            frames, index, frame = {}, {}, None
        elif tag == "f":
            identity, at = number(payload, 0)
            _, at = number(payload, at)
            frames[identity], _ = number(payload, at)
            index[identity] = -1
        elif tag == "i":
            flags, at = payload[0], 1
            if flags & 1:
                frame, at = number(payload, at)
            index[frame] = number(payload, at)[0] if flags & 2 else index[frame] + 1
            code = codes[frames[frame]]
            out.append((code["name"], code["instructions"]["op"][index[frame]]))
    return out
