// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/address_allocator.h"
#include "core/engine/replay/cpu_graph.h"
#include "core/engine/replay/graph_pool.h"
#include "core/engine/replay/pool_memory.h"
#include "core/engine/replay/recorder.h"
#include "core/engine/replay/tensor_memory.h"

#include <algorithm>
#include <c10/core/impl/alloc_cpu.h>
#include <set>

namespace dynascope::engine {

namespace {

using c10::IValue;
using Memory = std::shared_ptr<PoolMemory>;

/// Has a storage own the block that the pool gave it; what lies elsewhere stays as it is.
void own(const Memory& pool, c10::StorageImpl& storage) {
    const auto address = reinterpret_cast<std::uint64_t>(storage.data());
    if (!isArenaBlock(storage.data_ptr()) || !pool->contains(address)) return;
    storage._mutable_data_ptr_no_checks().release_context(); // it changes hands, nothing is given back
    storage.set_data_ptr_noswap(ownedBlock(pool, address));
}
void own(const Memory& pool, const std::vector<IValue>& results) {
    for (const IValue& result : results)
        forEachTensor(result, [&](const at::Tensor& tensor) {
            if (tensor.has_storage()) own(pool, *tensor.storage().unsafeGetStorageImpl());
        });
}

/// Memory of the pool, node by node as it is asked for.
class PoolSource final : public AllocationSource {
public:
    explicit PoolSource(PoolMemory& pool)
        : m_pool(pool) {}
    void beginNode() { m_releases = 0; }
    [[nodiscard]] const std::vector<AddressSite>& sites() const { return m_sites; }

    [[nodiscard]] c10::DataPtr allocate(std::size_t bytes) override {
        void* const data = m_pool.allocate(bytes);
        m_sites.push_back({bytes, m_releases, static_cast<char*>(data), false});
        return arenaBlock(data);
    }
    void release(void* data) override {
        ++m_releases;
        if (!m_pool.contains(reinterpret_cast<std::uint64_t>(data))) return c10::free_cpu(data);
        m_pool.release(reinterpret_cast<std::uint64_t>(data));
    }

private:
    PoolMemory& m_pool;
    std::vector<AddressSite> m_sites;
    std::uint32_t m_releases = 0;
};

std::vector<replay::PoolBlock> blocksOf(const std::vector<AddressSite>& sites) {
    std::vector<replay::PoolBlock> out;
    for (const AddressSite& site : sites)
        out.push_back({reinterpret_cast<std::uint64_t>(site.address), site.bytes});
    return out;
}

/// Notes which sites each node takes.
class SiteObserver final : public RunObserver {
public:
    SiteObserver(PoolSource& source, std::vector<std::size_t>& ends)
        : m_source(source)
        , m_ends(ends) {}
    void before(ir::NodeIndex node) override {
        m_ends.resize(node, m_source.sites().size());
        m_source.beginNode();
    }
    void after(ir::NodeIndex node, const IValue& /*value*/) override {
        m_ends.resize(node + 1, m_source.sites().size());
    }

private:
    PoolSource& m_source;
    std::vector<std::size_t>& m_ends;
};

/// Hands out the same sites again.
class ServingObserver final : public RunObserver {
public:
    ServingObserver(AddressServer& server, const std::vector<AddressSite>& sites,
                    const std::vector<std::size_t>& ends)
        : m_server(server)
        , m_sites(sites)
        , m_ends(ends) {}
    void before(ir::NodeIndex node) override {
        const std::size_t begin = node == 0 ? 0 : m_ends[node - 1];
        m_server.begin(std::span(m_sites).subspan(begin, m_ends[node] - begin));
    }
    void after(ir::NodeIndex node, const IValue& /*value*/) override {
        if (!m_server.end() && m_diverged == ir::npos) m_diverged = node;
    }
    [[nodiscard]] bool goesOn() const override { return m_diverged == ir::npos; }
    [[nodiscard]] ir::NodeIndex diverged() const { return m_diverged; }

private:
    AddressServer& m_server;
    const std::vector<AddressSite>& m_sites;
    const std::vector<std::size_t>& m_ends;
    ir::NodeIndex m_diverged = ir::npos;
};

class CpuPoolGraph final : public PoolGraph {
public:
    CpuPoolGraph(Memory pool, std::shared_ptr<const Program> program, std::vector<IValue> inputs,
                 Attributes attributes)
        : m_pool(std::move(pool))
        , m_program(std::move(program))
        , m_inputs(std::move(inputs))
        , m_attributes(std::move(attributes)) {}

    GraphPool::Results record(const TaskContext& task) {
        PoolSource source(*m_pool);
        SiteObserver observer(source, m_ends);
        const AllocationScope scope(source);
        auto results = run(*m_program, m_inputs, m_attributes, task, &observer);
        if (!results) return results;
        m_ends.resize(m_program->code.size(), source.sites().size());
        m_sites = source.sites();
        own(m_pool, *results);
        return results;
    }

