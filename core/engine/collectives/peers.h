// SPDX-License-Identifier: BSD-3-Clause
//
// Process groups of c10d whose ranks live in this process. PyTorch's own `_c10d_functional` operators look up a
// process group by its name and hand their tensors to its backend; here the backend is ours, and what the other ranks
// give comes from Peers: another thread's, or the same as this rank's. Nothing leaves the process.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::engine {

/// What all ranks of a group have to say alike.
struct CollectiveCall {
    std::string group;      ///< its name, "0"
    std::string kind;       ///< "all_reduce"
    std::string reduction;  ///< "sum"; empty where the kind has none
    std::int64_t root = -1; ///< of a broadcast
    bool sameShapes = true; ///< whether every rank gives tensors of the same sizes
    friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

/// What one rank gives.
struct Contribution {
    std::vector<at::Tensor> tensors; ///< on the CPU
    /// Of all_to_all_single: how many rows go to each rank; empty: as many to each.
    std::vector<std::int64_t> splits;
};

/// The ranks of a group, as one of them sees them.
class Peers {
public:
    Peers() = default;
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;
    virtual ~Peers() = default;
    /// What every rank of the group gives to this call, by rank in the group; returns when all have. The caller may
    /// write to what it gave as soon as this has returned, not to what it got. Throws c10::Error where the ranks do
    /// not fit together.
    [[nodiscard]] virtual std::vector<Contribution> exchange(const CollectiveCall& call,
                                                             Contribution given) = 0;
};

/// A process group under that name, for as long as it lives: in the registry of the whole process or, where
/// ThreadsAreRanks lives, in that of the thread that makes it, which then has to destroy it. Throws c10::Error
/// where a group has that name already.
class SimulatedGroup {
public:
    SimulatedGroup(std::string name, int rank, int size, std::unique_ptr<Peers> peers);
    SimulatedGroup(const SimulatedGroup&) = delete;
    SimulatedGroup& operator=(const SimulatedGroup&) = delete;
    ~SimulatedGroup();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Whether a process group has that name, whoever made it.
[[nodiscard]] bool hasProcessGroup(const std::string& name);

[[nodiscard]] bool threadsAreRanks();
/// While it lives, each thread has process groups of its own. One at a time; the process must run nothing else
/// that calls collectives.
class ThreadsAreRanks {
public:
    ThreadsAreRanks();
    ThreadsAreRanks(const ThreadsAreRanks&) = delete;
    ThreadsAreRanks& operator=(const ThreadsAreRanks&) = delete;
    ~ThreadsAreRanks();
};

} // namespace dynascope::engine
