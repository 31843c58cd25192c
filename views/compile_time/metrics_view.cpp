// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/metrics_view.h"

#include "views/compile_time/column_chooser.h"

#include <QAction>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QToolButton>

namespace dynascope::views {

namespace {

constexpr int widestColumn = 220;

/// Numbers and names in mono, the function as text.
class MetricsDelegate : public QStyledItemDelegate {
public:
    MetricsDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() > 0) option->font = m_theme.font(FontRole::CodeSmall);
    }

private:
    Theme& m_theme;
};

} // namespace

MetricsView::MetricsView(Theme& theme, QWidget* parent)
    : QTableView(parent)
    , m_theme(theme)
    , m_model(new MetricsModel(this))
    , m_filter(new MetricsFilter(this))
    , m_button(new QToolButton(this)) {
    setAccessibleName(tr("Compile metrics"));
    m_filter->setSourceModel(m_model);
    setModel(m_filter);
    setItemDelegate(new MetricsDelegate(theme, this));
    setShowGrid(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setWordWrap(false);
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // in order of the log
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    verticalHeader()->setHighlightSections(false);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_chooser = new ColumnChooser(
        theme, *this, [this](int column) { return m_model->tellsApart(column); }, this);
    m_button->setText(tr("Columns"));
    m_button->setToolTip(tr("Choose the columns; those that tell the compiles apart are shown at first"));
    m_button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_button->setProperty("chip", true);
    connect(m_button, &QToolButton::clicked, this, [this] { m_chooser->openBelow(m_button); });
    connect(m_chooser, &ColumnChooser::columnsChanged, this, &MetricsView::columnsChanged);
    connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (const int compile = index.data(MetricsModel::CompileRole).toInt(); compile >= 0)
            emit compileActivated(compile);
    });
    connect(verticalHeader(), &QHeaderView::sectionDoubleClicked, this, [this](int row) {
        if (const int compile = m_filter->index(row, 0).data(MetricsModel::CompileRole).toInt(); compile >= 0)
            emit compileActivated(compile);
    });
    auto* record = new QAction(tr("Show its record"), this);
    addAction(record);
    connect(record, &QAction::triggered, this, &MetricsView::recordOfCurrent);
    connect(&m_theme, &Theme::changed, this, &MetricsView::restyle);
    restyle();
}

void MetricsView::restyle() {
    verticalHeader()->setDefaultSectionSize(m_theme.scaled(24));
    verticalHeader()->setMinimumWidth(m_theme.scaled(64));
}

void MetricsView::set(session::SessionPtr session, MetricTablePtr table) {
    m_model->set(std::move(session), std::move(table));
    m_chooser->reset();
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    resizeColumnsToContents();
    for (int i = 0; i < m_model->columnCount(); ++i)
        if (columnWidth(i) > m_theme.scaled(widestColumn)) setColumnWidth(i, m_theme.scaled(widestColumn));
}

void MetricsView::columnsChanged() {
    setFilter(m_text);
}

void MetricsView::setFilter(const QString& text) {
    m_text = text;
    std::vector<bool> hidden(std::size_t(m_model->columnCount()));
    for (std::size_t i = 0; i < hidden.size(); ++i)
        hidden[i] = isColumnHidden(int(i));
    m_filter->setText(text, std::move(hidden));
}

void MetricsView::setCompile(int compile) {
    QItemSelection rows;
    for (int row = 0; row < m_filter->rowCount(); ++row)
        if (m_filter->index(row, 0).data(MetricsModel::CompileRole).toInt() == compile && compile >= 0)
            rows.select(m_filter->index(row, 0), m_filter->index(row, m_filter->columnCount() - 1));
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.isEmpty() && !hasFocus()) scrollTo(rows.first().topLeft());
}

QString MetricsView::rowText(const QModelIndex& row) const {
    QStringList cells{m_filter->headerData(row.row(), Qt::Vertical).toString()};
    for (int visual = 0; visual < horizontalHeader()->count(); ++visual)
        if (const int column = horizontalHeader()->logicalIndex(visual); !isColumnHidden(column))
            cells << row.siblingAtColumn(column).data().toString();
    return cells.join(u'\t');
}

void MetricsView::recordOfCurrent() {
    if (currentIndex().isValid()) emit recordRequested(currentIndex().data(MetricsModel::RecordRole).toInt());
}

} // namespace dynascope::views
