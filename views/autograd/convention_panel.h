// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of the current compile, walked step by step.
#pragma once

#include "core/computed/aot_convention.h"
#include "views/autograd/compile_panel.h"
#include "views/inspector/facts.h"

#include <memory>

class QToolButton;

namespace dynascope::views {

class ConventionView;
class FactView;
class Passes;
struct ConventionValues;

/// What a step does, with the index map or outputs that belong to it. Links: "step:N".
[[nodiscard]] Facts conventionFacts(const computed::AotConvention& convention,
                                    computed::AotConventionStep step);

/// GUI thread only. Works it out on the TaskRunner (tag "autograd.convention").
class ConventionPanel : public CompilePanel {
    Q_OBJECT
public:
    ConventionPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ConventionPanel() override;

    [[nodiscard]] const computed::AotConvention* convention() const; ///< null until there is one
    void stepBy(int direction);
    /// Where values come from; without it there is no button for them.
    void setPasses(Passes& passes);
    [[nodiscard]] const ConventionValues* values() const; ///< null until they were asked for

protected:
    void begin(const session::SessionPtr& session, std::size_t compile) override;
    void showAgain() override;
    void forget() override;
    void restyle() override;

private:
    struct Private;
    void showStep();
    void askValues();
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
