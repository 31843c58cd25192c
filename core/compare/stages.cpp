// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/compare/parts.h"
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"
#include "core/ir/value_parser.h"
#include "core/session/program_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace dynascope::compare::detail {

namespace {

using session::Stage;
using session::StagePtr;

constexpr std::size_t mostInputs = 3; // that a line explains

/// The next line of generated code that is no comment: comments name files of the machine.
std::string_view nextCodeLine(std::string_view& text, std::size_t& number) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string_view::npos && line[first] != '#') return line;
    }
    return {};
}

void compareCode(StageComparison& pair, const OwnDevices& devices) {
    const std::string a = pair.a->payload.text(), b = devices.exchanged(pair.b->payload.text());
    std::string_view restA = a, restB = b;
    std::size_t numberA = 0, numberB = 0;
    for (;;) {
        const std::string_view lineA = nextCodeLine(restA, numberA), lineB = nextCodeLine(restB, numberB);
        if (lineA != lineB) {
            pair.verdict = CompareVerdict::Differs;
            pair.difference = "line " + std::to_string(lineA.empty() ? numberB : numberA) + ": " +
                              (lineA.empty()   ? "only in B: " + shortened(devices.exchanged(lineB))
                               : lineB.empty() ? "only in A: " + shortened(lineA)
                                               : whereTheyPart(lineA, devices.exchanged(lineB)));
            return;
        }
        if (lineA.empty()) return;
    }
}

std::string line(const ir::Graph& graph, ir::NodeIndex node) {
    return shortened(ir::printNode(graph.node(node), {.strides = false, .shortTargets = true}));
}

/// Whether the text has the name as a word.
bool mentions(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !ir::isNameChar(text[at - 1])) && (end == text.size() || !ir::isNameChar(text[end])))
            return true;
    }
    return false;
}

/// A graph of the two and the compile that names its inputs; null where nothing does.
struct SideGraph {
    const ir::Graph* graph = nullptr;
    const session::Compile* compile = nullptr;
    mutable std::vector<std::string>
        names{}; ///< by node; read when first asked for, which reads other graphs

    /// What the program calls an input of the graph; empty where it is no input, or nothing tells.
    [[nodiscard]] std::string programName(ir::NodeIndex node) const {
        if (!compile || graph->node(node).op != ir::Op::Placeholder) return {};
        if (names.empty()) names = session::programNames(session::namingOf(*compile), *graph);
        return names[node] == graph->node(node).name ? std::string() : names[node];
    }
    /// "x (primals_2)"
    [[nodiscard]] std::string label(ir::NodeIndex node) const {
        const std::string name = graph->node(node).name, ofProgram = programName(node);
        return ofProgram.empty() ? name : ofProgram + " (" + name + ')';
    }
};

/// ", where primals_2 is x" for the inputs that `text` names of what a row's nodes read; empty without any.
std::string whereInputsAre(const std::string& text, const diff::Row& row, const SideGraph& a,
                           const SideGraph& b) {
    std::map<std::string, std::array<std::string, 2>> named;
    for (const std::size_t side : {0U, 1U}) {
        const SideGraph& own = side == 0 ? a : b;
        const ir::NodeIndex node = side == 0 ? row.a : row.b;
        if (node == ir::npos || !own.compile) continue;
        std::vector<ir::NodeIndex> read(own.graph->inputs(node).begin(), own.graph->inputs(node).end());
        if (row.a == ir::npos || row.b == ir::npos) read.push_back(node); // its line has no other name
        for (const ir::NodeIndex input : read) {
            const std::string& name = own.graph->node(input).name;
            if (own.graph->node(input).op != ir::Op::Placeholder || !mentions(text, name)) continue;
            if (std::string ofProgram = own.programName(input); !ofProgram.empty())
                named[name][side] = std::move(ofProgram);
        }
    }
    std::vector<std::string> parts;
    for (const auto& [name, of] : named) {
        if (parts.size() == mostInputs) break;
        const bool alike = of[0].empty() || of[1].empty() || of[0] == of[1];
        parts.push_back(name + " is " +
                        (alike ? of[0].empty() ? of[1] : of[0] : of[0] + " in A and " + of[1] + " in B"));
    }
    return parts.empty() ? std::string() : ", where " + joined(parts, " and ");
}

