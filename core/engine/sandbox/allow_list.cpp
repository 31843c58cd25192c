// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/allow_list.h"

#include "core/engine/sandbox/operator_classes.h"

#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

using namespace std::string_view_literals;

/// Python modules that no graph has a use for, and builtins as torch.fx writes them.
constexpr std::array refusedModules{
    "asyncio"sv,     "cffi"sv,       "cloudpickle"sv,
    "code"sv,        "concurrent"sv, "ctypes"sv,
    "_ctypes"sv,     "cv2"sv,        "dbm"sv,
    "dill"sv,        "fcntl"sv,      "fsspec"sv,
    "ftplib"sv,      "glob"sv,       "h5py"sv,
    "http"sv,        "imageio"sv,    "importlib"sv,
    "_imp"sv,        "io"sv,         "_io"sv,
    "joblib"sv,      "logging"sv,    "marshal"sv,
    "matplotlib"sv,  "mmap"sv,       "multiprocessing"sv,
    "nt"sv,          "os"sv,         "pandas"sv,
    "pathlib"sv,     "pickle"sv,     "_pickle"sv,
    "PIL"sv,         "posix"sv,      "_posixsubprocess"sv,
    "pty"sv,         "requests"sv,   "runpy"sv,
    "safetensors"sv, "shelve"sv,     "shutil"sv,
    "signal"sv,      "smtplib"sv,    "socket"sv,
    "_socket"sv,     "sqlite3"sv,    "ssl"sv,
    "subprocess"sv,  "sys"sv,        "tempfile"sv,
    "threading"sv,   "_thread"sv,    "torchaudio"sv,
    "urllib"sv,      "wandb"sv,      "webbrowser"sv,
};
constexpr std::array refusedBuiltins{"__import__"sv, "breakpoint"sv, "compile"sv, "eval"sv, "exec"sv,
                                     "globals"sv,    "input"sv,      "locals"sv,  "open"sv, "vars"sv};

/// Last parts of names that say the same wherever they stand.
constexpr std::array refusedWords{
    "from_file"sv,
    "_from_file"sv,
    "fromfile"sv,
    "tofile"sv,
    "memmap"sv,
    "load_library"sv,
    "load_inline"sv,
    "loadtxt"sv,
    "savetxt"sv,
    "savez"sv,
    "savefig"sv,
    "save_plot"sv,
    "save_image"sv,
    "share_memory_"sv,
    "_new_shared_filename_cpu"sv,
    "_new_shared_fd_cpu"sv,
    "_share_filename_cpu_"sv,
    "_share_fd_cpu_"sv,
};

