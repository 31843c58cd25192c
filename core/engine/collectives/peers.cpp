// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/collectives/peers.h"

#include "core/engine/memory/allocation_source.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <atomic>
#include <numeric>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace dynascope::engine {

namespace {

using at::Tensor;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Sizes = std::vector<std::int64_t>;

/// Done before it is handed out.
class DoneWork final : public c10d::Work {
public:
    bool isCompleted() override { return true; }
    bool isSuccess() const override { return true; }
    bool wait(std::chrono::milliseconds /*timeout*/) override { return true; }
};

std::string reductionName(const c10d::ReduceOp& op) {
    using Kind = c10d::ReduceOp::RedOpType;
    switch (static_cast<Kind>(op)) {
    case Kind::SUM:
        return "sum";
    case Kind::AVG:
        return "avg";
    case Kind::PRODUCT:
        return "product";
    case Kind::MIN:
        return "min";
    case Kind::MAX:
        return "max";
    case Kind::BAND:
        return "band";
    case Kind::BOR:
        return "bor";
    case Kind::BXOR:
        return "bxor";
    default:
        TORCH_CHECK(false, "a reduction that a simulation does not know");
    }
}

void reduceInto(Tensor& out, const Tensor& next, const std::string& reduction) {
    if (reduction == "sum" || reduction == "avg") {
        out.add_(next);
    } else if (reduction == "product") {
        out.mul_(next);
    } else if (reduction == "min") {
        out = at::minimum(out, next);
    } else if (reduction == "max") {
        out = at::maximum(out, next);
    } else if (reduction == "band") {
        out = at::bitwise_and(out, next);
    } else if (reduction == "bor") {
        out = at::bitwise_or(out, next);
    } else {
        out = at::bitwise_xor(out, next);
    }
}

/// Rank by rank, in the order of the ranks. Floating-point sums depend on that order, and backends choose their own.
Tensor reduced(const std::vector<Contribution>& all, std::size_t item, const std::string& reduction) {
    Tensor out = all.front().tensors.at(item).clone();
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        reduceInto(out, all[rank].tensors.at(item), reduction);
    if (reduction != "avg") return out;
    const auto size = static_cast<std::int64_t>(all.size());
    return out.is_floating_point() || out.is_complex() ? out.div_(size) : out.div_(size, "trunc");
}

/// Rows of `whole` that belong to `rank`. `splits` tells how many each has; where it is empty, all have as many.
Tensor rowsOf(const Tensor& whole, const Sizes& splits, std::size_t rank, std::size_t ranks) {
    if (splits.empty()) {
        const auto n = static_cast<std::int64_t>(ranks);
        TORCH_CHECK(whole.dim() > 0 && whole.size(0) % n == 0, "the first dimension of ", whole.sizes(),
                    " cannot be dealt out to ", n, " ranks");
        const std::int64_t rows = whole.size(0) / n;
        return whole.narrow(0, static_cast<std::int64_t>(rank) * rows, rows);
    }
    TORCH_CHECK(splits.size() == ranks, splits.size(), " split sizes for ", ranks, " ranks");
    const auto begin = splits.begin();
    const std::int64_t start =
        std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(rank), std::int64_t{0});
    return whole.narrow(0, start, splits[rank]);
}

class SimulatedBackend final : public c10d::Backend {
public:
    SimulatedBackend(int rank, int size, std::string group, std::unique_ptr<Peers> peers)
        : Backend(rank, size)
        , m_group(std::move(group))
        , m_peers(std::move(peers)) {}

    const std::string getBackendName() const override { return "simulated"; }

    WorkPtr allreduce(std::vector<Tensor>& tensors, const c10d::AllreduceOptions& options) override {
        return reduceAll(tensors, options.reduceOp);
    }
    WorkPtr allreduce_coalesced(std::vector<Tensor>& tensors,
                                const c10d::AllreduceCoalescedOptions& options) override {
        return reduceAll(tensors, options.reduceOp);
    }
    WorkPtr broadcast(std::vector<Tensor>& tensors, const c10d::BroadcastOptions& options) override {
        TORCH_CHECK(options.rootRank >= 0 && options.rootRank < size_, "broadcast from rank ",
                    options.rootRank, " of ", size_);
        const Below below;
        const auto all = exchange("broadcast", {}, {tensors, {}}, options.rootRank);
        const Contribution& root = all[static_cast<std::size_t>(options.rootRank)];
        for (std::size_t i = 0; i < tensors.size(); ++i)
            if (rank_ != options.rootRank) tensors[i].copy_(root.tensors.at(i));
        return done();
    }
    WorkPtr _allgather_base(Tensor& output, Tensor& input, const c10d::AllgatherOptions&) override {
        std::vector<Tensor> outputs{output}, inputs{input};
        return gatherAll(outputs, inputs);
    }
    WorkPtr allgather_into_tensor_coalesced(std::vector<Tensor>& outputs, std::vector<Tensor>& inputs,
                                            const c10d::AllgatherOptions&) override {
        return gatherAll(outputs, inputs);
    }
    WorkPtr _reduce_scatter_base(Tensor& output, Tensor& input,
                                 const c10d::ReduceScatterOptions& options) override {
        std::vector<Tensor> outputs{output}, inputs{input};
        return reduceScatterAll(outputs, inputs, options.reduceOp);
    }
    WorkPtr reduce_scatter_tensor_coalesced(std::vector<Tensor>& outputs, std::vector<Tensor>& inputs,
                                            const c10d::ReduceScatterOptions& options) override {
        return reduceScatterAll(outputs, inputs, options.reduceOp);
    }
    WorkPtr alltoall_base(Tensor& output, Tensor& input, Sizes& outputSplits, Sizes& inputSplits,
                          const c10d::AllToAllOptions&) override {
        const Below below;
        const auto all = exchange("all_to_all_single", {}, {{input}, inputSplits}, -1, false);
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            const Tensor sent = rowsOf(all[rank].tensors.front(), all[rank].splits,
                                       static_cast<std::size_t>(rank_), all.size());
            Tensor place = rowsOf(output, outputSplits, rank, all.size());
            TORCH_CHECK(sent.sizes() == place.sizes(), "rank ", rank, " of group '", m_group, "' sends ",
                        sent.sizes(), " where rank ", rank_, " expects ", place.sizes());
            place.copy_(sent);
        }
        return done();
    }

