// SPDX-License-Identifier: BSD-3-Clause
//
// How the window comes to a comparison: the dialog, two files, the ranks of a folder.
#pragma once

#include "app/gui/window_part.h"

#include <QStringList>

namespace dynascope::app {

class Comparing : public WindowPart {
    Q_OBJECT
public:
    using WindowPart::WindowPart;

    void ask(); ///< the dialog
    /// Opens two captures and shows what tells them apart; of one path the ranks.
    void openBoth(const QStringList& paths);
    /// Compares once all that is waited for is open.
    void goOn();
    void giveUp() { m_waiting = {}; }
    [[nodiscard]] bool isWaiting() const { return !m_waiting.paths.isEmpty(); }
    void compareRanks();
    void compareWithNext();
    void showLast(); ///< or the dialog
    /// The compile before this one of the same function, or the one after the first; -1 where it is alone.
    [[nodiscard]] int otherOfFrame(int compile) const;

private:
    void openWaiting();
    [[nodiscard]] session::SessionPtr sessionAt(const QString& path) const; ///< of an open capture, or null

    /// What is still being opened for a comparison: `a` and the paths, or two paths.
    struct Waiting {
        session::SessionPtr a;
        QStringList paths;
    } m_waiting;
};

} // namespace dynascope::app
