// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/graph_so_far.h"

#include "core/ir/text.h"
#include "views/base/code_document.h"
#include "views/base/syntax.h"
#include "views/functionalize/op_story.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

GraphSoFar::GraphSoFar(Stepper& stepper, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setObjectName(QStringLiteral("graphSoFar"));
    setAccessibleName(tr("Functional graph so far"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    connect(&m_stepper, &Stepper::moved, this, &GraphSoFar::refresh);
    connect(&m_theme, &Theme::changed, this, &GraphSoFar::layOut);
    refresh();
}

void GraphSoFar::setShowDead(bool show) {
    m_showDead = show;
    refresh();
}

void GraphSoFar::setShortNames(bool on) {
    m_shortNames = on;
    refresh();
}

int GraphSoFar::rowHeight() const {
    return m_theme.scaled(20);
}

void GraphSoFar::refresh() {
    m_lines.clear();
    m_row = m_anchor = -1;
    const computed::FunctionalRecording* recording = m_stepper.recording();
    const ir::GraphPtr graph = recording ? recording->run().graph : nullptr;
    int number = 0, lastOp = -1, added = -1;
    ir::ReadableOptions options;
    options.annotations = false;
    options.clears = false;
    options.sourceComments = false;
    options.shortTargets = m_shortNames;
    for (std::size_t i = 0; graph && i < graph->size(); ++i) {
        const ir::Node& node = graph->node(ir::NodeIndex(i));
        if (node.op == ir::Op::Placeholder) continue;
        ++number;
        const auto [op, phase] = recording->emittedAt(node.name);
        Line line;
        line.node = int(i);
        line.number = number;
        line.op = op;
        line.phase = phase;
        line.dead = recording->isDead(node.name);
        const int at = node.op == ir::Op::Output ? recording->opCount() - 1 : op;
        if (at > m_stepper.op()) break;
        if (at == m_stepper.op())
            line.kind = phase > m_stepper.phase() ? Line::Kind::Next : Line::Kind::Added;
        if (node.op == ir::Op::Output && m_stepper.phase() + 1 < m_stepper.phaseCount())
            line.kind = Line::Kind::Next;
        if (line.dead && !m_showDead) continue;
        line.text = toQString(ir::printNode(node, options)).trimmed();
        if (at != lastOp && at >= 0)
            line.source = node.op == ir::Op::Output ? tr("return") : toQString(recording->statementText(at));
        lastOp = at;
        if (line.kind == Line::Kind::Added) added = int(m_lines.size());
        m_lines.push_back(std::move(line));
    }
    layOut();
    // The newest line in sight, with what comes next below it.
    const int target = added >= 0 ? added : int(m_lines.size()) - 1;
    const int below = std::min(int(m_lines.size()) - 1, target + 2);
    const int bottom = (below + 1) * rowHeight() + m_theme.scaled(8);
    if (bottom > viewport()->height() + verticalScrollBar()->value() ||
        target * rowHeight() < verticalScrollBar()->value())
        verticalScrollBar()->setValue(std::max(0, bottom - viewport()->height()));
}

void GraphSoFar::layOut() {
    const int height = int(m_lines.size()) * rowHeight() + m_theme.scaled(12);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight());
    int longest = 0;
    const QFontMetrics metrics(m_theme.font(FontRole::Code));
    for (const Line& line : m_lines)
        longest = std::max(longest, int(line.text.size()));
    const int width = m_theme.scaled(250) + longest * metrics.horizontalAdvance(u'm');
    horizontalScrollBar()->setRange(0, std::max(0, width - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    viewport()->update();
}

void GraphSoFar::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

QRect GraphSoFar::lineRect(int line) const {
    if (line < 0 || line >= int(m_lines.size())) return {};
    return {0, m_theme.scaled(4) + line * rowHeight() - verticalScrollBar()->value(), viewport()->width(),
            rowHeight()};
}

int GraphSoFar::lineAt(QPoint point) const {
    const int line = (point.y() - m_theme.scaled(4) + verticalScrollBar()->value()) / rowHeight();
    return point.y() >= 0 && line >= 0 && line < int(m_lines.size()) ? line : -1;
}

void GraphSoFar::reveal(const QString& node) {
    const computed::FunctionalRecording* recording = m_stepper.recording();
    if (!recording) return;
    for (int i = 0; i < int(m_lines.size()); ++i)
        if (toQString(recording->run().graph->node(ir::NodeIndex(m_lines[std::size_t(i)].node)).name) == node)
            move(i, false);
}

void GraphSoFar::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg1);
    const int gutter = m_theme.scaled(96), numberRight = gutter + m_theme.scaled(28);
    const int sign = numberRight + m_theme.scaled(8), textLeft = sign + m_theme.scaled(16);
    painter.fillRect(QRect(gutter, 0, m_theme.scaled(36), viewport()->height()), c.bg0);
    const QFont code = m_theme.font(FontRole::Code), small = m_theme.font(FontRole::CodeSmall);
    QFont italic = code;
    italic.setItalic(true);
    const int shift = horizontalScrollBar()->value();
    for (int i = 0; i < int(m_lines.size()); ++i) {
        const QRect rect = lineRect(i);
        if (rect.bottom() < 0 || rect.top() > viewport()->height()) continue;
        const Line& line = m_lines[std::size_t(i)];
        const bool added = line.kind == Line::Kind::Added, next = line.kind == Line::Kind::Next;
        if (added) painter.fillRect(rect, c.diff(diff::Change::Added).fill);
        if (m_row >= 0 && i >= std::min(m_row, m_anchor) && i <= std::max(m_row, m_anchor)) {
            painter.fillRect(rect, c.row);
            if (hasFocus() && i == m_row) {
                painter.setPen(c.accent);
                painter.drawRect(rect.adjusted(0, 0, -1, -1));
            }
        }
        painter.setFont(small);
        painter.setPen(c.text2);
        painter.drawText(
            QRect(m_theme.scaled(10), rect.top(), gutter - m_theme.scaled(14), rect.height()),
            Qt::AlignLeft | Qt::AlignVCenter,
            elided(QFontMetrics(small), line.source, Qt::ElideRight, gutter - m_theme.scaled(14)));
        painter.setFont(code);
        painter.setPen(added ? c.text2 : c.text3);
        painter.drawText(QRect(gutter, rect.top(), numberRight - gutter, rect.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(line.number));
        if (added) {
            painter.setPen(c.added);
            painter.drawText(QRect(sign, rect.top(), m_theme.scaled(14), rect.height()),
                             Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("+"));
        }
        QStringList tags;
        if (line.dead) tags << (next ? tr("dead") : tr("dead: no user"));
        if (next) tags << tr("next");
        int right = viewport()->width() - m_theme.scaled(10);
        QFont chip = m_theme.font(FontRole::Text);
        chip.setPixelSize(m_theme.scaled(10));
        const QFontMetrics chipMetrics(chip);
        for (qsizetype t = tags.size(); t-- > 0;) {
            const int width = chipMetrics.horizontalAdvance(tags[t]) + m_theme.scaled(10);
            const QRectF box(right - width, rect.center().y() - m_theme.scaled(7), width, m_theme.scaled(15));
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(c.bg3);
            painter.drawRoundedRect(box, 3, 3);
            painter.setFont(chip);
            painter.setPen(c.text2);
            painter.drawText(box, Qt::AlignCenter, tags[t]);
            right -= width + m_theme.scaled(6);
        }
        painter.save();
        painter.setClipRect(QRect(textLeft, rect.top(), right - textLeft, rect.height()));
        const QFont font = next ? italic : code;
        painter.setFont(font);
        const QFontMetricsF metrics(font);
        // Coloured as code; dead and coming lines stay quiet.
        const auto document = makeCodeDocument(line.text, Language::Python);
        double x = textLeft - shift;
        const auto draw = [&](const QString& part, const QColor& colour) {
            painter.setPen(line.dead || next ? c.text3 : colour);
            painter.drawText(
                QPointF(x, rect.top() + (rect.height() + metrics.ascent() - metrics.descent()) / 2), part);
            x += metrics.horizontalAdvance(part);
        };
        int at = 0;
        if (!document->lines.empty())
            for (const CodeSpan& span : document->lines.front().spans) {
                if (span.begin > at) draw(line.text.mid(at, span.begin - at), c.text);
                draw(line.text.mid(span.begin, span.end - span.begin), syntaxColour(span.style, c));
                at = span.end;
            }
        draw(line.text.mid(at), c.text);
        painter.restore();
    }
    painter.setPen(c.line);
    painter.drawLine(gutter, 0, gutter, viewport()->height());
}

void GraphSoFar::move(int row, bool extend) {
    if (m_lines.empty()) return;
    m_row = std::clamp(row, 0, int(m_lines.size()) - 1);
    if (!extend || m_anchor < 0) m_anchor = m_row;
    const QRect rect = lineRect(m_row);
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < 0) bar->setValue(bar->value() + rect.top());
    if (rect.bottom() > viewport()->height())
        bar->setValue(bar->value() + rect.bottom() - viewport()->height());
    viewport()->update();
}

QString GraphSoFar::selectedText() const {
    QStringList out;
    if (m_row < 0)
        for (const Line& line : m_lines)
            out << line.text;
    else
        for (int i = std::min(m_row, m_anchor); i <= std::max(m_row, m_anchor); ++i)
            out << m_lines[std::size_t(i)].text;
    return out.join(u'\n');
}

void GraphSoFar::mousePressEvent(QMouseEvent* event) {
    if (const int line = lineAt(event->position().toPoint()); line >= 0 && event->button() == Qt::LeftButton)
        move(line, event->modifiers() & Qt::ShiftModifier);
}

void GraphSoFar::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    if (const int line = lineAt(event->position().toPoint()); line >= 0) move(line, true);
}

