// SPDX-License-Identifier: BSD-3-Clause
//
// Where the views below a widget stand: scrolled to, rows that are current and open. Taken before content is
// filled in anew and put back after it, so that a reader of a log that grows keeps the place.
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

class QAbstractItemView;
class QAbstractScrollArea;

namespace dynascope::views {

/// GUI thread only. Rows are found again by their place and, where that shows another text, by their text.
class ViewPlaces {
public:
    /// Of `root` and all views below it that are shown.
    explicit ViewPlaces(QWidget& root);
    void restore() const;

private:
    struct Step { ///< one level of the way to a row
        int row = 0;
        QString text;
    };
    using Way = std::vector<Step>;
    struct View {
        QPointer<QAbstractScrollArea> area;
        int x = 0, y = 0;
        Way current;
        std::vector<Way> open; ///< of a tree, parents first
    };
    static void takeOpen(const QAbstractItemView& view, View& out);

    std::vector<View> m_views;
};

} // namespace dynascope::views
