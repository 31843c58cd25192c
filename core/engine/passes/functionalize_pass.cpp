// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/functionalize_pass.h"

#include "core/engine/cells/functionalize_cells.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/deviations.h"
#include "core/engine/functionalize/scorecard_json.h"
#include "core/engine/passes/eager_check.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::engine {

namespace {

using passes::PassError;
using passes::PassState;
using passes::Step;

/// Before the reason, which is about PyTorch's functionalization and so not about the graph that is shown.
constexpr std::string_view overCells = "made over cells instead: ";

tl::unexpected<PassError> fail(std::string message) {
    return tl::unexpected(PassError{std::move(message), ir::npos, false, {}});
}

/// Kernels with out= may leave the strides of what they write out of account (gelu, avg_pool3d).
bool writesOut(const Program& program) {
    return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
        if (!instruction.op) return false;
        const auto& formals = instruction.op->schema().arguments();
        return std::any_of(formals.begin(), formals.end(),
                           [](const c10::Argument& formal) { return formal.is_out(); });
    });
}

/// What the step did, in a sentence.
std::string sentence(const Functionalized& result, const FunctionalStep& step) {
    std::size_t before = 0;
    std::size_t carried = 0;
    std::size_t after = 0;
    bool emitted = false;
    for (std::uint32_t i = step.firstEmitted; i < step.endEmitted; ++i) {
        const Emission why = result.emissions[i];
        if (why == Emission::Operator) emitted = true;
        if (why == Emission::Inverse) ++carried;
        if (why == Emission::Regeneration) ++(emitted ? after : before);
    }
    std::array<std::string_view, 4> parts; // empty: nothing to say
    if (before > 0) parts[0] = "reads a stale view, which is regenerated from its base first";
    if (step.endUpdate > step.firstUpdate) {
        const bool throughView = result.updates[step.firstUpdate].chain != 0;
        parts[1] = throughView ? "writes through a view: the new value is carried back to the base"
                               : "writes a base: its new value takes the place of the old";
    }
    if (carried > 0 && step.endUpdate == step.firstUpdate) parts[2] = "applies a pending write to the base";
    if (after > 0) parts[3] = "regenerates the view from the new base";
    std::size_t length = 0;
    for (const std::string_view part : parts)
        length += part.size() + 2;
    std::string out;
    if (length > 2 * parts.size()) out.reserve(length);
    for (const std::string_view part : parts) {
        if (!part.empty() && !out.empty()) out += "; ";
        out += part;
    }
    return out;
}

/// Steps that wrote the storage of each changed input, by the input's node.
std::map<ir::NodeIndex, std::vector<ir::NodeIndex>> writersOfInputs(const Functionalized& result,
                                                                    const ir::Graph& source) {
    std::map<std::uint32_t, std::vector<ir::NodeIndex>> writers; // by storage
    std::map<ir::NodeIndex, std::uint32_t> storageOf;
    for (const WriteBack& back : result.writeBacks) {
        const ir::NodeIndex input = source.find(back.name);
        const auto step = std::lower_bound(
            result.steps.begin(), result.steps.end(), input,
            [](const FunctionalStep& earlier, ir::NodeIndex node) { return earlier.source < node; });
        if (step == result.steps.end() || step->source != input || step->firstRow == step->endRow) continue;
        const std::uint32_t storage = result.rows[step->firstRow].storage;
        storageOf.emplace(input, storage);
        writers.try_emplace(storage);
    }
    for (const FunctionalStep& step : result.steps) {
        for (std::uint32_t i = step.firstUpdate; i < step.endUpdate; ++i) {
            const auto found = writers.find(result.updates[i].storage);
            if (found == writers.end()) continue;
            if (found->second.empty() || found->second.back() != step.source)
                found->second.push_back(step.source);
        }
    }
    std::map<ir::NodeIndex, std::vector<ir::NodeIndex>> out;
    for (const auto& [input, storage] : storageOf)
        out.emplace(input, writers.at(storage));
    return out;
}

/// "the whole storage of a, in which b lies too".
std::string destinationOf(const WriteBack& back) {
    std::string out = (back.wholeStorage ? "the whole storage of " : "") + back.name;
    for (std::size_t i = 0; i < back.sharedWith.size(); ++i)
        out += (i > 0 ? ", " : back.wholeStorage ? ", in which " : ", in whose memory ") + back.sharedWith[i];
    if (!back.sharedWith.empty()) out += back.sharedWith.size() == 1 ? " lies too" : " lie too";
    return out;
}

