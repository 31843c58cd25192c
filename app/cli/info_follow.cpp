// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli info --follow PATH: what a program compiles, while it compiles.
#include "app/cli/info.h"

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/capture/follow.h"
#include "core/capture/log_memory.h"
#include "core/session/compile_counts.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <poll.h>
#include <string>
#include <system_error>
#include <utility>

namespace dynascope::cli {

namespace {

constexpr std::chrono::milliseconds lookEvery{250};
constexpr int restPerRead = 4; ///< times what the last read took

volatile std::sig_atomic_t g_interrupted = 0;

void onInterrupt(int /*signal*/) {
    g_interrupted = 1;
}

/// What was said of a compile already.
struct Said {
    bool started = false, ended = false;
    std::size_t breaks = 0;
};
using SaidOf = std::map<std::pair<int, session::CompileId>, Said>;

std::string columns(std::string_view what, const std::string& id, const std::string& rest) {
    std::string out(what);
    out.resize(std::max<std::size_t>(out.size() + 1, 12), ' ');
    out += id;
    if (rest.empty()) return out + '\n';
    out.resize(std::max<std::size_t>(out.size() + 1, 22), ' ');
    return out.append(firstLine(rest)) + '\n';
}

std::string whatOf(const session::Compile& compile) {
    std::string place = compile.location() ? placeText(*compile.location()) : std::string();
    if (place.empty()) return compile.function;
    return compile.function.empty() ? place : compile.function + "  " + place;
}

std::string resultOf(const session::Compile& compile) {
    std::string out(session::statusName(compile.status));
    std::size_t graphs = 0;
    for (const session::StagePtr& stage : compile.stages)
        graphs += stage->content == session::Stage::Content::Graph;
    if (graphs > 0) out += ", " + count(graphs, "graph");
    if (const std::string time = formatSeconds(session::compileTime(compile)); !time.empty())
        out += ", " + time;
    if (!compile.failType.empty()) out += ", " + compile.failType + ": " + compile.failReason;
    return out;
}

/// Lines for what was not said yet.
std::string news(const session::Session& session, SaidOf& said) {
    std::string out;
    for (const session::Compile& compile : session.compiles) {
        if (compile.id.empty()) continue;
        Said& one = said[{compile.rank, compile.id}];
        const std::string id = session::compileName(session, compile);
        const bool ended = compile.status != session::Status::Incomplete;
        if (!one.started) {
            one.started = true;
            const std::string why = compile.recompileReasons.empty() ? "" : compile.recompileReasons.front();
            out += columns(compile.isRecompile ? "recompile" : "compile", id,
                           whatOf(compile) + (why.empty() ? "" : "  " + why));
        }
        const auto breaks = compile.finalBreaks();
        for (; one.breaks < breaks.size(); ++one.breaks) {
            const session::GraphBreak& at = *breaks[one.breaks];
            out += columns("break", id,
                           at.title + (at.location() ? "  " + placeText(*at.location()) : std::string()));
        }
        if (ended && !std::exchange(one.ended, true)) out += columns("done", id, resultOf(compile));
    }
    return out;
}

void sleepFor(std::chrono::milliseconds time) {
    ::poll(nullptr, 0, static_cast<int>(time.count())); // Ctrl-C ends it
}

/// A reader that left, as head does, ends what nobody reads.
bool put(const std::string& text) {
    print(text);
    return std::fflush(stdout) == 0;
}

} // namespace

int followInfo(const std::string& path) {
    if (path == "-") return fail("--follow takes a file or a folder, not standard input");
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);

    std::error_code error;
    session::Session none;
    none.inputs.path = path;
    none.inputs.isFolder = std::filesystem::is_directory(path, error);
    capture::DiskStamp seen = capture::stampOf(path);
    if (seen.empty() && !none.inputs.isFolder) return fail(capture::open(path).error());
    session::SessionPtr session = std::make_shared<const session::Session>(std::move(none));
    SaidOf said;
    auto memory = std::make_shared<capture::LogMemory>();
    /// False where nobody reads on.
    const auto read = [&](bool first) -> Result<bool> {
        Result<session::SessionPtr> now = capture::readAgain(*session, capture::Again::SoFar, {}, memory);
        const bool waits =
            !now && (now.error().code == Error::Code::NothingToRead || !first || session->inputs.isFolder);
        if (waits) return true; // for the first record
        if (!now) return tl::unexpected(now.error());
        // As large as before or larger, and another log all the same.
        if (!capture::goesOn(session->inputs, (*now)->inputs) && !said.empty()) {
            std::fprintf(stderr, "dynascope-cli: %s is another log now: beginning again\n",
                         withoutControlCodes(path).c_str());
            said.clear();
        }
        session = std::move(*now);
        return put(news(*session, said));
    };
    const Result<bool> first = read(true);
    if (!first) return fail(first.error());
    if (!*first) return exitOk;
    bool gone = false;
    std::chrono::milliseconds wait = lookEvery;
    while (g_interrupted == 0) {
        sleepFor(wait);
        wait = lookEvery;
        if (g_interrupted != 0) break;
        capture::DiskStamp now = capture::stampOf(path);
        const capture::Changed changed = capture::changedSince(seen, now);
        if (changed.change == capture::DiskChange::None) continue;
        const std::string words = capture::changeWords(changed);
        if (now.empty()) {
            if (!std::exchange(gone, true)) std::fprintf(stderr, "dynascope-cli: %s\n", words.c_str());
            continue;
        }
        gone = false;
        const auto began = std::chrono::steady_clock::now();
        const bool anew = changed.change != capture::DiskChange::Grew;
        seen = std::move(now);
        if (anew) {
            memory = std::make_shared<capture::LogMemory>();
            std::fprintf(stderr, "dynascope-cli: %s: beginning again\n", withoutControlCodes(words).c_str());
            said.clear();
        }
        if (!*read(false)) return exitOk;
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
        wait = std::max(lookEvery, restPerRead * took);
    }
    return exitOk;
}

} // namespace dynascope::cli
