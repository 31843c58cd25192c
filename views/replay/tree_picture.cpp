// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_picture.h"

#include "views/replay/tree_rows.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

using replay::NodeId;
using replay::TreeNode;

namespace {

constexpr int cardWidth = 92, cardHeight = 36, columnGap = 26, rowGap = 10, margin = 14, rootWidth = 20;

bool contains(const std::vector<NodeId>& path, NodeId node) {
    return std::binary_search(path.begin(), path.end(), node);
}

} // namespace

TreePicture::TreePicture(TreeWalk& walk, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_walk(walk)
    , m_theme(theme) {
    setObjectName(QStringLiteral("treePicture"));
    setAccessibleName(tr("Recording tree"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    connect(&m_walk, &TreeWalk::runChanged, this, &TreePicture::layOut);
    connect(&m_walk, &TreeWalk::moved, this, &TreePicture::follow);
    connect(&m_theme, &Theme::changed, this, &TreePicture::layOut);
    layOut();
}

void TreePicture::setShowsWarmups(bool shows) {
    if (std::exchange(m_warmups, shows) == shows) return;
    layOut();
    follow();
}

QSize TreePicture::sizeHint() const {
    return {m_theme.scaled(460), m_theme.scaled(260)};
}

// Positions follow from the whole run, so that nothing moves while one steps through it.
void TreePicture::layOut() {
    m_cards.clear();
    m_at.clear();
    m_columns = m_rows = 0;
    if (m_walk.run()) {
        const auto& nodes = m_walk.run()->log().nodes();
        std::unordered_map<NodeId, std::vector<const TreeNode*>> children;
        const auto place = [&](bool warmups) {
            for (const TreeNode& node : nodes)
                if (node.isWarmup() == warmups) children[node.parent].push_back(&node);
        };
        place(false);
        // Below the recordings: with them in between the tree would be torn apart.
        place(true);
        const auto takesRow = [this](const TreeNode& node) { return m_warmups || !node.isWarmup(); };
        std::vector<const TreeNode*> left;
        const auto push = [&](NodeId parent) {
            const auto found = children.find(parent);
            if (found != children.end())
                left.insert(left.end(), found->second.rbegin(), found->second.rend());
        };
        push(replay::noNode);
        while (!left.empty()) {
            const TreeNode* node = left.back();
            left.pop_back();
            m_at[node->id] = m_cards.size();
            m_cards.push_back({node, double(node->depth), m_rows});
            m_columns = std::max(m_columns, double(node->depth) + 1);
            const auto below = children.find(node->id);
            if (takesRow(*node) && (below == children.end() || !takesRow(*below->second.front())))
                m_rows += 1;
            push(node->id);
        }
        for (std::size_t i = m_cards.size(); i-- > 0;) {
            Card& card = m_cards[i];
            const auto below = children.find(card.node->id);
            if (!takesRow(*card.node)) {
                card.row = m_rows; // only those of one path are ever seen: they share a row
            } else if (below != children.end() && takesRow(*below->second.front())) {
                // Between its first and its last child.
                const auto last = std::find_if(below->second.rbegin(), below->second.rend(),
                                               [&](const TreeNode* child) { return takesRow(*child); });
                card.row =
                    (m_cards[m_at[below->second.front()->id]].row + m_cards[m_at[(*last)->id]].row) / 2;
            }
        }
        m_rows += m_warmups ? 0 : 1;
    }
    follow();
}

bool TreePicture::isShown(const Card& card) const {
    if (card.node->step >= m_walk.position()) return false;
    return !card.node->isWarmup() || m_warmups || contains(m_path, card.node->id);
}

QRect TreePicture::rectOf(const Card& card) const {
    const auto at = [&](double steps, int size, int gap) { return int(steps * m_theme.scaled(size + gap)); };
    return {m_theme.scaled(margin + rootWidth) + at(card.column, cardWidth, columnGap),
            m_theme.scaled(margin) + at(card.row, cardHeight, rowGap), m_theme.scaled(cardWidth),
            m_theme.scaled(cardHeight)};
}

QPoint TreePicture::offset() const {
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QRect TreePicture::nodeRect(NodeId node) const {
    const auto at = m_at.find(node);
    if (at == m_at.end() || !isShown(m_cards[at->second])) return {};
    return rectOf(m_cards[at->second]).translated(-offset());
}

NodeId TreePicture::nodeAt(QPoint point) const {
    for (const Card& card : m_cards)
        if (isShown(card) && rectOf(card).contains(point + offset())) return card.node->id;
    return replay::noNode;
}

void TreePicture::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    follow();
}

void TreePicture::follow() {
    m_path = m_walk.path();
    std::sort(m_path.begin(), m_path.end());
    const int width =
        m_theme.scaled(2 * margin + rootWidth) + int(m_columns * m_theme.scaled(cardWidth + columnGap));
    const int height = m_theme.scaled(2 * margin) + int(m_rows * m_theme.scaled(cardHeight + rowGap));
    horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    const NodeId shown = m_walk.selected() != replay::noNode ? m_walk.selected() : m_walk.state().current;
    if (const QRect card = nodeRect(shown); !card.isEmpty()) {
        const auto reveal = [](QScrollBar* bar, int from, int to, int room) {
            if (from < margin) bar->setValue(bar->value() + from - margin);
            if (to > room - margin) bar->setValue(bar->value() + to - room + margin);
        };
        reveal(horizontalScrollBar(), card.left(), card.right(), viewport()->width());
        reveal(verticalScrollBar(), card.top(), card.bottom(), viewport()->height());
    }
    setAccessibleDescription(
        tr("event %1, current node %2").arg(m_walk.position()).arg(treeNodeName(m_walk.state().current)));
    viewport()->update();
}

QString TreePicture::stateText(const TreeNode& node) const {
    if (node.isWarmup()) return tr("warm-up");
    const replay::TreeRun& run = *m_walk.run();
    const std::size_t replays = run.replays(node.id, m_walk.position());
    const bool again = rerecordCause(run.step(node.step)) != nullptr;
    QString made = again ? treeActionName(run.step(node.step)) : tr("recorded");
    if (replays == 0) return made;
    return again ? tr("%1, %2×").arg(made).arg(replays) : countText(replays, tr("replay"), tr("replays"));
}

QColor TreePicture::stateColour(const TreeNode& node) const {
    const replay::TreeStep& step = m_walk.run()->step(node.step);
    if (node.isWarmup() || !rerecordCause(step)) return m_theme.colours().text3;
    return toneColour(treeActionTone(step), m_theme.colours());
}

QString TreePicture::toolTipOf(const TreeNode& node) const {
    const replay::TreeRun& run = *m_walk.run();
    QString text = tr("%1 of %2\nmade by event %3\n%4")
                       .arg(treeNodeName(node.id), treeFunctionName(run, node.function))
                       .arg(node.step + 1)
                       .arg(treeWhy(run, node.step));
    if (!node.isWarmup())
        text += u'\n' + tr("replayed %1")
                            .arg(countText(run.replays(node.id, m_walk.position()), tr("time"), tr("times")));
    return plainToolTip(text);
}

QString TreePicture::plainText() const {
    QStringList lines;
    for (const Card& card : m_cards) {
        if (!isShown(card)) continue;
        const TreeNode& node = *card.node;
        lines << QString(2 * qsizetype(std::min<std::size_t>(node.depth, 40)), u' ') + treeNodeName(node.id) +
                     u' ' + treeFunctionName(*m_walk.run(), node.function) + QStringLiteral(": ") +
                     stateText(node) + (contains(m_path, node.id) ? tr(", on the current path") : QString());
    }
    return lines.join(u'\n');
}

void TreePicture::paintEdge(QPainter& painter, const Card& card, bool onPath) const {
    const Colours& c = m_theme.colours();
    const QRect to = rectOf(card);
    const auto parent = m_at.find(card.node->parent);
    QPointF from(m_theme.scaled(margin) + 4, m_theme.scaled(margin) + m_theme.scaled(cardHeight) / 2.0);
    if (parent != m_at.end()) {
        const QRect box = rectOf(m_cards[parent->second]);
        from = QPointF(box.right() + 1, box.center().y());
    }
    const QPointF end(to.left(), to.center().y());
    const double bend = std::min(m_theme.scaled(columnGap), m_theme.scaled(rootWidth)) * 0.9;
    QPainterPath path(from);
    path.cubicTo(from + QPointF(bend, 0), end - QPointF(bend, 0), end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(onPath ? c.accent : c.edge, onPath ? 2 : 1.2,
                        card.node->isWarmup() ? Qt::DashLine : Qt::SolidLine));
    painter.drawPath(path);
}

void TreePicture::paintCard(QPainter& painter, const Card& card, bool onPath) const {
    const Colours& c = m_theme.colours();
    const TreeNode& node = *card.node;
    const QRectF box = QRectF(rectOf(card)).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool current = m_walk.state().current == node.id;
    const QColor state = stateColour(node);
    const bool again = state != c.text3;
    painter.setBrush(current ? c.accentBg : c.bg2);
    painter.setPen(QPen(current  ? c.accent
                        : again  ? state
                        : onPath ? c.accent
                                 : c.line2,
                        current ? 2 : 1.2, node.isWarmup() ? Qt::DashLine : Qt::SolidLine));
    painter.drawRoundedRect(box, 5, 5);
    if (m_walk.selected() == node.id) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.accent, 2));
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 7, 7);
    }
    const QRectF words = box.adjusted(8, 3, -7, -3);
    const QString name = node.isWarmup() ? QStringLiteral("w%1").arg(-node.id) : treeNodeName(node.id);
    painter.setFont(m_theme.font(FontRole::NodeName));
    painter.setPen(c.text);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignTop, name);
    const double used = painter.fontMetrics().horizontalAdvance(name) + 8;
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    painter.drawText(words.adjusted(used, 1, 0, 0), Qt::AlignRight | Qt::AlignTop,
                     elided(painter.fontMetrics(), treeFunctionName(*m_walk.run(), node.function),
                            Qt::ElideRight, int(words.width() - used)));
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(again ? state : c.text2);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignBottom,
                     elided(painter.fontMetrics(), stateText(node), Qt::ElideRight, int(words.width())));
}

