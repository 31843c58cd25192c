// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/engine/engine.h"
#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace dynascope::views {

/// The engine in the status bar: a point in the colour of its state, what it does, and the way out: Cancel
/// while it runs, Start again after it stopped. GUI thread only.
class EngineStatus : public QWidget {
    Q_OBJECT
public:
    EngineStatus(Engine& engine, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;

private:
    [[nodiscard]] QString explanation() const;
    void refresh();

    Engine& m_engine;
    Theme& m_theme;
    QLabel* m_dot;
    QLabel* m_text;
    QPushButton* m_button;
    QString m_progress;
};

} // namespace dynascope::views
