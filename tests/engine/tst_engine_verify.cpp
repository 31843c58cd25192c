// SPDX-License-Identifier: BSD-3-Clause
//
// Verification of computed graphs: what is equal, what is not and since where, and what has no answer.
#include "core/engine/client/client.h"
#include "tests/support/archive.h"
#include "tests/support/programs.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <map>
#include <regex>

using namespace dynascope;
using engine::Client;
using nlohmann::json;

namespace {

/// float32 inputs x0, x1, ... of one dimension, each on a storage of its own.
json vectors(const std::vector<std::vector<double>>& values) {
    json out{{"storages", json::array()}, {"inputs", json::array()}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        out["storages"].push_back({{"dtype", "float32"}, {"data", values[i]}});
        out["inputs"].push_back({{"name", "x" + std::to_string(i)},
                                 {"storage", i},
                                 {"shape", {values[i].size()}},
                                 {"stride", {1}},
                                 {"storage_offset", 0},
                                 {"dtype", "float32"},
                                 {"via", "set"}});
    }
    return out;
}

/// FX text of `inputs` placeholders x0, x1, ..., the calls ("name", "aten.op.overload", "%x0, 1"), and the
/// result.
struct Call {
    std::string name, target, arguments;
};
std::string graphOf(int inputs, const std::vector<Call>& calls, const std::string& result) {
    std::string out = "graph():\n";
    for (int i = 0; i < inputs; ++i) {
        const std::string name = "x" + std::to_string(i);
        out += "    %" + name + " : [num_users=1] = placeholder[target=" + name + "]\n";
    }
    for (const Call& call : calls)
        out += "    %" + call.name + " : [num_users=1] = call_function[target=torch.ops." + call.target +
               "](args = (" + call.arguments + "), kwargs = {})\n";
    return out + "    return (" + result + ",)";
}

const json& check(const json& answer, const std::string& what, const std::string& property) {
    static const json none;
    for (const json& row : answer["checks"]) {
        if (row["what"] == what && row["property"] == property) return row;
    }
    return none;
}

} // namespace

