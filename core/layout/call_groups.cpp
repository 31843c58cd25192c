// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/call_groups.h"

#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace dynascope::layout {

namespace {

constexpr std::size_t minBlock = 3;            ///< calls: fewer are read as quickly as a block
constexpr std::size_t groupFunctionsAbove = 8; ///< direct calls up to which a module is shown as it is
constexpr std::size_t mostFunctions = 8; ///< blocks and calls of helpers in a row that are shown one by one
constexpr std::size_t minTurns = 3;
constexpr std::size_t mostLoopStarts = 16; ///< lines tried as the first of a loop's body
constexpr std::size_t minSame = 8;         ///< calls of one target
constexpr std::size_t minInputs = 3;       ///< of one kind
constexpr std::size_t shownInputs = 4;     ///< inputs of the whole graph that stay single

bool isCall(const ir::Node& node) {
    return node.op != ir::Op::Placeholder && node.op != ir::Op::Output;
}

using Nodes = std::vector<ir::NodeIndex>;

class Blocks {
public:
    Blocks(const ir::Graph& graph, GroupTree& tree)
        : m_graph(graph)
        , m_tree(tree) {}

    /// Moves nodes of `parent` into a new child.
    GroupId add(GroupId parent, Group::Kind kind, const std::string& name, std::string detail,
                const std::vector<ir::NodeIndex>& nodes) {
        const auto id = GroupId(m_tree.groups.size());
        Group group;
        group.kind = kind;
        const int nth = ++m_names[{parent, name}];
        group.name = nth == 1 ? name : name + " (" + std::to_string(nth) + ')';
        const std::string& above = m_tree.groups[parent].path;
        group.path = above.empty() ? group.name : above + '.' + group.name;
        group.detail = std::move(detail);
        group.parent = parent;
        group.nodes = nodes;
        m_tree.groups.push_back(std::move(group));
        m_tree.groups[parent].children.push_back(id);
        for (const ir::NodeIndex n : nodes) {
            m_tree.groupOfNode[n] = id;
        }
        return id;
    }

    /// Takes what add() moved out of the parent's own nodes.
    void finish(GroupId parent) {
        const std::size_t moved = std::erase_if(
            m_tree.groups[parent].nodes, [&](ir::NodeIndex n) { return m_tree.groupOfNode[n] != parent; });
        if (moved > 0 && parent == m_runsOf) m_runsOf = noGroup;
    }

    /// The direct calls of a group as lists of neighbours in the graph, until finish() takes some.
    [[nodiscard]] const std::vector<Nodes>& directRuns(GroupId id) {
        if (m_runsOf != id) findRuns(id);
        return m_runs;
    }

    [[nodiscard]] const ir::Graph& graph() const { return m_graph; }
    [[nodiscard]] GroupTree& tree() { return m_tree; }

private:
    void findRuns(GroupId id) {
        Nodes calls;
        for (const ir::NodeIndex n : m_tree.groups[id].nodes) {
            if (isCall(m_graph.node(n))) calls.push_back(n);
        }
        if (!std::is_sorted(calls.begin(), calls.end())) std::sort(calls.begin(), calls.end());
        m_runs.clear();
        for (const ir::NodeIndex n : calls) {
            if (m_runs.empty() || m_runs.back().back() + 1 != n) m_runs.emplace_back();
            m_runs.back().push_back(n);
        }
        m_runsOf = id;
    }

