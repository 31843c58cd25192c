// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_against.h"

#include "views/base/page_parts.h"
#include "views/profile/share_bars.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>

namespace dynascope::views {

ProfileAgainst::ProfileAgainst(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_table(new RowTable(tr("A against B"), comparedColumns(), theme))
    , m_bars(new ShareBars(theme))
    , m_verdict(plainLabel({}, "strong")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bars);
    m_verdict->setContentsMargins(12, 2, 12, 6);
    m_verdict->setObjectName(QStringLiteral("profile.verdict"));
    column->addWidget(m_verdict);
    column->addWidget(m_table, 1);
    connect(m_table, &RowTable::rowActivated, this, &ProfileAgainst::follow);
}

void ProfileAgainst::show(ComparedProfilesPtr compared, profile::By by, const QString& a, const QString& b) {
    m_compared = std::move(compared);
    m_by = by;
    if (!m_compared) return m_table->setRows({});
    const profile::ComparedSteps steps = m_compared->steps.value_or(profile::ComparedSteps());
    const QString device = m_compared->device.empty() ? QString() : u' ' + toQString(m_compared->device);
    m_bars->setBars({ShareBars::Bar{tr("A %1%2").arg(a, device), m_compared->sharesA, steps.a},
                     ShareBars::Bar{tr("B %1%2").arg(b, device), m_compared->sharesB, steps.b}});
    m_verdict->setText(comparedVerdict(*m_compared));
    m_table->setEmptyText(whyNothingCompared(*m_compared, by));
    showRows();
}

void ProfileAgainst::setFilter(const QString& filter) {
    m_filter = filter;
    if (m_compared) showRows();
}

void ProfileAgainst::showRows() {
    m_table->setRows(comparedTableRows(*m_compared, m_filter, m_numbers));
}

void ProfileAgainst::follow(int row) {
    if (row < 0 || std::size_t(row) >= m_numbers.size()) return;
    const auto at = std::size_t(m_numbers[std::size_t(row)]);
    const ProfileLink& inA = m_compared->linksA[at];
    if (inA.compile >= 0)
        emit followed(inA, true);
    else if (m_compared->linksB[at].compile >= 0)
        emit followed(m_compared->linksB[at], false);
}

} // namespace dynascope::views
