// SPDX-License-Identifier: BSD-3-Clause
//
// What the panels of the page Autograd share: each is about the current compile, and works something out for
// it once.
#pragma once

#include "views/base/panel.h"

namespace dynascope::views {

/// GUI thread only. Says itself where there is nothing to show.
class CompilePanel : public Panel {
    Q_OBJECT
public:
    using Panel::Panel;

signals:
    void elsewhereRequested(); ///< the page's first view that has something to show of this compile

protected:
    /// Starts the work for another compile than before; the panel shows that it loads until told otherwise.
    virtual void begin(const session::SessionPtr& session, std::size_t compile) = 0;
    /// The same compile as before: perhaps in other colours.
    virtual void showAgain() {}
    /// Stops what was begun and empties the widgets.
    virtual void forget() = 0;

    [[nodiscard]] const session::SessionPtr& session() const { return m_session; } ///< null for none
    [[nodiscard]] int compile() const { return m_compile; }                        ///< -1 for none
    void refresh() final;

private:
    void drop();

    session::SessionPtr m_session;
    int m_compile = -1;
};

} // namespace dynascope::views
