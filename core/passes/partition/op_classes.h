// SPDX-License-Identifier: BSD-3-Clause
//
// What the min-cut partitioner holds of an op: whether it may run twice, and whether a compiler would fuse
// it.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::passes::partition {

struct OpClass {
    bool view = false;
    bool recomputable = false; ///< on the list of ops that may run again in backward; views are
    bool random = false;
    bool computeIntensive = false;
    bool drawsNumbers = false; ///< tagged nondeterministic_seeded

    [[nodiscard]] bool fusible() const { return recomputable || random; }
};

/// "aten.add" for "torch.ops.aten.add.Tensor", "_operator.mul" for "operator.mul": all overloads are one.
[[nodiscard]] std::string packetOf(std::string_view target);
[[nodiscard]] OpClass opClass(std::string_view packet);

} // namespace dynascope::passes::partition
