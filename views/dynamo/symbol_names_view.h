// SPDX-License-Identifier: BSD-3-Clause
//
// Why symbols are called what they are called, in one compile or in two runs of a program: the hash of a
// size's source, numbers that were taken, and what became a constant.
#pragma once

#include "views/workspace/workspace.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace dynascope::views {

class RowTable;
class Theme;

/// GUI thread only.
class SymbolNamesView : public QWidget {
    Q_OBJECT
public:
    SymbolNamesView(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    /// Compiles of all open captures may be chosen; those that are chosen stay, where they are still open.
    void refresh();

private:
    void show();
    [[nodiscard]] const session::Compile* compileOf(const QComboBox& box) const;

    Workspace& m_workspace;
    QComboBox *m_a, *m_b;
    RowTable* m_table;
    QLabel* m_note;
};

} // namespace dynascope::views
