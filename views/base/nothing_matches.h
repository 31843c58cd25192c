// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in a list that a filter has left empty.
#pragma once

#include "views/base/message_page.h"

class QAbstractItemView;
class QLineEdit;

namespace dynascope::views {

/// Lies over the rows of a view, which owns it, while the view's model has none and something is typed in `filter`. Says
/// what finds nothing, and clears the filter by a click. The model stays the view's. GUI thread only.
class NothingMatches : public MessagePage {
    Q_OBJECT
public:
    /// `what` has a place for what was typed: "No guard matches %1."
    NothingMatches(Theme& theme, QAbstractItemView& view, QLineEdit& filter, QString what);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the viewport: its size

private:
    void update();

    QAbstractItemView& m_view;
    QLineEdit& m_filter;
    QString m_what;
};

} // namespace dynascope::views