    const ir::Graph& m_graph;
    GroupTree& m_tree;
    std::map<std::pair<GroupId, std::string>, int> m_names;
    std::vector<Nodes> m_runs;
    GroupId m_runsOf = noGroup;
};

// ---- Turns of a loop

/// The line that each node was made at, as a small number; the line of the node before where it has none.
std::vector<std::uint32_t> linesOf(const ir::Graph& graph, const Nodes& run) {
    std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::uint32_t> ids;
    std::vector<std::uint32_t> lines;
    const ir::SourceLocation* before = nullptr; // neighbours share theirs
    for (const ir::NodeIndex n : run) {
        const ir::SourceLocation* at = graph.node(n).location();
        if (at == nullptr || at == before) {
            lines.push_back(lines.empty() ? 0 : lines.back());
            continue;
        }
        before = at;
        const auto next = static_cast<std::uint32_t>(ids.size() + 1);
        lines.push_back(ids.try_emplace({at->file, at->function, at->line}, next).first->second);
    }
    return lines;
}

std::vector<std::size_t> wordsOf(const ir::Graph& graph, const Nodes& run) {
    std::vector<std::size_t> words;
    words.reserve(run.size());
    for (const ir::NodeIndex n : run) {
        const ir::Node& node = graph.node(n);
        // What an attribute is called tells nothing of what is done with it.
        const std::string_view word = node.op == ir::Op::GetAttr ? std::string_view() : node.target;
        words.push_back(std::hash<std::string_view>{}(word));
    }
    return words;
}

/// Where the turns of the outermost loop begin, and after the last its end; empty where there is no loop.
std::vector<std::size_t> turnsOf(const ir::Graph& graph, const Nodes& run) {
    if (run.size() < minTurns * minBlock) return {};
    const std::vector<std::uint32_t> lines = linesOf(graph, run);
    // Where a line is come to, by its number; these follow one another as the lines are first seen.
    std::vector<std::vector<std::size_t>> entries;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i] == 0 || (i > 0 && lines[i - 1] == lines[i])) continue;
        if (entries.size() < lines[i]) entries.resize(lines[i]);
        entries[lines[i] - 1].push_back(i);
    }
    std::size_t tried = 0;
    std::vector<std::size_t> words; // what each node does, as a number
    for (std::vector<std::size_t>& starts : entries) {
        if (starts.size() < minTurns) continue;
        if (++tried > mostLoopStarts) break;
        if (words.empty()) words = wordsOf(graph, run);
        // Operations of a turn, as one number; a turn ends where the next begins.
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> forms;
        const auto formOf = [&](std::size_t begin, std::size_t end) {
            std::size_t form = 0;
            for (std::size_t i = begin; i < end; ++i)
                form = form * 1000003 ^ words[i];
            return std::pair{form, end - begin};
        };
        for (std::size_t t = 0; t + 1 < starts.size(); ++t)
            ++forms[formOf(starts[t], starts[t + 1])];
        const auto most = std::max_element(forms.begin(), forms.end(), [](const auto& a, const auto& b) {
            return a.second * a.first.second < b.second * b.first.second; // nodes that it covers
        });
        const std::size_t length = most->first.second;
        if (most->second < 2 || length < minBlock) continue;
        // The loop goes from the first turn of this form to the last; a line may come again elsewhere.
        std::size_t first = starts.size(), last = 0;
        for (std::size_t t = 0; t < starts.size(); ++t) {
            const std::size_t end = std::min(starts[t] + length, run.size());
            if (formOf(starts[t], end) != most->first) continue;
            first = std::min(first, t);
            last = t;
        }
        const std::size_t turns = last - first + 1;
        if (turns < minTurns || most->second * 2 <= turns) continue;
        starts = {starts.begin() + std::ptrdiff_t(first), starts.begin() + std::ptrdiff_t(last) + 1};
        starts.push_back(starts.back() + length);
        return std::move(starts);
    }
    return {};
}

void groupTurns(Blocks& blocks, GroupId id) {
    for (const Nodes& run : blocks.directRuns(id)) {
        const std::vector<std::size_t> starts = turnsOf(blocks.graph(), run);
        if (starts.empty()) continue;
        const ir::SourceLocation* at = blocks.graph().node(run[starts.front()]).location();
        const std::string name = at->function.empty() ? std::string(baseName(at->file)) : at->function;
        for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
            blocks.add(
                id, Group::Kind::Turn, name + '.' + std::to_string(t),
                std::string(baseName(at->file)) + ':' + std::to_string(at->line),
                Nodes(run.begin() + std::ptrdiff_t(starts[t]), run.begin() + std::ptrdiff_t(starts[t + 1])));
        }
    }
    blocks.finish(id);
}

// ---- Helper functions

/// A module's own code stands in `forward`: what it calls is told apart, itself not.
bool isHelper(const ir::SourceLocation* at) {
    return at != nullptr && !at->function.empty() && at->function != "forward" && at->function != "<module>";
}

