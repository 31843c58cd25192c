# SPDX-License-Identifier: BSD-3-Clause
"""Records of a recording of passes. The values are the format: never change one. docs/pass-recording-format.md describes them."""

MAGIC = b"\x89DYNPASS"

MISSING = ord("h")
COMPILE = ord("C")
OPTIONS = ord("O")
GRAPH = ord("G")
GRAPH_END = ord("E")
STATE = ord("T")
STAGE = ord("N")
PASS_BEGIN = ord("p")
PASS = ord("P")
PATTERN = ord("m")
MATCH = ord("M")
DECOMPOSITIONS = ord("D")
LOWERED = ord("L")
REALIZED = ord("R")
NODES = ord("S")
ROUND = ord("r")
ASKED = ord("Q")
FUSED = ord("F")
REASON = ord("W")
SCHEDULE = ord("o")
KERNEL = ord("K")
TUNED = ord("A")
LINES = ord("w")
OUTPUT = ord("c")
