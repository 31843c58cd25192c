// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::compare::detail {

namespace {

using session::Stage;
using session::StagePtr;

std::string_view rawText(const session::Payload& payload) {
    if (!payload.source) return {};
    const std::string_view all = payload.source->bytes();
    return payload.offset > all.size() ? std::string_view() : all.substr(payload.offset, payload.length);
}

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

/// Adds the differences of two graphs to a pair.
void addDifferences(StageComparison& pair, const ir::Graph& a, const ir::Graph& b, const std::string& within,
                    const OwnDevices& devices) {
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
        pair.verdict = CompareVerdict::Differs;
        pair.difference = within + text;
        if (row.a != ir::npos) pair.nodeA = a.node(row.a).name;
        if (row.b != ir::npos) pair.nodeB = b.node(row.b).name;
    }
}

struct GraphPair {
    ir::GraphPtr a, b;
    std::string within; ///< "body_0: " of a nested graph
};

void compareGraphs(StageComparison& pair, const ir::GraphPtr& a, const ir::GraphPtr& b,
                   const OwnDevices& devices) {
    std::vector<GraphPair> open{{a, b, {}}};
    while (!open.empty()) {
        const GraphPair next = std::move(open.back());
        open.pop_back();
        addDifferences(pair, *next.a, *next.b, next.within, devices);
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

void compareStage(StageComparison& pair, const OwnDevices& devices) {
    if (!pair.a || !pair.b) return;
    const bool alike = pair.a->content == pair.b->content &&
                       pair.a->payload.tabbed == pair.b->payload.tabbed && !pair.a->payload.empty() &&
                       rawText(pair.a->payload) == rawText(pair.b->payload);
    if (alike &&
        (!devices.differ() || devices.exchanged(rawText(pair.b->payload)) == rawText(pair.b->payload)))
        return;
    if (pair.a->content == Stage::Content::Code && pair.b->content == Stage::Content::Code)
        return compareCode(pair, devices);
    const Result<ir::GraphPtr> a = pair.a->graph();
    Result<ir::GraphPtr> b = pair.b->graph();
    if (a && b && devices.differ()) b = ir::readGraph(devices.exchanged(pair.b->payload.text()));
    if (a && b) return compareGraphs(pair, *a, *b, devices);
    pair.verdict = CompareVerdict::Unreadable;
    pair.difference = (a ? "B: " : "A: ") + (a ? b : a).error().toString();
}

} // namespace dynascope::compare::detail
