// SPDX-License-Identifier: BSD-3-Clause
//
// Flight-recorder dumps that are attached to the capture that is shown: chosen, or dropped on the window. The page
// Ranks reads them.
#pragma once

#include "app/gui/window_part.h"

#include <QStringList>

namespace dynascope::app {

class FlightActions : public WindowPart {
    Q_OBJECT
public:
    using WindowPart::WindowPart;

    void addActions();
    void updateActions();
    /// Attaches what is called as dumps are, or a folder of nothing else, where a capture with several ranks is shown;
    /// the rest is pathsLeft(). Of dropped files the folder counts, as each rank wrote one there.
    void takeDropped(const QStringList& paths);

signals:
    void pathsLeft(const QStringList& paths);

private:
    void ask();
    void attach(const QString& folder);
    [[nodiscard]] bool canAttach() const;
};

} // namespace dynascope::app
