// SPDX-License-Identifier: BSD-3-Clause
//
// Diffs of a graph and what a pass made of it, where the pass recorded which node became which.
#include "core/diff/graph_diff.h"
#include "core/ir/text.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace dynascope;
using diff::Change;
using diff::Evidence;
using diff::GraphDiff;
using diff::Origins;
using ir::NodeIndex;
using ir::npos;

namespace {

ir::GraphPtr read(const std::string& body) {
    auto graph = ir::readGraph("class m(torch.nn.Module):\n    def forward(self, x):\n" + body);
    if (!graph) qFatal("%s", graph.error().toString().c_str());
    return *graph;
}

ir::GraphPtr inPlace() {
    return read("        mul_ = torch.ops.aten.mul_.Tensor(x, 2)\n"
                "        add = torch.ops.aten.add.Tensor(x, 1)\n"
                "        return (add,)\n");
}

ir::GraphPtr functional() {
    return read("        mul = torch.ops.aten.mul.Tensor(x, 2)\n"
                "        add = torch.ops.aten.add.Tensor(mul, 1)\n"
                "        copy_ = torch.ops.aten.copy_.default(x, mul)\n"
                "        return (add,)\n");
}

/// By name, so that a test reads like a recording.
Origins origins(const ir::Graph& a, const ir::Graph& b,
                const std::vector<std::pair<std::string, std::string>>& names) {
    Origins out;
    for (const auto& [from, to] : names) {
        if (a.find(from) == npos || b.find(to) == npos) qFatal("%s, %s", from.c_str(), to.c_str());
        out.emplace_back(a.find(from), b.find(to));
    }
    return out;
}

std::vector<std::string> becameNames(const ir::Graph& a, const ir::Graph& b, const GraphDiff& d,
                                     const std::string& name) {
    std::vector<std::string> out;
    for (const NodeIndex j : d.linksFromA(a.find(name)))
        out.push_back(b.node(j).name);
    return out;
}

using Names = std::vector<std::string>;

} // namespace

class TestDiffOrigins : public QObject {
    Q_OBJECT

private slots:
    void anInPlaceOpIsChangedNotRemoved() {
        const auto a = inPlace(), b = functional();
        const Origins known = origins(*a, *b,
                                      {{"x", "x"},
                                       {"mul_", "mul"},
                                       {"mul_", "copy_"},
                                       {"add", "add"},
                                       {"output", "copy_"},
                                       {"output", "output"}});
        const GraphDiff d = diff::diffGraphs(*a, *b, known);
        QCOMPARE(d.removed, 0U);
        QCOMPARE(d.added, 1U);
        const NodeIndex mul = a->find("mul_");
        QVERIFY(d.a[mul] == Change::Changed);
        QCOMPARE(d.partnerOfA[mul], b->find("mul"));
        QCOMPARE(d.detail(mul)->front().field, std::string("target"));
        QCOMPARE(becameNames(*a, *b, d, "mul_"), (Names{"mul", "copy_"}));
        QVERIFY(d.b[b->find("copy_")] == Change::Added);
        QCOMPARE(d.partnerOfA[a->find("output")], b->find("output"));
        for (const diff::Link& link : d.links)
            QVERIFY(link.evidence == Evidence::Recorded);
        QCOMPARE(std::string(diff::evidenceName(Evidence::Recorded)), std::string("recorded"));
        // The other way round.
        const GraphDiff back = diff::diffGraphs(*b, *a, diff::inverted(known));
        QCOMPARE(back.added, 0U);
        QCOMPARE(back.removed, 1U);
        QCOMPARE(back.partnerOfB[mul], b->find("mul"));
    }

    void aWriteThatIsItselfACopy() {
        const auto a = read("        copy_ = torch.ops.aten.copy_.default(x, 3)\n        return (x,)\n");
        const auto b = read("        copy = torch.ops.aten.copy.default(x, 3)\n"
                            "        copy_ = torch.ops.aten.copy_.default(x, copy)\n"
                            "        return (copy,)\n");
        const GraphDiff d =
            diff::diffGraphs(*a, *b, origins(*a, *b, {{"copy_", "copy"}, {"copy_", "copy_"}}));
        // Its functional form, not the write-back of the same name.
        QCOMPARE(d.partnerOfA[a->find("copy_")], b->find("copy"));
        QVERIFY(d.b[b->find("copy_")] == Change::Added);
    }

