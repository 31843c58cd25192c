// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages: graphs that the engine made of captured ones, what it recorded on the way, and what
// holding them against eager or against PyTorch's own graph said. Values; those that are shared are
// immutable.
#pragma once

#include "core/computed/functional_recording.h"
#include "core/computed/placed_stage.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/pass.h"
#include "core/engine/wire/verify.h"
#include "core/rederive/rederived_stage.h"
#include "core/session/session.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::computed {

/// Where a computed stage and eager part.
struct Parting {
    std::string node, nodeFrom;   ///< of the computed graph, and of the graph that it was made from
    std::string expected, actual; ///< eager's value and the computed one, of the first cell that differs
    std::string text;             ///< the same in a sentence
};

/// What is known about a computed stage. Immutable but for the verification.
struct ComputedStage {
    session::StagePtr stage;
    session::StagePtr source;         ///< what it was made from
    session::StagePtr root;           ///< the stage that it all began with: a captured or a derived one
    std::vector<std::string> passes;  ///< from the root on; none for a derived stage, which is its own root
    session::StagePtr twin;           ///< of a derived stage: the captured one that it is held against
    FunctionalMode mode;              ///< of the functionalization among them, if any
    FunctionalRecordingPtr recording; ///< of the last pass, where that is functionalize
    std::string graphText;
    wire::Any attributes; ///< constants of the graph
    /// What the engine answered: to "pass", and to "execute" on the source. For session files; null where it
    /// was not asked.
    std::shared_ptr<const wire::PassReply> reply;
    std::shared_ptr<const wire::ExecuteReply> eager;
    double microseconds = 0;
    std::size_t nodesBefore = 0, nodesAfter = 0;
    std::vector<std::string> differences; ///< what verification found, in whole sentences
    Parting parting;                      ///< of a stage that is different
};

/// What a pass made, before anybody shares it: `stage` is complete but for `known.stage` and its k.
struct MadeStage {
    ComputedStage known;
    std::shared_ptr<session::Stage> stage;
    diff::Origins origins;
};
/// From the engine's reply to "pass". `asked` says what was asked for: source, root, passes and mode; `eager`
/// may be null, `program` empty. An error where the graph, or what it was made from, cannot be read. For a
/// worker: reads the graph's text.
[[nodiscard]] Result<MadeStage> madeStage(ComputedStage asked, std::shared_ptr<const wire::PassReply> reply,
                                          std::shared_ptr<const wire::ExecuteReply> eager,
                                          ProgramText program);

struct CheckedStage {
    StageVerdict verdict;
    std::vector<std::string> differences;
    Parting parting;
};
/// From a reply to "verify".
[[nodiscard]] CheckedStage checkedStage(const wire::VerifyReply& reply);

using engine::Rederivation;

/// "isomorphic", "equivalent", "different", "declined"; "differs" where another release made the capture.
[[nodiscard]] std::string rederivedWord(const engine::RederivedStage& row);
/// A sentence or two: the verdict, its reason, and what metadata says.
[[nodiscard]] std::string rederivedText(const Rederivation& said);

/// A stage for the graph that was derived for `twin`; `text` prints it.
[[nodiscard]] session::StagePtr derivedStage(const session::Stage& twin, ir::GraphPtr graph,
                                             const std::string& text);
/// What to show of a rederivation that has a graph: a stage that is its own root, made from `source`. Its
/// verdict is that of the rederivation.
[[nodiscard]] std::pair<ComputedStage, StageVerdict>
shownRederivation(const Rederivation& said, const session::StagePtr& twin, const session::StagePtr& source);

} // namespace dynascope::computed
