// SPDX-License-Identifier: BSD-3-Clause
//
// The page Inductor's scheduler: which schedule is shown, where its fusions stand, and what was refused.
#include "core/inductor/pass_walk.h"
#include "views/base/row_table.h"
#include "views/inductor/inductor_private.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/order_texts.h"
#include "views/inductor/orders_view.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/schedule_cards.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int tuningTab = int(InductorPage::Tab::Autotuning) - int(InductorPage::Tab::Buffers);

QString scheduleName(const inductor::CompilePasses& passes, const inductor::Schedule& schedule) {
    const inductor::PassPhase* phase = passes.recording->phase(schedule.phase);
    const QString graph = phase ? toQString(phase->graph) : QStringLiteral("?");
    return schedule.name.empty() ? graph : QStringLiteral("%1, %2").arg(graph, toQString(schedule.name));
}

} // namespace

bool InductorPage::showsScheduler() const {
    return d->centres->currentIndex() == 1;
}

/// The graph's own, whichever of its passes is looked at, or the one that the reader chose.
void InductorPage::showSchedule() {
    if (d->row < 0) return;
    const auto wanted = workspace().place().own.of<PassPlace>();
    const inductor::Schedule* schedule =
        wanted.schedule >= 0 && std::size_t(wanted.schedule) < d->schedules.size()
            ? d->schedules[std::size_t(wanted.schedule)]
            : scheduleOf(d->passes, d->passes.rows[std::size_t(d->row)]);
    if (schedule != d->schedule) fillSchedule(schedule);
    d->operations->setFusions(wanted.fusions);
    showSteps();
}

/// Null: nothing.
void InductorPage::fillSchedule(const inductor::Schedule* schedule) {
    using Rows = std::vector<TableRow>;
    d->schedule = schedule;
    d->kernels->setRows(schedule ? kernelRows(*schedule) : Rows());
    d->fusions->setRows(schedule ? fusionRows(d->passes, *schedule) : Rows());
    d->tunings->setRows(schedule ? tuningRows(*d->passes.recording, *schedule) : Rows());
    d->below->setTabVisible(tuningTab, d->tunings->rows().rowCount() > 0);
    d->operations->setSchedule(schedule ? d->passes.recording : nullptr, schedule);
    d->lives->setMemory(schedule ? inductor::memoryOf(*schedule) : inductor::ScheduleMemory());
    showOrders();
    d->refused = schedule ? refusedReasons(*schedule) : std::vector<RefusedReason>();
    d->reasons->setRows(schedule ? reasonRows(*d->passes.recording, d->refused) : Rows());
    std::size_t times = 0;
    for (const RefusedReason& reason : d->refused)
        times += reason.times;
    d->byReason.note->setText(times > 0 ? numberText(times) : QString());
    showReason(d->refused.empty() ? -1 : 0);
    const auto titled = [](const QString& name, int rows) {
        return rows > 0 ? QStringLiteral("%1 %2").arg(name).arg(rows) : name;
    };
    d->below->setTabText(1, titled(tr("Kernels"), d->kernels->rows().rowCount()));
    d->below->setTabText(2, titled(tr("Fusions"), schedule ? int(schedule->fusions.size()) : 0));
    const QSignalBlocker quiet(d->which);
    d->which->clear();
    for (const inductor::Schedule* each : d->schedules)
        d->which->addItem(scheduleName(d->passes, *each));
    const auto at = std::ranges::find(d->schedules, schedule);
    d->which->setCurrentIndex(at == d->schedules.end() ? -1 : int(at - d->schedules.begin()));
}

/// The order that was taken is the one that is drawn first.
void InductorPage::showOrders() {
    const inductor::Schedule* schedule = d->schedule;
    d->orders->setRows(schedule ? orderRows(*schedule) : std::vector<TableRow>());
    d->orders->setEmptyText(d->passes.recording ? noOrdersText(*d->passes.recording, schedule) : QString());
    const bool any = schedule != nullptr && !schedule->weighed.orders.empty();
    const int first = any ? int(schedule->weighed.taken.value_or(0)) : -1;
    d->order->setVisible(any);
    d->orders->select(first);
    d->order->setOrder(schedule, first);
    d->scheduleSteps->setRows(schedule ? scheduleStepRows(*schedule) : std::vector<TableRow>());
}

