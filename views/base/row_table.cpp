// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/row_table.h"
#include "views/theme/elided_name.h"
#include "views/theme/mixed.h"
#include "views/theme/shown_text.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <algorithm>

namespace dynascope::views {

namespace {

using Look = TableCell::Look;

constexpr int padding = 8;
constexpr int measuredRows = 200; ///< the widths of more change nothing that anybody sees
constexpr int leastWidth = 48;

Look lookOf(const QModelIndex& index) {
    return Look(index.data(RowTableModel::LookRole).toInt());
}
Tone toneOf(const QModelIndex& index) {
    return Tone(index.data(RowTableModel::ToneRole).toInt());
}

QFont fontOf(Look look, const Theme& theme) {
    switch (look) {
    case Look::Mono:
    case Look::MonoQuiet:
        return theme.font(FontRole::CodeSmall);
    case Look::Strong:
        return theme.font(FontRole::Strong);
    case Look::Chip:
        return theme.font(FontRole::Section);
    case Look::Text:
    case Look::Quiet:
    case Look::Link:
        break;
    }
    return theme.font(FontRole::Text);
}

bool isDiffTone(Tone tone) {
    return tone == Tone::Good || tone == Tone::Bad || tone == Tone::Warn;
}

class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Colours& c = m_theme.colours();
        const bool selected = option.state & QStyle::State_Selected;
        const QColor ground = selected ? c.row : option.state & QStyle::State_MouseOver ? c.bg2 : c.bg1;
        painter->fillRect(option.rect, ground);
        const QRect area = option.rect.adjusted(padding, 0, -padding, 0);
        const double share = index.data(RowTableModel::ShareRole).toDouble();
        if (share >= 0) {
            const int width = std::max(1, int(area.width() * std::min(1.0, share)));
            painter->fillRect(QRect(area.left(), area.bottom() - 3, width, 2), toneColour(toneOf(index), c));
        }
        const QString text = index.data().toString();
        if (text.isEmpty()) return;
        painter->save();
        if (lookOf(index) == Look::Chip)
            paintChip(*painter, area, text, toneOf(index), ground);
        else
            paintText(*painter, area, text, index);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const override {
        const QFontMetrics metrics(fontOf(lookOf(index), m_theme));
        const int more = lookOf(index) == Look::Chip ? m_theme.scaled(26) : 2;
        return {metrics.horizontalAdvance(index.data().toString()) + 2 * padding + more, m_theme.scaled(24)};
    }

private:
    void paintText(QPainter& painter, const QRect& area, const QString& text,
                   const QModelIndex& index) const {
        const Colours& c = m_theme.colours();
        const Look look = lookOf(index);
        QFont font = fontOf(look, m_theme);
        font.setUnderline(look == Look::Link);
        painter.setFont(font);
        // A bar has the colour already, and some are too pale for text.
        const bool bar = index.data(RowTableModel::ShareRole).toDouble() >= 0;
        const Tone tone = bar ? Tone::None : toneOf(index);
        painter.setPen(look == Look::Link                               ? c.accentText()
                       : tone != Tone::None && look != Look::Strong     ? toneColour(tone, c)
                       : look == Look::Quiet || look == Look::MonoQuiet ? c.text2
                                                                        : c.text);
        const int align = index.data(Qt::TextAlignmentRole).toInt();
        painter.drawText(area, align,
                         index.data(RowTableModel::CutMiddleRole).toBool()
                             ? elidedPath(painter.fontMetrics(), text, area.width())
                             : elidedName(painter.fontMetrics(), text, area.width()));
    }

