// SPDX-License-Identifier: BSD-3-Clause
//
// A panel that is one code view under a header row: text diff, source, bytecode.
#pragma once

#include "views/base/panel.h"

class QHBoxLayout;
class QLabel;

namespace dynascope::views {

class CodeView;

/// GUI thread only. Subclasses put what belongs to the text into headerRow().
class CodePanel : public Panel {
    Q_OBJECT
public:
    /// `name` is what a screen reader calls the code view.
    CodePanel(Workspace& workspace, Theme& theme, const QString& name, QWidget* parent = nullptr);

    void focusFilter() override; ///< opens the find bar
    [[nodiscard]] CodeView* view() const { return m_view; }

protected:
    [[nodiscard]] QWidget* header() const { return m_header; }
    [[nodiscard]] QHBoxLayout* headerRow() const { return m_row; }
    /// A quiet label of plain text, at the end of the row.
    QLabel* addHint();
    /// F7 and Shift+F7 in the view go to the next and previous difference.
    void addDifferenceKeys();
    /// "+3 −1 ~2 lines" of two aligned texts; `counts` are indexed by diff::Change.
    [[nodiscard]] static QString lineCounts(const std::array<std::size_t, 6>& counts);

private:
    QWidget* m_header;
    QHBoxLayout* m_row;
    CodeView* m_view;
};

} // namespace dynascope::views
