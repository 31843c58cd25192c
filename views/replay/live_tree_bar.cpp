// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/live_tree_bar.h"

#include "views/base/page_parts.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace dynascope::views {

namespace {

using State = LiveTrees::State;

QSpinBox* number(const QString& name, const QString& tip, int least, int most, int value) {
    auto* out = new QSpinBox;
    out->setRange(least, most);
    out->setValue(value);
    out->setAccessibleName(name);
    out->setToolTip(tip);
    return out;
}

} // namespace

LiveTreeBar::LiveTreeBar(LiveTrees& trees, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_trees(trees)
    , m_theme(theme) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->setSpacing(6);
    const auto button = [&](const QString& text, const QString& tip) {
        auto* out = new QToolButton;
        out->setText(text);
        out->setToolTip(tip);
        out->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(out);
        return out;
    };
    m_start = button(tr("Run under trees"),
                     tr("Run the compiled graphs of this capture under CUDA-graph trees, from the "
                        "beginning (Ctrl+Return)"));
    m_pause = button(tr("Pause"), tr("Stop after the call under way, or go on (Ctrl+Space)"));
    m_call = button(tr("Step a call"), tr("Carry out events until a graph was called (Ctrl+F10)"));
    m_mark = button(tr("To next mark"),
                    tr("Go on to the next call that is re-recorded, run eagerly or refused (Ctrl+F5)"));
    m_cancel = button(tr("Cancel"), tr("End the run; what was carried out stays (Esc)"));
    row->addSpacing(8);
    m_backend = new QComboBox;
    m_backend->setAccessibleName(tr("Device"));
    m_backend->addItem(tr("CPU"), QStringLiteral("cpu"));
    m_backend->addItem(tr("CUDA"), QStringLiteral("cuda"));
    m_backend->setToolTip(
        tr("CPU: recordings are replayed at the addresses that they were given, in one range of "
           "memory. CUDA: CUDA graphs in a private pool of PyTorch's allocator"));
    row->addWidget(m_backend);
    m_iterations = number(tr("Iterations"), tr("How often the program calls every graph"), 1, 500, 6);
    m_iterations->setSuffix(tr(" iterations"));
    row->addWidget(m_iterations);
    m_moves = number(
        tr("New addresses"),
        tr("After how many iterations parameters and buffers lie somewhere else, as an optimizer that makes "
           "new ones leaves them"),
        0, 500, 0);
    m_moves->setPrefix(tr("move after "));
    m_moves->setSpecialValueText(tr("parameters stay"));
    row->addWidget(m_moves);
    m_hold = number(tr("Held"), tr("For how many more iterations the program holds what graphs return"), 0,
                    500, 0);
    m_hold->setPrefix(tr("hold for "));
    m_hold->setSpecialValueText(tr("outputs dropped"));
    row->addWidget(m_hold);
    row->addStretch(1);
    m_state = plainLabel({}, "hint");
    m_state->setWordWrap(true);
    m_state->setContentsMargins(12, 4, 12, 4);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_state);

    const std::pair<QWidget*, const char*> named[] = {{m_start, "liveTree.start"},
                                                      {m_pause, "liveTree.pause"},
                                                      {m_call, "liveTree.call"},
                                                      {m_mark, "liveTree.mark"},
                                                      {m_cancel, "liveTree.cancel"},
                                                      {m_backend, "liveTree.backend"},
                                                      {m_iterations, "liveTree.iterations"},
                                                      {m_moves, "liveTree.moves"},
                                                      {m_hold, "liveTree.hold"},
                                                      {m_state, "liveTree.state"}};
    for (const auto& [widget, name] : named)
        widget->setObjectName(QLatin1String(name));

    connect(m_start, &QToolButton::clicked, this, [this] { start(); });
    connect(m_pause, &QToolButton::clicked, this, &LiveTreeBar::pauseOrGo);
    connect(m_call, &QToolButton::clicked, this, &LiveTreeBar::stepCall);
    connect(m_mark, &QToolButton::clicked, this, &LiveTreeBar::runToMark);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_trees.cancel(); });
    connect(&m_trees, &LiveTrees::changed, this, &LiveTreeBar::showState);
    connect(&m_trees, &LiveTrees::grew, this, &LiveTreeBar::showState);
    connect(&m_trees.engine(), &Engine::stateChanged, this, &LiveTreeBar::showState);
    connect(&m_theme, &Theme::changed, this, &LiveTreeBar::restyle);
    restyle();
    showState();
}

void LiveTreeBar::restyle() {
    m_start->setIcon(m_theme.icon(QStringLiteral("play")));
    m_call->setIcon(m_theme.icon(QStringLiteral("next")));
    m_mark->setIcon(m_theme.icon(QStringLiteral("down")));
}

void LiveTreeBar::start(bool paused) {
    LiveTrees::Options options;
    options.iterations = std::uint64_t(m_iterations->value());
    options.moveParameters = std::uint64_t(m_moves->value());
    options.hold = std::uint64_t(m_hold->value());
    options.backend = m_backend->currentData().toString();
    m_trees.start(options, paused);
}

void LiveTreeBar::pauseOrGo() {
    if (m_trees.state() == State::Running)
        m_trees.pause();
    else if (m_trees.canStep())
        m_trees.go();
}

void LiveTreeBar::stepCall() {
    if (m_trees.canStep())
        m_trees.stepCall();
    else if (!m_trees.isBusy())
        start(true);
}

void LiveTreeBar::runToMark() {
    if (m_trees.canStep()) m_trees.runToMark();
}

void LiveTreeBar::showState() {
    const bool absent = m_trees.engine().state() == Engine::State::Absent;
    const State state = m_trees.state();
    const bool busy = m_trees.isBusy(), paused = state == State::Paused;
    m_start->setEnabled(!absent && !busy);
    m_pause->setEnabled(state == State::Running || paused);
    m_pause->setText(paused ? tr("Go on") : tr("Pause"));
    m_call->setEnabled(!absent && (paused || !busy));
    m_mark->setEnabled(paused);
    m_cancel->setEnabled(busy || paused);
    for (QWidget* choice : {static_cast<QWidget*>(m_backend), static_cast<QWidget*>(m_iterations),
                            static_cast<QWidget*>(m_moves), static_cast<QWidget*>(m_hold)})
        choice->setEnabled(!busy && !paused);
    QString text;
    const replay::TreeRunPtr run = m_trees.run();
    const QString events = run ? tr("%1 of %2")
                                     .arg(numberText(run->size()),
                                          countText(run->program().events.size(), tr("event"), tr("events")))
                               : QString();
    switch (state) {
    case State::Preparing:
        text = tr("Bringing the graphs to the engine");
        break;
    case State::Running:
        text = tr("Running, %1").arg(events);
        break;
    case State::Paused:
        text = tr("Paused after %1").arg(events);
        break;
    case State::Ended:
    case State::None:
        break;
    case State::Failed:
        text = m_trees.trouble();
        break;
    }
    if (absent) text = m_trees.engine().trouble();
    m_state->setText(text);
    m_state->setVisible(!text.isEmpty());
}

} // namespace dynascope::views
