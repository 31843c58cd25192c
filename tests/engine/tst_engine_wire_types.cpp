// SPDX-License-Identifier: BSD-3-Clause
//
// Requests, what files keep, and replies that no engine of a test gives: each as a document with all of its fields,
// which is written byte for byte as it was read; no field of it can be spoiled unseen.
#include "core/engine/wire/aot.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/ranks_document.h"
#include "core/engine/wire/replay.h"
#include "core/engine/wire/stage_document.h"
#include "core/engine/wire/tree.h"
#include "core/engine/wire/verify.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <cmath>
#include <functional>
#include <set>

using namespace dynascope;
using wire::Any;

namespace {

/// A document, and what reads and writes it.
struct Row {
    std::string type, document;
    std::function<Result<Any>(const Any&)> again;
};

template <typename T>
Row row(std::string type, std::string document) {
    return {std::move(type), std::move(document), [](const Any& json) -> Result<Any> {
                const Result<T> read = wire::decode<T>(json);
                if (!read) return tl::unexpected(read.error());
                return wire::encode(*read);
            }};
}

/// Of a graph with two inputs and a constant.
const std::string on =
    R"("attrs":{"_tensor_constant0":{"dtype":"int64","seed":3,"shape":[]}},"inputs":{"inputs":[{"dtype":"float32",)"
    R"("name":"x","shape":[2],"storage":0,"storage_offset":0,"stride":[1]},5],"storages":[{"data":[1.5,"inf"],)"
    R"("dtype":"float32"}]},"symbols":{"s0":7,"s1":5})";
const std::string tensor =
    R"({"data":[1.0,"nan"],"dtype":"float32","shape":[2],"storage_offset":1,"stride":[3]})";
const std::string ran =
    R"({"grads":[null,{"data":[2.0],"dtype":"float32","shape":[1],"storage_offset":0,"stride":[1]}],"outputs":[)"
    R"({"aliases_inputs":[0],"aliases_outputs":[1],"data":[true],"dtype":"bool","is_input":0,"shape":[1],)"
    R"("storage_offset":0,"stride":[1]},{"scalar":true},{"scalar":3},{"scalar":2.5},{"scalar":"-inf"},)"
    R"({"scalar":[0.5,"nan"]},{"text":"cuda:0"},{"none":true}],"post":{"inputs":[{"data":[[1.0,2.0]],)"
    R"("dtype":"complex64","same_storage":true,"shape":[1],"storage_offset":0,"stride":[1]},{"scalar":-7}],)"
    R"("storages":[[[1.0,2.0]],null]},"stopped_at":"mul"})";
const std::string writeBack =
    R"({"bytes":16,"how":["resize_","copy_"],"input":"x","nodes":[],"offset":0,"output":1,"position":0,"shape":[4],)"
    R"("shared_with":["y"],"stride":[1],"whole_storage":true})";
const std::string step =
    R"({"alias_groups":[1],"changed":[{"after":"add","before":"add_","why":"in place"}],"device":"cpu","dtype":)"
    R"("float32","emitted":[{"node":"add","why":"operator"}],"end":3,"is_input_alias":true,"is_input_mutation":false,)"
    R"("is_mutation":true,"mutates_alias_groups":[1],"partial_mutation":false,"pass":"functionalize","removed":)"
    R"([{"node":"view","replacement":null,"why":"dead"}],"scorecard":[{"base":"x","cells":[2,3],"current":null,)"
    R"("generation":1,"offset":2,"pending_updates":1,"regenerated":true,"shape":[2],"stale":false,"storage":0,)"
    R"("storage_generation":1,"stride":[1],"value":"select","values":[1,0.5],"views":["select dim 0"]}],)"
    R"("phases":[{"from":0,"nodes":[],"phase":"commit","storage":0,"to":1}],"source":"add_","storages":[{"base":"x",)"
    R"("generation":1,"pending_updates":1,"storage":0,"values":[1,2]}],"target":"torch.ops.aten.add_.Tensor",)"
    R"("updates":[{"from":0,"inverse":[{"node":null,"text":"select_scatter of add"}],"storage":0,"to":1,)"
    R"("value":"add","views":["select dim 0"]}],"why":"writes x"})";
const std::string rankResult =
    R"({"error":{"graph":1,"message":"Timed out","node":"all_reduce"},"outputs":[[)" + tensor +
    R"(,null],[]],"recordings":[]})";

std::string check(const std::string& expected, const std::string& actual) {
    return R"({"actual":)" + actual + R"(,"cell":[0,1],"close":true,"counts":false,"expected":)" + expected +
           R"(,"max_abs":1.0,"max_rel":"inf","ok":true,"property":"values","rounded":true,"what":"output #0"})";
}

const std::vector<Row>& rows() {
    using namespace wire;
    static const std::vector<Row> all{
        row<InitializeRequest>("InitializeRequest", R"({"client":"0.1.0","protocol":1})"),
        row<OnGraph>("OnGraph", R"({"graph":"9a0364b9e99bb480dd25e1f0284c8555"})"),
        row<RunOn>("RunOn", "{" + on + "}"),
        row<LoadRequest>("LoadRequest", R"({"text":"graph():\n    return ()\n"})"),
        row<CancelRequest>("CancelRequest", R"({"id":12})"),
        row<CreditRequest>("CreditRequest", R"({"count":8,"id":"12"})"),
        row<ExecuteRequest>("ExecuteRequest",
                            "{" + on +
                                R"(,"data":false,"elements":12,"grad":true,"until":"mul","values":true,)"
                                R"("watch":["add","mul"]})"),
        row<ExecuteReply>("ExecuteReply", ran),
        row<NodeValue>(
            "NodeValue",
            R"({"items":[{"dtype":"int","kind":"scalar","text":"3"},{"kind":"none","text":"None"}],)"
            R"("kind":"list","node":"split","text":"a list of 2","version_bumped_by_node":["x"]})"),
        row<RunTensor>("RunTensor", tensor),
        row<TensorRequest>("TensorRequest", "{" + on + R"(,"item":1,"node":"split"})"),
        row<TensorReply>("TensorReply", R"({"dtype":"float32","shape":[2,3]})"),
        row<AotRequest>("AotRequest",
                        "{" + on +
                            R"(,"autocast":"torch.bfloat16","grad_mode":true,"keep_input_mutations":false,)"
                            R"("run":true,"symbolic_sizes":true,"unbounded":["u0"]})"),
        row<AotReply>(
            "AotReply of a call",
            R"({"forward_outputs":1,"graph":"graph():\n    return ()\n","graph_warnings":["strides"],)"
            R"("joint":true,"metadata":{},"metadata_outer":{},"numbers_read":[3,0.5,true,null],"readable":)"
            R"("def forward(self):","run":)" +
                ran + R"(,"time_us":12.5,"values":{"add":"f32[2][1]cpu"},"warnings":["a warning"]})"),
        row<AotReply>("AotReply",
                      R"({"graph":"graph():\n    return ()\n","refused":"aot_autograd() does not yet )"
                      R"(handle","run":{"error":{"message":"mat2 must be a matrix"}},"warnings":[]})"),
        row<PassRequest>("PassRequest",
                         "{" + on +
                             R"(,"cells":true,"faithful":false,"options":{"half":"forward","rounds":"2"},)"
                             R"("passes":["functionalize","dce"],"remove":"mutations","runs":3,)"
                             R"("scorecard":true,"shapes":true,"verify":true,"write_back":"caller"})"),
        row<WriteBack>("WriteBack", writeBack),
        row<PassStep>("PassStep", step),
        row<PassSummary>(
            "PassSummary",
            R"({"method":"cells","mutations_left":1,"nodes_after":4,"nodes_before":5,"notes":["a note"],"pass":)"
            R"("functionalize","provenance":[["add_","add"]],"time_us":12.5,"warnings":["a warning"],"write_back":[)" +
                writeBack + "]}"),
        row<VerifyRequest>(
            "VerifyRequest",
            R"({"aliasing":true,"computed":"9a0364b9e99bb480dd25e1f0284c8555","computed_attrs":{"c":)" +
                tensor + R"(},"seed":7,"steps":[)" + step + R"(],"strict":true,"write_back":[)" + writeBack +
                "]}"),
        row<VerifyRequest>(
            "VerifyRequest of passes",
            R"({"cells":true,"faithful":true,"options":{"half":"backward","rounds":"2"},"passes":["functionalize"],)"
            R"("remove":"mutations_and_views","write_back":"graph"})"),
        row<VerifyReply>(
            "VerifyReply",
            R"({"alone":"alone","checks":[)" + check("null", R"("it fails")") + ',' + check("11", "true") +
                ',' + check("2.5", R"([0.5,"nan"])") + ',' + check("[]", "[2,3]") + ',' +
                check(R"({"offset":1,"strides":[3,1]})", "[2]") + ',' +
                check(R"({"inputs":[0],"outputs":[]})", R"("nan")") +
                R"(],"first_difference":{"actual":3,"among":["view"],"computed":"mul","expected":2.0,"how":)"
                R"("by halves","index":[0],"runs":4,"source":null,"text":"cell [0] is 3"},"graph":)"
                R"("graph():\n","in_double_precision":true,"inputs":"as given","matched":5,"reason":)"
                R"("output #0 differs","variants":[{"inputs":"twice","reason":"","verdict":"random"}],)"
                R"("verdict":"different","warnings":["a warning"]})"),
        row<RecordRequest>(
            "RecordRequest",
            R"({"again":"plan1","backend":"cuda:1","kept":[0],"onednn":false,"threads":4,"title":)"
            R"("0/0 forward","wires":[{"input":1,"output":2,"plan":"plan0"},{"input":2,"plan":)"
            R"("plan0","source":0}]})"),
        row<ReplayRequest>("ReplayRequest",
                           R"({"eager":false,"iterations":5,"live":true,"node_iterations":0,"outputs":true,)"
                           R"("plans":["plan0","plan1"],"times":"both","verify":2})"),
        row<DropRequest>("DropRequest", R"({"plans":["plan0"]})"),
        row<RanksRequest>(
            "RanksRequest",
            R"({"backend":"cuda","groups":[{"name":"0","ranks":[0,1]}],"iterations":3,)"
            R"("node_iterations":0,"output_elements":10000,"ranks":[{"graphs":[{"kept":[1],"name":)"
            R"("0/0 forward","text":"graph():\n    return ()\n","wires":[{"graph":0,"input":1,)"
            R"("output":0},{"graph":0,"input":2,"source":1}]}]},{"graphs":[]}],"verify":0})"),
        row<RankResult>("RankResult", rankResult),
        row<RanksReply>("RanksReply",
                        R"({"failure":{"ended":[2],"kind":"hang","never":[1],"text":"rank 0 waits",)"
                        R"("waiting":[{"call":"all_reduce sum of group '0', Float[4]","graph":"0/0",)"
                        R"("node":"all_reduce","rank":0}]},"meetings":4,"ranks":[)" +
                            rankResult + "]}"),
        row<TreeFunctionRequest>("TreeFunctionRequest", R"({"name":"f0","tree":"tree1"})"),
        row<TreeRequest>("TreeRequest", R"({"backend":"cuda:0","case":{},"tree":"tree1","verify":false})"),
        row<TreeNextRequest>("TreeNextRequest", R"({"run":"run1","steps":5})"),
        row<TreeDropRequest>("TreeDropRequest", R"({"run":"run1"})"),
        row<StageDocument>(
            "StageDocument",
            R"({"caller_writes_back":true,"derived":{"attempt":1,"k":2,"stage":"a","time_us":1.5},)"
            R"("passes":["dce"],"removed":true,"removes_views":true})"),
        row<VerdictDocument>(
            "VerdictDocument",
            R"({"differences":["output #0, values: 3, expected 2"],"isomorphic":true,"node":"mul",)"
            R"("node_from":"mul_1","parting":{"actual":"3","expected":"2","node":"mul","node_from":)"
            R"("mul_1","text":"cell [0] is 3 instead of 2"},"text":"the values differ","twin":)"
            R"("aot_forward_graph","verdict":"different"})"),
    };
    return all;
}

