// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <torch/csrc/autograd/function.h>
#include <type_traits>
#include <utility>

namespace dynascope::engine {

using AutogradNodePtr = decltype(torch::autograd::Edge::function);

/// A node of autograd's graph. PyTorch 2.13 counts a node's references inside it, earlier ones beside it.
template <typename Node, typename Pointer = AutogradNodePtr, typename... Arguments>
[[nodiscard]] Pointer makeAutogradNode(Arguments&&... arguments) {
    if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>) {
        return std::make_shared<Node>(std::forward<Arguments>(arguments)...);
    } else {
        return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
    }
}

} // namespace dynascope::engine
