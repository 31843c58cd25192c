// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/module_paths.h"

#include "core/layout/module_spread.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace dynascope::layout {

namespace {

constexpr std::uint32_t noRegion = UINT32_MAX;

/// Ops that a module of torch.nn is made of. Its own forward is not in the user's program: such a call stands
/// on a line of the module around it.
bool isLibraryCall(const ir::Node& node) {
    const ir::OpKind kind = ir::opKind(node);
    if (kind == ir::OpKind::Linear || kind == ir::OpKind::View) return true;
    constexpr std::array<std::string_view, 5> words = {"_norm", "embedding", "prelu", "lstm", "gru"};
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return node.target.find(w) != std::string::npos; });
}

/// What the worker functions below share.
struct Inference {
    const ir::Graph& graph;
    ModulePaths& out;
    std::vector<std::optional<PathId>> direct;
    std::vector<std::uint32_t> region;
    std::vector<std::optional<PathId>>
        recorded{};            ///< by node, where the capture has nn_module_stack; else empty
    bool backwardOnly = false; ///< a backward graph by itself

    [[nodiscard]] bool turnsBack(ir::NodeIndex i) const;
    [[nodiscard]] bool isBackward(ir::NodeIndex i) const;
    void readHints(const std::vector<std::string>& hints);
    void readRecorded();
    void spreadParameters();
    void findRegions();
    void assignRuns();
    void fillGaps();
    void placeSums();
    void placePlaceholders();
    void markBackward();
};

void Inference::readHints(const std::vector<std::string>& hints) {
    std::size_t placeholder = 0;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op != ir::Op::Placeholder) continue;
        if (placeholder < hints.size() && !hints[placeholder].empty()) {
            const PathId path = out.table.moduleOf(hints[placeholder]);
            direct[i] = path;
            out.any = out.any || path != rootPath;
        }
        ++placeholder;
    }
}

/// torch.export's archives say of each node in which module it was made.
void Inference::readRecorded() {
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        std::string_view note = graph.node(i).note;
        constexpr std::string_view module = "module ";
        const std::size_t end = note.rfind(" (");
        if (!note.starts_with(module) || end == std::string_view::npos || end < module.size()) continue;
        const std::string_view path = note.substr(module.size(), end - module.size());
        recorded.resize(graph.size());
        recorded[i] = path == "top module" ? rootPath : out.table.moduleOf(std::string(path) + '.');
        out.any = out.any || *recorded[i] != rootPath;
    }
}

void Inference::spreadParameters() {
    // `owned` values are parameters and views of parameters: what reads them works for their module.
    std::vector<std::uint8_t> owned(graph.size(), 0);
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op == ir::Op::Placeholder) {
            owned[i] = direct[i].has_value();
            continue;
        }
        if (node.op == ir::Op::Output) continue;
        std::optional<PathId> path;
        bool ofOwned = false;
        for (const ir::NodeIndex input : graph.inputs(i)) {
            if (!owned[input] || !direct[input]) continue;
            path = path ? out.table.common(*path, *direct[input]) : *direct[input];
            ofOwned = true;
        }
        // An output of an op with several belongs where the op does.
        if (!path && node.target == "operator.getitem" && !graph.inputs(i).empty())
            path = direct[graph.inputs(i).front()];
        direct[i] = path;
        owned[i] = ofOwned && graph.inputs(i).size() == 1 && ir::opKind(node) == ir::OpKind::View;
    }
}

void Inference::findRegions() {
    using Site = std::pair<std::string_view, std::string_view>;
    std::map<Site, std::set<std::uint32_t>> lines;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (const ir::SourceLocation* at = node->location()) lines[{at->file, at->function}].insert(at->line);
    }
    std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::uint32_t> regionOfLine;
    std::uint32_t next = 0;
    for (const auto& [site, set] : lines) {
        std::uint32_t last = 0;
        bool first = true;
        for (const std::uint32_t line : set) {
            if (first || line - last > regionGap) ++next;
            regionOfLine[{site.first, site.second, line}] = next;
            last = line;
            first = false;
        }
    }
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (const ir::SourceLocation* at = graph.node(i).location())
            region[i] = regionOfLine[{at->file, at->function, at->line}];
    }
}

/// The same function began again: the next item of a list, or the next call. Backward visits lines in no such
/// order.
bool Inference::turnsBack(ir::NodeIndex i) const {
    return !isBackward(i) && graph.node(i).location()->line < graph.node(i - 1).location()->line;
}

bool Inference::isBackward(ir::NodeIndex i) const {
    return out.backward.empty() ? backwardOnly : out.backward[i] != 0;
}

