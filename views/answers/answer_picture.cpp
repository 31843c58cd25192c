// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answer_picture.h"

#include "views/models/labels.h"
#include "views/records/flame_chart.h"
#include "views/theme/theme.h"

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

constexpr int columnHeight = 66; // of the tallest column
constexpr int mostColumnWidth = 64;

QString itemText(const std::string& text, qsizetype most = 200) {
    return shownText(toQString(text), most);
}

/// "cap.py" where all places are lines of it; else empty.
std::string commonFile(const std::vector<Item>& items) {
    if (items.empty()) return {};
    const std::string first = items.front().place.substr(0, items.front().place.rfind(':'));
    const bool all = std::all_of(items.begin(), items.end(), [&](const Item& item) {
        return item.place.size() > first.size() && item.place.starts_with(first) &&
               item.place[first.size()] == ':' && item.place.rfind(':') == first.size();
    });
    return all ? first : std::string();
}

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
        y = m_theme.scaled(columnHeight) + m_theme.scaled(34);
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

void AnswerPicture::drawRanking(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    // The lines of one file need its name but once.
    const std::string file = commonFile(m_answer.items);
    const int place = m_theme.scaled(file.empty() ? 92 : 40), count = m_theme.scaled(48),
              time = m_theme.scaled(132);
    const int chip = m_theme.scaled(72), row = m_theme.scaled(22), pad = m_theme.scaled(8);
    const bool narrow = width() < m_theme.scaled(480);
    const int fixed = count + time + (narrow ? 0 : place + chip);
    const int reason = std::max(m_theme.scaled(80), width() - fixed);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text2);
    int x = reason;
    painter.drawText(QRect(0, 0, reason, row), Qt::AlignVCenter, tr("Reason"));
    if (!narrow) {
        painter.drawText(QRect(x, 0, place, row), Qt::AlignVCenter, tr("Line"));
        x += place;
    }
    painter.drawText(QRect(x, 0, count - pad, row), Qt::AlignVCenter | Qt::AlignRight, tr("Breaks"));
    painter.drawText(QRect(x + count, 0, time, row), Qt::AlignVCenter, tr("Time after it"));
    if (!narrow) painter.drawText(QRect(x + count + time, 0, chip, row), Qt::AlignVCenter, tr("Way out"));
    painter.setPen(c.line);
    painter.drawLine(0, row - 1, width(), row - 1);
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRect at = m_rects[i];
        x = reason;
        painter.setFont(m_theme.font(i == 0 ? FontRole::Strong : FontRole::Text));
        painter.setPen(c.text);
        const QFontMetricsF metrics(painter.font());
        painter.drawText(at.adjusted(0, 0, reason - at.width(), 0), Qt::AlignVCenter,
                         elided(metrics, itemText(item.label), Qt::ElideRight, reason - pad));
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        const QFontMetricsF mono(painter.font());
        if (!narrow) {
            painter.drawText(
                QRect(x, at.y(), place, row), Qt::AlignVCenter,
                elided(mono, itemText(item.place.substr(file.size())), Qt::ElideLeft, place - pad));
            x += place;
        }
        painter.setPen(c.text);
        painter.drawText(QRect(x, at.y(), count - pad, row), Qt::AlignVCenter | Qt::AlignRight,
                         numberText(item.count));
        x += count;
        const int number = m_theme.scaled(56);
        painter.drawText(QRect(x, at.y(), number, row), Qt::AlignVCenter, itemText(item.text));
        if (m_most > 0 && item.value > 0) {
            const int most = time - number - pad;
            const int wide = std::max(1, int(std::lround(most * item.value / m_most)));
            painter.fillRect(QRect(x + number, at.y() + row / 2 - m_theme.scaled(4), wide, m_theme.scaled(8)),
                             c.removed);
        }
        x += time;
        if (narrow || item.chip.empty()) continue;
        const QString word = itemText(item.chip, 20);
        painter.setFont(m_theme.font(FontRole::Section));
        const QRect box(x, at.y() + m_theme.scaled(3),
                        QFontMetrics(painter.font()).horizontalAdvance(word) + m_theme.scaled(10),
                        row - m_theme.scaled(6));
        const DiffColours tone = c.diff(
            item.chip == "remove" || item.chip == "setting" ? diff::Change::Added : diff::Change::Changed);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tone.fill);
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(tone.line);
        painter.drawText(box, Qt::AlignCenter, word);
    }
}

void AnswerPicture::drawRows(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int number = m_theme.scaled(36), bar = m_theme.scaled(56);
    const bool counted = m_most > 0;
    const int left = counted ? number + bar + m_theme.scaled(12) : 0;
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRect at = m_rects[i];
        if (counted) {
            painter.setFont(m_theme.font(FontRole::CodeSmall));
            painter.setPen(c.text);
            painter.drawText(QRect(at.x(), at.y(), number, at.height()), Qt::AlignVCenter,
                             numberText(item.count));
            const int wide = std::max(2, int(std::lround(bar * item.value / m_most)));
            painter.fillRect(
                QRect(at.x() + number, at.center().y() - m_theme.scaled(4), wide, m_theme.scaled(8)), c.edge);
        }
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text);
        painter.drawText(at.adjusted(left, 0, 0, 0), Qt::AlignVCenter,
                         elided(QFontMetricsF(painter.font()), itemText(item.label, 400), Qt::ElideRight,
                                at.width() - left));
    }
}

