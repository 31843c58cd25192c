// SPDX-License-Identifier: BSD-3-Clause
//
// What the engine's replies to "pass" and "verify" say of a stage.
#pragma once

#include "core/engine/wire/verify.h"
#include "views/engine/passes.h"

namespace dynascope::views {

/// Which node became which, by the last pass of a reply to "pass".
[[nodiscard]] diff::Origins originsOf(const wire::PassReply& reply, const ir::Graph& source,
                                      const ir::Graph& result);

/// The graph with the shapes that a reply to "pass" says.
[[nodiscard]] ir::GraphPtr withShapes(const ir::Graph& graph, const wire::PassReply& reply);
/// "equal", "different", "declined", "order-dependent", "random", "not run": as the engine writes them.
[[nodiscard]] std::string_view verdictName(Verdict::Kind kind);
[[nodiscard]] std::optional<Verdict::Kind> verdictKind(std::string_view name);

struct CheckedStage {
    Verdict verdict;
    QStringList differences;
    Parting parting;
};
/// From a reply to "verify".
[[nodiscard]] CheckedStage checkedStage(const wire::VerifyReply& reply);

} // namespace dynascope::views
