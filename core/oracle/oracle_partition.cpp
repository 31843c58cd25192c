// SPDX-License-Identifier: BSD-3-Clause
//
// Judges kind `partition`: what the partitioners make of a joint graph, by what PyTorch's made of it.
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"
#include "core/passes/partition/config_json.h"

#include <algorithm>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using namespace passes::partition;

template <typename Value>
Value number(const json& object, const char* key, Value fallback) {
    const json& value = field(object, key);
    return value.is_number() ? value.get<Value>() : fallback;
}

std::vector<std::string> names(const json& list) {
    std::vector<std::string> out;
    for (const json& entry : list)
        if (entry.is_string()) out.push_back(entry.get<std::string>());
    return out;
}

JointTensor jointTensor(const json& meta) {
    JointTensor out;
    const json& hint = field(meta, "shape_hint");
    for (const json& size : hint.is_array() ? hint : field(meta, "shape"))
        out.sizes.push_back(size.is_number_integer() ? size.get<std::int64_t>() : 0);
    std::int64_t numel = 1;
    bool fits = true;
    for (const std::int64_t size : out.sizes)
        fits &= !__builtin_mul_overflow(numel, size, &numel);
    numel = number(meta, "numel_hint", fits ? numel : INT64_MAX);
    const std::int64_t itemSize = ir::dtypeBytes(ir::shortDtype(stringField(meta, "dtype")));
    if (__builtin_mul_overflow(numel, itemSize, &out.bytes)) out.bytes = INT64_MAX;
    out.storage = number<std::size_t>(meta, "storage", 0);
    return out;
}

Region regionOf(const std::string& tag) {
    if (tag == "is_forward") return Region::Forward;
    if (tag == "is_backward") return Region::Backward;
    if (tag == "must_be_in_forward") return Region::MustBeInForward;
    return tag == "must_be_in_backward" ? Region::MustBeInBackward : Region::None;
}

Recompute recomputeOf(const std::string& policy) {
    if (policy == "MUST_SAVE") return Recompute::MustSave;
    if (policy == "PREFER_SAVE") return Recompute::PreferSave;
    if (policy == "MUST_RECOMPUTE") return Recompute::MustRecompute;
    return policy == "PREFER_RECOMPUTE" ? Recompute::PreferRecompute : Recompute::None;
}

SymbolKind symbolOf(const std::string& kind) {
    if (kind == "SymInt") return SymbolKind::Int;
    if (kind == "SymFloat") return SymbolKind::Float;
    return kind == "SymBool" ? SymbolKind::Bool : SymbolKind::None;
}

NodeFacts factsOf(const ir::Node& node, const json& meta, const json& attributes) {
    NodeFacts out;
    if (field(meta, "shape").is_array()) out.tensor = jointTensor(meta);
    out.symbol = symbolOf(stringField(meta, "sym"));
    const json& items = field(meta, "items");
    out.tuple = items.is_array();
    for (const json& item : items)
        if (field(item, "shape").is_array())
            out.itemBytes += std::min(jointTensor(item).bytes, std::int64_t{1} << 40);
    out.freeSymbols = names(field(meta, "free_symbols"));
    out.binds = stringField(meta, "binds");
    out.region = regionOf(stringField(meta, "tag"));
    out.recompute = recomputeOf(stringField(meta, "recompute"));
    if (const json& id = field(meta, "ac_graph_id"); id.is_number_integer())
        out.checkpointRegion = id.get<std::int64_t>();
    out.hasBackwardHook = field(meta, "has_backward_hook") == true;
    out.writes = field(meta, "mutable_schema") == true;
    out.seededRandom = field(meta, "nondeterministic_seeded") == true;
    out.savedUnversioned = field(meta, "saved_tensor_with_no_vc_check") == true;
    out.isModule = node.op == ir::Op::GetAttr && field(attributes, node.target.c_str()).contains("other");
    return out;
}

Result<Joint> jointOf(const json& oracleCase) {
    auto graph = ir::readGraph(stringField(oracleCase, "joint"));
    if (!graph) return tl::unexpected(graph.error());
    Joint out;
    out.graph = std::move(*graph);
    for (const ir::NodePtr& node : out.graph->nodes())
        out.facts.push_back(factsOf(*node, field(field(oracleCase, "node_meta"), node->name.c_str()),
                                    field(oracleCase, "attrs")));
    out.forwardOutputs = number<std::size_t>(oracleCase, "num_fwd_outputs", 0);
    for (const json& index : field(oracleCase, "static_lifetime_input_indices"))
        if (index.is_number_unsigned()) out.staticPrimals.push_back(index.get<std::size_t>());
    return out;
}

