// SPDX-License-Identifier: BSD-3-Clause
//
// The style sheet of the whole window, made from one set of colours.
//
// Widgets choose a look by a dynamic property:
//   QLabel      role="section" | "label" | "hint" | "title" | "figure" | "strong" | "code" | "link"
//   QLabel      chip="neutral" | "accent" | "added" | "removed" | "changed" | "write"     a small badge
//   QPushButton primary=true | flat=true | link=true
//   QToolButton chip=true     a small checkable badge (filters such as "Short names")
//   QToolButton fold=true     the title of a section that folds
//   QTextBrowser role="fact"  a text among others, without a surface of its own
//   QWidget     header=true   a 28 px panel header on bg2 with a line below (give the widget
//   WA_StyledBackground) QFrame      box="field" | "card" | "added" | "line"   rounded frames; "line" is a
//   one pixel separator QTableView, QTreeView are flat; alternating rows stay off.
#pragma once

#include <QString>

namespace dynascope::views {

struct Colours;

/// `base` is the font size of plain text in pixels.
[[nodiscard]] QString makeStyleSheet(const Colours& colours, int base, const QString& textFamily,
                                     const QString& codeFamily);

} // namespace dynascope::views
