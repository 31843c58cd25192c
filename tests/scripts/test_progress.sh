#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test_progress.sh: what ./run and ./test show of themselves, on what ninja, ctest, apt and pip print, and what a start
# that was cut off leaves behind. In a copy of scripts/, with programs in place of those; nothing is built or fetched.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/bin"
cp -r "$source_dir/scripts" "$work/tree"
source "$work/tree/scripts/lib.sh"

faults=0
same() { # WHAT GOT WANTED
    [[ $2 == "$3" ]] && return
    printf 'FAIL %s\n  got    %q\n  wanted %q\n' "$1" "$2" "$3"
    faults=$((faults + 1))
}
holds() { # WHAT TEXT PART
    [[ $2 == *"$3"* ]] && return
    printf 'FAIL %s\n  %q\n  lacks  %q\n' "$1" "$2" "$3"
    faults=$((faults + 1))
}

# What one line says.
says() {
    progress_done='' progress_all='' progress_unit='' progress_what=''
    progress_read "$1" "$2" && printf '%s of %s %s: %s' "$progress_done" "$progress_all" "$progress_unit" "$progress_what" || printf nothing
}
pch='core/CMakeFiles/x.dir/cmake_pch.hxx.gch'
same ninja "$(says ninja '[12/345] Building CXX object core/CMakeFiles/dynascope_core.dir/ir/pasted.cpp.o')" \
    '12 of 345 steps: core/ir/pasted.cpp'
same batch "$(says ninja '[1/2] Building CXX object core/CMakeFiles/dynascope_core.dir/Unity/unity_3_cxx.cxx.o')" \
    '1 of 2 steps: dynascope_core, batch 3'
same header "$(says ninja "[1/2] Building CXX object $pch")" '1 of 2 steps: x, precompiled header'
same link "$(says ninja '[2/2] Linking CXX executable bin/dynascope-cli')" '2 of 2 steps: linking dynascope-cli'
same 'other ninja' "$(says ninja '[2/2] Generating moc/tst_x.moc')" '2 of 2 steps: Generating moc/tst_x.moc'
same 'control codes' "$(says ninja $'[2/2] Generating \e[31mred')" '2 of 2 steps: Generating ?[31mred'
same 'no count' "$(says ninja 'FAILED: core/a.o')" nothing
same ctest "$(says ctest '  9/120 Test  #33: tst_ir_fx ............   Passed    0.51 sec')" '9 of 120 tests: tst_ir_fx'
same 'ctest, failed' "$(says ctest '10/120 Test #7: tst_cli ...***Failed    1.00 sec')" '10 of 120 tests: tst_cli'
same 'ctest, start' "$(says ctest '      Start 33: tst_ir_fx')" nothing
same fetched "$(says apt 'dlstatus:3:41.6667:Retrieving file 3 of 10 (2min 3s remaining)')" \
    '41 of 100 dl: Retrieving file 3 of 10'
same installed "$(says apt 'pmstatus:libqt6core6:7.5:Unpacking libqt6core6 (amd64)')" '7 of 100 pm: Unpacking libqt6core6'

# No pace, no time.
same 'time at the start' "$(time_left 3 1 100)" ''
same 'time of nothing done' "$(time_left 60 0 100)" ''
same 'time at the end' "$(time_left 60 100 100)" ''
same 'time in minutes' "$(time_left 60 10 60)" 'about 5 min left'
same 'time in seconds' "$(time_left 60 60 100)" 'about 40 s left'
same 'time, nearly done' "$(time_left 60 95 100)" 'a few seconds left'

same bar "$(progress_text '2/5 compile' 5 20 'about 3 min left' a.cpp 20)" \
    '[2/5 compile] #####............... 5/20, about 3 min left: a.cpp'
same 'bar of nothing known' "$(progress_text '1/5 configure' 0 0 '' '' 20)" '[1/5 configure]'
same 'bar, too much' "$(progress_text x 9 4 '' '' 4)" '[x] #### 4/4'