void Inference::assignRuns() {
    struct Run {
        ir::NodeIndex begin, end;
        std::vector<PathId> modules; // distinct direct ones
        bool ownCode = false;        // the module's own lines read its parameters
    };
    std::vector<Run> runs;
    std::map<std::uint32_t, bool> surrounds; // region -> some run reads several modules
    for (ir::NodeIndex i = 0; i < graph.size();) {
        if (region[i] == noRegion || graph.node(i).op == ir::Op::Placeholder) {
            ++i;
            continue;
        }
        Run run{i, i, {}, false};
        while (run.end < graph.size() && region[run.end] == region[i] &&
               (run.end == i || !turnsBack(run.end))) {
            if (direct[run.end] &&
                std::find(run.modules.begin(), run.modules.end(), *direct[run.end]) == run.modules.end())
                run.modules.push_back(*direct[run.end]);
            run.ownCode =
                run.ownCode || (direct[run.end] && graph.node(run.end).target != "operator.getitem" &&
                                !isLibraryCall(graph.node(run.end)));
            ++run.end;
        }
        i = run.end;
        surrounds[region[run.begin]] = surrounds[region[run.begin]] || run.modules.size() > 1;
        runs.push_back(std::move(run));
    }
    const auto crossesList = [this](const std::vector<PathId>& modules, PathId common) {
        const int depth = out.table.depth(common);
        std::set<std::string> items;
        for (const PathId m : modules) {
            if (out.table.depth(m) <= depth) continue;
            const std::string& name = out.table.component(out.table.ancestor(m, depth + 1));
            if (name.find('.') != std::string::npos) items.insert(name);
        }
        return items.size() > 1;
    };
    for (const Run& run : runs) {
        if (run.modules.empty()) continue;
        PathId module = run.modules.front();
        for (const PathId m : run.modules) {
            module = out.table.common(module, m);
        }
        // Items of a list that ran one after the other: nothing is known of the nodes between them here.
        if (crossesList(run.modules, module)) continue;
        if (run.modules.size() == 1 && (!run.ownCode || surrounds[region[run.begin]]))
            module = out.table.parent(module);
        // Between two parts of a deeper module a node is that module's own, as where two classes' functions
        // of one name stand close together in a file.
        std::vector<PathId> next(run.end - run.begin, module);
        std::optional<PathId> after;
        for (ir::NodeIndex i = run.end; i-- > run.begin;) {
            if (after) next[i - run.begin] = *after;
            if (direct[i]) after = direct[i];
        }
        std::optional<PathId> before;
        for (ir::NodeIndex i = run.begin; i < run.end; ++i) {
            const PathId following = next[i - run.begin];
            PathId own = module;
            if (!direct[i] && before && *before != following) {
                const PathId common = out.table.common(*before, following);
                if (out.table.depth(common) > out.table.depth(own)) own = common;
            }
            out.ofNode[i] = direct[i].value_or(own);
            if (direct[i]) before = direct[i];
        }
    }
}

void Inference::fillGaps() {
    // Known neighbours in graph order: what assignRuns() or a parameter placed.
    constexpr PathId unknown = UINT32_MAX;
    std::vector<PathId> after(graph.size() + 1, unknown);
    for (std::size_t i = graph.size(); i-- > 0;) {
        const bool known = out.ofNode[i] != unknown && graph.node(ir::NodeIndex(i)).op != ir::Op::Placeholder;
        after[i] = known ? out.ofNode[i] : after[i + 1];
    }
    // A list of modules by its parent and name; items are "layers.0", "layers.1".
    constexpr int noList = -1;
    std::map<std::pair<PathId, std::string>, int> lists;
    const auto listOf = [&](PathId item) {
        const std::string& name = out.table.component(item);
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos) return noList;
        return lists.try_emplace({out.table.parent(item), name.substr(0, dot)}, int(lists.size()))
            .first->second;
    };
    std::map<std::uint32_t, int> endsOf; // region -> the list at whose items' ends it was seen
    PathId before = unknown;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Op op = graph.node(i).op;
        if (op == ir::Op::Placeholder || op == ir::Op::Output) continue;
        if (out.ofNode[i] != unknown) {
            before = out.ofNode[i];
            continue;
        }
        const PathId next = after[i + 1];
        if (before == unknown || next == unknown) {
            out.ofNode[i] = rootPath;
            continue;
        }
        PathId common = out.table.common(before, next);
        const int depth = out.table.depth(common);
        if (out.table.depth(before) > depth) {
            // Between two items of one list a node is still the former one's, as the residual add after the
            // last sublayer. After the last item the code is known by its region.
            const PathId item = out.table.ancestor(before, depth + 1);
            const int list = listOf(item);
            const bool toNext =
                out.table.depth(next) > depth && listOf(out.table.ancestor(next, depth + 1)) == list;
            const auto known = endsOf.find(region[i]);
            if (list != noList && (toNext || (known != endsOf.end() && known->second == list))) {
                if (toNext && region[i] != noRegion) endsOf[region[i]] = list;
                common = item;
            }
        }
        out.ofNode[i] = common;
    }
}

