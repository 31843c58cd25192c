// SPDX-License-Identifier: BSD-3-Clause
#include "views/guards/guards_panel.h"

#include "views/base/name_filter.h"
#include "views/base/nothing_matches.h"
#include "views/guards/guards_model.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/theme/elided_name.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

/// The lines of code that are `most` characters wide or less, broken behind a sign or a word where one ends near; at most
/// `count` of them, the last with the rest.
QStringList wrappedCode(const QString& code, qsizetype most, int count) {
    QStringList out;
    qsizetype at = 0;
    while (code.size() - at > most && out.size() + 1 < count) {
        qsizetype end = at + most;
        while (end > at + most * 2 / 3 && code[end - 1].isLetterOrNumber())
            --end;
        if (end == at + most * 2 / 3) end = at + most;
        out << code.mid(at, end - at);
        at = end;
    }
    return out << code.mid(at);
}

/// Failed guards in the colour of removed, on its fill; places as links; code in mono. In a narrow panel, where
/// columns would leave a few letters to each, a guard is its check, on up to three lines, and below it its kind and place;
/// one that failed has as many as it needs, since what differs often stands at the end.
class GuardDelegate : public QStyledItemDelegate {
public:
    GuardDelegate(Theme& theme, QTreeView& tree)
        : QStyledItemDelegate(&tree)
        , m_theme(theme)
        , m_tree(tree) {}

    void setStacked(bool on) { m_stacked = on; }
    [[nodiscard]] bool isStacked() const { return m_stacked; }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        if (m_stacked && !checkOf(index).isEmpty())
            size.setHeight(m_theme.scaled(6) + lineHeight() * int(linesOf(index).size() + 1));
        return size;
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        if (!m_stacked || checkOf(index).isEmpty()) return QStyledItemDelegate::paint(painter, option, index);
        QStyleOptionViewItem row = option;
        initStyleOption(&row, index);
        const QString kind = row.text;
        row.text.clear();
        row.icon = {};
        const QWidget* view = option.widget;
        (view ? view->style() : QApplication::style())
            ->drawControl(QStyle::CE_ItemViewItem, &row, painter, view);
        painter->save();
        painter->setFont(m_theme.font(FontRole::CodeSmall));
        QRect line(leftOf(index), option.rect.top() + m_theme.scaled(3), roomOf(index), lineHeight());
        painter->setPen(m_theme.colours().text);
        for (const QString& code : linesOf(index)) {
            painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                              elided(painter->fontMetrics(), code, Qt::ElideRight, line.width()));
            line.translate(0, lineHeight());
        }
        paintKindAndPlace(*painter, line, kind, index, placeRect(option.rect, index));
        painter->restore();
    }

    /// Where a stacked row of this rectangle has its place: at the end of its last line, with half of that at most where
    /// the kind needs the rest.
    [[nodiscard]] QRect placeRect(const QRect& row, const QModelIndex& index) const {
        const QFontMetrics metrics(m_theme.font(FontRole::CodeSmall));
        const int room = roomOf(index),
                  kind = metrics.horizontalAdvance(index.data().toString()) + m_theme.scaled(26);
        const int width =
            std::min(metrics.horizontalAdvance(placeOf(index)) + 1, std::max(room / 2, room - kind));
        const int right = leftOf(index) + room;
        return {right - width, row.bottom() - m_theme.scaled(3) - lineHeight(), width, lineHeight()};
    }

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
        if (index.column() == GuardsModel::Source && option->rect.width() > 0)
            option->text = elidedPath(QFontMetricsF(option->font), option->text,
                                      option->rect.width() - m_theme.scaled(8) -
                                          (option->icon.isNull() ? 0 : option->decorationSize.width() + 4));
        option->palette.setColor(QPalette::Text, colour);
        option->palette.setColor(QPalette::HighlightedText, colour);
    }

private:
    static constexpr int mostLines = 3, mostOfFailed = 16;

    [[nodiscard]] static QString checkOf(const QModelIndex& index) {
        if (index.column() != GuardsModel::Source || index.model()->hasChildren(index)) return {};
        return index.siblingAtColumn(GuardsModel::Check).data().toString();
    }
    [[nodiscard]] static QString placeOf(const QModelIndex& index) {
        return index.siblingAtColumn(GuardsModel::AddedBy).data().toString();
    }
    [[nodiscard]] int lineHeight() const { return m_theme.scaled(16); }

    /// Where the lines of a guard begin: below its source, but never so deep that no room is left.
    [[nodiscard]] int leftOf(const QModelIndex& index) const {
        int depth = 1;
        for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
            ++depth;
        return std::min(depth * m_tree.indentation(), m_tree.viewport()->width() / 4) + 2;
    }
    [[nodiscard]] int roomOf(const QModelIndex& index) const {
        return std::max(m_tree.viewport()->width() - leftOf(index) - m_theme.scaled(6), m_theme.scaled(60));
    }
    [[nodiscard]] QStringList linesOf(const QModelIndex& index) const {
        const QFontMetricsF metrics(m_theme.font(FontRole::CodeSmall));
        const auto most = qsizetype(roomOf(index) / metrics.horizontalAdvance(u'0'));
        const bool failed = index.data(GuardsModel::FailedRole).toBool();
        return wrappedCode(checkOf(index), std::max<qsizetype>(most, 8), failed ? mostOfFailed : mostLines);
    }

    void paintKindAndPlace(QPainter& painter, QRect line, const QString& kind, const QModelIndex& index,
                           const QRect& place) const {
        const Colours& c = m_theme.colours();
        painter.setPen(c.accent);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), placeOf(index), Qt::ElideLeft, place.width()));
        line.setRight(place.left() - m_theme.scaled(6));
        const bool failed = index.data(GuardsModel::FailedRole).toBool();
        if (failed) {
            const int side = m_theme.scaled(14);
            m_theme.icon(QStringLiteral("warning"), c.removed)
                .paint(&painter, QRect(line.left(), line.center().y() - side / 2, side, side));
            line.setLeft(line.left() + side + m_theme.scaled(4));
        }
        painter.setPen(failed ? c.removed : c.text2);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), kind, Qt::ElideRight, line.width()));
    }

    Theme& m_theme;
    QTreeView& m_tree;
    bool m_stacked = false;
};

} // namespace

