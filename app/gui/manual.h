// SPDX-License-Identifier: BSD-3-Clause
//
// The manual as it was built in: docs/manual, one Markdown file a task.
#pragma once

#include <QString>
#include <vector>

namespace dynascope::app {

struct ManualPage {
    QString name;  ///< "breaks", of breaks.md
    QString title; ///< its first heading
    QString text;  ///< Markdown
};

/// A place in the manual: a page, and a heading of it or nothing.
struct ManualPlace {
    QString page;
    QString heading; ///< as manualAnchor() spells it
    friend bool operator==(const ManualPlace&, const ManualPlace&) = default;
};

/// In the order of the contents, which come first. Read once.
[[nodiscard]] const std::vector<ManualPage>& manualPages();
[[nodiscard]] const ManualPage* manualPage(const QString& name); ///< or null
/// "output-code" for the heading "Output code", as code hosts link to it.
[[nodiscard]] QString manualAnchor(const QString& heading);
/// Where a link of page `from` leads ("breaks.md#ways-out", "#live"); no page where it leads out of the manual.
[[nodiscard]] ManualPlace manualLink(const QString& from, const QString& link);

} // namespace dynascope::app
