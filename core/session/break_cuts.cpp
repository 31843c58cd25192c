// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/breaks.h"

#include "core/session/compile_counts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

namespace dynascope::session {

namespace {

constexpr std::size_t maxOps = 4;

/// "relu" of "torch.nn.functional.relu", "add" of "torch.ops.aten.add.Tensor".
std::string opLabel(const ir::Node& node) {
    std::string target = ir::shortTarget(node.target);
    if (target.starts_with("aten.") || target.starts_with("prims.")) {
        target.erase(0, target.find('.') + 1);
        return target.substr(0, target.find('.'));
    }
    return target.substr(target.rfind('.') + 1);
}

std::vector<std::string> opsOf(const Compile& compile) {
    std::vector<std::string> out;
    const StagePtr stage = compile.findStage("dynamo_output_graph");
    if (!stage) return out;
    const Result<ir::GraphPtr> graph = stage->graph();
    if (!graph) return out;
    for (const ir::NodePtr& node : (*graph)->nodes()) {
        if (node->op == ir::Op::Placeholder || node->op == ir::Op::Output || node->op == ir::Op::GetAttr)
            continue;
        std::string label = opLabel(*node);
        if (std::find(out.begin(), out.end(), label) != out.end()) continue;
        out.push_back(std::move(label));
        if (out.size() == maxOps) break;
    }
    return out;
}

/// "x" of "L['x']"; nothing for deeper sources.
std::optional<std::string> localName(std::string_view source) {
    if (!source.starts_with("L['") || !source.ends_with("']")) return std::nullopt;
    const std::string_view name = source.substr(3, source.size() - 5);
    if (name.find('\'') != std::string_view::npos) return std::nullopt;
    return std::string(name);
}

/// The first tensor argument, "x f32[s77, 8]": with the symbols of the graph where it has them.
std::string argumentOf(const Compile& compile) {
    const auto input =
        std::find_if(compile.inputs.begin(), compile.inputs.end(), [](const TensorInput& item) {
            return !item.isParameter && localName(item.source).has_value();
        });
    if (input == compile.inputs.end()) return {};
    const std::string name = *localName(input->source);
    std::string form = input->meta.shortForm();
    if (const StagePtr stage = compile.findStage("dynamo_output_graph")) {
        if (const Result<ir::GraphPtr> graph = stage->graph()) {
            const ir::NodeIndex node = (*graph)->find("l_" + name + '_');
            if (node != ir::npos && (*graph)->node(node).meta && (*graph)->node(node).meta->tensor)
                form = (*graph)->node(node).meta->tensor->shortForm();
        }
    }
    return name + ' ' + form;
}

} // namespace

std::vector<CutRow> cutRows(const Session& session, const BreakSummary& summary) {
    std::vector<std::size_t> follows(session.compiles.size(), SIZE_MAX); // the group of the break before it
    std::vector<std::size_t> groupOf(session.compiles.size(), SIZE_MAX);
    std::vector<const GraphBreak*> endOf(session.compiles.size(), nullptr);
    for (std::size_t g = 0; g < summary.groups.size(); ++g) {
        for (const std::size_t c : summary.groups[g].framesAfter)
            follows[c] = g;
        for (const BreakOccurrence& occurrence : summary.groups[g].occurrences) {
            groupOf[occurrence.compile] = g;
            endOf[occurrence.compile] = &session.compiles[occurrence.compile].breaks[occurrence.index];
        }
    }

    struct Row {
        std::size_t root;
        std::vector<std::size_t> compiles;
        bool cut = false;
        bool later = false; ///< compiled again without the root, whose own compile is in an earlier row
    };
    std::vector<Row> rows;
    std::map<std::pair<std::pair<int, int>, std::size_t>, std::size_t>
        rowOf; // of (rank and run, group): the last
    for (std::size_t c = 0; c < session.compiles.size(); ++c) {
        const auto origin = session.compiles[c].origin();
        const bool sameRun = !rows.empty() && session.compiles[rows.back().root].origin() == origin;
        std::size_t at = rows.size() - 1;
        if (follows[c] == SIZE_MAX || !sameRun) {
            at = rows.size();
            rows.push_back({c, {}, false, false});
        } else if (const auto home = rowOf.find({origin, follows[c]}); home != rowOf.end()) {
            const std::size_t root = rows[home->second].root;
            const bool away = session.compiles[root].function != session.compiles[rows.back().root].function;
            const bool again = std::ranges::any_of(rows[home->second].compiles, [&](std::size_t other) {
                return session.compiles[other].id.frame == session.compiles[c].id.frame;
            });
            if ((away || again) &&
                session.compiles[c].isRecompile) { // others were called meanwhile, or it was
                at = rows.size();
                rows.push_back({root, {}, true, true});
            } else if (away) {
                at = home->second;
            }
        }
        rows[at].compiles.push_back(c);
        rows[at].cut = rows[at].cut || endOf[c];
        for (const std::size_t g : {follows[c], groupOf[c]})
            if (g != SIZE_MAX) rowOf[{origin, g}] = at;
    }
    std::erase_if(rows, [](const Row& row) { return !row.cut; });

    std::set<std::string_view> functions;
    for (const Row& row : rows)
        functions.insert(session.compiles[row.root].function);
    const bool named = functions.size() > 1;

    std::vector<CutRow> out;
    for (const Row& row : rows) {
        const Compile& root = session.compiles[row.root];
        CutRow cut;
        cut.root = row.root;
        std::string before;
        if (session.ranks.size() > 1) before = "rank " + std::to_string(root.rank) + ", ";
        if (session.runCount(root.rank) > 1) before += "run " + std::to_string(root.id.run) + ", ";
        // How many calls there were is not known: those that found an entry left nothing.
        const std::string again = row.later ? "the rest again" : root.isRecompile ? "again" : "";
        std::string what = named           ? root.function + (again.empty() ? "" : ", ") + again
                           : again.empty() ? "first"
                                           : again;
        if (!named && !row.later && before.empty())
            what = "compiled " + what; // short where ranks and runs are told
        cut.label = before + what;
        // A function's name stays as it is.
        if (!named || !before.empty())
            cut.label.front() =
                static_cast<char>(std::toupper(static_cast<unsigned char>(cut.label.front())));
        if (!row.later) cut.detail = argumentOf(root);
        for (const std::size_t c : row.compiles) {
            CutPiece piece;
            piece.compile = c;
            piece.ops = opsOf(session.compiles[c]);
            piece.seconds = compileTime(session.compiles[c]);
            if (endOf[c] && endOf[c]->location())
                piece.breakLine = static_cast<int>(endOf[c]->location()->line);
            piece.group = groupOf[c];
            cut.pieces.push_back(std::move(piece));
        }
        out.push_back(std::move(cut));
    }
    return out;
}

} // namespace dynascope::session
