// SPDX-License-Identifier: BSD-3-Clause
//
// Answers about graph text that are found by patterns, with nothing of the readers, to check them by.
#pragma once

#include <QString>

namespace dynascope::test {

/// Nodes of print_readable() text, nested modules included.
[[nodiscard]] int countNodes(const QString& text);

/// A TORCH_LOGS file as if its lines had no prefix and its classes no path.
[[nodiscard]] QString withoutLogPrefixes(QString log);

} // namespace dynascope::test