void GraphSoFar::mouseDoubleClickEvent(QMouseEvent* event) {
    const int line = lineAt(event->position().toPoint());
    if (line < 0) return;
    const Line& at = m_lines[std::size_t(line)];
    emit nodeActivated(toQString(m_stepper.recording()->run().graph->node(ir::NodeIndex(at.node)).name));
    if (at.op >= 0) m_stepper.goTo(at.op, at.phase);
}

void GraphSoFar::keyPressEvent(QKeyEvent* event) {
    const bool extend = event->modifiers() & Qt::ShiftModifier;
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(selectedText());
    } else if (event->matches(QKeySequence::SelectAll)) {
        move(int(m_lines.size()) - 1, false);
        m_anchor = m_lines.empty() ? -1 : 0;
        viewport()->update();
    } else if (event->key() == Qt::Key_Down) {
        move(m_row + 1, extend);
    } else if (event->key() == Qt::Key_Up) {
        move(m_row < 0 ? int(m_lines.size()) - 1 : m_row - 1, extend);
    } else if (event->key() == Qt::Key_Return && m_row >= 0) {
        const Line at = m_lines[std::size_t(m_row)];
        if (at.op >= 0) m_stepper.goTo(at.op, at.phase);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void GraphSoFar::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(m_row < 0 ? tr("Copy the graph so far") : tr("Copy"), this,
                   [this] { QApplication::clipboard()->setText(selectedText()); });
    addPictureActions(menu, *this, QStringLiteral("graph_so_far"));
    menu.exec(event->globalPos());
}

bool GraphSoFar::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int line = lineAt(help->pos());
        if (line >= 0 && m_stepper.recording()) {
            const computed::FunctionalRecording& recording = *m_stepper.recording();
            const Line& at = m_lines[std::size_t(line)];
            QString text;
            if (at.op >= 0) {
                text = tr("Emitted by op %1, %2: %3")
                           .arg(at.op)
                           .arg(toQString(recording.source(at.op).name),
                                Stepper::phaseHelp(recording.phases(at.op)[std::size_t(at.phase)].kind));
            }
            QToolTip::showText(help->globalPos(), plainToolTip(text), viewport());
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
