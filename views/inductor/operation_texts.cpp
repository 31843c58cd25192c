// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/why_not_fused.h"
#include "views/inductor/schedule_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <map>

namespace dynascope::views {

namespace {

using inductor::Question;
using inductor::Schedule;
using inductor::SchedulerNode;
using Look = TableCell::Look;

QString buffersText(const std::vector<inductor::Access>& accesses) {
    QStringList out;
    for (const inductor::Access& access : accesses)
        if (const QString name = toQString(access.buffer); !out.contains(name)) out << name;
    return out.join(u' ');
}

QString originsText(const SchedulerNode& node) {
    QStringList out;
    for (const inductor::NodeRef& origin : node.origins)
        out << toQString(origin.name);
    return out.join(u' ');
}

/// "pointwise", "reduction", "extern": what a reader knows the classes by.
QString kindText(const SchedulerNode& node) {
    if (!node.data.empty()) return toQString(node.data);
    return toQString(node.ir.empty() ? node.kind : node.ir);
}

const SchedulerNode* operationNamed(const Schedule& schedule, const std::string& name) {
    for (const auto& [id, node] : schedule.nodes)
        if (node.members.empty() && node.name == name) return &node;
    return nullptr;
}

QString list(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << toQString(name);
    return out.join(u' ');
}

Fact questionFact(const inductor::PassRecording& recording, const Question& question) {
    QStringList reasons;
    for (const std::uint32_t reason : question.reasons)
        reasons << toQString(recording.reason(reason));
    if (!question.detail.empty()) reasons << toQString(question.detail);
    QString answer = question.answer == Question::Answer::Yes ? tr("yes") : tr("no");
    if (!reasons.isEmpty()) answer += QStringLiteral(": ") + reasons.join(QStringLiteral("; "));
    if (question.times > 1) answer += tr(", %1 times").arg(question.times);
    return fact(tr("Round %1").arg(question.round),
                {mono(tr("%1 with %2").arg(toQString(question.nameA), toQString(question.nameB))),
                 quiet(QStringLiteral(" ")), text(answer)});
}

void addElsewhere(Section& section, const Schedule& schedule, const std::string& name,
                  const std::vector<std::size_t>& fusions) {
    for (const std::size_t number : fusions) {
        const inductor::Fusion& fusion = schedule.fusions[number - 1];
        section.facts.push_back(fact(
            tr("Fusion %1").arg(number),
            {text(tr("took %1: ").arg(toQString(name))),
             mono(tr("%1 with %2")
                      .arg(list(schedule.operationsOf(fusion.a)), list(schedule.operationsOf(fusion.b))))}));
    }
}

} // namespace

std::vector<TableColumn> operationColumns() {
    return {
        {tr("Kernel so far"), tr("Operations that the fusions so far made one, and the last of them"), 110},
        {tr("Operation"), tr("As the scheduler calls it"), 80},
        {tr("Kind"), tr("What its loop computes, or the class of a call of PyTorch's own kernels"), 150},
        {tr("Reads"), tr("Buffers and inputs"), 220},
        {tr("Writes"), tr("Buffers"), 110},
        {tr("From nodes"), tr("Of the post-grad graph"), 300}};
}

std::vector<TableRow> operationRows(const Schedule& schedule, std::size_t fusions,
                                    std::vector<std::string>& names) {
    std::map<std::string, const SchedulerNode*> byName;
    for (const auto& [id, node] : schedule.nodes)
        if (node.members.empty()) byName.emplace(node.name, &node);
    std::vector<TableRow> out;
    for (const inductor::FusionGroup& group : inductor::groupsAfter(schedule, fusions)) {
        const bool isNew = group.fusion != 0 && group.fusion == fusions;
        for (std::size_t i = 0; i < group.operations.size(); ++i) {
            const std::string& name = group.operations[i];
            const SchedulerNode& node = *byName.at(name);
            TableCell kernel;
            if (group.operations.size() > 1)
                kernel = {(i == 0                            ? QStringLiteral("┌ ")
                           : i + 1 < group.operations.size() ? QStringLiteral("│ ")
                                                             : QStringLiteral("└ ")) +
                              (i == 0 ? tr("fusion %1").arg(group.fusion) : QString()),
                          isNew ? Look::Strong : Look::Quiet};
            names.push_back(name);
            out.push_back({kernel,
                           {toQString(name), Look::Mono},
                           {kindText(node), Look::Text, Tone::None, toQString(node.kind)},
                           {buffersText(node.reads), Look::MonoQuiet},
                           {buffersText(node.writes), Look::Mono},
                           {originsText(node), Look::MonoQuiet}});
        }
    }
    return out;
}

Facts operationFacts(const Schedule& schedule, const std::string& operation) {
    Facts out;
    out.title = toQString(operation);
    const SchedulerNode* node = operationNamed(schedule, operation);
    if (node == nullptr) return out;
    out.subtitle = {quiet(originsText(*node))};
    Section what;
    what.title = tr("Operation");
    const auto add = [&what](const QString& label, const std::string& value, const QString& tip = {}) {
        if (!value.empty()) what.facts.push_back(fact(label, {mono(toQString(value))}, tip));
    };
    add(tr("Class"), node->kind);
    add(tr("Buffer"), node->ir);
    add(tr("Loop"), node->data);
    add(tr("Loops"), node->group, tr("Device and sizes by which the scheduler groups loops"));
    add(tr("Device"), node->device);
    for (const auto& [label, accesses] :
         {std::pair(tr("Reads"), &node->reads), std::pair(tr("Writes"), &node->writes)})
        for (const inductor::Access& access : *accesses)
            what.facts.push_back(fact(
                label, {mono(toQString(access.buffer)),
                        quiet(access.index.empty()
                                  ? QString()
                                  : QStringLiteral(" [") + toQString(access.index) + QStringLiteral("]"))}));
    for (const SchedulerNode::Output& output : node->outputs)
        what.facts.push_back(fact(
            tr("Output"), {mono(toQString(output.name)), quiet(QStringLiteral(" ") + toQString(output.dtype)),
                           text(output.bytes ? QStringLiteral(" ") + bytesText(*output.bytes) : QString())}));
    what.facts.push_back(
        paragraph({quiet(tr("Ctrl and a click on another operation tells why the two are not fused."))}));
    out.sections.push_back(std::move(what));
    return out;
}

Facts whyFacts(const inductor::PassRecording& recording, const Schedule& schedule, const std::string& a,
               const std::string& b) {
    const inductor::WhyNotFused told = inductor::whyNotFused(schedule, a, b);
    Facts out;
    out.title = tr("%1 with %2").arg(toQString(a), toQString(b));
    out.chip = told.kernel.empty() ? tr("not fused") : tr("one kernel");
    out.chipTone = told.kernel.empty() ? QStringLiteral("removed") : QStringLiteral("added");
    if (!told.kernel.empty()) out.subtitle = {mono(toQString(told.kernel))};
    Section answers;
    answers.title = tr("What PyTorch answered");
    for (const Question* question : told.questions)
        answers.facts.push_back(questionFact(recording, *question));
    if (answers.facts.empty())
        answers.facts.push_back(paragraph({quiet(tr("The scheduler was asked nothing about these two."))}));
    out.sections.push_back(std::move(answers));
    Section differ;
    differ.title = tr("What tells them apart");
    if (!told.between.empty())
        differ.facts.push_back(
            fact(tr("In between"), {mono(list(told.between))},
                 tr("They need what the one writes, and the other needs what they write: fused, the "
                    "two would wait for each other.")));
    for (const std::string& apart : told.apart)
        differ.facts.push_back(paragraph({text(toQString(apart))}));
    differ.facts.push_back(
        told.shared.empty()
            ? paragraph({text(tr("No buffer is read or written by both."))})
            : fact(tr("Shared"), {mono(list(told.shared))}, tr("Buffers that both read or write")));
    out.sections.push_back(std::move(differ));
    Section elsewhere;
    elsewhere.title = tr("Taken elsewhere");
    addElsewhere(elsewhere, schedule, a, told.fusionsA);
    addElsewhere(elsewhere, schedule, b, told.fusionsB);
    if (!elsewhere.facts.empty()) out.sections.push_back(std::move(elsewhere));
    return out;
}

} // namespace dynascope::views