void AnswerPicture::drawShares(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    double sum = 0;
    for (const Item& item : m_answer.items)
        sum += item.value;
    double x = 0;
    const int high = m_theme.scaled(18);
    for (std::size_t i = 0; i < m_answer.items.size() && sum > 0; ++i) {
        const double wide = width() * m_answer.items[i].value / sum;
        painter.fillRect(QRectF(x, 0, std::max(1.0, wide - 1), high), colourOf(int(i)));
        x += wide;
    }
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRect at = m_rects[i];
        const int box = m_theme.scaled(9);
        painter.fillRect(QRect(at.x(), at.center().y() - box / 2, box, box), colourOf(int(i)));
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text);
        const QString text = itemText(item.text);
        const int number = QFontMetrics(painter.font()).horizontalAdvance(text);
        painter.drawText(at, Qt::AlignVCenter | Qt::AlignRight, text);
        painter.setFont(m_theme.font(FontRole::Text));
        const int from = box + m_theme.scaled(8);
        painter.drawText(at.adjusted(from, 0, 0, 0), Qt::AlignVCenter,
                         elided(QFontMetricsF(painter.font()), itemText(item.label), Qt::ElideRight,
                                at.width() - from - number - 8));
    }
}

void AnswerPicture::drawCells(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRectF at = QRectF(m_rects[i]).adjusted(0.5, 0.5, -0.5, -0.5);
        const QColor colour = colourOf(int(i));
        // Colour is doubled by the border: dashed where nothing is known, strong where something is wrong.
        QPen pen(colour, item.meaning == Item::Meaning::Bad ? 2 : 1);
        if (item.meaning == Item::Meaning::Plain) pen.setStyle(Qt::DashLine);
        painter.setPen(pen);
        const diff::Change change = item.meaning == Item::Meaning::Good  ? diff::Change::Added
                                    : item.meaning == Item::Meaning::Bad ? diff::Change::Removed
                                                                         : diff::Change::Changed;
        painter.setBrush(item.meaning == Item::Meaning::Plain ? QBrush(Qt::NoBrush)
                                                              : QBrush(c.diff(change).fill));
        painter.drawRoundedRect(at, 3, 3);
        painter.setPen(item.meaning == Item::Meaning::Plain ? c.text2 : colour);
        painter.drawText(at, Qt::AlignCenter, itemText(item.label, 24));
    }
}

void AnswerPicture::drawColumns(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const bool pairs = m_answer.picture == Picture::Pairs;
    const int high = m_theme.scaled(columnHeight), top = m_theme.scaled(14);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QFontMetricsF metrics(painter.font());
    const auto heightOf = [&](double value) {
        return m_most > 0 && value > 0 ? std::max(1, int(std::lround(high * value / m_most))) : 0;
    };
    double widest = 0;
    for (const Item& item : m_answer.items)
        widest = std::max(widest, metrics.horizontalAdvance(itemText(item.label, 24)));
    // Labels that would run into each other are thinned out, evenly.
    const int each = m_rects.empty() ? 1 : m_rects.front().width();
    const std::size_t step =
        std::max<std::size_t>(1, std::size_t(std::ceil((widest + 6) / std::max(1, each))));
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRect at = m_rects[i];
        const int gap = std::max(1, at.width() / 10), base = top + high;
        const int wide = std::max(1, at.width() - 2 * gap);
        if (pairs) {
            const int first = heightOf(item.value), again = heightOf(item.second), half = wide / 2;
            painter.fillRect(QRect(at.x() + gap, base - first, std::max(1, half - 1), first), c.edge);
            painter.fillRect(QRect(at.x() + gap + half, base - again, std::max(1, half), again), c.changed);
        } else {
            const int tall = heightOf(item.value);
            QColor fill = c.op(ir::OpKind::Compute);
            if (item.value < m_most) fill.setAlphaF(0.55F);
            painter.fillRect(QRect(at.x() + gap, base - tall, wide, tall), fill);
        }
        if (i % step != 0) continue;
        painter.setPen(c.text2);
        const int out = step == 1 ? 4 : -gap;
        painter.drawText(
            QRectF(at.x() - out, base + 2, at.width() * double(step) + 2 * out, m_theme.scaled(16)),
            step == 1 ? Qt::AlignHCenter | Qt::AlignTop : Qt::AlignLeft | Qt::AlignTop,
            itemText(item.label, 24));
    }
    painter.setPen(c.text3);
    if (!m_answer.items.empty() && m_most > 0)
        painter.drawText(QRect(0, 0, width(), top), Qt::AlignRight | Qt::AlignTop,
                         pairs ? tr("first and again, up to %1").arg(secondsText(m_most))
                               : tr("up to %1").arg(bytesText(qulonglong(m_most))));
    painter.setPen(c.line);
    painter.drawLine(0, top + high, width(), top + high);
}

void AnswerPicture::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    if (const QRect at = itemRect(m_hovered); !at.isEmpty() && m_answer.picture != Picture::Cells)
        painter.fillRect(at, c.bg3);
    switch (m_answer.picture) {
    case Picture::None:
        break;
    case Picture::Ranking:
        drawRanking(painter);
        break;
    case Picture::Tally:
        drawRows(painter);
        break;
    case Picture::Shares:
        drawShares(painter);
        break;
    case Picture::Cells:
        drawCells(painter);
        break;
    case Picture::Pairs:
    case Picture::Columns:
        drawColumns(painter);
        break;
    }
    if (m_answer.moreItems > 0) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        painter.drawText(rect(), Qt::AlignBottom | Qt::AlignLeft,
                         tr("and %1 more").arg(numberText(qulonglong(m_answer.moreItems))));
    }
    if (const QRect at = itemRect(m_current); hasFocus() && !at.isEmpty()) {
        painter.setPen(QPen(c.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(at.adjusted(1, 1, -1, -1), 3, 3);
    }
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
