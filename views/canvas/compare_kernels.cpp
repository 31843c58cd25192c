// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that knows kernels of generated code as blocks of the graph that they were made of.
#include "views/canvas/compare_private.h"

#include <algorithm>

namespace dynascope::views {

using canvas::PaneSource;

bool CompareView::Private::isCaptured(int stage) const {
    const session::Compile* compile = workspace.compile();
    return compile != nullptr && stage >= 0 && static_cast<std::size_t>(stage) < compile->stages.size();
}

/// ", 14 blocks are kernels", what would make kernels known, or nothing where the stage is not what kernels are made of.
QString CompareView::Private::kernelsText(const PaneSource& source) const {
    using Kind = layout::Group::Kind;
    const auto kernels = static_cast<std::size_t>(std::ranges::count_if(
        source.tree->groups, [](const layout::Group& group) { return group.kind == Kind::Kernel; }));
    if (kernels > 0)
        return QStringLiteral(", ") +
               tr(kernels == 1 ? "%1 block is a kernel" : "%1 blocks are kernels").arg(kernels);
    const bool hasCode = source.kernels->codeMadeOf(source.stage) != session::Provenance::npos;
    return hasCode ? tr(", kernels not recorded (INDUCTOR_PROVENANCE=1)") : QString();
}

} // namespace dynascope::views
