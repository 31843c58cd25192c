// SPDX-License-Identifier: BSD-3-Clause
//
// The protocol's types on what a real engine answers: read and written again it is the same, and no field of
// it can be spoiled unseen.
#include "core/engine/client/client.h"
#include "core/engine/wire/aot.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/ranks.h"
#include "core/engine/wire/replay.h"
#include "core/engine/wire/stage_document.h"
#include "core/engine/wire/tree.h"
#include "core/engine/wire/verify.h"
#include "tests/support/programs.h"

#include <QFile>
#include <QTest>
#include <cmath>
#include <functional>
#include <set>

using namespace dynascope;
using wire::Any;

namespace {

const std::string pokes = "graph():\n"
                          "    %x : [num_users=2] = placeholder[target=x]\n"
                          "    %y : [num_users=1] = placeholder[target=y]\n"
                          "    %v : [num_users=2] = call_function[target=torch.ops.aten.select.int](args = "
                          "(%x, 0, 1), kwargs = {})\n"
                          "    %a : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = "
                          "(%v, %y), kwargs = {})\n"
                          "    %s : [num_users=1] = call_function[target=torch.ops.aten.split.Tensor](args = "
                          "(%x, 1), kwargs = {})\n"
                          "    %p : [num_users=1] = call_function[target=operator.getitem](args = (%s, 1), "
                          "kwargs = {})\n"
                          "    %m : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = "
                          "(%p, 2), kwargs = {})\n"
                          "    %d : [num_users=0] = call_function[target=torch.ops.aten.neg.default](args = "
                          "(%m,), kwargs = {})\n"
                          "    return (m, v)";
const std::string pokesWrongly = "graph():\n"
                                 "    %x : [num_users=2] = placeholder[target=x]\n"
                                 "    %y : [num_users=1] = placeholder[target=y]\n"
                                 "    %v : [num_users=2] = call_function[target=torch.ops.aten.select.int]"
                                 "(args = (%x, 0, 1), kwargs = {})\n"
                                 "    %a : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor]"
                                 "(args = (%v, %y), kwargs = {})\n"
                                 "    %s : [num_users=1] = call_function[target=torch.ops.aten.split.Tensor]"
                                 "(args = (%x, 1), kwargs = {})\n"
                                 "    %p : [num_users=1] = call_function[target=operator.getitem](args = "
                                 "(%s, 1), kwargs = {})\n"
                                 "    %m : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor]"
                                 "(args = (%p, 3), kwargs = {})\n"
                                 "    return (m, v)";

Any inputs(bool grad = false) {
    const auto tensor = [&](const char* name, int storage, const Any& shape, const Any& stride) {
        Any out{{"name", name},     {"storage", storage},  {"shape", shape},
                {"stride", stride}, {"storage_offset", 0}, {"dtype", "float32"}};
        if (grad) out["requires_grad"] = true;
        return out;
    };
    return {{"storages",
             {{{"dtype", "float32"}, {"data", {1, 2, 3, 4}}}, {{"dtype", "float32"}, {"data", {5, "inf"}}}}},
            {"inputs", {tensor("x", 0, {2, 2}, {2, 1}), tensor("y", 1, Any::array({2}), Any::array({1}))}}};
}

/// A reply and what reads and writes it.
struct Said {
    std::string what;
    Any reply;
    std::function<Result<Any>(const Any&)> again;
};

template <typename T>
Said said(std::string what, const engine::CallResult& reply) {
    if (!reply) qFatal("%s: %s", what.c_str(), reply.error().message.c_str());
    return {std::move(what), *reply, [](const Any& document) -> Result<Any> {
                const Result<T> read = wire::decode<T>(document);
                if (!read) return tl::unexpected(read.error());
                return wire::encode(*read);
            }};
}

/// Of any form, or with a codec that has tests of its own: not looked into. By field.
const std::set<std::string> opaque{"attrs",  "expected", "actual",   "data",
                                   "corner", "storages", "metadata", "metadata_outer"};
/// May be left out, or is not the field that is missed then.
const std::set<std::string> optional{
    "why",         "changed",         "removed",     "storage",        "from",
    "to",          "cells",           "values",      "scorecard",      "alias_groups",
    "dtype",       "device",          "shape",       "whole_storage",  "meta",
    "differences", "deviations",      "method",      "mutations_left", "cell",
    "graph",       "warnings",        "shared_with", "histogram",      "grads",
    "stopped_at",  "same_storage",    "none",        "text",           "aliases_inputs",
    "readable",    "numbers_read",    "confinement", "driver",         "live_events",
    "is_input",    "aliases_outputs", "max_abs",     "data",           "scalar",
    "run",         "mutations",       "detail",      "maker",          "id",
    "cuda_graph"};
/// May be null.
const std::set<std::string> nullable{"node",     "before",   "after",  "replacement", "base",
                                     "current",  "value",    "output", "verified",    "first_difference",
                                     "computed", "source",   "min",    "max",         "mean",
                                     "std",      "is_input", "parent", "aliases",     "params"};

struct Place {
    Any::json_pointer at;
    std::string field; ///< nearest
    std::string text;  ///< as errors name it
};

/// Every place of the document, of list items only the first of its kind.
void collect(const Any& value, const Place& here, std::vector<Place>& out) {
    if (!here.text.empty()) out.push_back(here);
    if (opaque.contains(here.field)) return;
    if (value.is_object())
        for (const auto& [key, item] : value.items())
            collect(item, {here.at / key, key, here.text + (here.text.empty() ? "" : ".") + key}, out);
    std::set<std::string> kinds; // of items: by the fields that they have
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string kind = value[i].type_name();
            if (value[i].is_object())
                for (const auto& [key, item] : value[i].items())
                    kind += ' ' + key + (item.empty() ? "" : "+");
            if (kinds.insert(kind).second)
                collect(value[i], {here.at / i, here.field, here.text + '[' + std::to_string(i) + ']'}, out);
        }
}

