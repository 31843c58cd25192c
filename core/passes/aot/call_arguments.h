// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of one call, described without their data: which are the same object, which share a storage,
// where their elements lie, and what autograd calls their base.
#pragma once

#include "core/passes/aot/argument_index.h"
#include "core/passes/aot/geometry.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::passes::aot {

/// Identity of a tensor object: its position in TensorObjects.
using ObjectId = std::size_t;

struct TensorObject {
    std::size_t storage = 0; ///< any number; equal means shared
    TensorGeometry geometry;
    std::string dtype; ///< "float32"
    bool requiresGrad = false;
    std::optional<ObjectId> base; ///< Tensor._base; none where autograd knows no view
};

/// Objects of a call: its arguments' tensors, and the bases of those that are views.
struct TensorObjects {
    std::vector<TensorObject> objects;
    /// By TensorObject::storage, in elements of its tensors' dtype
    std::vector<std::int64_t> storageElements;
};

/// `Index` is the list that the arguments stand in.
template <typename Index>
struct CallArguments {
    struct Argument {
        std::optional<ObjectId> tensor; ///< none for a number or another value that is no tensor
        std::string name;               ///< for messages: "args[0]", "L['x']"
    };
    std::vector<Argument> list;

    [[nodiscard]] const Argument& at(Index i) const { return list[i.value]; }
    /// "input 0 (args[0])".
    [[nodiscard]] std::string describe(Index i) const {
        return "input " + std::to_string(i.value) + " (" + at(i).name + ')';
    }
};

/// What some layers refuse.
struct CallKind {
    bool training = false;         ///< the joint graph is traced
    bool exporting = false;        ///< torch.export
    bool tensorSubclasses = false; ///< among inputs or outputs
};

} // namespace dynascope::passes::aot
