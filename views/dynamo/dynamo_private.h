// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of DynamoPage share.
#pragma once

#include "core/dynamo/coverage.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/dynamo_place.h"

#include <map>

class QComboBox;
class QLabel;
class QSplitter;
class QTimer;
class QToolButton;

namespace dynascope::views {

class StateModel;

struct DynamoPage::Private {
    QComboBox* recordings = nullptr;
    QLabel *caption = nullptr, *sourceTitle = nullptr, *sourceNote = nullptr, *codeTitle = nullptr,
           *codeNote = nullptr, *graphTitle = nullptr, *graphNote = nullptr;
    QLineEdit *condition = nullptr, *searchField = nullptr;
    QLabel* answer = nullptr; ///< of a run
    StepsStrip* strip = nullptr;
    CodeView *source = nullptr, *bytecode = nullptr;
    PartialGraph* graph = nullptr;
    QToolButton* graphText = nullptr;
    RowTable* calls = nullptr;
    FactView* story = nullptr;
    ConsoleView* console = nullptr;
    SearchView* search = nullptr;
    BreakpointsView* breakpoints = nullptr;
    std::vector<QSplitter*> splits; ///< main, left, right, top of right, beside the graph
    QTabWidget *pages = nullptr, *tools = nullptr, *states = nullptr;
    RecordedBreaksView* breaks = nullptr;
    CacheView* cache = nullptr;
    KeyView* keys = nullptr;
    GeneratedView* generated = nullptr;
    SymbolNamesView* names = nullptr;
    EffectsView* effects = nullptr;
    dynamo::RecordingPtr breaksOf, cacheOf, keysOf, effectsOf, generatedOf; ///< what those were filled with
    QTreeView *state = nullptr, *changes = nullptr, *symbols = nullptr;
    StateModel *model = nullptr, *changesModel = nullptr, *symbolsModel = nullptr;

    session::SessionPtr session;
    std::vector<dynamo::RecordingPtr> known; ///< the session's, or newer readings of the same files
    int index = -1;                          ///< of the one that is shown
    dynamo::RecordingPtr recording;
    dynamo::StepIndex step = dynamo::noStep;
    std::size_t level = 0;                    ///< of the call stack
    bool walking = false;                     ///< the last move was to a neighbour
    bool busy = false;                        ///< something is looked for, and the recording is in use
    std::vector<dynamo::StepIndex> callSteps; ///< by level

    LiveBar* live = nullptr;
    QStringList paths;         ///< of the recordings; empty where they cannot grow
    QTimer* look = nullptr;    ///< when to look for more
    std::size_t signature = 0; ///< of what was read last
    bool growing = false, reading = false;
    dynamo::StepIndex wanted = dynamo::noStep; ///< where a program waits, which is still to be read

    std::map<std::uint32_t, dynamo::StepCoverage> coverage; ///< of the attempts that were looked at
    const dynamo::StepCoverage* covered = nullptr;          ///< of the one that is shown
    std::size_t stateRows = 0;                              ///< how many rows of a long list are shown
    const dynamo::Source* shownSource = nullptr;
    std::uint32_t shownCode = UINT32_MAX;
    std::uint32_t storyAttempt = UINT32_MAX;
    dynamo::StepIndex storyEnd = dynamo::noStep;
};

/// A recording of up to this many steps answers while somebody types.
inline constexpr std::size_t answeredAtOnce = 50'000;

template <typename Answer, typename Work, typename Take>
void DynamoPage::ask(Work work, Take take) {
    if (!d->recording || d->busy) return;
    if (d->recording->steps().size() <= answeredAtOnce) return take(work(*d->recording, TaskContext()));
    setBusy(true);
    workspace().tasks().run<Answer>(
        QStringLiteral("dynamo.run"), this,
        [recording = d->recording, work](const TaskContext& task) { return work(*recording, task); },
        [this, take](Answer answer) {
            setBusy(false);
            take(std::move(answer));
        });
}

} // namespace dynascope::views
