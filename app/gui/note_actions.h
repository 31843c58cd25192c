// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and bookmarks by key, menu and palette.
#pragma once

#include "app/gui/window_part.h"
#include "core/ir/graph.h"

namespace dynascope::views {
class Notebook;
class Palette;
} // namespace dynascope::views

namespace dynascope::app {

class NoteActions : public WindowPart {
    Q_OBJECT
public:
    NoteActions(const Shared& shared, views::Notebook& notebook)
        : WindowPart(shared)
        , m_notebook(&notebook) {}

    void addActions();
    void updateActions();
    /// Lists notes and bookmarks in it, and goes to those that are chosen.
    void connectPalette(views::Palette& palette);
    void tellMissing(int capture, const ir::Address& address);

signals:
    void writingAsked(); ///< about what is selected

private:
    void stepBookmark(int direction);
    void goTo(int capture, const ir::Address& address);

    views::Notebook* m_notebook;
};

} // namespace dynascope::app
