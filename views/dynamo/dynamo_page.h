// SPDX-License-Identifier: BSD-3-Clause
//
// Time travel through Dynamo: source, bytecode, the graph so far and what Dynamo held, at any step of a
// recording.
#pragma once

#include "core/dynamo/recording.h"
#include "views/text/panel.h"

#include <memory>

class QLineEdit;
class QTreeView;

namespace dynascope::views {

class CodeView;
class ConsoleView;
class StepsStrip;

/// GUI thread only. A condition is looked for on the TaskRunner (tag "dynamo.until"); while that runs, steps
/// of the same recording cannot be read here, so the page waits.
class DynamoPage : public Panel {
    Q_OBJECT
public:
    DynamoPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~DynamoPage() override;

    [[nodiscard]] dynamo::StepIndex step() const;
    /// Goes to a step; one that does not exist is ignored.
    void goToStep(dynamo::StepIndex step);

    [[nodiscard]] StepsStrip* strip() const;
    [[nodiscard]] CodeView* source() const;
    [[nodiscard]] CodeView* bytecode() const;
    [[nodiscard]] CodeView* graph() const;
    [[nodiscard]] QTreeView* state() const;
    [[nodiscard]] QLineEdit* condition() const;
    [[nodiscard]] ConsoleView* console() const;
    /// What the header says of the step.
    [[nodiscard]] QString caption() const;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void build();
    void buildHeader(class QHBoxLayout* row);
    void showRecording(int index);
    void showStep();
    void showSource();
    void showBytecode();
    void showGraph();
    void runUntilCondition(bool back);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
