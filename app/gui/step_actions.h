// SPDX-License-Identifier: BSD-3-Clause
//
// The keys that step: through a recording tree, a recording of Dynamo, or a functionalization, by the page
// that is shown.
#pragma once

#include "app/gui/window_part.h"

#include <functional>

namespace dynascope {
enum class StepCommand;
}

namespace dynascope::views {
class Stepper;
class TreePanel;
} // namespace dynascope::views

namespace dynascope::app {

class StepActions : public WindowPart {
    Q_OBJECT
public:
    StepActions(const Shared& shared, WindowPages& pages, views::Stepper& stepper)
        : WindowPart(shared)
        , m_pages(&pages)
        , m_stepper(&stepper) {}

    void addActions();
    /// Enables and names them for what is shown.
    void updateActions();

private:
    void step(const std::function<void(views::TreePanel&)>& inTree,
              const std::function<void(views::Stepper&)>& inOps, StepCommand inDynamo);
    [[nodiscard]] views::TreePanel* shownTree() const; ///< with a run; null for none
    void updateOnPages();

    WindowPages* m_pages;
    views::Stepper* m_stepper;
};

} // namespace dynascope::app