/// Of any form, or of several: not looked into. By field.
const std::set<std::string> opaque{"inputs",   "attrs",          "computed_attrs", "case",  "id",
                                   "metadata", "metadata_outer", "expected",       "actual"};
/// With which fields beside it come and go, that are passed over where it is not there.
const std::set<std::string> parts{"shape", "aliases_inputs", "alias_groups", "scorecard",
                                  "error", "method",         "max_abs"};

struct Place {
    Any::json_pointer at;
    std::string field;  ///< empty of an item of a list
    std::string text;   ///< as errors name it
    std::string object; ///< likewise, that it is in
};

bool isOpaque(const Row& one, const Place& place) {
    return opaque.contains(place.field) && !(place.field == "inputs" && place.object.ends_with("post")) &&
           !(place.field == "id" && one.type != "CancelRequest" && one.type != "CreditRequest");
}

void collect(const Row& one, const Any& value, const Place& here, std::vector<Place>& out) {
    // The two parts of a complex element are looked at as one.
    if (here.field.empty() && here.object.ends_with(']') && (value.is_number() || value.is_string())) return;
    if (!here.text.empty()) out.push_back(here);
    if (isOpaque(one, here)) return;
    if (value.is_object())
        for (const auto& [key, item] : value.items())
            collect(one, item,
                    {here.at / key, key, here.text + (here.text.empty() ? "" : ".") + key, here.text}, out);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
            collect(one, value[i], {here.at / i, {}, here.text + '[' + std::to_string(i) + ']', here.text},
                    out);
}

