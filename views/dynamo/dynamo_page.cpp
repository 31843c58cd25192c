// SPDX-License-Identifier: BSD-3-Clause
//
// How DynamoPage goes from step to step, and what it has its parts show.
#include "core/dynamo/step_commands.h"
#include "views/dynamo/breakpoint_run.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/call_panes.h"
#include "views/dynamo/code_panes.h"
#include "views/dynamo/dynamo_place.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/graph_pane.h"
#include "views/dynamo/live_control.h"
#include "views/dynamo/recording_questions.h"
#include "views/dynamo/recording_tabs.h"
#include "views/dynamo/recording_watch.h"
#include "views/dynamo/state_panes.h"
#include "views/dynamo/step_controls.h"
#include "views/dynamo/step_tools.h"
#include "views/dynamo/steps_strip.h"
#include "views/inspector/inspector_panel.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <algorithm>
#include <utility>

namespace dynascope::views {

using dynamo::Direction;
using dynamo::noStep;
using dynamo::StepIndex;

DynamoPage::DynamoPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    build();
    connectParts();
    connectLive();
    connect(&workspace, &Workspace::placeChanged, this, [this](const Place& now) {
        // Back and forward, within what is shown: at once, since the next key may follow.
        const Workspace::Capture* capture = this->workspace().capture();
        const auto own = now.own.of<DynamoPlace>();
        const bool same = now.page == Page::Dynamo && d->recording && capture &&
                          capture->session == d->session && own.recording == d->index;
        if (same && own.step >= 0 && StepIndex(own.step) != d->step) adopt(StepIndex(own.step));
        if (!same) invalidate();
    });
}

DynamoPage::~DynamoPage() = default;

StepIndex DynamoPage::step() const {
    return d->step;
}
dynamo::RecordingPtr DynamoPage::recording() const {
    return d->recording;
}
LiveBar& DynamoPage::live() const {
    return *d->liveBar;
}
BreakpointsModel& DynamoPage::breakpoints() const {
    return d->tools->breakpoints();
}

bool DynamoPage::canStep() const {
    return d->recording && !d->questions->isBusy() && d->step != noStep;
}

/// Whether the reader is behind all that was recorded so far, which may be nothing.
bool DynamoPage::isAtEnd() const {
    return d->step == noStep || std::size_t(d->step) + 1 == d->recording->steps().size();
}

/// What the program is told instead of a step through the recording: it takes it itself, where the reader is
/// at its end.
std::optional<dynamo::LiveCommand> DynamoPage::liveCommand(StepCommand command) const {
    if (!d->recording || d->questions->isBusy() || !isAtEnd() || !d->live->waitsHere()) return {};
    return dynamo::liveCommandFor(command);
}

bool DynamoPage::canRun(StepCommand command) const {
    if (liveCommand(command)) return true;
    return canStep() && (leadsBack(command) ? d->step > 0 : !isAtEnd());
}

void DynamoPage::focusFilter() {
    d->controls->focusSearch();
}

void DynamoPage::refresh() {
    if (showNothingOpen()) return;
    const session::SessionPtr session = workspace().capture()->session;
    if (session->recordings.empty()) {
        d->session.reset();
        d->known.clear();
        d->recording.reset();
        forgetShown();
        d->watch->watch(nullptr, -1);
        emit stepped();
        showMessage(
            tr("This capture holds no recording of Dynamo's steps. File > Record... records a program, as "
               "does \"dynascope-cli capture -o DIR -- python script.py\"; then open DIR."));
        return;
    }
    showContent();
    const auto own = workspace().place().own.of<DynamoPlace>();
    if (session != d->session) {
        d->questions->cancel();
        d->session = session;
        d->known = session::attachedAs<dynamo::Recording>(session->recordings);
        d->controls->setRecordings(d->known);
        showRecording(std::max(0, own.recording));
    } else if (own.recording >= 0 && own.recording != d->index) {
        showRecording(own.recording);
    }
    d->tabs->show(d->recording);
}

void DynamoPage::restyle() {
    d->tools->restyle();
    if (d->recording) showStep();
}

void DynamoPage::showRecording(int index) {
    if (index < 0 || std::size_t(index) >= d->known.size() || d->questions->isBusy()) return;
    d->index = index;
    d->controls->setRecording(index);
    d->recording = d->known[std::size_t(index)];
    forgetShown();
    d->graph->clear();
    d->answer->clear();
    d->tools->forget();
    d->strip->setRecording(d->recording);
    d->step = noStep;
    d->watch->watch(workspace().capture(), index);
    if (d->recording->steps().empty()) {
        // A program that waits before its first step is told what to do from here.
        if (!d->live->waitsHere())
            showMessage(tr("The recording has no steps: nothing was compiled while it ran."));
        return;
    }
    const auto own = workspace().place().own.of<DynamoPlace>();
    if (own.recording == index && own.step >= 0 && std::size_t(own.step) < d->recording->steps().size())
        return adopt(StepIndex(own.step));
    if (d->live->awaitStep()) return adopt(StepIndex(d->recording->steps().size() - 1));
    // Where the first graph broke is what most people want to see.
    const StepIndex broken =
        dynamo::runTo(*d->recording, noStep, dynamo::Happening::GraphBreak, Direction::Forward);
    adopt(broken == noStep ? 0 : broken);
    d->tabs->show(d->recording);
}

