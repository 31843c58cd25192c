// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/convention_view.h"

#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {

using Step = computed::AotConventionStep;

constexpr int cardHeight = 40, rowGap = 12, columnGap = 26, margin = 12, headingHeight = 26, top = 52;
/// Least widths of the columns, and how they share what is left.
constexpr int least[computed::conventionSteps] = {138, 104, 190, 124, 128, 142};
constexpr int share[computed::conventionSteps] = {2, 1, 4, 1, 2, 2};

} // namespace

QString conventionStepName(Step step) {
    switch (step) {
    case Step::Outer:
        return ConventionView::tr("Outer arguments");
    case Step::Dedupe:
        return ConventionView::tr("Dedupe");
    case Step::Bases:
        return ConventionView::tr("Synthetic base");
    case Step::Inner:
        return ConventionView::tr("Inner arguments");
    case Step::Outputs:
        return ConventionView::tr("Graph outputs");
    case Step::Epilogue:
        break;
    }
    return ConventionView::tr("Epilogue");
}

ConventionView::ConventionView(Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("conventionView"));
    setAccessibleName(tr("Calling convention"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    connect(&m_theme, &Theme::changed, this, &ConventionView::layOut);
}

QSize ConventionView::sizeHint() const {
    return {m_theme.scaled(900), m_theme.scaled(480)};
}

void ConventionView::setConvention(std::shared_ptr<const computed::AotConvention> convention) {
    m_convention = std::move(convention);
    m_step = Step::Outer;
    m_selected = -1;
    layOut();
}

void ConventionView::setStep(Step step) {
    if (std::exchange(m_step, step) == step) return;
    m_selected = -1;
    setAccessibleDescription(conventionStepName(step));
    viewport()->update();
    emit moved();
}

void ConventionView::layOut() {
    m_cards.clear();
    m_lines.clear();
    m_at.clear();
    if (m_convention) {
        addOuter();
        addBases();
        addInner();
        addOutputs();
        addEpilogue();
        for (std::size_t i = 0; i < m_cards.size(); ++i)
            m_at[{int(m_cards[i].column), m_cards[i].index}] = i;
        join();
    }
    place();
}

int ConventionView::find(Step column, int index) const {
    const auto at = m_at.find({int(column), index});
    return at == m_at.end() ? -1 : int(at->second);
}

int ConventionView::baseHeight(const computed::BaseCard& base) const {
    return m_theme.scaled(30 + 34 + int(base.members.size()) * 30 + 6);
}

// Columns share the width; cards of one column stand below each other in their order.
void ConventionView::place() {
    int sum = 0, shares = 0;
    for (int i = 0; i < computed::conventionSteps; ++i) {
        sum += m_theme.scaled(least[i]);
        shares += share[i];
    }
    const int gaps = m_theme.scaled(2 * margin + (computed::conventionSteps - 1) * columnGap);
    const int spare = std::max(0, viewport()->width() - sum - gaps);
    int x = m_theme.scaled(margin);
    for (int i = 0; i < computed::conventionSteps; ++i) {
        m_columns[i] = x;
        m_widths[i] = m_theme.scaled(least[i]) + spare * share[i] / shares;
        x += m_widths[i] + m_theme.scaled(columnGap);
    }
    int y[computed::conventionSteps];
    std::fill(std::begin(y), std::end(y), m_theme.scaled(top));
    m_height = 0;
    for (Card& card : m_cards) {
        const int column = int(card.column);
        const int height = card.base >= 0 ? baseHeight(m_convention->bases[std::size_t(card.base)])
                                          : m_theme.scaled(cardHeight);
        card.rect = QRect(m_columns[column], y[column], m_widths[column], height);
        y[column] += height + m_theme.scaled(rowGap);
        m_height = std::max(m_height, y[column]);
    }
    m_height += m_theme.scaled(writeBackHeight);
    fit();
    viewport()->update();
}

void ConventionView::fit() {
    const int width = m_columns[computed::conventionSteps - 1] + m_widths[computed::conventionSteps - 1] +
                      m_theme.scaled(margin);
    horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setRange(0, std::max(0, m_height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(m_theme.scaled(cardHeight + rowGap));
}

void ConventionView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    place();
}

QPoint ConventionView::offset() const {
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QRect ConventionView::cardRect(Step column, int index) const {
    const int at = find(column, index);
    return at < 0 ? QRect() : m_cards[std::size_t(at)].rect.translated(-offset());
}

QRect ConventionView::headingRect(Step column) const {
    return {m_columns[int(column)] - offset().x(), m_theme.scaled(margin) - offset().y(),
            m_widths[int(column)], m_theme.scaled(headingHeight)};
}

int ConventionView::cardAt(QPoint point) const {
    for (std::size_t i = 0; i < m_cards.size(); ++i)
        if (m_cards[i].rect.contains(point + offset())) return int(i);
    return -1;
}

void ConventionView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    for (int i = 0; i < computed::conventionSteps; ++i)
        if (headingRect(Step(i)).contains(event->pos())) return setStep(Step(i));
    const int at = cardAt(event->pos());
    if (at < 0) return;
    m_step = m_cards[std::size_t(at)].column;
    choose(m_cards[std::size_t(at)].index);
}

void ConventionView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int at = cardAt(event->pos());
    if (at >= 0) emit cardActivated(m_cards[std::size_t(at)].column, m_cards[std::size_t(at)].index);
}

void ConventionView::choose(int index) {
    m_selected = index;
    if (const int at = find(m_step, index); at >= 0) {
        const QRect rect = m_cards[std::size_t(at)].rect.translated(-offset());
        QScrollBar* bar = verticalScrollBar();
        if (rect.top() < 0) bar->setValue(bar->value() + rect.top() - m_theme.scaled(margin));
        if (rect.bottom() > viewport()->height())
            bar->setValue(bar->value() + rect.bottom() - viewport()->height() + m_theme.scaled(margin));
        setAccessibleDescription(m_cards[std::size_t(at)].title);
    }
    viewport()->update();
    emit moved();
}

void ConventionView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copy();
    std::vector<int> here;
    for (const Card& card : m_cards)
        if (card.column == m_step) here.push_back(card.index);
    const auto at = std::find(here.begin(), here.end(), m_selected);
    switch (event->key()) {
    case Qt::Key_Left:
        return setStep(Step(std::max(0, int(m_step) - 1)));
    case Qt::Key_Right:
        return setStep(Step(std::min(computed::conventionSteps - 1, int(m_step) + 1)));
    case Qt::Key_Home:
        return setStep(Step::Outer);
    case Qt::Key_End:
        return setStep(Step::Epilogue);
    case Qt::Key_Down:
        if (here.empty()) return;
        return choose(at == here.end() ? here.front() : at + 1 == here.end() ? *at : *(at + 1));
    case Qt::Key_Up:
        if (here.empty()) return;
        return choose(at == here.end() ? here.back() : at == here.begin() ? *at : *(at - 1));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected >= 0) emit cardActivated(m_step, m_selected);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

QString ConventionView::plainText() const {
    QStringList lines;
    for (int step = 0; step < computed::conventionSteps; ++step) {
        lines << conventionStepName(Step(step));
        for (const Card& card : m_cards)
            if (int(card.column) == step)
                lines << QStringLiteral("  ") + card.title +
                             (card.corner.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(card.corner)) +
                             (card.second.isEmpty() ? QString() : QStringLiteral(": ") + card.second);
    }
    return lines.join(u'\n');
}

void ConventionView::copy() const {
    QApplication::clipboard()->setText(plainText());
}

void ConventionView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy the diagram as text"), this, &ConventionView::copy);
    addPictureActions(menu, *this, QStringLiteral("calling_convention"));
    menu.exec(event->globalPos());
}

bool ConventionView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int at = cardAt(help->pos());
        if (at < 0)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainToolTip(m_cards[std::size_t(at)].toolTip), this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