    // Text in the colour of a category would be too pale on white, so the colour stands beside it.
    void paintChip(QPainter& painter, const QRect& area, const QString& text, Tone tone,
                   const QColor& ground) const {
        const Colours& c = m_theme.colours();
        painter.setFont(m_theme.font(FontRole::Section));
        const bool diff = isDiffTone(tone);
        const int swatch = diff || tone == Tone::None ? 0 : m_theme.scaled(8);
        const int width = std::min(
            painter.fontMetrics().horizontalAdvance(text) + 12 + (swatch > 0 ? swatch + 5 : 0), area.width());
        const int height = m_theme.scaled(17);
        const QRect chip(area.left(), area.center().y() - height / 2, width, height);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const QColor colour = toneColour(tone, c);
        const auto change = tone == Tone::Good  ? diff::Change::Added
                            : tone == Tone::Bad ? diff::Change::Removed
                                                : diff::Change::Changed;
        painter.setBrush(diff                 ? c.diff(change).fill
                         : tone == Tone::None ? c.bg3
                                              : mixed(colour, 0.2, ground));
        painter.drawRoundedRect(chip, 3, 3);
        if (swatch > 0) {
            painter.setBrush(colour);
            painter.drawRoundedRect(
                QRect(chip.left() + 5, chip.center().y() - swatch / 2 + 1, swatch, swatch), 2, 2);
        }
        painter.setPen(diff ? colour : tone == Tone::None ? c.text2 : c.text);
        const QRect words = chip.adjusted(6 + (swatch > 0 ? swatch + 5 : 0), 0, -4, 0);
        painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), text, Qt::ElideRight, words.width() + 2));
    }

    Theme& m_theme;
};

} // namespace

QColor toneColour(Tone tone, const Colours& colours) {
    switch (tone) {
    case Tone::Good:
        return colours.added;
    case Tone::Bad:
        return colours.removed;
    case Tone::Warn:
        return colours.changed;
    case Tone::Accent:
        return colours.accentText();
    case Tone::Write:
        return colours.op(ir::OpKind::Write);
    case Tone::View:
        return colours.op(ir::OpKind::View);
    case Tone::NotWritten:
        return colours.mutation()[0];
    case Tone::Static:
        return colours.mutation()[1];
    case Tone::Recorded:
        return colours.mutation()[2];
    case Tone::Other:
        return colours.mutation()[3];
    case Tone::Saved:
        return colours.memory()[0];
    case Tone::Temporary:
        return colours.memory()[1];
    case Tone::Output:
        return colours.memory()[2];
    case Tone::Gradient:
        return colours.memory()[4];
    case Tone::None:
        break;
    }
    return colours.text2;
}

RowTableModel::RowTableModel(std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent)
    , m_columns(std::move(columns)) {}

void RowTableModel::setRows(std::vector<TableRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int RowTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int RowTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_columns.size());
}

QVariant RowTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const std::size_t column = std::size_t(index.column());
    if (role == Qt::TextAlignmentRole)
        return int((m_columns[column].right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const TableRow& row = m_rows[std::size_t(index.row())];
    if (column >= row.size()) return role == ShareRole ? QVariant(-1.0) : QVariant();
    const TableCell& cell = row[column];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::ToolTipRole: {
        const QString& tip = cell.toolTip.isEmpty() ? cell.text : cell.toolTip;
        return tip.isEmpty() ? QVariant() : QVariant(plainToolTip(tip));
    }
    case SortRole:
        return cell.sort.isValid() ? cell.sort : QVariant(cell.text);
    case LookRole:
        return int(cell.look);
    case ToneRole:
        return int(cell.tone);
    case ShareRole:
        return cell.share;
    case CutMiddleRole:
        return cell.cutMiddle;
    default:
        return {};
    }
}

QVariant RowTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn& column = m_columns[std::size_t(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole && !column.toolTip.isEmpty()) return plainToolTip(column.toolTip);
    if (role == Qt::TextAlignmentRole)
        return int((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

RowTable::RowTable(const QString& name, std::vector<TableColumn> columns, Theme& theme, QWidget* parent)
    : QTableView(parent)
    , m_theme(theme)
    , m_model(new RowTableModel(std::move(columns), this))
    , m_sorted(new QSortFilterProxyModel(this)) {
    setAccessibleName(name);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(RowTableModel::SortRole);
    setModel(m_sorted);
    setItemDelegate(new RowDelegate(theme, this));
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(24);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // as given, until somebody asks
    setSortingEnabled(true);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!m_quiet && now.isValid()) emit rowSelected(m_sorted->mapToSource(now).row());
    });
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (lookOf(index) == Look::Link && !index.data().toString().isEmpty())
            emit linkActivated(m_sorted->mapToSource(index).row(), index.column());
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (lookOf(index) != Look::Link) emit rowActivated(m_sorted->mapToSource(index).row());
    });
    connect(&theme, &Theme::changed, this, &RowTable::restyle);
    restyle();
}

