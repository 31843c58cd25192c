// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "views/compare/compare_models.h"
#include "views/workspace/labels.h"

#include <QStringList>
#include <utility>

namespace dynascope::views {

namespace {

using compare::FusionDecision;
using compare::KernelComparison;
using compare::PassComparison;
using compare::PassPairVerdict;
using Verdict = compare::CompareVerdict;

Verdict verdictOf(const PassComparison& pass) {
    switch (pass.verdict) {
    case PassPairVerdict::Same:
        return Verdict::Same;
    case PassPairVerdict::OnlyInA:
        return Verdict::OnlyInA;
    case PassPairVerdict::OnlyInB:
        return Verdict::OnlyInB;
    case PassPairVerdict::Differs:
    case PassPairVerdict::Follows:
        break;
    }
    return Verdict::Differs;
}

std::optional<PassPlace> passPlace(int row) {
    return row < 0 ? std::nullopt : std::optional(PassPlace{row});
}

/// After so many fusions; -1 for all.
std::optional<PassPlace> schedulePlace(int schedule, int fusions) {
    return schedule < 0 ? std::nullopt : std::optional(PassPlace{-1, true, schedule, fusions});
}

void addPass(std::vector<ComparedValue>& out, const QString& phase, const PassComparison& pass) {
    if (!pass.acts && pass.verdict != PassPairVerdict::Follows) return;
    const QString name = toQString(pass.name) + QStringLiteral(" · ") + phase;
    QString b = toQString(pass.changeB);
    if (!pass.difference.empty())
        b += (b.isEmpty() ? QString() : QStringLiteral(": ")) + toQString(pass.difference);
    out.push_back({name,
                   toQString(pass.changeA),
                   b,
                   {},
                   {},
                   verdictOf(pass),
                   passPlace(pass.rowA),
                   passPlace(pass.rowB)});
}

QString answer(const FusionDecision& decision) {
    if (decision.asked.empty()) return Workspace::tr("was not asked about them");
    const QString asked = toQString(decision.asked);
    if (decision.wasAllowed) return Workspace::tr("answered yes to %1, and did not fuse them").arg(asked);
    const QString reasons = toQString(joined(decision.reasons, "; "));
    return reasons.isEmpty() ? Workspace::tr("refused %1").arg(asked)
                             : Workspace::tr("refused %1: %2").arg(asked, reasons);
}

void addKernel(std::vector<ComparedValue>& out, const compare::ScheduleComparison& schedule,
               const KernelComparison& kernel) {
    const QString graph = toQString(schedule.graph);
    const auto add = [&out, &schedule](bool inA, const QString& name, const QString& own,
                                       const QString& other, Verdict verdict, int fusion) {
        out.push_back({name,
                       inA ? own : other,
                       inA ? other : own,
                       {},
                       {},
                       verdict,
                       schedulePlace(schedule.a, inA ? fusion : -1),
                       schedulePlace(schedule.b, inA ? -1 : fusion)});
    };
    const QString others = toQString(joined(kernel.others, ", "));
    const QString there = kernel.sameOperations
                              ? Workspace::tr("the same operations in %1, with other code").arg(others)
                          : kernel.others.empty() ? Workspace::tr("in no generated kernel")
                                                  : Workspace::tr("in %1").arg(others);
    add(kernel.inA, toQString(kernel.name) + QStringLiteral(" · ") + graph,
        toQString(joined(kernel.operations, " ")), there,
        kernel.sameOperations ? Verdict::Differs
        : kernel.inA          ? Verdict::OnlyInA
                              : Verdict::OnlyInB,
        -1);
    for (const FusionDecision& decision : kernel.decisions)
        add(decision.inA, Workspace::tr("fusion %1 · %2").arg(decision.number).arg(graph),
            Workspace::tr("%1 with %2")
                .arg(toQString(joined(decision.a, " ")), toQString(joined(decision.b, " "))),
            answer(decision), Verdict::Differs, int(decision.number));
}

} // namespace

std::vector<ComparedValue> passRows(const compare::PassesComparison& passes) {
    std::vector<ComparedValue> out;
    bool tellsStart = true; // the others follow from the first
    for (const compare::PhaseComparison& phase : passes.phases) {
        const QString name = toQString(phase.name);
        if (!phase.start.empty() && std::exchange(tellsStart, false))
            out.push_back({Workspace::tr("graph at the beginning · %1").arg(name),
                           {},
                           toQString(phase.start),
                           {},
                           {},
                           Verdict::Differs});
        for (const PassComparison& pass : phase.passes)
            addPass(out, name, pass);
    }
    for (const compare::ScheduleComparison& schedule : passes.schedules) {
        const QString graph = toQString(schedule.graph);
        if (schedule.onlyInA || schedule.onlyInB)
            out.push_back({Workspace::tr("schedule · %1").arg(graph),
                           {},
                           {},
                           {},
                           {},
                           schedule.onlyInA ? Verdict::OnlyInA : Verdict::OnlyInB,
                           schedulePlace(schedule.a, -1),
                           schedulePlace(schedule.b, -1)});
        for (const KernelComparison& kernel : schedule.kernels)
            addKernel(out, schedule, kernel);
    }
    return out;
}

} // namespace dynascope::views
