// SPDX-License-Identifier: BSD-3-Clause
//
// The graph breaks and failed frames of a recording, by cause and line.
#pragma once

#include "core/dynamo/recorded_breaks.h"

#include <QWidget>

namespace dynascope::views {

class FactView;
class RowTable;
class Theme;

/// GUI thread only.
class RecordedBreaksView : public QWidget {
    Q_OBJECT
public:
    explicit RecordedBreaksView(Theme& theme, QWidget* parent = nullptr);

    void setBreaks(std::vector<dynamo::RecordedBreak> breaks);
    [[nodiscard]] const std::vector<dynamo::RecordedBreak>& breaks() const { return m_breaks; }

signals:
    /// "step:12", "copy:...".
    void followed(const QString& link);

private:
    void show(int row);

    std::vector<dynamo::RecordedBreak> m_breaks;
    RowTable* m_table;
    FactView* m_story;
};

} // namespace dynascope::views
