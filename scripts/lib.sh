# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What ./run, ./test and the other scripts share. Sourced, never run.

torch_version=2.13.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs

say() { printf '%s\n' "-- $*"; }
warn() { printf '%s\n' "warning: $*" >&2; }
die() {
    printf '%s\n' "error: $*" >&2
    exit 1
}

# The comment that opens the script is its help.
usage() { awk 'NR > 2 { if (/^#/) { sub(/^# ?/, ""); print } else exit }' "$1"; }

# Runs a command with its output in build/logs/NAME.log; a failure shows the end of it.
quietly() {
    local name=$1
    shift
    mkdir -p "$logs"
    if ! "$@" >"$logs/$name.log" 2>&1; then
        tail -n 40 "$logs/$name.log" >&2
        printf '%s\n' "error: '$*' failed; the whole log is build/logs/$name.log" >&2
        return 1
    fi
}

# Names of the packages in the given sections of packages.txt.
packages_of() {
    local section
    for section; do
        awk -v want="[$section]" '/^\[/ { on = ($0 == want); next } on && NF && !/^#/ { print $1 }' "$root/packages.txt"
    done
}

# Those of the given packages that are not installed.
missing_packages() {
    local package
    for package; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || printf '%s\n' "$package"
    done
}

# Installs what the given sections list and the machine lacks. Touches apt only when something is missing.
ensure_packages() {
    command -v dpkg-query >/dev/null || die "this script installs Debian packages; elsewhere install what packages.txt lists and use the CMake presets"
    local listed missing
    mapfile -t listed < <(packages_of "$@")
    mapfile -t missing < <(missing_packages "${listed[@]}")
    ((${#missing[@]})) || return 0

    local as_root=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || die "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    quietly apt-update "${as_root[@]}" apt-get update
    quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}

# The file that pip writes last; empty while PyTorch is not there.
venv_record() {
    local found=("$root"/.venv/lib/python3*/site-packages/torch-"$torch_version"[.+-]*dist-info/RECORD)
    [[ ! -f ${found[0]} ]] || printf '%s\n' "${found[0]}"
}
venv_ready() { [[ -n $(venv_record) ]]; }

make_venv() {
    [[ -x $root/.venv/bin/pip ]] || python3 -m venv "$root/.venv"
    "$root/.venv/bin/pip" install --disable-pip-version-check --no-input "torch==$torch_version"
    # CUDA's headers (16 MB), where no toolkit has them: without them the CUDA plugin is left out.
    compgen -G '/usr/local/cuda*/include/cuda.h' >/dev/null ||
        "$root/.venv/bin/pip" install --disable-pip-version-check --no-input \
            'nvidia-cuda-runtime==13.*' 'nvidia-cuda-crt==13.*' 'nvidia-cuda-cupti==13.*' || true
}

# Starts the making of .venv beside the build; finish_venv waits for it. Nothing but the engine needs it, so
# that a failure is a warning.
venv_job=
start_venv() {
    venv_ready && return 0
    say "Making .venv with PyTorch $torch_version in the background"
    mkdir -p "$logs"
    (make_venv) >"$logs/venv.log" 2>&1 </dev/null &
    venv_job=$!
}
finish_venv() {
    [[ -n $venv_job ]] || return 0
    if kill -0 "$venv_job" 2>/dev/null; then say "Waiting for .venv (build/logs/venv.log)"; fi
    if ! wait "$venv_job" || ! venv_ready; then
        warn "PyTorch $torch_version could not be installed into .venv; only the engine needs it, everything else works. See build/logs/venv.log"
    fi
    venv_job=
}

# build PRESET [TARGET...]: configures, because a preset may have changed or PyTorch may have come, and builds. A new
# build folder compiles in batches, which takes less time; a folder that was configured by hand stays as it is.
build() {
    local preset=$1
    shift
    local begin=$SECONDS options=()
    [[ -f $root/build/$preset/CMakeCache.txt ]] || options=(-DDYNASCOPE_BATCHES=ON)
    quietly "configure-$preset" cmake -S "$root" --preset "$preset" "${options[@]}"
    quietly "build-$preset" cmake --build "$root/build/$preset" ${1:+--target "$@"}
    say "Built preset $preset in $((SECONDS - begin)) s"
}