/// What nothing but an object, or a list, can be.
Any otherKind(const Any& value) {
    return value.is_object() ? Any::array({1}) : Any{{"odd", 1}};
}

} // namespace

class TestEngineWire : public QObject {
    Q_OBJECT

    engine::Client m_engine{{test::engineProgram()}};
    std::vector<Said> m_said;

    /// The reply is told apart from one that was spoiled, and the error says where.
    static bool isSeen(const Said& one, const Any& spoiled, const Place& place, const char* how) {
        const auto read = one.again(spoiled);
        if (!read && read.error().message.find(place.text) != std::string::npos) return true;
        qWarning("%s: %s %s: %s", one.what.c_str(), place.text.c_str(), how,
                 read ? "nothing was said" : read.error().message.c_str());
        return false;
    }

private slots:
    void initTestCase() {
        QVERIFY(m_engine.start().has_value());
        const auto pass = [&](Any params) {
            params["inputs"] = inputs();
            return m_engine.callOnGraph("pass", pokes, std::move(params));
        };
        using namespace wire;
        m_said.push_back(said<PassReply>("functionalize", pass({{"passes", {"functionalize"}},
                                                                {"scorecard", true},
                                                                {"cells", true},
                                                                {"shapes", true},
                                                                {"verify", true}})));
        m_said.push_back(said<PassReply>("caller", pass({{"passes", {"functionalize", "dce"}},
                                                         {"scorecard", true},
                                                         {"write_back", "caller"},
                                                         {"remove", "mutations_and_views"}})));
        m_said.push_back(
            said<PassReply>("normalize_ir", pass({{"passes", {"normalize_ir"}}, {"scorecard", true}})));
        m_said.push_back(said<PassReply>("dce", pass({{"passes", {"dce", "cse"}}, {"runs", 3}})));
        m_said.push_back(said<VerifyReply>(
            "verify of passes",
            m_engine.callOnGraph("verify", pokes, {{"passes", {"functionalize"}}, {"inputs", inputs()}})));
        const auto loaded = m_engine.call("load", {{"text", pokesWrongly}});
        m_said.push_back(said<LoadReply>("load", loaded));
        m_said.push_back(
            said<VerifyReply>("verify of a graph", m_engine.callOnGraph("verify", pokes,
                                                                        {{"computed", (*loaded)["graph"]},
                                                                         {"inputs", inputs()},
                                                                         {"strict", true},
                                                                         {"aliasing", true}})));
        const auto execute = [&](Any params, bool grad = false) {
            params["inputs"] = inputs(grad);
            return m_engine.callOnGraph("execute", pokes, std::move(params));
        };
        m_said.push_back(said<ExecuteReply>("execute", execute({})));
        m_said.push_back(said<ExecuteReply>("execute for values", execute({{"values", true}})));
        m_said.push_back(said<ExecuteReply>("execute a part",
                                            execute({{"values", true}, {"until", "a"}, {"data", false}})));
        const std::string plain = "graph():\n"
                                  "    %x : [num_users=1] = placeholder[target=x]\n"
                                  "    %y : [num_users=1] = placeholder[target=y]\n"
                                  "    %m : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor]"
                                  "(args = (%x, %y), kwargs = {})\n"
                                  "    return (m, 3, None)";
        m_said.push_back(said<ExecuteReply>(
            "execute with gradients", m_engine.callOnGraph("execute", plain, {{"inputs", inputs(true)}})));
        m_said.push_back(said<AotReply>(
            "aot", m_engine.callOnGraph("aot", plain, {{"inputs", inputs(true)}, {"run", true}})));
        const auto recorded = m_engine.callOnGraph("record", plain, {{"inputs", inputs()}});
        m_said.push_back(said<RecordReply>("record", recorded));
        m_said.push_back(
            said<ReplayReply>("replay", m_engine.call("replay", {{"plans", {(*recorded)["plan"]}},
                                                                 {"iterations", 2},
                                                                 {"node_iterations", 1},
                                                                 {"outputs", true}})));
        QFile ofGpu(DYNASCOPE_TEST_DATA "/replay/synthetic_cuda_recording.json");
        QVERIFY(ofGpu.open(QIODevice::ReadOnly));
        m_said.push_back(said<RecordReply>(
            "record on a GPU", Any{{"plan", "plan1"}, {"recording", parsed(ofGpu.readAll().toStdString())}}));
        m_said.push_back(said<DropReply>("drop", m_engine.call("drop", {{"plans", {(*recorded)["plan"]}}})));
        const std::string product = "graph():\n"
                                    "    %x : [num_users=1] = placeholder[target=x]\n"
                                    "    %y : [num_users=1] = placeholder[target=y]\n"
                                    "    %m : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor]"
                                    "(args = (%x, %y), kwargs = {})\n"
                                    "    return (m,)";
        const Any program{
            {"functions",
             {{{"n_inputs", 2},
               {"n_outputs", 1},
               {"static_input_idxs", Any::array()},
               {"mutated_input_idxs", Any::array()},
               {"mode", "FORWARD"}}}},
            {"events",
             {{{"op", "mark_step"}},
              {{"op", "call"}, {"fn", 0}, {"inputs", {Any::array({"user"}), Any::array({"user"})}}}}},
            {"cudagraph_unexpected_rerecord_limit", 128}};
        const auto treeOf = [&](const char* what) {
            const auto function = m_engine.callOnGraph("tree_function", product, {{"inputs", inputs()}});
            m_said.push_back(said<TreeFunctionReply>(what, function));
            return Any{{"tree", (*function)["tree"]}, {"case", program}};
        };
        m_said.push_back(said<TreeReply>("tree", m_engine.call("tree", treeOf("tree function"))));
        const auto begun = m_engine.call("tree_begin", treeOf("another tree function"));
        m_said.push_back(said<TreeBeginReply>("tree run", begun));
        m_said.push_back(said<TreeNextReply>(
            "tree step", m_engine.call("tree_next", {{"run", (*begun)["run"]}, {"steps", 2}})));
        QVERIFY(m_engine.call("tree_drop", {{"run", (*begun)["run"]}}).has_value());
        QVERIFY(!m_engine.call("tree_drop", Any::object()).has_value());
        const Any rank{{"graphs", {{{"name", "0/0"}, {"text", product}, {"inputs", inputs()}}}}};
        const Any group{{"name", "0"}, {"ranks", {0, 1}}};
        const auto together = m_engine.call(
            "ranks",
            {{"ranks", {rank, rank}}, {"groups", {group}}, {"iterations", 2}, {"output_elements", 3}});
        m_said.push_back(said<RanksReply>("ranks", together));
        const std::string unknown = "graph():\n"
                                    "    %x : [num_users=1] = placeholder[target=x]\n"
                                    "    %m : [num_users=1] = call_function[target=torch.ops.mine.op.default]"
                                    "(args = (%x,), kwargs = {})\n"
                                    "    return (m,)";
        m_said.push_back(said<CoverageReply>("coverage", m_engine.callOnGraph("coverage", unknown)));
        m_said.push_back(said<PassesReply>("passes", m_engine.call("passes")));
        m_said.push_back(said<PluginsReply>("plugins", m_engine.call("plugins")));
        m_said.push_back(said<EnvironmentReply>("environment", m_engine.call("environment")));
        m_said.push_back(said<StatusReply>("status", m_engine.call("status")));
        m_said.push_back(said<CancelReply>("cancel", m_engine.call("cancel", {{"id", 12345}})));
        m_said.push_back(said<InitializeReply>(
            "initialize", m_engine.call("initialize", {{"protocol", engine::protocolVersion}})));
    }