/// What was made for the recording that was shown before.
void DynamoPage::forgetShown() {
    d->code->forget();
    d->calls->forget();
    d->states->forget();
}

void DynamoPage::setOwnPlace(StepIndex step, bool remember) {
    Place place = workspace().place();
    place.own.set(DynamoPlace{d->index, int(step)});
    workspace().go(place, remember);
}

void DynamoPage::goToStep(StepIndex step) {
    if (!canStep() || step == noStep || step >= d->recording->steps().size()) return;
    const bool neighbour = d->step != noStep && (step == d->step + 1 || step + 1 == d->step);
    const bool remember = !(neighbour && d->walking);
    d->walking = neighbour;
    d->answer->clear();
    const bool here = workspace().place().page == Page::Dynamo;
    // A place that is gone back to must say where it was.
    if (here && workspace().place().own.of<DynamoPlace>().step < 0) setOwnPlace(d->step, false);
    adopt(step);
    if (here) setOwnPlace(step, remember);
}

void DynamoPage::adopt(StepIndex step) {
    if (!d->recording || d->questions->isBusy() || step >= d->recording->steps().size()) return;
    d->step = step;
    d->level = 0;
    showStep();
    emit stepped();
}

void DynamoPage::showStep() {
    if (!canStep()) return;
    d->strip->setStep(d->step);
    d->tools->show(d->recording, d->step);
    const dynamo::Instruction* instruction = d->recording->instructionAt(d->step);
    QString caption =
        instruction
            ? QStringLiteral("%1 %2").arg(toQString(instruction->op), toQString(instruction->text)).trimmed()
            : tr("instruction not recorded");
    if (const QString what = happeningsText(*d->recording, d->step); !what.isEmpty())
        caption += QStringLiteral(": ") + what;
    d->caption->setToolTip(plainToolTip(caption));
    d->caption->setText(caption);
    d->graph->show(d->recording, d->step);
    d->calls->show(*d->recording, d->step);
    d->calls->selectFrame(d->level);
    showFrame(d->level);
}

/// A frame of the call stack, 0 for the innermost; the step stays.
void DynamoPage::showFrame(std::size_t level) {
    if (!canStep() || (level > 0 && level >= d->calls->frames())) return;
    d->level = level;
    d->states->show(d->recording, d->step, level);
    d->code->show(d->recording, d->step, level, d->calls->end());
}

void DynamoPage::run(StepCommand command) {
    if (const auto told = liveCommand(command)) return d->live->send(*told);
    if (!canStep()) return;
    const StepIndex to = dynamo::stepAfter(*d->recording, d->step, command);
    if (command != StepCommand::Run && command != StepCommand::BackRun) return goToStep(to);
    const bool back = leadsBack(command);
    d->runs->run(d->recording, d->step, breakpoints().enabled(), to,
                 back ? Direction::Back : Direction::Forward,
                 back ? tr("no breakpoint or graph break before this step")
                      : tr("no breakpoint or graph break after this step"));
}

void DynamoPage::runTo(dynamo::Happening what, Direction direction) {
    if (!canStep()) return;
    const StepIndex to = dynamo::runTo(*d->recording, d->step, what, direction);
    if (to == noStep) return d->answer->setText(tr("none in that direction"));
    goToStep(to);
}

void DynamoPage::follow(const QString& link) {
    if (!link.startsWith(QLatin1String("step:"))) return followLink(workspace(), link);
    d->tabs->showSteps();
    goToStep(StepIndex(link.sliced(5).toUInt()));
}

void DynamoPage::setLive(LiveSession* session) {
    d->live->setSession(session);
}

void DynamoPage::takeNewer(const dynamo::RecordingPtr& recording) {
    // A block that was packed while the file was read lets it look shorter; the next look has it whole.
    if (d->questions->isBusy() || !d->recording || recording->steps().size() < d->recording->steps().size()) {
        d->watch->lookAgain();
        return;
    }
    const bool atEnd = isAtEnd();
    const bool sameSize = recording->steps().size() == d->recording->steps().size();
    const StepIndex wanted = d->watch->takeAwaited();
    d->recording = recording;
    d->known[std::size_t(d->index)] = recording;
    forgetShown();
    d->strip->setRecording(recording);
    if (recording->steps().empty()) return;
    showContent();
    const StepIndex last = StepIndex(recording->steps().size() - 1);
    const StepIndex to = wanted != noStep && wanted <= last ? wanted : atEnd ? last : d->step;
    if (wanted != noStep && wanted > last) {
        d->watch->await(wanted); // it is not in the file yet
        d->watch->lookAgain();
    }
    adopt(to);
    if (!sameSize) d->answer->setText(d->watch->isGrowing() ? tr("still being written") : QString());
    const Place& place = workspace().place();
    if (place.page == Page::Dynamo && place.own.of<DynamoPlace>().step != int(to)) setOwnPlace(to, false);
}

} // namespace dynascope::views
