// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/schedule_view.h"

#include "views/base/page_parts.h"
#include "views/inductor/fusion_strip.h"
#include "views/inductor/schedule_cards.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

QString operationsText(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << toQString(name);
    return out.join(u' ');
}

} // namespace

ScheduleView::ScheduleView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_strip(new FusionStrip(theme))
    , m_cards(new ScheduleCards(theme))
    , m_scroll(new QScrollArea)
    , m_title(plainLabel({}, "strong"))
    , m_left(plainLabel({}, "hint")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_strip);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_title, 1);
    row->addWidget(m_left);
    m_scroll->setWidget(m_cards);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusProxy(m_cards);
    column->addWidget(m_scroll, 1);
    connect(m_strip, &FusionStrip::chosen, this, [this](int count) {
        setFusions(count);
        emit stepped(m_fusions);
    });
    connect(m_cards, &ScheduleCards::chosenChanged, this, [this] {
        tell();
        showFocus();
    });
}

void ScheduleView::setSchedule(inductor::PassRecordingPtr recording, const inductor::Schedule* schedule) {
    m_recording = std::move(recording);
    m_schedule = schedule;
    m_strip->setSchedule(schedule);
    m_cards->setSchedule(schedule);
    m_fusions = -1;
    setFusions(mostFusions());
}

void ScheduleView::setFusions(int count) {
    count = count < 0 ? mostFusions() : std::min(count, mostFusions());
    if (count == m_fusions) return;
    m_fusions = count;
    m_strip->setFusions(count);
    m_cards->setFusions(std::size_t(count));
    m_title->setText(titleText());
    m_title->setToolTip(m_title->text());
    const std::size_t operations = m_cards->rows().operations.size();
    m_left->setText(operations == 0
                        ? QString()
                        : tr("%1 of %2 nodes left").arg(operations - std::size_t(count)).arg(operations));
    m_left->setToolTip(tr("Each fusion makes one node of the scheduler of two"));
    tell();
    showFocus();
}

QString ScheduleView::titleText() const {
    if (m_fusions == 0)
        return mostFusions() == 0 ? tr("Nothing was fused")
                                  : tr("Before the first of %1 fusions").arg(mostFusions());
    const inductor::Fusion& fusion = m_schedule->fusions[std::size_t(m_fusions) - 1];
    QString title = tr("Fusion %1 of %2, round %3: %4 with %5")
                        .arg(m_fusions)
                        .arg(mostFusions())
                        .arg(fusion.round)
                        .arg(operationsText(m_schedule->operationsOf(fusion.a)),
                             operationsText(m_schedule->operationsOf(fusion.b)));
    if (fusion.score && *fusion.score >= 0)
        title += QStringLiteral(", ") + tr("%1 shared").arg(bytesText(qulonglong(*fusion.score)));
    return title;
}

void ScheduleView::showFocus() {
    const QRect focus = m_cards->focusRect();
    if (!focus.isValid()) return;
    const int high = std::min(focus.height(), m_scroll->viewport()->height() - 8);
    m_scroll->ensureVisible(focus.left(), focus.top() + high / 2, 0, std::max(0, high / 2 + 4));
}

void ScheduleView::choose(const std::vector<std::string>& operations) {
    m_cards->choose(operations);
    tell();
    showFocus();
}

void ScheduleView::tell() {
    const std::vector<std::string> names = m_cards->chosen();
    m_facts = {};
    if (m_schedule != nullptr && names.size() == 1) m_facts = operationFacts(*m_schedule, names.front());
    if (m_schedule != nullptr && names.size() == 2) {
        const inductor::WhyNotFused why = inductor::whyNotFused(*m_schedule, names[0], names[1]);
        m_facts = whyFacts(*m_recording, *m_schedule, why, names[0], names[1]);
        const bool asked = !why.questions.empty();
        m_cards->setBetween(!why.kernel.empty() ? QString()
                            : asked             ? tr("not fused")
                                                : tr("not asked"),
                            why.between);
    }
    if (m_schedule != nullptr && names.empty() && m_fusions > 0)
        m_facts = fusionFacts(*m_schedule, std::size_t(m_fusions));
    emit told();
}

} // namespace dynascope::views