    void isTheSameAgain() {
        for (const Said& one : m_said) {
            const auto again = one.again(one.reply);
            QVERIFY2(again, qPrintable(QString::fromStdString(
                                one.what + ": " + (again ? std::string() : again.error().message))));
            const Any parts = Any::diff(one.reply, *again);
            QVERIFY2(parts.empty(), (one.what + ": " + parts.dump()).c_str());
        }
    }

    void holdsWhatIsHardToHold() {
        const auto find = [this](const char* what) -> const Any& {
            return std::find_if(m_said.begin(), m_said.end(),
                                [&](const Said& one) { return one.what == what; })
                ->reply;
        };
        const auto functionalized = wire::decode<wire::PassReply>(find("functionalize"));
        QVERIFY(functionalized && functionalized->steps.size() > 5);
        std::size_t rows = 0, inverse = 0, cells = 0;
        for (const wire::PassStep& step : functionalized->steps) {
            QVERIFY(step.scorecard);
            rows += step.scorecard->scorecard.size();
            for (const wire::ScoreRow& row : step.scorecard->scorecard)
                cells += row.cells.size();
            for (const wire::EmittedNode& node : step.emitted)
                inverse += wire::emissionOf(node.why) == wire::Emission::Inverse;
        }
        QVERIFY(rows > 5 && cells > 10 && inverse > 0);
        const auto writeBack = [](const wire::PassReply& reply) {
            return reply.passes.at(0).functionalize.value().writeBacks.at(0);
        };
        QCOMPARE(writeBack(*functionalized).nodes.size(), std::size_t(1));
        const auto caller = wire::decode<wire::PassReply>(find("caller"));
        QVERIFY(caller && writeBack(*caller).output == std::uint64_t(0));
        const auto verified = wire::decode<wire::VerifyReply>(find("verify of a graph"));
        QVERIFY(verified && verified->verdict == wire::VerifyVerdict::Different);
        QVERIFY(verified->firstDifference);
        QCOMPARE(verified->firstDifference->computed, std::string("m"));
        const auto values = wire::decode<wire::ExecuteReply>(find("execute for values"));
        QVERIFY(values && values->values);
        QCOMPARE(values->values->at(4).held.items.size(), std::size_t(2));
        QCOMPARE(values->values->at(1).held.tensor->summary.infinite, std::int64_t(1));
    }