void TreePicture::paintEvent(QPaintEvent* /*event*/) {
    const Colours& c = m_theme.colours();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), c.bg0);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_walk.run()) {
        painter.translate(-offset());
        const QRect seen = viewport()->rect().translated(offset()).adjusted(-200, -200, 200, 200);
        const int middle = m_theme.scaled(margin) + m_theme.scaled(cardHeight) / 2;
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.accent);
        painter.drawEllipse(QPointF(m_theme.scaled(margin) + 2, middle), 4, 4);
        bool any = false;
        for (const bool onPath : {false, true})
            for (const Card& card : m_cards)
                if (isShown(card) && contains(m_path, card.node->id) == onPath) {
                    any = true;
                    paintEdge(painter, card, onPath);
                }
        for (const Card& card : m_cards)
            if (isShown(card) && rectOf(card).intersects(seen))
                paintCard(painter, card, contains(m_path, card.node->id));
        painter.resetTransform();
        if (!any) {
            painter.setPen(c.text3);
            painter.setFont(m_theme.font(FontRole::Text));
            painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Nothing is recorded yet"));
        }
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(c.accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TreePicture::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) m_walk.select(nodeAt(event->pos()));
}

void TreePicture::chooseNeighbour(int direction) {
    std::vector<NodeId> shown;
    for (const Card& card : m_cards)
        if (isShown(card)) shown.push_back(card.node->id);
    if (shown.empty()) return;
    std::sort(shown.begin(), shown.end());
    const NodeId from = m_walk.selected() != replay::noNode ? m_walk.selected() : m_walk.state().current;
    const auto at = std::find(shown.begin(), shown.end(), from);
    const auto last = std::ptrdiff_t(shown.size()) - 1;
    const std::ptrdiff_t next =
        at == shown.end() ? (direction > 0 ? 0 : last) : at - shown.begin() + direction;
    m_walk.select(shown[std::size_t(std::clamp<std::ptrdiff_t>(next, 0, last))]);
}

