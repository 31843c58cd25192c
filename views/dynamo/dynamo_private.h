// SPDX-License-Identifier: BSD-3-Clause
//
// What DynamoPage holds: its parts, and which step is shown.
#pragma once

#include "views/dynamo/dynamo_page.h"

#include <vector>

class QLabel;
class QSplitter;

namespace dynascope::views {

class BreakpointRun;
class CallPanes;
class CodePanes;
class GraphPane;
class LiveControl;
class RecordingQuestions;
class RecordingTabs;
class RecordingWatch;
class StatePanes;
class StepControls;
class StepsStrip;
class StepTools;

struct DynamoPage::Private {
    RecordingQuestions* questions = nullptr;
    RecordingWatch* watch = nullptr;
    LiveControl* live = nullptr;
    BreakpointRun* runs = nullptr;

    StepControls* controls = nullptr;
    LiveBar* liveBar = nullptr;
    StepsStrip* strip = nullptr;
    RecordingTabs* tabs = nullptr;
    QLabel *caption = nullptr, *answer = nullptr; ///< of the step; of a run
    CodePanes* code = nullptr;
    GraphPane* graph = nullptr;
    CallPanes* calls = nullptr;
    StatePanes* states = nullptr;
    StepTools* tools = nullptr;
    std::vector<QSplitter*> splits; ///< main, left, right, top of right, beside the graph

    session::SessionPtr session;
    std::vector<dynamo::RecordingPtr> known; ///< the session's, or newer readings of the same files
    int index = -1;                          ///< of the one that is shown
    dynamo::RecordingPtr recording;
    dynamo::StepIndex step = dynamo::noStep;
    std::size_t level = 0; ///< of the call stack
    bool walking = false;  ///< the last move was to a neighbour
};

} // namespace dynascope::views
