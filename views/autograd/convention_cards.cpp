// SPDX-License-Identifier: BSD-3-Clause
//
// The cards and lines of the calling convention.
#include "views/autograd/convention_view.h"

#include "core/session/module_names.h"
#include "views/workspace/labels.h"

namespace dynascope::views {

namespace {

using Step = computed::AotConventionStep;

} // namespace

QString argumentName(const computed::OuterCard& outer) {
    return toQString(session::withModuleNames(outer.name));
}

void ConventionView::addOuter() {
    const Colours& c = m_theme.colours();
    int kept = 0;
    for (std::size_t i = 0; i < m_convention->outer.size(); ++i) {
        const computed::OuterCard& outer = m_convention->outer[i];
        const bool writes = outer.writesData || outer.writesGeometry;
        Card card;
        card.index = int(i);
        card.title = argumentName(outer);
        card.second = outer.sameAs >= 0
                          ? tr("is %1").arg(argumentName(m_convention->outer[std::size_t(outer.sameAs)]))
                          : toQString(outer.type);
        card.corner = writes ? tr("writes") : tr("reads");
        card.write = writes;
        card.stripe = c.op(writes ? ir::OpKind::Write : ir::OpKind::InputOutput);
        card.toolTip = toQString(outer.name) + u'\n' + toQString(outer.type);
        if (!outer.geometry.empty())
            card.toolTip += u'\n' + tr("%1, storage %2").arg(toQString(outer.geometry)).arg(outer.storage);
        m_cards.push_back(card);
        card.column = Step::Dedupe;
        card.write = false;
        card.dashed = outer.sameAs >= 0;
        card.corner.clear();
        card.second =
            outer.sameAs >= 0 ? tr("drop, use %1").arg(outer.sameAs) : tr("keep, index %1").arg(kept++);
        card.stripe = outer.sameAs >= 0 ? c.removed : c.op(ir::OpKind::InputOutput);
        m_cards.push_back(card);
    }
}

void ConventionView::addBases() {
    const Colours& c = m_theme.colours();
    for (std::size_t b = 0; b < m_convention->bases.size(); ++b) {
        const computed::BaseCard& base = m_convention->bases[b];
        Card card;
        card.column = Step::Bases;
        card.index = int(b);
        card.title = tr("Base %1").arg(b);
        card.corner = toQString(base.type) +
                      (base.bytes > 0 ? QStringLiteral(", ") + bytesText(base.bytes) : QString());
        card.base = int(b);
        card.stripe = c.op(ir::OpKind::Write);
        QStringList members;
        for (const int member : base.members)
            members << argumentName(m_convention->outer[std::size_t(member)]);
        card.toolTip =
            tr("%1 became views of one tensor, since one of them is written.\nWriting it back copies %2")
                .arg(members.join(QStringLiteral(", ")), bytesText(qulonglong(base.copiedBytes)));
        if (base.neededBytes > 0)
            card.toolTip +=
                tr("; the written members alone are %1").arg(bytesText(qulonglong(base.neededBytes)));
        m_cards.push_back(card);
    }
    // The others pass by: they get a card too, so that every line is seen.
    for (std::size_t i = 0; i < m_convention->outer.size(); ++i) {
        const computed::OuterCard& outer = m_convention->outer[i];
        if (outer.base >= 0 || outer.sameAs >= 0) continue;
        Card card;
        card.column = Step::Bases;
        card.index = int(m_convention->bases.size() + i);
        card.title = argumentName(outer);
        card.second = outer.storage >= 0 ? tr("storage %1").arg(outer.storage) : QString();
        card.corner = tr("unchanged");
        card.stripe = c.line2;
        card.toolTip = tr("%1 is passed on as it is").arg(card.title);
        m_cards.push_back(card);
    }
}

void ConventionView::addInner() {
    const Colours& c = m_theme.colours();
    for (std::size_t i = 0; i < m_convention->inner.size(); ++i) {
        const computed::InnerCard& inner = m_convention->inner[i];
        Card card;
        card.column = Step::Inner;
        card.index = int(i);
        card.title = inner.name.empty() ? tr("input %1").arg(i) : toQString(inner.name);
        card.second = toQString(inner.type);
        if (inner.base >= 0) {
            card.corner = tr("base %1").arg(inner.base);
        } else if (inner.outer >= 0) {
            const std::string& name = m_convention->outer[std::size_t(inner.outer)].name;
            card.corner = name.size() <= 8 ? toQString(name) : tr("arg %1").arg(inner.outer);
        }
        card.stripe = c.op(inner.written ? ir::OpKind::Write : ir::OpKind::InputOutput);
        card.toolTip = card.title + u'\n' + card.second +
                       (inner.inGraph ? tr("\nthe graph ends with a copy_ into it") : QString());
        m_cards.push_back(card);
    }
}

void ConventionView::addOutputs() {
    const Colours& c = m_theme.colours();
    for (std::size_t i = 0; i < m_convention->outputs.size(); ++i) {
        const computed::OutputCard& output = m_convention->outputs[i];
        Card card;
        card.column = Step::Outputs;
        card.index = int(i);
        card.title = output.name.empty() ? tr("output %1").arg(i) : toQString(output.name);
        card.corner = tr("out %1").arg(i);
        card.stripe = c.op(ir::OpKind::Compute);
        const auto of = [&](int outer) {
            return outer >= 0 && outer < int(m_convention->outer.size())
                       ? argumentName(m_convention->outer[std::size_t(outer)])
                       : QString();
        };
        switch (output.role) {
        case computed::OutputCard::Role::NewValue: {
            const computed::InnerCard& inner = m_convention->inner[std::size_t(output.inner)];
            card.second = tr("new %1").arg(inner.base >= 0 ? tr("base %1").arg(inner.base) : of(inner.outer));
            card.stripe = c.op(ir::OpKind::Write);
            card.write = true;
            break;
        }
        case computed::OutputCard::Role::Geometry:
            card.second = tr("geometry of %1").arg(of(output.of));
            card.stripe = c.op(ir::OpKind::Write);
            break;
        case computed::OutputCard::Role::IntermediateBase:
            card.second = tr("base of aliases");
            break;
        case computed::OutputCard::Role::Result:
            using passes::aot::OutputType;
            card.second = output.kind == OutputType::AliasOfInput ? tr("alias of %1").arg(of(output.of))
                          : output.kind == OutputType::IsInput    ? tr("is %1").arg(of(output.of))
                          : output.kind == OutputType::NonAlias
                              ? toQString(output.type.empty() ? std::string("own storage") : output.type)
                              : toQString(passes::aot::outputTypeName(output.kind));
            if (output.kind != OutputType::NonAlias) card.stripe = c.op(ir::OpKind::View);
            break;
        }
        card.toolTip = card.title + u'\n' + card.second;
        if (output.role == computed::OutputCard::Role::Result)
            card.toolTip += u'\n' + tr("result %1 of the user: %2")
                                        .arg(output.user)
                                        .arg(toQString(passes::aot::outputTypeName(output.kind)));
        m_cards.push_back(card);
    }
}

void ConventionView::addEpilogue() {
    const Colours& c = m_theme.colours();
    for (std::size_t i = 0; i < m_convention->epilogue.size(); ++i) {
        const computed::EpilogueCard& step = m_convention->epilogue[i];
        Card card;
        card.column = Step::Epilogue;
        card.index = int(i);
        card.title = toQString(step.operation);
        card.second = toQString(step.what);
        card.corner = QString::number(i + 1);
        card.write = step.writes;
        card.stripe = c.op(step.writes                     ? ir::OpKind::Write
                           : step.operation == "gen_alias" ? ir::OpKind::View
                                                           : ir::OpKind::InputOutput);
        card.toolTip = card.title + QStringLiteral(": ") + card.second;
        m_cards.push_back(card);
    }
}

void ConventionView::join() {
    const computed::AotConvention& of = *m_convention;
    const auto line = [&](Step from, int a, Step to, int b, bool write = false, bool dropped = false) {
        const int first = find(from, a), second = find(to, b);
        if (first >= 0 && second >= 0)
            m_lines.push_back({std::size_t(first), std::size_t(second), write, dropped});
    };
    for (std::size_t i = 0; i < of.outer.size(); ++i) {
        const computed::OuterCard& outer = of.outer[i];
        line(Step::Outer, int(i), Step::Dedupe, int(i), false, outer.sameAs >= 0);
        if (outer.sameAs < 0)
            line(Step::Dedupe, int(i), Step::Bases, outer.base >= 0 ? outer.base : int(of.bases.size() + i));
    }
    for (std::size_t i = 0; i < of.inner.size(); ++i) {
        const computed::InnerCard& inner = of.inner[i];
        if (inner.base >= 0)
            line(Step::Bases, inner.base, Step::Inner, int(i));
        else if (inner.outer >= 0)
            line(Step::Bases, int(of.bases.size()) + inner.outer, Step::Inner, int(i));
    }
    for (std::size_t i = 0; i < of.outputs.size(); ++i) {
        const computed::OutputCard& output = of.outputs[i];
        if (output.role == computed::OutputCard::Role::NewValue)
            line(Step::Inner, output.inner, Step::Outputs, int(i), true);
        const bool looks = output.role == computed::OutputCard::Role::Geometry ||
                           output.kind == passes::aot::OutputType::AliasOfInput ||
                           output.kind == passes::aot::OutputType::IsInput;
        if (output.role != computed::OutputCard::Role::NewValue && looks && output.of >= 0 &&
            output.of < int(of.outer.size()))
            line(Step::Inner, of.outer[std::size_t(output.of)].inner, Step::Outputs, int(i));
    }
    for (std::size_t i = 0; i < of.epilogue.size(); ++i)
        if (of.epilogue[i].output >= 0)
            line(Step::Outputs, of.epilogue[i].output, Step::Epilogue, int(i), of.epilogue[i].writes);
}

} // namespace dynascope::views
