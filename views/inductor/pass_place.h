// SPDX-License-Identifier: BSD-3-Clause
//
// Which pass, or which fusion of a schedule, the reader is at: the own place of the page Inductor.
#pragma once

#include "views/workspace/workspace.h"

#include <QJsonObject>
#include <algorithm>

namespace dynascope::views {

struct PassPlace {
    static constexpr Page page = Page::Inductor;
    int row =
        -1; ///< into CompilePasses::rows of the place's compile; -1 for the first that changed something
    bool scheduler = false; ///< the schedule is looked at, not the passes
    int schedule = -1;      ///< into schedulesOf(); -1 for that of the row's graph
    int fusions = -1;       ///< that are made; -1 for all

    void complete(const Place&, const OpenCapture&) {
        for (int* number : {&row, &schedule, &fusions})
            *number = std::max(*number, -1);
    }
    friend bool operator==(const PassPlace&, const PassPlace&) = default;
};

/// The stage's name in the address of a pass that was noted or marked; `k` is its row, `node` its name.
inline constexpr const char* passStage = "inductor_pass";

/// For session files: a number for a pass alone, an object for a schedule; null at the beginning.
[[nodiscard]] inline QJsonValue savedPassPlace(const PassPlace& at) {
    if (!at.scheduler) return at.row < 0 ? QJsonValue() : QJsonValue(at.row);
    return QJsonObject{{QStringLiteral("row"), at.row},
                       {QStringLiteral("schedule"), at.schedule},
                       {QStringLiteral("fusions"), at.fusions}};
}
[[nodiscard]] inline PassPlace passPlaceOf(const QJsonValue& saved) {
    if (!saved.isObject()) return PassPlace{saved.toInt(-1)};
    return PassPlace{saved[QStringLiteral("row")].toInt(-1), true,
                     saved[QStringLiteral("schedule")].toInt(-1), saved[QStringLiteral("fusions")].toInt(-1)};
}

} // namespace dynascope::views
