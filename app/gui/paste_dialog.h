// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/theme/theme.h"

#include <QDialog>

class QPlainTextEdit;

namespace dynascope::app {

/// Takes a graph as text; filled with the clipboard's text where that looks like a graph. The text is only
/// read.
class PasteDialog : public QDialog {
    Q_OBJECT
public:
    PasteDialog(views::Theme& theme, const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;

private:
    QPlainTextEdit* m_text;
};

} // namespace dynascope::app
