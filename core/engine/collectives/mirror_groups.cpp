// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/collectives/mirror_groups.h"

#include "core/engine/collectives/peers.h"

#include <map>
#include <mutex>

namespace dynascope::engine {

namespace {

class MirrorPeers final : public Peers {
public:
    explicit MirrorPeers(std::size_t size)
        : m_size(size) {}

    std::vector<Contribution> exchange(const CollectiveCall& /*call*/, Contribution given) override {
        // What is written to next is given by all of them.
        for (at::Tensor& tensor : given.tensors)
            tensor = tensor.clone();
        return {m_size, given};
    }

private:
    std::size_t m_size;
};

struct Group {
    std::int64_t size = 0;
    std::unique_ptr<SimulatedGroup> group;
};

} // namespace

void enterMirrorGroups(std::span<const ranks::GroupUse> groups) {
    if (groups.empty() || threadsAreRanks()) return;
    static std::mutex mutex;
    // Never destroyed: PyTorch's registry may be gone before it at the end of the process.
    static auto& entered = *new std::map<std::string, Group, std::less<>>;
    const std::lock_guard lock(mutex);
    for (const ranks::GroupUse& use : groups) {
        Group& group = entered[use.name];
        const bool known = group.group != nullptr;
        if (!known && hasProcessGroup(use.name)) continue; // somebody else's
        const std::int64_t size = use.size.value_or(known ? group.size : ranks::assumedGroupSize);
        if (size == group.size || size < 1 || size > ranks::mostGroupSize) continue;
        group.group.reset();
        group.size = size;
        group.group =
            std::make_unique<SimulatedGroup>(use.name, 0, static_cast<int>(size),
                                             std::make_unique<MirrorPeers>(static_cast<std::size_t>(size)));
    }
}

} // namespace dynascope::engine