# Where there is no terminal: a line a period, here of no length, and the log byte for byte.
progress_period=0
printf '%s\n' '[1/2] Building CXX object a/CMakeFiles/a.dir/b.cpp.o' 'warning: c' >"$work/printed"
printf '[2/2] Linking CXX executable bin/a' >>"$work/printed" # ends without a newline
got=$(show_progress ninja '1/1 compile' "$work/log" <"$work/printed")
holds lines "$got" '-- [1/1 compile] 1/2: a/b.cpp'
[[ $got != *$'\r'* ]] || same 'lines without returns' "$got" ''
same log "$(<"$work/log")" "$(<"$work/printed")"
progress_period=1000
worth() { [[ $1 == *Failed* ]]; }
got=$(printf '%s\n' ' 1/2 Test #1: a ..   Passed 1 sec' ' 2/2 Test #2: b ..***Failed 1 sec' |
    show_progress ctest tests "$work/log" worth)
same 'what failed is shown' "$got" ' 2/2 Test #2: b ..***Failed 1 sec'

# A failure is shown with its words, not with how far it was.
failing() { printf '%s\n' 'pmstatus:a:1:Unpacking a' 'E: no space left' && return 7; }
set +e
got=$(with_progress apt broken packages failing 2>&1)
status=$?
set -e
same 'status of a failure' "$status" 1
same failure "$got" $'E: no space left\nerror: \'failing\' failed; the whole log is build/logs/broken.log'

# pip
mkdir -p "$work/pip/pip-unpack-x"
printf '%s\n' 'Collecting torch==2.13.0' '  Downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (104.4 MB)' >"$work/pip.log"
head -c 52200000 /dev/zero >"$work/pip/pip-unpack-x/torch-2.13.0-cp311-cp311-linux_x86_64.whl"
pip_state "$work/pip.log" "$work/pip"
same 'pip downloads' "$(pip_text)" 'torch 52.2 of 104.4 MB'
same 'pip in kB' "$pip_done/$pip_all" 52200/104400
echo 'Installing collected packages: mpmath, sympy, torch' >>"$work/pip.log"
pip_state "$work/pip.log" "$work/pip"
same 'pip installs' "$(pip_text)" 'installing 3 packages'
pip_state "$work/none.log" "$work/pip"
same 'pip has said nothing' "$(pip_text)" ''

# What a start that was stopped leaves of pip's download: what is whole is kept; of what is cut off the rest is fetched
# where the index sends parts, else it goes.
export PIP_CONFIG_FILE=/dev/null PIP_RETRIES=0
unset PIP_FIND_LINKS PIP_EXTRA_INDEX_URL PIP_NO_INDEX
python=$(command -v python3)
if [[ -x $source_dir/.venv/bin/python ]]; then python=$source_dir/.venv/bin/python; fi
mkdir -p "$work/tree/.venv/bin" "$work/index/sympy" "$work/index/torch"
ln -s "$python" "$work/tree/.venv/bin/python"
head -c 300000 /dev/urandom >"$work/data"
for wheel in sympy/sympy-1 torch/torch-2; do
    (cd "$work" && "$python" -m zipfile -c "index/$wheel-py3-none-any.whl" data)
    printf '<a href="%s#sha256=%s">x</a>' "${wheel#*/}-py3-none-any.whl" \
        "$(sha256sum "$work/index/$wheel-py3-none-any.whl" | cut -d' ' -f1)" >"$work/index/${wheel%/*}/index.html"
done
cat >"$work/serve.py" <<'END'
import http.server, os, re, sys
class Index(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *ignored): pass
    def do_GET(self):
        path, part = self.translate_path(self.path), re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        if sys.argv[1] == "whole" or not part or not os.path.isfile(path): return super().do_GET()
        begin, size = int(part[1]), os.path.getsize(path)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {begin}-{size - 1}/{size}")
        self.end_headers()
        with open(path, "rb") as file:
            file.seek(begin)
            self.wfile.write(file.read())
