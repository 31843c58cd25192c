// SPDX-License-Identifier: BSD-3-Clause
//
// A graph recorded on the CPU, and its replay at planned addresses.
#pragma once

#include "core/engine/replay/backend.h"
#include "core/engine/replay/bound_call.h"
#include "core/engine/replay/classify.h"
#include "core/engine/replay/input_content.h"
#include "core/engine/replay/run_modes.h"
#include "core/engine/sandbox/argument_checks.h"

#include <optional>

namespace dynascope::engine {

/// Whether a node of this mode runs at the addresses of the plan.
[[nodiscard]] bool isPlanned(replay::NodeMode mode);

class CpuGraph final : public RecordedGraph {
public:
    /// `first` and `second` are two traces of the program on these inputs.
    CpuGraph(RecordRequest request, InputContent content, RunTrace first, const RunTrace& second,
             int threads);
    ~CpuGraph() override;

    /// Replays until no address differs from the recording. Fails where the program does.
    [[nodiscard]] RunStatus tryOut(const TaskContext& task);
    void setRecordTime(double us) { m_recording.recordUs = us; }

    [[nodiscard]] const replay::ReplayRecording& recording() const override { return m_recording; }
    [[nodiscard]] const Program& program() const override { return *m_request.program; }
    [[nodiscard]] const std::vector<c10::IValue>& inputs() const override { return m_request.inputs; }
    void rewind() override { m_content.restore(); }
    [[nodiscard]] RunStatus replay(const TaskContext& task, const ReplayWatch& watch) override;
    [[nodiscard]] std::vector<c10::IValue> outputs() const override;
    [[nodiscard]] tl::expected<std::vector<c10::IValue>, RunError>
    runEagerly(const TaskContext& task) override;
    [[nodiscard]] std::vector<at::Tensor> writtenStorages() const override { return m_content.written(); }
    [[nodiscard]] std::uint64_t allocatorCalls() const override;
    [[nodiscard]] const std::vector<replay::Divergence>& divergences() const override {
        return m_divergences;
    }

private:
    struct Step {
        ir::NodeIndex node = 0;
        replay::NodeMode mode = replay::NodeMode::Planned;
        bool checksShape = false; ///< its operator's result depends on values
        std::vector<c10::IValue> args;
        CallCheck check; ///< of `args` before each call
        /// The call with `args`, where there is a shorter way.
        std::unique_ptr<BoundCall> bound;
        bool inPlace = false; ///< `bound` writes its result where it lies at every replay
        std::span<const AddressSite> sites;
        std::vector<ir::NodeIndex> drops; ///< fresh values that nobody reads after it
        std::vector<std::uint64_t> frees; ///< offsets in the arena that the plan has back after it
    };

    void plan();
    void planDeaths();
    void makeValues();
    void makeSteps();
    [[nodiscard]] at::Tensor slot(const TensorShell& shell);
    /// Runs one step; false if it parted from the recording, and then m_values holds what it gave.
    bool runPlanned(Step& step);
    void bind(Step& step, const c10::OperatorHandle& op) const;
    bool runCalled(const Step& step, const torch_level::Context& context);
    void diverge(ir::NodeIndex node, const std::string& why);
    [[nodiscard]] c10::IValue outOfArena(const c10::IValue& value) const;
    /// Planned nodes whose results lay elsewhere than recorded in the last replay become Called.
    void checkAddresses(const Step& step);

    RecordRequest m_request;
    InputContent m_content;
    RunTrace m_trace;
    std::vector<Decision> m_decisions;
    int m_threads;
    bool m_inference;
    replay::ReplayRecording m_recording;
    std::unique_ptr<char, void (*)(char*)> m_arena;
    std::vector<AddressSite> m_sites;                           ///< by entry of the trace, sorted by node
    std::vector<std::pair<std::size_t, std::size_t>> m_sitesOf; ///< by node: begin and count in m_sites
    /// By node: entries that die there, temporaries left out
    std::vector<std::vector<std::size_t>> m_deathsAt;
    std::vector<std::uint64_t> m_survivors; ///< offsets that results hold until the next replay
    std::optional<AddressServer> m_server;
    std::vector<c10::Storage> m_storages; ///< by entry; those that a slot needs
    Values m_values;
    std::vector<Step> m_steps;
    torch::jit::Stack m_stack;
    std::vector<replay::Divergence> m_divergences;
    std::string m_reason; ///< why the last step diverged
    std::uint64_t m_replays = 0, m_otherCalls = 0;
    bool m_tryingOut = false;
    std::vector<ir::NodeIndex> m_elsewhere; ///< while trying out
};

} // namespace dynascope::engine
