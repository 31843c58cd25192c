// SPDX-License-Identifier: BSD-3-Clause
//
// A profile joined to a capture: which kernel of which output code, which node of which graph, which compile and which
// graph break each event's time belongs to. Every event that takes time is in one row, so that the rows of a device add
// up to its busy time; what cannot be joined is a row that says so. Nothing is guessed in silence: a row has the
// evidence of its link, and where that is an alignment of ours it says that.
#pragma once

#include "core/profile/profile.h"
#include "core/session/session.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::profile {

/// What the time of a row was spent on.
enum class Part : std::uint8_t {
    Kernel,      ///< a kernel that output code calls
    Node,        ///< an operator of a graph that runs node by node
    OutputCode,  ///< output code around its kernels
    Guards,      ///< "TorchDynamo Cache Lookup"
    Pregraph,    ///< "Pregraph bytecode"
    Prologue,    ///< "AOTDispatcher Runtime Wrapper Prologue"
    Runtime,     ///< AOTAutograd's runtime wrapper, and the autograd engine's call of a compiled backward
    Frame,       ///< the compiled frame's bytecode
    AfterBreak,  ///< eager code of a frame, after its graph break
    InGraph,     ///< while a graph ran, but of no kernel or node that it is known to have
    InFrame,     ///< in a compiled frame, outside its graph
    Eager,       ///< outside compiled code
    GroupThread, ///< a collective on a thread of its process group, whoever called it
    Unknown      ///< on a device, and nothing says who launched it
};
[[nodiscard]] std::string_view partName(Part part); ///< "kernel", "node", ...; of JSON, never changed
/// Whether the time is the cost of being compiled, and not of computing.
[[nodiscard]] constexpr bool isOverhead(Part part) {
    return part >= Part::OutputCode && part <= Part::Frame;
}

/// How a row was joined, from the outside in.
enum class Link : std::uint8_t {
    None,
    CompileId,     ///< "Torch-Compiled Region: 0/0"
    LastRun,       ///< the same, of several runs that have that id the last
    Sequence,      ///< a sequence number that forward and backward have in common
    NextRegion,    ///< guards: the compiled region that follows
    CacheKey,      ///< "## Call CompiledFxGraph KEY ##"
    OnlyGraph,     ///< the compile has one output code for this direction
    KernelName,    ///< by the kernel's name, which the output code has once
    KernelOrder,   ///< by the kernel's name, and its turn among the calls of the output code
    OperatorDims,  ///< by operator, order and Input Dims
    OperatorOrder, ///< by operator and order
    BreakOfFrame,  ///< behind the graph in a frame that a graph break ended
    Launch,        ///< through the call that launched it
    GraphPlace,    ///< by its place among the kernels of a CUDA graph: between two that the output code names
    KernelFile,    ///< by the file of Triton's source, which the event and the output code name
    DebugHandle    ///< by Inductor's provenance handle, which the event and a comment above the call have
};
[[nodiscard]] std::string_view linkName(Link link);

/// What a row's time is of; rows differ in it.
struct RowSubject {
    Part part = Part::Eager;
    Link region = Link::None, graph = Link::None, inner = Link::None;
    LaunchLink launch = LaunchLink::None;
    std::uint8_t device = 0;   ///< into Profile::devices
    int compile = -1;          ///< into Session::compiles
    int stage = -1;            ///< into Compile::stages: output code, or the graph that ran
    int kernel = -1;           ///< into session::GeneratedCode::kernels of the stage
    int call = -1;             ///< Link::KernelOrder: into its calls
    std::uint32_t node = none; ///< Part::Node: of the stage
    bool backward = false;
    int brokenCompile = -1; ///< whose graph break the time is a cost of
    std::uint32_t name = 0; ///< of the events, into Profile::names; 0 where they have several

    friend auto operator<=>(const RowSubject&, const RowSubject&) = default;
};

struct Row : RowSubject {
    std::size_t count = 0; ///< events with that name; of an event's parts only the first counts
    double self = 0;       ///< nanoseconds
    std::vector<std::pair<int, double>> bySteps; ///< (step, nanoseconds), rising; outside all steps is -1
};

/// How many of what should be joined are.
struct Tally {
    std::size_t joined = 0, all = 0;
};

struct Joined {
    session::SessionPtr session; ///< never null; without compiles where there is no capture
    ProfilePtr profile;
    std::vector<Row> rows;
    std::vector<std::uint32_t> rowOf; ///< by event; none for what takes no time
    /// Regions whose frame a graph break ended, by event, with the time at which their graph had run. Rising.
    std::vector<std::pair<std::uint32_t, std::int64_t>> graphEnds;
    Tally regions;                ///< compiled regions to compiles
    Tally graphs;                 ///< calls of output code to stages
    Tally kernels;                ///< kernels that output code generated, by name, to that code
    Tally operators;              ///< outermost operators in graphs that run node by node, to nodes
    Tally keys;                   ///< of those calls, with a cache key, where the capture has such keys
    double joined = 0;            ///< nanoseconds of rows that have a compile
    double busy = 0;              ///< of all devices
    std::vector<double> joinedOn; ///< as `joined`, by device
    std::vector<std::string> warnings;

    [[nodiscard]] double share() const { return busy > 0 ? joined / busy : 0; }
};
using JoinedPtr = std::shared_ptr<const Joined>;

/// Joins by what profile and capture say alone. Reads each output code and graph that ran once; takes as long as that
/// and linear time in the events. An Error where the task was cancelled.
[[nodiscard]] Result<JoinedPtr> join(session::SessionPtr session, ProfilePtr profile,
                                     const TaskContext& task = {});

/// What speaks against a profile being one of its capture's, in a clause; empty where nothing does.
[[nodiscard]] std::string joinDoubt(const Joined& joined);

} // namespace dynascope::profile