class TestEngineVerify : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QVERIFY(m_engine.start().has_value());
        for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/seeds.tar.xz"))
            m_cases[file.path] = std::move(file.content);
        QCOMPARE(m_cases.size(), 400U);
    }

    void equalGraphsAreEqual() {
        const std::string graph = graphOf(1,
                                          {{"v", "aten.view.default", "%x0, [2, 2]"},
                                           {"a", "aten.add_.Tensor", "%v, 1"},
                                           {"m", "aten.mul.Tensor", "%x0, 2"}},
                                          "m");
        const json answer = passed(graph, vectors({{1, 2, 3, 4}}));
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("equal"));
        QCOMPARE(check(answer, "output #0", "values")["ok"].dump(), std::string("true"));
        QCOMPARE(check(answer, "input x0 after the call", "values")["ok"].dump(), std::string("true"));
        QCOMPARE(check(answer, "storage 0 after the call", "values")["max_abs"].dump(), std::string("0.0"));
        QVERIFY(answer["first_difference"].is_null());
        QVERIFY(answer["matched"].get<int>() >= 4);
    }

    /// What functionalization does not keep is said, and counts only when asked for.
    void identityCountsWhenStrict() {
        const std::string graph = graphOf(1, {{"a", "aten.add_.Tensor", "%x0, 1"}}, "a");
        json answer = passed(graph, vectors({{1, 2}}));
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("equal"));
        const json& identity = check(answer, "output #0", "identity");
        QCOMPARE(identity["ok"].dump(), std::string("false"));
        QCOMPARE(identity["counts"].dump(), std::string("false"));
        QCOMPARE(identity["expected"].get<std::string>(), std::string("input 0"));
        QCOMPARE(identity["actual"].get<std::string>(), std::string("a tensor of its own"));
        answer = passed(graph, vectors({{1, 2}}), {{"strict", true}});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
    }

    void everyPropertyIsSeen_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("property");
        QTest::newRow("values") << "aten.mul.Tensor|%x0, 3"
                                << "output #0"
                                << "values";
        QTest::newRow("dtype") << "aten.to.dtype|%x0, torch.float64"
                               << "output #0"
                               << "dtype";
        QTest::newRow("shape") << "aten.view.default|%x0, [2, 2]"
                               << "output #0"
                               << "shape";
        QTest::newRow("strides") << "aten.as_strided.default|%x0, [4], [1], 0"
                                 << "output #0"
                                 << "storage";
        QTest::newRow("inputs") << "aten.mul_.Tensor|%x0, 2"
                                << "input x0 after the call"
                                << "values";
        QTest::newRow("error") << "aten.view.default|%x0, [7]"
                               << "the call"
                               << "error";
    }
    void everyPropertyIsSeen() {
        QFETCH(QString, call);
        QFETCH(QString, what);
        QFETCH(QString, property);
        const std::string target = call.section('|', 0, 0).toStdString();
        const std::string arguments = call.section('|', 1).toStdString();
        const std::string source = graphOf(1, {{"m", "aten.mul.Tensor", "%x0, 2"}}, "m");
        const std::string other = graphOf(1, {{"m", target, arguments}}, "m");
        const json inputs = vectors({{1, 2, 3, 4}});
        QCOMPARE(compared(source, source, inputs, {{"strict", true}})["verdict"].get<std::string>(),
                 std::string("equal"));
        const json answer = compared(source, other, inputs, {{"strict", true}});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QVERIFY2(check(answer, what.toStdString(), property.toStdString())["ok"] == false,
                 answer.dump().c_str());
    }

    /// One operator of a right graph is exchanged for another; the search must name that very node. Cases and
    /// places come from the random programs, and what the right answer is from where the damage was done.
    void aTamperedNodeIsNamed() {
        static const std::array<std::pair<std::string, std::string>, 8> swaps{
            {{"aten.add.Tensor", "aten.sub.Tensor"},
             {"aten.sub.Tensor", "aten.add.Tensor"},
             {"aten.mul.Tensor", "aten.add.Tensor"},
             {"aten.neg.default", "aten.abs.default"},
             {"aten.relu.default", "aten.neg.default"},
             {"aten.abs.default", "aten.neg.default"},
             {"aten.flip.default", "aten.sum.dim_IntList"},
             {"aten.clone.default", "aten.neg.default"}}};
        int named = 0;
        int cases = 0;
        for (const auto& [path, text] : m_cases) {
            if (cases >= 60) break;
            const json oracleCase = json::parse(text);
            if (!oracleCase["before"].is_string() || oracleCase["eager"].contains("error")) continue;
            // Inputs that alias each other are written at the end only: until then values may differ.
            if (!oracleCase["inputs"]["aliasing_groups"].empty()) continue;
            const auto source = oracleCase["before"].get<std::string>();
            json params{{"inputs", oracleCase["inputs"]},
                        {"attrs", oracleCase["before_attrs"]},
                        {"passes", {"functionalize"}},
                        {"scorecard", true}};
            const auto stage = m_engine.callOnGraph("pass", source, params);
            if (!stage) continue;
            const auto right = (*stage)["graph"].get<std::string>();
            const json answer = compared(source, right, oracleCase["inputs"], stageOf(*stage, oracleCase));
            if (answer["verdict"] != "equal") continue; // a known deviation: nothing to hold to
            ++cases;
            const std::regex line("%(\\w+) : [^\\n]*target=torch\\.ops\\.([\\w.]+)\\]");
            for (std::sregex_iterator at(right.begin(), right.end(), line), end; at != end; ++at) {
                const std::string node = (*at)[1];
                const auto swap = std::find_if(swaps.begin(), swaps.end(),
                                               [&](const auto& s) { return s.first == (*at)[2]; });
                if (swap == swaps.end()) continue;
                std::string tampered = right;
                tampered.replace(static_cast<std::size_t>(at->position(2)), swap->first.size(), swap->second);
                const json found =
                    compared(source, tampered, oracleCase["inputs"], stageOf(*stage, oracleCase));
                if (found["verdict"] == "equal") continue; // dead, or the same on these values
                QVERIFY2(found["verdict"] == "different",
                         (path + ' ' + node + ": " + found["reason"].dump()).c_str());
                const json& first = found["first_difference"];
                QVERIFY2(first.is_object(), (path + ' ' + node + " was not found").c_str());
                const json& among = first["among"];
                const bool hit = first["computed"] == node ||
                                 std::find(among.begin(), among.end(), json(node)) != among.end();
                QVERIFY2(hit, (path + ": " + node + " was tampered, found " + first.dump()).c_str());
                named += first["computed"] == node ? 1 : 0;
            }
        }
        qInfo("%d tampered nodes named in %d programs", named, cases);
        QCOMPARE(cases, 60);
        QVERIFY(named >= 60);
    }

    void aLongChainIsBisected() {
        std::vector<Call> calls;
        for (int i = 0; i < 500; ++i)
            calls.push_back({"n" + std::to_string(i), "aten.add.Tensor",
                             (i == 0 ? std::string("%x0") : "%n" + std::to_string(i - 1)) + ", 1"});
        const std::string source = graphOf(1, calls, "n499");
        calls[137].target = "aten.sub.Tensor";
        const json answer = compared(source, graphOf(1, calls, "n499"), vectors({{0}}), {});
        const json& first = answer["first_difference"];
        QCOMPARE(first["computed"].get<std::string>(), std::string("n137"));
        QCOMPARE(first["source"].get<std::string>(), std::string("n137"));
        QCOMPARE(first["expected"].dump(), std::string("138.0"));
        QCOMPARE(first["actual"].dump(), std::string("136.0"));
        QVERIFY2(first["runs"].get<int>() <= 14, first.dump().c_str());
    }

    /// The computed graph writes to a copy of what the source writes to: every value is right when it is
    /// made.
    void aMissedWriteIsNamed() {
        const std::string source = graphOf(1,
                                           {{"a", "aten.add.Tensor", "%x0, 1"},
                                            {"v", "aten.view.default", "%a, [-1]"},
                                            {"w", "aten.mul_.Tensor", "%v, 2"},
                                            {"z", "aten.neg.default", "%x0"}},
                                           "a");
        const std::string computed = graphOf(1,
                                             {{"a", "aten.add.Tensor", "%x0, 1"},
                                              {"v", "aten.view.default", "%a, [-1]"},
                                              {"w", "aten.mul.Tensor", "%v, 2"},
                                              {"z", "aten.neg.default", "%x0"}},
                                             "a");
        const json answer = compared(source, computed, vectors({{1, 2}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QCOMPARE(answer["first_difference"]["source"].get<std::string>(), std::string("w"));
        QVERIFY(answer["first_difference"]["how"].get<std::string>().find("its write to 'a' is missing") !=
                std::string::npos);
    }

    /// The legacy pass loses writes through views: the verdict is what makes its badge red.
    void whatNormalizeIrLosesIsNamed_data() {
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("third");
        QTest::addColumn<QString>("sourceNode");
        QTest::addColumn<QString>("computedNode");
        QTest::newRow("a write through a view")
            << "%v = call_method[target=view](args = (%a, -1), kwargs = {})"
            << "%w = call_function[target=operator.iadd](args = (%v, 1), kwargs = {})"
            << "w"
            << "add_1";
        QTest::newRow("a write through another name")
            << "%i = call_function[target=operator.iadd](args = (%a, 1), kwargs = {})"
            << "%m = call_function[target=operator.imul](args = (%i, 2), kwargs = {})"
            << "m"
            << "mul";
    }
    void whatNormalizeIrLosesIsNamed() {
        QFETCH(QString, second);
        QFETCH(QString, third);
        QFETCH(QString, sourceNode);
        QFETCH(QString, computedNode);
        const std::string graph =
            "graph():\n    %x0 = placeholder[target=x0]\n"
            "    %a = call_function[target=operator.add](args = (%x0, 1), kwargs = {})\n    " +
            second.toStdString() + "\n    " + third.toStdString() + "\n    return (a,)";
        const json answer = passed(graph, vectors({{1, 2}}), {{"passes", {"normalize_ir"}}});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        const json& first = answer["first_difference"];
        QCOMPARE(first["source"].get<std::string>(), sourceNode.toStdString());
        QCOMPARE(first["computed"].get<std::string>(), computedNode.toStdString());
        QVERIFY2(first["how"].get<std::string>().find("its write to 'a' is missing") != std::string::npos,
                 first.dump().c_str());
        QVERIFY2(answer["warnings"].dump().find("'a' shares memory with") != std::string::npos,
                 answer["warnings"].dump().c_str());
    }

    void inputsThatShareMemoryAreTried() {
        // On separate inputs the two agree; x1 reads what x0 wrote where they share memory.
        const std::string source =
            graphOf(2, {{"a", "aten.add_.Tensor", "%x0, 1"}, {"n", "aten.neg.default", "%x1"}}, "n");
        const std::string computed =
            graphOf(2, {{"n", "aten.neg.default", "%x1"}, {"a", "aten.add_.Tensor", "%x0, 1"}}, "n");
        const json inputs = vectors({{1, 2, 3, 4}, {5, 6, 7, 8}});
        QCOMPARE(compared(source, computed, inputs, {})["verdict"].get<std::string>(), std::string("equal"));
        const json answer = compared(source, computed, inputs, {{"aliasing", true}});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        std::map<std::string, std::string> verdicts;
        for (const json& variant : answer["variants"])
            verdicts[variant["inputs"].get<std::string>()] = variant["verdict"].get<std::string>();
        QCOMPARE(verdicts, (std::map<std::string, std::string>{{"as given", "equal"},
                                                               {"one storage", "equal"},
                                                               {"overlapping", "different"},
                                                               {"one tensor twice", "different"}}));
    }

    void orderDependentProgramsAreNamed() {
        // Cells 2 and 4 become sums with cells 0 and 2: with the old cell 2, or the new one?
        const std::string source = graphOf(1,
                                           {{"d", "aten.slice.Tensor", "%x0, 0, 2, 6, 2"},
                                            {"s", "aten.slice.Tensor", "%x0, 0, 0, 4, 2"},
                                            {"w", "aten.add_.Tensor", "%d, %s"}},
                                           "w");
        const std::string computed = graphOf(1,
                                             {{"d", "aten.slice.Tensor", "%x0, 0, 2, 6, 2"},
                                              {"s", "aten.slice.Tensor", "%x0, 0, 0, 4, 2"},
                                              {"c", "aten.clone.default", "%s"},
                                              {"w", "aten.add_.Tensor", "%d, %c"}},
                                             "w");
        const json answer = compared(source, computed, vectors({{1, 2, 3, 4, 5, 6}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("order-dependent"));
        QVERIFY2(answer["reason"].get<std::string>().find("at 'w'") != std::string::npos,
                 answer["reason"].dump().c_str());
    }

    /// An overlap does not excuse what went wrong before it.
    void aFaultBeforeAnOverlapIsAFault() {
        const std::string source = graphOf(1,
                                           {{"m", "aten.mul.Tensor", "%x0, 2"},
                                            {"d", "aten.slice.Tensor", "%m, 0, 2, 6, 2"},
                                            {"s", "aten.slice.Tensor", "%m, 0, 0, 4, 2"},
                                            {"w", "aten.add_.Tensor", "%d, %s"}},
                                           "w, m");
        std::string computed = source;
        computed.replace(computed.find("aten.mul.Tensor"), 15, "aten.add.Tensor");
        const json answer = compared(source, computed, vectors({{1, 2, 3, 4, 5, 6}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QCOMPARE(answer["first_difference"]["computed"].get<std::string>(), std::string("m"));
    }

    void randomProgramsAreNamed() {
        const std::string source =
            graphOf(1, {{"r", "aten.rand_like.default", "%x0"}, {"m", "aten.mul.Tensor", "%r, 2"}}, "m");
        const std::string computed = graphOf(1,
                                             {{"q", "aten.rand_like.default", "%x0"},
                                              {"r", "aten.rand_like.default", "%x0"},
                                              {"m", "aten.mul.Tensor", "%r, 2"}},
                                             "m");
        const json inputs = vectors({{1, 2, 3}});
        const json same = compared(source, source, inputs, {});
        QCOMPARE(same["verdict"].get<std::string>(), std::string("equal")); // with the same seed
        QVERIFY(same["reason"].get<std::string>().find("aten::rand_like") != std::string::npos);
        const json answer = compared(source, computed, inputs, {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("random"));
        QVERIFY(answer["reason"].get<std::string>().find("at 'r'") != std::string::npos);
    }

    void memoryThatNobodyWroteIsNamed() {
        const std::string source = graphOf(1, {{"e", "aten.empty_like.default", "%x0"}}, "e");
        const std::string computed = graphOf(1, {{"e", "aten.add.Tensor", "%x0, 7"}}, "e");
        const json answer = compared(source, computed, vectors({{1, 2, 3}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("random"));
        QVERIFY(answer["reason"].get<std::string>().find("nobody wrote") != std::string::npos);
    }

    void whatEagerRefusesIsDeclined() {
        const std::string source = graphOf(1, {{"v", "aten.view.default", "%x0, [7]"}}, "v");
        const std::string computed = graphOf(1, {{"v", "aten.view.default", "%x0, [-1]"}}, "v");
        const json inputs = vectors({{1, 2}});
        QCOMPARE(compared(source, computed, inputs, {})["verdict"].get<std::string>(),
                 std::string("declined"));
        QCOMPARE(compared(source, source, inputs, {})["verdict"].get<std::string>(), std::string("equal"));
    }

    void gradientsAreCompared() {
        const std::string source =
            graphOf(1, {{"m", "aten.mul.Tensor", "%x0, %x0"}, {"s", "aten.sum.default", "%m"}}, "s");
        const std::string computed = graphOf(1,
                                             {{"d", "aten.detach.default", "%x0"},
                                              {"m", "aten.mul.Tensor", "%x0, %d"},
                                              {"s", "aten.sum.default", "%m"}},
                                             "s");
        json inputs = vectors({{1, 2, 3}});
        QCOMPARE(compared(source, computed, inputs, {})["verdict"].get<std::string>(), std::string("equal"));
        inputs["inputs"][0]["requires_grad"] = true;
        QCOMPARE(compared(source, source, inputs, {})["verdict"].get<std::string>(), std::string("equal"));
        const json answer = compared(source, computed, inputs, {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        const json& gradient = check(answer, "gradient of x0", "values");
        QCOMPARE(gradient["expected"].dump(), std::string("2.0"));
        QCOMPARE(gradient["actual"].dump(), std::string("1.0"));
    }

    void writeBacksOutsideTheGraph() {
        const std::string source =
            graphOf(2, {{"a", "aten.add_.Tensor", "%x1, 1"}, {"m", "aten.mul.Tensor", "%a, 2"}}, "m");
        const std::string computed =
            graphOf(2, {{"a", "aten.add.Tensor", "%x1, 1"}, {"m", "aten.mul.Tensor", "%a, 2"}}, "a, m");
        const json inputs = vectors({{1, 2}, {3, 4}});
        const json back{{"input", "x1"}, {"position", 1},    {"bytes", 8},
                        {"output", 0},   {"how", {"copy_"}}, {"nodes", json::array()}};
        QCOMPARE(compared(source, computed, inputs, {{"write_back", {back}}})["verdict"].get<std::string>(),
                 std::string("equal"));
        json wrong = back;
        wrong["position"] = 0;
        const json answer = compared(source, computed, inputs, {{"write_back", {wrong}}});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QVERIFY(check(answer, "input x0 after the call", "values")["ok"] == false);
    }

    /// One window cannot overlap another, but PyTorch's pass refuses a write through it all the same.
    void whatPyTorchRefusesIsDoneAnotherWay() {
        const std::string graph = graphOf(
            1, {{"u", "aten.unfold.default", "%x0, 0, 2, 1"}, {"s", "aten.mul_.Tensor", "%u, 3"}}, "s");
        const json inputs = vectors({{1, 2}});
        const json answer = passed(graph, inputs);
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("equal"));
        QVERIFY2(answer["warnings"].dump().find("'s' writes through 'u', whose elements may share cells") !=
                     std::string::npos,
                 answer["warnings"].dump().c_str());
        QVERIFY(passed(graph, inputs, {{"faithful", true}})["verdict"].get<std::string>().starts_with(
            "While executing unfold"));
    }

    /// Two ways to sum: in double precision next to nothing is left of what tells them apart.
    void roundingIsNoDifference() {
        const std::string source = graphOf(1,
                                           {{"big", "aten.mul.Tensor", "%x0, 1000.1"},
                                            {"up", "aten.add.Tensor", "%big, 7777.7"},
                                            {"down", "aten.sub.Tensor", "%up, 7777.7"},
                                            {"same_name", "aten.mul.Tensor", "%down, 0.3"}},
                                           "same_name");
        const std::string computed = graphOf(1,
                                             {{"big", "aten.mul.Tensor", "%x0, 1000.1"},
                                              {"up", "aten.add.Tensor", "%big, 7777.7"},
                                              {"same_name", "aten.mul.Tensor", "%up, 0.3"},
                                              {"last", "aten.sub.Tensor", "%same_name, 2333.31"}},
                                             "last");
        const json inputs = vectors({{1.234567, -0.0012345, 0.33333, 1e-4}});
        json answer = compared(source, computed, inputs, {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("equal"));
        QVERIFY2(answer["reason"].get<std::string>().starts_with("the results differ by rounding: by up to "),
                 answer["reason"].dump().c_str());
        QCOMPARE(answer["in_double_precision"].dump(), std::string("true"));
        const json& values = check(answer, "output #0", "values");
        QCOMPARE(values["ok"].dump(), std::string("false"));
        QCOMPARE(values["rounded"].dump(), std::string("true"));
        QCOMPARE(values["counts"].dump(), std::string("false"));
        QVERIFY(answer["first_difference"].is_null());
        // As small a difference that stays in double precision is one.
        std::string wrong = computed;
        wrong.replace(wrong.find("2333.31"), 7, "2333.32");
        answer = compared(source, wrong, inputs, {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QCOMPARE(answer["first_difference"]["computed"].get<std::string>(), std::string("last"));
        QVERIFY2(answer["first_difference"]["how"].get<std::string>().ends_with("in double precision"),
                 answer["first_difference"].dump().c_str());
    }

    /// A kernel that acts otherwise in single precision is none of it: gelu.out takes no notice of the
    /// strides of its `out` there. What sums cancel is, however large.
    /// Infinity is not within a thousandth of itself of a number.
    void infinityIsNoRounding() {
        const std::string eager = graphOf(1, {{"y", "aten.div.Scalar", "%x0, 0.0"}}, "y");
        const std::string zeros = graphOf(1, {{"y", "aten.mul.Scalar", "%x0, 0.0"}}, "y");
        const json answer = compared(eager, zeros, vectors({{1, 2, 3}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        const json& checks = answer["checks"];
        const auto values = std::find_if(checks.begin(), checks.end(), [](const json& check) {
            return check["property"].get<std::string>() == "values";
        });
        QVERIFY(values != checks.end());
        QVERIFY(!(*values)["ok"].get<bool>());
        QCOMPARE((*values)["expected"].dump(), std::string("\"inf\""));
        QCOMPARE(compared(eager, eager, vectors({{1, 2, 3}}), {})["verdict"].get<std::string>(),
                 std::string("equal"));
    }

    void aKernelOfOnePrecisionIsNoRounding() {
        const std::string head =
            "graph():\n    %x0 : [num_users=1] = placeholder[target=x0]\n"
            "    %m : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = "
            "(%x0, [2, 3]), kwargs = {})\n";
        const std::string source =
            head +
            "    %z : [num_users=1] = call_function[target=torch.ops.aten.zeros.default](args = ([3, 2],), "
            "kwargs = {dtype: torch.float32})\n"
            "    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%z,), kwargs = "
            "{})\n"
            "    %g : [num_users=1] = call_function[target=torch.ops.aten.gelu.out](args = (%m,), kwargs = "
            "{out: "
            "%t})\n"
            "    return (g,)";
        const std::string computed =
            head + "    %g : [num_users=1] = call_function[target=torch.ops.aten.gelu.default](args = (%m,), "
                   "kwargs = "
                   "{})\n"
                   "    return (g,)";
        const json answer = compared(source, computed, vectors({{1, 2, 3, 4, 5, 6}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QVERIFY2(answer["reason"].get<std::string>().find("so it is no rounding") != std::string::npos,
                 answer["reason"].dump().c_str());
        QCOMPARE(answer["first_difference"]["computed"].get<std::string>(), std::string("g"));
        const std::string up = graphOf(
            1, {{"up", "aten.add.Tensor", "%x0, 123456789.0"}, {"s", "aten.sub.Tensor", "%up, 123456789.0"}},
            "s");
        const std::string down = graphOf(
            1, {{"up", "aten.sub.Tensor", "%x0, 123456789.0"}, {"s", "aten.add.Tensor", "%up, 123456789.0"}},
            "s");
        const json cancelled = compared(up, down, vectors({{1.7, 5.1, 11.9}}), {});
        QCOMPARE(cancelled["verdict"].get<std::string>(), std::string("equal"));
    }

    /// The tolerance is absolute below 1; values that are small themselves are not the same for that.
    void smallValuesAreTold() {
        const auto scaled = [](const std::string& factor) {
            return graphOf(1, {{"m", "aten.mul.Tensor", "%x0, " + factor}}, "m");
        };
        const json inputs = vectors({{1, 2, 3}});
        QCOMPARE(compared(scaled("1e-7"), scaled("2e-7"), inputs, {})["verdict"].get<std::string>(),
                 std::string("different"));
        QCOMPARE(compared(scaled("1e-7"), scaled("1e-7"), inputs, {})["verdict"].get<std::string>(),
                 std::string("equal"));
    }

    /// Without a pass that made one graph of the other, nodes that share a name have nothing to do with each
    /// other.
    void namesSayNothing() {
        const std::string source = graphOf(
            1, {{"view_60", "aten.neg.default", "%x0"}, {"m", "aten.mul.Tensor", "%view_60, 2"}}, "m");
        const std::string computed = graphOf(
            1, {{"n", "aten.neg.default", "%x0"}, {"view_60", "aten.mul.Tensor", "%n, 3"}}, "view_60");
        const json answer = compared(source, computed, vectors({{1, 2}}), {});
        QCOMPARE(answer["verdict"].get<std::string>(), std::string("different"));
        QCOMPARE(answer["first_difference"]["computed"].get<std::string>(), std::string("view_60"));
        QCOMPARE(answer["first_difference"]["source"].get<std::string>(), std::string("m"));
        QCOMPARE(answer["matched"].get<int>(), 3);
    }

    void dropoutOutsideTrainingDrawsNothing() {
        for (const auto& [arguments, draws] :
             {std::pair("%x0, 0.5, False", false), std::pair("%x0, 0.5, True", true)}) {
            const std::string graph = graphOf(1, {{"d", "aten.native_dropout.default", arguments}}, "d");
            const json answer = compared(graph, graph, vectors({{1, 2}}), {});
            QCOMPARE(answer["verdict"].get<std::string>(), std::string("equal"));
            QCOMPARE(answer["reason"].get<std::string>().find("random numbers") != std::string::npos, draws);
        }
    }

    void badRequestsAreErrors() {
        const std::string graph = graphOf(1, {{"m", "aten.neg.default", "%x0"}}, "m");
        const json inputs = vectors({{1}});
        for (const json& params :
             {json{{"inputs", inputs}}, json{{"inputs", inputs}, {"computed", "no such graph"}},
              json{{"inputs", inputs}, {"passes", {"polish"}}},
              json{{"inputs", 7}, {"passes", {"functionalize"}}},
              json{{"inputs", inputs}, {"passes", {"functionalize"}}, {"aliasing", "yes"}}})
            QVERIFY2(!m_engine.callOnGraph("verify", graph, params), params.dump().c_str());
    }

private:
    json passed(const std::string& graph, const json& inputs, json options = json::object()) {
        options.emplace("passes", json::array({"functionalize"}));
        options["inputs"] = inputs;
        const auto reply = m_engine.callOnGraph("verify", graph, options);
        return reply ? *reply : json{{"verdict", reply.error().message}};
    }

    json compared(const std::string& source, const std::string& computed, const json& inputs, json options) {
        const auto loaded = m_engine.call("load", {{"text", computed}});
        if (!loaded) return {{"verdict", loaded.error().message}};
        if (options.is_null()) options = json::object();
        options["computed"] = (*loaded)["graph"];
        options["inputs"] = inputs;
        const auto reply = m_engine.callOnGraph("verify", source, options);
        return reply ? *reply : json{{"verdict", reply.error().message}};
    }

    static json stageOf(const json& pass, const json& oracleCase) {
        return {{"steps", pass["steps"]},
                {"computed_attrs", pass["attrs"]},
                {"attrs", oracleCase["before_attrs"]}};
    }

    Client m_engine{{test::engineProgram()}};
    std::map<std::string, std::string> m_cases;
};

QTEST_GUILESS_MAIN(TestEngineVerify)
#include "tst_engine_verify.moc"