QString content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// What a pattern captures wherever it matches.
QSet<QString> matches(const QString& text, const char* pattern) {
    QSet<QString> out;
    const QRegularExpression expression(QString::fromLatin1(pattern));
    for (auto all = expression.globalMatch(text); all.hasNext();)
        out.insert(all.next().captured(1));
    return out;
}

} // namespace

class TestEngineWireTypes : public QObject {
    Q_OBJECT

private slots:
    void isTheSameAgain() {
        for (const Row& one : rows()) {
            const auto again = one.again(wire::parsed(one.document));
            QVERIFY2(again, (one.type + ": " + (again ? std::string() : again.error().message)).c_str());
            QCOMPARE(QString::fromStdString(again->dump()),
                     QString::fromStdString(wire::parsed(one.document).dump()));
        }
    }

    void nothingIsSpoiledUnseen() {
        std::size_t spoiled = 0;
        QStringList unseen;
        for (const Row& one : rows()) {
            const Any good = wire::parsed(one.document);
            std::vector<Place> places;
            collect(one, good, Place{Any::json_pointer(), {}, {}, {}}, places);
            for (const Place& place : places) {
                ++spoiled;
                const auto note = [&](const char* how, const std::string& said) {
                    unseen.push_back(QString::fromStdString(one.type + ": " + place.text + how + said));
                };
                if (!isOpaque(one, place)) {
                    Any bad = good;
                    bad.at(place.at) = good.at(place.at).is_object() ? Any::array({1}) : Any{{"odd", 1}};
                    const auto read = one.again(bad);
                    if (read || read.error().message.find(place.text) == std::string::npos)
                        note(" of another kind: ", read ? read->dump() : read.error().message);
                }
                if (place.field.empty()) continue;
                // What may be left out is left out again.
                Any cut = good;
                cut.at(place.at.parent_pointer()).erase(place.field);
                const auto read = one.again(cut);
                const bool seen = read ? *read == cut || parts.contains(place.field)
                                       : read.error().message.find(place.object) != std::string::npos;
                if (!seen) note(" missing: ", read ? read->dump() : read.error().message);
            }
        }
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join('\n')));
        QVERIFY2(spoiled > 400, qPrintable(QString::number(spoiled)));
    }

    void numbersAndRuns() {
        const auto reply = wire::decode<wire::ExecuteReply>(wire::parsed(ran));
        QVERIFY(reply);
        const auto number = [&](std::size_t i) { return reply->outputs.at(i).scalar.value().value; };
        QVERIFY(std::get<bool>(number(1)));
        QCOMPARE(std::get<std::int64_t>(number(2)), std::int64_t(3));
        QCOMPARE(std::get<double>(number(3)), 2.5);
        QCOMPARE(std::get<double>(number(4)), -INFINITY);
        QVERIFY(std::isnan(std::get<std::complex<double>>(number(5)).imag()));
        std::string texts;
        for (std::size_t i = 1; i <= 5; ++i)
            texts += reply->outputs[i].scalar->text() + ' ';
        QCOMPARE(texts, std::string(R"(true 3 2.5 "-inf" [0.5,"nan"] )"));
        const auto elements = wire::decode<wire::RunTensor>(wire::parsed(tensor)).value().data.value();
        QCOMPARE(elements.texts(9), (std::vector<std::string>{"1.0", "nan"}));
        QCOMPARE(elements.texts(1).size(), std::size_t(1));

        const auto why = [](const Any& run) {
            const auto read = wire::decode<wire::AotReply>(
                {{"graph", ""}, {"refused", "no"}, {"warnings", Any::array()}, {"run", run}});
            return read ? std::string() : read.error().message;
        };
        QCOMPARE(why({{"error", {{"message", "it fails"}}}}), std::string());
        QCOMPARE(why(Any::object()), std::string("aot reply: run.outputs: expected this or 'error'"));
        Any both = wire::parsed(ran);
        both["error"] = {{"message", "it fails"}};
        QCOMPARE(why(both), std::string("aot reply: run.outputs: expected this or 'error'"));
        Any large = wire::parsed(ran);
        large["outputs"][2]["scalar"] = UINT64_MAX;
        QCOMPARE(why(large),
                 std::string("aot reply: run.outputs[2].scalar: out of range: 18446744073709551615"));
        large["outputs"][2]["scalar"] = Any::array({1, 2, 3});
        QCOMPARE(why(large), std::string("aot reply: run.outputs[2].scalar: expected a number, not a list"));
    }

    void whatChecksFind() {
        wire::VerifyReply reply;
        reply.checks.emplace_back();
        Any document = wire::encode(reply);
        const auto found = [&document](const Any& expected) -> Result<std::string> {
            document["checks"][0]["expected"] = expected;
            const auto read = wire::decode<wire::VerifyReply>(document);
            if (!read) return tl::unexpected(read.error());
            const wire::Found& first = read->checks.at(0).expected;
            return first.text() + " | " + first.shown();
        };
        for (const auto& [expected, text] :
             {std::pair(Any(), R"(null | )"), std::pair(Any("float32"), R"("float32" | float32)"),
              std::pair(Any("nan"), R"("nan" | nan)"), std::pair(Any(-3), "-3 | -3"),
              std::pair(Any(false), "false | false"), std::pair(Any::array({2, 3}), "[2,3] | [2,3]"),
              std::pair(Any::array({1.5, "inf"}), R"([1.5,"inf"] | [1.5,"inf"])"),
              std::pair(Any{{"strides", {1}}, {"offset", 0}},
                        R"({"offset":0,"strides":[1]} | {"offset":0,"strides":[1]})")})
            QCOMPARE(found(expected).value(), std::string(text));
        const auto why = [&found](const Any& expected) { return found(expected).error().message; };
        const std::string at = "verify reply: checks[0].expected";
        QCOMPARE(why(Any::array({1, 2, "x"})), at + "[2]: expected a whole number, not a string");
        QCOMPARE(why(Any::array({1.5, "x"})), at + "[1]: expected a number, not a string");
        QCOMPARE(why({{"strides", {1}}}), at + ".offset: is missing");
        QCOMPARE(why(Any::object()), at + ".inputs: is missing");
        QCOMPARE(why({{"inputs", {-1}}, {"outputs", Any::array()}}), at + ".inputs[0]: out of range: -1");
    }

    void filesOfRanks() {
        const auto request = wire::decode<wire::RanksRequest>(
            wire::parsed(std::find_if(rows().begin(), rows().end(), [](const Row& one) {
                             return one.type == "RanksRequest";
                         })->document));
        const auto result = wire::decode<wire::RankResult>(wire::parsed(rankResult));
        QVERIFY(request && result);
        Any written = wire::parsed(wire::writeRanksRequest(*request));
        Any found = wire::parsed(wire::writeRankResult(*result));
        QCOMPARE(written["version"], Any(wire::rankFilesVersion));
        QCOMPARE(found["version"], Any(wire::rankFilesVersion));
        for (const Any& version : {Any(1), Any(0), Any()}) {
            written["version"] = found["version"] = version;
            if (version.is_null()) written.erase("version"), found.erase("version");
            const auto again = wire::readRanksRequest(wire::textOf(written));
            QVERIFY(again && wire::encode(*again) == wire::encode(*request));
            const auto sameResult = wire::readRankResult(wire::textOf(found));
            QVERIFY(sameResult && *sameResult && wire::encode(**sameResult) == wire::encode(*result));
        }
        const std::string newer = "it was written by a newer version of Dynascope";
        for (const auto& [version, why] :
             {std::pair(Any(2), newer),
              std::pair(Any("1"), std::string("version: expected a number from 0 on"))}) {
            written["version"] = found["version"] = version;
            const auto no = wire::readRanksRequest(wire::textOf(written));
            QVERIFY(!no && no.error().message == why);
            const auto noResult = wire::readRankResult(wire::textOf(found));
            QVERIFY(!noResult && noResult.error().message == why);
        }
        // A rank that was ended while it wrote.
        const auto half = wire::readRankResult(rankResult.substr(0, 40));
        QVERIFY(half && !*half);
        QVERIFY(!wire::readRanksRequest("") && !wire::readRanksRequest("[]"));
    }

    /// Here, on what an engine answers (tst_engine_wire), and from any JSON (fuzz_wire).
    void noTypeIsForgotten() {
        const QDir root(DYNASCOPE_SOURCE_DIR);
        QSet<QString> types;
        const QDir folder(root.filePath("core/engine/wire"));
        for (const QString& file : folder.entryList({"*.cpp"}))
            types |= matches(content(folder.filePath(file)), "\nDYNASCOPE_WIRE\\((\\w+)\\)");
        QVERIFY(types.size() > 40);
        QSet<QString> here =
            matches(content(root.filePath("tests/engine/tst_engine_wire.cpp")), "said<(\\w+)>");
        for (const Row& one : rows())
            here.insert(QString::fromStdString(one.type).section(' ', 0, 0));
        QCOMPARE(QStringList((types - here).values()).join(' '), QString());
        const QSet<QString> fuzzed =
            matches(content(root.filePath("tests/fuzz/fuzz_wire.cpp")), "wire::(\\w+)[,>]");
        // By the document that they are in.
        const QSet<QString> documents{"StageDocument", "VerdictDocument"};
        QCOMPARE(QStringList((types - fuzzed - documents).values()).join(' '), QString());
    }
};

QTEST_GUILESS_MAIN(TestEngineWireTypes)
#include "tst_engine_wire_types.moc"
