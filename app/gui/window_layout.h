// SPDX-License-Identifier: BSD-3-Clause
//
// Where things are in the window, between runs of the program and in session files.
#pragma once

#include "app/gui/window_part.h"
#include "core/store/session_file.h"

#include <map>
#include <string>

namespace dynascope::views {
class Passes;
}

namespace dynascope::app {

class WindowDocks;

/// Where the inside of a window is to be so that it and its frame lie in `screen`. Unchanged where they do.
[[nodiscard]] QRect fittedInto(const QRect& screen, const QRect& inside, const QMargins& frame);

class WindowLayout : public WindowPart {
    Q_OBJECT
public:
    WindowLayout(const Shared& shared, WindowPages& pages, WindowDocks& docks, views::Passes& passes)
        : WindowPart(shared)
        , m_pages(&pages)
        , m_docks(&docks)
        , m_passes(&passes) {}

    void reset(); ///< as of the first run
    void save();
    void restore();
    /// Makes a window that is not maximised small enough for its screen, frame included, and moves it there.
    void keepOnScreen();
    /// What a session file keeps of the window: the place, and docks, panels and canvases.
    [[nodiscard]] std::map<std::string, std::string> ofSession(int capture) const;
    void restoreSession(int capture, const store::SessionContents& saved);

private:
    WindowPages* m_pages;
    WindowDocks* m_docks;
    views::Passes* m_passes;
};

} // namespace dynascope::app
