// SPDX-License-Identifier: BSD-3-Clause
//
// Why two operations of a schedule are not in one kernel: what the scheduler was asked and answered, what tells the two
// apart, what lies between them, and which decision took them elsewhere.
#pragma once

#include "core/inductor/pass_recording.h"

#include <string>
#include <vector>

namespace dynascope::inductor {

struct WhyNotFused {
    std::vector<const Question*> questions; ///< about nodes that hold the two, in order
    std::vector<const TimedFusion*> timed;  ///< of nodes that hold the two, in order
    std::string kernel;                     ///< that has both; empty where none has
    /// What the record has of both that differs, or that one needs of the other, a sentence each: device, loops, class,
    /// read after write. Facts, not PyTorch's reasons.
    std::vector<std::string> apart;
    std::vector<std::string> shared; ///< buffers that both read or write
    /// Operations that must run after the first and before the second: they read what the one writes, and the other needs
    /// what they write.
    std::vector<std::string> between;
    std::vector<std::size_t> fusionsA,
        fusionsB;       ///< that took the one, or the other, without both: numbers from 1
    bool known = false; ///< the schedule has both operations
};
[[nodiscard]] WhyNotFused whyNotFused(const Schedule& schedule, const std::string& a, const std::string& b);

/// What would have to differ for PyTorch's reasons not to hold, a sentence each: from what Inductor's source tests where
/// it gives the reason, and what the record has of the two. Empty where they are in one kernel, or the reason says
/// nothing that the record tells more of. Meeting one reason need not be enough: another may stand behind it.
[[nodiscard]] std::vector<std::string> wouldHaveToDiffer(const PassRecording& recording,
                                                         const Schedule& schedule, const WhyNotFused& why,
                                                         const std::string& a, const std::string& b);

} // namespace dynascope::inductor
