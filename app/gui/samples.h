// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QString>
#include <vector>

namespace dynascope::app {

/// A capture that comes with the program.
struct Sample {
    QString path;
    QString title;
    QString detail; ///< what can be seen in it, one line
};

/// Captures found next to the program (share/dynascope/samples) or in the source tree, the most telling
/// first.
[[nodiscard]] std::vector<Sample> bundledSamples();

} // namespace dynascope::app
