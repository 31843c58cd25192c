// SPDX-License-Identifier: BSD-3-Clause
//
// What is decided before anything runs: symbols' names, the cache's lookup, AOTAutograd's cache. PyTorch's
// own answers judge, and changed ones must fail.
#include "core/dynamo/autograd_cache.h"
#include "core/dynamo/backend_match.h"
#include "core/dynamo/pgo_naming.h"
#include "core/oracle/oracle_case.h"
#include "tests/support/archive.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace dynascope;
using namespace dynascope::dynamo;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

class TestDynamoDecisions : public QObject {
    Q_OBJECT

private:
    using Judge = void (*)(const json&, engine::CaseReport&);
    std::map<std::string, std::string> m_cases;

    static engine::CaseReport judged(Judge judge, const json& oracleCase) {
        engine::CaseReport report;
        judge(oracleCase, report);
        return report;
    }

    std::vector<json> ofKind(const std::string& kind) const {
        std::vector<json> out;
        for (const auto& [name, text] : m_cases)
            if (json oracleCase = json::parse(text); oracleCase["kind"] == kind)
                out.push_back(std::move(oracleCase));
        return out;
    }

    /// Every case passes, and fails once any entry of the expectation is another.
    void everyCase(const std::string& kind, Judge judge, const char* expectation, std::size_t cases) {
        const std::vector<json> all = ofKind(kind);
        QCOMPARE(all.size(), cases);
        for (const json& oracleCase : all) {
            const engine::CaseReport report = judged(judge, oracleCase);
            QVERIFY2(report.verdict() == Verdict::Passed, report.reason().c_str());
            for (std::size_t i = 0; i < oracleCase[expectation].size(); ++i) {
                json tampered = oracleCase;
                tampered[expectation][i] = "tampered";
                QCOMPARE(judged(judge, tampered).verdict(), Verdict::Failed);
            }
        }
    }

private slots:
    void initTestCase() { m_cases = test::oracleCases(); }

    void backendMatch() { everyCase("backend_match", engine::judgeBackendMatch, "compiled_by", 4); }
    void pgoNaming() { everyCase("pgo_naming", engine::judgePgoNaming, "expected", 15); }

    void autogradCache() {
        std::map<Verdict, int> tally;
        for (const json& oracleCase : ofKind("autograd_cache_bypass")) {
            ++tally[judged(engine::judgeAutogradCache, oracleCase).verdict()];
            json tampered = oracleCase;
            tampered["nodes"].back()["result"] = "bypass: the weather";
            QCOMPARE(judged(engine::judgeAutogradCache, tampered).verdict(), Verdict::Failed);
            tampered = oracleCase;
            tampered["expected"] = oracleCase["expected"] == "cacheable" ? "bypass" : "cacheable";
            const bool holdsItsCause = oracleCase["name"] != "cache_pack_hook_bad";
            QCOMPARE(judged(engine::judgeAutogradCache, tampered).verdict(),
                     holdsItsCause ? Verdict::Failed : Verdict::Passed);
        }
        QCOMPARE(tally[Verdict::Passed], 5);
        QCOMPARE(tally[Verdict::Declined], 1); // its cause is a hook's graph, which the case lacks
    }

    /// The graph that the declined case lacks, as its note describes it.
    void aHookOfAnUnknownFunctionBypasses() {
        const json oracleCase = json::parse(m_cases.at("cache_pack_hook_bad"));
        const std::string expected = oracleCase["expected"];
        const std::size_t begin = expected.find('<'), end = expected.find(">. ") + 1;
        CacheNode input{.op = "placeholder", .target = "x"};
        CacheNode call{.op = "call_function",
                       .target = expected.substr(begin, end - begin),
                       .targetModule = "user.module",
                       .targetName = "user_fn"};
        const std::vector<CacheNode> pack{input, call, {.op = "output", .target = "output"}};
        const auto bypass = findCacheBypass(pack);
        QVERIFY(bypass);
        QCOMPARE(bypass->node, std::size_t(1));
        QCOMPARE("bypass: " + bypass->reason, expected);
    }