/// Of nodes that stand one after the other: each function from its first call to its last, with those that it
/// called in between.
std::vector<Nodes> functionsOf(const ir::Graph& graph, const Nodes& stretch) {
    using Name = std::pair<std::string_view, std::string_view>;
    std::map<Name, std::size_t> last;
    const auto nameAt = [&](std::size_t i) {
        const ir::SourceLocation* at = graph.node(stretch[i]).location();
        return Name{at->file, at->function};
    };
    for (std::size_t i = 0; i < stretch.size(); ++i)
        last[nameAt(i)] = i;
    std::vector<Nodes> functions;
    for (std::size_t begin = 0; begin < stretch.size();) {
        std::size_t end = last[nameAt(begin)];
        for (std::size_t i = begin; i <= end; ++i)
            end = std::max(end, last[nameAt(i)]);
        functions.emplace_back(stretch.begin() + std::ptrdiff_t(begin),
                               stretch.begin() + std::ptrdiff_t(end + 1));
        begin = end + 1;
    }
    return functions;
}

/// The file that most of the nodes come from.
std::string_view mainFile(const ir::Graph& graph, const Nodes& nodes) {
    std::map<std::string_view, std::size_t> counts;
    for (const ir::NodeIndex n : nodes)
        ++counts[baseName(graph.node(n).location()->file)];
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

void groupFunctions(Blocks& blocks, GroupId id) {
    const ir::Graph& graph = blocks.graph();
    const std::vector<Nodes>& runs = blocks.directRuns(id);
    std::size_t calls = 0;
    for (const Nodes& run : runs)
        calls += run.size();
    if (calls <= groupFunctionsAbove) return;
    for (const Nodes& run : runs) {
        for (std::size_t begin = 0; begin < run.size();) {
            std::size_t end = begin;
            while (end < run.size() && isHelper(graph.node(run[end]).location()))
                ++end;
            if (end == begin) {
                ++begin;
                continue;
            }
            const Nodes stretch(run.begin() + std::ptrdiff_t(begin), run.begin() + std::ptrdiff_t(end));
            begin = end;
            const std::vector<Nodes> functions = functionsOf(graph, stretch);
            std::size_t shown = 0;
            for (const Nodes& nodes : functions)
                shown += nodes.size() < minBlock ? nodes.size() : 1;
            GroupId parent = id;
            // Many functions one after the other, as those that make a mask, are one thing seen from outside.
            if (shown > mostFunctions && stretch.size() * 5 <= calls * 4 && functions.size() > 1)
                parent = blocks.add(id, Group::Kind::Function, std::string(mainFile(graph, stretch)),
                                    count(functions.size(), "function"), stretch);
            for (const Nodes& nodes : functions) {
                // A function that holds nearly all of it would be the same block again.
                if (nodes.size() < minBlock || nodes.size() * 5 > calls * 4) continue;
                const ir::SourceLocation* at = graph.node(nodes.front()).location();
                blocks.add(parent, Group::Kind::Function, at->function,
                           std::string(baseName(at->file)) + ':' + std::to_string(at->line), nodes);
            }
            if (parent != id) blocks.finish(parent);
        }
    }
    blocks.finish(id);
}

// ---- Lines

void groupLines(Blocks& blocks, GroupId id, std::size_t above) {
    const ir::Graph& graph = blocks.graph();
    const std::vector<Nodes>& runs = blocks.directRuns(id);
    std::size_t calls = 0;
    for (const Nodes& run : runs)
        calls += run.size();
    if (calls <= above) return;
    for (const Nodes& run : runs) {
        for (std::size_t begin = 0; begin < run.size();) {
            const ir::SourceLocation* at = graph.node(run[begin]).location();
            std::size_t end = begin + 1;
            while (at != nullptr && end < run.size()) {
                const ir::SourceLocation* other = graph.node(run[end]).location();
                if (other == nullptr || other->line != at->line || other->file != at->file) break;
                ++end;
            }
            if (end - begin >= minBlock)
                blocks.add(id, Group::Kind::SourceLine,
                           std::string(baseName(at->file)) + ':' + std::to_string(at->line), at->code,
                           Nodes(run.begin() + std::ptrdiff_t(begin), run.begin() + std::ptrdiff_t(end)));
            begin = end;
        }
    }
    blocks.finish(id);
}

// ---- Many of a kind

void groupSameTargets(Blocks& blocks, GroupId id) {
    const ir::Graph& graph = blocks.graph();
    for (const Nodes& run : blocks.directRuns(id)) {
        for (std::size_t begin = 0; begin < run.size();) {
            std::size_t end = begin + 1;
            // A row, not a chain: none reads another.
            const auto readsRow = [&](ir::NodeIndex n) {
                const auto& inputs = graph.inputs(n);
                return std::any_of(inputs.begin(), inputs.end(),
                                   [&](ir::NodeIndex i) { return i >= run[begin] && i < n; });
            };
            while (end < run.size() && graph.node(run[end]).target == graph.node(run[begin]).target &&
                   !readsRow(run[end]))
                ++end;
            if (end - begin >= minSame) {
                const std::string target(ir::shortTarget(graph.node(run[begin]).target));
                blocks.add(id, Group::Kind::Run, target, "side by side",
                           Nodes(run.begin() + std::ptrdiff_t(begin), run.begin() + std::ptrdiff_t(end)));
            }
            begin = end;
        }
    }
    blocks.finish(id);
}

// ---- Inputs

enum class InputKind : std::uint8_t { State, Input, Tangent, Saved, Attribute };
constexpr std::array<std::string_view, 5> inputNames = {"state", "inputs", "tangents", "saved tensors",
                                                        "attributes"};
constexpr std::array<std::string_view, 5> inputWords = {"parameters and buffers", "", "",
                                                        "saved for backward", "get_attr nodes"};

std::string inputDetail(const ir::Graph& graph, const Nodes& nodes, InputKind kind) {
    std::uint64_t bytes = 0;
    std::size_t known = 0;
    for (const ir::NodeIndex n : nodes) {
        const ir::Node& node = graph.node(n);
        const auto size = node.meta && node.meta->tensor ? node.meta->tensor->bytes() : std::nullopt;
        if (!size) continue;
        bytes += *size;
        ++known;
    }
    std::string text(inputWords[std::size_t(kind)]);
    // Sizes that are symbols, or not printed, make no sum.
    if (known == nodes.size()) text += (text.empty() ? "" : ", ") + formatBytes(bytes);
    return text;
}

} // namespace

