// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/alias_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using ir::NodeIndex;
using passes::aot::InnerIndex;
using passes::aot::InputAliasInfo;
using passes::aot::MutationType;
using passes::aot::OutputType;
using Look = TableCell::Look;

QString nameOf(const computed::AliasTable& table, NodeIndex node, const QString& otherwise) {
    return node == ir::npos || !table.graph ? otherwise : toQString(table.graph->node(node).name);
}
QString typeOf(const computed::AliasTable& table, NodeIndex node) {
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
        return tr("A view of an input: the runtime regenerates it from the caller's tensor");
    case OutputType::IsInput:
        return tr("The input object itself: the caller's tensor is returned");
    case OutputType::AliasOfIntermediateSaveAsOutput:
        return tr(
            "A view of a value of the graph, which becomes an extra output; the view is regenerated from it");
    case OutputType::AliasOfIntermediate:
        return tr("A view of a value that is an extra output already; regenerated from it");
    case OutputType::AliasOfIntermediateBaseIsUserOutput:
        return tr("A view of another output; regenerated from that");
    case OutputType::UnsafeViewAlias:
        return tr("A view whose base nobody else sees: passed on as it is");
    case OutputType::CustomFunctionView:
        break;
    }
    return tr("A view made by a custom autograd.Function: passed on as it is");
}

} // namespace

QString inputName(const computed::AliasTable& table, std::size_t input) {
    return nameOf(table, input < table.inputs.size() ? table.inputs[input] : ir::npos,
                  tr("input %1").arg(input));
}

QString tangentSubject(const computed::AliasTable& table, const passes::aot::Tangent& tangent) {
    if (const auto* input = std::get_if<passes::aot::MutatedInputTangent>(&tangent))
        return tr("the new value of %1").arg(inputName(table, input->input));
    if (const auto* output = std::get_if<passes::aot::OutputTangent>(&tangent))
        return tr("output %1").arg(output->output);
    return tr("base %1").arg(std::get<passes::aot::IntermediateBaseTangent>(tangent).base);
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

std::vector<TableRow> inputAliasRows(const computed::AliasTable& table) {
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
            {tr("Of"), tr("The input or base that it aliases"), 150},
            {tr("Gradient"), {}, 120},
            {tr("What happens"), {}, 420}};
}

std::vector<TableRow> outputAliasRows(const computed::AliasTable& table) {
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

std::vector<QString> tangentTexts(const computed::AliasTable& table) {
    std::vector<QString> out;
    if (!table.metadata) return out;
    for (const passes::aot::Tangent& tangent : table.metadata->meta.tangents())
        out.push_back(tr("%1: gradient of %2").arg(out.size()).arg(tangentSubject(table, tangent)));
    return out;
}

} // namespace dynascope::views
