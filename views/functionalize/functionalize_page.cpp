// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/functionalize_page.h"

#include "views/base/message_page.h"
#include "views/base/text_diff_panel.h"
#include "views/functionalize/calling_convention_panel.h"
#include "views/functionalize/graph_so_far.h"
#include "views/functionalize/scorecard_legend.h"
#include "views/functionalize/scorecard_view.h"
#include "views/functionalize/source_ops.h"
#include "views/functionalize/step_panel.h"
#include "views/functionalize/step_strips.h"
#include "views/inspector/inspector_panel.h"
#include "views/theme/splitter.h"
#include "views/values/values_panel.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

constexpr int wideWindow = 2200, narrowWindow = 1440;

QTabWidget* documentTabs() {
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->tabBar()->setExpanding(false);
    tabs->tabBar()->setDrawBase(false);
    return tabs;
}

} // namespace

FunctionalizePage::FunctionalizePage(Workspace& workspace, Passes& passes, Stepper& stepper, Theme& theme,
                                     QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_passes(passes)
    , m_stepper(stepper)
    , m_theme(theme)
    , m_stack(new QStackedLayout(this))
    , m_message(new MessagePage(theme))
    , m_columns(new Splitter(Qt::Horizontal))
    , m_rows(new Splitter(Qt::Vertical))
    , m_source(new SourceOpsPanel(workspace, stepper, theme))
    , m_scorecard(new ScorecardView(stepper, theme))
    , m_graph(new GraphSoFar(stepper, theme))
    , m_step(new StepPanel(workspace, stepper, theme))
    , m_lower(documentTabs())
    , m_right(documentTabs())
    , m_state(new QLabel) {
    m_right->setObjectName(QStringLiteral("functionalize.rightTabs"));
    setObjectName(QStringLiteral("functionalizePage"));
    setFocusProxy(m_scorecard);
    m_columns->addWidget(m_source);
    m_columns->addWidget(makeCentre());
    m_right->addTab(m_step, tr("This step"));
    m_right->addTab(new InspectorPanel(workspace, theme), tr("Inspector"));
    m_right->addTab(new ValuesPanel(workspace, passes, theme), tr("Values"));
    m_columns->addWidget(m_right);
    m_columns->setStretchFactor(1, 1);
    m_stack->addWidget(m_message);
    m_stack->addWidget(m_columns);
    connect(m_scorecard, &ScorecardView::valueActivated, this, [this](const QString& value) {
        select(value, false);
        m_right->setCurrentIndex(1);
    });
    connect(m_graph, &GraphSoFar::nodeActivated, this, [this](const QString& node) { select(node, true); });
    connect(m_step, &StepPanel::emittedActivated, m_graph, &GraphSoFar::reveal);
    connect(&m_passes, &Passes::passFailed, this,
            [this](const QString& pass, const session::StagePtr& stage, const QString& message) {
                if (pass != QLatin1String("functionalize")) return;
                m_failedStage = stage;
                m_failure = message;
                refresh();
            });
    connect(&m_stepper, &Stepper::recordingChanged, this, &FunctionalizePage::refresh);
    connect(&m_stepper, &Stepper::moved, this, [this] {
        m_state->setText(tr("state after %1").arg(m_stepper.whereText()));
        if (m_stepper.recording() && m_workspace.place().page == Page::Functionalize)
            select(toQString(m_stepper.recording()->source(m_stepper.op()).name), false);
    });
    connect(&m_workspace, &Workspace::placeChanged, this, &FunctionalizePage::refresh);
    connect(&m_passes.engine(), &Engine::stateChanged, this, &FunctionalizePage::refresh);
    connect(&m_theme, &Theme::changed, this, &FunctionalizePage::restyle);
    restyle();
    refresh();
}

QWidget* FunctionalizePage::makeCentre() {
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    const auto header = [&](const QString& title, QWidget* right) {
        auto* head = new QWidget;
        auto* row = new QHBoxLayout(head);
        row->setContentsMargins(16, 0, 12, 0);
        auto* label = new QLabel(title);
        row->addWidget(label);
        row->addWidget(right, 1);
        column->addWidget(head);
        m_headers.push_back(head);
        m_titles.push_back(label);
    };
    header(tr("Functionalization"), new OpStrip(m_stepper, m_theme));
    column->addWidget(new PhaseStrip(m_stepper, m_theme));
    m_state->setTextFormat(Qt::PlainText);
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header(tr("Scorecard"), m_state);
    column->addWidget(m_scorecard, 1);
    column->addWidget(new ScorecardLegend(m_stepper, m_theme));

    m_lower->addTab(m_graph, tr("Functional graph so far"));
    m_lower->addTab(new TextDiffPanel(m_workspace, m_theme), tr("Before and after"));
    m_convention = new CallingConventionPanel(m_workspace, m_stepper, m_theme);
    connect(m_convention, &CallingConventionPanel::nodeActivated, this, &FunctionalizePage::select);
    m_lower->addTab(m_convention, tr("Calling convention"));
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(4);
    const auto toggle = [&](const QString& text, const QString& tip, bool on, auto set) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setChecked(on);
        connect(button, &QToolButton::toggled, m_graph, set);
        row->addWidget(button);
    };
    toggle(tr("Show dead"), tr("Nodes that nobody reads; dead code elimination takes them away"), true,
           &GraphSoFar::setShowDead);
    toggle(tr("Short names"), tr("aten.mul.Tensor for torch.ops.aten.mul.Tensor"), true,
           &GraphSoFar::setShortNames);
    auto* canvas = new QToolButton;
    canvas->setText(tr("Canvas"));
    canvas->setToolTip(tr("Source and result side by side on the canvases"));
    connect(canvas, &QToolButton::clicked, this, &FunctionalizePage::canvasRequested);
    row->addWidget(canvas);
    m_lower->setCornerWidget(corner, Qt::TopRightCorner);
    m_rows->addWidget(top);
    m_rows->addWidget(m_lower);
    m_rows->setStretchFactor(0, 3);
    m_rows->setStretchFactor(1, 2);
    return m_rows;
}

