// SPDX-License-Identifier: BSD-3-Clause
//
// The bytecode that Dynamo generated beside the program's own, each instruction with what it is for.
#pragma once

#include "core/dynamo/generated_link.h"
#include "views/base/code_view.h"

#include <QWidget>

class QLabel;

namespace dynascope::views {

class RowTable;
class Theme;

/// GUI thread only; reads the recording.
class GeneratedView : public QWidget {
    Q_OBJECT
public:
    explicit GeneratedView(Theme& theme, QWidget* parent = nullptr);

    void setCodes(dynamo::RecordingPtr recording, std::vector<dynamo::GeneratedBytecode> codes);
    /// What the line that was clicked is for.
    [[nodiscard]] QString note() const;
    void tell(const QString& note);

signals:
    /// An instruction of the program was double-clicked or chosen from the menu: a code of the recording, and
    /// the compile that it was generated in.
    void instructionChosen(std::uint32_t code, std::uint32_t instruction, std::uint32_t compile);

private:
    void showCode();
    void pick(int pane, int line);
    [[nodiscard]] const dynamo::GeneratedBytecode* current() const;

    dynamo::RecordingPtr m_recording;
    std::vector<dynamo::GeneratedBytecode> m_codes;
    int m_row = -1; ///< the code that is shown
    dynamo::GeneratedLink m_link;
    RowTable* m_table;
    CodeView* m_view;
    QLabel *m_title = nullptr, *m_note = nullptr;
};

} // namespace dynascope::views
