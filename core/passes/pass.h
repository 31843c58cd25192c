// SPDX-License-Identifier: BSD-3-Clause
//
// The public interface of passes: what one is given, what it hands back, and how it tells, node by node, what
// it did. Free of Qt and LibTorch; a pass that needs LibTorch lives in core/engine/passes and finds its
// tensors behind PassState::values.
#pragma once

#include "core/base/task.h"
#include "core/ir/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace dynascope::passes {

/// What a pass did with one node of its source graph. A pass works through the source in order and writes the
/// result in order, so the result so far is always a prefix.
struct Step {
    /// A node of the result and why it is there, in a few words: "operator", "carries the write to the base".
    struct Emitted {
        ir::NodeIndex node = ir::npos;
        std::string_view why; ///< static text
    };
    /// The source's node in a new form: what changed and why.
    struct Changed {
        ir::NodeIndex before = ir::npos, after = ir::npos;
        std::string why;
    };
    /// A node of the source that the result lacks; `replacement` is the result's node that its readers now
    /// read.
    struct Removed {
        ir::NodeIndex before = ir::npos;
        ir::NodeIndex replacement = ir::npos; ///< npos where nothing reads it
        std::string why;
    };

    ir::NodeIndex source = ir::npos; ///< npos: work for the graph as a whole
    ir::NodeIndex end = 0;           ///< size of the result after this step
    std::vector<Emitted> emitted;
    std::vector<Changed> changed;
    std::vector<Removed> removed;
    std::string why; ///< one sentence about the step; empty where the node passed through untouched
};

/// Hears of each step as it is made. Called on the pass's own thread.
class PassObserver {
public:
    virtual ~PassObserver() = default;
    virtual void onStep(Step step) = 0;
};

/// Values that belong to a graph and that only the engine can look into.
class Values {
public:
    virtual ~Values() = default;
    /// The constants alone, for a graph that takes other inputs; null for none.
    [[nodiscard]] virtual std::shared_ptr<const Values> withoutInputs() const { return nullptr; }
};

/// More about each step than Step holds, such as functionalization's scorecard. Immutable.
class StepDetails {
public:
    virtual ~StepDetails() = default;
    /// Adds members to the JSON object of steps[step].
    virtual void describe(std::size_t step, nlohmann::json& into) const = 0;
    /// Adds members to the JSON object of the whole pass.
    virtual void describeAll(nlohmann::json& into) const = 0;
};

/// Why a pass made nothing.
struct PassError {
    std::string message;           ///< one line: the cause
    ir::NodeIndex node = ir::npos; ///< of the source graph, where it failed; npos where no node is to blame
    bool cancelled = false;
    std::string pass; ///< set by Pipeline
};
template <typename T>
using PassResult = tl::expected<T, PassError>;

/// What a pass takes and what it makes.
struct PassState {
    ir::GraphPtr graph;
    std::shared_ptr<const Values> values;       ///< constants and example inputs; null outside the engine
    std::shared_ptr<const StepDetails> details; ///< of the steps that made this state; may be null
    std::vector<std::string> warnings;          ///< known to be unsound here, or not sure; one sentence each
    std::vector<std::string> notes = {};        ///< what the result alone does not show; one sentence each
};

/// What running a node does beyond computing its value.
struct Effects {
    bool known = false;   ///< false: nobody knows this target; treat it as doing anything
    bool writes = false;  ///< changes an argument, or the world
    bool random = false;  ///< gives another value each time
    bool aliases = false; ///< its value shares memory with an argument
    [[nodiscard]] bool pure() const { return known && !writes && !random; }
};
using EffectsOf = std::function<Effects(const ir::Node&)>;

/// By the target's name and FX convention alone, for graphs without schemas at hand.
[[nodiscard]] Effects effectsByName(const ir::Node& node);

struct PassContext {
    std::map<std::string, std::string, std::less<>> options; ///< as NAME=VALUE on the command line
    EffectsOf effects = effectsByName;
    TaskContext task;

    /// The value of an option, or `fallback`.
    [[nodiscard]] std::string option(std::string_view name, const std::string& fallback) const;
};

/// Immutable and without state between runs: one object may run on several threads at once.
class Pass {
public:
    virtual ~Pass() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;        ///< "dce": what one types
    [[nodiscard]] virtual std::string_view description() const = 0; ///< one line
    /// Whether the result computes what the source does, so that the two can be held against each other.
    [[nodiscard]] virtual bool keepsValues() const { return true; }
    /// Leaves `source` as it is. Shares the nodes that it did not change with the result.
    [[nodiscard]] virtual PassResult<PassState> run(const PassState& source, const PassContext& context,
                                                    PassObserver& observer) const = 0;
};

} // namespace dynascope::passes