void TreePicture::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copy();
    switch (event->key()) {
    case Qt::Key_Left:
        return m_walk.back();
    case Qt::Key_Right:
        return m_walk.forward();
    case Qt::Key_Home:
        return m_walk.moveTo(0);
    case Qt::Key_End:
        return m_walk.moveTo(SIZE_MAX);
    case Qt::Key_Up:
        m_walk.toMark(-1);
        return;
    case Qt::Key_Down:
        m_walk.toMark(1);
        return;
    case Qt::Key_PageUp:
        return chooseNeighbour(-1);
    case Qt::Key_PageDown:
        return chooseNeighbour(1);
    case Qt::Key_Escape:
        if (m_walk.selected() == replay::noNode) break;
        return m_walk.select(replay::noNode);
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void TreePicture::copy() const {
    QApplication::clipboard()->setText(plainText());
}

void TreePicture::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy the tree as text"), this, &TreePicture::copy);
    addPictureActions(menu, *this, QStringLiteral("cuda_graph_tree"));
    menu.exec(event->globalPos());
}

bool TreePicture::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const TreeNode* node = m_walk.run() ? m_walk.run()->log().find(nodeAt(help->pos())) : nullptr;
        if (node)
            QToolTip::showText(help->globalPos(), toolTipOf(*node), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
