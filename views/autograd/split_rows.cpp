// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/split_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using Look = TableCell::Look;

constexpr std::size_t mostReaders = 40;

QString whatText(const computed::CutValue& value) {
    return value.recomputed        ? tr("recomputed")
           : !value.packed.empty() ? tr("packed")
           : value.input           ? tr("input")
                                   : tr("saved");
}
Tone whatTone(const computed::CutValue& value) {
    return value.recomputed ? Tone::Recorded : value.input ? Tone::NotWritten : Tone::Saved;
}
QString whatMeaning(const computed::CutValue& value) {
    if (value.recomputed) return tr("Forward drops it, and backward recomputes it from what is saved");
    if (!value.packed.empty())
        return tr("A saved-tensors hook packs it at the end of forward: what it makes is kept until backward "
                  "has unpacked it");
    if (value.input)
        return tr("An input of forward: backward reads it where it is, so it costs no memory of its own");
    return value.donated
               ? tr("Forward keeps it until backward has read it; backward may then reuse its memory")
               : tr("Forward keeps it until backward has read it");
}

/// "f32[4, 6] → f8e4m3fn[4, 6]" where a hook packs it.
QString typeText(const ir::Node* node, const computed::CutValue& value) {
    QString out = node && node->meta ? toQString(node->meta->shortForm()) : QString();
    if (!value.packed.empty()) out += QStringLiteral(" → ") + toQString(value.packed);
    return out;
}

QString readersText(const computed::JointSplit& split, const computed::CutValue& value) {
    QStringList names;
    for (std::size_t i = 0; i < std::min(value.backwardRows.size(), mostReaders); ++i)
        names << shownName(split.backward, split.backward.rows[value.backwardRows[i]]);
    if (value.backwardRows.size() > mostReaders)
        names << tr("%1 more").arg(value.backwardRows.size() - mostReaders);
    return names.join(QStringLiteral(", "));
}

Fact sideFact(const QString& name, const computed::CutSide& side, bool byInductor) {
    if (!side.isomorphic) return fact(name, {quiet(tr("the capture has no graph to compare with"))});
    if (*side.isomorphic)
        return fact(name, {strong(tr("isomorphic"))}, tr("The same as the graph that PyTorch made"));
    if (byInductor)
        return fact(name, {strong(tr("declined")),
                           text(tr(": Inductor's passes changed the joint graph before it was split. First "
                                   "difference: %1")
                                    .arg(toQString(side.difference)))});
    return fact(name, {strong(tr("different")), text(QStringLiteral(": ") + toQString(side.difference))});
}

QString valueName(const computed::JointSplit& split, const computed::CutValue& value) {
    return makerOf(split, value) ? shownName(split.forward, split.forward.rows[value.forwardRow])
                                 : toQString(value.node);
}

/// What makes it; of an input that has the program's name, the graph's.
QString madeBy(const ir::Node& node, const QString& shown) {
    const QString name = toQString(node.name);
    return name == shown ? toQString(ir::shortTarget(node.target)) : tr("input %1 of the graph").arg(name);
}

} // namespace

QString shownName(const computed::CutSide& side, ir::NodeIndex node) {
    const bool known = node < side.names.size() && !side.names[node].empty();
    return toQString(known ? side.names[node] : side.graph->node(node).name);
}

const ir::Node* makerOf(const computed::JointSplit& split, const computed::CutValue& value) {
    return value.forwardRow < split.forward.rows.size()
               ? &split.forward.graph->node(split.forward.rows[value.forwardRow])
               : nullptr;
}

std::vector<TableColumn> valueColumns() {
    return {{tr("Value"), tr("A value of forward that backward needs. Return shows it in the joint graph"),
             240, false, 176},
            {tr("Bytes"), tr("Sizes that are symbols count with the values they had"), 100, true, 72},
            {tr("What"), tr("Whether forward keeps it, or backward recomputes it"), 140, false, 100},
            {tr("Type"), {}, 170, false, 104},
            {tr("Why"), tr("The partitioner's reason"), 320, false, 220},
            {tr("Readers"), tr("How many nodes of backward read it"), 80, true, 72},
            {tr("Line"), tr("That makes it; a link"), 130, false, 90}};
}

std::vector<TableRow> valueRows(const computed::JointSplit& split) {
    std::int64_t most = 1;
    for (const computed::CutValue& value : split.values)
        most = std::max(most, value.bytes);
    std::vector<TableRow> rows;
    for (const computed::CutValue& value : split.values) {
        const ir::Node* node = makerOf(split, value);
        const ir::SourceLocation* at = node ? node->location() : nullptr;
        const QString name = valueName(split, value);
        rows.push_back({{name, Look::Mono, Tone::None, node ? madeBy(*node, name) : QString()},
                        {bytesText(qulonglong(value.bytes)),
                         Look::Mono,
                         whatTone(value),
                         {},
                         qlonglong(value.bytes),
                         double(value.bytes) / double(most)},
                        {whatText(value), Look::Chip, whatTone(value), whatMeaning(value)},
                        {typeText(node, value), Look::MonoQuiet},
                        {toQString(value.why), Look::Text},
                        {QString::number(value.backwardRows.size()), Look::Mono, Tone::None,
                         readersText(split, value), qulonglong(value.backwardRows.size())},
                        {at ? placeText(*at) : QString(), Look::Link, Tone::None,
                         at ? toQString(at->code) : QString()}});
    }
    return rows;
}