server = http.server.HTTPServer(("127.0.0.1", 0), Index)
print(server.server_port, flush=True)
server.serve_forever()
END
cut=$work/index/torch/torch-2-py3-none-any.whl
stopped() { # HOW THE INDEX ANSWERS: what is kept
    rm -rf "$pip_folder" "$pip_wheels" && mkdir -p "$pip_folder/pip-unpack-x"
    cp "$work/index/sympy/"*.whl "$pip_folder/pip-unpack-x"
    head -c 100000 "$cut" >"$pip_folder/pip-unpack-x/torch-2-py3-none-any.whl"
    : >"$work/port"
    "$python" "$work/serve.py" "$1" >"$work/port" 2>/dev/null &
    local server=$!
    for ((i = 0; i < 100; ++i)); do [[ ! -s $work/port ]] || break; sleep 0.1; done
    PIP_INDEX_URL=http://127.0.0.1:$(<"$work/port") keep_wheels >"$work/kept.log" 2>&1
    kill "$server"
    wait "$server" 2>/dev/null || true
    (cd "$pip_wheels" && echo *)
    [[ -z $(ls -A "$pip_folder") ]] || echo "and what pip left"
}
cd "$work/index"
same 'what is whole' "$(stopped whole)" 'sympy-1-py3-none-any.whl'
if "$python" -c 'import pip' 2>/dev/null; then
    same 'the rest is fetched' "$(stopped parts)" 'sympy-1-py3-none-any.whl torch-2-py3-none-any.whl'
    cmp -s "$pip_wheels/torch-2-py3-none-any.whl" "$work/index/torch/torch-2-py3-none-any.whl" || same 'the bytes' other same
    holds 'the bar of the rest' "$(<"$work/kept.log")" '  Downloading torch-2-py3-none-any.whl (0.3 MB)'
    (cd "$work" && head -c 300000 /dev/urandom >data && "$python" -m zipfile -c other data)
    cut=$work/other # the beginning of another file by that name
    same 'another file' "$(stopped parts)" 'sympy-1-py3-none-any.whl'
else
    echo "no pip here: going on with a download is left out"
fi
cd "$source_dir"
rm -rf "$work/tree/.venv" "$pip_folder" "$pip_wheels"

