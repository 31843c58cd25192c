// SPDX-License-Identifier: BSD-3-Clause
//
// A capture of ranks, opened and examined.
#pragma once

#include "core/capture/open.h"
#include "core/ranks/ranks.h"

#include <QString>

namespace dynascope::test {

struct ExaminedRanks {
    session::SessionPtr session;
    ranks::Report report; ///< refers to `session`
};

/// Ends the test program where it cannot be opened.
inline ExaminedRanks examinedRanks(const QString& path) {
    const auto opened = capture::open(path.toStdString());
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    auto report = ranks::examine(**opened);
    if (!report) qFatal("%s", report.error().toString().c_str());
    return {*opened, std::move(*report)};
}

} // namespace dynascope::test
