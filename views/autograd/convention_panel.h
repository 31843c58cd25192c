// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of the current compile, walked step by step.
#pragma once

#include "views/autograd/convention.h"
#include "views/inspector/facts.h"
#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

class ConventionView;
class FactView;

/// What a step does, with the index map or outputs that belong to it. Links: "step:N".
[[nodiscard]] Facts conventionFacts(const Convention& convention, ConventionStep step);

/// GUI thread only. Works it out on the TaskRunner (tag "autograd.convention").
class ConventionPanel : public Panel {
    Q_OBJECT
public:
    ConventionPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ConventionPanel() override;

    [[nodiscard]] ConventionView* view() const;
    [[nodiscard]] FactView* detail() const;
    [[nodiscard]] const Convention* convention() const; ///< null until there is one
    void stepBy(int direction);

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void forget();
    void showStep();
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
