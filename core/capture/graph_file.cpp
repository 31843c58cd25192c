// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/graph_file.h"

#include "core/ir/text.h"
#include "core/session/utf8.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace dynascope::capture {

namespace {

using session::Phase;

Phase phaseOfTitle(std::string_view title) {
    std::string lower(title);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (lower.find("joint") != std::string::npos) return Phase::Joint;
    if (lower.find("backward") != std::string::npos) return Phase::Backward;
    if (lower.find("forward") != std::string::npos) return Phase::Forward;
    if (lower.find("inference") != std::string::npos) return Phase::Inference;
    if (lower.find("exportedprogram") != std::string::npos) return Phase::Export;
    if (lower.find("compiled_fn") != std::string::npos) return Phase::Dynamo;
    return Phase::Text;
}

/// "primals_12" of "primals_".
bool isNumbered(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
    name.remove_prefix(prefix.size());
    return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Whether the first result is computed from tangents. That of a joint graph is the forward's, that of a
/// backward graph a gradient.
bool beginsWithGradient(const ir::Graph& graph) {
    std::vector<bool> fromTangents(graph.size());
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        const std::span<const ir::NodeIndex> inputs = graph.inputs(i);
        if (node.op == ir::Op::Output) return !inputs.empty() && fromTangents[inputs.front()];
        fromTangents[i] =
            isNumbered(node.name, "tangents_") ||
            std::ranges::any_of(inputs, [&](ir::NodeIndex input) { return fromTangents[input]; });
    }
    return false;
}

/// What the names of its inputs tell of a graph: AOTAutograd's of training are primals and tangents,
/// torch.export's p_ parameters, b_ buffers and c_ constants, Dynamo's are paths from L. Text where they tell
/// nothing.
Phase phaseOfInputs(const ir::Graph& graph) {
    bool primals = false, tangents = false, exported = false, dynamo = false, torchLevel = false;
    for (const ir::NodePtr& node : graph.nodes()) {
        torchLevel |= node->op == ir::Op::CallModule || node->op == ir::Op::CallMethod;
        if (node->op != ir::Op::Placeholder) continue;
        const std::string_view name = node->name;
        primals |= isNumbered(name, "primals_");
        tangents |= isNumbered(name, "tangents_");
        dynamo |= name.starts_with("l_") || name.starts_with("L_");
        exported |= name.starts_with("p_") || name.starts_with("b_") || name.starts_with("c_");
    }
    if (tangents) return beginsWithGradient(graph) ? Phase::Backward : Phase::Joint;
    if (primals) return Phase::Forward;
    if (dynamo) return Phase::Dynamo;
    return exported && !torchLevel ? Phase::Export : Phase::Text;
}

} // namespace

void quoteStacks(session::Session& session, const ir::Graph& graph) {
    const ir::StackTrace* last = nullptr;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (!node->stack || node->stack.get() == last) continue;
        last = node->stack.get();
        for (const ir::SourceLocation& at : *node->stack) {
            if (at.code.empty() || at.line == 0) continue;
            session::SourceFile& file = session.sources[at.file];
            file.path = at.file;
            file.lines.try_emplace(at.line, at.code);
        }
    }
}

Result<session::Session> readGraphFile(const session::ByteSourcePtr& source, const std::string& label,
                                       const TaskContext& task) {
    task.report("Reading", 0, source->bytes().size());
    std::string clean;
    std::string_view text = source->bytes();
    session::Session session;
    session::ByteSourcePtr readable = source;
    if (!session::isUtf8(text)) {
        readable = nullptr;
        clean = session::toValidUtf8(text);
        text = clean;
        session.warnings.push_back(
            {Error{"text is not UTF-8; bad bytes are shown as U+FFFD", label, 0, 0}, SIZE_MAX});
    }
    ir::PastedGraphs found = ir::readPasted(text);
    if (found.graphs.empty()) {
        Error error = found.problems.empty() ? Error{"neither a TORCH_TRACE log nor graph text"}
                                             : std::move(found.problems.front());
        error.file = label;
        return tl::unexpected(std::move(error));
    }
    for (Error& problem : found.problems) {
        problem.file = label;
        session.warnings.push_back({std::move(problem), SIZE_MAX});
    }

    std::vector<std::size_t> lineStarts = {0};
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        lineStarts.push_back(at + 1);
    lineStarts.push_back(text.size());

    session.kind = found.graphs.front().graph->style().form == ir::TextStyle::Form::Fx
                       ? session::Kind::FxText
                       : session::Kind::ReadableText;
    session::Compile compile;
    compile.status = session::Status::Compiled;
    if (!readable) readable = source;
    std::map<std::string, int> counts;
    for (ir::FoundGraph& item : found.graphs) {
        auto stage = std::make_shared<session::Stage>();
        stage->name = item.title.empty() ? "graph" : item.title;
        stage->k = counts[stage->name]++;
        stage->phase = phaseOfTitle(stage->name);
        if (stage->phase == Phase::Text) stage->phase = phaseOfInputs(*item.graph);
        stage->line = item.firstLine;
        const std::size_t lastLine = lineStarts.size() - 1;
        const std::size_t first =
            lineStarts[std::min(item.firstLine == 0 ? 0 : item.firstLine - 1, lastLine)];
        const std::size_t end = lineStarts[std::min(item.lastLine, lastLine)];
        stage->payload = {readable, first, end > first ? end - first : 0, false};
        quoteStacks(session, *item.graph);
        stage->setGraph(std::move(item.graph));
        compile.stages.push_back(std::move(stage));
    }
    if (std::all_of(compile.stages.begin(), compile.stages.end(),
                    [](const session::StagePtr& stage) { return stage->phase == Phase::Export; }))
        compile.status = session::Status::Exported;
    session.compiles.push_back(std::move(compile));
    session::Frame frame;
    frame.compiles = {0};
    session.frames.push_back(std::move(frame));
    session.ranks = {0};
    task.report("Reading", text.size(), text.size());
    return session;
}

} // namespace dynascope::capture
