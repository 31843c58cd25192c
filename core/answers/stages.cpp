// SPDX-License-Identifier: BSD-3-Clause
//
// Whether stages that were derived again are those that PyTorch captured.
#include "core/answers/parts.h"

#include "core/base/words.h"

#include <algorithm>
#include <array>

namespace dynascope::answers {

bool isDerivable(const session::Stage& stage) {
    static constexpr std::array<std::string_view, 4> names{"aot_joint_graph", "aot_inference_graph",
                                                           "aot_forward_graph", "aot_backward_graph"};
    return stage.content == session::Stage::Content::Graph &&
           std::find(names.begin(), names.end(), stage.name) != names.end();
}

namespace {

/// "2 have the operators, arguments and results that PyTorch captured, 1 declined with a reason."
std::string verdictsOf(const StageChecks& checks) {
    std::string out;
    const auto add = [&out](std::size_t stages, const std::string& one, const std::string& many) {
        if (stages > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(stages) + ' ' + (stages == 1 ? one : many);
    };
    const std::string captured = " the operators, arguments and results that PyTorch captured";
    add(checks.isomorphic, "has" + captured, "have" + captured);
    add(checks.equivalent, "computes the same numbers in another form",
        "compute the same numbers in another form");
    add(checks.declined, "declined with a reason", "declined with a reason");
    return out + '.';
}

} // namespace

Answer stagesAnswer(const session::Session& session, const StageChecks& checks) {
    Answer out;
    out.question = Question::Stages;
    std::size_t derivable = checks.stages;
    if (derivable == 0)
        for (const session::Compile& compile : session.compiles)
            for (const session::StagePtr& stage : compile.stages)
                derivable += isDerivable(*stage) ? 1 : 0;
    if (derivable == 0)
        return detail::notHere(Question::Stages,
                               "This capture has no stage of AOTAutograd that could be derived again from "
                               "the one before it.");
    const std::size_t good = checks.isomorphic + checks.equivalent;
    if (checks.checked() == 0 && !checks.running) {
        out = detail::notHere(
            Question::Stages,
            (checks.trouble.empty() ? std::string() : detail::sentenceOf(checks.trouble) + ' ') +
                "Not checked: none of " + count(derivable, "graph") +
                " of AOTAutograd's was derived again and compared with the captured one. "
                "The engine does that.",
            "dynascope-cli rederive CAPTURE");
        return out;
    }
    out.figure = std::to_string(good);
    out.of =
        "of " + count(derivable, "stage") +
        (checks.equivalent > 0 ? " derived again, alike or equal in numbers" : " derived again as captured");
    out.picture = Picture::Cells;
    out.axis = checks.declined > 0 ? "Each derived stage; of those declined, in yellow, nothing is said"
                                   : "Each derived stage";
    out.items = checks.cells;
    if (checks.running) {
        out.standing = Standing::Checking;
        out.sentence = std::to_string(checks.checked()) + " of " + std::to_string(derivable) + " checked; " +
                       (checks.different > 0 ? std::to_string(checks.different) + " different so far."
                                             : "none is different so far.");
    } else if (checks.different > 0) {
        out.standing = Standing::Change;
        out.sentence = count(checks.different, "stage") + (checks.different == 1 ? " differs" : " differ") +
                       " from what was derived again: " + checks.firstDifferent;
        out.proof = checks.first;
    } else if (checks.notDerived > 0 || checks.checked() < derivable) {
        out.standing = Standing::Know;
        out.sentence = (checks.declined > 0 ? std::to_string(checks.declined) + " declined with a reason, "
                                            : std::string()) +
                       std::to_string(derivable - good - checks.declined) + " of " +
                       count(derivable, "stage") + " could not be checked" +
                       (checks.trouble.empty() ? "." : ": " + detail::sentenceOf(checks.trouble));
    } else {
        out.standing = checks.declined > 0 ? Standing::Know : Standing::InOrder;
        out.sentence = verdictsOf(checks);
    }
    // A verdict that is not simply good says more than the others.
    if (out.proof.isEmpty() && !out.items.empty()) {
        const auto said = std::ranges::find_if(
            out.items, [](const Item& item) { return item.meaning != Item::Meaning::Good; });
        out.proof = (said == out.items.end() ? out.items.front() : *said).target;
    }
    out.note = "Of AOTAutograd's joint, inference, forward and backward graphs, each derived from the stage "
               "before it; "
               "Inductor's passes are not among them.";
    detail::keepFirst(out, detail::mostCells);
    return out;
}

} // namespace dynascope::answers
