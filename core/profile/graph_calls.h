// SPDX-License-Identifier: BSD-3-Clause
//
// Which graph of a capture a call in a profile is of, and which of its kernels or nodes the operators in that call are.
// Internal to core/profile.
#pragma once

#include "core/profile/join.h"
#include "core/session/generated_code.h"
#include "core/session/stage_links.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::profile {

/// Output code of a compile, under the key of a cache.
struct KeyedCode {
    int compile = -1, stage = -1;
};

/// Compiles by id and output codes by key, for one rank.
class CompileIndex {
public:
    /// `rank` is -1 where the profile does not say which it is of.
    CompileIndex(const session::Session& session, int rank);

    /// Compiles that PyTorch calls "0/0", the last run last; none where ranks have it and the profile's is not known.
    [[nodiscard]] std::span<const int> withId(std::string_view id) const;
    /// Output codes with that key.
    [[nodiscard]] std::span<const KeyedCode> withKey(std::string_view key) const;
    [[nodiscard]] bool hasKeys() const { return !m_keys.empty(); }
    /// The only output code of a compile for forward or backward; -1 where it has none or several.
    [[nodiscard]] int onlyCode(int compile, bool backward) const;
    /// The graph that runs node by node where the compile has no output code; -1 for none.
    [[nodiscard]] int graphRun(int compile, bool backward) const;
    /// Whether the graph of graphRun() is Dynamo's, as of the backend "eager".
    [[nodiscard]] bool runsDynamo(int compile) const;

private:
    void add(int compile);
    const session::Session& m_session;
    bool m_isRankUnknown = false;
    std::map<std::string, std::vector<int>, std::less<>> m_ids;
    std::map<std::string, std::vector<KeyedCode>, std::less<>> m_keys;
    std::map<std::pair<int, bool>, std::vector<int>> m_codes;
};

/// What an operator in a call is.
struct Matched {
    int kernel = -1, call = -1; ///< of output code
    std::uint32_t node = none;  ///< of a graph
    Link link = Link::None;
    bool foreign =
        false; ///< it is none of the graph's: no operator there has the name, or its last one was before
};

/// An operator, or the CPU's side of a kernel, that a graph's call holds directly.
struct CalledOperator {
    std::string_view name;   ///< "aten::mm", "graph_0_cpp_fused_relu_0"
    std::string_view dims;   ///< "[[8, 32], [32]]"; empty where not recorded
    std::string_view file{}; ///< "kernel_file" of a kernel of Triton's; empty where not recorded
};

/// "cpp_fused_relu_0" of "graph_0_cpp_fused_relu_0" (torch/_inductor/codegen/cpp.py).
[[nodiscard]] std::string_view withoutGraphNumber(std::string_view event);
/// "cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch".
[[nodiscard]] bool isGraphLaunch(std::string_view event);
/// Whether Inductor generated a kernel of that name: "cpp_fused_...", "triton_poi_fused_...".
[[nodiscard]] bool isGeneratedKernel(std::string_view event);

/// "extern_kernels.mm:2", the kernel and the handle of its call, of an event "## inductor_kernel:extern_kernels.mm:2 ##"
/// that Inductor puts around the call, with or without the signs; empty for any other event.
[[nodiscard]] std::string_view debugHandleOf(std::string_view event);

/// "cymd4y.py" of "/tmp/torchinductor_me/ym/cymd4y.py": what a source of Triton's is known by, being a hash of it, where
/// caches stand in different folders.
[[nodiscard]] std::string_view kernelFileName(std::string_view path);

/// Output code, to be asked for its kernels by the names of events.
class CodeCalls {
public:
    explicit CodeCalls(std::string_view text);
    [[nodiscard]] std::vector<Matched> match(std::span<const CalledOperator> operators) const;
    /// A kernel on a device by its name alone; nothing (kernel -1) where no kernel has it.
    [[nodiscard]] Matched find(std::string_view kernel) const;
    /// The call below a comment "[Provenance debug handles]" with that handle; nothing where none or several have it.
    [[nodiscard]] Matched withHandle(std::string_view handle) const;
    /// What one launch of a CUDA graph ran on one stream, in its order. Generated kernels are known by name and turn; what
    /// lies between two of them is of the library call that the code makes there, where it makes one alone or as many
    /// as there are kernels. `isWhole`: nothing else ran the rest of the code.
    [[nodiscard]] std::vector<Matched> matchReplay(std::span<const std::string_view> kernels,
                                                   bool isWhole) const;
    [[nodiscard]] const session::GeneratedCode& code() const { return m_code; }

private:
    struct Site {
        std::size_t line = 0;
        int kernel = -1, call = -1;
    };
    struct Step {
        Site site;
        std::string_view generated; ///< name of the kernel; empty for a call of a library
    };
    /// Gives calls [from, to) of the library what ran in [first, last).
    void fillReplay(std::size_t from, std::size_t to, std::size_t first, std::size_t last,
                    std::vector<Matched>& out) const;

    session::GeneratedCode m_code;
    std::map<std::string, std::vector<Site>, std::less<>>
        m_sites;                                           ///< by the name of events, in order of lines
    std::map<std::string, Matched, std::less<>> m_handles; ///< nothing where several calls have it
    std::vector<Step> m_steps;                             ///< all calls, in order of lines
};

/// The operators of a graph that runs node by node.
class GraphOperators {
public:
    explicit GraphOperators(const ir::Graph& graph);
    [[nodiscard]] std::size_t size() const { return m_operators.size(); }
    [[nodiscard]] std::vector<Matched> match(std::span<const CalledOperator> operators) const;

private:
    struct Operator {
        std::string name, dims; ///< dims is "?" where the graph does not say them as numbers
        std::uint32_t node = none;
    };
    std::vector<Operator> m_operators;
    std::set<std::string, std::less<>> m_names;
};

/// The shapes of tensors that have dimensions, in order: "[8, 32][32]"; the same for an event and for a node.
[[nodiscard]] std::string shapesOf(std::string_view inputDims);
[[nodiscard]] std::string shapesOf(const ir::Graph& graph, const ir::Node& node);

} // namespace dynascope::profile
