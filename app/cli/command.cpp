// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"

#include "core/capture/open.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace dynascope::cli {

std::string withoutControlCodes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if (byte == 0xC2 && next >= 0x80 && next < 0xA0) { // a C1 control in UTF-8
            out += '?';
            ++i;
        } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
            out += '?';
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string placeText(const ir::SourceLocation& at) {
    if (at.file.empty()) return {};
    return std::string(baseName(at.file)) + (at.line != 0 ? ':' + std::to_string(at.line) : "");
}

int fail(const Error& error) {
    std::string line = withoutControlCodes(error.toString());
    for (char& c : line) {
        if (c == '\n') c = ' ';
    }
    std::fprintf(stderr, "dynascope-cli: %s\n", line.c_str());
    return exitUsage;
}

int fail(std::string_view message) {
    return fail(Error{std::string(message), {}, 0, 0});
}

void print(std::string_view text) {
    if (isatty(STDOUT_FILENO) != 0) {
        const std::string clean = withoutControlCodes(text);
        std::fwrite(clean.data(), 1, clean.size(), stdout);
    } else {
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
}

Result<session::SessionPtr> openInput(const std::string& path) {
    if (path != "-") return capture::open(path);
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    return capture::openText(std::move(text), "standard input");
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

bool matchesFrame(const session::Compile& compile, const std::string& frame) {
    const std::string id = compile.id.toString();
    return frame.empty() || frame == id || frame == std::to_string(compile.rank) + ':' + id;
}

session::StagePtr firstGraph(const session::Compile& compile) {
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->content == session::Stage::Content::Graph) return stage;
    }
    return nullptr;
}

} // namespace

Result<StageChoice> chooseStage(const session::Session& session, const std::string& frame,
                                const std::string& stage) {
    const auto [name, k] = splitStage(stage);
    bool frameSeen = false;
    std::string known;
    for (const session::Compile& compile : session.compiles) {
        if (!matchesFrame(compile, frame)) continue;
        frameSeen = true;
        session::StagePtr found = name.empty() ? firstGraph(compile) : compile.findStage(name, k);
        if (found) return StageChoice{&compile, std::move(found)};
        if (known.empty()) {
            for (const session::StagePtr& s : compile.stages) {
                known += (known.empty() ? "" : ", ") + s->label();
            }
        }
    }
    if (!frameSeen) return tl::unexpected(Error{"no compile id '" + frame + "'", session.path, 0, 0});
    if (name.empty()) return tl::unexpected(Error{"no graph was captured", session.path, 0, 0});
    return tl::unexpected(
        Error{"no stage '" + stage + "'" + (known.empty() ? std::string() : "; there are " + known),
              session.path, 0, 0});
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
