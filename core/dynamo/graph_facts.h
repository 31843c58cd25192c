// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording has of a graph beyond its nodes: which inputs share memory, hooks for saved tensors, and
// the operators that AOTAutograd ran before it functionalized them.
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// A tensor among the graph's inputs.
struct InputStorage {
    std::string name;          ///< of the placeholder
    std::uint64_t storage = 0; ///< numbered from 0 in a graph; equal numbers are one piece of memory
    std::uint64_t offset = 0;  ///< of its first element, in elements
    std::uint64_t bytes = 0;   ///< of the storage
};

/// A graph that packs or unpacks saved tensors.
struct HookGraph {
    struct Wrapped {
        std::string node, userCacheHash; ///< without a hash the graph cannot be cached
    };
    std::string name; ///< "saved_tensors_hooks_pack_0"
    std::string text;
    std::vector<Wrapped> wrapped;
};

/// The hooks for saved tensors that a graph was compiled under.
struct HooksInForce {
    struct Hook {
        std::uint64_t identity = 0; ///< id() in the program
        std::string type;           ///< "GraphModule", "function"
        std::string name;           ///< of a function, or of what the graph module was traced from
    };
    /// Both are graph modules: the graphs take them in, and a guard holds their identities
    bool inlined = false;
    std::string filter; ///< which saved tensors they are applied to: "donated", "no_static", "all"
    Hook pack, unpack;
};

struct GraphFacts {
    std::uint32_t attempt = 0;
    StepIndex step = noStep;
    std::vector<InputStorage> inputs;
    std::vector<HookGraph> hooks;
    std::optional<HooksInForce> inForce;
    /// "%2: f32[3] = aten.mul_.Tensor(%0, 2)": in-place operators and views as the program has them. Empty
    /// where the backend is none of AOTAutograd's.
    std::vector<std::string> operators;
};

/// One for each graph that was handed to a backend, in order.
[[nodiscard]] std::vector<GraphFacts> graphFacts(const Recording& recording);

/// What a guard on the identity of saved-tensor hooks means, in sentences for a reader who does not know it:
/// which hooks it holds, what calls miss, what to do. `check` is a guard of CompileInfo::guards or a reason
/// for a recompile; empty if it is about something else. `facts` are the recording's.
///
/// Source: GuardBuilder.AUTOGRAD_SAVED_TENSORS_HOOKS of torch/_dynamo/guards.py, PyTorch 2.13.
[[nodiscard]] std::string explainHookGuard(const std::vector<GraphFacts>& facts, std::string_view check);

} // namespace dynascope::dynamo