void InductorPage::showView(bool scheduler) {
    {
        const QSignalBlocker quiet(d->views);
        d->views->setCurrentIndex(scheduler ? 1 : 0);
    }
    if (scheduler != showsScheduler()) {
        const QList<int> before = d->columns->sizes();
        if (!d->sizes.isEmpty()) d->columns->setSizes(d->sizes);
        d->sizes = before;
    }
    d->lists->setCurrentIndex(scheduler ? 1 : 0);
    d->centres->setCurrentIndex(scheduler ? 1 : 0);
    for (QWidget* ofPasses :
         std::initializer_list<QWidget*>{d->filter, d->folds, d->part, d->condition, d->said})
        ofPasses->setVisible(!scheduler);
    d->verify->setVisible(!scheduler && d->checks);
    d->which->setVisible(scheduler && d->schedules.size() > 1);
    d->previous->setText(scheduler ? tr("Previous fusion") : tr("Previous change"));
    d->next->setText(scheduler ? tr("Next fusion") : tr("Next change"));
    d->previous->setToolTip(scheduler ? tr("One fusion back (Shift+F10)")
                                      : tr("To the pass before that changed a graph (Shift+F5)"));
    d->next->setToolTip(scheduler ? tr("The scheduler's next fusion (F10)")
                                  : tr("To the next pass that changed a graph (F5)"));
    showSteps();
    showNode();
}

void InductorPage::showSteps() {
    d->previous->setEnabled(canRun(showsScheduler() ? StepCommand::BackOver : StepCommand::BackRun));
    d->next->setEnabled(canRun(showsScheduler() ? StepCommand::Over : StepCommand::Run));
}

/// Pairs that were refused for a reason; -1 for none.
void InductorPage::showReason(int reason) {
    d->reason = reason;
    d->reasons->select(reason);
    const bool any = reason >= 0 && std::size_t(reason) < d->refused.size();
    d->pairs->setRows(any ? refusedPairRows(d->refused[std::size_t(reason)].pairs) : std::vector<TableRow>());
    d->ofReason.note->setText(any ? numberText(d->refused[std::size_t(reason)].pairs.size()) : QString());
}

/// Of fused nodes the operations next to each other: the last of the one, the first of the other.
void InductorPage::choosePair(int at) {
    if (d->schedule == nullptr || d->reason < 0 || std::size_t(d->reason) >= d->refused.size()) return;
    const inductor::Refusal& pair = d->refused[std::size_t(d->reason)].pairs[std::size_t(at)];
    const auto ofNode = [this](const std::string& name) {
        for (const auto& [id, node] : d->schedule->nodes)
            if (node.name == name) return d->schedule->operationsOf(id);
        return std::vector<std::string>{name};
    };
    const std::vector<std::string> a = ofNode(pair.a), b = ofNode(pair.b);
    if (!a.empty() && !b.empty()) d->operations->choose({a.back(), b.front()});
}

void InductorPage::goToFusion(int count) {
    Place place = workspace().place();
    auto at = place.own.of<PassPlace>();
    at.scheduler = true;
    at.fusions = count;
    place.page = Page::Inductor;
    place.own.set(at);
    d->operations->setFusions(count); // before others ask what can be run from here
    showSteps();
    workspace().go(place, false);
}

int InductorPage::target(StepCommand command) const {
    if (d->row < 0) return -1;
    if (!showsScheduler()) return inductor::passAfter(d->passes, d->row, command);
    const int now = d->operations->fusions(), most = d->operations->mostFusions();
    const auto unlessThere = [now](int to) { return to == now ? -1 : to; };
    switch (command) {
    case StepCommand::First:
    case StepCommand::BackRun:
        return unlessThere(0);
    case StepCommand::Last:
    case StepCommand::Run:
        return unlessThere(most);
    case StepCommand::Over:
    case StepCommand::In:
    case StepCommand::Line:
        return unlessThere(std::min(most, now + 1));
    case StepCommand::BackOver:
    case StepCommand::BackIn:
    case StepCommand::BackLine:
    case StepCommand::Out:
    case StepCommand::BackOut:
        return unlessThere(std::max(0, now - 1));
    }
    return -1;
}

bool InductorPage::canRun(StepCommand command) const {
    return target(command) >= 0;
}

void InductorPage::run(StepCommand command) {
    const int to = target(command);
    if (to < 0) return;
    if (showsScheduler())
        goToFusion(to);
    else
        goTo(to);
}

void InductorPage::fillFallbacks() {
    d->fallbacks->setRows(fallbackRows(d->costs));
    d->below->setTabText(3, d->costs.empty()
                                ? tr("Fallbacks")
                                : QStringLiteral("%1 %2").arg(tr("Fallbacks")).arg(d->costs.size()));
}

void InductorPage::showTab(Tab tab) {
    const bool ofSchedule = tab >= Tab::Buffers;
    if (tab != Tab::Scheduler)
        (ofSchedule ? d->below : d->tabs)->setCurrentIndex(int(tab) - (ofSchedule ? int(Tab::Buffers) : 0));
    showView(ofSchedule);
    Place place = workspace().place();
    auto at = place.own.of<PassPlace>();
    if (at.scheduler == ofSchedule) return;
    at.scheduler = ofSchedule;
    place.own.set(at);
    workspace().go(place);
}

} // namespace dynascope::views
