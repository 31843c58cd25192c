// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's scheduler was asked and did with one graph: its nodes, each question whether two of them can be
// fused, the fusions in their order, and the kernels that came of them.
#pragma once

#include "core/inductor/node_ref.h"
#include "core/inductor/weighed_orders.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynascope::inductor {

/// A buffer that is read or written.
struct Access {
    std::string buffer;
    std::string kind;  ///< "MemoryDep", "StarDep", "WeakDep"
    std::string index; ///< over c0, c1, ...; of MemoryDep only
};

struct SchedulerNode {
    std::uint32_t id = 0;
    std::string name; ///< "op5", "op0_op1"
    std::string kind; ///< "SchedulerNode", "FusedSchedulerNode", "ExternKernelSchedulerNode", ...
    std::string group, device, ir, data;
    std::string sizes;  ///< of its loops: "32, 64", of a reduction "32 | 64"; empty without loops
    std::string kernel; ///< of PyTorch's own that it calls; empty for generated code
    std::vector<std::uint32_t> members; ///< of a fused node, flattened by PyTorch
    std::vector<Access> reads, writes;
    std::vector<NodeRef> origins;     ///< nodes of the post-grad graph
    std::vector<std::string> mutates; ///< buffers and inputs that it writes into
    struct Output {
        std::string name, dtype;
        std::optional<std::uint64_t> bytes; ///< where the size is a number
    };
    std::vector<Output> outputs;
};

/// can_fuse(a, b), or a refusal that answers no question.
struct Question {
    enum class Answer { No, Yes, Refusal } answer = Answer::No;
    std::uint32_t a = 0, b = 0;         ///< numbers of nodes; 0 where only a name is known
    std::string nameA, nameB;           ///< as PyTorch called them then
    std::optional<double> score;        ///< bytes that the pair would share
    std::vector<std::uint32_t> reasons; ///< numbers, see PassRecording::reason()
    std::string detail;                 ///< why nothing is shared though both use the same buffers
    std::uint32_t round = 0;            ///< in which it was first asked so
    std::size_t times = 0;
};

struct Fusion {
    std::uint32_t round = 0, a = 0, b = 0, result = 0;
    std::optional<double> score;
    std::string key; ///< what candidates were sorted by
};

/// A fusion that was decided by timing it while PyTorch compiled: of two kernels (benchmark_fusion), or of a template and
/// what comes after it.
struct TimedFusion {
    std::uint32_t round = 0, a = 0, b = 0;
    bool fused = false;                           ///< what the times decided
    std::size_t runs = 0;                         ///< kernels that were timed
    std::optional<double> msFused;                ///< of a template's choices the fastest
    std::optional<std::array<double, 2>> msApart; ///< of a, of b
};
/// "timed: fused 0.012 ms, apart 0.010 and 0.004 ms", as far as the times are known.
[[nodiscard]] std::string timesText(const TimedFusion& timed);

struct Kernel {
    std::string name, backend;
    std::string source; ///< the beginning of the SHA-256 of its text; empty where it is not known
    std::vector<std::uint32_t> nodes;
    std::vector<std::string> operations;
};

/// A node of a post-grad graph for which one of PyTorch's own kernels is called.
struct Fallback {
    std::uint32_t phase = 0; ///< "inductor"
    NodeRef node;
    std::string target;                  ///< "aten.sort.stable"
    std::string why;                     ///< "no lowering", "in the list of fallbacks", ...
    std::string kernel;                  ///< that is called; may be empty
    std::vector<std::string> operations; ///< of the scheduler: the call and the parts of what it gives back
};

/// Choices for one call that were timed: kernels of PyTorch's own, templates.
struct Tuning {
    std::uint32_t phase = 0;         ///< "inductor"
    std::string name;                ///< of what was chosen for: "mm"
    std::vector<std::string> inputs; ///< "float32 32x64"
    struct Choice {
        std::string name;
        std::optional<double> ms; ///< none: it failed
    };
    std::vector<Choice> choices; ///< the fastest first, which is taken
};

