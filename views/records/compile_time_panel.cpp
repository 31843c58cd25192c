// SPDX-License-Identifier: BSD-3-Clause
#include "views/records/compile_time_panel.h"

#include "views/models/labels.h"
#include "views/records/timing_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>

namespace dynascope::views {

namespace {

/// The whole bar is the total, its strong part the row's own time.
class TimingDelegate : public QStyledItemDelegate {
public:
    TimingDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() != TimingModel::Bar) return;
        const Colours& c = m_theme.colours();
        const QRect area = option.rect.adjusted(6, 0, -6, 0);
        const int total = std::max(1, int(area.width() * index.data(TimingModel::ShareRole).toDouble()));
        const int self = int(area.width() * index.data(TimingModel::SelfShareRole).toDouble());
        const QRect bar(area.left(), area.center().y() - 4, std::min(total, area.width()), 9);
        const QColor colour = c.op(ir::OpKind::Compute);
        painter->fillRect(bar, QColor(colour.red(), colour.green(), colour.blue(), 90));
        painter->fillRect(QRect(bar.left(), bar.top(), std::min(self, bar.width()), bar.height()), colour);
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() != TimingModel::Name) option->font = m_theme.font(FontRole::CodeSmall);
    }

private:
    Theme& m_theme;
};

} // namespace

struct CompileTimePanel::Private {
    TimingModel* model = nullptr;
    QSortFilterProxyModel* proxy = nullptr;
    QTreeView* tree = nullptr;
    QLineEdit* filter = nullptr;
    QLabel* total = nullptr;
    QToolButton *one = nullptr, *all = nullptr;
    session::SessionPtr session;
    int compile = -2;
};

CompileTimePanel::CompileTimePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 12, 6);
    bar->setSpacing(6);
    d->tree = new QTreeView;
    d->filter = addFilter(tr("Filter phases"), d->tree);
    d->filter->setMaximumWidth(260);
    bar->addWidget(d->filter, 1);
    const auto chip = [&](const QString& text, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setProperty("chip", true);
        connect(button, &QToolButton::toggled, this, &CompileTimePanel::invalidate);
        bar->addWidget(button);
        return button;
    };
    d->one = chip(tr("This compile"), tr("Events of the compile that is selected"));
    d->all = chip(tr("Whole session"), tr("Events of all compiles and ranks"));
    d->one->setChecked(true);
    bar->addStretch(1);
    d->total = new QLabel;
    d->total->setTextFormat(Qt::PlainText);
    d->total->setProperty("role", "hint");
    bar->addWidget(d->total);
    column->addLayout(bar);
    d->model = new TimingModel(this);
    d->proxy = new QSortFilterProxyModel(this);
    d->proxy->setSourceModel(d->model);
    d->proxy->setSortRole(TimingModel::SortRole);
    d->proxy->setRecursiveFilteringEnabled(true);
    d->proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    d->tree->setAccessibleName(tr("Compile time"));
    d->tree->setModel(d->proxy);
    d->tree->setItemDelegate(new TimingDelegate(theme, d->tree));
    d->tree->setUniformRowHeights(true);
    d->tree->setSortingEnabled(true);
    d->tree->sortByColumn(TimingModel::Total, Qt::DescendingOrder);
    d->tree->header()->setStretchLastSection(true);
    d->tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    column->addWidget(d->tree, 1);
    setContent(page);
    addCopyRows(d->tree, [](const QModelIndex& row) { return tabbedRow(row, TimingModel::Bar); });
    connect(d->filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        d->proxy->setFilterFixedString(text);
        if (!text.isEmpty()) d->tree->expandAll();
    });
    restyle();
}

CompileTimePanel::~CompileTimePanel() = default;

QTreeView* CompileTimePanel::tree() const {
    return d->tree;
}

void CompileTimePanel::setWholeSession(bool whole) {
    (whole ? d->all : d->one)->setChecked(true);
}

void CompileTimePanel::restyle() {
    const std::array<int, 4> widths{320, 86, 86, 62};
    for (std::size_t i = 0; i < widths.size(); ++i)
        d->tree->setColumnWidth(int(i), theme().scaled(widths[i]));
}

void CompileTimePanel::refresh() {
    if (showNothingOpen()) {
        d->model->clear();
        d->session.reset();
        return;
    }
    const session::SessionPtr session = workspace().capture()->session;
    if (session->timings.empty()) {
        d->model->clear();
        d->session.reset();
        showMessage(session->kind == session::Kind::TorchTrace
                        ? tr("This trace has no chromium_event record, so no phase was timed.")
                        : tr("This capture has no timing: only a TORCH_TRACE log records it."));
        return;
    }
    showContent();
    const int compile = d->all->isChecked() ? -1 : workspace().place().compile;
    if (session == d->session && compile == d->compile) return;
    d->session = session;
    d->compile = compile;
    d->model->setEvents(*session, compile);
    const QString scope =
        compile < 0 ? tr("whole session") : toQString(session->compiles[std::size_t(compile)].id.toString());
    d->total->setText(d->model->rowCount() == 0
                          ? tr("no event in %1").arg(scope)
                          : tr("%1 in %2").arg(secondsText(d->model->totalUs() / 1e6), scope));
    d->tree->expandToDepth(1);
}

} // namespace dynascope::views