    void whatTheCacheCannotHold_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("held");
        QTest::newRow("torch's Python function") << "<function einsum>"
                                                 << "torch.functional"
                                                 << "einsum" << true;
        QTest::newRow("a private name") << "<function _get_softmax_dim>"
                                        << "torch.nn.functional"
                                        << "_get_softmax_dim" << false;
        QTest::newRow("a private name that Dynamo lists") << "<function _vmap_increment_nesting>"
                                                          << "torch._functorch.predispatch"
                                                          << "_vmap_increment_nesting" << true;
        QTest::newRow("a public one") << "<function gelu>"
                                      << "torch.nn.functional"
                                      << "gelu" << true;
        QTest::newRow("a module of torch that is not listed") << "<function save>"
                                                              << "torch.serialization"
                                                              << "save" << false;
        QTest::newRow("a function of NumPy") << "<Wrapped function <original sum>>"
                                             << "torch._dynamo.utils"
                                             << "wrapped_sum" << true;
        QTest::newRow("operator") << "<built-in function add>"
                                  << "_operator"
                                  << "add" << true;
        QTest::newRow("an operator of aten") << "aten.relu.default"
                                             << "torch._ops.aten"
                                             << "relu.default" << true;
        QTest::newRow("einops") << "<function rearrange>"
                                << "einops.einops"
                                << "rearrange" << true;
        QTest::newRow("einops, another") << "<function reduce>"
                                         << "einops.einops"
                                         << "reduce" << false;
        QTest::newRow("a module that begins alike") << "<function f>"
                                                    << "torchvision.ops"
                                                    << "f" << false;
        QTest::newRow("no module") << "<object>"
                                   << ""
                                   << "" << false;
    }
    void whatTheCacheCannotHold() {
        QFETCH(QString, target);
        QFETCH(QString, module);
        QFETCH(QString, name);
        QFETCH(bool, held);
        const std::vector<CacheNode> nodes{{.op = "call_function",
                                            .target = target.toStdString(),
                                            .targetModule = module.toStdString(),
                                            .targetName = name.toStdString()}};
        QCOMPARE(!findCacheBypass(nodes), held);
        if (module.isEmpty())
            QVERIFY(findCacheBypass(nodes)->reason.find("Function module: None, \nFunction name: None") !=
                    std::string::npos);
    }

    void aHashWithoutAWrapHelpsNothing() {
        CacheNode node{
            .op = "call_function", .target = "<function f>", .targetModule = "mine", .targetName = "f"};
        node.userCacheHash = "v1";
        QVERIFY(findCacheBypass({&node, 1}));
        node.wrapped = true;
        QVERIFY(!findCacheBypass({&node, 1}));
        node.userCacheHash.clear();
        QVERIFY(findCacheBypass({&node, 1}));
    }

    void settingsComeFirst() {
        const CacheNode node{.op = "strange"};
        QCOMPARE(findCacheBypass({&node, 1})->reason, std::string("Unsupported node op strange"));
        const auto frozen = findCacheBypass({&node, 1}, {.freezing = true});
        QCOMPARE(frozen->node, CacheBypass::wholeGraph);
        QCOMPARE(frozen->reason, std::string("Cannot cache a graph with freezing enabled"));
        QCOMPARE(findCacheBypass({}, {.fxGraphCache = false})->reason,
                 std::string("FX graph cache is not enabled"));
        QVERIFY(!findCacheBypass({}));
    }

    /// A hit moves to the front; equal backends of one type share; an entry of another backend says so.
    void lookupOrder() {
        CodeCache cache;
        const Backend eager{1, "function", ""}, other{2, "function", ""};
        const GuardCheck pass = [](std::size_t) { return std::nullopt; };
        QCOMPARE(cache.call(eager, pass).kind, CacheAnswer::Kind::Compiled);
        QCOMPARE(cache.call(other, pass).kind, CacheAnswer::Kind::Compiled);
        QCOMPARE(cache.order(), (std::vector<std::size_t>{1, 0}));
        const CacheAnswer back = cache.call(eager, pass);
        QCOMPARE(back.kind, CacheAnswer::Kind::Hit);
        QCOMPARE(back.entry, std::size_t(0));
        QCOMPARE(back.lookups.size(), std::size_t(2));
        QCOMPARE(back.lookups[0].entry, std::size_t(1));
        QVERIFY(back.lookups[0].reason.starts_with("BACKEND_MATCH"));
        QVERIFY(back.lookups[1].reason.empty());
        QCOMPARE(cache.order(), (std::vector<std::size_t>{0, 1}));

        QVERIFY((Backend{3, "A", "x"}.matches({4, "A", "x"})));
        QVERIFY(!(Backend{3, "A", "x"}.matches({4, "B", "x"})));
        QVERIFY(!(Backend{3, "A", ""}.matches({4, "A", ""})));
    }

    void theLimitEndsCompilation() {
        CodeCache cache(2);
        const Backend backend{1, "function", ""};
        const GuardCheck fail = [](std::size_t entry) { return "size of entry " + std::to_string(entry); };
        QCOMPARE(cache.call(backend, fail).kind, CacheAnswer::Kind::Compiled);
        QCOMPARE(cache.call(backend, fail).kind, CacheAnswer::Kind::Compiled);
        const CacheAnswer third = cache.call(backend, fail);
        QCOMPARE(third.kind, CacheAnswer::Kind::LimitReached);
        QCOMPARE(third.lookups.front().reason, std::string("size of entry 1"));
        const CacheAnswer stranger =
            cache.call({9, "function", ""}, [](std::size_t) { return std::optional<std::string>(); });
        QCOMPARE(stranger.kind, CacheAnswer::Kind::Hit);
    }

    void symbolsOfNumbers() {
        SymbolNames names({});
        const SymbolAnswer real = names.create({"L['scale']", 5.5, DimPolicy::Dynamic});
        QCOMPARE(real.text, "zf" + std::to_string(hashedSymbolId("L['scale']")));
        const SymbolAnswer again = names.create({"L['scale']", 5, DimPolicy::Dynamic});
        QCOMPARE(again.taken, (std::vector<int>{again.hashed}));
        QCOMPARE(again.text, "s" + std::to_string(again.hashed + 1));
        // Only sizes that may share are found by later ones.
        QCOMPARE(names.create({"L['x'].size()[0]", 5, DimPolicy::Duck}).kind, SymbolAnswer::Kind::Allocated);
        QCOMPARE(names.create({"L['y'].size()[0]", 5, DimPolicy::Duck}).kind, SymbolAnswer::Kind::Duck);
    }

    /// As ShapeEnv.create_symbol of PyTorch 2.13 answered: equal numbers are one key of its dict.
    void floatsAreNumbersToo() {
        SymbolNames names({});
        const auto text = [&](const char* source, std::variant<std::int64_t, double> value,
                              DimPolicy policy) {
            return names.create({source, value, policy}).text;
        };
        QCOMPARE(text("L['a']", 2, DimPolicy::Duck), std::string("s71"));
        QCOMPARE(text("L['b']", 2.0, DimPolicy::Duck), std::string("s71"));
        QCOMPARE(text("L['c']", 1.0, DimPolicy::Dynamic), std::string("1"));
        QCOMPARE(text("L['d']", 0.0, DimPolicy::Dynamic), std::string("0"));
        QCOMPARE(text("L['e']", 2.7, DimPolicy::Static), std::string("2"));
        QCOMPARE(text("L['f']", 2.5, DimPolicy::Duck), std::string("zf57"));
        QCOMPARE(text("L['g']", 2.5, DimPolicy::Duck), std::string("zf57"));
        QCOMPARE(text("L['h']", 1e30, DimPolicy::Static), std::string("1000000000000000019884624838656"));
        SymbolNames floatFirst({});
        QCOMPARE(floatFirst.create({"L['b']", 2.0, DimPolicy::Duck}).text, std::string("zf56"));
        QCOMPARE(floatFirst.create({"L['a']", 2, DimPolicy::Duck}).text, std::string("zf56"));
    }
};

QTEST_GUILESS_MAIN(TestDynamoDecisions)
#include "tst_dynamo_decisions.moc"
