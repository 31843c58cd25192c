// SPDX-License-Identifier: BSD-3-Clause
#include "views/problems/problems_panel.h"

#include "views/base/icon_delegate.h"
#include "views/workspace/break_place.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

/// The sign in front of a problem: its severity in colour and shape.
QIcon severityIcon(const Theme& theme, const QModelIndex& index) {
    const Colours& c = theme.colours();
    switch (Problem::Severity(index.data(ProblemModel::SeverityRole).toInt())) {
    case Problem::Severity::Error:
        return theme.icon(QStringLiteral("error"), c.removed);
    case Problem::Severity::Break:
        return theme.icon(QStringLiteral("scissors"), c.removed);
    case Problem::Severity::Warning:
        return theme.icon(QStringLiteral("warning"), c.changed);
    }
    return {};
}

} // namespace

void goToProblem(Workspace& workspace, const Problem& problem) {
    Place place = workspace.place();
    if (place.capture != problem.capture) {
        place = {};
        place.capture = problem.capture;
    }
    if (problem.breakGroup >= 0) {
        setBreak(place, problem.breakGroup);
        workspace.go(place);
    } else if (problem.compile >= 0) {
        workspace.selectCompile(problem.capture, problem.compile);
    } else if (problem.record >= 0) {
        emit workspace.recordRequested(problem.capture, int(problem.record));
    }
}

ProblemsPanel::ProblemsPanel(Workspace& workspace, Theme& theme, ProblemModel& model, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_model(model)
    , m_proxy(new QSortFilterProxyModel(this))
    , m_list(new QTreeView)
    , m_filter(addFilter(tr("Filter problems"), m_list)) {
    m_list->setObjectName(QStringLiteral("problems.list"));
    m_proxy->setSourceModel(&m_model);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterKeyColumn(-1);
    m_list->setModel(m_proxy);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setItemDelegate(new IconDelegate(
        theme, ProblemModel::Text, [&theme](const QModelIndex& index) { return severityIcon(theme, index); },
        m_list));
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(-1, Qt::AscendingOrder);
    m_list->setAccessibleName(tr("Problems"));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(ProblemModel::Text, QHeaderView::Stretch);
    m_list->header()->resizeSection(ProblemModel::Place, theme.scaled(150));
    m_list->header()->resizeSection(ProblemModel::CaptureName, theme.scaled(170));
    m_filter->setMaximumWidth(theme.scaled(260));

    auto* content = new QWidget;
    auto* box = new QVBoxLayout(content);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 5, 8, 5);
    bar->addWidget(m_filter);
    bar->addStretch(1);
    box->addLayout(bar);
    box->addWidget(m_list, 1);
    setContent(content);

    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_filter, &QLineEdit::textChanged, this, &Panel::invalidate);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &Panel::invalidate);
    connect(m_list, &QTreeView::clicked, this, &ProblemsPanel::open);
    connect(m_list, &QTreeView::activated, this, &ProblemsPanel::open);
}

void ProblemsPanel::focusFilter() {
    showContent();
    Panel::focusFilter();
}

void ProblemsPanel::refresh() {
    if (showNothingOpen()) return;
    if (m_model.problems().empty())
        showMessage(tr("No problem: every record was read, no compile failed and no graph broke."));
    else if (m_proxy->rowCount() == 0)
        showMessage(tr("No problem matches %1.").arg(m_filter->text()), tr("Clear the filter"),
                    [this] { m_filter->clear(); });
    else
        showContent();
}

void ProblemsPanel::step(int direction) {
    const int count = m_proxy->rowCount();
    if (count == 0) return;
    const int now = m_list->currentIndex().row();
    const int next = now < 0 ? (direction > 0 ? 0 : count - 1) : (now + direction + count) % count;
    const QModelIndex index = m_proxy->index(next, 0);
    m_list->setCurrentIndex(index);
    open(index);
}

void ProblemsPanel::open(const QModelIndex& index) {
    const int row = m_proxy->mapToSource(index).row();
    if (row < 0) return;
    // By value: going there may reload the list.
    const Problem problem = m_model.problems()[std::size_t(row)];
    goToProblem(workspace(), problem);
}

} // namespace dynascope::views
