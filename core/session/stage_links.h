// SPDX-License-Identifier: BSD-3-Clause
//
// What Provenance builds on: which stage comes from which, Inductor's record, and the nodes of each kernel.
#pragma once

#include "core/session/generated_code.h"
#include "core/session/provenance.h"
#include "core/session/session.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// Each stage and the one that it was made from, by index into Compile::stages. A parent's index is the
/// smaller.
struct StageTree {
    static constexpr std::size_t none = SIZE_MAX;
    std::vector<std::size_t> parent;
    /// Of generated code: index into Session::records of its provenance record
    std::vector<std::size_t> mapping;
    std::vector<Phase> phases;

    /// The nearest stage above that is Dynamo's or a pre-grad one.
    [[nodiscard]] std::size_t preGrad(std::size_t stage) const;
};
[[nodiscard]] StageTree makeStageTree(const Session& session, const Compile& compile);

using NodeNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// inductor_provenance_tracking_node_mappings (torch/_inductor/debug.py). Pre-grad nodes are those of the
/// graph that Inductor was given, post-grad nodes those of inductor_post_grad_graph.
struct InductorRecord {
    NodeNames preToPost, postToPre;
    NodeNames kernelToPost; ///< "cpp_fused_add_0:1"
};
/// Whatever is not of that form is left out.
[[nodiscard]] InductorRecord readInductorRecord(std::string_view json);

/// Which nodes of the post-grad graph each kernel, in each of its calls, computes, from the strongest evidence there is for it.
/// `resolve` gives the post-grad nodes of a name that a comment uses.
[[nodiscard]] std::vector<KernelLink>
linkKernels(const ir::Graph& graph, const GeneratedCode& code, const InductorRecord& record,
            const std::function<std::vector<ir::NodeIndex>(const std::string&)>& resolve);

} // namespace dynascope::session
