// SPDX-License-Identifier: BSD-3-Clause
//
// The translation of what free functions say: members of a QObject have tr() from their class.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace dynascope::views {

/// `count` chooses the plural form and stands for %n; negative for none.
[[nodiscard]] inline QString tr(const char* text, int count = -1) {
    return QCoreApplication::translate("dynascope::views", text, nullptr, count);
}

} // namespace dynascope::views
