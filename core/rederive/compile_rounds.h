// SPDX-License-Identifier: BSD-3-Clause
//
// Which stages and records of a compile belong together: AOTAutograd runs once for each graph of an attempt.
// Internal to rederive.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// The artifact that holds AOTAutograd's metadata.
inline constexpr std::string_view metadataRecord = "aot_forward_graph_fw_metadata";

/// Looks at a session and one of its compiles, which outlive it. Any thread.
class CompileRounds {
public:
    CompileRounds(const session::Session& session, const session::Compile& compile)
        : m_session(session)
        , m_compile(compile) {}

    /// The stage of that name of the same attempt and number; null for none.
    [[nodiscard]] session::StagePtr sameRound(const session::Stage& like, std::string_view name) const;
    /// What the partitioner was given: the last joint graph, after Inductor's joint passes where these ran.
    /// Null for none.
    [[nodiscard]] session::StagePtr jointFor(const session::Stage& forward) const;
    /// Saved-tensors hooks are inlined after the split; their record holds the graphs as they were before.
    /// `stage` itself where there is none.
    [[nodiscard]] session::StagePtr beforeHooks(const session::StagePtr& stage, std::string_view name) const;
    /// What runs of a joint graph when the function is called, as it was before hooks; null for none.
    [[nodiscard]] session::StagePtr forwardOf(const session::Stage& joint) const;
    /// The text of the k-th metadata record of an attempt; empty where there is none.
    [[nodiscard]] std::string metadataText(int attempt, int k) const;
    /// Positions of parameters and buffers among the primals.
    [[nodiscard]] std::vector<std::size_t> staticInputs(const session::Stage& forward) const;

private:
    const session::Session& m_session;
    const session::Compile& m_compile;
};

} // namespace dynascope::engine
