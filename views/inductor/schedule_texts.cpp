// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"
#include "views/inductor/pass_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::views {

namespace {

using inductor::CompilePasses;
using inductor::PassRow;
using inductor::Question;
using inductor::Schedule;
using Look = TableCell::Look;

TableCell bytesCell(const std::optional<double>& bytes) {
    if (!bytes || *bytes < 0) return {};
    return {bytesText(qulonglong(*bytes)), Look::MonoQuiet, Tone::None, {}, *bytes};
}

} // namespace

QString namesText(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << toQString(name);
    return out.join(u' ');
}

QString pairText(const Schedule& schedule, std::uint32_t a, std::uint32_t b) {
    return tr("%1 with %2").arg(namesText(schedule.operationsOf(a)), namesText(schedule.operationsOf(b)));
}

const Schedule* scheduleOf(const CompilePasses& passes, const PassRow& row) {
    const std::vector<const Schedule*> all = inductor::schedulesOf(passes);
    const auto is = [&](const std::string& graph) {
        return std::ranges::find_if(all, [&](const Schedule* schedule) {
            const inductor::PassPhase* phase = passes.recording->phase(schedule->phase);
            return phase != nullptr && phase->graph == graph && schedule->name.empty();
        });
    };
    const auto own = is(row.phase->graph);
    if (own != all.end()) return *own;
    return all.empty() ? nullptr : all.front();
}

std::vector<TableColumn> kernelColumns() {
    return {{tr("Kernel"), tr("As the generated code calls it"), 360},
            {tr("Operations"), tr("Of the scheduler that are in it, in their order"), 260},
            {tr("From nodes"), tr("Of the post-grad graph"), 600}};
}

std::vector<TableRow> kernelRows(const Schedule& schedule) {
    std::vector<TableRow> out;
    for (const inductor::Kernel& kernel : schedule.kernels) {
        std::vector<std::string> origins;
        for (const std::uint32_t id : kernel.nodes)
            if (const inductor::SchedulerNode* node = schedule.node(id))
                for (const inductor::NodeRef& origin : node->origins)
                    if (std::ranges::find(origins, origin.name) == origins.end())
                        origins.push_back(origin.name);
        out.push_back({{toQString(kernel.name), Look::Mono},
                       {namesText(kernel.operations), Look::Mono},
                       {namesText(origins), Look::MonoQuiet}});
    }
    return out;
}

std::vector<TableColumn> fusionColumns() {
    return {{tr("Answer"), tr("Fused, in which order; or not"), 80},
            {tr("Operations"),
             tr("The two that the scheduler was asked about, each with what had been fused into it"), 300},
            {tr("Shared"), tr("Bytes that both read or write, which fusing them would read and write once"),
             80, true},
            {tr("Round"), tr("Of fusion; a pair that was refused may be asked about again in the next"), 50,
             true},
            {tr("Times"), tr("How often it was asked and got this answer"), 50, true},
            {tr("Reason"), tr("As Inductor says it, or the times that decided"), 600}};
}

std::vector<TableRow> fusionRows(const CompilePasses& passes, const Schedule& schedule) {
    std::vector<TableRow> out;
    std::size_t number = 0;
    for (const inductor::Fusion& fusion : schedule.fusions) {
        const inductor::TimedFusion* timed = inductor::timingOf(schedule, fusion);
        out.push_back({{tr("fusion %1").arg(++number), Look::Chip, Tone::Good},
                       {pairText(schedule, fusion.a, fusion.b), Look::Mono},
                       bytesCell(fusion.score),
                       {QString::number(fusion.round), Look::MonoQuiet},
                       {},
                       {timed ? toQString(inductor::timesText(*timed)) : QString()}});
    }
    for (const inductor::TimedFusion& timed : schedule.timed)
        if (!timed.fused)
            out.push_back({{tr("refused"), Look::Quiet},
                           {pairText(schedule, timed.a, timed.b), Look::Mono},
                           {},
                           {QString::number(timed.round), Look::MonoQuiet},
                           {},
                           {toQString(inductor::timesText(timed))}});
    std::vector<const Question*> refused;
    for (const Question& question : schedule.questions)
        if (question.answer != Question::Answer::Yes && !question.reasons.empty())
            refused.push_back(&question);
    std::ranges::stable_sort(refused, [](const Question* a, const Question* b) {
        return a->score.value_or(-1) > b->score.value_or(-1);
    });
    for (const Question* question : refused) {
        QStringList reasons;
        for (const std::uint32_t reason : question->reasons)
            reasons << toQString(passes.recording->reason(reason));
        const QString detail = toQString(question->detail);
        out.push_back(
            {{tr("refused"), Look::Quiet},
             {tr("%1 with %2").arg(toQString(question->nameA), toQString(question->nameB)), Look::Mono},
             bytesCell(question->score),
             {QString::number(question->round), Look::MonoQuiet},
             {numberText(question->times), Look::MonoQuiet},
             {reasons.join(QStringLiteral("; ")) +
                  (detail.isEmpty() ? QString() : QStringLiteral(": ") + detail),
              Look::Text, Tone::None, detail}});
    }
    return out;
}