    [[nodiscard]] tl::expected<void, RunError> replay(const TaskContext& task) override {
        const RunModes modes(false, true);
        AddressServer server(std::span(reinterpret_cast<char*>(m_pool->begin()), m_pool->capacity()));
        ServingObserver observer(server, m_sites, m_ends);
        const AllocationScope scope(server);
        const auto results = run(*m_program, m_inputs, m_attributes, task, &observer);
        if (!results) return tl::unexpected(results.error());
        if (const ir::NodeIndex node = observer.diverged(); node != ir::npos)
            return tl::unexpected(RunError{"it allocated otherwise than when it was recorded: what it makes "
                                           "depends on values, so it cannot be part of a CUDA graph",
                                           node, false});
        return {};
    }

    [[nodiscard]] std::vector<replay::PoolBlock> taken() const override { return blocksOf(m_sites); }

private:
    Memory m_pool;
    std::shared_ptr<const Program> m_program;
    std::vector<IValue> m_inputs;
    Attributes m_attributes;
    std::vector<AddressSite> m_sites;
    std::vector<std::size_t> m_ends; ///< by node: the end of its sites
};

class CpuCheckpoint final : public PoolCheckpoint {
public:
    explicit CpuCheckpoint(PoolMemory::Blocks blocks)
        : m_blocks(std::move(blocks)) {}
    [[nodiscard]] const PoolMemory::Blocks& blocks() const { return m_blocks; }

private:
    PoolMemory::Blocks m_blocks;
};

class CpuPool final : public GraphPool {
public:
    [[nodiscard]] std::string_view name() const override { return "cpu"; }
    [[nodiscard]] c10::Device device() const override { return c10::kCPU; }
    [[nodiscard]] std::shared_ptr<const Program>
    programFor(std::shared_ptr<const Program> program) const override {
        return program;
    }
    Results runEagerly(const Program& program, const std::vector<IValue>& inputs,
                       const Attributes& attributes, const TaskContext& task) override {
        const RunModes modes(false, true);
        return run(program, inputs, attributes, task);
    }
    Results warmUp(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
                   const TaskContext& task) override {
        const RunModes modes(false, true);
        PoolSource source(*m_memory);
        const AllocationScope scope(source);
        auto results = run(program, inputs, attributes, task);
        if (results) own(m_memory, *results);
        m_takenByWarmUp = blocksOf(source.sites());
        return results;
    }
    std::vector<replay::PoolBlock> takenByWarmUp() const override { return m_takenByWarmUp; }
    c10::Storage allocate(std::uint64_t bytes) override {
        const auto address = reinterpret_cast<std::uint64_t>(m_memory->allocate(bytes));
        return {c10::Storage::use_byte_size_t(), bytes, ownedBlock(m_memory, address), nullptr, false};
    }
    tl::expected<PoolRecording, RunError> record(std::shared_ptr<const Program> program,
                                                 std::vector<IValue> inputs, Attributes attributes,
                                                 const TaskContext& task) override {
        const RunModes modes(false, true);
        auto graph = std::make_unique<CpuPoolGraph>(m_memory, std::move(program), std::move(inputs),
                                                    std::move(attributes));
        auto results = graph->record(task);
        if (!results) return tl::unexpected(results.error());
        return PoolRecording{std::move(graph), std::move(*results)};
    }

    std::shared_ptr<const PoolCheckpoint> checkpoint() override {
        return std::make_shared<CpuCheckpoint>(m_memory->blocks());
    }
    Result<void> restore(const PoolCheckpoint& checkpoint, std::span<c10::StorageImpl* const> live,
                         std::span<const Address> freed) override {
        const auto& blocks = dynamic_cast<const CpuCheckpoint&>(checkpoint).blocks();
        std::set<std::uint64_t> owned;
        for (c10::StorageImpl* const storage : live) {
            const auto address = reinterpret_cast<std::uint64_t>(storage->data());
            if (!blocks.contains(address)) return failure("a live tensor lies in no block of the checkpoint");
            if (!owned.insert(address).second) return failure("two live storages lie in one block");
        }
        for (const auto& [address, block] : m_memory->blocks())
            if (const auto then = blocks.find(address); then == blocks.end() || !(then->second == block))
                return failure("memory of the pool is held by something that is no output of the path");
        m_memory->restore(blocks);
        for (c10::StorageImpl* const storage : live)
            if (!isOwnedBlock(storage->data_ptr()))
                storage->set_data_ptr_noswap(
                    ownedBlock(m_memory, reinterpret_cast<std::uint64_t>(storage->data())));
        for (const Address address : freed)
            m_memory->release(address);
        return {};
    }
    std::vector<Address> allocated() override {
        std::vector<Address> out;
        for (const auto& [address, block] : m_memory->blocks())
            out.push_back(address);
        return out;
    }
    std::vector<replay::PoolBlock> blocks() override {
        std::vector<replay::PoolBlock> out;
        for (const auto& [address, block] : m_memory->blocks())
            out.push_back({address, block.bytes});
        return out;
    }
    std::uint64_t reservedBytes() override { return m_memory->reservedBytes(); }

private:
    Memory m_memory = std::make_shared<PoolMemory>();
    std::vector<replay::PoolBlock> m_takenByWarmUp;
};

} // namespace

std::unique_ptr<GraphPool> makeCpuPool() {
    return std::make_unique<CpuPool>();
}

} // namespace dynascope::engine