template <typename List>
bool holds(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

struct Family {
    std::string_view prefix;
    Obstacle obstacle;
    std::string_view reason;
};
constexpr std::string_view needsDevice = "needs a device that is not here";
constexpr std::string_view needsPeers = "talks to other processes";
constexpr std::string_view needsPython = "calls Python that the capture does not hold";
constexpr std::string_view reachesOutside = "is refused: it reaches outside the graph";
constexpr std::string_view unclassed =
    "is not classed: nobody has looked at what it does with hostile arguments";
constexpr std::string_view toTerminal = "is refused: it writes to the terminal";

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
    Family{"torch.ops.higher_order.print", Obstacle::Refused, toTerminal},
    Family{"torch.ops.higher_order.auto_functionalized", Obstacle::Hook,
           "calls an operator of a library that is not here"},
    Family{"torch.ops.higher_order.flex_attention_backward", Obstacle::Unknown,
           "scatters into what the score function captured by an operator that exists in Python only"},
    Family{"torch.ops.higher_order.inline_asm_elementwise", Obstacle::Hardware,
           "runs assembly, which needs a GPU"},
    Family{"torch.ops.higher_order.local_map_hop", Obstacle::Collective, needsPeers},
    Family{"torch.ops.higher_order.invoke_quant", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.invoke_leaf_function", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.register_hook", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.flat_apply", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.inductor_compiled_code", Obstacle::Hook, needsPython},
    Family{"torch.ops.higher_order.aoti_call_delegate", Obstacle::Hook, "runs a compiled library"},
    Family{"torch.ops.higher_order.executorch_call_delegate", Obstacle::Hook, "runs a compiled program"},
    Family{"torch.ops.higher_order.call_torchbind", Obstacle::Hook, needsPython},
    Family{"torch._dynamo", Obstacle::Hook, needsPython},
    Family{"torch.load", Obstacle::Refused, reachesOutside},
    Family{"torch.save", Obstacle::Refused, reachesOutside},
    Family{"torch.hub", Obstacle::Refused, reachesOutside},
    Family{"torch.jit", Obstacle::Refused, reachesOutside},
    Family{"torch.package", Obstacle::Refused, reachesOutside},
    Family{"torch.classes", Obstacle::Refused, reachesOutside},
    Family{"torch.ops.load_library", Obstacle::Refused, reachesOutside},
    Family{"torch.serialization", Obstacle::Refused, reachesOutside},
    Family{"torch.storage", Obstacle::Refused, reachesOutside},
    Family{"torch.UntypedStorage", Obstacle::Refused, reachesOutside},
    Family{"torch.TypedStorage", Obstacle::Refused, reachesOutside},
    Family{"torch.multiprocessing", Obstacle::Refused, reachesOutside},
    Family{"torch.utils.cpp_extension", Obstacle::Refused, reachesOutside},
    Family{"torch.utils.data", Obstacle::Refused, reachesOutside},
    Family{"torch.utils.dlpack", Obstacle::Refused, reachesOutside},
    Family{"torch.utils.model_zoo", Obstacle::Refused, reachesOutside},
    Family{"torch.utils.tensorboard", Obstacle::Refused, reachesOutside},
    Family{"torch.onnx", Obstacle::Refused, reachesOutside},
    Family{"torch.export.load", Obstacle::Refused, reachesOutside},
    Family{"torch.export.save", Obstacle::Refused, reachesOutside},
    Family{"torch._export.aot_load", Obstacle::Refused, reachesOutside},
    Family{"torch._inductor.aoti_load_package", Obstacle::Refused, reachesOutside},
    Family{"torch.profiler", Obstacle::Refused, reachesOutside},
    Family{"torch.autograd.profiler", Obstacle::Refused, reachesOutside},
    Family{"torch._C._profiler", Obstacle::Refused, reachesOutside},
    Family{"torch._C._autograd._enable_profiler", Obstacle::Refused, reachesOutside},
    Family{"torch._C._distributed", Obstacle::Collective, needsPeers},
    Family{"torch._C.PyTorchFile", Obstacle::Refused, reachesOutside},
    Family{"torch._C.import_ir_module", Obstacle::Refused, reachesOutside},
    Family{"torchvision.io", Obstacle::Refused, reachesOutside},
    Family{"numpy.load", Obstacle::Refused, reachesOutside},
    Family{"numpy.save", Obstacle::Refused, reachesOutside},
    Family{"warnings.", Obstacle::Refused, toTerminal},
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

OperatorVerdict judgeOperator(std::string_view space, std::string_view name) {
    if (space == "aten" || space == "prims") {
        const std::string whole = std::string(space) + "::" + std::string(name);
        const OperatorClass* row = operatorClass(whole);
        if (row && !row->refusal.empty())
            return {Obstacle::Refused, "is refused: " + std::string(row->refusal)};
        if (!row && isBuiltInOperator(whole)) return {Obstacle::Refused, std::string(unclassed)};
        return {}; // a plugin's, or one that this PyTorch does not have
    }
    OperatorVerdict verdict = judgeUnknown("torch.ops." + std::string(space) + '.' + std::string(name));
    if (verdict.obstacle != Obstacle::Collective) return verdict;
    const OperatorClass* row = operatorClass(std::string(space) + "::" + std::string(name));
    if (row && row->refusal.empty()) return {};
    if (row) verdict.reason += ": " + std::string(row->refusal);
    return verdict;
}

OperatorVerdict judgeUnknown(std::string_view target) {
    std::string_view name = target;
    if (constexpr std::string_view builtins = "builtins."; name.starts_with(builtins))
        name.remove_prefix(builtins.size());
    if (name == "print") return {Obstacle::Refused, std::string(toTerminal)};
    const bool refused = holds(refusedBuiltins, name) ||
                         holds(refusedModules, target.substr(0, target.find('.'))) ||
                         holds(refusedWords, target.substr(target.rfind('.') + 1));
    if (refused) return {Obstacle::Refused, std::string(reachesOutside)};
    for (const Family& family : families) {
        if (target.starts_with(family.prefix)) return {family.obstacle, std::string(family.reason)};
    }
    if (constexpr std::string_view ops = "torch.ops."; target.starts_with(ops)) {
        const std::string space(target.substr(ops.size(), target.find('.', ops.size()) - ops.size()));
        if (space == "higher_order" || space == "aten" || space == "prims")
            return {Obstacle::Unknown, "is an operator of PyTorch that the engine does not know"};
        return {Obstacle::Unknown, "is an operator of a library, " + space +
                                       ", which is not here: the capture holds its name and no body for it"};
    }
    return {Obstacle::Unknown, "is unknown to the engine"};
}

} // namespace dynascope::engine
