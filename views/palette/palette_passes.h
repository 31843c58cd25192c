// SPDX-License-Identifier: BSD-3-Clause
//
// Inductor's recorded passes as the palette finds them.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <QString>
#include <memory>
#include <mutex>
#include <vector>

namespace dynascope::views {

/// The passes of one compile, read by the search that comes first; searches of one palette may overlap.
class PalettePasses {
public:
    struct Pass {
        int row = 0; ///< into CompilePasses::rows
        bool changed = false;
        QString name, detail; ///< what it is of, and what it changed or why it did not run
    };
    /// Empty where no recording holds the compile.
    [[nodiscard]] const std::vector<Pass>& of(const session::Session& session,
                                              const session::Compile& compile);

private:
    std::once_flag m_once;
    std::vector<Pass> m_passes; ///< those that changed a graph first, each in the order in which they began
};

} // namespace dynascope::views
