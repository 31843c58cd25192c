// SPDX-License-Identifier: BSD-3-Clause
//
// A computed stage as their store knows it (core/computed/stage_store.h), without what made it
// (core/computed/stages.h).
#pragma once

#include "core/diff/origins.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::computed {

/// What checking a computed stage against eager said, or a derived one against the captured stage.
struct StageVerdict {
    enum class Kind : std::uint8_t { NotRun, Equal, Different, Declined, OrderDependent, Random };
    Kind kind = Kind::NotRun;
    std::string text;           ///< the reason or what was compared, one line
    std::string node, nodeFrom; ///< the first node that differs, here and in the stage it was made from
    bool isomorphic = false;    ///< the same graph as PyTorch's own stage `twin`
    std::string twin;           ///< its label
    friend bool operator==(const StageVerdict&, const StageVerdict&) = default;
};
/// "equal", "different", "declined", "order-dependent", "random", "not run": as the engine writes them.
[[nodiscard]] std::string_view verdictName(StageVerdict::Kind kind);
[[nodiscard]] std::optional<StageVerdict::Kind> verdictKind(std::string_view name);

/// A computed stage among those of its compile.
struct PlacedStage {
    session::StagePtr stage;
    int from = -1;            ///< what it was made from: captured stages count first, then these
    session::StagePtr source; ///< what stood at `from`: a later result there is another graph
    diff::Origins origins;    ///< which node of `source` became which of its own
    bool removed = false;     ///< taken away, and kept for what was made from it and for going back
};

} // namespace dynascope::computed
