// SPDX-License-Identifier: BSD-3-Clause
//
// Judges oracle cases (tests/oracle): the engine computes its own answers from a case's inputs, and they are
// compared with PyTorch's. Eager is normative; graph text is golden.
#pragma once

#include "core/engine/client/client.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

enum class CaseVerdict {
    Passed,
    Failed,
    Declined, ///< PyTorch itself raises or parts from eager here, or the case lacks what decided; the reason
              ///< says which
    Skipped,  ///< not judged by this version
};
[[nodiscard]] std::string_view verdictName(CaseVerdict verdict);

/// One part of a case: "eager", "mutations", "mutations_and_views".
struct PartReport {
    std::string part;
    CaseVerdict verdict = CaseVerdict::Passed;
    std::string reason; ///< empty only where passed
};

struct CaseReport {
    std::string name;
    std::string kind;
    std::vector<PartReport> parts;

    /// The worst of the parts: failed, declined, skipped, passed.
    [[nodiscard]] CaseVerdict verdict() const;
    /// "mutations: ..." of the first part with that verdict.
    [[nodiscard]] std::string reason() const;
};

struct JudgeOptions {
    /// Judge by PyTorch's own graphs and errors, also where they part from eager.
    bool faithful = false;
    /// Folder with NAME.dsteps for each case of kind dynamo_program: its program, recorded. Empty: they are
    /// skipped.
    std::string recordings;
    CallOptions call;
};

/// Judges the text of one case file; `label` names it if the case does not. Anything that is no case fails.
[[nodiscard]] CaseReport judgeCase(Client& engine, std::string_view text, const std::string& label,
                                   const JudgeOptions& options = {});

} // namespace dynascope::engine