    void theLastOfSeveralCarriesTheValue() {
        const auto a = read("        setitem = operator.setitem(x, 0, 5)\n        return (x,)\n");
        const auto b = read("        select = torch.ops.aten.select.int(x, 0, 0)\n"
                            "        fill = torch.ops.aten.fill.Scalar(select, 5)\n"
                            "        scatter = torch.ops.aten.select_scatter.default(x, fill, 0, 0)\n"
                            "        copy_ = torch.ops.aten.copy_.default(x, scatter)\n"
                            "        return (scatter,)\n");
        const GraphDiff d = diff::diffGraphs(*a, *b,
                                             origins(*a, *b,
                                                     {{"setitem", "select"},
                                                      {"setitem", "fill"},
                                                      {"setitem", "scatter"},
                                                      {"setitem", "copy_"},
                                                      {"output", "copy_"},
                                                      {"output", "output"}}));
        // copy_ is the output's as well, so it is not what stands for the write.
        QCOMPARE(d.partnerOfA[a->find("setitem")], b->find("scatter"));
        QCOMPARE(d.added, 3U);
    }

    void whatNobodyRecordedIsAligned() {
        const auto a = inPlace(), b = functional();
        const GraphDiff d = diff::diffGraphs(*a, *b, origins(*a, *b, {{"mul_", "mul"}}));
        QCOMPARE(d.partnerOfA[a->find("x")], b->find("x"));
        QCOMPARE(d.partnerOfA[a->find("add")], b->find("add"));
        QCOMPARE(becameNames(*a, *b, d, "mul_"), Names{"mul"});
        // Nothing known is the diff without.
        QCOMPARE(diff::printDiffJson(*a, *b, diff::diffGraphs(*a, *b, Origins())),
                 diff::printDiffJson(*a, *b, diff::diffGraphs(*a, *b)));
    }

    void mergedNodesShareOneResult() {
        const auto a = read("        p = torch.ops.aten.add.Tensor(x, 1)\n"
                            "        q = torch.ops.aten.add.Tensor(x, 1)\n"
                            "        r = torch.ops.aten.mul.Tensor(p, q)\n"
                            "        return (r,)\n");
        const auto b = read("        p = torch.ops.aten.add.Tensor(x, 1)\n"
                            "        r = torch.ops.aten.mul.Tensor(p, p)\n"
                            "        return (r,)\n");
        const GraphDiff d = diff::diffGraphs(
            *a, *b, origins(*a, *b, {{"x", "x"}, {"p", "p"}, {"q", "p"}, {"r", "r"}, {"output", "output"}}));
        QVERIFY(d.a[a->find("q")] == Change::Removed);
        QCOMPARE(becameNames(*a, *b, d, "q"), Names{"p"});
        QCOMPARE(d.partnerOfA[a->find("p")], b->find("p"));
    }

    void composes() {
        QCOMPARE(diff::composed({{0, 1}, {0, 2}, {3, 2}}, {{2, 7}, {1, 5}, {2, 5}, {9, 9}}),
                 (Origins{{0, 5}, {0, 7}, {3, 5}, {3, 7}}));
        QCOMPARE(diff::composed({}, {{0, 0}}), Origins());
        QCOMPARE(diff::inverted({{0, 5}, {4, 1}, {0, 5}}), (Origins{{1, 4}, {5, 0}}));
        // All to one, one to all: too much to say anything.
        Origins in, out;
        for (NodeIndex i = 0; i < 2000; ++i) {
            in.emplace_back(i, 0);
            out.emplace_back(0, i);
        }
        QVERIFY(diff::composed(in, out).empty());
        QCOMPARE(diff::composed(in, {{0, 3}}).size(), in.size());
    }

    void anyOriginsGiveAWholeDiff() {
        const auto a = inPlace(), b = functional();
        std::mt19937 random(7);
        for (int round = 0; round < 500; ++round) {
            Origins known;
            for (unsigned i = random() % 12; i-- > 0;)
                known.emplace_back(NodeIndex(random() % 6), random() % 9 == 0 ? npos : random() % 7);
            const GraphDiff d = diff::diffGraphs(*a, *b, known);
            std::size_t ofA = 0, ofB = 0;
            for (const diff::Row& row : d.rows) {
                ofA += row.a != npos;
                ofB += row.b != npos;
                if (row.a != npos && row.b != npos) QCOMPARE(d.partnerOfA[row.a], row.b);
            }
            QCOMPARE(ofA, a->size());
            QCOMPARE(ofB, b->size());
            for (NodeIndex i = 0; i < a->size(); ++i) {
                if (d.partnerOfA[i] == npos) continue;
                QCOMPARE(d.partnerOfB[d.partnerOfA[i]], i);
                const auto links = d.linksFromA(i);
                QVERIFY(std::find(links.begin(), links.end(), d.partnerOfA[i]) != links.end());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestDiffOrigins)
#include "tst_diff_origins.moc"