/// Adds the differences of two graphs to a pair.
void addDifferences(StageComparison& pair, const SideGraph& ofA, const SideGraph& ofB,
                    const std::string& within, const OwnDevices& devices) {
    const ir::Graph &a = *ofA.graph, &b = *ofB.graph;
    const diff::GraphDiff diff = diff::diffGraphs(a, b);
    if (diff.identical()) return;
    for (const diff::Row& row : diff.rows) {
        if (row.change == diff::Change::Same || row.change == diff::Change::Respelled) continue;
        const std::vector<diff::FieldChange>* fields =
            row.change == diff::Change::Changed ? diff.detail(row.a) : nullptr;
        const diff::FieldChange* field = nullptr;
        if (fields != nullptr) {
            if (fields->empty()) continue;
            field = &fields->front();
        }
        std::string text;
        switch (row.change) {
        case diff::Change::Added:
            ++pair.added;
            text = "only in B: " + devices.exchanged(line(b, row.b));
            break;
        case diff::Change::Removed:
            ++pair.removed;
            text = "only in A: " + line(a, row.a);
            break;
        case diff::Change::Moved:
            ++pair.moved;
            text = a.node(row.a).name + " stands elsewhere";
            break;
        default:
            ++pair.changed;
            text = a.node(row.a).name + ": " + (field != nullptr ? field->field + " " : std::string());
            text += field != nullptr
                        ? whereTheyPart(field->a.empty() ? "absent" : field->a,
                                        field->b.empty() ? "absent" : devices.exchanged(field->b))
                        : devices.exchanged(line(b, row.b));
        }
        if (!pair.difference.empty()) continue;
        const bool ofBoth = row.a != ir::npos && row.b != ir::npos;
        if (ofBoth) text.replace(0, a.node(row.a).name.size(), ofA.label(row.a));
        pair.verdict = CompareVerdict::Differs;
        pair.difference = within + text + whereInputsAre(text, row, ofA, ofB);
        if (row.a != ir::npos) pair.nodeA = a.node(row.a).name;
        if (row.b != ir::npos) pair.nodeB = b.node(row.b).name;
    }
}

struct GraphPair {
    ir::GraphPtr a, b;
    std::string within; ///< "body_0: " of a nested graph
};

void compareGraphs(StageComparison& pair, const ir::GraphPtr& a, const ir::GraphPtr& b,
                   const OwnDevices& devices, const session::Compile* compileA,
                   const session::Compile* compileB) {
    std::vector<GraphPair> open{{a, b, {}}};
    while (!open.empty()) {
        const GraphPair next = std::move(open.back());
        open.pop_back();
        // Inputs of a nested graph are no inputs of the compile.
        const bool whole = next.within.empty();
        addDifferences(pair, {next.a.get(), whole ? compileA : nullptr},
                       {next.b.get(), whole ? compileB : nullptr}, next.within, devices);
        for (const std::string& name : next.a->subgraphOrder()) {
            const auto other = next.b->subgraphs().find(name);
            // A call of a graph that is gone is a difference of its own.
            if (other == next.b->subgraphs().end()) continue;
            open.push_back(
                {next.a->subgraphs().find(name)->second, other->second, next.within + name + ": "});
        }
    }
}

} // namespace

std::vector<StageComparison> matchStages(const session::Compile& a, const session::Compile& b) {
    using Key = std::pair<std::string_view, int>;
    std::map<Key, StagePtr> ofA, ofB; // of several attempts the last
    for (const StagePtr& stage : a.stages)
        ofA[{stage->name, stage->k}] = stage;
    for (const StagePtr& stage : b.stages)
        ofB[{stage->name, stage->k}] = stage;
    const auto hits = [](const session::CacheEvent& event) {
        return event.outcome == session::CacheEvent::Outcome::Hit;
    };
    const bool cachedA = std::any_of(a.caches.begin(), a.caches.end(), hits);
    const bool cachedB = std::any_of(b.caches.begin(), b.caches.end(), hits);

    std::vector<StageComparison> out;
    std::set<Key> seen;
    for (const session::Compile* side : {&a, &b})
        for (const StagePtr& stage : side->stages) {
            const Key key{stage->name, stage->k};
            if (!seen.insert(key).second) continue;
            const auto inA = ofA.find(key), inB = ofB.find(key);
            StageComparison pair;
            if (inA != ofA.end()) pair.a = inA->second;
            if (inB != ofB.end()) pair.b = inB->second;
            if (!pair.a || !pair.b) {
                pair.verdict = pair.a ? CompareVerdict::OnlyInA : CompareVerdict::OnlyInB;
                pair.cached = pair.a ? cachedB : cachedA;
                pair.difference = verdictName(pair.verdict);
                if (pair.cached) pair.difference += ": the other side took it from a cache";
            }
            out.push_back(std::move(pair));
        }
    return out;
}

void compareStage(StageComparison& pair, const OwnDevices& devices, const session::Compile* compileA,
                  const session::Compile* compileB) {
    if (!pair.a || !pair.b) return;
    const Result<std::string_view> rawA = pair.a->payload.bytes(), rawB = pair.b->payload.bytes();
    if (!rawA || !rawB) {
        pair.verdict = CompareVerdict::Unreadable;
        pair.difference = (rawA ? "B: " : "A: ") + (rawA ? rawB : rawA).error().toString();
        return;
    }
    const bool alike = pair.a->content == pair.b->content &&
                       pair.a->payload.tabbed == pair.b->payload.tabbed && !pair.a->payload.empty() &&
                       *rawA == *rawB;
    if (alike && (!devices.differ() || devices.exchanged(*rawB) == *rawB)) return;
    if (pair.a->content == Stage::Content::Code && pair.b->content == Stage::Content::Code)
        return compareCode(pair, devices);
    const Result<ir::GraphPtr> a = pair.a->graph();
    Result<ir::GraphPtr> b = pair.b->graph();
    if (a && b && devices.differ()) b = ir::readGraph(devices.exchanged(pair.b->payload.text()));
    if (a && b) return compareGraphs(pair, *a, *b, devices, compileA, compileB);
    pair.verdict = CompareVerdict::Unreadable;
    pair.difference = (a ? "B: " : "A: ") + (a ? b : a).error().toString();
}

} // namespace dynascope::compare::detail
