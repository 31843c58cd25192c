// SPDX-License-Identifier: BSD-3-Clause
//
// A splitter that draws one pixel and can be grabbed on seven.
#pragma once

#include <QSplitter>

namespace dynascope::views {

/// GUI thread only.
class Splitter : public QSplitter {
    Q_OBJECT
public:
    explicit Splitter(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    QSplitterHandle* createHandle() override;
};

} // namespace dynascope::views