    void noFieldIsSpoiledUnseen() {
        std::size_t spoiled = 0;
        bool all = true;
        for (const Said& one : m_said) {
            std::vector<Place> places;
            collect(one.reply, Place{Any::json_pointer(), {}, {}}, places);
            for (const Place& place : places) {
                const Any& good = one.reply.at(place.at);
                Any bad = one.reply;
                const bool whole = place.text.ends_with(']'); // an item of a list
                if (!opaque.contains(place.field) || place.field == "storages") {
                    bad.at(place.at) = otherKind(good);
                    all = isSeen(one, bad, place, "of another kind") && all;
                }
                // What replays gave is there where it was asked for; some results are no tensors, as some inputs have
                // no gradients.
                const bool isReplayed =
                    place.field == "outputs" && (one.what == "ranks" || one.what == "replay");
                const bool mayBeNone = place.field == "grads" || (isReplayed && one.what == "ranks");
                if (!opaque.contains(place.field) && !nullable.contains(place.field) &&
                    !(mayBeNone && whole)) {
                    bad.at(place.at) = nullptr;
                    all = isSeen(one, bad, place, "null") && all;
                }
                // Of maps by node nothing need be there.
                const bool entry = place.text.starts_with("meta.") || place.text.starts_with("values.");
                if (!whole && !entry && !isReplayed && !optional.contains(place.field)) {
                    bad = one.reply;
                    bad.at(place.at.parent_pointer()).erase(place.at.back());
                    all = isSeen(one, bad, place, "missing") && all;
                }
                ++spoiled;
            }
        }
        QVERIFY(all);
        QVERIFY2(spoiled > 300, qPrintable(QString::number(spoiled)));
    }

