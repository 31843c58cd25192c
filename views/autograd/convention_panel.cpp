// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/convention_panel.h"

#include "core/computed/node_values.h"
#include "views/autograd/convention_values.h"
#include "views/autograd/convention_view.h"
#include "views/base/page_parts.h"
#include "views/engine/passes.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <optional>

namespace dynascope::views {

struct ConventionPanel::Private {
    ConventionView* view = nullptr;
    FactView* detail = nullptr;
    QLabel* where = nullptr;
    QToolButton *previous = nullptr, *next = nullptr;
    QToolButton* run = nullptr;
    QLabel* trouble = nullptr;
    Passes* passes = nullptr;
    std::shared_ptr<const computed::AotConvention> shown;
    std::optional<ConventionValues> values;
};

ConventionPanel::ConventionPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CompilePanel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("convention"));
    auto* split = new Splitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(d->view = new ConventionView(theme));
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->setSpacing(4);
    row->addWidget(plainLabel(tr("This step"), "strong"));
    row->addStretch(1);
    row->addWidget(d->where = plainLabel({}, "hint"));
    row->addWidget(d->run = new QToolButton);
    d->run->setObjectName(QStringLiteral("convention.valuesButton"));
    d->run->setText(tr("Run with values"));
    d->run->setToolTip(tr("Call the function on inputs as the capture describes them, and show what the "
                          "arguments held before and after"));
    connect(d->run, &QToolButton::clicked, this, &ConventionPanel::askValues);
    const auto button = [&](const QString& name, const QString& tip, int direction) {
        auto* out = new QToolButton;
        out->setAccessibleName(name);
        out->setToolTip(tip);
        connect(out, &QToolButton::clicked, this, [this, direction] { stepBy(direction); });
        row->addWidget(out);
        return out;
    };
    d->previous = button(tr("Previous step"), tr("Previous step (Left)"), -1);
    d->next = button(tr("Next step"), tr("Next step (Right)"), 1);
    column->addWidget(d->trouble = plainLabel({}, "hint"));
    d->trouble->setWordWrap(true);
    d->trouble->setContentsMargins(12, 0, 12, 0);
    column->addWidget(d->detail = new FactView(theme), 1);
    d->detail->setObjectName(QStringLiteral("convention.detail"));
    d->detail->setAccessibleName(tr("This step"));
    split->addWidget(side);
    split->setStretchFactor(0, 1);
    split->setSizes({1000, theme.scaled(290)});
    setContent(split);
    setFocusProxy(d->view);
    connect(d->view, &ConventionView::moved, this, &ConventionPanel::showStep);
    connect(d->view, &ConventionView::cardActivated, this,
            [this](computed::AotConventionStep step, int index) {
                if (!d->shown || !d->shown->stage || this->compile() < 0) return;
                std::string node;
                if (step == computed::AotConventionStep::Inner)
                    node = d->shown->inner[std::size_t(index)].name;
                if (step == computed::AotConventionStep::Outputs)
                    node = d->shown->outputs[std::size_t(index)].name;
                if (!node.empty())
                    goToStage(this->workspace(), std::size_t(this->compile()), d->shown->stage, node);
            });
    restyle();
}

ConventionPanel::~ConventionPanel() = default;

const computed::AotConvention* ConventionPanel::convention() const {
    return d->shown.get();
}

void ConventionPanel::restyle() {
    d->previous->setIcon(theme().icon(QStringLiteral("previous")));
    d->next->setIcon(theme().icon(QStringLiteral("next")));
    showStep();
}

void ConventionPanel::stepBy(int direction) {
    d->view->setStep(computed::AotConventionStep(
        std::clamp(int(d->view->step()) + direction, 0, computed::conventionSteps - 1)));
}

void ConventionPanel::forget() {
    workspace().tasks().cancel(QStringLiteral("autograd.convention"));
    d->shown.reset();
    d->values.reset();
    d->trouble->clear();
    d->view->setConvention(nullptr);
}

const ConventionValues* ConventionPanel::values() const {
    return d->values ? &*d->values : nullptr;
}

void ConventionPanel::setPasses(Passes& passes) {
    d->passes = &passes;
    connect(&passes.engine(), &Engine::stateChanged, this, &ConventionPanel::showStep);
    showStep();
}

void ConventionPanel::askValues() {
    const session::StagePtr stage =
        d->shown ? calledStage(session()->compiles[std::size_t(compile())], *d->shown) : nullptr;
    if (!d->passes || !stage) return;
    const Result<ir::GraphPtr> graph = stage->graph();
    if (!graph) return;
    d->trouble->clear();
    d->passes->engine().run<wire::ExecuteReply>(
        QStringLiteral("autograd.values"), tr("values"), this,
        [source = d->passes->sourceOf(*stage)](engine::Client& client, const engine::CallOptions& options) {
            return computed::fetchNodeValues(client, source.text, source.on, options);
        },
        [this, shown = d->shown, graph = *graph](engine::Answer<wire::ExecuteReply> reply) {
            if (shown != d->shown) return; // another compile by now
            if (reply)
                d->values = conventionValues(*reply, *graph);
            else if (reply.error().kind != engine::CallError::Kind::Cancelled)
                d->trouble->setText(callErrorText(tr("No values"), reply.error()));
            showStep();
        });
}

void ConventionPanel::showAgain() {
    showStep();
}

void ConventionPanel::begin(const session::SessionPtr& session, std::size_t compile) {
    workspace().tasks().run<std::shared_ptr<const computed::AotConvention>>(
        QStringLiteral("autograd.convention"), this,
        [session, compile](const TaskContext&) {
            return std::make_shared<const computed::AotConvention>(
                session->kind == session::Kind::OracleCase
                    ? computed::conventionOfCase(*session)
                    : computed::conventionOfCapture(*session, compile));
        },
        [this](std::shared_ptr<const computed::AotConvention> convention) {
            setLoading(false);
            d->shown = std::move(convention);
            if (!d->shown->declined.empty()) {
                showMessage(tr("No calling convention: %1.").arg(toQString(d->shown->declined)));
                return;
            }
            showContent();
            d->view->setConvention(d->shown);
            showStep();
        });
}

void ConventionPanel::showStep() {
    const bool any = d->shown && d->shown->declined.empty();
    const int step = int(d->view->step());
    d->previous->setEnabled(any && step > 0);
    d->next->setEnabled(any && step + 1 < computed::conventionSteps);
    d->where->setText(any ? tr("step %1 of %2").arg(step + 1).arg(computed::conventionSteps) : QString());
    d->run->setVisible(d->passes != nullptr);
    d->run->setEnabled(any && d->passes && !d->passes->engine().isBusy() &&
                       d->passes->engine().state() != Engine::State::Absent);
    Facts facts = any ? conventionFacts(*d->shown, d->view->step()) : Facts();
    if (any && d->values)
        if (Section section = valuesSection(*d->shown, *d->values, d->view->step()); !section.facts.empty())
            facts.sections.insert(facts.sections.begin() + std::min<long>(1, long(facts.sections.size())),
                                  std::move(section)); // right below what happens
    d->detail->setFacts(facts);
}

} // namespace dynascope::views
