// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QString>
#include <algorithm>

namespace dynascope::views {

/// A long text that differs from another late begins shortly before, so that a column shows what differs. An empty `other`
/// leaves it whole.
[[nodiscard]] inline QString fromWhereItParts(const QString& text, const QString& other) {
    constexpr qsizetype before = 12, latest = 24;
    const auto [at, end] = std::mismatch(text.begin(), text.end(), other.begin(), other.end());
    const qsizetype from = at - text.begin();
    if (from <= latest || other.isEmpty() || (at == text.end() && end == other.end())) return text;
    return QStringLiteral("…") + text.mid(from - before);
}

} // namespace dynascope::views