void report(const Functionalized& result, const ir::Graph& source, passes::PassObserver& observer) {
    const auto writers = writersOfInputs(result, source);
    for (const FunctionalStep& from : result.steps) {
        Step step;
        step.source = from.source;
        step.end = from.endEmitted;
        step.emitted.reserve(from.endEmitted - from.firstEmitted);
        for (std::uint32_t i = from.firstEmitted; i < from.endEmitted; ++i)
            step.emitted.push_back({i, wire::emissionName(result.emissions[i])});
        const bool last = &from == &result.steps.back();
        if (last && from.source < source.size() && source.node(from.source).op == ir::Op::Output) {
            // The writes become their functional forms and, together, what writes the input back.
            for (const WriteBack& back : result.writeBacks) {
                const auto found = writers.find(source.find(back.name));
                if (found == writers.end()) continue;
                for (const std::int32_t node : back.nodes)
                    for (const ir::NodeIndex writer : found->second)
                        step.changed.push_back({writer, static_cast<ir::NodeIndex>(node),
                                                "its value is written back into " + destinationOf(back)});
            }
        }
        step.why = sentence(result, from);
        observer.onStep(std::move(step));
    }
}

} // namespace

passes::PassResult<PassState> FunctionalizePass::run(const PassState& source,
                                                     const passes::PassContext& context,
                                                     passes::PassObserver& observer) const {
    const auto values = torchValues(source);
    if (!values) return tl::unexpected(values.error());
    const std::shared_ptr<const Program> program = (*values)->program(source.graph);
    if (auto obstacle = obstacleOf(*program)) return tl::unexpected(std::move(*obstacle));
    FunctionalizeOptions options;
    const std::string remove = context.option("remove", "mutations");
    if (remove != "mutations" && remove != "mutations_and_views")
        return fail("functionalize removes 'mutations' or 'mutations_and_views', not '" + remove + "'");
    options.remove = remove == "mutations" ? Remove::Mutations : Remove::MutationsAndViews;
    const std::string writeBack = context.option("write_back", "graph");
    if (writeBack != "graph" && writeBack != "caller")
        return fail("the write-back is done by 'graph' or 'caller', not '" + writeBack + "'");
    options.writeBack = writeBack == "graph" ? WriteBackBy::Graph : WriteBackBy::Caller;
    options.cells = context.option("cells", "no") == "yes";
    options.detachConstants = context.option("detach_constants", "no") == "yes";

    // PyTorch's graph, but where it is seen not to do what eager does.
    const bool faithful = context.option("faithful", "no") == "yes";
    PassState after;
    bool byCells = false;
    const auto makeOverCells = [&] {
        byCells = true;
        return functionalizeCells(*program, (*values)->freshInputs(), (*values)->attributes(), options,
                                  context.task);
    };
    auto result = functionalize(*program, (*values)->freshDistinctInputs(), (*values)->attributes(), options,
                                context.task);
    if (!faithful && !(result ? false : result.error().cancelled)) {
        after.warnings =
            knownDeviations(*program, (*values)->inputs(), options.remove == Remove::MutationsAndViews);
        if (!result) {
            // PyTorch refuses what eager may allow, such as a write through windows that could overlap.
            if (after.warnings.empty())
                after.warnings.push_back("PyTorch refuses this program: " + result.error().message);
            auto again = makeOverCells();
            if (again) result = std::move(again);
        } else if (!after.warnings.empty() || writesOut(*program)) {
            const EagerCheck check = checkAgainstEager(*program, *result, **values, context.task);
            if (check.agreement == EagerAgreement::Same) {
                after.warnings.clear();
            } else if (check.agreement == EagerAgreement::Differs || !after.warnings.empty()) {
                auto again = makeOverCells();
                const bool better =
                    !after.warnings.empty() ||
                    (again && checkAgainstEager(*program, *again, **values, context.task).agreement ==
                                  EagerAgreement::Same);
                byCells = better;
                if (better) result = std::move(again);
                if (check.agreement == EagerAgreement::Differs)
                    after.warnings.push_back(
                        (better ? "run beside eager, PyTorch's form differs: "
                                : "run beside eager it differs, and so does every other form: ") +
                        check.difference);
            }
        }
        if (byCells)
            for (std::string& why : after.warnings)
                why.insert(0, overCells);
    }
    if (!result)
        return tl::unexpected(passError(inEagersWords(result.error(), *program, (*values)->freshInputs(),
                                                      (*values)->attributes(), context.task)));
    report(*result, *source.graph, observer);
    after.graph = result->graph;
    after.values = (*values)->with(result->attributes);
    after.details = std::make_shared<const ScorecardDetails>(
        source.graph, std::make_shared<const Functionalized>(std::move(*result)),
        byCells ? "cells" : "pytorch");
    return after;
}

} // namespace dynascope::engine
