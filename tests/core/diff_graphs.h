// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs to be compared, read or built, and what holds of every diff.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/ir/text.h"

#include <QFile>
#include <QString>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::test {

inline ir::GraphPtr read(const std::string& text) {
    auto graph = ir::readGraph(text);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

inline ir::GraphPtr captured(const QString& name) {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/graphs/") + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", qPrintable(file.fileName()));
    return read(file.readAll().toStdString());
}

inline ir::Node call(std::string name, std::string target, std::vector<ir::Argument> args) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(args);
    return node;
}

inline ir::Node placeholder(std::string name) {
    ir::Node node = call(name, name, {});
    node.op = ir::Op::Placeholder;
    return node;
}

inline ir::Node output(const std::string& name) {
    ir::Node node = call("output", "output", {ir::Argument::tuple({ir::Argument::node(name)})});
    node.op = ir::Op::Output;
    return node;
}

inline ir::GraphPtr build(const std::vector<ir::Node>& nodes) {
    ir::GraphBuilder builder;
    for (const ir::Node& node : nodes)
        builder.add(node);
    return builder.build();
}

/// Empty when all is well.
inline std::string problem(const ir::Graph& a, const ir::Graph& b, const diff::GraphDiff& d) {
    std::vector<int> seenA(a.size(), 0);
    std::vector<int> seenB(b.size(), 0);
    for (const diff::Row& row : d.rows) {
        if (row.a != ir::npos) ++seenA[row.a];
        if (row.b != ir::npos) ++seenB[row.b];
        if (row.a == ir::npos && row.b == ir::npos) return "an empty row";
        if ((row.change == diff::Change::Removed) != (row.b == ir::npos))
            return "a removed row with a partner";
        if ((row.change == diff::Change::Added) != (row.a == ir::npos)) return "an added row with a partner";
        if (row.a != ir::npos && d.a[row.a] != row.change) return "row and node differ";
        if (row.b != ir::npos && d.b[row.b] != row.change) return "row and node differ";
        if (row.a != ir::npos && row.b != ir::npos && d.partnerOfA[row.a] != row.b)
            return "row and partner differ";
    }
    if (std::any_of(seenA.begin(), seenA.end(), [](int n) { return n != 1; }))
        return "a node of A is not in one row";
    if (std::any_of(seenB.begin(), seenB.end(), [](int n) { return n != 1; }))
        return "a node of B is not in one row";
    for (ir::NodeIndex i = 0; i < a.size(); ++i) {
        if (d.partnerOfA[i] != ir::npos && d.partnerOfB[d.partnerOfA[i]] != i) return "partners do not agree";
        if ((d.a[i] == diff::Change::Changed) != (d.detail(i) != nullptr)) return "a change without detail";
    }
    for (std::size_t k = 0; k < d.links.size(); ++k) {
        if (d.links[k].a >= a.size() || d.links[k].b >= b.size()) return "a link out of range";
        if (k > 0 && std::pair(d.links[k - 1].a, d.links[k - 1].b) >= std::pair(d.links[k].a, d.links[k].b))
            return "links are not sorted";
    }
    for (ir::NodeIndex i = 0; i < a.size(); ++i) {
        const auto links = d.linksFromA(i);
        if (d.partnerOfA[i] != ir::npos &&
            std::find(links.begin(), links.end(), d.partnerOfA[i]) == links.end())
            return "a pair is not linked";
    }
    if (d.same + d.respelled + d.changed + d.moved + d.added + d.removed != d.rows.size()) return "counts";
    return {};
}

} // namespace dynascope::test
