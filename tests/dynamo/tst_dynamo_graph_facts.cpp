// SPDX-License-Identifier: BSD-3-Clause
//
// What recordings have of a graph after Dynamo: AOTAutograd's cache keys, storages, hooks, operators,
// lookups.
#include "core/dynamo/cache_key.h"
#include "core/dynamo/graph_facts.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;

namespace {

RecordingPtr recordingWith(const std::vector<std::pair<char, std::string>>& documents) {
    test::RecordingWriter writer;
    writer.record('H', R"({"format":1})").numbers('s', {1}, "f a.py:1");
    writer.record(
        'c', R"({"id":1,"name":"f","file":"p.py","first_line":1,"instructions":{"op":["NOP"],"line":[1]}})");
    writer.record('A', R"({"id":1,"compile_id":"0/0","attempt":0,"code":1})");
    writer.numbers('f', {1, 0, 1, 0, 0}).step(1, {1});
    for (const auto& [tag, text] : documents)
        writer.record(tag, text);
    writer.numbers('L', {1, 1}).numbers('L', {0, 1}).record('L', "\x80").endBlock();
    const auto out = Recording::read(session::makeByteSource(writer.file()), nullptr);
    return out ? *out : nullptr;
}

} // namespace

class TestDynamoGraphFacts : public QObject {
    Q_OBJECT

private slots:
    void keysAsTrees() {
        const std::vector<KeyPart> parts =
            readKeyParts({"[a1] grad_enabled: True", "[b1] inputs[0]: x: [2]", "[b2] inputs[1]: y]: z",
                          "[c1] config[a.b[0]]: 7", "[d1] empty: ", "no line", "[x", "[e1] nothing"});
        QCOMPARE(parts.size(), std::size_t(4));
        QCOMPARE(parts[0].name, std::string("grad_enabled"));
        QCOMPARE(parts[0].hash, std::string("a1"));
        QCOMPARE(parts[0].text, std::string("True"));
        QCOMPARE(parts[1].parts.size(), std::size_t(2));
        QCOMPARE(parts[1].parts[0].text, std::string("x: [2]"));
        QCOMPARE(parts[1].parts[1].text, std::string("y]: z"));
        QCOMPARE(parts[2].parts[0].name, std::string("a.b[0]"));
        QVERIFY(parts[3].text.empty());
    }

    void theFirstDifference() {
        const std::vector<KeyPart> left =
            readKeyParts({"[1] a: x", "[2] b[0]: y", "[3] b[1]: z", "[4] c: w"});
        QVERIFY(compareKeys(left, left).empty());
        const std::vector<KeyPart> right =
            readKeyParts({"[1] a: x", "[2] b[0]: y", "[9] b[1]: other", "[5] d: new"});
        const std::vector<KeyDifference> out = compareKeys(left, right);
        QCOMPARE(out.size(), std::size_t(3));
        QCOMPARE(out[0].name, std::string("b[1]"));
        QCOMPARE(out[0].left, std::string("z"));
        QCOMPARE(out[0].right, std::string("other"));
        QCOMPARE(out[1].name, std::string("c"));
        QVERIFY(out[1].right.empty());
        QCOMPARE(out[2].name, std::string("d"));
    }

    void questions() {
        const RecordingPtr recording = recordingWith(
            {{'K',
              R"({"key":"k1","parts":["[1] a: x"],"nodes":[{"name":"w","wrapped":true,"user_cache_hash":"h","reason":""}]})"},
             {'K', R"({"key":"k1","state":"hit"})"},
             {'K', R"({"key":"k2","parts":[],"nodes":7})"},
             {'K', R"({"key":"other","state":"hit"})"},
             {'K', R"({"bypass":"Unsupported","nodes":[{"name":"n","reason":"why"}]})"}});
        QVERIFY(recording);
        const std::vector<CacheQuestion> out = cacheQuestions(*recording);
        QCOMPARE(out.size(), std::size_t(3));
        QVERIFY(out[0].outcome == CacheQuestion::Outcome::Hit);
        QVERIFY(out[0].nodes.front().wrapped);
        QCOMPARE(out[0].nodes.front().userCacheHash, std::string("h"));
        QVERIFY(out[1].outcome == CacheQuestion::Outcome::Unknown);
        QVERIFY(out[2].outcome == CacheQuestion::Outcome::Bypass);
        QCOMPARE(out[2].nodes.front().reason, std::string("why"));
    }

    void lookupsOfTwoRecordings() {
        const RecordingPtr left =
            recordingWith({{'K', R"({"key":"k1","parts":["[1] a: x","[2] b: y"],"nodes":[]})"},
                           {'K', R"({"key":"k2","parts":["[3] a: z"],"nodes":[]})"}});
        const RecordingPtr right =
            recordingWith({{'K', R"({"key":"k1","parts":["[1] a: x","[2] b: y"],"nodes":[]})"},
                           {'K', R"({"key":"k3","parts":["[4] a: q"],"nodes":[]})"},
                           {'K', R"({"key":"k4","parts":[],"nodes":[]})"}});
        QVERIFY(left && right);
        const auto a = cacheQuestions(*left), b = cacheQuestions(*right);
        const std::vector<LookupPair> pairs = pairLookups(*left, a, *right, b);
        QCOMPARE(pairs.size(), std::size_t(3));
        QVERIFY(pairs[0].left == 0 && pairs[0].right == 0 && pairs[0].differences.empty());
        QCOMPARE(pairs[1].differences.size(), std::size_t(1));
        QCOMPARE(pairs[1].differences[0].left, std::string("z"));
        QCOMPARE(pairs[1].differences[0].right, std::string("q"));
        QVERIFY(pairs[2].left == SIZE_MAX && pairs[2].right == 2);
    }

