// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamo's cache as a recording knows it: each compile is a cache entry and, at once, the call that it was
// made for. So every entry's guards can be held against every recorded call, and any sequence of those calls
// simulated.
#pragma once

#include "core/dynamo/backend_match.h"
#include "core/dynamo/recompiles.h"
#include "core/dynamo/recording.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// A guard of an entry as PyTorch wrote it down: "TENSOR_MATCH: check_tensor(L['x'], ...)  # code  # file:7
/// in f".
struct RecordedGuard {
    std::string kind;           ///< "TENSOR_MATCH"
    std::string check;          ///< without kind and comments
    std::string code;           ///< the user's line, as PyTorch quotes it; empty where it names none
    ir::SourceLocation addedAt; ///< line 0 where unknown
};
[[nodiscard]] RecordedGuard readRecordedGuard(std::string_view text);

/// What a call came with, by source: "L['x']".
struct CallInput {
    bool tensor = false;
    std::string dtype; ///< "torch.float32"
    std::string shape; ///< "[2, 3]", symbols as the numbers they stood for
    std::string stride;
    bool requiresGrad = false;
    std::string value; ///< of a constant, as Python prints it
};
using CallInputs = std::map<std::string, CallInput, std::less<>>;

/// Inputs of the call that a compile was made for, as far as Dynamo looked at them.
[[nodiscard]] CallInputs inputsOf(const Recording& recording, std::size_t compile);

/// Why a compile was needed: of each entry that was asked, in lookup order, the guard that failed. What the
/// call had is read from the recording where PyTorch's text does not say it.
[[nodiscard]] std::vector<FailedGuard> recordedFailures(const Recording& recording, std::size_t compile);

struct GuardVerdict {
    enum class Kind { Holds, Fails, Unknown };
    Kind kind = Kind::Unknown;
    std::string expected, actual; ///< of Fails, and of Holds where both are known
};
/// Whether a guard holds for a call: tensors' dtype, sizes, strides and requires_grad, constants, and
/// comparisons of a size or constant with a number. Unknown for all others.
[[nodiscard]] GuardVerdict checkGuard(const RecordedGuard& guard, const CallInputs& call);

/// A guard of an entry with the step that added it.
struct GuardOrigin {
    RecordedGuard guard;
    StepIndex step = noStep; ///< noStep for ambient guards, and where it is not known
    std::string who;         ///< the code of Dynamo that added it: "variables/builder.py:2948 wrap_tensor"
};
/// All guards of a compile, an index into Recording::compiles(), in PyTorch's order. A guard is found among
/// those that the attempt recorded by its kind and source.
[[nodiscard]] std::vector<GuardOrigin> guardOrigins(const Recording& recording, std::size_t compile);

/// The compiles of one code object, which share a cache: "1/0", "1/1", ...
struct CodeEntries {
    std::string function, file;
    std::uint32_t firstLine = 0;
    std::uint32_t resets = 0;          ///< how often torch._dynamo.reset() had emptied the caches before
    std::vector<std::size_t> compiles; ///< indices into Recording::compiles(), in order
};
/// Codes with most entries come first.
[[nodiscard]] std::vector<CodeEntries> codeEntries(const Recording& recording);

/// The backend callable of a recorded call, which only reasons of BACKEND_MATCH name: of its own recompile,
/// or of one that asked its entry. Empty where none does; such calls count as one backend's.
struct RecordedBackend {
    std::string text; ///< "_TorchCompileWrapper(compiler='eager', dynamic=None)"
    std::size_t identity = 0;
};
[[nodiscard]] RecordedBackend backendOf(const Recording& recording, const CodeEntries& code,
                                        std::size_t call);

/// A call to simulate: its position in CodeEntries::compiles, and the name of another backend than the
/// recorded one; empty for that.
struct CallToSimulate {
    std::size_t call = 0;
    std::string backend;
};

struct SimulatedCall {
    std::size_t call = 0; ///< position in CodeEntries::compiles
    CacheAnswer answer;   ///< its entries are numbers of calls of the simulation that compiled: see madeBy
};
struct CacheSimulation {
    std::vector<SimulatedCall> calls;
    std::vector<std::size_t> madeBy; ///< entry -> position in CodeEntries::compiles
};
/// What the cache would do with calls in this order. An entry's guards fail a call where the recording says
/// so, or where checkGuard() does; what neither knows is taken to hold. An entry is what was recorded for the
/// call that makes it: whether Dynamo would have made a size dynamic in another order is not asked.
[[nodiscard]] CacheSimulation simulateCache(const Recording& recording, const CodeEntries& code,
                                            std::span<const CallToSimulate> calls, std::size_t limit);

} // namespace dynascope::dynamo
