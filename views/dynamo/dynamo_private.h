// SPDX-License-Identifier: BSD-3-Clause
//
// What the two halves of DynamoPage share.
#pragma once

#include "views/dynamo/coverage.h"
#include "views/dynamo/dynamo_page.h"

class QComboBox;
class QLabel;

namespace dynascope::views {

class StateModel;

struct DynamoPage::Private {
    QComboBox* recordings = nullptr;
    QLabel *caption = nullptr, *sourceTitle = nullptr, *codeTitle = nullptr, *graphTitle = nullptr,
           *consoleTitle = nullptr;
    QLineEdit* condition = nullptr;
    QLabel* answer = nullptr; ///< of the condition
    StepsStrip* strip = nullptr;
    CodeView *source = nullptr, *bytecode = nullptr, *graph = nullptr;
    ConsoleView* console = nullptr;
    QTreeView* state = nullptr;
    StateModel* model = nullptr;

    session::SessionPtr session;
    dynamo::RecordingPtr recording;
    dynamo::StepIndex step = dynamo::noStep;
    bool searching = false; ///< a condition is looked for, and the recording is in use

    std::uint32_t coveredAttempt = UINT32_MAX;
    StepCoverage coverage;
    const dynamo::Source* shownSource = nullptr;
    std::uint32_t shownCode = UINT32_MAX;
};

} // namespace dynascope::views
