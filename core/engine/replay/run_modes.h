// SPDX-License-Identifier: BSD-3-Clause
//
// What a run of a recorded program needs set up around it.
#pragma once

#include "core/engine/exec/program.h"

#include <memory>

namespace dynascope::engine {

/// Whether nothing in the program would note what autograd does.
[[nodiscard]] bool hasOperatorsOnly(const Program& program);

/// What a run on this thread needs set up around it: modes, and whether oneDNN is used. Grad mode is off;
/// with `inference`, for programs of operators only, so is everything that autograd would note.
class RunModes {
public:
    RunModes(bool inference, bool oneDnn);
    RunModes(const RunModes&) = delete;
    RunModes& operator=(const RunModes&) = delete;
    ~RunModes();

private:
    struct Guards;
    std::unique_ptr<Guards> m_guards;
};

} // namespace dynascope::engine
