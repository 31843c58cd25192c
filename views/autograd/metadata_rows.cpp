// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/metadata_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using engine::MetadataField;
using ir::NodeIndex;
using passes::aot::InnerIndex;
using Meta = passes::aot::ViewAndMutationMeta<InnerIndex>;
using Part = MetadataRow::Part;

Part partOf(MetadataField::Of of) {
    return of == MetadataField::Of::Input    ? Part::Input
           : of == MetadataField::Of::Output ? Part::Output
                                             : Part::Graph;
}

NodeIndex at(const std::vector<NodeIndex>& nodes, std::size_t index) {
    return index < nodes.size() ? nodes[index] : ir::npos;
}

/// What the traced graph returns, by place; npos for what is no node.
std::vector<NodeIndex> returned(const computed::AliasTable& table) {
    std::vector<NodeIndex> out;
    if (!table.graph || table.graph->size() == 0) return out;
    const ir::Node& last = *table.graph->nodes().back();
    if (last.op != ir::Op::Output || last.args.empty()) return out;
    for (const ir::Argument& item : last.args.front().items)
        out.push_back(item.isNode() ? table.graph->find(item.text) : ir::npos);
    return out;
}

std::vector<QString> outputOrder(const computed::AliasTable& table, const Meta& meta) {
    std::vector<QString> out;
    for (const InnerIndex input : meta.inputsOf(passes::aot::MutationType::OutGraph))
        out.push_back(tr("new value of %1").arg(inputName(table, input.value)));
    for (std::size_t i = 0; i < meta.outputs.size(); ++i)
        out.push_back(tr("output %1").arg(i));
    for (std::size_t i = 0; i < meta.intermediateBases; ++i)
        out.push_back(tr("base %1").arg(i));
    return out;
}

std::vector<QString> tangents(const computed::AliasTable& table, const Meta& meta) {
    std::vector<QString> out;
    for (const passes::aot::Tangent& tangent : meta.tangents())
        out.push_back(tr("gradient of %1").arg(tangentSubject(table, tangent)));
    return out;
}

QString ofText(const MetadataRow& row) {
    switch (row.part) {
    case Part::Input:
        return tr("input %1").arg(row.index);
    case Part::Output:
        return tr("output %1").arg(row.index);
    case Part::Tangent:
        return tr("tangent %1").arg(row.index);
    case Part::OutputOrder:
        return tr("result %1").arg(row.index);
    case Part::Graph:
        break;
    }
    return tr("graph");
}

struct Known {
    const char *field, *meaning;
};
constexpr Known meanings[] = {
    {"mutates_data", "The function changes its values"},
    {"mutates_metadata", "Its size, stride or offset differ after the call"},
    {"mutates_storage_metadata", "set_ gives it another storage"},
    {"mutations_hidden_from_autograd",
     "All its writes go through detach or .data; true where there are none"},
    {"mutations_under_no_grad_or_inference_mode", "All its writes are under no_grad or inference_mode"},
    {"is_leaf", "A leaf of autograd, such as a parameter"},
    {"requires_grad", "Autograd follows it"},
    {"requires_grad_for_backward", "Backward is given a gradient of it"},
    {"keep_input_mutations", "The compiler asked for writes in the graph"},
    {"mutation_type", "Who writes it: nobody, a copy_ at the end of the graph, or the caller"},
    {"output_type", "What the caller gets: a value of its own, an input, or a view that is regenerated"},
    {"base_idx", "The input, output or intermediate base that it aliases"},
    {"raw_type", "Python's class of it while it was traced"},
    {"input_info", "How many inputs there are"},
    {"output_info", "How many outputs there are"},
    {"num_intermediate_bases", "Values that are returned only because outputs are views of them"},
    {"mutated_inp_runtime_indices", "Inputs that the caller writes back"},
    {"mutated_graph_handled_indices", "Inputs that the graph itself writes"},
    {"aliased_out_indices", "Outputs that the runtime regenerates from another tensor"},
    {"num_traced_tangents", "Gradients that backward is given"},
};

} // namespace

