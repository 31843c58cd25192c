// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/schedule_cards.h"

#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

using inductor::SchedulerNode;

namespace {

constexpr int cardHeight = 20, cardGap = 2, boxGap = 7, sideMargin = 60, topMargin = 10;
constexpr std::size_t mostRows = 500'000;

bool isGenerated(const SchedulerNode& node) {
    return node.kind == "SchedulerNode";
}

} // namespace

QString operationKind(const SchedulerNode& node) {
    if (isGenerated(node)) return toQString(node.data.empty() ? node.ir : node.data).toLower();
    if (node.kind == "ExternKernelSchedulerNode")
        return node.ir == "FallbackKernel" ? ScheduleCards::tr("fallback")
               : node.ir == "MultiOutput"  ? ScheduleCards::tr("part")
                                           : ScheduleCards::tr("extern");
    return toQString(node.ir.empty() ? node.kind : node.ir);
}

ScheduleCards::ScheduleCards(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setAccessibleName(tr("Operations"));
    offerPicture(*this, QStringLiteral("operations"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ScheduleCards::setSchedule(const inductor::Schedule* schedule) {
    m_schedule = schedule;
    m_rows = schedule ? inductor::rowsOf(*schedule) : inductor::ScheduleRows();
    m_fusions = m_rows.fusions.size();
    m_finalBoxes = m_rows.boxesAfter(m_fusions);
    m_chosen.clear();
    m_between.clear();
    m_word.clear();
    m_gaps.assign(m_rows.operations.size() + 1, 0);
    for (const std::size_t box : m_finalBoxes) {
        ++m_gaps[m_rows.fusions[box - 1].first];
        ++m_gaps[m_rows.fusions[box - 1].last + 1];
    }
    for (std::size_t row = 1; row < m_gaps.size(); ++row)
        m_gaps[row] += m_gaps[row - 1];
    updateGeometry();
    update();
}

void ScheduleCards::setFusions(std::size_t count) {
    m_fusions = std::min(count, m_rows.fusions.size());
    setAccessibleDescription(tr("%1 of %2 fusions are made").arg(m_fusions).arg(m_rows.fusions.size()));
    update();
}

void ScheduleCards::choose(const std::vector<std::string>& operations) {
    m_chosen.clear();
    for (const std::string& name : operations)
        if (const auto at = m_rows.rowOf.find(name); at != m_rows.rowOf.end() && m_chosen.size() < 2)
            m_chosen.push_back(at->second);
    m_between.clear();
    m_word.clear();
    update();
}

std::vector<std::string> ScheduleCards::chosen() const {
    std::vector<std::string> out;
    for (const std::size_t row : m_chosen)
        out.push_back(m_rows.operations[row]->name);
    return out;
}

void ScheduleCards::setBetween(const QString& word, const std::vector<std::string>& operations) {
    m_word = word;
    m_between.clear();
    for (const std::string& name : operations)
        if (const auto at = m_rows.rowOf.find(name); at != m_rows.rowOf.end())
            m_between.push_back(at->second);
    std::ranges::sort(m_between);
    update();
}

bool ScheduleCards::isChosen(std::size_t row) const {
    return std::ranges::find(m_chosen, row) != m_chosen.end();
}

int ScheduleCards::arcWidth() const {
    return std::clamp(width() / 6, m_theme.scaled(60), m_theme.scaled(170));
}

ScheduleCards::Columns ScheduleCards::columns() const {
    Columns at;
    at.left = m_theme.scaled(sideMargin);
    at.right = width() - arcWidth();
    const int wide = at.right - at.left;
    at.name = at.left + m_theme.scaled(12);
    at.bytes = at.right - m_theme.scaled(66);
    at.out = at.bytes - m_theme.scaled(wide < m_theme.scaled(560) ? 60 : 76);
    at.kind = at.name + m_theme.scaled(52);
    const int rest = at.out - at.kind;
    at.origin = at.kind + std::clamp(rest * 18 / 100, 0, m_theme.scaled(110));
    const int middle = at.out - at.origin;
    at.sizes = at.origin + middle * 38 / 100;
    at.reads = at.origin + middle * 60 / 100;
    return at;
}

QRect ScheduleCards::cardRect(std::size_t row) const {
    if (row >= m_rows.operations.size()) return {};
    const int high = m_theme.scaled(cardHeight);
    const int y = m_theme.scaled(topMargin) + int(std::min(row, mostRows)) * (high + cardGap) +
                  int(std::min(m_gaps[row], mostRows)) * m_theme.scaled(boxGap);
    const Columns at = columns();
    return {at.left, y, at.right - at.left, high};
}

QRect ScheduleCards::boxRect(std::size_t fusion) const {
    if (fusion == 0 || fusion > m_rows.fusions.size()) return {};
    const inductor::RowRange& range = m_rows.fusions[fusion - 1];
    const int margin = m_theme.scaled(5);
    return cardRect(range.first)
        .united(cardRect(range.last))
        .adjusted(-margin, -margin + 1, margin, margin - 1);
}

std::size_t ScheduleCards::rowAt(QPoint point) const {
    // Cards stand below each other.
    std::size_t low = 0, high = m_rows.operations.size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        const QRect card = cardRect(middle);
        if (point.y() > card.bottom())
            low = middle + 1;
        else
            high = middle;
    }
    return low < m_rows.operations.size() && cardRect(low).contains(point) ? low : SIZE_MAX;
}

QRect ScheduleCards::focusRect() const {
    if (m_chosen.size() == 2) return cardRect(m_chosen[0]).united(cardRect(m_chosen[1]));
    if (!m_chosen.empty()) return cardRect(m_chosen.front());
    return m_fusions > 0 ? boxRect(m_fusions) : cardRect(0);
}

QSize ScheduleCards::sizeHint() const {
    const std::size_t rows = m_rows.operations.size();
    const int high = rows == 0 ? m_theme.scaled(60) : cardRect(rows - 1).bottom() + m_theme.scaled(topMargin);
    return {m_theme.scaled(640), high};
}

QSize ScheduleCards::minimumSizeHint() const {
    return {m_theme.scaled(360), sizeHint().height()};
}

void ScheduleCards::pick(std::size_t row, bool add) {
    const auto at = std::ranges::find(m_chosen, row);
    if (add && at != m_chosen.end()) {
        m_chosen.erase(at);
    } else {
        if (!add) m_chosen.clear();
        if (m_chosen.size() == 2) m_chosen.erase(m_chosen.begin()); // the one that was chosen first
        m_chosen.push_back(row);
    }
    m_between.clear();
    m_word.clear();
    update();
    emit chosenChanged();
}

void ScheduleCards::mousePressEvent(QMouseEvent* event) {
    setFocus();
    const std::size_t row = rowAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    if (row != SIZE_MAX) return pick(row, event->modifiers() & Qt::ControlModifier);
    if (m_chosen.empty()) return;
    choose({});
    emit chosenChanged();
}

/// Up and Down move the choice; with Shift the second of two.
void ScheduleCards::keyPressEvent(QKeyEvent* event) {
    const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
    if ((!up && !down) || m_rows.operations.empty()) return QWidget::keyPressEvent(event);
    const std::size_t last = m_rows.operations.size() - 1;
    const std::size_t from = m_chosen.empty() ? (up ? last : 0) : m_chosen.back();
    std::size_t to = from;
    if (!m_chosen.empty()) to = up ? from - (from > 0 ? 1 : 0) : std::min(last, from + 1);
    if (event->modifiers() & Qt::ShiftModifier && !m_chosen.empty()) {
        if (m_chosen.size() == 2) m_chosen.pop_back();
        if (to != m_chosen.front())
            pick(to, true);
        else
            pick(to, false);
    } else {
        pick(to, false);
    }
}

QString ScheduleCards::tip(const SchedulerNode& node) const {
    QStringList lines{tr("%1: %2").arg(toQString(node.name), operationKind(node))};
    if (!node.kernel.empty()) lines << tr("calls %1").arg(toQString(node.kernel));
    QStringList origins;
    for (const inductor::NodeRef& origin : node.origins)
        if (origins.size() < 12) origins << toQString(origin.name);
    if (!origins.isEmpty()) lines << tr("from %1").arg(origins.join(QStringLiteral(", ")));
    if (!node.sizes.empty()) lines << tr("loops of %1").arg(toQString(node.sizes));
    for (const std::string& into : node.mutates)
        lines << tr("writes into %1").arg(toQString(into));
    return lines.join(u'\n');
}

bool ScheduleCards::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const std::size_t row = rowAt(help->pos());
    if (row == SIZE_MAX)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(tip(*m_rows.operations[row])), this);
    return true;
}

} // namespace dynascope::views
