#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/bench/bench_start.sh [BUILD_DIR]
#
# Warm start of the window to its first paint, in milliseconds since the process was started: one run to warm the
# caches, then five, of which the median is compared with the target. Offscreen unless QT_QPA_PLATFORM says otherwise.
set -euo pipefail
build=${1:-$(dirname "${BASH_SOURCE[0]}")/../../build/release}
program=$build/bin/dynascope
[[ -x $program ]] || { echo "no $program: cmake --build --preset release" >&2; exit 2; }
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
config=$(mktemp -d)
trap 'rm -rf "$config"' EXIT
export XDG_CONFIG_HOME=$config
run() { "$program" --bench-start 2>/dev/null; }
run >/dev/null
times=()
for _ in 1 2 3 4 5; do times+=("$(run)"); done
median=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)
echo "start to first paint: ${times[*]} ms, median $median ms (target 500)"
((median < 500))
