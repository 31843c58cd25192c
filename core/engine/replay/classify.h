// SPDX-License-Identifier: BSD-3-Clause
//
// Decides what a replay on the CPU does at each node.
#pragma once

#include "core/engine/replay/recorder.h"
#include "core/replay/recording.h"

#include <string>
#include <vector>

namespace dynascope::engine {

struct Decision {
    replay::NodeMode mode = replay::NodeMode::Input;
    std::string why;
    /// Its value is another object at each replay, so whoever reads it must be Called.
    bool fresh = false;
    /// Others were made with its value: a number, or tensors at planned addresses. A change is a divergence.
    bool guarded = false;
};

/// `other` is a second trace of the same run: a node that allocates otherwise there is not foreseeable.
[[nodiscard]] std::vector<Decision> classify(const Program& program, const RunTrace& trace,
                                             const RunTrace& other);

/// After the values of some nodes became fresh: what reads them, directly or not, is Called from now on.
void spreadFreshness(const Program& program, const RunTrace& trace, std::vector<Decision>& decisions);

} // namespace dynascope::engine
