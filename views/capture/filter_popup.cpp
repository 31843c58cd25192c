// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/filter_popup.h"
#include "views/theme/shown_text.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScreen>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr int rowHeight = 24;
constexpr int headHeight = 24;
} // namespace

FilterPopup::FilterPopup(Theme& theme, QWidget* field)
    : QFrame(field, Qt::ToolTip | Qt::FramelessWindowHint)
    , m_theme(theme) {
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TranslucentBackground);
    setFocusPolicy(Qt::NoFocus);
    setMouseTracking(true);
    setObjectName(QStringLiteral("filterPopup"));
}

int FilterPopup::firstKey() const {
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& e) { return e.isKey; });
    return int(at - m_entries.begin());
}

int FilterPopup::rowTop(int row) const {
    const int heads = (firstKey() > 0 ? 1 : 0) + (row >= firstKey() ? 1 : 0);
    return 5 + m_theme.scaled(headHeight) * heads + m_theme.scaled(rowHeight) * row;
}

int FilterPopup::rowAt(int y) const {
    for (int i = 0; i < int(m_entries.size()); ++i)
        if (y >= rowTop(i) && y < rowTop(i) + m_theme.scaled(rowHeight)) return i;
    return -1;
}

void FilterPopup::setEntries(const QString& title, std::vector<Entry> entries, const QString& prefix) {
    m_title = title;
    m_entries = std::move(entries);
    m_prefix = prefix;
    m_current = -1;
    const int last = int(m_entries.size()) - 1;
    const int body = last < 0 ? m_theme.scaled(headHeight) : rowTop(last) + m_theme.scaled(rowHeight);
    setFixedHeight(body + m_theme.scaled(headHeight) + 8);
    update();
}

void FilterPopup::setSummary(const QString& summary) {
    m_summary = summary;
    update();
}

void FilterPopup::showUnder(const QWidget& field) {
    setFixedWidth(std::max(field.width(), m_theme.scaled(330)));
    QPoint at = field.mapToGlobal(QPoint(0, field.height() + 3));
    if (const QScreen* screen = field.screen())
        at.setX(std::min(at.x(), screen->availableGeometry().right() - width()));
    QFrame::move(at);
    show();
}

void FilterPopup::move(int rows) {
    if (m_entries.empty()) return;
    const int count = int(m_entries.size());
    m_current = m_current < 0 ? (rows > 0 ? 0 : count - 1) : (m_current + rows + count) % count;
    update();
}

const FilterPopup::Entry* FilterPopup::current() const {
    return m_current >= 0 && m_current < int(m_entries.size()) ? &m_entries[std::size_t(m_current)] : nullptr;
}

void FilterPopup::mouseMoveEvent(QMouseEvent* event) {
    const int row = rowAt(int(event->position().y()));
    if (row != m_current) {
        m_current = row;
        update();
    }
}

void FilterPopup::mousePressEvent(QMouseEvent* event) {
    m_current = rowAt(int(event->position().y()));
    if (const Entry* entry = current()) emit chosen(entry->text, entry->isKey);
}

void FilterPopup::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(c.line2);
    painter.setBrush(c.bg1);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);

    const QFont code = m_theme.font(FontRole::Code), text = m_theme.font(FontRole::Text);
    const QFont section = m_theme.font(FontRole::Section);
    const int pad = m_theme.scaled(10), head = m_theme.scaled(headHeight), row = m_theme.scaled(rowHeight);
    const int firstKeyRow = firstKey();
    const auto heading = [&](int y, const QString& title) {
        painter.setFont(section);
        painter.setPen(c.text2);
        painter.drawText(QRect(pad, y, width() - 2 * pad, head), Qt::AlignLeft | Qt::AlignVCenter, title);
    };
    if (firstKeyRow > 0) heading(5, m_title);
    if (firstKeyRow < int(m_entries.size()))
        heading(rowTop(firstKeyRow) - head, firstKeyRow > 0 ? tr("Other keys") : m_title);

    for (int i = 0; i < int(m_entries.size()); ++i) {
        const Entry& entry = m_entries[std::size_t(i)];
        const QRect box(5, rowTop(i), width() - 10, row);
        if (i == m_current) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(c.row);
            painter.drawRoundedRect(box, 4, 4);
        }
        QRect line = box.adjusted(pad - 5, 0, 5 - pad, 0);
        painter.setFont(code);
        const QFontMetrics metrics(code);
        if (entry.isKey) {
            painter.setPen(c.op(ir::OpKind::Write));
            painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, entry.text);
            line.setLeft(line.left() + m_theme.scaled(78));
            painter.setPen(c.text2);
            painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                             elided(metrics, entry.detail, Qt::ElideRight, line.width()));
            continue;
        }
        painter.setFont(text);
        painter.setPen(c.hint(i == m_current));
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, entry.detail);
        line.setRight(line.right() - QFontMetrics(text).horizontalAdvance(entry.detail) - m_theme.scaled(8));
        painter.setFont(code);
        const QString shown = elided(metrics, entry.text, Qt::ElideMiddle, line.width());
        const auto hit = m_prefix.isEmpty() ? -1 : shown.indexOf(m_prefix, 0, Qt::CaseInsensitive);
        painter.setPen(c.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, shown);
        if (hit >= 0) {
            QRect part = line;
            part.setLeft(line.left() + metrics.horizontalAdvance(shown.left(hit)));
            QFont bold = code;
            bold.setBold(true);
            painter.setFont(bold);
            painter.setPen(c.accent);
            painter.drawText(part, Qt::AlignLeft | Qt::AlignVCenter, shown.mid(hit, m_prefix.size()));
        }
    }
    const int foot = height() - head - 2;
    painter.setPen(c.line);
    painter.drawLine(1, foot, width() - 2, foot);
    painter.setFont(text);
    painter.setPen(c.text2);
    painter.drawText(QRect(pad, foot, width() - 2 * pad, head), Qt::AlignLeft | Qt::AlignVCenter,
                     elided(QFontMetrics(text), m_summary, Qt::ElideRight, width() - 2 * pad));
}

} // namespace dynascope::views
