// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/case_file.h"

#include "core/base/json_fields.h"
#include "core/ir/text.h"
#include "core/replay/tree_simulator.h"
#include "core/session/byte_source.h"

#include <array>
#include <nlohmann/json.hpp>

namespace dynascope::capture {

namespace {

using Json = nlohmann::json;
using session::Phase;

struct Golden {
    std::string_view name;
    Phase phase;
    std::array<std::string_view, 3> path; ///< into the case; unused parts are empty
};

/// PyTorch's answers that a case may hold, in the order of its pipeline.
constexpr std::array goldens{
    Golden{"normalize_ir", Phase::PreGrad, {"after", "", ""}},
    Golden{"functionalize_mutations", Phase::Inference, {"after", "mutations", "graph"}},
    Golden{"functionalize_mutations_and_views", Phase::Inference, {"after", "mutations_and_views", "graph"}},
    Golden{"aot_fw_graph", Phase::Forward, {"aot", "fw_graph", ""}},
};

const std::string* textAt(const Json& document, const Golden& golden) {
    const Json* at = &document;
    for (const std::string_view key : golden.path) {
        if (key.empty()) break;
        if (!at->is_object()) return nullptr;
        const auto next = at->find(std::string(key));
        if (next == at->end()) return nullptr;
        at = &*next;
    }
    return at->get_ptr<const std::string*>();
}

session::StagePtr makeStage(std::string_view name, Phase phase, const std::string& text, ir::GraphPtr graph) {
    auto stage = std::make_shared<session::Stage>();
    stage->name = name;
    stage->phase = phase;
    stage->payload = {session::makeByteSource(text), 0, text.size(), false};
    stage->setGraph(std::move(graph));
    return stage;
}

void quoteSource(session::Session& session, const std::string& name, const std::string& code) {
    session::SourceFile& file = session.sources[name];
    file.path = name;
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < code.size(); ++line) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        file.lines.emplace(line, code.substr(at, end - at));
        at = end + 1;
    }
}

Result<session::Session> treeCase(std::string_view bytes, const std::string& label, const Json& document) {
    Result<replay::TreeProgram> program = replay::readTreeCase(bytes);
    if (!program) {
        program.error().file = label;
        return tl::unexpected(program.error());
    }
    session::Session session;
    session.kind = session::Kind::TreeCase;
    session.torchVersion = stringField(document, "torch_version");
    session.tree = std::make_shared<const replay::TreeProgram>(std::move(*program));
    return session;
}

} // namespace

bool looksLikeCase(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '{') return false;
    const std::size_t key = head.find_first_not_of(" \t\r\n", first + 1);
    return key != std::string_view::npos && head[key] == '"';
}

Result<session::Session> readCaseFile(const session::ByteSourcePtr& source, const std::string& label,
                                      const TaskContext& task) {
    const std::string_view bytes = source->bytes();
    task.report("Reading", 0, bytes.size());
    const Json document = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!document.is_object())
        return failure("neither a TORCH_TRACE log nor graph text nor the JSON of an oracle case", label);
    if (stringField(document, "kind") == "cudagraph_tree_trace") return treeCase(bytes, label, document);
    const std::string before = stringField(document, "before");
    if (before.empty())
        return failure(
            "neither a TORCH_TRACE log nor graph text, and no oracle case: there is no graph under 'before'",
            label);
    Result<ir::GraphPtr> graph = ir::readGraph(before);
    if (!graph) {
        Error error = graph.error();
        error.message = "'before' of the case: " + error.message;
        error.file = label;
        error.line = error.column = 0;
        return tl::unexpected(std::move(error));
    }

    session::Session session;
    session.kind = session::Kind::OracleCase;
    session.torchVersion = stringField(document, "torch_version");
    session::Compile compile;
    compile.status = session::Status::Compiled;
    compile.function = stringField(document, "name");
    compile.stages.push_back(makeStage("graph", Phase::Text, before, std::move(*graph)));
    for (const Golden& golden : goldens) {
        const std::string* text = textAt(document, golden);
        if (!text) continue;
        Result<ir::GraphPtr> read = ir::readGraph(*text);
        if (read) {
            compile.stages.push_back(makeStage(golden.name, golden.phase, *text, std::move(*read)));
        } else {
            Error error = read.error();
            error.message = "'" + std::string(golden.name) + "' of the case: " + error.message;
            error.file = label;
            error.line = error.column = 0;
            session.warnings.push_back({std::move(error), SIZE_MAX});
        }
    }
    // Only what the engine takes as inputs of a graph; the other kinds have forms of their own.
    if (const auto inputs = document.find("inputs");
        inputs != document.end() && inputs->is_object() && inputs->contains("storages"))
        compile.runInputs = inputs->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (const auto attributes = document.find("before_attrs");
        attributes != document.end() && attributes->is_object())
        compile.runAttributes = attributes->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (const std::string code = stringField(document, "python_source"); !code.empty()) {
        const std::string name = (compile.function.empty() ? "case" : compile.function) + ".py";
        quoteSource(session, name, code);
        compile.userStack.push_back({name, 1, compile.function, session.sources[name].lines[1]});
    }
    session.compiles.push_back(std::move(compile));
    session::Frame frame;
    frame.function = session.compiles.front().function;
    frame.compiles = {0};
    session.frames.push_back(std::move(frame));
    session.ranks = {0};
    task.report("Reading", bytes.size(), bytes.size());
    return session;
}

} // namespace dynascope::capture
