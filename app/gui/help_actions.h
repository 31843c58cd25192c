// SPDX-License-Identifier: BSD-3-Clause
//
// What explains the program: the manual, its place for whatever has the focus, keys, versions.
#pragma once

#include "app/gui/manual.h"
#include "app/gui/window_part.h"

#include <QPointer>

namespace dynascope::views {
class Engine;
}

namespace dynascope::app {

class ManualWindow;

class HelpActions : public WindowPart {
    Q_OBJECT
public:
    HelpActions(const Shared& shared, WindowPages& pages, views::Engine& engine);

    void addActions();
    /// Opens the manual, or brings it to the front.
    void openManual(const ManualPlace& place);
    /// What the manual has of the panel or page that a widget is of.
    [[nodiscard]] ManualPlace placeOf(const QWidget* widget) const;

protected:
    /// Menus of the tabs of panels.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    views::Engine& m_engine;
    QPointer<ManualWindow> m_manual;
};

} // namespace dynascope::app
