// SPDX-License-Identifier: BSD-3-Clause
//
// What is done to the canvas of the page that is shown.
#pragma once

#include "app/gui/window_part.h"

namespace dynascope::views {
class CompareView;
}

namespace dynascope::app {

class CanvasActions : public WindowPart {
    Q_OBJECT
public:
    CanvasActions(const Shared& shared, WindowPages& pages)
        : WindowPart(shared)
        , m_pages(pages) {}

    /// Once there is a canvas: the keys are those of its widget.
    void addActions();
    void exportSvg();

signals:
    void searchAsked();

private:
    [[nodiscard]] views::CompareView* canvas();

    WindowPages& m_pages;
};

} // namespace dynascope::app
