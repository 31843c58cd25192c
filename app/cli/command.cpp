// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"

#include "core/capture/open.h"
#include "core/inductor/compile_passes.h"
#include "core/ir/place_text.h"
#include "core/remote/open.h"
#include "core/session/byte_source.h"
#include "core/session/mapping_guard.h"
#include "core/session/unreached.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace dynascope::cli {

std::string placeText(const ir::SourceLocation& at) {
    return ir::placeText(at);
}

int fail(const Error& error) {
    std::string line = withoutControlCodes(error.toString());
    for (char& c : line) {
        if (c == '\n') c = ' ';
    }
    std::fprintf(stderr, "dynascope-cli: %s\n", line.c_str());
    return exitUsage;
}

int fail(std::string_view message, std::string_view file) {
    return fail(Error{std::string(message), std::string(file)});
}

void print(std::string_view text) {
    if (isatty(STDOUT_FILENO) != 0) {
        const std::string clean = withoutControlCodes(text);
        std::fwrite(clean.data(), 1, clean.size(), stdout);
    } else {
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
}

int written(int status) {
    // A pipe whose reader left early, as head does, has said what it wanted.
    const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (!failed) {
        for (const std::string& path : session::lostFiles())
            status = fail("the file was cut short while it was read, and what is said of it is wrong", path);
        for (const std::string& why : session::unreached())
            status = fail(why + "; what is said of it is not all of it");
        return status;
    }
    const int cause = errno;
    return fail("standard output: " +
                std::string(cause != 0 ? std::strerror(cause) : "not all of it could be written"));
}

Result<session::SessionPtr> openInput(const std::string& path) {
    if (path != "-") return remote::open(path);
    const Result<session::ByteSourcePtr> read = session::readByteSource(STDIN_FILENO, "standard input");
    if (!read) return tl::unexpected(read.error());
    return capture::openText(std::string((*read)->bytes()), "standard input");
}

namespace {

/// Splits "NAME#K"; no "#K" means 0.
std::pair<std::string, int> splitStage(const std::string& text) {
    const std::size_t hash = text.rfind('#');
    if (hash == std::string::npos) return {text, 0};
    int k = 0;
    for (const char c : text.substr(hash + 1)) {
        if (c < '0' || c > '9' || k > 100000) return {text, 0};
        k = k * 10 + (c - '0');
    }
    return {text.substr(0, hash), k};
}

/// "post_grad/remove_noop_ops": the graph that a recorded pass left.
session::StagePtr passStage(const session::Session& session, const session::Compile& compile,
                            const std::string& name, int k) {
    inductor::CompilePasses passes = inductor::passesOf(session, compile);
    if (!inductor::addStages(passes)) return nullptr;
    for (const inductor::PassStage& stage : passes.stages)
        if (stage.stage->name == name && stage.stage->k == k) return stage.stage;
    return nullptr;
}

session::StagePtr firstGraph(const session::Compile& compile) {
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->content == session::Stage::Content::Graph) return stage;
    }
    return nullptr;
}

} // namespace

bool matchesFrame(const session::Compile& compile, const std::string& frame) {
    const std::string id = compile.id.toString();
    return frame.empty() || frame == id || frame == std::to_string(compile.rank) + ':' + id;
}

Result<StageChoice> chooseStage(const session::Session& session, const std::string& frame,
                                const std::string& stage) {
    const auto [name, k] = splitStage(stage);
    bool frameSeen = false;
    std::string known;
    for (const session::Compile& compile : session.compiles) {
        if (!matchesFrame(compile, frame)) continue;
        frameSeen = true;
        session::StagePtr found = name.empty() ? firstGraph(compile) : compile.findStage(name, k);
        if (!found && stage.find('/') != std::string::npos) found = passStage(session, compile, name, k);
        if (found) return StageChoice{&compile, std::move(found)};
        if (known.empty()) {
            for (const session::StagePtr& s : compile.stages) {
                known += (known.empty() ? "" : ", ") + s->label();
            }
        }
    }
    if (!frameSeen) return failure("no compile id '" + frame + "'", session.path);
    if (name.empty()) return failure("no graph was captured", session.path);
    return failure("no stage '" + stage + "'" + (known.empty() ? std::string() : "; there are " + known),
                   session.path);
}

Result<ir::GraphPtr> graphOf(const session::Session& session, const session::Stage& stage) {
    Result<ir::GraphPtr> graph = stage.graph();
    if (graph) return graph;
    Error error = std::move(graph.error());
    error.file = session.path;
    if (stage.record < session.records.size()) error.message = stage.label() + ": " + error.message;
    if (error.line != 0 && stage.line != 0) {
        error.line += stage.line - 1;
        if (error.column != 0 && stage.payload.tabbed) ++error.column;
    }
    return tl::unexpected(std::move(error));
}

} // namespace dynascope::cli
