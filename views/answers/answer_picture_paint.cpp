// SPDX-License-Identifier: BSD-3-Clause
//
// How AnswerPicture draws each kind of picture.
#include "views/answers/answer_picture.h"
#include "views/answers/answer_picture_private.h"
#include "views/theme/theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

using answers::Item;
using answers::Picture;

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

void AnswerPicture::drawRanking(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    // The lines of one file need its name but once.
    const std::string file = commonFile(m_answer.items);
    const int count = m_theme.scaled(48), time = m_theme.scaled(132);
    const int chip = m_theme.scaled(72), row = m_theme.scaled(22), pad = m_theme.scaled(8);
    const QFontMetrics placeMetrics(m_theme.font(FontRole::CodeSmall));
    const int least = m_theme.scaled(file.empty() ? 92 : 40);
    int place = least;
    for (const answers::Item& item : m_answer.items) // whole where there is room
        place =
            std::max(place, placeMetrics.horizontalAdvance(itemText(item.place.substr(file.size()))) + pad);
    place = std::min(place, std::max(least, width() / 5));
    const bool narrow = width() < m_theme.scaled(480);
    const int fixed = count + time + (narrow ? 0 : place + chip);
    const int reason = std::max(m_theme.scaled(80), width() - fixed);
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text2);
    int x = reason;
    const bool runs = m_answer.question == answers::Question::RunTime;
    painter.drawText(QRect(0, 0, reason, row), Qt::AlignVCenter, runs ? tr("What") : tr("Reason"));
    if (!narrow) {
        painter.drawText(QRect(x, 0, place, row), Qt::AlignVCenter, runs ? tr("Compile") : tr("Line"));
        x += place;
    }
    painter.drawText(QRect(x, 0, count - pad, row), Qt::AlignVCenter | Qt::AlignRight,
                     runs ? tr("Count") : tr("Breaks"));
    painter.drawText(QRect(x + count, 0, time, row), Qt::AlignVCenter,
                     runs ? tr("Time") : tr("Time after it"));
    if (!narrow && !runs)
        painter.drawText(QRect(x + count + time, 0, chip, row), Qt::AlignVCenter, tr("Way out"));
    painter.setPen(c.line);
    painter.drawLine(0, row - 1, width(), row - 1);
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        const Item& item = m_answer.items[i];
        const QRect at = m_rects[i];
        x = reason;
        // What the sentence names.
        const bool first =
            m_answer.proof.group == answers::nowhere ? i == 0 : item.target.group == m_answer.proof.group;
        painter.setFont(m_theme.font(first ? FontRole::Strong : FontRole::Text));
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
    const int high = m_theme.scaled(answerColumnHeight), top = m_theme.scaled(14);
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

} // namespace dynascope::views
