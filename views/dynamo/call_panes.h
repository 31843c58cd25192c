// SPDX-License-Identifier: BSD-3-Clause
//
// The call stack at a step, and how its graph will end.
#pragma once

#include "core/dynamo/recording.h"
#include "views/theme/splitter.h"

#include <vector>

namespace dynascope::views {

class FactView;
class RowTable;
class Theme;

/// GUI thread only.
class CallPanes : public Splitter {
    Q_OBJECT
public:
    explicit CallPanes(Theme& theme, QWidget* parent = nullptr);

    void show(const dynamo::Recording& recording, dynamo::StepIndex step);
    void forget();
    /// The frame that is shown, 0 for the innermost.
    void selectFrame(std::size_t level);
    /// Of the stack that is shown.
    [[nodiscard]] std::size_t frames() const { return m_steps.size(); }
    /// The step at which the graph of the step that is shown ends; noStep where it is not known.
    [[nodiscard]] dynamo::StepIndex end() const { return m_end; }

signals:
    void frameChosen(std::size_t level);
    void stepChosen(dynascope::dynamo::StepIndex step);
    void followed(const QString& link); ///< of how the graph ends

private:
    void showCalls(const dynamo::Recording& recording, dynamo::StepIndex step);

    RowTable* m_calls;
    FactView* m_story;
    std::vector<dynamo::StepIndex> m_steps; ///< by level: the call
    std::uint32_t m_attempt = UINT32_MAX;
    dynamo::StepIndex m_end = dynamo::noStep;
};

} // namespace dynascope::views