void FunctionalizePage::restyle() {
    const Colours& c = m_theme.colours();
    for (std::size_t i = 0; i < m_headers.size(); ++i) {
        m_headers[i]->setFixedHeight(m_theme.scaled(i == 0 ? 34 : 28));
        m_headers[i]->setStyleSheet(QStringLiteral("background: %1;").arg(c.bg2.name()));
        m_titles[i]->setFont(m_theme.font(FontRole::Section));
    }
    m_state->setStyleSheet(QStringLiteral("color: %1").arg(c.text3.name()));
}

QString FunctionalizePage::message() const {
    return m_stack->currentWidget() == m_message ? m_message->text() : QString();
}

void FunctionalizePage::refresh() {
    if (m_stepper.recording()) {
        if (m_stack->currentWidget() != m_columns) {
            m_stack->setCurrentWidget(m_columns);
            m_state->setText(tr("state after %1").arg(m_stepper.whereText()));
        }
        return;
    }
    m_stack->setCurrentWidget(m_message);
    Engine& engine = m_passes.engine();
    if (!m_workspace.capture()) {
        m_message->setMessage(tr("Nothing is open. Open a trace, a graph text or an oracle case."), {}, {});
    } else if (engine.state() == Engine::State::Absent) {
        m_message->setMessage(engine.trouble(), {}, {});
    } else if (m_passes.isBusy()) {
        m_message->setMessage(tr("Running functionalize..."), tr("Cancel"), [&engine] { engine.cancel(); });
    } else if (m_passes.selectedStage() < 0) {
        m_message->setMessage(tr("This compile has no graph to functionalize."), {}, {});
    } else {
        const session::StagePtr stage = m_workspace.stageAt(m_passes.selectedStage());
        QString text = tr("Functionalization was not run on this compile yet.");
        if (stage && stage == m_failedStage.lock()) text = m_failure;
        if (!engine.trouble().isEmpty()) text = engine.trouble();
        const int from = m_passes.selectedStage();
        const session::StagePtr root = m_passes.rootOf(from);
        if (const QString lack = root ? m_passes.lackOfInputs(*root) : QString();
            !lack.isEmpty() && engine.trouble().isEmpty()) {
            m_message->setMessage(tr("This graph cannot be run as it is: %1.").arg(lack),
                                  tr("Give inputs..."), [this, from, lack] {
                                      emit m_passes.inputsNeeded(QStringLiteral("functionalize"), from, lack);
                                  });
            return;
        }
        m_message->setMessage(text, tr("Run functionalize"), [this] {
            m_passes.run(QStringLiteral("functionalize"), m_workspace.place().stageA);
        });
    }
}

void FunctionalizePage::select(const QString& node, bool inResult) {
    const computed::ComputedStage* shown = m_stepper.stage();
    if (!shown) return;
    // Only where the place shows the stages of this recording.
    const Place& place = m_workspace.place();
    const session::StagePtr a = m_workspace.stageAt(place.stageA), b = m_workspace.stageAt(place.stageB);
    const bool resultIsB = b == shown->stage;
    if (!resultIsB) return;
    const Side side = inResult ? Side::B : Side::A;
    const ir::GraphPtr& graph = m_workspace.stage(side).graph;
    const ir::NodeIndex index = graph ? graph->find(node.toStdString()) : ir::npos;
    if (index != ir::npos) m_workspace.selectNode({side, index});
}

void FunctionalizePage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow, wide = windowWidth >= wideWindow;
    const int left = narrow ? 248 : wide ? 400 : 322, right = narrow ? 264 : wide ? 440 : 324;
    m_columns->setSizes({left, std::max(400, windowWidth - left - right), right});
    m_rows->setSizes({620, 380});
}

} // namespace dynascope::views