/// A line of the wrapper, after memory was planned.
struct WrapperLine {
    enum class What { Allocate, Reuse, Free, Call, Extern, Item, Other } what = What::Other;
    std::string name;  ///< of the buffer; of Call the kernel
    std::string other; ///< of Reuse whose memory it takes, of Item what it is a part of, of Extern the kernel
    std::optional<std::uint64_t> bytes;
    bool kept = false;                  ///< of Free: the memory waits for another buffer
    std::vector<std::string> arguments; ///< of Call
};

struct Schedule {
    std::uint32_t id = 0, phase = 0; ///< the phase "inductor" that it belongs to
    std::string name;                ///< of a subgraph; empty for the graph itself
    std::size_t operations = 0;
    std::uint32_t rounds = 0;
    double us = 0; ///< of scheduling
    std::unordered_map<std::uint32_t, SchedulerNode> nodes;
    std::vector<Question> questions;
    std::vector<Fusion> fusions;
    std::vector<TimedFusion> timed; ///< in the order in which they were decided
    std::vector<Kernel> kernels;
    std::vector<std::uint32_t> order; ///< of nodes at the end
    std::vector<ScheduleStep> steps;  ///< in their order; fusion is none of them
    WeighedOrders weighed;            ///< empty: none was recorded
    std::vector<WrapperLine> wrapper;
    std::vector<std::string> outputs; ///< buffers that the wrapper gives back
    std::optional<double> peak;       ///< in bytes, as PyTorch estimates it

    [[nodiscard]] const SchedulerNode* node(std::uint32_t id) const {
        const auto at = nodes.find(id);
        return at == nodes.end() ? nullptr : &at->second;
    }
    /// The single operation of that name, null where none is.
    [[nodiscard]] const SchedulerNode* operation(const std::string& name) const;
    /// Whether a node is `name` or holds it: "op0_op1" holds "op1".
    [[nodiscard]] bool holds(std::uint32_t node, const std::string& name) const;
    /// Names of the operations of a node, itself where it is not fused.
    [[nodiscard]] std::vector<std::string> operationsOf(std::uint32_t node) const;
    /// Names of the nodes of the post-grad graph that went into a kernel, each once.
    [[nodiscard]] std::vector<std::string> originsOf(const Kernel& kernel) const;
};

/// Operations that are one kernel so far.
struct FusionGroup {
    std::vector<std::string> operations;
    std::size_t fusion = 0; ///< that made it, from 1; 0: nothing was fused into it
};
/// All operations after so many fusions, by their numbers.
[[nodiscard]] std::vector<FusionGroup> groupsAfter(const Schedule& schedule, std::size_t fusions);

/// A pair that was refused for one reason.
struct Refusal {
    std::string a, b;         ///< nodes, as PyTorch called them then
    std::uint32_t reason = 0; ///< number, see PassRecording::reason()
    std::size_t times = 0;
    std::optional<double> score;       ///< the highest that it was asked with
    std::vector<std::uint32_t> rounds; ///< in which it was first asked so
};
/// By pair and reason, in the order in which they came first. Those that times decided have no reason and are
/// not among them.
[[nodiscard]] std::vector<Refusal> refusalsOf(const Schedule& schedule);
/// Those that times decided, by pair; `reason` says nothing.
[[nodiscard]] std::vector<Refusal> refusedByTiming(const Schedule& schedule);

/// The questions about two nodes, or nodes that hold them, whichever of them came first.
[[nodiscard]] std::vector<const Question*> questionsAbout(const Schedule& schedule, const std::string& a,
                                                          const std::string& b);

/// The timings of two nodes, or of nodes that hold them, whichever of them came first.
[[nodiscard]] std::vector<const TimedFusion*> timingsOf(const Schedule& schedule, const std::string& a,
                                                        const std::string& b);
/// The timing that a fusion followed from, null where it was not timed or the record lacks it.
[[nodiscard]] const TimedFusion* timingOf(const Schedule& schedule, const Fusion& fusion);

} // namespace dynascope::inductor
