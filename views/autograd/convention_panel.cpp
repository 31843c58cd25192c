// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/convention_panel.h"

#include "views/autograd/convention_view.h"
#include "views/inspector/fact_view.h"
#include "views/models/go_to.h"
#include "views/models/labels.h"
#include "views/text/page_parts.h"
#include "views/theme/splitter.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

struct ConventionPanel::Private {
    ConventionView* view = nullptr;
    FactView* detail = nullptr;
    QLabel* where = nullptr;
    QToolButton *previous = nullptr, *next = nullptr;
    session::SessionPtr session;
    int compile = -1;
    std::shared_ptr<const Convention> shown;
};

ConventionPanel::ConventionPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
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
    row->setSpacing(2);
    row->addWidget(plainLabel(tr("This step"), "strong"));
    row->addStretch(1);
    row->addWidget(d->where = plainLabel({}, "hint"));
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
    column->addWidget(d->detail = new FactView(theme), 1);
    d->detail->setAccessibleName(tr("This step"));
    split->addWidget(side);
    split->setStretchFactor(0, 1);
    split->setSizes({1000, theme.scaled(290)});
    setContent(split);
    setFocusProxy(d->view);
    connect(d->view, &ConventionView::moved, this, &ConventionPanel::showStep);
    connect(d->view, &ConventionView::cardActivated, this, [this](ConventionStep step, int index) {
        if (!d->shown || !d->shown->stage || d->compile < 0) return;
        std::string node;
        if (step == ConventionStep::Inner) node = d->shown->inner[std::size_t(index)].name;
        if (step == ConventionStep::Outputs) node = d->shown->outputs[std::size_t(index)].name;
        if (!node.empty()) goToStage(this->workspace(), std::size_t(d->compile), d->shown->stage, node);
    });
    restyle();
}

ConventionPanel::~ConventionPanel() = default;

ConventionView* ConventionPanel::view() const {
    return d->view;
}
FactView* ConventionPanel::detail() const {
    return d->detail;
}
const Convention* ConventionPanel::convention() const {
    return d->shown.get();
}

void ConventionPanel::restyle() {
    d->previous->setIcon(theme().icon(QStringLiteral("previous")));
    d->next->setIcon(theme().icon(QStringLiteral("next")));
    showStep();
}

void ConventionPanel::stepBy(int direction) {
    d->view->setStep(ConventionStep(std::clamp(int(d->view->step()) + direction, 0, conventionSteps - 1)));
}

void ConventionPanel::forget() {
    workspace().tasks().cancel(QStringLiteral("autograd.convention"));
    setLoading(false);
    d->shown.reset();
    d->view->setConvention(nullptr);
    d->session.reset();
    d->compile = -1;
}

void ConventionPanel::refresh() {
    if (showNothingOpen()) return forget();
    const session::SessionPtr& session = workspace().capture()->session;
    const int compile = workspace().place().compile;
    if (compile < 0) {
        forget();
        showMessage(tr("This capture has no compiled graph."));
        return;
    }
    if (d->session == session && d->compile == compile) return showStep();
    forget();
    d->session = session;
    d->compile = compile;
    setLoading(true);
    workspace().tasks().run<std::shared_ptr<const Convention>>(
        QStringLiteral("autograd.convention"), this,
        [session, compile](const TaskContext&) {
            return std::make_shared<const Convention>(
                session->kind == session::Kind::OracleCase
                    ? conventionOfCase(*session)
                    : conventionOfCapture(*session, std::size_t(compile)));
        },
        [this](std::shared_ptr<const Convention> convention) {
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
    d->next->setEnabled(any && step + 1 < conventionSteps);
    d->where->setText(any ? tr("step %1 of %2").arg(step + 1).arg(conventionSteps) : QString());
    d->detail->setFacts(any ? conventionFacts(*d->shown, d->view->step()) : Facts());
}

} // namespace dynascope::views