void RowTable::restyle() {
    verticalHeader()->setDefaultSectionSize(m_theme.scaled(24));
    m_natural.clear();
    m_whole.clear();
    m_least.clear();
    fit();
}

void RowTable::setRows(std::vector<TableRow> rows) {
    const int row = selected();
    m_quiet = true;
    m_model->setRows(std::move(rows));
    m_natural.clear();
    m_whole.clear();
    m_least.clear();
    fit();
    select(row);
    m_quiet = false;
}

int RowTable::selected() const {
    const QModelIndexList rows = selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : m_sorted->mapToSource(rows.front()).row();
}

void RowTable::select(int row) {
    const bool before = std::exchange(m_quiet, true);
    const QModelIndex at = m_sorted->mapFromSource(m_model->index(row, 0));
    if (at.isValid()) {
        if (selected() != row) selectRow(at.row());
        scrollTo(at);
    } else {
        clearSelection();
        setCurrentIndex({});
    }
    m_quiet = before;
}

QRect RowTable::cellRect(int row, int column) const {
    return visualRect(m_sorted->mapFromSource(m_model->index(row, column)));
}

QSize RowTable::sizeHint() const {
    const int rows = std::clamp(m_model->rowCount(), 2, 12);
    return {m_theme.scaled(480), (rows + 1) * m_theme.scaled(24) + 6};
}

void RowTable::setEmptyText(const QString& text) {
    if (text == m_emptyText) return;
    m_emptyText = text;
    setAccessibleDescription(text);
    viewport()->update();
}

void RowTable::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (m_model->rowCount() > 0 || m_emptyText.isEmpty()) return;
    QPainter painter(viewport());
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(m_theme.colours().text2);
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     m_emptyText);
}

void RowTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fit();
}

void RowTable::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (selected() >= 0) emit rowActivated(selected());
        return;
    }
    QTableView::keyPressEvent(event);
}

// What is too wide gives way: columns above their fair share are cut to one common width. Room to spare goes
// to those that were cut, and then to the last.
void RowTable::fit() {
    const std::size_t count = m_model->columns().size();
    if (count == 0) return;
    if (m_natural.empty()) {
        const QFontMetrics heading(m_theme.font(FontRole::Section));
        for (std::size_t i = 0; i < count; ++i) {
            if (isColumnHidden(int(i))) {
                m_natural.push_back(0);
                m_whole.push_back(0);
                m_least.push_back(0);
                continue;
            }
            const TableColumn& column = m_model->columns()[i];
            const int title = heading.horizontalAdvance(column.title) + m_theme.scaled(30);
            int content = 0;
            for (int row = 0; row < std::min(m_model->rowCount(), measuredRows); ++row)
                content =
                    std::max(content, itemDelegate()->sizeHint({}, m_model->index(row, int(i))).width());
            m_natural.push_back(std::max(title, std::min(m_theme.scaled(column.most), content)));
            m_whole.push_back(std::max(title, content));
            m_least.push_back(std::min(m_natural.back(), m_theme.scaled(column.least)));
        }
    }
    const int room = viewport()->width();
    int limit = *std::max_element(m_natural.begin(), m_natural.end());
    const auto widthOf = [&](std::size_t i) { return std::max(m_least[i], std::min(m_natural[i], limit)); };
    const auto total = [&] {
        int sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += widthOf(i);
        return sum;
    };
    while (limit > leastWidth && total() > room)
        limit -= 4;
    int rest = std::max(0, room - total());
    int others = m_whole.back() > m_natural.back() ? rest / 2 : rest;
    for (std::size_t i = 0; i < count; ++i) {
        const int width = widthOf(i);
        const int more = i + 1 == count ? rest : std::min(m_whole[i] - m_natural[i], others);
        if (!isColumnHidden(int(i))) setColumnWidth(int(i), width + more);
        rest -= more;
        others -= more;
    }
}

} // namespace dynascope::views