private:
    /// What the simulation itself needs is neither the program's memory nor of interest to its autograd; and what it
    /// hands over is given back by other threads.
    struct Below {
        UnrecordedMemory unrecorded;
        at::NoGradGuard noGrad;
        at::AutoDispatchBelowADInplaceOrView below;
    };

    static WorkPtr done() { return c10::make_intrusive<DoneWork>(); }

    std::vector<Contribution> exchange(std::string kind, std::string reduction, Contribution given,
                                       std::int64_t root = -1, bool sameShapes = true) {
        auto all = m_peers->exchange({m_group, std::move(kind), std::move(reduction), root, sameShapes},
                                     std::move(given));
        TORCH_CHECK(all.size() == static_cast<std::size_t>(size_), "group '", m_group, "' has ", size_,
                    " ranks, and ", all.size(), " gave something");
        return all;
    }

    WorkPtr reduceAll(std::vector<Tensor>& tensors, const c10d::ReduceOp& op) {
        const Below below;
        const std::string reduction = reductionName(op);
        const auto all = exchange("all_reduce", reduction, {tensors, {}});
        for (std::size_t i = 0; i < tensors.size(); ++i)
            tensors[i].copy_(reduced(all, i, reduction));
        return done();
    }

    WorkPtr gatherAll(std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
        const Below below;
        const auto all = exchange("all_gather_into_tensor", {}, {inputs, {}});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Tensor& input = inputs.at(i);
            TORCH_CHECK(outputs[i].numel() == input.numel() * size_ && outputs[i].is_contiguous(), "group '",
                        m_group, "' has ", size_, " ranks, and room is made for ", outputs[i].sizes(), " of ",
                        input.sizes());
            const Tensor flat = outputs[i].view(-1);
            for (std::size_t rank = 0; rank < all.size(); ++rank)
                flat.narrow(0, static_cast<std::int64_t>(rank) * input.numel(), input.numel())
                    .copy_(all[rank].tensors.at(i).reshape(-1));
        }
        return done();
    }

    WorkPtr reduceScatterAll(std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                             const c10d::ReduceOp& op) {
        const Below below;
        const std::string reduction = reductionName(op);
        const auto all = exchange("reduce_scatter_tensor", reduction, {inputs, {}});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            TORCH_CHECK(inputs.at(i).numel() == outputs[i].numel() * size_, "group '", m_group, "' has ",
                        size_, " ranks, and ", inputs[i].sizes(), " is dealt out as ", outputs[i].sizes());
            std::vector<Contribution> parts;
            for (const Contribution& one : all)
                parts.push_back({{one.tensors.at(i).reshape(-1).narrow(0, rank_ * outputs[i].numel(),
                                                                       outputs[i].numel())},
                                 {}});
            outputs[i].copy_(reduced(parts, 0, reduction).view(outputs[i].sizes()));
        }
        return done();
    }

    std::string m_group;
    std::unique_ptr<Peers> m_peers;
};

} // namespace

struct SimulatedGroup::Impl {
    std::string name;
    c10::intrusive_ptr<c10d::ProcessGroup> group;
};

SimulatedGroup::SimulatedGroup(std::string name, int rank, int size, std::unique_ptr<Peers> peers)
    : m_impl(std::make_unique<Impl>()) {
    using Type = c10d::ProcessGroup::BackendType;
    m_impl->group = c10::make_intrusive<c10d::ProcessGroup>(rank, size);
    const auto backend = c10::make_intrusive<SimulatedBackend>(rank, size, name, std::move(peers));
    // Tensors of a GPU are copied there, in the order of its stream, so that a CUDA graph can be captured of it.
    for (const c10::DeviceType device : {c10::DeviceType::CPU, c10::DeviceType::CUDA})
        m_impl->group->setBackend(device, Type::CUSTOM, backend);
    m_impl->group->setDefaultBackend(Type::CUSTOM);
    m_impl->group->setGroupName(name);
    c10d::register_process_group(name, m_impl->group);
    m_impl->name = std::move(name);
}

SimulatedGroup::~SimulatedGroup() {
    c10d::unregister_process_group(m_impl->name);
}

bool hasProcessGroup(const std::string& name) {
    try {
        return c10d::resolve_process_group(name).defined();
    } catch (const c10::Error&) {
        return false;
    }
}

namespace {

std::atomic<bool> isolated = false; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

} // namespace

bool threadsAreRanks() {
    return isolated;
}

ThreadsAreRanks::ThreadsAreRanks() {
    isolated = true;
    c10d::set_thread_isolation_mode(true);
}

ThreadsAreRanks::~ThreadsAreRanks() {
    c10d::set_thread_isolation_mode(false);
    isolated = false;
}

} // namespace dynascope::engine
