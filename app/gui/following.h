// SPDX-License-Identifier: BSD-3-Clause
//
// Captures whose files change: following a log that grows, and the offer to reload one that is another now.
#pragma once

#include "app/gui/window_part.h"

namespace dynascope::views {
class Follower;
}

namespace dynascope::app {

class Following : public WindowPart {
    Q_OBJECT
public:
    explicit Following(const Shared& shared);
    [[nodiscard]] views::Follower& follower() { return *m_follower; }
    /// Whatever is opened from now on is read on as it grows, as far as it can be.
    void followAll() { m_followsAll = true; }
    void addActions();
    void updateActions();

signals:
    /// That the capture that is shown is read on as it grows; empty where it is not.
    void told(const QString& text, const QString& path);

private:
    void tell();
    void watchFiles(); ///< that are read while they are shown

    views::Follower* m_follower;
    bool m_followsAll = false;
};

} // namespace dynascope::app
