// SPDX-License-Identifier: BSD-3-Clause
//
// Provenance through all stages of one compile: source line, Dynamo node, AOT nodes, post-grad nodes,
// generated kernels and code lines. Inductor's own records (inductor_provenance_tracking_node_mappings) say
// what they say where the log has them; elsewhere neighbouring stages are aligned by diff::diffGraphs and the
// links composed.
#pragma once

#include "core/session/generated_code.h"
#include "core/session/session.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// How a link was found, strongest first. A link over several stages has the weakest of its steps.
enum class LinkEvidence : std::uint8_t {
    Selected,   ///< the thing asked about
    Record,     ///< Inductor's provenance record
    SourceLine, ///< the node's own stack names the line
    Comment,    ///< a comment of the generated code names the node
    SharedNode, ///< diff::Evidence, here and in the next four
    Structure,
    Name,
    StackTrace,
    Neighbourhood,
    OnlyKernel, ///< the code has one kernel, which does it all
    KernelName, ///< the op is part of the kernel's name
    Fused,      ///< computed where its users are
};
[[nodiscard]] std::string_view linkEvidenceName(LinkEvidence evidence);
/// True where PyTorch itself wrote the link down: Inductor's record, the node's own stack, a comment of the
/// generated code. All others are our alignment.
[[nodiscard]] constexpr bool isRecorded(LinkEvidence evidence) {
    return evidence <= LinkEvidence::Comment;
}

struct LinkedNode {
    std::size_t stage = 0; ///< index into Compile::stages
    ir::NodeIndex node = 0;
    LinkEvidence evidence = LinkEvidence::Selected;
};
struct LinkedKernel {
    std::size_t stage = 0;
    std::size_t kernel = 0; ///< index into GeneratedCode::kernels
    LinkEvidence evidence = LinkEvidence::Selected;
};

struct ProvenanceAnswer {
    std::vector<ir::SourceLocation> lines; ///< of the program, by file and line
    std::vector<LinkedNode> nodes;         ///< sorted by (stage, node); holds what was asked about
    std::vector<LinkedKernel> kernels;     ///< sorted by (stage, kernel)

    [[nodiscard]] bool empty() const { return lines.empty() && nodes.empty() && kernels.empty(); }
};

/// That a kernel computes a node.
struct KernelLink {
    static constexpr std::size_t anyCall = SIZE_MAX; ///< which of several calls is not known
    std::size_t kernel = 0;                          ///< into GeneratedCode::kernels
    std::size_t call = anyCall;                      ///< into GeneratedKernel::calls
    ir::NodeIndex node = 0;
    LinkEvidence evidence = LinkEvidence::Fused;
};

/// A call of a kernel and the nodes of one graph that it computes.
struct KernelNodes {
    std::string name;                               ///< "cpp_fused_add_select_0", "extern_kernels.addmm"
    std::size_t call = 0;                           ///< counts the calls of the kernel, from 0
    std::size_t calls = 1;                          ///< that the code has of it
    std::vector<ir::NodeIndex> nodes;               ///< rising; never empty
    LinkEvidence evidence = LinkEvidence::Selected; ///< the weakest of its links
};

/// Answers questions about one compile. Stages are read and aligned when a question first needs them, and
/// kept. Thread-safe; a question that needs an alignment of large graphs takes as long as diffGraphs does, so
/// ask on a worker. Nodes of nested GraphModules are not followed.
class Provenance {
public:
    /// `compile` is an index into Session::compiles.
    Provenance(SessionPtr session, std::size_t compile);
    ~Provenance();
    Provenance(const Provenance&) = delete;
    Provenance& operator=(const Provenance&) = delete;

    /// What a node comes from and became. Empty where the stage has no such node.
    [[nodiscard]] ProvenanceAnswer ofNode(std::size_t stage, ir::NodeIndex node) const;
    /// The same of several nodes of one stage; those that the stage does not have are left out.
    [[nodiscard]] ProvenanceAnswer ofNodes(std::size_t stage, std::span<const ir::NodeIndex> nodes) const;
    /// What became of a line of the program, in the last attempt. `file` may be the end of a path ("cap.py").
    [[nodiscard]] ProvenanceAnswer ofSource(std::string_view file, std::uint32_t line) const;
    /// What a line of generated code computes; lines count from 1.
    [[nodiscard]] ProvenanceAnswer ofCode(std::size_t stage, std::size_t line) const;
    /// What a kernel computes: in that call of it (GeneratedKernel::calls) where it is known of it, else in all calls.
    [[nodiscard]] ProvenanceAnswer ofKernel(std::size_t stage, std::size_t kernel,
                                            std::size_t call = npos) const;
    /// Which nodes of the graph that it was made of each kernel of a stage of generated code computes; none for others.
    [[nodiscard]] std::vector<KernelLink> kernelLinks(std::size_t stage) const;

    /// The calls of kernels that were made of a post-grad stage, by kernel, each with what it computes of that stage.
    /// Left out is what only a kernel's name speaks for, and a kernel of several calls where nothing says which
    /// computes what. None for other stages.
    [[nodiscard]] std::vector<KernelNodes> kernelsMadeOf(std::size_t stage) const;
    /// The stages of graphs that a stage was made from, the nearest first.
    [[nodiscard]] std::vector<std::size_t> stagesAbove(std::size_t stage) const;
    /// By node of a stage, the nodes of a stage above that it comes from, rising: by Inductor's record where it has the
    /// node, else by links, those of the neighbourhood alone left out. In time linear in the links between the two.
    /// Empty where `above` is not above, or either cannot be read.
    [[nodiscard]] std::vector<std::vector<ir::NodeIndex>> originsIn(std::size_t stage,
                                                                    std::size_t above) const;
    /// The stage of code that was generated from a stage, or npos.
    [[nodiscard]] std::size_t codeMadeOf(std::size_t stage) const;
    static constexpr std::size_t npos = SIZE_MAX;

    /// The kernels of a stage of generated code; none for others.
    [[nodiscard]] const GeneratedCode& code(std::size_t stage) const;
    [[nodiscard]] const Compile& compile() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// True where `path` is `file`, or ends with it after a slash.
[[nodiscard]] bool namesFile(std::string_view path, std::string_view file);

} // namespace dynascope::session
