// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette_kernels.h"

#include "core/session/generated_code.h"

namespace dynascope::views {

const std::vector<PaletteKernels::Kernel>& PaletteKernels::of(const std::vector<session::StagePtr>& stages) {
    std::call_once(m_once, [&] { read(stages); });
    return m_kernels;
}

void PaletteKernels::read(const std::vector<session::StagePtr>& stages) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (!stages[s] || stages[s]->content != session::Stage::Content::Code) continue;
        for (const session::GeneratedKernel& kernel :
             session::readGeneratedCode(stages[s]->payload.text()).kernels) {
            const std::size_t line = kernel.definition.first != 0 ? kernel.definition.first
                                     : kernel.calls.empty()       ? 0
                                                                  : kernel.calls.front().lines.first;
            if (line != 0) m_kernels.push_back({int(s), kernel.name, line});
        }
    }
}

} // namespace dynascope::views
