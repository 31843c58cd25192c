# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What ./run, ./test and the other scripts share. Sourced, never run.

torch_version=2.13.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs
# shellcheck source=scripts/progress.sh
source "$root/scripts/progress.sh"

say() { printf '%s\n' "-- $*"; }
warn() { printf '%s\n' "warning: $*" >&2; }
die() {
    printf '%s\n' "error: $*" >&2
    exit 1
}

# The comment that opens the script is its help.
usage() { awk 'NR > 2 { if (/^#/) { sub(/^# ?/, ""); print } else exit }' "$1"; }

# with_progress KIND NAME LABEL COMMAND...: runs a command with its output in build/logs/NAME.log and shows how far it
# is; a failure shows the end of the log.
with_progress() {
    local kind=$1 name=$2 label=$3
    shift 3
    mkdir -p "$logs"
    "$@" 2>&1 | show_progress "$kind" "$label" "$logs/$name.log" || {
        # The lines that say how far it was are no part of what went wrong.
        grep -vE '^(dl|pm)status:' "$logs/$name.log" | tail -n 40 >&2 || true
        printf '%s\n' "error: '$*' failed; the whole log is build/logs/$name.log" >&2
        return 1
    }
}

# Runs a command that cannot say how far it is.
quietly() {
    local name=$1
    shift
    with_progress none "$name" "${step_label:-$name}" "$@"
}

# Ctrl-C reaches the step in front by itself; what runs beside it is stopped here.
on_interrupt() {
    ! on_terminal || clear_bar
    stop_venv
    trap - EXIT
    printf '%s\n' "Stopped. What is done stays: ${0##*/} started again goes on from here." >&2
    exit 130
}
stop_venv() {
    [[ -n ${venv_job:-} ]] || return 0
    kill -- "-$venv_job" 2>/dev/null || true
    wait "$venv_job" 2>/dev/null || true
    venv_job=
}
# For scripts whose second start goes on where the first was.
stop_cleanly() {
    trap on_interrupt INT
    trap stop_venv EXIT
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
        case $system in
        fedora) rpm -q --whatprovides "$package" >/dev/null 2>&1 ;;
        arch) pacman -T "$package" >/dev/null 2>&1 ;;
        *) [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] ;;
        esac || printf '%s\n' "$package"
    done
}

# Sets `system` to whose packages this machine has (debian, fedora, arch, or nothing that is known) and `system_name`.
system='' system_name=''
os_release=/etc/os-release
find_system() {
    local id='' like='' codename=''
    if [[ -r $os_release ]]; then
        # shellcheck source=/dev/null
        IFS='|' read -r id like codename system_name < <(source "$os_release" && printf '%s\n' "${ID:-}|${ID_LIKE:-}|${VERSION_CODENAME:-}|${PRETTY_NAME:-}")
    fi
    case " $id $like " in
    *" debian "* | *" ubuntu "*) system=debian ;;
    *" fedora "*) system=fedora ;;
    *" arch "*) system=arch ;;
    *) ! command -v dpkg-query >/dev/null || system=debian ;;
    esac
    [[ $codename == bookworm || $codename == trixie ]] || warn "${system_name:-this system} is not Debian 12 or 13, on which Dynascope is tried"
}

# What one can do in place of building.
take_the_wheel="Or take the wheel, which brings all that it needs (README.md, Install): pip install --find-links FOLDER dynascope"

# Sets `missing` to those of the given sections that are not installed. Packages are installed on Debian and what is made of it;
# elsewhere it ends with their names, and goes on once they are there.
find_missing() {
    local listed
    find_system
    case $system in
    debian) mapfile -t listed < <(packages_of "$@") ;;
    fedora | arch) mapfile -t listed < <(packages_of "$system") ;;
    *) die "${system_name:-this system} is none whose packages this script knows. It needs what packages.txt lists below [build]; then: cmake --preset release && cmake --build build/release. $take_the_wheel" ;;
    esac
    mapfile -t missing < <(missing_packages "${listed[@]}")
    [[ $system != debian ]] && ((${#missing[@]})) || return 0
    case $system in
    fedora) die "these packages are missing: dnf install ${missing[*]}. $take_the_wheel" ;;
    arch) die "these packages are missing: pacman -S ${missing[*]}. $take_the_wheel" ;;
    esac
}

