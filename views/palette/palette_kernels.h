// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels of generated code as the palette finds them.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace dynascope::views {

/// The kernels of one compile, read by the search that comes first; searches of one palette may overlap.
class PaletteKernels {
public:
    struct Kernel {
        int stage = 0; ///< into the stages that were searched
        std::string name;
        std::size_t line = 0; ///< of its definition, else of its first call; from 1
    };
    /// Null stages are passed over.
    [[nodiscard]] const std::vector<Kernel>& of(const std::vector<session::StagePtr>& stages);

private:
    void read(const std::vector<session::StagePtr>& stages);
    std::once_flag m_once;
    std::vector<Kernel> m_kernels;
};

} // namespace dynascope::views
