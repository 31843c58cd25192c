// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/convention_panel.h"
#include "views/autograd/convention_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using Step = computed::AotConventionStep;

constexpr std::size_t mostListed = 60;

QString explanation(const computed::AotConvention& convention, Step step) {
    switch (step) {
    case Step::Outer:
        return tr("What the program passes. Whether an argument is written was found by running the function "
                  "once on "
                  "tensors without data.");
    case Step::Dedupe:
        return toQString(convention.strategy);
    case Step::Bases:
        return convention.bases.empty()
                   ? tr("No written argument shares memory with another one: nothing is merged.")
                   : tr("Arguments that share memory, at least one of them written, become one: the base. "
                        "Each is taken "
                        "out of it again inside the graph. Functionalization sees separate storages; it "
                        "would miss "
                        "that a write to one changes the other.");
    case Step::Inner:
        return tr("What the traced graph takes: bases first, then the others in their order.");
    case Step::Outputs:
        return tr("What the graph returns: new values of inputs that the caller writes back, then the "
                  "results of the "
                  "function, then what aliases are made from.");
    case Step::Epilogue:
        break;
    }
    return tr(
        "What the runtime does after the graph ran, in this order: it writes new values back, makes aliases "
        "again from the caller's own tensors, and returns the results.");
}

Section indexMap(const computed::AotConvention& convention) {
    Section section;
    section.title = tr("Index map");
    for (std::size_t i = 0; i < std::min(convention.outer.size(), mostListed); ++i) {
        const computed::OuterCard& outer = convention.outer[i];
        QString to = outer.base >= 0    ? tr("base %1, inner %2").arg(outer.base).arg(outer.inner)
                     : outer.inner >= 0 ? tr("inner %1").arg(outer.inner)
                                        : tr("not taken");
        if (outer.sameAs >= 0) to += tr(", as argument %1").arg(outer.sameAs);
        const QString writes = outer.writesData && outer.writesGeometry ? tr("  data, geometry")
                               : outer.writesData                       ? tr("  data")
                               : outer.writesGeometry                   ? tr("  geometry")
                                                                        : QString();
        section.facts.push_back(fact(QString::number(i),
                                     {mono(argumentName(outer)), quiet(u' ' + to), quiet(writes)},
                                     toQString(outer.geometry)));
    }
    if (convention.outer.size() > mostListed)
        section.facts.push_back(
            paragraph({quiet(tr("and %1 more").arg(convention.outer.size() - mostListed))}));
    return section;
}

Section baseSection(const computed::AotConvention& convention, std::size_t index) {
    const computed::BaseCard& base = convention.bases[index];
    Section section;
    section.title = tr("Base %1").arg(index);
    section.chip = toQString(base.type);
    for (const int member : base.members) {
        const computed::OuterCard& outer = convention.outer[std::size_t(member)];
        section.facts.push_back(fact(argumentName(outer), {mono(toQString(outer.geometry))},
                                     tr("Taken out of the base by as_strided with this geometry")));
    }
    section.facts.push_back(fact(tr("Written back"), {mono(bytesText(qulonglong(base.copiedBytes)))},
                                 tr("The whole base is copied")));
    if (base.neededBytes > 0)
        section.facts.push_back(fact(tr("Needed"), {mono(bytesText(qulonglong(base.neededBytes)))},
                                     tr("What copying the written members alone would be")));
    return section;
}

Section results(const computed::AotConvention& convention) {
    Section section;
    section.title = tr("Results of the user");
    std::size_t listed = 0;
    for (const computed::OutputCard& output : convention.outputs) {
        if (output.role != computed::OutputCard::Role::Result || listed++ >= mostListed) continue;
        section.facts.push_back(
            fact(QString::number(output.user),
                 {mono(toQString(output.name)),
                  quiet(QStringLiteral("  ") + toQString(passes::aot::outputTypeName(output.kind)))}));
    }
    return section;
}

} // namespace

Facts conventionFacts(const computed::AotConvention& convention, Step step) {
    Facts facts;
    facts.title = conventionStepName(step);
    facts.subtitle = {quiet(tr("step %1 of %2").arg(int(step) + 1).arg(computed::conventionSteps))};
    if (!convention.refusal.empty()) {
        Section refusal;
        refusal.title = tr("PyTorch fails on this call");
        refusal.chip = tr("deviation");
        refusal.chipTone = QStringLiteral("removed");
        refusal.facts = {paragraph({mono(toQString(convention.refusal))}),
                         paragraph({quiet(tr("Shown is what it does without replaying views."))})};
        facts.sections.push_back(std::move(refusal));
    }
    Section what;
    what.title = tr("What happens");
    what.facts.push_back(paragraph({text(explanation(convention, step))}));
    facts.sections.push_back(std::move(what));
    if (step == Step::Bases)
        for (std::size_t b = 0; b < convention.bases.size(); ++b)
            facts.sections.push_back(baseSection(convention, b));
    if (step == Step::Outputs || step == Step::Epilogue)
        facts.sections.push_back(results(convention));
    else
        facts.sections.push_back(indexMap(convention));
    return facts;
}

} // namespace dynascope::views
