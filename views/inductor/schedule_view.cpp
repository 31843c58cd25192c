// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/schedule_view.h"

#include "views/base/page_parts.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
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
    , m_theme(theme)
    , m_table(new RowTable(tr("Operations"), operationColumns(), theme))
    , m_slider(new QSlider(Qt::Horizontal))
    , m_back(new QToolButton)
    , m_forward(new QToolButton)
    , m_title(plainLabel({}, "hint")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    m_back->setToolTip(tr("One fusion back"));
    m_forward->setToolTip(tr("The next fusion"));
    m_slider->setAccessibleName(tr("Fusions made"));
    m_slider->setToolTip(tr("How many fusions are made, in the order in which the scheduler made them"));
    m_slider->setMaximumWidth(theme.scaled(220));
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_back);
    row->addWidget(m_slider, 1);
    row->addWidget(m_forward);
    row->addWidget(m_title, 3);
    m_table->setSortingEnabled(false);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEmptyText(
        tr("No scheduler ran for this graph: its code came from a cache, or another backend made it."));
    m_table->setToolTip(tr("Two operations chosen, Ctrl and a click, tell why they are not fused"));
    column->addWidget(m_table, 1);
    connect(m_slider, &QSlider::valueChanged, this, &ScheduleView::setFusions);
    connect(m_back, &QToolButton::clicked, this, [this] { setFusions(m_fusions - 1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { setFusions(m_fusions + 1); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ScheduleView::tell);
    const auto restyle = [this] {
        m_back->setIcon(m_theme.icon(QStringLiteral("previous")));
        m_forward->setIcon(m_theme.icon(QStringLiteral("next")));
    };
    connect(&theme, &Theme::changed, this, restyle);
    restyle();
}

void ScheduleView::setSchedule(inductor::PassRecordingPtr recording, const inductor::Schedule* schedule) {
    m_recording = std::move(recording);
    m_schedule = schedule;
    m_fusions = schedule ? int(schedule->fusions.size()) : 0;
    const QSignalBlocker quiet(m_slider);
    m_slider->setRange(0, m_fusions);
    fill();
}

void ScheduleView::setFusions(int count) {
    const int most = m_schedule ? int(m_schedule->fusions.size()) : 0;
    count = std::clamp(count, 0, most);
    if (count == m_fusions) return;
    m_fusions = count;
    fill();
}

void ScheduleView::fill() {
    const std::vector<std::string> before = chosen();
    m_names.clear();
    m_table->setRows(m_schedule ? operationRows(*m_schedule, std::size_t(m_fusions), m_names)
                                : std::vector<TableRow>());
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(m_fusions);
    const int most = m_schedule ? int(m_schedule->fusions.size()) : 0;
    m_slider->setEnabled(most > 0);
    m_back->setEnabled(m_fusions > 0);
    m_forward->setEnabled(m_fusions < most);
    QString title = tr("%1 of %2 fusions").arg(m_fusions).arg(most);
    if (m_fusions > 0) {
        const inductor::Fusion& fusion = m_schedule->fusions[std::size_t(m_fusions) - 1];
        title += QStringLiteral(": ") + tr("%1 with %2, round %3")
                                            .arg(operationsText(m_schedule->operationsOf(fusion.a)),
                                                 operationsText(m_schedule->operationsOf(fusion.b)))
                                            .arg(fusion.round);
        if (fusion.score && *fusion.score >= 0)
            title += QStringLiteral(", ") + tr("%1 shared").arg(bytesText(qulonglong(*fusion.score)));
    }
    m_title->setText(title);
    m_title->setToolTip(title);
    choose(before);
}

void ScheduleView::choose(const std::vector<std::string>& operations) {
    QItemSelectionModel& selection = *m_table->selectionModel();
    {
        const QSignalBlocker quiet(&selection);
        selection.clearSelection();
    }
    for (const std::string& name : operations) {
        const auto at = std::ranges::find(m_names, name);
        if (at == m_names.end()) continue;
        const QModelIndex index = m_table->model()->index(int(at - m_names.begin()), 0);
        selection.select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    tell();
}

std::vector<std::string> ScheduleView::chosen() const {
    std::vector<std::string> out;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        if (std::size_t(index.row()) < m_names.size()) out.push_back(m_names[std::size_t(index.row())]);
    return out;
}

void ScheduleView::tell() {
    const std::vector<std::string> names = chosen();
    m_facts = {};
    if (m_schedule != nullptr && names.size() == 1) m_facts = operationFacts(*m_schedule, names.front());
    if (m_schedule != nullptr && names.size() == 2)
        m_facts = whyFacts(*m_recording, *m_schedule, names[0], names[1]);
    emit told();
}

} // namespace dynascope::views
