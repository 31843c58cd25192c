# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# How far ./run and ./test are. Sourced by lib.sh, never run. On a terminal one bar that is drawn anew in its line,
# elsewhere a line every half minute, with the same words:
#
#   [2/5 compile dev] ########............ 120/300, about 3 min left: core/ir/pasted.cpp
#
# Nothing here knows what a step does: `show_progress KIND LABEL LOG` reads what a step prints and writes it to the
# log, and progress_read takes the count and the name of what is under way from one line of it.

steps_all=0 # of this start, as far as they can be told; set by `expect_steps`
step_now=0
step_label=
progress_period=30 # seconds between two lines where there is no terminal

expect_steps() { steps_all=$1 step_now=0; }
# The next step: 'compile dev' becomes "2/5 compile dev".
next_step() {
    step_now=$((step_now + 1))
    ((step_now <= steps_all)) || steps_all=$step_now
    step_label="$step_now/$steps_all $1"
}

# A bar needs a terminal that can return to the start of a line.
on_terminal() { [[ -t 1 && ${TERM:-dumb} != dumb ]]; }

# Of the line in $2, printed by a step of the kind $1: progress_done and progress_all, progress_unit (the pace starts
# anew with another one) and progress_what. False where the line says nothing of it.
progress_read() {
    local line=$2
    case $1 in
    ninja)
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*)$ ]] || return 1
        progress_done=${BASH_REMATCH[1]} progress_all=${BASH_REMATCH[2]} progress_unit=steps
        ninja_words "${BASH_REMATCH[3]}"
        ;;
    ctest)
        [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test\ +#[0-9]+:\ ([^ ]+) ]] || return 1
        progress_done=${BASH_REMATCH[1]} progress_all=${BASH_REMATCH[2]} progress_unit=tests
        progress_what=${BASH_REMATCH[3]}
        ;;
    apt) # of APT::Status-Fd: what is fetched, then what is installed, each from 0 to 100
        [[ $line =~ ^(dl|pm)status:([^:]*):([0-9]+)[0-9.]*:(.*)$ ]] || return 1
        progress_done=${BASH_REMATCH[3]} progress_all=100 progress_unit=${BASH_REMATCH[1]}
        progress_what=${BASH_REMATCH[4]%% (*}
        ;;
    *) return 1 ;;
    esac
    progress_what=${progress_what//[^[:print:]]/?}
}

# progress_what is "core/ir/pasted.cpp" of ninja's "Building CXX object core/CMakeFiles/dynascope_core.dir/ir/pasted.cpp.o".
ninja_words() {
    local text=$1
    if [[ $text =~ ^Building\ C[A-Z]*\ object\ (.*)$ ]]; then
        text=${BASH_REMATCH[1]%.o}
        if [[ $text =~ ^(.*/)?CMakeFiles/([^/]+)\.dir/(.*)$ ]]; then
            local folder=${BASH_REMATCH[1]} target=${BASH_REMATCH[2]} file=${BASH_REMATCH[3]}
            case $file in
            Unity/unity_*) # a batch of files: whose and which
                file=${file#Unity/unity_} && file=${file%_cxx.cxx}
                text="$target, batch $file"
                ;;
            cmake_pch*) text="$target, precompiled header" ;;
            *) text=$folder$file ;;
            esac
        fi
    elif [[ $text =~ ^Linking\ .*\ ([^ ]+)$ ]]; then
        text="linking ${BASH_REMATCH[1]##*/}"
    fi
    progress_what=$text
}

# time_left SECONDS DONE ALL: "about 3 min left" at the pace so far; nothing before there is a pace.
time_left() {
    local seconds=$1 finished=$2 all=$3
    ((seconds >= 5 && finished > 0 && finished < all)) || return 0
    local left=$((seconds * (all - finished) / finished))
    if ((left >= 90)); then
        printf 'about %d min left' $(((left + 30) / 60))
    elif ((left >= 10)); then
        printf 'about %d s left' $(((left + 5) / 10 * 10))
    else
        printf 'a few seconds left'
    fi
}