# Installs what is missing. Touches apt only when something is.
ensure_packages() {
    ((${#missing[@]})) || return 0

    local as_root=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || die "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
        as_root=(sudo)
        sudo -v || die "these packages are missing, and installing them needs root: ${missing[*]}" # asks here, not under a bar
    fi
    next_step packages
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    quietly apt-update "${as_root[@]}" apt-get update
    # After an installation that was cut off, apt asks for this first.
    quietly dpkg-configure "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
    with_progress apt apt-install "$step_label" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends -o APT::Status-Fd=1 "${missing[@]}"
}

# The file that pip writes last; empty while PyTorch is not there.
venv_record() {
    local found=("$root"/.venv/lib/python3*/site-packages/torch-"$torch_version"[.+-]*dist-info/RECORD)
    [[ ! -f ${found[0]} ]] || printf '%s\n' "${found[0]}"
}
venv_ready() { [[ -n $(venv_record) ]]; }
venv_unfinished=$root/build/venv_unfinished     # there while `python3 -m venv` works
packages_unfinished=$root/build/pip_unfinished  # there until pip has brought everything
pip_folder=$root/build/pip                      # where pip keeps what it is downloading
pip_wheels=$root/build/pip_wheels               # wheels that came whole, until all are installed
venv_whole() { venv_ready && [[ ! -e $packages_unfinished ]]; }

# A start that was stopped left what pip was fetching: wheels that came whole are kept, one that is cut off is gone on with
# where that is possible.
keep_wheels() {
    local wheel
    mkdir -p "$pip_wheels"
    for wheel in "$pip_folder"/pip-*/*.whl; do
        [[ -f $wheel ]] || continue
        ! "$root/.venv/bin/python" "$root/scripts/resume_wheel.py" "$wheel" || mv "$wheel" "$pip_wheels/"
    done
    rm -rf "$pip_folder" && mkdir -p "$pip_folder"
}
venv_pip() { "$root/.venv/bin/pip" "$1" --disable-pip-version-check --no-input "${@:2}"; }
# Fetches all wheels before it installs one: pip takes what is in the folder, by name and by the index's hash. Whatever
# does not go this way, such as a dependency that has to be built, pip does alone.
fetch_and_install() {
    venv_pip download --dest "$pip_wheels" "$@" && venv_pip install --no-index --find-links "$pip_wheels" "$@" || venv_pip install "$@"
}

make_venv() {
    local info
    : >"$packages_unfinished"
    if [[ -e $venv_unfinished ]]; then # a start before this one was cut off here
        python3 -m venv --clear "$root/.venv"
    elif [[ ! -x $root/.venv/bin/pip ]]; then
        : >"$venv_unfinished"
        python3 -m venv "$root/.venv"
    fi
    rm -f "$venv_unfinished"
    # pip writes RECORD last, and takes a package without one, half of which may be there, for installed.
    for info in "$root"/.venv/lib/python3*/site-packages/*.dist-info; do
        [[ ! -d $info || -f $info/RECORD ]] || rm -r "$info"
    done
    keep_wheels
    export TMPDIR=$pip_folder
    export PIP_RESUME_RETRIES=${PIP_RESUME_RETRIES:-5} # of connections that break off; pip before 25.1 has none
    if venv_ready; then
        venv_pip install "torch==$torch_version" # only what lacks
    else
        fetch_and_install "torch==$torch_version"
    fi
    # CUDA's headers (16 MB), where no toolkit has them: without them the CUDA plugin is left out.
    compgen -G '/usr/local/cuda*/include/cuda.h' >/dev/null ||
        venv_pip install 'nvidia-cuda-runtime==13.*' 'nvidia-cuda-crt==13.*' 'nvidia-cuda-cupti==13.*' || true
    rm -rf "$pip_folder" "$pip_wheels" "$packages_unfinished"
}

# pip_state LOG FOLDER: sets pip_file, its size as pip says it (pip_size, "530.7 MB", and pip_all in kB) and how much is
# there (pip_done in kB) where the last line of pip's log is that of a download; else pip_file is empty and pip_words
# says what pip does.
pip_state() {
    local log=$1 folder=$2 line found
    pip_file='' pip_size='' pip_all=0 pip_done=0 pip_words=''
    [[ -r $log ]] || return 0
    line=$(grep -E '^ *(Collecting|Downloading|Using cached|Installing collected|Successfully) ?' "$log" | tail -n 1) || return 0
    if [[ $line =~ ^\ *Downloading\ ([^ ]+)\ \(([0-9]+)(\.([0-9]))?\ (GB|MB|kB|bytes)\) ]]; then
        pip_file=${BASH_REMATCH[1]##*/} pip_size="${BASH_REMATCH[2]}${BASH_REMATCH[3]} ${BASH_REMATCH[5]}"
        local tenths=$((10 * BASH_REMATCH[2] + ${BASH_REMATCH[4]:-0}))
        case ${BASH_REMATCH[5]} in
        GB) pip_all=$((tenths * 100000)) ;;
        MB) pip_all=$((tenths * 100)) ;;
        kB) pip_all=$((tenths / 10)) ;;
        esac
        for found in "$folder"/pip-*/"$pip_file"; do
            [[ ! -f $found ]] || pip_done=$(($(stat -c %s "$found" 2>/dev/null || echo 0) / 1000))
        done
        ((pip_done <= pip_all)) || pip_done=$pip_all
    elif [[ $line == Installing* ]]; then
        line=${line#*: }
        line=${line//[^,]/}
        pip_words="installing $((${#line} + 1)) packages"
    elif [[ $line =~ ^\ *Collecting\ ([A-Za-z0-9._-]+) ]]; then
        pip_words="looking for ${BASH_REMATCH[1]}"
    fi
}
megabytes() { printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100)); }
pip_text() {
    if [[ -n $pip_file ]]; then
        printf '%s' "${pip_file%%-*}"
        ((pip_all == 0)) || printf '%s' " $(megabytes "$pip_done") of $pip_size"
    else
        printf '%s' "$pip_words"
    fi
}

# Starts the making of .venv beside the build; finish_venv waits for it. Nothing but the engine needs it, so
# that a failure is a warning.
venv_job=
start_venv() {
    venv_whole && return 0
    say "Making .venv with PyTorch $torch_version in the background"
    mkdir -p "$logs"
    set -m # a process group of its own, to be stopped as one
    (make_venv) >"$logs/venv.log" 2>&1 </dev/null &
    venv_job=$!
    set +m
}
beside() {
    [[ -n $venv_job ]] && kill -0 "$venv_job" 2>/dev/null || return 0
    pip_state "$logs/venv.log" "$pip_folder"
    printf 'PyTorch: %s' "$(pip_text)"
}
finish_venv() {
    [[ -n $venv_job ]] || return 0
    next_step PyTorch
    local file='' since=$SECONDS first=0 told=$SECONDS text left
    while kill -0 "$venv_job" 2>/dev/null; do
        pip_state "$logs/venv.log" "$pip_folder"
        if [[ $pip_file != "$file" ]]; then file=$pip_file since=$SECONDS first=$pip_done; fi
        left=$(time_left $((SECONDS - since)) $((pip_done - first)) $((pip_all - first)))
        text="$(pip_text)${left:+, $left}"
        if on_terminal; then
            wait_line "$text"
        elif ((SECONDS - told >= progress_period)); then
            printf -- '-- [%s] %s\n' "$step_label" "$text"
            told=$SECONDS
        fi
        sleep 1
    done
    ! on_terminal || clear_bar
    if ! wait "$venv_job" || ! venv_ready; then
        tail -n 5 "$logs/venv.log" >&2 || true
        warn "PyTorch $torch_version could not be installed into .venv; only the engine needs it, everything else works. See build/logs/venv.log"
    fi
    venv_job=
}
# The bar of a download counts kilobytes and says megabytes.
wait_line() {
    local width bar text="[$step_label]"
    width=$(terminal_width)
    if ((pip_all > 0 && width >= 60)); then
        printf -v bar '%*s' $((20 * pip_done / pip_all)) '' && text+=" ${bar// /#}"
        printf -v bar '%*s' $((20 - 20 * pip_done / pip_all)) '' && text+=${bar// /.}
    fi
    text+=" $1"
    printf '\r%-*s' $((width - 1)) "${text:0:width-1}"
}

# build PRESET [TARGET...]: configures, because a preset may have changed or PyTorch may have come, and builds. A new
# build folder compiles in batches, which takes less time; a folder that was configured by hand stays as it is.
build() {
    local preset=$1
    shift
    local begin=$SECONDS options=()
    [[ -f $root/build/$preset/CMakeCache.txt ]] || options=(-DDYNASCOPE_BATCHES=ON)
    next_step "configure $preset"
    quietly "configure-$preset" cmake -S "$root" --preset "$preset" "${options[@]}"
    next_step "compile $preset"
    NINJA_STATUS='[%f/%t] ' with_progress ninja "build-$preset" "$step_label" \
        cmake --build "$root/build/$preset" ${1:+--target "$@"}
    say "Built preset $preset in $((SECONDS - begin)) s"
}
