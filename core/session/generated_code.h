// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's output code says about itself: its kernels, where it calls them, and the nodes that its
// comments name (torch/_inductor/codegen/wrapper.py and torch/_inductor/utils.py, get_kernel_metadata).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// Lines count from 1; both ends belong to it. 0, 0: nothing.
struct LineRange {
    std::size_t first = 0, last = 0;
    [[nodiscard]] bool contains(std::size_t line) const {
        return first != 0 && line >= first && line <= last;
    }
};

/// A call of a kernel in the wrapper, with the comments right above it.
struct KernelCall {
    LineRange lines;
    std::string handle; ///< "cpp_fused_add_0:1", Inductor's provenance handle; empty where it printed none
    std::vector<std::string> sourceNodes; ///< pre-grad nodes that the comments above the call name
    std::vector<std::string> atenNodes;   ///< post-grad nodes that they name
};

/// The graph that Inductor wrote a kernel for, as the comment above its definition has it.
struct GraphFragment {
    std::vector<std::string> nodes; ///< post-grad nodes that it computes
    /// Of what it reads and what it writes, each by the shape of the value. Nothing where the fragment does not say all of
    /// it (before PyTorch 2.10 it does not), or a size is a symbol.
    std::optional<double> bytesRead, bytesWritten;
};

struct GeneratedKernel {
    std::string name;     ///< "cpp_fused_add_select_0", "extern_kernels.addmm"
    LineRange definition; ///< with the comments right above it; nothing for a kernel of a library
    std::string file; ///< "/tmp/torchinductor_me/ym/cymd4y.py", where Triton's source of it was; may be empty
    std::vector<KernelCall> calls;
    std::vector<std::string>
        sourceNodes;                    ///< pre-grad nodes that its comments name, those above its calls too
    std::vector<std::string> atenNodes; ///< post-grad nodes that its comments name, those above its calls too
    GraphFragment fragment;             ///< of a kernel that has several calls, for the first of them
    /// Its own code multiplies matrices, as those of templates do: a kernel that is fused of pointwise operators and
    /// reductions names a product that it only pads, or reads, among its nodes too.
    bool multiplies = false;

    /// Whether the comments say of each call by itself what it computes.
    [[nodiscard]] bool namesNodesOfCalls() const;
};

struct GeneratedCode {
    std::vector<GeneratedKernel> kernels; ///< in order of appearance

    /// Kernels whose definition or a call of which covers the line.
    [[nodiscard]] std::vector<std::size_t> kernelsAt(std::size_t line) const;
};

/// Linear in the text. A library kernel that is called twice is two kernels, since each call is of other
/// nodes.
[[nodiscard]] GeneratedCode readGeneratedCode(std::string_view text);

} // namespace dynascope::session
