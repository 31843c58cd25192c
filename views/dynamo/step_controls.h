// SPDX-License-Identifier: BSD-3-Clause
//
// The header of the page Dynamo: which recording, buttons and keys that step, the menu Run to, the fields
// Run until and Search.
#pragma once

#include "core/base/step_command.h"
#include "core/dynamo/cursor.h"

#include <QString>
#include <QWidget>
#include <vector>

class QComboBox;
class QLineEdit;
class QMenu;

namespace dynascope::views {

class Theme;

/// GUI thread only. Object names of the fields: "dynamo.condition", "dynamo.search".
class StepControls : public QWidget {
    Q_OBJECT
public:
    /// Keys are those of `page`, wherever in it the focus is.
    StepControls(Theme& theme, QWidget& page);

    void setRecordings(const std::vector<dynamo::RecordingPtr>& recordings);
    void setRecording(int index);
    [[nodiscard]] QString condition() const;
    [[nodiscard]] QString searched() const; ///< without space around it
    void focusSearch();

signals:
    void recordingChosen(int index);
    void commanded(dynascope::StepCommand command);
    void happeningWanted(dynascope::dynamo::Happening what, dynascope::dynamo::Direction direction);
    void breakpointToggled(); ///< of the line that the caret is in
    void conditionEntered(bool back);
    void searchEdited();
    void searchEntered(bool back);

private:
    [[nodiscard]] QMenu* runMenu();

    Theme& m_theme;
    QComboBox* m_recordings;
    QLineEdit *m_condition, *m_search;
};

} // namespace dynascope::views