std::string withoutTrailingBlanks(std::string text) {
    text.erase(text.find_last_not_of(" \n") + 1);
    return text;
}

class PartitionJudge {
public:
    PartitionJudge(const json& oracleCase, CaseReport& report)
        : m_case(oracleCase)
        , m_report(report) {}

    void run() {
        const auto joint = jointOf(m_case);
        if (!joint) return add("case", joint.error().toString());
        const auto got = stringField(m_case, "partitioner") == "default"
                             ? defaultPartition(*joint)
                             : minCutPartition(*joint, configOf(field(m_case, "config")));
        const std::string error = stringField(m_case, "error");
        if (!got) {
            add("error", sameError(error, got.error().message));
            return inputs(*joint);
        }
        if (!error.empty()) return add("error", "nothing fails, PyTorch raises '" + error + '\'');
        graph("fw", *got->forward);
        graph("bw", *got->backward);
        list("saved", got->saved);
        list("donated_saved", got->donated);
        list("recomputed", recomputed(*got));
        list("bw_inputs", placeholders(*got->backward));
        bytes(*joint, *got);
        inputs(*joint);
    }

private:
    void add(const std::string& part, const std::string& difference) {
        m_report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    }

    /// How many inputs are primals, and which ones are tangents.
    void inputs(const Joint& joint) {
        std::vector<std::string> tangents;
        std::size_t primals = 0;
        for (const std::string& name : placeholders(*joint.graph)) {
            if (name.find("tangent") != std::string::npos) tangents.push_back(name);
            primals += name.starts_with("primals") ? 1 : 0;
        }
        const json expected{{"n_primals", field(m_case, "n_primals")},
                            {"tangents", field(m_case, "tangents")}};
        Part(m_report, "inputs").compare(expected, {{"n_primals", primals}, {"tangents", tangents}});
    }

    static std::string sameError(const std::string& expected, const std::string& got) {
        if (!expected.empty() && expected.ends_with(got)) return {};
        return got + (expected.empty() ? std::string() : " (PyTorch raises '" + expected + "')");
    }

    void graph(const char* key, const ir::Graph& got) {
        const std::string expected = withoutTrailingBlanks(stringField(m_case, key)),
                          printed = ir::printFx(got);
        add(key, expected == printed ? std::string() : firstDifferentLine(expected, printed));
    }

    void list(const char* key, const std::vector<std::string>& got) {
        const json expected = field(m_case, key);
        add(key, expected == json(got) ? std::string() : json(got).dump() + ", expected " + expected.dump());
    }

    static std::vector<std::string> placeholders(const ir::Graph& graph) {
        std::vector<std::string> out;
        for (const ir::NodePtr& node : graph.nodes())
            if (node->op == ir::Op::Placeholder) out.push_back(node->name);
        return out;
    }

    /// Calls of both graphs, in the order of backward.
    static std::vector<std::string> recomputed(const Partition& got) {
        std::vector<std::string> out;
        for (const ir::NodePtr& node : got.backward->nodes()) {
            const ir::NodeIndex there = got.forward->find(node->name);
            if (node->op == ir::Op::CallFunction && there != ir::npos &&
                got.forward->node(there).op == ir::Op::CallFunction)
                out.push_back(node->name);
        }
        return out;
    }

    /// Of tensors; PyTorch's sum leaves symbols out.
    void bytes(const Joint& joint, const Partition& got) {
        std::int64_t symbols = 0;
        for (const std::string& name : got.saved) {
            const ir::NodeIndex i = joint.graph->find(name);
            if (i != ir::npos && joint.facts[i].isSymbol()) ++symbols;
        }
        const std::int64_t saved = got.savedBytes() - symbols;
        const bool same =
            field(m_case, "saved_bytes") == saved && field(m_case, "n_saved_symints") == symbols;
        add("bytes", same ? std::string()
                          : std::to_string(saved) + " bytes and " + std::to_string(symbols) +
                                " symbols, expected " + field(m_case, "saved_bytes").dump() + " and " +
                                field(m_case, "n_saved_symints").dump());
    }

    const json& m_case;
    CaseReport& m_report;
};

} // namespace

void judgePartition(const json& oracleCase, CaseReport& report) {
    PartitionJudge(oracleCase, report).run();
}

} // namespace dynascope::engine
