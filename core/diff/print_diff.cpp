// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"

#include <nlohmann/json.hpp>

namespace dynascope::diff {

namespace {

using ir::NodeIndex;
using ir::npos;

std::string line(const ir::Graph& graph, NodeIndex node) {
    return ir::printNode(graph.node(node), {.strides = false, .shortTargets = true});
}

std::string_view signOf(Change change) {
    switch (change) {
    case Change::Same:
        return "  ";
    case Change::Respelled:
        return "\u2248 ";
    case Change::Changed:
        return "~ ";
    case Change::Moved:
        return "\u2195 ";
    case Change::Added:
        return "+ ";
    case Change::Removed:
        return "- ";
    }
    return "  ";
}

std::string summary(const GraphDiff& diff) {
    return "+" + std::to_string(diff.added) + " -" + std::to_string(diff.removed) + " ~" +
           std::to_string(diff.changed) + " moved " + std::to_string(diff.moved) + ", " +
           std::to_string(diff.respelled) + " respelled, " + std::to_string(diff.same) + " same";
}

std::string orAbsent(const std::string& value) {
    return value.empty() ? "absent" : value;
}

} // namespace

std::string printDiff(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff) {
    std::string out;
    for (const Row& row : diff.rows) {
        const bool ofA = row.a != npos;
        out += signOf(row.change);
        out += ofA ? line(a, row.a) : line(b, row.b);
        const bool rewritten = row.change == Change::Respelled || row.change == Change::Changed;
        if (rewritten && ofA && row.b != npos) out += "  ->  " + line(b, row.b);
        out += '\n';
        if (row.change == Change::Removed) {
            std::string became, gradient;
            for (const NodeIndex j : diff.linksFromA(row.a)) {
                std::string& list = diff.toGradient({row.a, j}) ? gradient : became;
                list += (list.empty() ? "" : ", ") + b.node(j).name;
            }
            if (!became.empty()) out += "      became " + became + "\n";
            if (!gradient.empty()) out += "      its gradient: " + gradient + "\n";
        }
        const auto* fields = row.change == Change::Changed ? diff.detail(row.a) : nullptr;
        if (fields == nullptr) continue;
        for (const FieldChange& f : *fields)
            out += "      " + f.field + ": " + orAbsent(f.a) + " -> " + orAbsent(f.b) + "\n";
    }
    return out + summary(diff) + "\n";
}

std::string printDiffJson(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff) {
    using nlohmann::json;
    const auto name = [](const ir::Graph& graph, NodeIndex i) {
        return i == npos ? json() : json(graph.node(i).name);
    };
    json rows = json::array();
    for (const Row& row : diff.rows) {
        json fields = json::array();
        const auto* changes = row.change == Change::Changed ? diff.detail(row.a) : nullptr;
        if (changes != nullptr)
            for (const FieldChange& f : *changes)
                fields.push_back({{"field", f.field}, {"a", f.a}, {"b", f.b}});
        rows.push_back({{"change", changeName(row.change)},
                        {"a", name(a, row.a)},
                        {"b", name(b, row.b)},
                        {"fields", std::move(fields)}});
    }
    json links = json::array();
    for (const Link& link : diff.links)
        links.push_back(
            {{"a", name(a, link.a)}, {"b", name(b, link.b)}, {"evidence", evidenceName(link.evidence)}});
    const json document{{"summary",
                         {{"added", diff.added},
                          {"removed", diff.removed},
                          {"changed", diff.changed},
                          {"moved", diff.moved},
                          {"respelled", diff.respelled},
                          {"same", diff.same}}},
                        {"rows", std::move(rows)},
                        {"links", std::move(links)}};
    return document.dump(2, ' ', false, json::error_handler_t::replace);
}

} // namespace dynascope::diff
