// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answer_picture.h"

#include "views/answers/answer_picture_private.h"
#include "views/compile_time/flame_chart.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::views {

namespace {

using answers::Item;
using answers::Picture;

constexpr int mostColumnWidth = 64;

} // namespace

AnswerPicture::AnswerPicture(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&m_theme, &Theme::changed, this, [this] {
        m_rects = layOut(width(), nullptr);
        updateGeometry();
        update();
    });
}

void AnswerPicture::setAnswer(const answers::Answer& answer) {
    m_answer = answer;
    m_most = 0;
    for (const Item& item : m_answer.items)
        m_most = std::max({m_most, item.value, item.second});
    if (m_current >= int(m_answer.items.size())) m_current = -1;
    m_hovered = -1;
    setFocusPolicy(m_answer.items.empty() ? Qt::NoFocus : Qt::StrongFocus);
    setAccessibleName(toQString(questionText(m_answer.question)));
    QStringList rows;
    for (int i = 0; i < int(m_answer.items.size()); ++i)
        rows << tipOf(i);
    setAccessibleDescription(rows.join(QStringLiteral("; ")));
    m_rects = layOut(width(), nullptr);
    updateGeometry();
    update();
}

QRect AnswerPicture::itemRect(int item) const {
    return item >= 0 && item < int(m_rects.size()) ? m_rects[std::size_t(item)] : QRect();
}

std::vector<QRect> AnswerPicture::layOut(int width, int* height) const {
    std::vector<QRect> out;
    const int row = m_theme.scaled(22), n = int(m_answer.items.size());
    const QFontMetrics mono(m_theme.font(FontRole::CodeSmall));
    int y = 0;
    switch (m_answer.picture) {
    case Picture::None:
        break;
    case Picture::Ranking:
        y = row;
        for (int i = 0; i < n; ++i, y += row)
            out.emplace_back(0, y, width, row);
        break;
    case Picture::Tally:
        for (int i = 0; i < n; ++i, y += row)
            out.emplace_back(0, y, width, row);
        break;
    case Picture::Shares: {
        y = m_theme.scaled(30);
        const int columns = width > m_theme.scaled(300) ? 2 : 1, rows = (n + columns - 1) / columns;
        for (int i = 0; i < n; ++i)
            out.emplace_back(i / std::max(rows, 1) * (width / columns), y + i % std::max(rows, 1) * row,
                             width / columns - m_theme.scaled(12), row);
        y += rows * row;
        break;
    }
    case Picture::Cells: {
        int wide = m_theme.scaled(40);
        for (const Item& item : m_answer.items)
            wide = std::max(wide, mono.horizontalAdvance(itemText(item.label, 24)) + m_theme.scaled(14));
        const int cell = m_theme.scaled(20), gap = m_theme.scaled(4);
        const int perRow = std::max(1, (width + gap) / (wide + gap));
        for (int i = 0; i < n; ++i)
            out.emplace_back(i % perRow * (wide + gap), i / perRow * (cell + gap), wide, cell);
        y = n == 0 ? 0 : (n + perRow - 1) / perRow * (cell + gap);
        break;
    }
    case Picture::Pairs:
    case Picture::Columns: {
        const int each = n == 0 ? 0 : std::min(width / n, m_theme.scaled(mostColumnWidth));
        y = m_theme.scaled(answerColumnHeight) + m_theme.scaled(34);
        for (int i = 0; i < n; ++i)
            out.emplace_back(i * each, 0, each, y);
        break;
    }
    }
    if (m_answer.moreItems > 0) y += row;
    if (height) *height = y;
    return out;
}

int AnswerPicture::heightForWidth(int width) const {
    int height = 0;
    static_cast<void>(layOut(width, &height));
    return height;
}

QSize AnswerPicture::sizeHint() const {
    const int wide = std::max(width(), m_theme.scaled(240));
    return {m_theme.scaled(240), heightForWidth(wide)};
}

QSize AnswerPicture::minimumSizeHint() const {
    return {m_theme.scaled(160), m_answer.picture == Picture::None ? 0 : m_theme.scaled(24)};
}

int AnswerPicture::itemAt(QPoint point) const {
    for (std::size_t i = 0; i < m_rects.size(); ++i)
        if (m_rects[i].contains(point)) return int(i);
    return -1;
}

QString AnswerPicture::tipOf(int index) const {
    const Item& item = m_answer.items[std::size_t(index)];
    QStringList parts;
    parts << itemText(item.label, 600);
    if (!item.place.empty()) parts << itemText(item.place);
    if (m_answer.picture == Picture::Ranking)
        parts << countText(qulonglong(item.count), tr("break"), tr("breaks"));
    if (m_answer.picture == Picture::Tally && item.count > 1) parts << numberText(item.count);
    if (!item.text.empty()) parts << itemText(item.text, 600);
    if (!item.chip.empty()) parts << itemText(item.chip);
    return parts.join(QStringLiteral(", "));
}

QColor AnswerPicture::colourOf(int index) const {
    const Colours& c = m_theme.colours();
    const Item& item = m_answer.items[std::size_t(index)];
    if (m_answer.picture == Picture::Shares) {
        return partColour(c, static_cast<session::CompilerPart>(item.count));
    }
    switch (item.meaning) {
    case Item::Meaning::Good:
        return c.added;
    case Item::Meaning::Bad:
        return c.removed;
    case Item::Meaning::Warn:
        return c.changed;
    case Item::Meaning::Plain:
        break;
    }
    return m_answer.picture == Picture::Ranking ? c.removed : c.text3;
}

void AnswerPicture::resizeEvent(QResizeEvent* /*event*/) {
    m_rects = layOut(width(), nullptr);
}

void AnswerPicture::mousePressEvent(QMouseEvent* event) {
    const int item = itemAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || item < 0) return QWidget::mousePressEvent(event);
    choose(item);
    emit activated(item);
}

void AnswerPicture::mouseMoveEvent(QMouseEvent* event) {
    const int item = itemAt(event->position().toPoint());
    setCursor(item >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (item == m_hovered) return;
    m_hovered = item;
    update();
}

void AnswerPicture::leaveEvent(QEvent* /*event*/) {
    m_hovered = -1;
    update();
}

void AnswerPicture::choose(int item) {
    m_current = item;
    update();
}

void AnswerPicture::keyPressEvent(QKeyEvent* event) {
    const int last = int(m_answer.items.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_Right:
        return choose(std::min(m_current + 1, last));
    case Qt::Key_Up:
    case Qt::Key_Left:
        return choose(std::max(m_current - 1, 0));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0) emit activated(m_current);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool AnswerPicture::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn && m_current < 0 && !m_answer.items.empty()) choose(0);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int item = itemAt(help->pos());
        if (item < 0)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainToolTip(tipOf(item)), this, itemRect(item));
        return true;
    }
    return QWidget::event(event);
}

} // namespace dynascope::views