struct GuardsPanel::Private {
    GuardsModel* model = nullptr;
    NameFilter* proxy = nullptr;
    QTreeView* tree = nullptr;
    GuardDelegate* delegate = nullptr;
    QPoint pressed; ///< in the tree's viewport
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
    d->tree->setObjectName(QStringLiteral("guards.tree"));
    d->filter = addFilter(tr("Filter guards"), d->tree);
    d->filter->setObjectName(QStringLiteral("guards.filter"));
    d->count = new QLabel;
    d->count->setProperty("role", "hint");
    d->count->setTextFormat(Qt::PlainText);
    bar->addWidget(d->filter, 1);
    bar->addWidget(d->count);
    column->addLayout(bar);
    d->model = new GuardsModel(this);
    d->proxy = new NameFilter(GuardsModel::SearchRole, GuardsModel::NameRole, this);
    d->proxy->setSourceModel(d->model);
    d->proxy->setRecursiveFilteringEnabled(true);
    d->tree->setAccessibleName(tr("Guards"));
    d->tree->setModel(d->proxy);
    d->tree->setItemDelegate(d->delegate = new GuardDelegate(theme, *d->tree));
    d->tree->viewport()->installEventFilter(this);
    d->tree->setUniformRowHeights(true);
    d->tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    d->tree->setTextElideMode(Qt::ElideRight);
    d->tree->header()->setStretchLastSection(false);
    d->tree->header()->setSectionResizeMode(GuardsModel::Check, QHeaderView::Stretch);
    column->addWidget(d->tree, 1);
    setContent(page);

    addCopyRows(d->tree, [](const QModelIndex& row) { return row.data(GuardsModel::CopyRole).toString(); });
    connect(d->filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        d->proxy->setText(text);
        d->tree->expandAll();
    });
    new NothingMatches(theme, *d->tree, *d->filter, tr("No guard matches %1."));
    connect(d->tree, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const int line = index.data(GuardsModel::LineRole).toInt();
        const bool onPlace =
            d->delegate->isStacked()
                ? d->delegate->placeRect(d->tree->visualRect(index), index).contains(d->pressed)
                : index.column() == GuardsModel::AddedBy;
        if (!onPlace || line == 0) return;
        followLink(
            this->workspace(),
            QStringLiteral("source:%1:%2").arg(index.data(GuardsModel::FileRole).toString()).arg(line));
    });
    connect(d->reasons, &FactView::followed, this,
            [this](const QString& target) { followLink(this->workspace(), target); });
    restyle();
}

GuardsPanel::~GuardsPanel() = default;

void GuardsPanel::restyle() {
    d->compile = -1;
    fitColumns();
}

void GuardsPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitColumns();
}

bool GuardsPanel::eventFilter(QObject* watched, QEvent* event) {
    // How many lines a check takes depends on the width.
    if (event->type() == QEvent::Resize && d->delegate->isStacked()) emit d->delegate->sizeHintChanged({});
    if (event->type() == QEvent::MouseButtonPress)
        d->pressed = static_cast<QMouseEvent*>(event)->position().toPoint();
    return Panel::eventFilter(watched, event);
}

// A narrow panel has the lines of a guard one below the other instead of columns.
void GuardsPanel::fitColumns() {
    const bool wide = width() >= theme().scaled(520), stacked = !wide;
    if (stacked != d->delegate->isStacked()) {
        d->delegate->setStacked(stacked);
        d->tree->setUniformRowHeights(wide);
        d->tree->setHeaderHidden(stacked);
        d->tree->header()->setSectionResizeMode(GuardsModel::Source,
                                                stacked ? QHeaderView::Stretch : QHeaderView::Interactive);
        d->tree->doItemsLayout();
    }
    for (const int column : {GuardsModel::Type, GuardsModel::Check, GuardsModel::AddedBy})
        d->tree->setColumnHidden(column, stacked);
    d->tree->setIndentation(theme().scaled(wide ? 16 : 8));
    if (wide) d->tree->setColumnWidth(GuardsModel::Source, theme().scaled(190));
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
