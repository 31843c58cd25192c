// SPDX-License-Identifier: BSD-3-Clause
//
// Which stage of a compile was made from which, and what of a capture is shown first. Stages are indices into
// Compile::stages. Pure, any thread.
#pragma once

#include <utility>

namespace dynascope::session {

struct Compile;
struct Session;

/// The stage that `stage` was made from: the one before it in its phase and attempt, else the last one of the
/// phase that feeds it (joint feeds forward and backward). -1 for the first.
[[nodiscard]] int predecessor(const Compile& compile, int stage);
/// The pair to show first: the first graph, and the first graph that AOTAutograd made of it (else the next
/// graph).
[[nodiscard]] std::pair<int, int> defaultStages(const Compile& compile);
/// The compile to show first: the most graphs, the first of equals. -1 where there is none.
[[nodiscard]] int bestCompile(const Session& session);

} // namespace dynascope::session
