// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/steps_strip.h"

#include "views/dynamo/state_rows.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>

namespace dynascope::views {

namespace {

constexpr int margin = 12, laneTop = 22, laneHeight = 16, marksHeight = 22;

struct MarkKind {
    dynamo::Happening what;
    int row; ///< from the top of the marks
    const char* name;
};
constexpr std::array<MarkKind, 4> markKinds = {
    {{dynamo::Happening::Node, 0, QT_TRANSLATE_NOOP("StepsStrip", "nodes")},
     {dynamo::Happening::Guard, 1, QT_TRANSLATE_NOOP("StepsStrip", "guards")},
     {dynamo::Happening::SideEffect, 2, QT_TRANSLATE_NOOP("StepsStrip", "side effects")},
     {dynamo::Happening::GraphBreak, 3, QT_TRANSLATE_NOOP("StepsStrip", "graph breaks")}}};

std::array<QColor, markKinds.size()> markColours(const Colours& colours) {
    return {colours.added, colours.accent, colours.changed, colours.removed};
}

} // namespace

StepsStrip::StepsStrip(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("dynamo_steps"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(false);
    connect(&m_theme, &Theme::changed, this, [this] { // the margins go with the font
        placeMarks();
        update();
    });
    setAccessibleName(tr("Steps of the recording"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StepsStrip::setRecording(dynamo::RecordingPtr recording) {
    m_recording = std::move(recording);
    m_lanes.clear();
    m_step = 0;
    if (m_recording) {
        for (const dynamo::AttemptInfo& attempt : m_recording->attempts()) {
            if (attempt.first == dynamo::noStep) continue;
            const dynamo::Code* code = m_recording->code(attempt.code);
            QString name = toQString(idText(attempt));
            if (attempt.number > 0) name += QStringLiteral(" #%1").arg(attempt.number);
            if (code) name += u' ' + toQString(code->name);
            m_lanes.push_back({attempt.first, attempt.last, std::move(name)});
        }
    }
    placeMarks();
    update();
}

void StepsStrip::setStep(dynamo::StepIndex step) {
    if (step == m_step) return;
    m_step = step;
    update();
}

QSize StepsStrip::sizeHint() const {
    return {600, m_theme.scaled(laneTop + laneHeight + marksHeight + 10)};
}

QRect StepsStrip::chart() const {
    return rect().adjusted(m_theme.scaled(margin), 0, -m_theme.scaled(margin), 0);
}

double StepsStrip::xOf(dynamo::StepIndex step) const {
    const auto steps = m_recording ? std::max<std::size_t>(1, m_recording->steps().size()) : 1;
    return chart().left() + (double(step) + 0.5) / double(steps) * chart().width();
}

dynamo::StepIndex StepsStrip::stepAt(double x) const {
    const std::size_t steps = m_recording ? m_recording->steps().size() : 0;
    if (steps == 0) return dynamo::noStep;
    const double at = (x - chart().left()) / std::max(1, chart().width()) * double(steps);
    return dynamo::StepIndex(std::clamp(at, 0.0, double(steps - 1)));
}

QPoint StepsStrip::positionOf(dynamo::StepIndex step) const {
    return {int(xOf(step)), m_theme.scaled(laneTop + laneHeight / 2)};
}

void StepsStrip::paintMarks(QPainter& painter) const {
    const auto tones = markColours(m_theme.colours());
    const std::vector<dynamo::StepInfo>& steps = m_recording->steps();
    const int top = m_theme.scaled(laneTop + laneHeight + 3), height = m_theme.scaled(4);
    const int width = std::max(2, int(chart().width() / double(std::max<std::size_t>(1, steps.size()))) - 1);
    for (const Mark& mark : m_marks)
        painter.fillRect(QRect(mark.x - width / 2,
                               top + markKinds[mark.kind].row * (height + m_theme.scaled(1)), width, height),
                         tones[mark.kind]);
}

/// What the rows of marks are, from the top; at the end of the row that the step's label leaves more room in.
void StepsStrip::paintLegend(QPainter& painter, const QRectF& label) const {
    painter.setFont(m_theme.font(FontRole::Section));
    const QFontMetrics metrics(painter.font());
    const int swatch = m_theme.scaled(8), gap = m_theme.scaled(14), top = 2,
              height = m_theme.scaled(laneTop) - 4;
    int width = 0;
    for (const MarkKind& kind : markKinds)
        width += swatch + 4 + metrics.horizontalAdvance(tr(kind.name)) + gap;
    const bool left = label.left() > chart().left() + width;
    if (!left && label.right() + width > chart().right()) return;
    int x = left ? chart().left() : chart().right() - width + gap;
    const auto tones = markColours(m_theme.colours());
    for (std::size_t i = 0; i < markKinds.size(); ++i) {
        painter.fillRect(QRect(x, top + height / 2 - 2, swatch, m_theme.scaled(4)), tones[i]);
        x += swatch + 4;
        const QString name = tr(markKinds[i].name);
        painter.setPen(m_theme.colours().text2);
        painter.drawText(QRect(x, top, metrics.horizontalAdvance(name) + 2, height), Qt::AlignVCenter, name);
        x += metrics.horizontalAdvance(name) + gap;
    }
}

void StepsStrip::placeMarks() {
    m_marks.clear();
    if (!m_recording) return;
    const std::vector<dynamo::StepInfo>& steps = m_recording->steps();
    for (std::size_t kind = 0; kind < markKinds.size(); ++kind) {
        int last = -1;
        for (dynamo::StepIndex step = 0; step < steps.size(); ++step) {
            if (!steps[step].has(markKinds[kind].what)) continue;
            const int x = int(xOf(step));
            if (x == last) continue;
            last = x;
            m_marks.push_back({x, kind});
        }
    }
}

void StepsStrip::resizeEvent(QResizeEvent* event) {
    placeMarks();
    QWidget::resizeEvent(event);
}

void StepsStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colours& colours = m_theme.colours();
    painter.fillRect(rect(), colours.bg1);
    painter.setPen(colours.line);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    if (!m_recording || m_recording->steps().empty()) return;
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    for (const Lane& lane : m_lanes) {
        const double halfStep = chart().width() / double(m_recording->steps().size()) / 2;
        const QRectF box(xOf(lane.first) - halfStep, m_theme.scaled(laneTop),
                         xOf(lane.last) - xOf(lane.first) + 2 * halfStep, m_theme.scaled(laneHeight));
        const bool now = m_step >= lane.first && m_step <= lane.last;
        painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), now ? colours.accentBg : colours.bg2);
        painter.setPen(now ? colours.accentText() : colours.text2);
        const QString name = elided(painter.fontMetrics(), lane.name, Qt::ElideRight, int(box.width()) - 8);
        if (box.width() > 24)
            painter.drawText(box.adjusted(4, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft, name);
    }
    paintMarks(painter);

    const double x = xOf(m_step);
    const QString text = tr("step %1 of %2").arg(numberText(m_step), numberText(m_recording->steps().size()));
    const int labelWidth = painter.fontMetrics().horizontalAdvance(text) + 12;
    const QRectF label(std::clamp(x - labelWidth / 2.0, 0.0, double(std::max(0, width() - labelWidth))), 2,
                       labelWidth, m_theme.scaled(laneTop) - 4);
    painter.setPen(QPen(colours.accent, 2));
    painter.drawLine(QPointF(x, label.bottom()), QPointF(x, height() - 2));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.accentBg);
    painter.drawRoundedRect(label, 3, 3);
    painter.setPen(colours.accentText());
    painter.drawText(label, Qt::AlignCenter, text);
    paintLegend(painter, label);
    if (hasFocus()) {
        painter.setPen(QPen(colours.accent, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void StepsStrip::choose(dynamo::StepIndex step) {
    if (step == dynamo::noStep || step == m_step) return;
    emit stepChosen(step);
}

void StepsStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) choose(stepAt(event->position().x()));
}

void StepsStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) choose(stepAt(event->position().x()));
}

void StepsStrip::keyPressEvent(QKeyEvent* event) {
    const std::size_t steps = m_recording ? m_recording->steps().size() : 0;
    if (steps == 0) return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(m_step > 0 ? m_step - 1 : 0);
    case Qt::Key_Right:
        return choose(std::min(m_step + 1, dynamo::StepIndex(steps - 1)));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(dynamo::StepIndex(steps - 1));
    default:
        QWidget::keyPressEvent(event);
    }
}

bool StepsStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !m_recording) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const dynamo::StepIndex step = stepAt(help->pos().x());
    if (step == dynamo::noStep) return true;
    const dynamo::Instruction* instruction = m_recording->instructionAt(step);
    QString text = tr("step %1").arg(step);
    if (instruction)
        text += QStringLiteral(": %1 %2").arg(toQString(instruction->op), toQString(instruction->text));
    if (const QString what = happeningsText(*m_recording, step); !what.isEmpty()) text += u'\n' + what;
    text += u'\n' + tr("Rows of marks: nodes, guards, side effects, graph breaks");
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
    return true;
}

} // namespace dynascope::views
