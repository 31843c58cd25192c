// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/alias_rows.h"

#include "core/engine/cases/metadata_compare.h"
#include "views/models/labels.h"
#include "views/models/translate.h"

#include <algorithm>
#include <charconv>

namespace dynascope::views {

namespace {

using ir::NodeIndex;
using passes::aot::InnerIndex;
using passes::aot::InputAliasInfo;
using passes::aot::MutationType;
using passes::aot::OutputType;
using session::Stage;
using Look = TableCell::Look;

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

QString nameOf(const AliasTable& table, NodeIndex node, const QString& otherwise) {
    return node == ir::npos || !table.graph ? otherwise : toQString(table.graph->node(node).name);
}
QString typeOf(const AliasTable& table, NodeIndex node) {
    return node == ir::npos || !table.graph || !table.graph->node(node).meta
               ? QString()
               : toQString(table.graph->node(node).meta->shortForm());
}
QString writesText(const InputAliasInfo& info) {
    QStringList parts;
    if (info.mutatesData) parts << tr("data");
    if (info.mutatesMetadata) parts << tr("geometry");
    if (info.mutatesStorageMetadata) parts << tr("storage");
    if (info.storageResized) parts << tr("resize");
    return parts.isEmpty() ? tr("none") : parts.join(QStringLiteral(", "));
}

TableCell howCell(const InputAliasInfo& info) {
    const auto type = info.mutationType();
    if (!type) return {tr("declined"), Look::Chip, Tone::Warn, toQString(type.error().message)};
    switch (*type) {
    case MutationType::InGraph:
        return {tr("in the graph"), Look::Chip, Tone::Write,
                tr("MUTATED_IN_GRAPH: the graph ends with a copy_ into the input")};
    case MutationType::OutGraph:
        return {tr("by the caller"), Look::Chip, Tone::Write,
                tr("MUTATED_OUT_GRAPH: the new value is an extra output, and the runtime writes it back")};
    case MutationType::NotMutated:
        break;
    }
    return {tr("not written"), Look::Quiet, Tone::None, tr("NOT_MUTATED")};
}

QString inputWhy(const InputAliasInfo& info) {
    const auto type = info.mutationType();
    if (!type || *type == MutationType::NotMutated) return {};
    QStringList parts;
    if (info.mutationsHiddenFromAutograd)
        parts << tr("all writes are hidden from autograd (detach or .data)");
    if (info.mutationsUnderNoGradOrInferenceMode)
        parts << tr("all writes are under no_grad or inference_mode");
    if (*type == MutationType::InGraph && parts.isEmpty())
        parts << tr("its geometry stays and autograd does not see it");
    if (*type == MutationType::OutGraph)
        parts << (!info.keepInputMutations ? tr("the compiler asked for no writes in the graph")
                  : info.requiresGrad      ? tr("autograd has to see the write")
                  : info.mutatesMetadata   ? tr("its geometry changes too")
                                           : tr("it cannot stay in the graph"));
    return parts.join(QStringLiteral("; "));
}

QString gradientText(const InputAliasInfo& info) {
    if (!info.requiresGrad) return info.isLeaf ? QString() : tr("not a leaf");
    return info.isLeaf ? tr("required, leaf") : tr("required");
}

Tone outputTone(OutputType type) {
    switch (type) {
    case OutputType::NonAlias:
        return Tone::None;
    case OutputType::IsInput:
        return Tone::NotWritten;
    default:
        return Tone::View;
    }
}

QString outputMeaning(OutputType type) {
    switch (type) {
    case OutputType::NonAlias:
        return tr("Its own storage: passed on as it is");
    case OutputType::AliasOfInput:
        return tr("A view of an input: the runtime makes it again from the caller's tensor");
    case OutputType::IsInput:
        return tr("The input object itself: the caller's tensor is returned");
    case OutputType::AliasOfIntermediateSaveAsOutput:
        return tr(
            "A view of a value of the graph, which becomes an extra output; the view is made again from it");
    case OutputType::AliasOfIntermediate:
        return tr("A view of a value that is an extra output already; made again from it");
    case OutputType::AliasOfIntermediateBaseIsUserOutput:
        return tr("A view of another output; made again from that");
    case OutputType::UnsafeViewAlias:
        return tr("A view whose base nobody else sees: passed on as it is");
    case OutputType::CustomFunctionView:
        break;
    }
    return tr("A view made by a custom autograd.Function: passed on as it is");
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

QString inputName(const AliasTable& table, std::size_t input) {
    return nameOf(table, input < table.inputs.size() ? table.inputs[input] : ir::npos,
                  tr("input %1").arg(input));
}

QString tangentSubject(const AliasTable& table, const passes::aot::Tangent& tangent) {
    if (const auto* input = std::get_if<passes::aot::MutatedInputTangent>(&tangent))
        return tr("the new value of %1").arg(inputName(table, input->input));
    if (const auto* output = std::get_if<passes::aot::OutputTangent>(&tangent))
        return tr("output %1").arg(output->output);
    return tr("base %1").arg(std::get<passes::aot::IntermediateBaseTangent>(tangent).base);
}

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

AliasTable withDerivedMetadata(AliasTable table, const nlohmann::json& derived) {
    auto read = engine::readGraphMetadata(derived);
    if (!read) return table;
    table.metadata.emplace();
    table.metadata->meta = std::move(*read);
    table.problem.clear();
    placeNodes(table);
    return table;
}

std::vector<TableColumn> inputAliasColumns() {
    return {{tr("No."), tr("Position among the inputs of the traced graph"), 50, true},
            {tr("Input"), tr("Return shows it in the graph"), 190},
            {tr("Type"), {}, 170},
            {tr("Writes"),
             tr("What the function changes of it: its values, its size, stride or offset, its storage"), 120},
            {tr("Written"),
             tr("Who writes it: a copy_ at the end of the graph, or the caller from an extra output"), 130},
            {tr("Gradient"), tr("Whether autograd follows it"), 120},
            {tr("Comes from"), tr("What AOTAutograd took it from; static ones keep their address"), 230},
            {tr("Why"), {}, 360}};
}

std::vector<TableRow> inputAliasRows(const AliasTable& table) {
    std::vector<TableRow> rows;
    if (!table.metadata) return rows;
    const auto& meta = table.metadata->meta;
    for (std::size_t i = 0; i < meta.inputs.size(); ++i) {
        const InputAliasInfo& info = meta.inputs[i];
        const bool fixed = std::binary_search(table.metadata->staticInputs.begin(),
                                              table.metadata->staticInputs.end(), InnerIndex{i});
        QString from =
            table.inputs[i] == ir::npos ? QString() : toQString(table.graph->node(table.inputs[i]).comment);
        if (fixed) from += (from.isEmpty() ? QString() : QStringLiteral(", ")) + tr("static");
        const QString writes = writesText(info);
        const bool any =
            info.mutatesData || info.mutatesMetadata || info.mutatesStorageMetadata || info.storageResized;
        rows.push_back({{QString::number(i), Look::Mono, Tone::None, {}, qulonglong(i)},
                        {inputName(table, i), Look::Mono},
                        {typeOf(table, table.inputs[i]), Look::MonoQuiet},
                        {writes, any ? Look::Text : Look::Quiet, any ? Tone::Write : Tone::None},
                        howCell(info),
                        {gradientText(info), Look::Quiet},
                        {from, Look::MonoQuiet},
                        {inputWhy(info), Look::Quiet}});
    }
    return rows;
}

std::vector<TableColumn> outputAliasColumns() {
    return {{tr("No."), tr("Position among the outputs of the function"), 50, true},
            {tr("Output"), tr("Return shows it in the graph"), 190},
            {tr("Type"), {}, 170},
            {tr("Kind"), tr("What the caller gets: PyTorch's OutputType"), 280},
            {tr("Of"), tr("The input or base that it looks at"), 150},
            {tr("Gradient"), {}, 120},
            {tr("What happens"), {}, 420}};
}

std::vector<TableRow> outputAliasRows(const AliasTable& table) {
    std::vector<TableRow> rows;
    if (!table.metadata) return rows;
    const auto& meta = table.metadata->meta;
    for (std::size_t i = 0; i < meta.outputs.size(); ++i) {
        const auto& info = meta.outputs[i];
        QString of;
        if (info.input)
            of = inputName(table, info.input->value);
        else if (info.base)
            of = info.type == OutputType::AliasOfIntermediateBaseIsUserOutput
                     ? tr("output %1").arg(*info.base)
                     : tr("base %1").arg(*info.base);
        rows.push_back({{QString::number(i), Look::Mono, Tone::None, {}, qulonglong(i)},
                        {nameOf(table, table.outputs[i], tr("output %1").arg(i)), Look::Mono, Tone::None,
                         toQString(info.rawType)},
                        {typeOf(table, table.outputs[i]), Look::MonoQuiet},
                        {toQString(passes::aot::outputTypeName(info.type)), Look::Chip, outputTone(info.type),
                         outputMeaning(info.type)},
                        {of, Look::Mono},
                        {info.requiresGradForBackward ? tr("required")
                         : info.requiresGrad          ? tr("required, not for backward")
                                                      : QString(),
                         Look::Quiet},
                        {outputMeaning(info.type), Look::Quiet}});
    }
    return rows;
}

std::vector<QString> tangentTexts(const AliasTable& table) {
    std::vector<QString> out;
    if (!table.metadata) return out;
    for (const passes::aot::Tangent& tangent : table.metadata->meta.tangents())
        out.push_back(tr("%1: gradient of %2").arg(out.size()).arg(tangentSubject(table, tangent)));
    return out;
}

} // namespace dynascope::views