# progress_text LABEL DONE ALL LEFT WHAT BAR: the line, with BAR characters of bar. ALL is 0 where it is not known.
progress_text() {
    local text="[$1]" finished=$2 all=$3 left=$4 what=$5 cells=$6
    if ((all > 0)); then
        ((finished <= all)) || finished=$all
        if ((cells > 0)); then
            local full=$((cells * finished / all)) bar
            printf -v bar '%*s' "$full" ''
            text+=" ${bar// /#}"
            printf -v bar '%*s' $((cells - full)) ''
            text+=${bar// /.}
        fi
        text+=" $finished/$all${left:+, $left}"
    fi
    printf '%s' "$text${what:+: $what}"
}

terminal_width() {
    local size
    size=$(stty size </dev/tty 2>/dev/null) || size= # stdout may be a pipe to whom asks
    size=${size#* }
    ((${size:-0} > 0)) || size=80
    printf '%s' "$size"
}

# What runs beside the step that is shown, in a few words; lib.sh says what it is.
beside() { :; }

# Draws the line in place, no wider than the terminal.
draw_bar() { # LABEL DONE ALL LEFT WHAT
    local width text also
    width=$(terminal_width)
    also=$(beside)
    text=$(progress_text "$@" $((width >= 60 ? 20 : 0)))
    text="$text${also:+ | $also}"
    # The last column stays free: a terminal may go to the next line there.
    printf '\r%-*s' $((width - 1)) "${text:0:width-1}"
}
clear_bar() { printf '\r%*s\r' $(($(terminal_width) - 1)) ''; }
print_progress() { # LABEL DONE ALL LEFT WHAT
    local also
    also=$(beside)
    printf -- '-- %s\n' "$(progress_text "$@" 0)${also:+ | $also}"
}

# show_progress KIND LABEL LOG [FILTER]: writes what it reads to the log and shows how far it says to be. Lines that
# the function FILTER accepts are shown whole. Ends with its input, and at Ctrl-C no sooner, so that the log is whole.
show_progress() {
    local kind=$1 label=$2 log=$3 filter=${4:-} line='' part status=0 left
    local begin=$SECONDS since=$SECONDS drawn=-1 unit='' first=0 bar=
    local progress_done=0 progress_all=0 progress_unit='' progress_what=''
    trap '' INT
    ! on_terminal || bar=1
    exec {log_fd}>"$log"
    while :; do
        status=0
        IFS= read -r -t 1 part || status=$?
        line+=$part
        if ((status == 0)) || [[ $status -le 128 && -n $line ]]; then # a line, or what follows the last one
            printf '%s\n' "$line" >&"$log_fd"
            if progress_read "$kind" "$line" && [[ $progress_unit != "$unit" ]]; then
                unit=$progress_unit since=$SECONDS first=$((progress_done > 1 ? progress_done : 0))
            fi
            if [[ -n $filter ]] && "$filter" "$line"; then
                [[ -z $bar ]] || clear_bar
                printf '%s\n' "$line"
                drawn=-1
            fi
            line=
        fi
        ((status == 0 || status > 128)) || break
        if [[ -n $bar ]]; then
            ((SECONDS > drawn)) || continue
        else
            ((SECONDS - begin >= progress_period)) || continue
        fi
        left= # tests that take longest begin first: their pace tells nothing
        [[ $kind == ctest ]] ||
            left=$(time_left $((SECONDS - since)) $((progress_done - first)) $((progress_all - first)))
        if [[ -n $bar ]]; then
            draw_bar "$label" "$progress_done" "$progress_all" "$left" "$progress_what"
            drawn=$SECONDS
        else
            print_progress "$label" "$progress_done" "$progress_all" "$left" "$progress_what"
            begin=$SECONDS
        fi
    done
    exec {log_fd}>&-
    [[ -z $bar ]] || clear_bar
}
