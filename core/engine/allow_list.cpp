// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/allow_list.h"

#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

/// Operators of allowed namespaces that reach outside (from_file opens and even creates files), write to the
/// terminal, or build tensors over memory that nobody checked.
constexpr std::array<std::string_view, 8> refusedOperators{"from_file",
                                                           "_print",
                                                           "_test_warn_in_autograd",
                                                           "_sparse_coo_tensor_unsafe",
                                                           "_nested_view_from_buffer",
                                                           "_nested_view_from_buffer_copy",
                                                           "_cudnn_init_dropout_state",
                                                           "record_stream"};

struct Family {
    std::string_view prefix;
    Obstacle obstacle;
    std::string_view reason;
};
constexpr std::string_view needsDevice = "needs a device that is not here";
constexpr std::string_view needsPeers = "talks to other processes";
constexpr std::string_view needsPython = "calls Python that the capture does not hold";
constexpr std::string_view outside = "is refused: it reaches outside the graph";

constexpr std::array families{
    Family{"torch.ops._c10d_functional", Obstacle::Collective, needsPeers},
    Family{"torch.ops.c10d", Obstacle::Collective, needsPeers},
    Family{"torch.ops._dtensor", Obstacle::Collective, needsPeers},
    Family{"torch.ops.symm_mem", Obstacle::Collective, needsPeers},
    Family{"torch.distributed", Obstacle::Collective, needsPeers},
    Family{"torch.ops.fsdp", Obstacle::Collective, needsPeers},
    Family{"torch.ops.higher_order.triton_kernel_wrapper", Obstacle::Hardware,
           "runs a Triton kernel, which needs a GPU"},
    Family{"torch.ops.rngprims", Obstacle::Hardware, needsDevice},
    Family{"torch.ops.streams", Obstacle::Hardware, needsDevice},
    Family{"torch.ops.cuda", Obstacle::Hardware, needsDevice},
    Family{"torch.ops.mkldnn", Obstacle::Hardware, "is a kernel of a CPU build that Inductor freezes for"},
    Family{"torch.ops.fbgemm", Obstacle::Hardware, needsDevice},
    Family{"torch.cuda", Obstacle::Hardware, needsDevice},
    Family{"torch.xpu", Obstacle::Hardware, needsDevice},
    Family{"torch.mps", Obstacle::Hardware, needsDevice},
    Family{"torch.ops._inductor_debug", Obstacle::Hook, needsPython},
    Family{"torch.ops.profiler", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.with_effects", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.call_torchbind", Obstacle::Hook, needsPython},
    Family{"torch._dynamo", Obstacle::Hook, needsPython},
    Family{"torch.load", Obstacle::Refused, outside},
    Family{"torch.save", Obstacle::Refused, outside},
    Family{"torch.hub", Obstacle::Refused, outside},
    Family{"torch.jit", Obstacle::Refused, outside},
    Family{"torch.package", Obstacle::Refused, outside},
    Family{"torch.classes", Obstacle::Refused, outside},
    Family{"torch.ops.load_library", Obstacle::Refused, outside},
    Family{"builtins.open", Obstacle::Refused, outside},
    Family{"builtins.exec", Obstacle::Refused, outside},
    Family{"builtins.eval", Obstacle::Refused, outside},
    Family{"builtins.compile", Obstacle::Refused, outside},
    Family{"builtins.__import__", Obstacle::Refused, outside},
    Family{"builtins.print", Obstacle::Refused, "is refused: it writes to the terminal"},
    Family{"os.", Obstacle::Refused, outside},
    Family{"subprocess.", Obstacle::Refused, outside},
    Family{"socket.", Obstacle::Refused, outside},
    Family{"shutil.", Obstacle::Refused, outside},
};

} // namespace

std::string_view obstacleName(Obstacle obstacle) {
    switch (obstacle) {
    case Obstacle::None:
        return "none";
    case Obstacle::Unknown:
        return "unknown";
    case Obstacle::Malformed:
        return "malformed";
    case Obstacle::Hardware:
        return "hardware";
    case Obstacle::Collective:
        return "collective";
    case Obstacle::Hook:
        return "hook";
    case Obstacle::Refused:
        return "refused";
    }
    return {};
}

Verdict judgeOperator(std::string_view space, std::string_view name) {
    if (std::find(refusedOperators.begin(), refusedOperators.end(), name) != refusedOperators.end())
        return {Obstacle::Refused, std::string(outside)};
    if (space == "aten" || space == "prims") return {};
    return judgeUnknown("torch.ops." + std::string(space) + '.' + std::string(name));
}

Verdict judgeUnknown(std::string_view target) {
    for (const Family& family : families) {
        if (target.starts_with(family.prefix)) return {family.obstacle, std::string(family.reason)};
    }
    if (target.starts_with("torch.ops."))
        return {Obstacle::Unknown, "is outside the namespaces that the engine runs"};
    return {Obstacle::Unknown, "is unknown to the engine"};
}

} // namespace dynascope::engine
