// SPDX-License-Identifier: BSD-3-Clause
//
// File > Runs, and what its dialog asks of the window.
#pragma once

#include "app/gui/window_part.h"

namespace dynascope::app {

class Comparing;
class RunsDialog;

class RunsActions : public WindowPart {
    Q_OBJECT
public:
    RunsActions(const Shared& shared, Comparing& comparing);

    void addActions();
    void ask();

signals:
    void pathsChosen(const QStringList& paths);

private:
    void make();
    /// Where the capture that is shown was recorded by `run`, else where one looked the last time.
    [[nodiscard]] QString firstFolder() const;
    void follow(const QString& path);

    Comparing& m_comparing;
    RunsDialog* m_dialog = nullptr; ///< made on first use
};

} // namespace dynascope::app