    void saysWhatIsOutOfRange() {
        const auto load = wire::decode<wire::LoadReply>({{"graph", "g"}, {"nodes", -1}});
        QVERIFY(!load);
        QCOMPARE(load.error().message, std::string("load reply: nodes: out of range: -1"));
        QVERIFY(!wire::decode<wire::LoadReply>(Any::array()));
        QVERIFY(!wire::decode<wire::LoadReply>(Any()));
        Any deep;
        for (int i = 0; i < 200; ++i)
            deep = Any::array({std::move(deep)});
        QVERIFY(!wire::decode<wire::PassRequest>({{"passes", {"dce"}}, {"inputs", deep}}));
        Any list{{"kind", "list"}, {"text", ""}, {"items", Any::array()}};
        for (int i = 0; i < 200; ++i)
            list = {{"kind", "list"}, {"text", ""}, {"items", {list}}};
        list["node"] = "x";
        list["version_bumped_by_node"] = Any::array();
        const auto nested = wire::decode<wire::ExecuteReply>(
            {{"outputs", Any::array()},
             {"post", {{"storages", Any::array()}, {"inputs", Any::array()}}},
             {"values", {list}}});
        QVERIFY(!nested);
        QVERIFY(nested.error().message.ends_with("nested too deeply"));
    }

