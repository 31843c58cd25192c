// SPDX-License-Identifier: BSD-3-Clause
//
// How the window words numbers, places and states, so that every panel says them alike.
#pragma once

#include "core/session/session.h"
#include "views/theme/shown_text.h"

#include <QString>
#include <string_view>

namespace dynascope::views {

[[nodiscard]] inline QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

/// "13.87 s"; "0.004 s" below ten milliseconds.
[[nodiscard]] QString secondsText(double seconds);
/// "850 µs", "12.3 ms", "1.25 s".
[[nodiscard]] QString durationText(double us);
/// "1 node", "6,012 nodes".
[[nodiscard]] QString countText(qulonglong count, const QString& one, const QString& many);
[[nodiscard]] QString numberText(qulonglong number);              ///< "6,012"
[[nodiscard]] QString bytesText(qulonglong bytes);                ///< "80 B", "32 KiB", "1.5 MiB"
[[nodiscard]] QString fileName(std::string_view path);            ///< "cap.py"
[[nodiscard]] QString placeText(const session::Compile& compile); ///< "cap.py:42", empty where unknown
[[nodiscard]] QString placeText(const ir::SourceLocation& location);
/// "f cap.py:42", or the best that is known.
[[nodiscard]] QString frameText(const session::Compile& compile);
/// "compiled", "break :30", "recompile", "failed", ...
[[nodiscard]] QString statusChip(const session::Compile& compile);
/// "break :30", "break" where its line is not known, empty where the graph did not break.
[[nodiscard]] QString breakChip(const session::Compile& compile);
/// What a status chip leaves out: the break's reason, the failed guard, the error. One line, may be empty.
[[nodiscard]] QString statusDetail(const session::Compile& compile);
/// "8 nodes", "1 kernel", or "code".
[[nodiscard]] QString stageSize(const session::Stage& stage);

} // namespace dynascope::views