/// A value that several modules read gets a gradient from each, and the sum belongs to none of them.
void Inference::placeSums() {
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (!isBackward(i) || direct[i] || graph.node(i).op == ir::Op::Placeholder) continue;
        const auto& inputs = graph.inputs(i);
        if (opName(graph.node(i)) != "add" || inputs.size() != 2) continue;
        const auto [earlier, later] = std::minmax(inputs[0], inputs[1]);
        if (graph.node(earlier).op == ir::Op::Placeholder || !isBackward(earlier) || !isBackward(later))
            continue;
        if (out.ofNode[earlier] != out.ofNode[later])
            out.ofNode[i] = moduleOfSum(out.table, out.ofNode[later], out.ofNode[earlier]);
    }
}

void Inference::placePlaceholders() {
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op == ir::Op::Output) {
            out.ofNode[i] = rootPath;
            continue;
        }
        if (node.op != ir::Op::Placeholder) continue;
        out.ofNode[i] = direct[i].value_or(rootPath);
        // Tensors saved for backward have no owner by name; they belong to whoever reads them.
        const bool saved = !direct[i] && !node.name.starts_with("tangents_") && node.comment.empty() &&
                           !node.name.starts_with("arg") && !node.name.starts_with("primals_") &&
                           node.target == node.name;
        if (!saved || graph.users(i).empty()) continue;
        PathId module = out.ofNode[graph.users(i).front()];
        for (const ir::NodeIndex user : graph.users(i)) {
            if (graph.node(user).op != ir::Op::Output) module = out.table.common(module, out.ofNode[user]);
        }
        out.ofNode[i] = module;
    }
}

void Inference::markBackward() {
    std::vector<std::uint8_t> mark(graph.size(), 0);
    bool tangents = false, onlyJointInputs = true;
    ir::NodeIndex output = ir::npos;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op == ir::Op::Placeholder) {
            mark[i] = node.name.starts_with("tangents_");
            tangents = tangents || mark[i];
            onlyJointInputs = onlyJointInputs && (mark[i] || node.name.starts_with("primals_"));
        } else if (node.op == ir::Op::Output) {
            output = i;
        } else {
            for (const ir::NodeIndex input : graph.inputs(i)) {
                mark[i] = mark[i] || mark[input];
            }
        }
    }
    backwardOnly = tangents && !onlyJointInputs;
    if (!tangents || !onlyJointInputs || output == ir::npos) return;

    // Forward ends with the last node that a forward output needs. What comes later without a tangent
    // prepares backward.
    ir::NodeIndex lastForward = 0;
    for (const ir::NodeIndex i : graph.inputs(output)) {
        if (!mark[i]) lastForward = std::max(lastForward, i);
    }
    for (ir::NodeIndex i = lastForward + 1; i < graph.size(); ++i) {
        const ir::Op op = graph.node(i).op;
        mark[i] = mark[i] || (op != ir::Op::Placeholder && op != ir::Op::Output);
    }
    out.backward = std::move(mark);
}

} // namespace

ModulePaths inferModules(const ir::Graph& graph, const std::vector<std::string>& hints) {
    ModulePaths out;
    out.ofNode.assign(graph.size(), UINT32_MAX);
    Inference work{graph, out, std::vector<std::optional<PathId>>(graph.size()),
                   std::vector<std::uint32_t>(graph.size(), noRegion)};
    work.readHints(hints);
    work.readRecorded();
    work.markBackward();
    if (!out.any) {
        out.ofNode.assign(graph.size(), rootPath);
        return out;
    }
    work.spreadParameters();
    spreadModules({graph, out.backward, work.backwardOnly}, out.table, work.direct);
    for (ir::NodeIndex i = 0; i < work.recorded.size(); ++i)
        if (work.recorded[i]) work.direct[i] = work.recorded[i];
    work.findRegions();
    work.assignRuns();
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (out.ofNode[i] == UINT32_MAX && work.direct[i] && graph.node(i).op != ir::Op::Placeholder)
            out.ofNode[i] = *work.direct[i];
    }
    work.fillGaps();
    work.placeSums();
    work.placePlaceholders();
    return out;
}

} // namespace dynascope::layout
