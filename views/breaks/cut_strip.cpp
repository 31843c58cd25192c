// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/cut_strip.h"

#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

namespace dynascope::views {

namespace {
constexpr int gap = 16;        // between two cards, where the break's line is drawn
constexpr int emptyWidth = 10; // a frame that made no graph
constexpr int apart = 4;       // two pills, at least
constexpr std::size_t mostRows = 60;
} // namespace

CutStrip::CutStrip(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("graph_breaks"));
    setMouseTracking(true);
    setAccessibleName(tr("How the breaks cut the frame into graphs"));
    connect(&m_theme, &Theme::changed, this, [this] {
        layOut();
        update();
    });
}

void CutStrip::setRows(session::SessionPtr session, std::vector<session::CutRow> rows) {
    m_session = std::move(session);
    m_rows = std::move(rows);
    if (m_rows.size() > mostRows) m_rows.resize(mostRows);
    layOut();
    updateGeometry();
    update();
}

void CutStrip::setGroup(std::size_t group) {
    m_group = group;
    update();
}

QSize CutStrip::sizeHint() const {
    return {400, int(m_rows.size()) * m_theme.scaled(66) + m_theme.scaled(12)};
}

QSize CutStrip::minimumSizeHint() const {
    return {m_contentWidth, sizeHint().height()};
}

QRect CutStrip::pieceRect(int row, int piece) const {
    for (const Box& box : m_boxes)
        if (box.row == row && box.piece == piece) return box.card;
    return {};
}

QRect CutStrip::breakRect(int row, int piece) const {
    for (const Box& box : m_boxes)
        if (box.row == row && box.piece == piece) return box.pill;
    return {};
}

int CutStrip::pillWidth(const session::CutPiece& piece) const {
    if (piece.breakLine <= 0) return 0;
    const QFontMetrics metrics(m_theme.font(FontRole::Section));
    return metrics.horizontalAdvance(QString::number(piece.breakLine)) + 12;
}

// However short its frame was, a piece keeps its pill off the one before it.
int CutStrip::leastWidth(const session::CutRow& row, std::size_t at) const {
    const session::CutPiece& piece = row.pieces[at];
    const int least = piece.ops.empty() ? emptyWidth : m_theme.scaled(46);
    const int before = at > 0 ? pillWidth(row.pieces[at - 1]) : 0, own = pillWidth(piece);
    return before > 0 && own > 0 ? std::max(least, (before + own + 1) / 2 + apart - gap) : least;
}

// The end of a label, "call 2", is what tells rows apart.
int CutStrip::labelsWidth() const {
    const QFontMetrics metrics(m_theme.font(FontRole::Strong));
    int widest = m_theme.scaled(96);
    for (const session::CutRow& row : m_rows)
        widest = std::max(widest, metrics.horizontalAdvance(toQString(row.label)) + 22);
    return std::min(widest, std::max(m_theme.scaled(180), width() / 6));
}

void CutStrip::layOut() {
    m_boxes.clear();
    m_labelWidth = labelsWidth();
    const int cardHeight = m_theme.scaled(40), rowHeight = m_theme.scaled(66);
    // One scale for all rows, so that widths compare; the longest row fills the width.
    double perSecond = 1e9;
    m_contentWidth = 0;
    for (const session::CutRow& row : m_rows) {
        double seconds = 0;
        int fixed = m_labelWidth + 12;
        for (std::size_t p = 0; p < row.pieces.size(); ++p) {
            seconds += row.pieces[p].ops.empty() ? 0 : row.pieces[p].seconds;
            fixed += leastWidth(row, p) + gap;
        }
        m_contentWidth = std::max(m_contentWidth, fixed);
        if (seconds > 0) perSecond = std::min(perSecond, std::max(0, width() - fixed) / seconds);
    }
    if (perSecond > 1e8) perSecond = 0;
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        int x = m_labelWidth;
        const int y = m_theme.scaled(10) + int(r) * rowHeight;
        for (std::size_t p = 0; p < m_rows[r].pieces.size(); ++p) {
            const session::CutPiece& piece = m_rows[r].pieces[p];
            const int wide =
                leastWidth(m_rows[r], p) + (piece.ops.empty() ? 0 : int(piece.seconds * perSecond));
            Box box{int(r), int(p), QRect(x, y, wide, cardHeight), {}};
            x += wide + gap;
            if (const int pill = pillWidth(piece); pill > 0) {
                box.pill = QRect(x - gap / 2 - pill / 2, y + cardHeight + m_theme.scaled(3), pill,
                                 m_theme.scaled(16));
            }
            m_boxes.push_back(box);
        }
    }
}

const session::CutPiece& CutStrip::pieceOf(const Box& box) const {
    return m_rows[std::size_t(box.row)].pieces[std::size_t(box.piece)];
}

void CutStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    painter.setRenderHint(QPainter::Antialiasing);
    const int rowHeight = m_theme.scaled(66);
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        const QRect label(12, m_theme.scaled(12) + int(r) * rowHeight, m_labelWidth - 20, m_theme.scaled(18));
        painter.setFont(m_theme.font(FontRole::Strong));
        painter.setPen(c.text);
        painter.drawText(label, Qt::AlignVCenter,
                         elided(painter.fontMetrics(), toQString(m_rows[r].label), Qt::ElideMiddle,
                                label.width())); // its end tells rows apart
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        painter.drawText(
            label.translated(0, m_theme.scaled(17)), Qt::AlignVCenter,
            elided(painter.fontMetrics(), toQString(m_rows[r].detail), Qt::ElideRight, label.width()));
    }
    for (const Box& box : m_boxes) {
        const session::CutPiece& piece = pieceOf(box);
        const QRectF card = QRectF(box.card).adjusted(0.5, 0.5, -0.5, -0.5);
        const bool empty = piece.ops.empty();
        painter.setPen(QPen(c.line2, 1, empty ? Qt::DashLine : Qt::SolidLine));
        painter.setBrush(empty ? QBrush(Qt::NoBrush) : QBrush(c.bg3));
        painter.drawRoundedRect(card, 5, 5);
        if (!empty && m_session && piece.compile < m_session->compiles.size()) {
            const QRect inner = box.card.adjusted(7, 3, -7, -3);
            const QString id = toQString(m_session->compiles[piece.compile].id.toString());
            painter.setFont(m_theme.font(FontRole::Strong));
            painter.setPen(c.text);
            const int idWidth = painter.fontMetrics().horizontalAdvance(id);
            painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, id);
            painter.setFont(m_theme.font(FontRole::CodeSmall));
            const QString time = secondsText(piece.seconds);
            painter.setPen(c.text2);
            if (idWidth + 10 + painter.fontMetrics().horizontalAdvance(time) <= inner.width())
                painter.drawText(inner, Qt::AlignRight | Qt::AlignTop, time);
            QStringList ops;
            for (const std::string& op : piece.ops)
                ops << toQString(op);
            painter.setPen(c.text);
            painter.drawText(
                inner, Qt::AlignLeft | Qt::AlignBottom,
                elided(painter.fontMetrics(), ops.join(QStringLiteral(", ")), Qt::ElideRight, inner.width()));
        }
        if (piece.breakLine <= 0) continue;
        const bool strong = piece.group == m_group && m_group != SIZE_MAX;
        const int x = box.pill.center().x();
        painter.setPen(strong ? QPen(c.removed, 2) : QPen(c.edge, 1.5, Qt::DotLine));
        painter.drawLine(x, box.card.top() - 4, x, box.pill.top());
        painter.setPen(QPen(strong ? c.removed : c.line2, 1));
        painter.setBrush(strong ? c.diff(diff::Change::Removed).fill : c.bg2);
        painter.drawRoundedRect(QRectF(box.pill).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
        painter.setFont(m_theme.font(FontRole::Section));
        painter.setPen(strong ? c.removed : c.text2);
        painter.drawText(box.pill, Qt::AlignCenter, QString::number(piece.breakLine));
    }
}

void CutStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

const CutStrip::Box* CutStrip::boxAt(QPoint point, bool* onPill) const {
    for (const Box& box : m_boxes) {
        *onPill = box.pill.adjusted(-2, -gap, 2, 2).contains(point) && !box.card.contains(point);
        if (*onPill || box.card.contains(point)) return &box;
    }
    return nullptr;
}

void CutStrip::mousePressEvent(QMouseEvent* event) {
    bool onPill = false;
    const Box* box = boxAt(event->position().toPoint(), &onPill);
    if (!box || event->button() != Qt::LeftButton) return;
    const session::CutPiece& piece = pieceOf(*box);
    if (onPill && piece.group != SIZE_MAX)
        emit groupActivated(int(piece.group));
    else if (!onPill)
        emit compileActivated(int(piece.compile));
}

void CutStrip::mouseMoveEvent(QMouseEvent* event) {
    bool onPill = false;
    setCursor(boxAt(event->position().toPoint(), &onPill) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

bool CutStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    bool onPill = false;
    const Box* box = boxAt(help->pos(), &onPill);
    if (!box || !m_session) {
        QToolTip::hideText();
        return true;
    }
    const session::CutPiece& piece = pieceOf(*box);
    QString text;
    if (onPill) {
        text = tr("Graph break at :%1").arg(piece.breakLine);
    } else if (piece.compile < m_session->compiles.size()) {
        const session::Compile& compile = m_session->compiles[piece.compile];
        text =
            toQString(compile.id.toString()) + u' ' + frameText(compile) + u'\n' + secondsText(piece.seconds);
        if (piece.ops.empty()) text += u'\n' + tr("no graph: the frame ended before an op was traced");
    }
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
    return true;
}

} // namespace dynascope::views
