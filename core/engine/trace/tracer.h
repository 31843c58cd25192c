// SPDX-License-Identifier: BSD-3-Clause
//
// Records what reaches the dispatcher below functionalization and autograd. Tracer tensors carry
// DispatchKeySet({Fake, CPU}); Fake lies just below Functionalize and is free in a process without Python. A
// boxed fallback on it unwraps its arguments, runs the operator on the real tensors inside, wraps the results
// and appends a node to the Tape that is current on this thread.
#pragma once

#include "core/engine/exec/interpreter.h"
#include "core/engine/trace/fake_strides.h"
#include "core/ir/graph.h"
#include "core/passes/fx_names.h"

#include <ATen/core/Tensor.h>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::engine {

/// The nodes recorded so far, named as torch.fx names them. Not thread-safe.
class Tape {
public:
    /// Says, for each node about to be recorded, why it is: any number that means something to the caller.
    using Reason = std::function<std::uint8_t()>;

    explicit Tape(Reason reason = {});

    /// A graph input, and the tensor that stands for `value`; what is no tensor is given back as it is.
    [[nodiscard]] c10::IValue input(const std::string& name, const std::string& target,
                                    const c10::IValue& value);
    /// A node to fill and add. Neighbours share one allocation, which lives as long as any of them.
    [[nodiscard]] std::shared_ptr<ir::Node> makeNode();
    /// Appends a node named after `base`; returns its position.
    std::size_t add(std::shared_ptr<ir::Node> node, std::string_view base, std::int64_t source = -1);
    /// The graph argument that stands for a value: a node of this tape, a constant, or a new get_attr node
    /// for a tensor that came from nowhere.
    [[nodiscard]] ir::Argument argument(const c10::IValue& value, const c10::Type& type);
    /// Position of the node that made this tensor, or -1.
    [[nodiscard]] static std::int64_t nodeOf(const at::Tensor& tensor);

    /// The real tensor inside; any other tensor as it is.
    [[nodiscard]] static at::Tensor valueOf(const at::Tensor& tensor);

    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    [[nodiscard]] const ir::Node& node(std::int64_t position) const {
        return *m_nodes[static_cast<std::size_t>(position)];
    }
    /// Position of the node that made the first argument of a call, or -1.
    [[nodiscard]] std::int64_t sourceOf(std::int64_t position) const {
        return m_sources[static_cast<std::size_t>(position)];
    }
    /// A node for the graph under that name, which the recording keeps.
    [[nodiscard]] ir::Argument keep(const std::string& name, ir::GraphPtr graph);
    [[nodiscard]] bool hasSubgraph(const std::string& name) const;
    /// Result `index` of a node that is recorded by hand.
    [[nodiscard]] at::Tensor item(const at::Tensor& value, std::size_t node, std::int64_t index) {
        return wrapItem(value, node, index);
    }

    /// Ends the recording: the graph, placeholders first.
    [[nodiscard]] ir::GraphPtr finish(ir::Argument result);
    /// Ends the recording.
    [[nodiscard]] std::vector<std::shared_ptr<ir::Node>> takeNodes() { return std::move(m_nodes); }
    [[nodiscard]] const std::vector<std::uint8_t>& reasons() const { return m_reasons; }
    [[nodiscard]] const Attributes& attributes() const { return m_attributes; }
    /// The numbers that were read out of tensors, in order.
    [[nodiscard]] const std::vector<c10::IValue>& numbersRead() const { return m_numbersRead; }

    /// Records what composite operators are made of instead of themselves.
    void setDecomposing(bool on) { m_decomposing = on; }
    [[nodiscard]] bool decomposing() const { return m_decomposing; }
    /// Records operators whose order PyTorch keeps as with_effects, each on the token of the one before.
    /// Where there is no token, the first of them adds an input "tangents_token".
    void setThreadingEffects(bool on) { m_threadsEffects = on; }
    /// Makes a node the token of the next effect.
    void giveToken(std::size_t node) { m_token = node; }
    /// The last effect's token, or the one given, and none is there from then on.
    [[nodiscard]] std::optional<std::size_t> takeToken() { return std::exchange(m_token, std::nullopt); }
    /// Describes the value of each node that makes a tensor: dtype, sizes, strides.
    void setDescribing(bool on) { m_describing = on; }
    /// Lays results out in memory as PyTorch's fake tensors are laid out (fake_strides.h).
    void setLaidOutAsFake(bool on) { m_asFake = on; }
    /// Keeps a name for nameNext().
    void reserve(const std::string& name) { (void)m_names.create(name); }
    /// The next node gets this name; empty for one of its own.
    void nameNext(std::string name) { m_nextName = std::move(name); }

