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
    /// The canvas of the page that is shown: its picture whole, or one of its graphs as DOT or Mermaid text.
    void exportCanvas();
    /// By the suffix; why not as a sentence, empty where it is written.
    [[nodiscard]] QString writeCanvas(const QString& path);
    void copyCanvas();
    /// Connects a canvas with the menu that it has where no node is.
    void connectCanvas(views::CompareView& canvas);

signals:
    void searchAsked();

private:
    [[nodiscard]] views::CompareView* canvas();
    /// B's graph, or A's where a node of it is selected or B has none; null on other pages.
    [[nodiscard]] ir::GraphPtr graph() const;
    void openMenu(const QPoint& globalPos);

    WindowPages& m_pages;
};

} // namespace dynascope::app
