// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamo's cache as a recording knows it: entries, their guards held against any recorded call, and any
// sequence of calls.
#pragma once

#include "core/dynamo/recorded_cache.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace dynascope::views {

class RowTable;
class Theme;

/// GUI thread only; reads states of the recording.
class CacheView : public QWidget {
    Q_OBJECT
public:
    explicit CacheView(Theme& theme, QWidget* parent = nullptr);

    void setRecording(dynamo::RecordingPtr recording);

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    void showCode(int index);
    void showEntries();
    void showGuards();
    void simulate();
    [[nodiscard]] QString idOf(std::size_t position) const;

    Theme& m_theme;
    dynamo::RecordingPtr m_recording;
    std::vector<dynamo::CodeEntries> m_all;
    dynamo::CodeEntries m_code;
    std::vector<dynamo::StepIndex> m_guardSteps; ///< by row of m_guards
    QComboBox *m_codes, *m_call;
    RowTable *m_entries, *m_guards, *m_answers;
    QLineEdit* m_sequence;
    QSpinBox* m_limit;
    QLabel* m_note;
};

} // namespace dynascope::views