std::vector<MetadataRow> metadataRows(const computed::AliasTable& table,
                                      const computed::MetadataComparison& compared) {
    std::vector<MetadataRow> out;
    for (const MetadataField& field : compared.fields) {
        const Part part = partOf(field.of);
        out.push_back({part, field.index, toQString(field.name), toQString(field.captured),
                       toQString(field.derived),
                       part == Part::Input    ? at(table.inputs, field.index)
                       : part == Part::Output ? at(table.outputs, field.index)
                                              : ir::npos});
    }
    const Meta& captured = table.metadata->meta;
    const Meta& got = compared.derived;
    const auto lists = [&](Part part, const QString& field, const std::vector<QString>& want,
                           const std::vector<QString>& have, auto nodeOf) {
        for (std::size_t i = 0; i < std::max(want.size(), have.size()); ++i)
            out.push_back({part, i, field, i < want.size() ? want[i] : QString(),
                           i < have.size() ? have[i] : QString(), nodeOf(i)});
    };
    std::vector<NodeIndex> given; // placeholders behind the inputs
    if (table.graph)
        for (NodeIndex i = 0; i < table.graph->size(); ++i)
            if (table.graph->node(i).op == ir::Op::Placeholder) given.push_back(i);
    lists(Part::Tangent, QStringLiteral("traced_tangents"), tangents(table, captured), tangents(table, got),
          [&](std::size_t i) { return at(given, captured.inputs.size() + i); });
    lists(Part::OutputOrder, tr("place"), outputOrder(table, captured), outputOrder(table, got),
          [results = returned(table)](std::size_t i) { return at(results, i); });
    return out;
}

QString metadataMeaning(const MetadataRow& row) {
    if (row.part == Part::Tangent) return tr("What backward is given in this place");
    if (row.part == Part::OutputOrder) return tr("What the graph returns in this place");
    for (const Known& known : meanings)
        if (row.field == QLatin1String(known.field)) return tr(known.meaning);
    return {};
}

std::vector<TableColumn> metadataColumns() {
    return {
        {QString(), tr("Whether both say the same"), 90},
        {tr("Of"), tr("Which input, output, tangent or place among the graph's outputs"), 90},
        {tr("Node"), tr("A click shows it in the traced graph"), 180},
        {tr("Field"), tr("As ViewAndMutationMeta names it; a click shows its node in the traced graph"), 290},
        {tr("Captured"), tr("What PyTorch recorded"), 210},
        {tr("Derived"), tr("What the engine worked out from Dynamo's graph"), 210},
        {tr("What it says"), {}, 420}};
}

std::vector<TableRow> metadataCells(const computed::AliasTable& table, const std::vector<MetadataRow>& rows) {
    using Look = TableCell::Look;
    std::vector<TableRow> out;
    for (const MetadataRow& row : rows) {
        const bool linked = row.node != ir::npos && table.graph;
        const auto value = [&](const QString& text) -> TableCell {
            return {text.isEmpty() ? tr("none") : text, text.isEmpty() ? Look::Quiet : Look::Mono,
                    row.same() || row.alone ? Tone::None : Tone::Warn};
        };
        const QString tip = row.part == Part::Tangent && row.index < table.metadata->tangents.size()
                                ? toQString(table.metadata->tangents[row.index])
                                : QString();
        out.push_back(
            {row.alone ? TableCell{tr("derived"), Look::Quiet, Tone::None, tr("The capture does not say it")}
             : row.same() ? TableCell{QStringLiteral("="), Look::Quiet, Tone::None, tr("Both say the same")}
                          : TableCell{tr("~ differs"), Look::Chip, Tone::Warn, {}},
             {ofText(row), Look::Text, Tone::None, {}, qulonglong(out.size())},
             {linked ? toQString(table.graph->node(row.node).name) : QString(), Look::Link},
             {row.field, linked ? Look::Link : Look::Mono},
             value(row.captured),
             value(row.derived),
             {metadataMeaning(row), Look::Quiet}});
        if (!tip.isEmpty()) out.back()[std::size_t(MetadataColumn::Captured)].toolTip = tip;
    }
    return out;
}

} // namespace dynascope::views
