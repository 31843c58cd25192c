// SPDX-License-Identifier: BSD-3-Clause
#include "views/guards/guards_panel.h"

#include "views/guards/guards_model.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/models/labels.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Failed guards in the colour of removed, on its fill; places as links; code in mono.
class GuardDelegate : public QStyledItemDelegate {
public:
    GuardDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const Colours& c = m_theme.colours();
        const bool isMono = index.column() != GuardsModel::Type;
        option->font = m_theme.font(isMono ? FontRole::CodeSmall : FontRole::Text);
        QColor colour = index.column() == GuardsModel::Source ? c.text : c.text2;
        if (index.column() == GuardsModel::AddedBy) colour = c.accent;
        if (index.data(GuardsModel::FailedRole).toBool()) {
            colour = c.removed;
            option->backgroundBrush = c.diff(diff::Change::Removed).fill;
            if (index.column() == GuardsModel::Source) {
                option->icon = m_theme.icon(QStringLiteral("warning"), c.removed);
                option->decorationSize = QSize(m_theme.scaled(14), m_theme.scaled(14));
                option->features |= QStyleOptionViewItem::HasDecoration;
            }
        }
        option->palette.setColor(QPalette::Text, colour);
        option->palette.setColor(QPalette::HighlightedText, colour);
    }

private:
    Theme& m_theme;
};

} // namespace

struct GuardsPanel::Private {
    GuardsModel* model = nullptr;
    QSortFilterProxyModel* proxy = nullptr;
    QTreeView* tree = nullptr;
    QLineEdit* filter = nullptr;
    QLabel* count = nullptr;
    FactView* reasons = nullptr;
    session::SessionPtr session;
    int compile = -1;
};

GuardsPanel::GuardsPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->reasons = new FactView(theme);
    column->addWidget(d->reasons);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 12, 6);
    bar->setSpacing(8);
    d->tree = new QTreeView;
    d->filter = addFilter(tr("Filter guards"), d->tree);
    d->count = new QLabel;
    d->count->setProperty("role", "hint");
    d->count->setTextFormat(Qt::PlainText);
    bar->addWidget(d->filter, 1);
    bar->addWidget(d->count);
    column->addLayout(bar);
    d->model = new GuardsModel(this);
    d->proxy = new QSortFilterProxyModel(this);
    d->proxy->setSourceModel(d->model);
    d->proxy->setFilterRole(GuardsModel::SearchRole);
    d->proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    d->proxy->setRecursiveFilteringEnabled(true);
    d->tree->setAccessibleName(tr("Guards"));
    d->tree->setModel(d->proxy);
    d->tree->setItemDelegate(new GuardDelegate(theme, d->tree));
    d->tree->setUniformRowHeights(true);
    d->tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    d->tree->setTextElideMode(Qt::ElideRight);
    d->tree->header()->setStretchLastSection(false);
    d->tree->header()->setSectionResizeMode(GuardsModel::Check, QHeaderView::Stretch);
    column->addWidget(d->tree, 1);
    setContent(page);

    addCopyRows(d->tree, [](const QModelIndex& row) { return row.data(GuardsModel::SearchRole).toString(); });
    connect(d->filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        d->proxy->setFilterFixedString(text);
        d->tree->expandAll();
        if (d->proxy->rowCount() == 0 && !text.isEmpty())
            d->count->setText(tr("no match"));
        else
            d->count->setText(countText(qulonglong(d->model->checkCount()), tr("check"), tr("checks")));
    });
    connect(d->tree, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const int line = index.data(GuardsModel::LineRole).toInt();
        if (index.column() != GuardsModel::AddedBy || line == 0) return;
        followLink(
            this->workspace(),
            QStringLiteral("source:%1:%2").arg(index.data(GuardsModel::FileRole).toString()).arg(line));
    });
    connect(d->reasons, &FactView::followed, this,
            [this](const QString& target) { followLink(this->workspace(), target); });
    restyle();
}

GuardsPanel::~GuardsPanel() = default;

QTreeView* GuardsPanel::tree() const {
    return d->tree;
}

QLineEdit* GuardsPanel::filter() const {
    return d->filter;
}

void GuardsPanel::restyle() {
    d->compile = -1;
    fitColumns();
}

void GuardsPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitColumns();
}

// A narrow panel keeps what the check is and where it came from; the type is the source's tooltip then.
void GuardsPanel::fitColumns() {
    const bool wide = width() >= theme().scaled(520);
    d->tree->setColumnHidden(GuardsModel::Type, !wide);
    d->tree->setIndentation(theme().scaled(wide ? 16 : 10));
    d->tree->setColumnWidth(GuardsModel::Source, wide ? theme().scaled(190) : width() * 2 / 5);
    d->tree->setColumnWidth(GuardsModel::Type, theme().scaled(130));
    d->tree->setColumnWidth(GuardsModel::AddedBy, theme().scaled(74));
    if (const QWidget* page = d->reasons->widget(); page->layout())
        d->reasons->setFixedHeight(
            std::clamp(page->heightForWidth(std::max(1, width() - 12)), 0, theme().scaled(170)));
}

void GuardsPanel::refresh() {
    const session::Compile* compile = workspace().compile();
    const bool nothing = showNothingOpen();
    if (nothing || !compile || (compile->guards.empty() && compile->recompileReasons.empty())) {
        d->model->clear();
        d->session.reset();
        d->compile = -1;
        if (nothing) return;
        if (!compile)
            showMessage(tr("No compile is selected."));
        else
            showMessage(
                compile->status == session::Status::Failed
                    ? tr("No guards: %1 failed before they were made.").arg(toQString(compile->id.toString()))
                    : tr("No guards are recorded for this compile: the frame made no graph, or the trace has "
                         "no dynamo_cpp_guards_str."));
        return;
    }
    showContent();
    fitColumns();
    const session::SessionPtr session = workspace().capture()->session;
    const int index = workspace().place().compile;
    if (session == d->session && index == d->compile) return;
    d->session = session;
    d->compile = index;
    d->model->setGuards(session, std::size_t(index));
    d->tree->expandToDepth(2);
    d->count->setText(countText(qulonglong(d->model->checkCount()), tr("check"), tr("checks")));
    Facts facts;
    if (!compile->recompileReasons.empty()) facts.sections.push_back(recompileSection(*session, *compile));
    if (d->model->failedCount() > 0) {
        Section section;
        section.title = tr("Failed in a later call");
        section.chipTone = QStringLiteral("removed");
        section.chip = countText(qulonglong(d->model->failedCount()), tr("guard"), tr("guards"));
        section.facts.push_back(paragraph({text(
            tr("A later call did not satisfy the guards marked below, so the frame was compiled again."))}));
        facts.sections.push_back(std::move(section));
    }
    d->reasons->setFacts(facts);
    d->reasons->setVisible(!facts.sections.empty());
    fitColumns();
}

} // namespace dynascope::views