# A start that was cut off: in the making of .venv, then in the middle of a package, which pip takes for installed.
cat >"$work/bin/python3" <<'END'
#!/usr/bin/env bash
venv=${!#}
[[ $3 == --clear ]] && rm -rf "$venv"
mkdir -p "$venv/bin" "$venv/lib/python3.11/site-packages"
[[ ! -e $CUT ]] || { : >"$venv/half" && exit 1; }
cp "$(dirname "$0")/pip" "$venv/bin/pip"
ln -sf "$PYTHON" "$venv/bin/python"
END
export PYTHON=$python
cat >"$work/bin/pip" <<'END'
#!/usr/bin/env bash
cd "$(dirname "$0")/../lib/python3.11/site-packages" || exit
[[ $1 != download ]] || exit 0
for package in sympy-1 torch-2.13.0+cpu; do
    [[ ! -d $package.dist-info ]] || continue # installed
    mkdir "$package.dist-info"
    [[ ! -e $CUT ]] || exit 1
    : >"$package.dist-info/RECORD"
done
END
chmod +x "$work/bin/"*
make() { (
    set -e
    PATH=$work/bin:$PATH
    make_venv
); }
mkdir -p "$work/tree/build"
export CUT=$work/cut
set +e
: >"$CUT" && make
set -e
[[ -e $work/tree/.venv/half ]] || same 'the making is cut off' no yes
rm "$CUT" && make
same 'half a .venv is made anew' "$(compgen -G "$work/tree/.venv/half")" ''
venv_whole || same 'whole after that' no yes
rm -rf "$work/tree/.venv/lib/python3.11/site-packages/"*
set +e
: >"$CUT" && make
set -e
! venv_ready || same 'half a package' whole half
rm "$CUT" && make
[[ -f $work/tree/.venv/lib/python3.11/site-packages/sympy-1.dist-info/RECORD ]] || same 'half a package is brought again' no yes
venv_whole || same 'whole in the end' no yes

# On a terminal: drawn in place, no wider than it, and gone at Ctrl-C with what was running.
if ! command -v script >/dev/null; then
    echo "no 'script' here: the terminal is left out"
else
    cat >"$work/tree/session" <<'END'
#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "$0")/scripts/lib.sh"
stop_cleanly
expect_steps 2
stty cols 70 rows 20
set -m
sleep 1000 & # what runs beside
venv_job=$!
set +m
echo "$venv_job" >"$1/beside"
beside() { :; }
step() {
    echo '[1/4] Building CXX object a/CMakeFiles/a.dir/a_name_that_is_much_longer_than_the_terminal_has_columns.cpp.o'
    echo $BASHPID >"$1/step"
    exec sleep 1000
}
next_step compile
with_progress ninja step "$step_label" step "$1"
echo "not reached"
END
    chmod +x "$work/tree/session"
    mkfifo "$work/keys"
    exec 9<>"$work/keys"
    # Beside a script SIGINT is ignored, unless somebody says otherwise.
    TERM=xterm SHELL=/bin/bash env --default-signal=INT script -qec "'$work/tree/session' '$work'" "$work/shown" <"$work/keys" >"$work/screen" &
    session=$!
    for ((i = 0; i < 600; ++i)); do # until it is drawn
        if grep -qs 'a_name' "$work/screen" && [[ -s $work/step ]]; then break; fi
        sleep 0.1
    done
    printf '\003' >&9
    status=0
    wait "$session" || status=$?
    exec 9>&-
    screen=$(<"$work/screen")
    same 'status of Ctrl-C' "$status" 130
    holds 'the bar' "$screen" $'\r[1/2 compile] #####............... 1/4: a/a_name'
    holds 'how to go on' "$screen" 'Stopped. What is done stays: session started again goes on from here.'
    [[ $screen != *'not reached'* && $screen != *'error:'* && $screen != *$'\e'* ]] || same 'clean end' "$screen" ''
    longest=$(tr '\r' '\n' <"$work/screen" | sed 's/\^C//' | awk 'length > n && !/Stopped|Script/ { n = length } END { print n + 0 }')
    ((longest <= 69)) || same 'width of the bar' "$longest" 69
    for process in step beside; do
        ! kill -0 "$(<"$work/$process")" 2>/dev/null || same "$process ends" running gone
    done
fi

# Other systems: what lacks is said by their names, and nothing is installed.
cp "$source_dir/packages.txt" "$work/tree"
elsewhere() { # ID INSTALLED
    printf 'ID=%s\nID_LIKE="some thing"\nPRETTY_NAME="Some %s 9"\n' "$1" "$1" >"$work/os-release"
    for program in rpm pacman; do
        printf '#!/bin/bash\n[[ $2 == -* ]] && shift\nfor one in %s; do [[ $one != "${!#}" ]] || exit 0; done\nexit 1\n' "$2" >"$work/bin/$program"
        chmod +x "$work/bin/$program"
    done
    (
        os_release=$work/os-release
        PATH=$work/bin:$PATH
        find_missing build && printf 'goes on, %s lack' "${#missing[@]}"
    ) 2>&1 || true
}
said=$(elsewhere fedora 'gcc-c++ cmake')
holds 'Fedora' "$said" 'Some fedora 9 is not Debian 12 or 13'
holds 'packages of Fedora' "$said" 'missing: dnf install git ninja-build'
holds 'the way out' "$said" 'pip install --find-links FOLDER dynascope'
[[ $said != *gcc-c++* ]] || same 'what is there is not asked for' "$said" ''
holds 'Arch' "$(elsewhere arch '')" 'pacman -S git gcc cmake'
holds 'all there' "$(elsewhere arch "$(packages_of arch | tr '\n' ' ')")" 'goes on, 0 lack'
if ! command -v dpkg-query >/dev/null; then holds 'unknown' "$(elsewhere haiku '')" 'packages.txt lists'; fi

((faults == 0)) && echo "all as it should be"
