// SPDX-License-Identifier: BSD-3-Clause
//
// The partitioners by PyTorch's answers, by answers that were tampered with, and on graphs that are none.
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"
#include "core/passes/partition/joint.h"
#include "tests/support/archive.h"

#include <QTest>

using namespace dynascope;
using namespace dynascope::passes::partition;
using engine::CaseReport;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

namespace {

CaseReport judged(const json& oracleCase) {
    CaseReport report{"x", "partition", {}};
    engine::judgePartition(oracleCase, report);
    return report;
}

/// sin(x) * y: backward needs both, and cos(x) follows from x.
constexpr const char* product = R"(graph():
    %primals_1 : [num_users=3] = placeholder[target=primals_1]
    %primals_2 : [num_users=2] = placeholder[target=primals_2]
    %tangents_1 : [num_users=2] = placeholder[target=tangents_1]
    %sin : [num_users=2] = call_function[target=torch.ops.aten.sin.default](args = (%primals_1,), kwargs = {})
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sin, %primals_2), kwargs = {})
    %mul_1 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %sin), kwargs = {})
    %mul_2 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %primals_2), kwargs = {})
    %cos : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%primals_1,), kwargs = {})
    %mul_3 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_2, %cos), kwargs = {})
    return [mul, mul_3, mul_1])";

Joint jointOf(const std::string& text, std::size_t forwardOutputs) {
    Joint out;
    out.graph = ir::readGraph(text).value();
    out.forwardOutputs = forwardOutputs;
    for (ir::NodeIndex i = 0; i < out.graph->size(); ++i) {
        NodeFacts facts;
        const ir::Node& node = out.graph->node(i);
        if (node.op != ir::Op::Output) facts.tensor = JointTensor{{4}, 16, i};
        facts.region = node.name == "sin" || node.name == "mul" ? Region::Forward : Region::Backward;
        out.facts.push_back(std::move(facts));
    }
    return out;
}

} // namespace

class TestPartition : public QObject {
    Q_OBJECT
private slots:
    /// The cut saves an input from which it computes again what backward needs, though forward overwrites it:
    /// so does PyTorch. That is said, and left alone on request.
    void anOverwrittenInputIsNotSavedUnlessFaithful() {
        std::string text(product);
        text.insert(text.find("    return"),
                    "    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = "
                    "(%primals_1, 1), kwargs = {})\n    %copy_ : [num_users=0] = "
                    "call_function[target=torch.ops.aten.copy_.default](args = (%primals_1, %add), kwargs = "
                    "{})\n");
        text.replace(text.find(", mul_3, mul_1]"), 15, ", None, mul_1]"); // x needs no gradient
        Joint joint = jointOf(text, 1);
        joint.facts[joint.graph->find("add")].region = Region::Forward;
        joint.facts[joint.graph->find("copy_")].region = Region::MustBeInForward;
        joint.facts[joint.graph->find("copy_")].writes = true;
        const auto faithful = minCutPartition(joint);
        QVERIFY(faithful.has_value());
        QCOMPARE(faithful->saved, std::vector<std::string>{"primals_1"});
        QCOMPARE(faithful->warnings.size(), 1U);
        Config config;
        config.faithful = false;
        const auto right = minCutPartition(joint, config);
        QVERIFY(right.has_value());
        QCOMPARE(right->saved, std::vector<std::string>{"sin"});
        QVERIFY(right->warnings.empty());
    }