void groupCalls(const ir::Graph& graph, GroupTree& tree, std::size_t linesAbove) {
    Blocks blocks(graph, tree);
    for (GroupId id = 0; id < tree.groups.size(); ++id) {
        const Group::Kind kind = tree.groups[id].kind;
        const bool own = kind == Group::Kind::Root || kind == Group::Kind::Module;
        if (!own && kind != Group::Kind::Turn) continue;
        if (own) groupTurns(blocks, id);
        groupFunctions(blocks, id);
        groupSameTargets(blocks, id);
        groupLines(blocks, id, linesAbove);
    }
}

void groupInputs(const ir::Graph& graph, const std::vector<std::string>& hints, GroupTree& tree) {
    std::vector<InputKind> kinds(graph.size(), InputKind::Attribute);
    std::size_t placeholder = 0;
    bool tangents = false, named = true; // all are primals and tangents
    for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
        const ir::Node& node = graph.node(n);
        if (node.op != ir::Op::Placeholder) continue;
        const bool hinted = placeholder < hints.size() && !hints[placeholder].empty();
        ++placeholder;
        const bool tangent = node.name.starts_with("tangents_");
        tangents = tangents || tangent;
        named = named && (tangent || node.name.starts_with("primals_"));
        kinds[n] = hinted                              ? InputKind::State
                   : tangent                           ? InputKind::Tangent
                   : node.name.starts_with("primals_") ? InputKind::Input
                                                       : InputKind::Saved;
    }
    // Only a backward graph has what was saved for it.
    for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
        if (kinds[n] == InputKind::Saved && (!tangents || named)) kinds[n] = InputKind::Input;
    }
    Blocks blocks(graph, tree);
    const std::size_t before = tree.groups.size();
    for (GroupId id = 0; id < before; ++id) {
        std::map<InputKind, Nodes> found;
        for (const ir::NodeIndex n : tree.groups[id].nodes) {
            const ir::Op op = graph.node(n).op;
            if (op == ir::Op::Placeholder || (op == ir::Op::GetAttr && graph.inputs(n).empty()))
                found[kinds[n]].push_back(n);
        }
        std::size_t single = 0; // inputs of the whole graph
        for (const auto& [kind, nodes] : found)
            single += kind == InputKind::State || kind == InputKind::Attribute ? 0 : nodes.size();
        for (auto& [kind, nodes] : found) {
            const bool stays =
                id == 0 && kind != InputKind::State && kind != InputKind::Attribute && single <= shownInputs;
            if (nodes.size() < minInputs || stays) continue;
            std::sort(nodes.begin(), nodes.end());
            blocks.add(id, Group::Kind::Inputs, std::string(inputNames[std::size_t(kind)]),
                       inputDetail(graph, nodes, kind), nodes);
        }
        blocks.finish(id);
    }
}

} // namespace dynascope::layout
