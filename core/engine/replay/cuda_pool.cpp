// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cuda_pool.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using c10::IValue;

void setDevice(Operand& operand, c10::Device device) {
    if (operand.constant.isDevice()) operand.constant = device;
    for (Operand& item : operand.items)
        setDevice(item, device);
}

/// What makes a tensor of nothing makes it on the CPU unless it is told a device.
void setDeviceOfNew(Instruction& instruction, c10::Device device) {
    if (!instruction.op) return;
    const auto& formals = instruction.op->schema().arguments();
    for (const c10::Argument& formal : formals)
        if (formal.real_type()->str().find("Tensor") != std::string::npos) return;
    for (std::size_t i = 0; i < std::min(formals.size(), instruction.operands.size()); ++i)
        if (formals[i].name() == "device" && instruction.operands[i].constant.isNone())
            instruction.operands[i].constant = device;
}

/// Prims take the device of their tensors, and those that make tensors of nothing are told one.
bool staysOnTheDevice(std::string_view target) {
    return target.starts_with("torch.ops.prims.");
}

/// A backward of fused attention with dropout whose seed comes from another graph.
bool readsSeedOfAnother(const Program& program, const Instruction& instruction) {
    if (!instruction.op) return false;
    const auto& formals = instruction.op->schema().arguments();
    bool given = false, drops = false;
    for (std::size_t i = 0; i < std::min(formals.size(), instruction.operands.size()); ++i) {
        const Operand& operand = instruction.operands[i];
        if (formals[i].name() == "philox_seed")
            given = operand.kind == Operand::Kind::Value &&
                    program.code[operand.node].kind == Instruction::Kind::Input;
        if (formals[i].name() == "dropout_p")
            drops = !operand.constant.isDouble() || operand.constant.toDouble() > 0;
    }
    return given && drops;
}

class CudaPoolGraph final : public PoolGraph {
public:
    /// `attributes` are read by the graph, so they live as long as it does.
    CudaPoolGraph(std::unique_ptr<CudaCapture> capture, Attributes attributes)
        : m_capture(std::move(capture))
        , m_attributes(std::move(attributes)) {}
    [[nodiscard]] tl::expected<void, RunError> replay(const TaskContext& task) override {
        if (task.cancelled()) return tl::unexpected(RunError{"cancelled", ir::npos, true});
        try {
            m_capture->launch();
            return {};
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
    }

private:
    std::unique_ptr<CudaCapture> m_capture;
    Attributes m_attributes;
};

class CudaGraphPool final : public GraphPool {
public:
    explicit CudaGraphPool(std::shared_ptr<CudaDevice> device)
        : m_device(std::move(device))
        , m_pool(m_device->pool()) {}

    [[nodiscard]] std::string_view name() const override { return "cuda"; }
    [[nodiscard]] c10::Device device() const override { return m_device->device(); }
    [[nodiscard]] std::optional<RunError> refusal(const Program& program) const override {
        return cudaRefusal(program);
    }
    [[nodiscard]] std::shared_ptr<const Program>
    programFor(std::shared_ptr<const Program> program) const override {
        return programOn(*program, m_device->device());
    }

    Results runEagerly(const Program& program, const std::vector<IValue>& inputs,
                       const Attributes& attributes, const TaskContext& task) override {
        return guarded([&]() -> Results {
            auto results = run(program, inputs, attributes, task);
            m_device->synchronize();
            return results;
        });
    }
    Results warmUp(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
                   const TaskContext& task) override {
        return guarded([&]() -> Results {
            Results results;
            m_pool->within([&] { results = run(program, inputs, attributes, task); });
            return results;
        });
    }
    c10::Storage allocate(std::uint64_t bytes) override {
        c10::Storage out;
        m_pool->within([&] {
            out = at::empty({static_cast<std::int64_t>(bytes)},
                            at::TensorOptions(at::kByte).device(m_device->device()))
                      .storage();
        });
        return out;
    }
    tl::expected<PoolRecording, RunError> record(std::shared_ptr<const Program> program,
                                                 std::vector<IValue> inputs, Attributes attributes,
                                                 const TaskContext& task) override {
        try {
            m_device->synchronize();
            std::unique_ptr<CudaCapture> capture = m_pool->capture();
            CaptureObserver observer(*capture);
            auto results = run(*program, inputs, attributes, task, &observer);
            if (!results) return tl::unexpected(results.error());
            capture->end();
            capture->launch(); // what was captured has not run yet
            return PoolRecording{std::make_unique<CudaPoolGraph>(std::move(capture), std::move(attributes)),
                                 std::move(*results)};
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
    }

    std::shared_ptr<const PoolCheckpoint> checkpoint() override { return m_pool->checkpoint(); }
    Result<void> restore(const PoolCheckpoint& checkpoint, std::span<c10::StorageImpl* const> live,
                         std::span<const Address> freed) override {
        m_device->synchronize(); // nothing may still read what is given back
        return m_pool->restore(checkpoint, live, freed);
    }
    std::vector<Address> allocated() override { return m_pool->allocated(); }
    std::uint64_t reservedBytes() override {
        std::uint64_t out = 0;
        for (const PoolSegment& segment : m_pool->segments())
            out += segment.bytes;
        return out;
    }

private:
    template <typename Body>
    Results guarded(const Body& body) {
        const at::AutoGradMode noGrad(false);
        try {
            return body();
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), ir::npos, false});
        }
    }

    std::shared_ptr<CudaDevice> m_device;
    std::unique_ptr<CudaPool> m_pool;
};

} // namespace

std::unique_ptr<GraphPool> makeCudaPool(std::shared_ptr<CudaDevice> device) {
    return std::make_unique<CudaGraphPool>(std::move(device));
}

std::shared_ptr<const Program> programOn(const Program& program, c10::Device device) {
    auto out = std::make_shared<Program>(program);
    for (Instruction& instruction : out->code) {
        for (Operand& operand : instruction.operands)
            setDevice(operand, device);
        setDeviceOfNew(instruction, device);
    }
    return out;
}

std::optional<RunError> cudaRefusal(const Program& program) {
    for (ir::NodeIndex i = 0; i < program.code.size(); ++i) {
        const Instruction& instruction = program.code[i];
        const ir::Node& node = program.graph->node(i);
        if (instruction.kind == Instruction::Kind::Function && !staysOnTheDevice(node.target))
            return RunError{
                node.target +
                    " is a torch-level call, which runs on the CPU only: replay a stage of operators",
                i, false};
        if (readsSeedOfAnother(program, instruction))
            return RunError{
                node.target +
                    " reads on the host the seed of its dropout, which a captured forward leaves on the GPU",
                i, false};
    }
    return std::nullopt;
}

bool drawsNumbers(const Program& program) {
    for (ir::NodeIndex i = 0; i < program.code.size(); ++i) {
        const Instruction& instruction = program.code[i];
        if (instruction.op && instruction.op->hasTag(at::Tag::nondeterministic_seeded)) return true;
        const std::string_view target = program.graph->node(i).target;
        if (target.starts_with("torch.ops.prims.inductor_seed") ||
            target.starts_with("torch.ops.prims.inductor_rand"))
            return true;
    }
    return false;
}

} // namespace dynascope::engine