    /// What the fallback does. `stack` holds the arguments and takes the results.
    void record(const c10::OperatorHandle& op, torch::jit::Stack& stack);

private:
    [[nodiscard]] ir::Argument constantTensor(const at::Tensor& tensor);
    /// What the nodes of one operator have in common.
    struct Call {
        std::string target;
        std::string_view name; ///< static, or the schema's
        std::size_t positional = 0;
        bool writesFirst = false;
        CallCheck check;
        const StrideRule* strides = nullptr; ///< null: as the kernel lays results out
    };

    const Call& callOf(const c10::FunctionSchema& schema);
    void recordEffect(const c10::OperatorHandle& op, torch::jit::Stack& stack);
    [[nodiscard]] std::shared_ptr<ir::Node> callNode(const c10::FunctionSchema& schema, const Call& call,
                                                     const torch::jit::Stack& stack);
    void wrapResults(const c10::OperatorHandle& op, torch::jit::Stack& stack, std::size_t node);
    at::Tensor wrap(const at::Tensor& value, std::size_t node);
    at::Tensor wrapItem(const at::Tensor& value, std::size_t node, std::int64_t index);

    Reason m_reason;
    bool m_decomposing = false;
    bool m_describing = false;
    bool m_asFake = false;
    bool m_threadsEffects = false;
    std::optional<std::size_t> m_token;
    std::string m_nextName;
    passes::FxNames m_names;
    std::shared_ptr<std::array<ir::Node, 32>> m_block; ///< the next nodes; null at first
    std::size_t m_usedOfBlock = 0;
    std::vector<std::shared_ptr<ir::Node>> m_nodes; ///< none is null
    std::vector<std::uint8_t> m_reasons;
    std::vector<std::int64_t> m_sources;
    std::vector<std::pair<std::string, ir::GraphPtr>> m_subgraphs;
    Attributes m_attributes;
    std::vector<c10::IValue> m_numbersRead;
    std::unordered_map<const c10::TensorImpl*, std::string> m_attributeOf;
    std::unordered_map<const c10::FunctionSchema*, Call> m_calls;
};

/// Keys of a value that tensors standing for it have as well: what is conjugated or negated lazily is made
/// real before most operators, as PyTorch's traced tensors have it.
[[nodiscard]] c10::DispatchKeySet lazyKeys(const at::Tensor& value);

/// Whether PyTorch defines the operator by others, for every device.
[[nodiscard]] bool isComposite(const c10::OperatorHandle& op);

/// Tensors above those of the tracer, with the Fake key as well. Calls on them are handed on to it instead of
/// being recorded.
class UpperLevel {
public:
    UpperLevel() = default;
    UpperLevel(const UpperLevel&) = delete;
    UpperLevel& operator=(const UpperLevel&) = delete;
    virtual ~UpperLevel() = default;
    /// `stack` holds the arguments and takes the results.
    virtual void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) = 0;
};

/// Makes a level current on this thread; null: calls are recorded.
class UpperLevelGuard {
public:
    explicit UpperLevelGuard(UpperLevel* level);
    UpperLevelGuard(const UpperLevelGuard&) = delete;
    UpperLevelGuard& operator=(const UpperLevelGuard&) = delete;
    ~UpperLevelGuard();
    /// Whether any level is current.
    [[nodiscard]] static bool active();

private:
    UpperLevel* m_outer;
};

/// Makes a tape current on this thread. The dispatcher's fallback is a free function, so this is where it
/// finds it.
class TapeGuard {
public:
    explicit TapeGuard(Tape& tape);
    /// Null where there is none.
    [[nodiscard]] static Tape* current();
    TapeGuard(const TapeGuard&) = delete;
    TapeGuard& operator=(const TapeGuard&) = delete;
    ~TapeGuard();

private:
    Tape* m_outer;
};

} // namespace dynascope::engine
