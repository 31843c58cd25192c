// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of the dialog Record.
#pragma once

#include "app/gui/record_dialog.h"
#include "tests/support/parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

namespace dynascope::test {

class RecordParts : public Parts {
public:
    using Parts::Parts;

    [[nodiscard]] QComboBox* history() const { return find<QComboBox>("record.history"); }
    [[nodiscard]] QPushButton* interpreterButton() const { return find<QPushButton>("record.interpreter"); }
    [[nodiscard]] QLineEdit* command() const { return find<QLineEdit>("record.command"); }
    [[nodiscard]] QLineEdit* workingFolder() const { return find<QLineEdit>("record.workingFolder"); }
    [[nodiscard]] QLineEdit* outputFolder() const { return find<QLineEdit>("record.outputFolder"); }
    [[nodiscard]] QLineEdit* settings() const { return find<QLineEdit>("record.settings"); }
    [[nodiscard]] QPlainTextEdit* variables() const { return find<QPlainTextEdit>("record.variables"); }
    [[nodiscard]] QPlainTextEdit* environment() const { return find<QPlainTextEdit>("record.environment"); }
    [[nodiscard]] QPlainTextEdit* printed() const { return find<QPlainTextEdit>("record.printed"); }
    [[nodiscard]] QCheckBox* passes() const { return find<QCheckBox>("record.passes"); }
    [[nodiscard]] QCheckBox* pauses() const { return find<QCheckBox>("record.pauses"); }
    [[nodiscard]] QCheckBox* stopsAtStart() const { return find<QCheckBox>("record.stopsAtStart"); }
    [[nodiscard]] QPushButton* startButton() const { return find<QPushButton>("record.start"); }
    [[nodiscard]] QString state() const { return find<QLabel>("record.state")->text(); }
    /// What is tried, and against what; empty where nothing is.
    [[nodiscard]] QString trialNote() const {
        const auto* note = find<QLabel>("record.trialNote");
        return note->isHidden() ? QString() : note->text();
    }
    [[nodiscard]] QPushButton* cancelButton() const { return find<QPushButton>("record.cancel"); }
};

/// `in(dialog).command()`
[[nodiscard]] inline RecordParts in(const app::RecordDialog& dialog) {
    return RecordParts(dialog);
}

} // namespace dynascope::test
