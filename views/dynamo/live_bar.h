// SPDX-License-Identifier: BSD-3-Clause
//
// Where a live program stands, and what it may be told.
#pragma once

#include "views/dynamo/live_session.h"

#include <QPointer>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QToolButton;

namespace dynascope::views {

class Theme;

/// GUI thread only. Hidden while no program is connected.
class LiveBar : public QWidget {
    Q_OBJECT
public:
    explicit LiveBar(Theme& theme, QWidget* parent = nullptr);

    /// May be null. The caller keeps it.
    void setSession(LiveSession* session);
    [[nodiscard]] LiveSession* session() const;
    /// The program that is shown, and told what the buttons say, where it waits; else null.
    [[nodiscard]] const LiveSession::Program* waiting() const;
    void send(dynamo::LiveCommand command);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QToolButton* button(dynamo::LiveCommand command) const;

signals:
    /// The program that is shown stopped: in this recording, before this step; noStep before the first.
    void stopped(const QString& recording, dynascope::dynamo::StepIndex step);
    void changed();

private:
    void show(int id);
    void update();

    QPointer<LiveSession> m_session;
    int m_program = 0;
    QComboBox* m_programs;
    QLabel *m_text, *m_note;
    struct Button {
        dynamo::LiveCommand command;
        QToolButton* button;
    };
    std::vector<Button> m_buttons;
};

} // namespace dynascope::views
