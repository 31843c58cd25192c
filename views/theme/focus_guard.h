// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QObject>

namespace dynascope::views {

/// Keeps what has the focus in sight: scrolls to what the tab key goes to, also where it comes from outside of the scroll
/// area, which Qt leaves where it was; and takes the tab bars of docks that a main window has put beside itself out of the
/// keys' way. One a program; filters its application's events. GUI thread only.
class FocusGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// On the application, once; later calls do nothing.
    static void install();

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace dynascope::views
