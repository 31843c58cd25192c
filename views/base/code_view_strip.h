// SPDX-License-Identifier: BSD-3-Clause
//
// The strip beside a code pane's scroll bar: where in the whole text the differences, matches and selected
// lines are.
#pragma once

#include "views/base/code_view.h"

namespace dynascope::views {

/// GUI thread only.
class CodeView::Strip : public QWidget {
public:
    explicit Strip(CodeView& view);
    /// True where there is nothing to mark, as in plain text without a search.
    [[nodiscard]] bool isEmpty() const { return !m_view.m_options.signs && m_view.m_matches.empty(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void scrollTo(int y);
    CodeView& m_view;
};

} // namespace dynascope::views
