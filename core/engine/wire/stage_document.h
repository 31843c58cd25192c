// SPDX-License-Identifier: BSD-3-Clause
//
// What a session file keeps of a computed stage besides its graph: how it was made, all that the engine said
// of it, and the verdict. Text, so that core/store needs to know nothing of it.
#pragma once

#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"

#include <optional>

namespace dynascope::wire {

/// Rises when an older reader would misread a document. Version 0 had no number: the engine's replies of that
/// day, as they came.
inline constexpr int stageDocumentVersion = 1;

/// Where a derived stage comes from.
struct DerivedFrom {
    std::string stage; ///< the captured stage that it is held against, with k and attempt its address
    int k = 0, attempt = 0;
    double microseconds = 0; ///< that deriving it took
};

struct StageDocument {
    std::vector<std::string> passes;                     ///< from the root on; none of a derived stage
    bool removesViews = false, callerWritesBack = false; ///< the mode of the functionalization among them
    bool removed = false;                                ///< hidden: kept for what was made of it
    std::optional<DerivedFrom> derived;
    std::optional<PassReply> reply;    ///< of the last pass
    std::optional<ExecuteReply> eager; ///< of the graph that it was made of, node by node
};

/// The graph of `reply` is left out: it is stored beside the document.
[[nodiscard]] std::string writeStageDocument(const StageDocument& document);
/// Reads every version, from a stranger's file too; `graph` becomes that of the reply. An Error for one that
/// a newer program wrote, and for one that is damaged.
[[nodiscard]] Result<StageDocument> readStageDocument(const std::string& text, const std::string& graph);

/// What was found when a computed stage was held against eager, or a derived one against its twin.
struct VerdictDocument {
    struct Parting {
        std::string node, nodeFrom; ///< of the computed graph and of its source
        std::string expected, actual, text;
    };
    std::string verdict; ///< a verdictName(), or "not run"
    std::string text, node, nodeFrom;
    bool isomorphic = false;
    std::string twin;                     ///< label of the captured stage that it is isomorphic to
    std::vector<std::string> differences; ///< whole sentences
    Parting parting;
};

[[nodiscard]] std::string writeVerdictDocument(const VerdictDocument& document);
[[nodiscard]] Result<VerdictDocument> readVerdictDocument(const std::string& text);

} // namespace dynascope::wire
