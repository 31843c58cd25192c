// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <string>
#include <vector>

namespace dynascope::cli {

/// What a program that has ended left behind.
struct ChildOutput {
    std::string out, err;
    bool succeeded = false;
    std::string end; ///< "exit status 3", "signal 6 (Aborted)"

    /// The line of a failed program that says most: the last one of `err`.
    [[nodiscard]] std::string lastWords() const;
};

/// Runs a program to its end, its standard input closed, and keeps what it prints (16 MiB of each stream at
/// most). Fails where it cannot be started, or where it is still running after `most`; it is killed then.
[[nodiscard]] Result<ChildOutput> runChild(const std::vector<std::string>& command,
                                           std::chrono::seconds most);

} // namespace dynascope::cli