    void facts() {
        const RecordingPtr recording =
            recordingWith({{'J', R"({"storages":[["x",0,0,24],["y",0,3,24],["bad",-1,0,0],[1],7],
                      "hooks":[{"name":"saved_tensors_hooks_pack_0","graph":"g","wrapped":[["n","h"],["m",""]]}]})"},
                           {'D', R"json({"operators":["%1: f32[2] = aten.mul_.Tensor(%0, 2)"]})json"},
                           {'D', R"json({"operators":["%0: f32[] = aten.ones.default([])"]})json"}});
        QVERIFY(recording);
        const std::vector<GraphFacts> out = graphFacts(*recording);
        QCOMPARE(out.size(), std::size_t(2));
        QCOMPARE(out[0].inputs.size(), std::size_t(2));
        QCOMPARE(out[0].inputs[1].storage, out[0].inputs[0].storage);
        QCOMPARE(out[0].inputs[1].offset, std::uint64_t(3));
        QCOMPARE(out[0].hooks.front().wrapped.size(), std::size_t(2));
        QCOMPARE(out[0].operators.size(), std::size_t(1));
        QVERIFY(out[1].inputs.empty());
        QCOMPARE(recording->lookups().size(), std::size_t(2));
        QVERIFY(recording->lookups()[0].hit && !recording->lookups()[1].hit);
        QCOMPARE(recording->text(recording->lookups()[0].place), std::string_view("f a.py:1"));
        QCOMPARE(recording->lookups()[0].after, 1U);
    }

    void decisionsOfTrees() {
        test::RecordingWriter writer;
        writer.record('H', R"({"format":1})")
            .numbers('s', {1}, "record")
            .numbers('s', {2}, "0/1")
            .numbers('s', {3}, "why");
        writer.numbers('w', {1, 7, 3, 2, 0}).numbers('w', {1, 7, 0, 0, 3}).numbers('w', {1, 7}).endBlock();
        const auto read = Recording::read(session::makeByteSource(writer.file()), nullptr);
        QVERIFY(read);
        const std::vector<TreeDecision>& out = (*read)->treeDecisions();
        QCOMPARE(out.size(), std::size_t(2));
        QCOMPARE(out[0].node, 2U);
        QCOMPARE((*read)->text(out[0].compile), std::string_view("0/1"));
        QCOMPARE(out[1].node, UINT32_MAX);
        QCOMPARE((*read)->text(out[1].reason), std::string_view("why"));
    }

    void hooksInForce() {
        const auto graph = [](std::uint64_t pack, std::string_view wrapped) {
            return R"({"storages":[],"hooks":[{"name":"saved_tensors_hooks_pack_0","graph":"g","wrapped":[)" +
                   std::string(wrapped) + R"(]}],"in_force":{"inlined":true,"filter":"donated","pair":[[)" +
                   std::to_string(pack) + R"(,"GraphModule",""],[2,"GraphModule",""]]}})";
        };
        const RecordingPtr recording = recordingWith(
            {{'J', graph(1, {})},
             {'J', graph(3, R"(["scaled",""])")},
             {'J',
              R"({"in_force":{"inlined":false,"filter":"all","pair":[[7,"function","pack"],[8,"function","unpack"]]}})"},
             {'J', R"({"in_force":{"pair":[[7,"function"],[-8,"function","unpack"]]}})"},
             {'J', R"({"in_force":{"pair":7}})"}});
        const std::vector<GraphFacts> out = graphFacts(*recording);
        QCOMPARE(out.size(), std::size_t(5));
        QVERIFY(out[0].inForce && out[0].inForce->inlined);
        QCOMPARE(out[0].inForce->pack.identity, std::uint64_t(1));
        QCOMPARE(out[2].inForce->unpack.name, std::string("unpack"));
        QVERIFY(!out[2].inForce->inlined && !out[3].inForce && !out[4].inForce);
        const auto explained = [&](std::string_view ids) {
            return QString::fromStdString(explainHookGuard(
                out, "LAMBDA_GUARD: torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == " +
                         std::string(ids)));
        };
        QVERIFY(explained("None").contains("without saved-tensor hooks"));
        QVERIFY(explained("(1, 2)").contains("told apart by identity"));
        QVERIFY(explained("(1, 2)").contains("equal hooks in other objects"));
        QVERIFY(!explained("(1, 2)").contains("bypassed"));
        QVERIFY(explained("(3, 2)").contains("scaled, which has no user_cache_hash"));
        QVERIFY(!explained("(11, 2)").contains("other objects"));
        QVERIFY(explainHookGuard(out, "TENSOR_MATCH: check_tensor(L['x'])").empty());
    }
};

QTEST_GUILESS_MAIN(TestDynamoGraphFacts)
#include "tst_dynamo_graph_facts.moc"
