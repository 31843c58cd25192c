// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/pass_texts.h"
#include "views/inductor/schedule_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using inductor::Question;
using inductor::Schedule;
using inductor::SchedulerNode;

QString originsText(const SchedulerNode& node) {
    QStringList out;
    for (const inductor::NodeRef& origin : node.origins)
        out << toQString(origin.name);
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

QString timedTip() {
    return tr("PyTorch timed both ways while it compiled, and fuses where that is faster");
}

Fact timedFact(const Schedule& schedule, const inductor::TimedFusion& timed) {
    return fact(tr("Round %1").arg(timed.round),
                {mono(pairText(schedule, timed.a, timed.b)), quiet(QStringLiteral(" ")),
                 text(timed.fused ? tr("fused, ") : tr("not fused, ")),
                 text(toQString(inductor::timesText(timed)))},
                timedTip());
}

void addElsewhere(Section& section, const Schedule& schedule, const std::string& name,
                  const std::vector<std::size_t>& fusions) {
    for (const std::size_t number : fusions) {
        const inductor::Fusion& fusion = schedule.fusions[number - 1];
        section.facts.push_back(
            fact(tr("Fusion %1").arg(number),
                 {text(tr("took %1: ").arg(toQString(name))), mono(pairText(schedule, fusion.a, fusion.b))}));
    }
}

} // namespace

Facts operationFacts(const Schedule& schedule, const std::string& operation) {
    Facts out;
    out.title = toQString(operation);
    const SchedulerNode* node = schedule.operation(operation);
    if (node == nullptr) return out;
    out.subtitle = {quiet(originsText(*node))};
    Section what;
    what.title = tr("Operation");
    const auto add = [&what](const QString& label, const std::string& value, const QString& tip = {}) {
        if (!value.empty()) what.facts.push_back(fact(label, {mono(toQString(value))}, tip));
    };
    add(tr("Class"), node->kind);
    add(tr("Buffer"), node->ir);
    add(tr("Calls"), node->kernel, tr("A kernel of PyTorch's own, or of a library"));
    add(tr("Loop"), node->data);
    add(tr("Sizes"), node->sizes, tr("Of its loops, those of one turn left out; after | what is reduced"));
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

Facts fusionFacts(const Schedule& schedule, std::size_t number) {
    Facts out;
    if (number == 0 || number > schedule.fusions.size()) return out;
    const inductor::Fusion& fusion = schedule.fusions[number - 1];
    out.title = tr("Fusion %1").arg(number);
    out.chip = tr("round %1").arg(fusion.round);
    Section what;
    what.title = tr("Joined");
    for (const std::uint32_t part : {fusion.a, fusion.b})
        what.facts.push_back(paragraph({mono(namesText(schedule.operationsOf(part)))}));
    if (fusion.score && *fusion.score >= 0)
        what.facts.push_back(fact(tr("Shared"), {text(bytesText(qulonglong(*fusion.score)))},
                                  tr("Bytes that both read or write, as the scheduler counted them")));
    if (!fusion.key.empty())
        what.facts.push_back(fact(tr("Sorted by"), {mono(toQString(fusion.key))},
                                  tr("What the scheduler sorted its candidates by")));
    if (const inductor::TimedFusion* timed = inductor::timingOf(schedule, fusion))
        what.facts.push_back(
            fact(tr("Decided by"), {text(toQString(inductor::timesText(*timed)))}, timedTip()));
    const auto holdsAll = [&](const inductor::Kernel& kernel) {
        const std::vector<std::string> names = schedule.operationsOf(fusion.result);
        return !names.empty() && std::ranges::all_of(names, [&kernel](const std::string& name) {
            return std::ranges::find(kernel.operations, name) != kernel.operations.end();
        });
    };
    if (const auto kernel = std::ranges::find_if(schedule.kernels, holdsAll);
        kernel != schedule.kernels.end())
        what.facts.push_back(
            fact(tr("Kernel"), {mono(toQString(kernel->name))}, tr("In which all of them end")));
    what.facts.push_back(paragraph({quiet(
        tr("A click on an operation tells of it, Ctrl and a click on another why the two are not fused."))}));
    out.sections.push_back(std::move(what));
    return out;
}

Facts whyFacts(const inductor::PassRecording& recording, const Schedule& schedule,
               const inductor::WhyNotFused& told, const std::string& a, const std::string& b) {
    Facts out;
    out.title = tr("%1 with %2").arg(toQString(a), toQString(b));
    out.chip = told.kernel.empty() ? tr("not fused") : tr("one kernel");
    out.chipTone = told.kernel.empty() ? QStringLiteral("removed") : QStringLiteral("added");
    if (!told.kernel.empty()) out.subtitle = {mono(toQString(told.kernel))};
    Section answers;
    answers.title = tr("What PyTorch answered");
    for (const Question* question : told.questions)
        answers.facts.push_back(questionFact(recording, *question));
    for (const inductor::TimedFusion* timed : told.timed)
        answers.facts.push_back(timedFact(schedule, *timed));
    if (answers.facts.empty())
        answers.facts.push_back(paragraph({quiet(tr("The scheduler was asked nothing about these two."))}));
    out.sections.push_back(std::move(answers));
    Section differ;
    differ.title = tr("What tells them apart");
    if (!told.between.empty())
        differ.facts.push_back(
            fact(tr("In between"), {mono(namesText(told.between))},
                 tr("They need what the one writes, and the other needs what they write: fused, the "
                    "two would wait for each other.")));
    for (const std::string& apart : told.apart)
        differ.facts.push_back(paragraph({text(toQString(apart))}));
    differ.facts.push_back(
        told.shared.empty()
            ? paragraph({text(tr("No buffer is read or written by both."))})
            : fact(tr("Shared"), {mono(namesText(told.shared))}, tr("Buffers that both read or write")));
    out.sections.push_back(std::move(differ));
    Section would;
    would.title = tr("What would have to differ");
    for (const std::string& sentence : inductor::wouldHaveToDiffer(recording, schedule, told, a, b))
        would.facts.push_back(paragraph({text(toQString(sentence))}));
    if (!would.facts.empty()) out.sections.push_back(std::move(would));
    Section elsewhere;
    elsewhere.title = tr("Taken elsewhere");
    addElsewhere(elsewhere, schedule, a, told.fusionsA);
    addElsewhere(elsewhere, schedule, b, told.fusionsB);
    if (!elsewhere.facts.empty()) out.sections.push_back(std::move(elsewhere));
    return out;
}

} // namespace dynascope::views
