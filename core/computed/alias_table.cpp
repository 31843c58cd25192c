// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/alias_table.h"

#include <algorithm>
#include <charconv>

namespace dynascope::computed {

namespace {

using ir::NodeIndex;
using passes::aot::MutationType;
using session::Stage;

/// Index of the compile's last record of metadata; SIZE_MAX where there is none.
std::size_t metadataRecord(const session::Session& session, const session::Compile& compile) {
    for (auto record = compile.records.rbegin(); record != compile.records.rend(); ++record)
        if (*record < session.records.size() &&
            session.records.type(*record) == "artifact:aot_forward_graph_fw_metadata")
            return *record;
    return SIZE_MAX;
}

/// The graph that was traced: its inputs are those of the metadata, tangents behind them.
session::StagePtr tracedStage(const session::Compile& compile) {
    session::StagePtr out;
    for (const session::StagePtr& stage : compile.stages)
        if (stage->content == Stage::Content::Graph &&
            (stage->name == "aot_inference_graph" || stage->name == "aot_joint_graph"))
            out = stage;
    return out;
}

/// Where the user's outputs stand among those of the graph: by their descriptions, else behind the new values
/// of inputs.
std::vector<NodeIndex> userOutputs(const ir::Graph& graph, const passes::aot::CapturedMetadata& metadata) {
    std::vector<NodeIndex> out(metadata.meta.outputs.size(), ir::npos);
    if (graph.size() == 0 || graph.nodes().back()->op != ir::Op::Output) return out;
    const ir::Node& result = *graph.nodes().back();
    std::vector<std::string> names;
    if (!result.args.empty())
        for (const ir::Argument& item : result.args.front().items)
            names.push_back(item.isNode() ? item.text : std::string());
    const auto place = [&](std::size_t user, std::size_t position) {
        if (user < out.size() && position < names.size() && !names[position].empty())
            out[user] = graph.find(names[position]);
    };
    const std::size_t before = metadata.meta.inputsOf(MutationType::OutGraph).size();
    for (std::size_t i = 0; i < out.size(); ++i)
        place(i, before + i);
    constexpr std::string_view key = "PlainAOTOutput(idx=";
    std::size_t position = 0;
    for (std::size_t at = 0; at < result.comment.size(); ++position) {
        const std::size_t end = std::min(result.comment.find('\n', at), result.comment.size());
        const std::string_view line = std::string_view(result.comment).substr(at, end - at);
        std::size_t user = 0;
        if (line.starts_with(key) &&
            std::from_chars(line.data() + key.size(), line.data() + line.size(), user).ec == std::errc())
            place(user, position);
        at = end + 1;
    }
    return out;
}

/// Where inputs and outputs stand in the traced graph.
void placeNodes(AliasTable& out) {
    out.inputs.assign(out.metadata->meta.inputs.size(), ir::npos);
    if (out.graph) {
        std::size_t next = 0;
        for (NodeIndex i = 0; i < out.graph->size() && next < out.inputs.size(); ++i)
            if (out.graph->node(i).op == ir::Op::Placeholder) out.inputs[next++] = i;
        out.outputs = userOutputs(*out.graph, *out.metadata);
    } else {
        out.outputs.assign(out.metadata->meta.outputs.size(), ir::npos);
    }
}

} // namespace

bool hasMetadata(const session::Session& session, const session::Compile& compile) {
    return metadataRecord(session, compile) != SIZE_MAX;
}

AliasTable aliasTable(const session::Session& session, std::size_t index) {
    AliasTable out;
    const session::Compile& compile = session.compiles[index];
    out.stage = tracedStage(compile);
    if (out.stage)
        if (const auto graph = out.stage->graph()) out.graph = *graph;
    const std::size_t record = metadataRecord(session, compile);
    if (record == SIZE_MAX) {
        out.problem = "the capture has no ViewAndMutationMeta of this compile";
        return out;
    }
    auto read = passes::aot::readMetadataText(session.records[record].payload.text());
    if (!read) {
        out.problem = "the metadata cannot be read: " + read.error().message;
        return out;
    }
    out.metadata = std::move(*read);
    placeNodes(out);
    return out;
}

AliasTable withDerivedMetadata(AliasTable table, const engine::RederivedStage& derived) {
    auto read = engine::readGraphMetadata(derived.metadata);
    if (!read) return table;
    table.metadata.emplace();
    table.metadata->meta = std::move(*read);
    table.problem.clear();
    placeNodes(table);
    return table;
}

MetadataComparison compareMetadata(const AliasTable& table, const engine::RederivedStage& derived) {
    MetadataComparison out{engine::metadataFields(*table.metadata, derived.metadata), {}};
    if (auto read = engine::readGraphMetadata(derived.metadata)) out.derived = std::move(*read);
    return out;
}

std::string mutationWords(const AliasTable& table, const engine::RederivedStage& derived) {
    return table.graph ? engine::mutationWords(derived.metadata, *table.graph) : std::string();
}

} // namespace dynascope::computed