Facts valueFacts(const computed::JointSplit& split, std::size_t index) {
    const computed::CutValue& value = split.values[index];
    const ir::Node* node = makerOf(split, value);
    Facts facts;
    facts.title = valueName(split, value);
    facts.chip = whatText(value);
    facts.chipTone = value.recomputed ? QStringLiteral("added")
                     : value.input    ? QString()
                                      : QStringLiteral("accent");
    facts.subtitle = {mono(bytesText(qulonglong(value.bytes)))};
    if (node && node->meta)
        facts.subtitle.push_back({u' ' + typeText(node, value), Token::Look::MonoQuiet, {}, {}});
    Section why;
    why.title = tr("Why");
    why.facts = {paragraph({text(toQString(value.why))}), paragraph({quiet(whatMeaning(value))})};
    facts.sections.push_back(std::move(why));
    Section made;
    made.title = tr("Made by");
    if (node) {
        const QString target = node->op == ir::Op::Placeholder ? tr("an input of the graph")
                                                               : toQString(ir::shortTarget(node->target));
        made.facts.push_back(
            paragraph({monoLink(toQString(node->name), QStringLiteral("forward:%1").arg(value.forwardRow)),
                       quiet(QStringLiteral("  ") + target)}));
        if (node->stack)
            for (Fact& frame : stackFacts(*node->stack))
                made.facts.push_back(std::move(frame));
    } else {
        made.facts.push_back(paragraph({quiet(tr("Forward has no such node."))}));
    }
    facts.sections.push_back(std::move(made));
    Section readers;
    readers.title = tr("Read by");
    readers.chip = QString::number(value.backwardRows.size());
    for (std::size_t i = 0; i < std::min(value.backwardRows.size(), mostReaders); ++i) {
        const ir::Node& reader = split.backward.graph->node(split.backward.rows[value.backwardRows[i]]);
        readers.facts.push_back(paragraph(
            {monoLink(toQString(reader.name), QStringLiteral("backward:%1").arg(value.backwardRows[i])),
             {QStringLiteral("  ") + toQString(ir::shortTarget(reader.target)),
              Token::Look::MonoQuiet,
              {},
              {}}}));
    }
    if (value.backwardRows.size() > mostReaders)
        readers.facts.push_back(
            paragraph({quiet(tr("and %1 more").arg(value.backwardRows.size() - mostReaders))}));
    if (value.backwardRows.empty())
        readers.facts.push_back(paragraph({quiet(tr("No node of backward: it is one of its results."))}));
    facts.sections.push_back(std::move(readers));
    return facts;
}

std::uint64_t backwardPeak(const computed::JointSplit& split) {
    return split.backward.peakBytes + std::uint64_t(split.savedBytes - split.inputBytes);
}

Facts splitFacts(const computed::JointSplit& split) {
    Facts facts;
    facts.title = tr("Nothing selected");
    facts.subtitle = {quiet(tr("Select a value that crosses the cut"))};
    Section verdict;
    verdict.title = tr("Against PyTorch's own graphs");
    verdict.facts = {sideFact(tr("Forward"), split.forward, split.byInductor),
                     sideFact(tr("Backward"), split.backward, split.byInductor)};
    facts.sections.push_back(std::move(verdict));
    Section memory;
    memory.title = tr("Memory, an estimate");
    memory.facts = {fact(tr("As one graph"), {mono(bytesText(split.jointPeakBytes))},
                         tr("Peak if the joint graph ran as a whole, without its inputs")),
                    fact(tr("Forward"), {mono(bytesText(split.forward.peakBytes))},
                         tr("Peak while forward runs, saved values included")),
                    fact(tr("Backward"),
                         {mono(bytesText(backwardPeak(split))),
                          quiet(tr(" at most: %1 of its own, %2 saved for it")
                                    .arg(bytesText(split.backward.peakBytes),
                                         bytesText(qulonglong(split.savedBytes - split.inputBytes))))},
                         tr("Peak while backward runs, with everything that was saved held to the end")),
                    fact(tr("Between"), {mono(bytesText(qulonglong(split.savedBytes - split.inputBytes)))},
                         split.hooked
                             ? tr("What is held from forward to backward, as the saved-tensors hooks "
                                  "pack it, inputs not counted")
                             : tr("What is held from forward to backward, inputs not counted"))};
    facts.sections.push_back(std::move(memory));
    if (!split.hooks.empty()) {
        Section hooks;
        hooks.title = tr("Saved-tensors hooks");
        hooks.facts.push_back(paragraph({text(toQString(split.hooks))}));
        facts.sections.push_back(std::move(hooks));
    }
    if (!split.warnings.empty()) {
        Section warnings;
        warnings.title = tr("Warnings of the partitioner");
        for (const std::string& warning : split.warnings)
            warnings.facts.push_back(paragraph({text(toQString(warning))}));
        facts.sections.push_back(std::move(warnings));
    }
    return facts;
}

} // namespace dynascope::views
