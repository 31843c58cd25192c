// SPDX-License-Identifier: BSD-3-Clause
//
// Output codes and graphs of a capture, read when a profile first needs them, and what was matched before. Internal to
// core/profile.
#pragma once

#include "core/profile/graph_calls.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::profile {

/// A kernel of some output code.
struct CodeKernel {
    int compile = -1, stage = -1;
    Matched kernel;
};

class CaptureCode {
public:
    explicit CaptureCode(const session::Session& session)
        : m_session(session) {}

    [[nodiscard]] bool isCode(int compile, int stage) const;
    [[nodiscard]] const CodeCalls& calls(int compile, int stage);
    /// What operators of one run are; the same as of an earlier run that was the same. Empty where the graph cannot be
    /// read, or too much was matched already.
    [[nodiscard]] std::vector<Matched> matchNodes(int compile, int stage,
                                                  std::span<const CalledOperator> operators);
    /// Where one output code alone has a kernel of that name; compile -1 elsewhere.
    [[nodiscard]] CodeKernel findAnywhere(std::string_view kernel);
    /// Where one output code alone has a kernel with that source of Triton's; compile -1 elsewhere.
    [[nodiscard]] CodeKernel findFile(std::string_view file);
    /// Runs that were not matched, since aligning them would have taken too long.
    [[nodiscard]] std::size_t unmatchedRuns() const { return m_unmatched; }

private:
    using Place = std::pair<int, int>;
    [[nodiscard]] const session::Stage& stageAt(int compile, int stage) const;
    const session::Session& m_session;
    std::map<Place, CodeCalls> m_calls;
    std::map<Place, std::optional<GraphOperators>> m_operators;
    std::map<std::pair<Place, std::string>, std::vector<Matched>> m_runs; ///< by what was called
    using KernelIndex = std::map<std::string, CodeKernel, std::less<>>;
    void indexKernels();
    std::optional<KernelIndex> m_everywhere; ///< by name; of no compile where several have it
    KernelIndex m_files;                     ///< by the name of the file, likewise
    std::size_t m_work = 0, m_unmatched = 0;
};

} // namespace dynascope::profile
