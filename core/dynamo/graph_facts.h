// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording has of a graph beyond its nodes: which inputs share memory, hooks for saved tensors, and
// the operators that AOTAutograd ran before it functionalized them.
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <string>
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

struct GraphFacts {
    std::uint32_t attempt = 0;
    StepIndex step = noStep;
    std::vector<InputStorage> inputs;
    std::vector<HookGraph> hooks;
    /// "%2: f32[3] = aten.mul_.Tensor(%0, 2)": in-place operators and views as the program has them. Empty
    /// where the backend is none of AOTAutograd's.
    std::vector<std::string> operators;
};

/// One for each graph that was handed to a backend, in order.
[[nodiscard]] std::vector<GraphFacts> graphFacts(const Recording& recording);

} // namespace dynascope::dynamo