std::vector<TableColumn> fallbackColumns() {
    return {{tr("Node"), tr("Of the post-grad graph"), 260},
            {tr("Bytes"), tr("Read and written by the call, each tensor whole; + where a size is no number"),
             90, true},
            {tr("Read"), tr("Of the node's inputs"), 80, true},
            {tr("Written"), tr("Of what the call gives back"), 80, true},
            {tr("Why"), tr("No code is generated for it"), 240},
            {tr("Line"), tr("Of the program, that the node comes from"), 160},
            {tr("Graph"), {}, 80},
            {tr("Calls"), tr("A kernel of PyTorch's own"), 500}};
}

std::vector<TableRow> fallbackRows(const std::vector<inductor::FallbackCost>& costs) {
    std::vector<TableRow> out;
    const double most = costs.empty() ? 1 : double(std::max<std::uint64_t>(1, costs.front().bytes()));
    for (const inductor::FallbackCost& cost : costs) {
        const QString more = cost.isWhole ? QString() : QStringLiteral("+");
        TableCell bytes{
            bytesText(cost.bytes()) + more, Look::Mono, Tone::Accent, {}, qulonglong(cost.bytes())};
        bytes.share = double(cost.bytes()) / most;
        TableCell node{toQString(cost.fallback->node.name), Look::Mono, Tone::None,
                       toQString(cost.fallback->target)};
        node.cutMiddle = true;
        const QString line = cost.file.empty()
                                 ? QString()
                                 : QStringLiteral("%1:%2").arg(toQString(baseName(cost.file))).arg(cost.line);
        out.push_back(
            {std::move(node),
             std::move(bytes),
             {bytesText(cost.read), Look::MonoQuiet, Tone::None, {}, qulonglong(cost.read)},
             {bytesText(cost.written), Look::MonoQuiet, Tone::None, {}, qulonglong(cost.written)},
             {toQString(cost.fallback->why)},
             {line, cost.ofReplaced ? Look::MonoQuiet : Look::Mono, Tone::None,
              cost.ofReplaced ? tr("%1, of the nodes that a pattern replaced").arg(toQString(cost.file))
                              : toQString(cost.file)},
             {toQString(cost.phase->graph), Look::Quiet},
             {toQString(cost.fallback->kernel.empty() ? cost.fallback->target : cost.fallback->kernel),
              Look::MonoQuiet}});
    }
    return out;
}

std::vector<TableColumn> tuningColumns() {
    return {{tr("For"), tr("The operator that a kernel was chosen for"), 180},
            {tr("Time"), tr("Of one call, as PyTorch measured it while it compiled"), 90, true},
            {tr("Against the fastest"), {}, 120, true},
            {tr("Choice"), tr("The fastest is the one that is taken"), 320},
            {tr("Inputs"), {}, 500}};
}

std::vector<TableRow> tuningRows(const inductor::PassRecording& recording, const Schedule& schedule) {
    std::vector<TableRow> out;
    for (const inductor::Tuning& tuning : recording.tunings()) {
        if (tuning.phase != schedule.phase) continue;
        for (const inductor::Tuning::Choice& choice : tuning.choices) {
            const bool first = &choice == &tuning.choices.front();
            TableCell time{tr("failed"), Look::Quiet}, factor;
            if (choice.ms) {
                time = {QStringLiteral("%1 ms").arg(*choice.ms, 0, 'f', 4),
                        Look::Mono,
                        Tone::None,
                        {},
                        *choice.ms};
                if (!first && tuning.choices.front().ms.value_or(0) > 0)
                    factor = {tr("%1 times").arg(*choice.ms / *tuning.choices.front().ms, 0, 'f', 2),
                              Look::MonoQuiet};
            }
            out.push_back({{first ? toQString(tuning.name) : QString(), Look::Mono},
                           std::move(time),
                           std::move(factor),
                           {toQString(choice.name), first && choice.ms ? Look::Strong : Look::Text},
                           {first ? namesText(tuning.inputs) : QString(), Look::MonoQuiet}});
        }
    }
    return out;
}

} // namespace dynascope::views