    /// Since PyTorch 2.14 equal expressions stay two where gradients need one of them alone.
    void equalsOnEitherSideStayTwo() {
        const std::string text = R"(graph():
    %primals_1 : [num_users=2] = placeholder[target=primals_1]
    %tangents_1 : [num_users=1] = placeholder[target=tangents_1]
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%primals_1,), kwargs = {})
    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%sin,), kwargs = {})
    %sin_1 : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%primals_1,), kwargs = {})
    %mul_1 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%tangents_1, %sin_1), kwargs = {})
    return [neg, mul_1])";
        const auto isLeft = [&text](bool apart) {
            Config config;
            config.cseApart = apart;
            const auto parts = minCutPartition(jointOf(text, 1), config);
            return parts &&
                   (parts->forward->find("sin_1") != ir::npos || parts->backward->find("sin_1") != ir::npos);
        };
        QVERIFY(!isLeft(false));
        QVERIFY(isLeft(true));
    }

    void initTestCase() {
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/oracle.tar.xz")) {
            if (!file.path.starts_with("partition/") || !file.path.ends_with(".json")) continue;
            json oracleCase = json::parse(file.content);
            const std::string name = oracleCase["name"];
            m_cases[name] = std::move(oracleCase);
        }
        QCOMPARE(m_cases.size(), 372U);
    }

    void everyCase() {
        int graphs = 0, errors = 0;
        for (const auto& [name, oracleCase] : m_cases) {
            const CaseReport report = judged(oracleCase);
            QVERIFY2(report.verdict() == Verdict::Passed, (name + ", " + report.reason()).c_str());
            (report.parts.front().part == "error" ? errors : graphs) += 1;
        }
        QCOMPARE(graphs, 370);
        QCOMPARE(errors, 2);
    }

    void tampered_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* title, const char* name, const char* pointer, const char* value) {
            QTest::newRow(title) << name << pointer << value;
        };
        const char* dynamic = "attn_manual_dyn__min_cut";
        row("forward", dynamic, "/fw", "\"graph():\\n    return ()\"");
        row("backward", dynamic, "/bw", "\"graph():\\n    return ()\"");
        row("saved", dynamic, "/saved/0", "\"other\"");
        row("bytes", dynamic, "/saved_bytes", "1");
        row("symbols", dynamic, "/n_saved_symints", "0");
        row("donated", dynamic, "/donated_saved", "[\"other\"]");
        row("recomputed", dynamic, "/recomputed", "[\"other\"]");
        row("inputs of backward", dynamic, "/bw_inputs/0", "\"other\"");
        row("static inputs", "attn_manual_dyn__default", "/num_fwd_outputs", "2");
        row("error", "mut_in_both_False__min_cut", "/error", "\"AssertionError: another\"");
        row("no error", "mut_in_both_False__default", "/error", "null");
    }
    void tampered() {
        QFETCH(QString, name);
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        json changed = m_cases.at(name.toStdString());
        QCOMPARE(judged(changed).verdict(), Verdict::Passed);
        const json::json_pointer where(pointer.toStdString());
        QVERIFY(changed.contains(where.parent_pointer()));
        changed[where] = json::parse(value.toStdString());
        QCOMPARE(judged(changed).verdict(), Verdict::Failed);
    }

    void decisionsSayWhy() {
        const auto got = minCutPartition(jointOf(product, 1));
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        const std::vector<std::string> saved{"primals_1", "primals_2"};
        QCOMPARE(got->saved, saved);
        QCOMPARE(got->savedBytes(), 32);
        QCOMPARE(got->decisions.size(), 3U);
        QCOMPARE(got->decisions[0].why, std::string("an input of the graph"));
        QVERIFY(got->decisions[2].kind == Decision::Kind::Recomputed);
        QCOMPARE(got->decisions[2].node, std::string("sin"));
        QCOMPARE(got->decisions[2].why, std::string("follows from what is saved"));
    }

    void theDefaultSavesWhatBackwardReads() {
        const auto got = defaultPartition(jointOf(product, 1));
        QVERIFY(got.has_value());
        const std::vector<std::string> saved{"primals_1", "primals_2", "sin"};
        QCOMPARE(got->saved, saved);
        QCOMPARE(got->donated, std::vector<std::string>{"sin"});
    }

    /// A device mesh that comes back beside the gradients goes through both halves, behind the tensors.
    void objectsAreHandedOn() {
        std::string text(product);
        text.insert(text.find("    %primals_1"),
                    "    %primals_0 : [num_users=1] = placeholder[target=primals_0]\n");
        text.replace(text.rfind("mul_1]"), 6, "mul_1, primals_0]");
        Joint joint = jointOf(text, 1);
        NodeFacts& mesh = joint.facts[joint.graph->find("primals_0")];
        mesh.tensor.reset();
        mesh.isObject = true;
        const auto cut = minCutPartition(joint), position = defaultPartition(joint);
        QVERIFY2(cut.has_value(), cut ? "" : cut.error().message.c_str());
        QVERIFY2(position.has_value(), position ? "" : position.error().message.c_str());
        QCOMPARE(cut->saved, (std::vector<std::string>{"primals_1", "primals_2", "primals_0"}));
        QCOMPARE(position->saved, (std::vector<std::string>{"primals_1", "primals_2", "sin", "primals_0"}));
        QVERIFY(cut->backward->node(cut->backward->find("primals_0")).op == ir::Op::Placeholder);
    }

    void mustSaveAndMustRecomputeAreObeyed() {
        Joint joint = jointOf(product, 1);
        NodeFacts& sin = joint.facts[joint.graph->find("sin")];
        sin.recompute = Recompute::MustSave;
        QVERIFY(minCutPartition(joint)->saved.back() == "sin");
        sin.recompute = Recompute::MustRecompute;
        const auto got = defaultPartition(joint);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->saved.size(), 2U);
        QVERIFY(got->backward->find("sin") != ir::npos);
    }

    void malformedGraphsAreRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("outputs");
        QTest::addColumn<QString>("message");
        QTest::newRow("too few outputs") << product << 9 << "9 forward outputs";
        const char* late = R"(graph():
    %a : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%primals_1,), kwargs = {})
    %primals_1 : [num_users=1] = placeholder[target=primals_1]
    return [a])";
        QTest::newRow("used before it is made") << late << 1 << "comes later";
        const char* missing = R"(graph():
    %a : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%nowhere,), kwargs = {})
    return [a])";
        QTest::newRow("undefined") << missing << 1 << "not defined";
    }
    void malformedGraphsAreRefused() {
        QFETCH(QString, text);
        QFETCH(int, outputs);
        QFETCH(QString, message);
        const Joint joint = jointOf(text.toStdString(), static_cast<std::size_t>(outputs));
        for (const auto& got : {minCutPartition(joint), defaultPartition(joint)}) {
            QVERIFY(!got.has_value());
            QVERIFY2(got.error().message.find(message.toStdString()) != std::string::npos,
                     got.error().message.c_str());
        }
    }

    void sizesBeyondAllMeasureAreRefused() {
        Joint joint = jointOf(product, 1);
        for (NodeFacts& facts : joint.facts)
            if (facts.tensor) facts.tensor->bytes = INT64_MAX;
        QVERIFY(minCutPartition(joint).error().message.find("too large") != std::string::npos);
        Config beyond;
        beyond.memoryBudget = 2;
        QVERIFY(!minCutPartition(joint, beyond).has_value());
    }

private:
    std::map<std::string, json> m_cases;
};

QTEST_GUILESS_MAIN(TestPartition)
#include "tst_partition.moc"
