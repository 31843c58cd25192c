// SPDX-License-Identifier: BSD-3-Clause
//
// A form for the shapes, dtypes, strides and values that a graph's text lacks, so that the engine can run it.
#pragma once

#include "core/engine/cases/input_form.h"
#include "views/theme/theme.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTableWidget;

namespace dynascope::views {

class InputsDialog : public QDialog {
    Q_OBJECT
public:
    enum Column { Name, Dtype, Shape, Strides, Memory, Offset, Values, ColumnCount };

    /// `accept` is the word on the button: "Run functionalize".
    InputsDialog(Theme& theme, const QString& title, std::vector<engine::InputRow> rows,
                 const QString& accept, QWidget* parent = nullptr);

    /// As they were typed; dtypes in full.
    [[nodiscard]] std::vector<engine::InputRow> rows() const;

private:
    void fill();
    void check();
    /// Takes the last change back, or makes it again; one change a cell that was edited.
    void step(bool back);

    struct Change {
        int row = 0, column = 0;
        std::string before, after;
    };

    Theme& m_theme;
    std::vector<engine::InputRow> m_rows;
    std::vector<Change> m_changes;
    std::size_t m_made = 0; ///< of the changes; those behind were taken back
    QTableWidget* m_table;
    QLabel* m_state;
    QPushButton* m_accept = nullptr;
};

} // namespace dynascope::views
