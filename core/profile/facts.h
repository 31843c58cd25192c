// SPDX-License-Identifier: BSD-3-Clause
//
// What the rows of a joined profile are of, in names: nodes, source lines, module, kernel; and how each is known.
#pragma once

#include "core/ir/graph.h"
#include "core/profile/join.h"
#include "core/profile/work.h"
#include "core/session/provenance.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::profile {

struct RowFacts {
    std::string compile;              ///< "0/0"; of a profile without its capture as the profile says it
    std::string stage;                ///< label of the stage
    int nodeStage = -1;               ///< that `nodes` are of, into Compile::stages
    std::vector<ir::NodeIndex> nodes; ///< that it computes; several for a fused kernel
    std::vector<std::string> nodeNames;
    bool computesAll = true; ///< those nodes; else one of them, or some
    std::string kernel;      ///< "cpp_fused_relu_0"; "aten.mm.default" of a node
    std::vector<ir::SourceLocation> lines;
    std::string module; ///< the innermost that holds all of it: "layers.0.linear1"; may be empty
    Work work;          ///< of one event; where it is known which nodes those are, and alone
    /// Of a call of a collective, or of a wait for one, that collective's node; empty of all else.
    std::string collective;
    std::string breakPlace;     ///< "cap.py:31" of the graph break whose cost it is
    ir::SourceLocation breakAt; ///< the same; line 0 where the capture does not say it
    std::string evidence;       ///< "compile id; cache key; kernel name and order; nodes by comment"
};

/// Asks each question once: reads and aligns graphs, as session::Provenance does. One thread at a time.
class Facts {
public:
    explicit Facts(JoinedPtr joined);
    ~Facts();
    Facts(const Facts&) = delete;
    Facts& operator=(const Facts&) = delete;

    [[nodiscard]] const RowFacts& of(std::size_t row);
    [[nodiscard]] const JoinedPtr& joined() const { return m_joined; }

private:
    struct OfCompile;
    [[nodiscard]] OfCompile& compile(int index);
    void addKernel(const Row& row, RowFacts& facts);
    void addNode(const Row& row, RowFacts& facts);
    void addAnswer(const Row& row, const session::ProvenanceAnswer& answer, RowFacts& facts);
    [[nodiscard]] std::string evidenceOf(const Row& row) const;
    void addWork(const Row& row, const ir::Graph& graph, std::optional<session::LinkEvidence> nodes,
                 RowFacts& facts);
    /// Of a row of a library call on a device: kernels that each call of it launches; nothing where that is not known.
    [[nodiscard]] std::optional<double> kernelsOfCall(const Row& row);
    [[nodiscard]] const session::GeneratedKernel& kernelOf(const Row& row);
    [[nodiscard]] bool isLibraryCall(const Row& row);

    JoinedPtr m_joined;
    std::vector<std::unique_ptr<RowFacts>> m_facts;
    std::map<int, std::unique_ptr<OfCompile>> m_compiles;
    using Called = std::array<int, 4>; ///< compile, stage, kernel, call
    std::optional<std::map<Called, std::size_t>>
        m_calls; ///< how often the CPU called each kernel of output code
    /// By compile and stage, how often a CUDA graph of it was launched; 0 where a call launches several.
    std::optional<std::map<std::pair<int, int>, std::size_t>> m_replays;
    [[nodiscard]] std::size_t replaysOf(const Row& row);
};

/// "eager code after the break at cap.py:31", "guards", "outside compiled code": a row that is no kernel and no node.
[[nodiscard]] std::string partWords(const Row& row, const RowFacts& facts);

} // namespace dynascope::profile
