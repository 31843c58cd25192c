// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/step_panel.h"
#include "views/functionalize/op_story.h"

#include "views/inspector/inspector_panel.h"
#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QButtonGroup>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr int plotRow = 22;
constexpr int mostPlotRows = 14;
constexpr int nameColumn = 82;
constexpr int modeSection = 4, plotSection = 2;
} // namespace

GenerationsPlot::GenerationsPlot(const Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    const computed::Scoreboard& board = stepper.scoreboard();
    const auto written = std::count_if(board.storages.begin(), board.storages.end(),
                                       [](const computed::StorageState& s) { return s.lastGeneration > 0; });
    for (const computed::StorageState& storage : board.storages) {
        if (storage.lastGeneration == 0) continue;
        m_rows.push_back({tr("base"), storage.generation, storage.generation, true, false});
        if (written > 1) m_rows.back().name = tr("base %1").arg(storage.group);
        m_last = std::max(m_last, storage.lastGeneration);
        for (const computed::TensorViewState& view : board.views)
            if (view.group == storage.group)
                m_rows.push_back(
                    {stepper.recording() ? nameOf(*stepper.recording(), view.value) : toQString(view.value),
                     view.generation, storage.generation, false, view.syncing});
        if (m_rows.size() >= mostPlotRows) break;
    }
    if (m_rows.size() > mostPlotRows) m_rows.resize(mostPlotRows);
    setAccessibleName(tr("Generations"));
}

QSize GenerationsPlot::sizeHint() const {
    if (m_rows.empty()) return {10, m_theme.scaled(24)};
    return {m_theme.scaled(200), m_theme.scaled(20 + plotRow * int(m_rows.size()) + 6)};
}

void GenerationsPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    if (m_rows.empty()) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        painter.drawText(rect().adjusted(m_theme.scaled(12), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("No storage is ever written."));
        return;
    }
    const int left = m_theme.scaled(nameColumn), right = width() - m_theme.scaled(30);
    const double step = m_last > 0 ? double(right - left) / m_last : 0;
    const auto x = [&](int generation) { return left + step * generation; };
    const int top = m_theme.scaled(20), row = m_theme.scaled(plotRow);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const int every = std::max(1, int(std::ceil(m_theme.scaled(20) / std::max(step, 1.0))));
    for (int g = 0; g <= m_last; g += every) {
        painter.setPen(c.text3);
        painter.drawText(QRectF(x(g) - 16, 0, 32, top - 2), Qt::AlignCenter, QString::number(g));
        painter.setPen(QPen(c.line, 1));
        painter.drawLine(QPointF(x(g), top), QPointF(x(g), height() - 4));
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& r = m_rows[i];
        const double y = top + row * (double(i) + 0.5);
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text);
        painter.drawText(QRectF(m_theme.scaled(12), y - row / 2.0, left - m_theme.scaled(22), row),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         elidedName(painter.fontMetrics(), r.name, left - m_theme.scaled(22)));
        const QColor colour = r.base                 ? c.accent
                              : r.syncing            ? c.op(ir::OpKind::Write)
                              : r.generation < r.now ? c.changed
                                                     : c.text2;
        painter.setPen(QPen(colour, 2));
        painter.drawLine(QPointF(x(0), y), QPointF(x(r.generation), y));
        if (r.generation < r.now) {
            painter.setPen(QPen(colour, 1.5, Qt::DotLine));
            painter.drawLine(QPointF(x(r.generation), y), QPointF(x(r.now), y));
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(QPointF(x(r.generation), y), 4.5, 4.5);
    }
}

bool GenerationsPlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = (help->pos().y() - m_theme.scaled(20)) / m_theme.scaled(plotRow);
    if (row >= 0 && row < int(m_rows.size())) {
        const Row& r = m_rows[std::size_t(row)];
        QToolTip::showText(
            help->globalPos(),
            plainToolTip(r.base
                             ? tr("The storage was written %1")
                                   .arg(countText(qulonglong(r.generation), tr("time"), tr("times")))
                             : tr("%1 knows the writes up to generation %2").arg(r.name).arg(r.generation)),
            this);
    }
    return true;
}

StepPanel::StepPanel(Workspace& workspace, Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_stepper(stepper)
    , m_theme(theme)
    , m_view(new FactView(theme)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    connect(m_view, &FactView::followed, this, [this](const QString& target) {
        if (target.startsWith(QLatin1String("emitted:")))
            emit emittedActivated(target.mid(8));
        else
            followLink(m_workspace, target);
    });
    connect(&m_stepper, &Stepper::moved, this, &StepPanel::refresh);
    connect(&m_workspace, &Workspace::computedChanged, this, &StepPanel::refresh);
    connect(&m_theme, &Theme::changed, this, &StepPanel::refresh);
    refresh();
}

QString StepPanel::plainText() const {
    return FactView::plainText(m_facts);
}

QWidget* StepPanel::modeSwitch() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(12, 0, 12, 8);
    column->setSpacing(6);
    const auto button = [&](const QString& text, bool removes, const char* name, const QString& tip) {
        auto* b = new QPushButton(text);
        b->setObjectName(QLatin1String(name));
        b->setCheckable(true);
        b->setAutoExclusive(true);
        b->setChecked(m_stepper.mode().removesViews == removes);
        b->setToolTip(tip);
        connect(b, &QPushButton::clicked, this, [this, removes] {
            m_stepper.setMode({removes, m_stepper.mode().callerWritesBack});
        });
        column->addWidget(b, 0, Qt::AlignLeft);
    };
    button(tr("remove mutations"), false, "modeMutations",
           tr("Views stay views: torch.func.functionalize(remove='mutations')"));
    button(tr("mutations and views"), true, "modeViews",
           tr("Every view becomes its copying form: remove='mutations_and_views'"));

    auto* note =
        new QLabel(m_stepper.mode().removesViews ? tr("Every view becomes a copy: view_copy, select_copy.")
                                                 : tr("Views stay views, as in AOTAutograd's graphs."));
    note->setWordWrap(true);
    note->setProperty("role", "label");
    column->addWidget(note);
    return box;
}

void StepPanel::refresh() {
    const computed::ComputedStage* shown = m_stepper.stage();
    const computed::StageVerdict verdict =
        shown ? m_workspace.verdict(shown->stage.get()) : computed::StageVerdict{};
    const computed::ForcingBreaks breaks = m_stepper.recording()
                                               ? forcingBreaks(m_workspace, m_stepper.recording()->run())
                                               : computed::ForcingBreaks{};
    m_facts = opStory(m_stepper, verdict, breaks, m_theme.colours());
    m_view->setFacts(m_facts);
    if (!m_stepper.recording()) return;
    // From the end, so that the places of the others stay.
    m_view->insertWidget(modeSection, modeSwitch());
    m_view->insertWidget(plotSection, new GenerationsPlot(m_stepper, m_theme));
}

} // namespace dynascope::views