    void wrongParametersAreNamed() {
        const auto why = [this](const Any& params) {
            const auto reply = m_engine.callOnGraph("execute", pokes, params);
            return reply ? std::string() : reply.error().message;
        };
        QCOMPARE(why({{"symbols", {{"s0", "x"}}}}),
                 std::string("wrong parameters of 'execute': inputs: symbols.s0: expected a whole number, "
                             "not a string"));
        QCOMPARE(why({{"symbols", 3}}),
                 std::string("wrong parameters of 'execute': inputs: symbols: expected an object, "
                             "not a number"));
        const auto lost = m_engine.call("coverage", Any::object());
        QVERIFY(!lost);
        QCOMPARE(lost.error().message,
                 std::string("wrong parameters of 'coverage': request on a graph: graph: is missing"));
    }

    /// JSON has no number for how far infinity is from one.
    void infinitelyFarApart() {
        wire::VerifyReply reply;
        reply.checks.emplace_back().distance.emplace().maxAbsolute = INFINITY;
        const Any written = wire::encode(reply);
        QCOMPARE(written["checks"][0]["max_abs"], Any("inf"));
        const auto read = wire::decode<wire::VerifyReply>(Any::parse(written.dump()));
        QVERIFY(read && std::isinf(read->checks.at(0).distance.value().maxAbsolute));
    }

    void requestsAreTheSameAgain() {
        wire::PassRequest pass;
        pass.on.inputs = inputs();
        pass.passes = {"functionalize", "dce"};
        pass.options.options["half"] = "forward";
        pass.options.remove = "mutations";
        pass.options.cells = true;
        pass.runs = 3;
        pass.scorecard = true;
        const auto again = wire::decode<wire::PassRequest>(wire::encode(pass));
        QVERIFY(again);
        QCOMPARE(wire::encode(*again), wire::encode(pass));
        QVERIFY(again->runs == 3 && again->scorecard && !again->verify && again->options.cells == true &&
                !again->options.faithful);
        // The typed calls send them.
        const auto made = m_engine.pass(pokes, pass);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QCOMPARE(made->passes.size(), std::size_t(2));
        wire::VerifyRequest verify;
        verify.on.inputs = inputs();
        verify.passes = pass.passes;
        const auto verified = m_engine.verify(pokes, verify);
        QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
        QCOMPARE(std::string(wire::verdictName(verified->verdict)), std::string("equal"));
        wire::ExecuteRequest execute;
        execute.on.inputs = inputs();
        execute.watch = {"m"};
        const auto values = m_engine.execute(pokes, execute);
        QVERIFY(values && values->values && values->values->size() == 1);
        const auto refused = m_engine.pass(pokes, {});
        QVERIFY(!refused && refused.error().kind == engine::CallError::Kind::Refused);
    }

    void stagesOfSessionFiles() {
        wire::StageDocument document;
        document.passes = {"functionalize"};
        const auto reply = wire::decode<wire::PassReply>(m_said.front().reply);
        QVERIFY(reply);
        document.reply = *reply;
        const std::string text = wire::writeStageDocument(document);
        QCOMPARE(wire::parsed(text)["version"], Any(wire::stageDocumentVersion));
        QVERIFY(!wire::parsed(text)["reply"].contains("graph"));
        const auto again = wire::readStageDocument(text, reply->graph);
        QVERIFY(again && again->reply);
        QCOMPARE(wire::encode(*again->reply), m_said.front().reply);
        // A field that a version has may not be missing; before there were versions nobody knew better.
        Any cut = wire::parsed(text);
        cut["reply"].erase("notes");
        QVERIFY(!wire::readStageDocument(wire::textOf(cut), {}));
        cut.erase("version");
        const auto lenient = wire::readStageDocument(wire::textOf(cut), {});
        QVERIFY(lenient && lenient->reply->notes.empty());
        cut["version"] = wire::stageDocumentVersion + 1;
        const auto newer = wire::readStageDocument(wire::textOf(cut), {});
        QVERIFY(!newer && newer.error().message.find("newer") != std::string::npos);
        QVERIFY(!wire::readStageDocument(std::string(1 << 20, '['), {}));
    }
};

QTEST_GUILESS_MAIN(TestEngineWire)
#include "tst_engine_wire.moc"
