// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of passes, held against the trace of the same run: tests/data/passes.
#include "core/capture/open.h"
#include "core/inductor/compile_passes.h"
#include "core/inductor/fitted_pattern.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"
#include "tests/support/recordings.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace dynascope;
using namespace dynascope::inductor;
using test::RecordingWriter;

namespace {

constexpr std::string_view folder = DYNASCOPE_TEST_DATA "/passes";

session::Session openedFolder() {
    auto session = capture::open(std::string(folder));
    if (!session) qFatal("%s", session.error().toString().c_str());
    return **session;
}

CompilePasses passes(const session::Session& session, std::size_t compile) {
    CompilePasses out = passesOf(session, session.compiles.at(compile));
    if (const auto read = addStages(out); !read) qFatal("%s", read.error().toString().c_str());
    return out;
}

const PassRow* rowNamed(const CompilePasses& passes, std::string_view phase, std::string_view name) {
    const auto at = std::ranges::find_if(passes.rows, [&](const PassRow& row) {
        return row.phase->name == phase && row.name() == name && row.changed();
    });
    return at == passes.rows.end() ? nullptr : &*at;
}

std::string withoutEnd(std::string text) {
    text.erase(std::min(text.size(), text.find("\n\n # graph id:")));
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

PassRecordingPtr readBytes(const RecordingWriter& writer) {
    std::string file = writer.file();
    file.replace(0, passFormat.magic.size(), passFormat.magic);
    const std::string tail = writer.tail();
    auto out = PassRecording::read(session::makeByteSource(file), session::makeByteSource(tail));
    return out ? *out : nullptr;
}

} // namespace

class TestInductorPasses : public QObject {
    Q_OBJECT
private slots:
    void patternsAreGraphs() {
        const auto texts = [](const char* expression) {
            std::vector<std::string> out;
            for (const PatternNode& node : patternGraph(expression).nodes)
                out.push_back(node.text());
            return out;
        };
        QCOMPARE(
            texts("CallFunction(aten.permute.default, CallFunction(aten.permute.default, KeywordArg('arg'), "
                  "KeywordArg('perm1')), KeywordArg('perm2'))"),
            (std::vector<std::string>{"permute = aten.permute.default(arg, perm1)",
                                      "permute_1 = aten.permute.default(permute, perm2)"}));
        QCOMPARE(texts("CallFunction([bmm, ...], Arg(), Ignored())"),
                 std::vector<std::string>{"bmm = [bmm, ...](anything, _)"});
        // What is written twice is one node; how many read it is no argument.
        const PatternGraph twice =
            patternGraph("CallFunction(aten.mul.Tensor, CallFunction(aten.exp.default, "
                         "KeywordArg('x'), _users=2), CallFunction(aten.exp.default, "
                         "KeywordArg('x'), _users=2), [1, 'a, b'], alpha=2)");
        QCOMPARE(twice.nodes.size(), std::size_t(2));
        QCOMPARE(twice.nodes[0].users, std::string("2"));
        QCOMPARE(twice.nodes[1].text(), std::string("mul = aten.mul.Tensor(exp, exp, [1, 'a, b'], alpha=2)"));
        QVERIFY(twice.whole);
        // A line for each node, as PyTorch writes patterns out; what a line is called is not said where it is no node.
        QCOMPARE(
            texts("permute_default = CallFunction(aten.permute.default, KeywordArg('query'), Ignored())\n"
                  "odd = [permute_default, permute_default]\n"
                  "exp_default = CallFunction(aten.exp.default, permute_default, _users=2)\n"
                  "output = CallFunction(aten.div.Tensor, exp_default, [exp_default, odd])"),
            (std::vector<std::string>{"permute = aten.permute.default(query, _)",
                                      "exp = aten.exp.default(permute)",
                                      "div = aten.div.Tensor(exp, [exp, odd])"}));
        const PatternGraph cut =
            patternGraph("CallFunction(aten.mm.default, CallFunction(aten.exp.default, KeywordArg('x'), _us");
        QVERIFY(!cut.whole && cut.nodes.empty());
        for (const char* odd :
             {"", ")))", "((((", "CallFunction(", "CallFunction()", "'", "[,,]", "CallFunction(., x)"})
            static_cast<void>(patternGraph(odd));
        const std::string deep(300'000, '(');
        QVERIFY(!patternGraph(deep).whole);
        const session::Session session = openedFolder();
        const auto recording = session::attachedAs<PassRecording>(session.passRecordings.front());
        std::uint32_t number = 0;
        while (const Pattern* pattern = recording->pattern(++number)) {
            const PatternGraph graph = patternGraph(pattern->expression);
            QVERIFY2(!graph.nodes.empty() || !graph.whole, pattern->expression.c_str());
        }
        QCOMPARE(number, std::uint32_t(11));
    }

    void patternsAreDrawn();
    void aPatternsNodesAreThoseThatItFitted();
    void stagesOfTheTraceAreRecordedTextForText();
    void theChainOfEachGraphIsUnbroken();
    void rowsSayWhatAPassDid();
    void aCopiedGraphIsToldByNames();
    void everyNodeOfPostGradHasAMaker();
    void historyTellsWhoMadeAndRemovedANode();
    void anotherRunHasNoPasses();
    void aRecordingAloneIsACapture();
    void hostileRecordsAreLeftOut();
    void noPhaseIsShorterThanItsPasses();
    void textsThatDoubleEnd();
    void aCutRecordingEndsWhereItWasCut();
};

void TestInductorPasses::patternsAreDrawn() {
    const PatternGraph pattern =
        patternGraph("CallFunction(aten.mul.Tensor, CallFunction([mm, ...], KeywordArg('mm'), Arg()), "
                     "[CallFunction(aten.exp.default, Arg()), 'mm'], alpha=KeywordArg('alpha'))");
    QCOMPARE(pattern.inputs, (std::set<std::string, std::less<>>{"alpha", "mm"}));
    const ir::GraphPtr graph = drawnPattern(pattern);
    QVERIFY(graph);
    std::vector<std::string> names;
    for (const ir::NodePtr& node : graph->nodes())
        names.push_back(node->name);
    // What the pattern binds is no node of it, whatever its name.
    QCOMPARE(names,
             (std::vector<std::string>{"mm", "anything", "anything_1", "alpha", "mm_1", "exp", "mul"}));
    const auto reads = [&graph](const char* name) {
        std::string out;
        for (const ir::NodeIndex node : graph->inputs(graph->find(name)))
            out += graph->node(node).name + ' ';
        return out;
    };
    QCOMPARE(reads("mm_1"), std::string("mm anything "));
    QCOMPARE(reads("exp"), std::string("anything_1 "));
    QCOMPARE(reads("mul"), std::string("mm_1 exp alpha "));
    QVERIFY(graph->missing().empty());
    QVERIFY(!drawnPattern(patternGraph("Arg()")));
}

void TestInductorPasses::aPatternsNodesAreThoseThatItFitted() {
    const session::Session session = openedFolder();
    std::size_t told = 0, matches = 0;
    for (const session::Compile& compile : session.compiles) {
        CompilePasses passes = passesOf(session, compile);
        if (!passes.recording) continue;
        QVERIFY(addStages(passes));
        for (const PassRow& row : passes.rows) {
            if (row.pass == nullptr) continue;
            for (const Match& match : row.pass->matches) {
                ++matches;
                const Pattern* pattern = passes.recording->pattern(match.pattern);
                const int stage = passes.stageOf(row.before);
                if (pattern == nullptr || stage < 0) continue;
                const ir::GraphPtr graph = *passes.stages[std::size_t(stage)].stage->graph();
                const PatternGraph looksFor = patternGraph(pattern->expression);
                const std::vector<ir::NodeIndex> fitted = fittedBy(looksFor, match, *graph);
                if (fitted.empty()) continue;
                ++told;
                QCOMPARE(fitted.size(), looksFor.nodes.size());
                for (std::size_t i = 0; i < fitted.size(); ++i)
                    QCOMPARE(operatorName(graph->node(fitted[i]).target),
                             operatorName(looksFor.nodes[i].target));
                // Another order is no match of it.
                Match turned = match;
                std::ranges::reverse(turned.nodes);
                if (fitted.size() > 1) QVERIFY(fittedBy(looksFor, turned, *graph).empty());
                turned.nodes.pop_back();
                QVERIFY(fittedBy(looksFor, turned, *graph).empty());
            }
        }
    }
    qInfo("%zu of %zu matches", told, matches);
    QVERIFY(told > 0);
}

void TestInductorPasses::stagesOfTheTraceAreRecordedTextForText() {
    const session::Session session = openedFolder();
    QCOMPARE(session.passRecordings.size(), std::size_t(1));
    const auto read = session::attachedAs<PassRecording>(session.passRecordings.front());
    const PassRecording& recording = *read;
    std::multiset<std::pair<std::string, std::string>> recorded;
    for (std::size_t i = 0; i < recording.stages().size(); ++i) {
        const auto text = recording.stageText(i);
        QVERIFY2(text.has_value(), "a stage cannot be read");
        recorded.emplace(recording.stages()[i].name, withoutEnd(*text));
    }
    std::size_t held = 0;
    for (const session::Compile& compile : session.compiles) {
        for (const session::StagePtr& stage : compile.stages) {
            if (stage->content != session::Stage::Content::Graph || stage->name == "dynamo_output_graph")
                continue;
            const auto at = recorded.find({stage->name, withoutEnd(stage->payload.text())});
            QVERIFY2(at != recorded.end(), (stage->label() + " is not recorded as it was traced").c_str());
            recorded.erase(at);
            ++held;
        }
    }
    QVERIFY2(held >= 11, std::to_string(held).c_str());
}

void TestInductorPasses::theChainOfEachGraphIsUnbroken() {
    const session::Session session = openedFolder();
    const auto read = session::attachedAs<PassRecording>(session.passRecordings.front());
    const PassRecording& recording = *read;
    std::map<std::uint32_t, std::uint32_t> last; // by module
    for (const State& state : recording.states()) {
        QCOMPARE(state.first, !last.contains(state.module));
        // What the change says and what the text says are one.
        const auto text = recording.text(state.id);
        QVERIFY(text.has_value());
        const auto graph = ir::readGraph(*text);
        QVERIFY2(graph.has_value(), graph ? "" : graph.error().toString().c_str());
        std::vector<NodeRef> nodes = recording.nodes(state.id);
        QCOMPARE(nodes.size(), state.nodes);
        for (const NodeRef& node : nodes)
            QVERIFY2((*graph)->find(node.name) != ir::npos || node.name == "output", node.name.c_str());
        last[state.module] = state.id;
    }
    for (const RecordedPass& pass : recording.passes()) {
        QVERIFY2(pass.ended, pass.name.c_str());
        QVERIFY(recording.state(pass.before) != nullptr && recording.state(pass.after) != nullptr);
        QCOMPARE(recording.state(pass.before)->module, recording.state(pass.after)->module);
    }
}

void TestInductorPasses::rowsSayWhatAPassDid() {
    const session::Session session = openedFolder();
    const CompilePasses found = passes(session, 0);
    const PassRow* row = rowNamed(found, "joint", "pass_pattern_0");
    QVERIFY(row != nullptr);
    QCOMPARE(row->nodesBefore, std::size_t(204));
    QCOMPARE(row->nodesAfter, std::size_t(169));
    QCOMPARE(row->change->created.size(), std::size_t(13));
    QCOMPARE(row->change->erased.size(), std::size_t(48));
    QVERIFY(row->pass->us > 0);
    // The matcher inside it says which patterns.
    const PassRow* inner = row + 1;
    QCOMPARE(inner->depth, 1);
    QVERIFY(inner->pass->fits >= inner->pass->matched && inner->pass->matched > 0);
    const auto applied = std::ranges::find_if(inner->pass->matches, [](const Match& match) {
        return match.refused.empty() && !match.added.empty();
    });
    QVERIFY(applied != inner->pass->matches.end());
    QVERIFY(!applied->nodes.empty());
    const Pattern* pattern = found.recording->pattern(applied->pattern);
    QVERIFY(pattern != nullptr && !pattern->name.empty());
    QVERIFY(pattern->search.file.ends_with(".py") || pattern->handler.file.ends_with(".py"));
    const int stage = found.stageOf(row->after);
    QVERIFY(stage >= 0);
    QCOMPARE(found.stages[std::size_t(stage)].stage->name, std::string("joint/pass_pattern_0"));
    QVERIFY(std::ranges::any_of(found.rows, [](const PassRow& other) {
        return other.pass != nullptr && other.pass->skipped.find("config.") == 0;
    }));
}

/// Each is there from the beginning of a phase, or some pass made it.
/// fx_graph_cse gives back a copy, whose nodes all have numbers of their own.
void TestInductorPasses::aCopiedGraphIsToldByNames() {
    const session::Session session = openedFolder();
    const CompilePasses found = passes(session, 0);
    const PassRow* row = rowNamed(found, "partition", "fx_graph_cse");
    QVERIFY2(row != nullptr, "it merges what is computed twice");
    QCOMPARE(row->nodesBefore, std::size_t(168));
    QCOMPARE(row->nodesAfter, std::size_t(163));
    QVERIFY(row->change->created.empty());
    std::set<std::string> gone;
    for (const NodeRef& node : row->change->erased)
        gone.insert(node.name);
    QCOMPARE(gone.size(), std::size_t(5));
    QVERIFY2(gone.contains("view_16") && gone.contains("sub_4"), changeText(*row->change).c_str());
    QVERIFY(!row->change->updated.empty()); // who read them reads others
    const auto history = historyOf(found, row->change->erased.front().id);
    QVERIFY(!history.empty());
    QCOMPARE(history.back().what, NodeStep::What::Removed);
    QCOMPARE(&found.rows[history.back().row], row);
}

void TestInductorPasses::everyNodeOfPostGradHasAMaker() {
    const session::Session session = openedFolder();
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const CompilePasses found = passes(session, i);
        for (const PassStage& stage : found.stages) {
            if (stage.phase->name != "post_grad") continue;
            const State& state = *found.recording->state(stage.state);
            std::set<std::uint64_t> begun;
            for (const State& other : found.recording->states())
                if (other.module == state.module && other.first)
                    for (const NodeRef& node : found.recording->nodes(other.id))
                        begun.insert(node.id);
            for (const NodeRef& node : found.recording->nodes(stage.state)) {
                const auto steps = historyOf(found, node.id);
                const bool made = !steps.empty() && steps.front().what == NodeStep::What::Made;
                QVERIFY2(made != begun.contains(node.id), node.name.c_str());
            }
        }
    }
}

void TestInductorPasses::historyTellsWhoMadeAndRemovedANode() {
    const session::Session session = openedFolder();
    const CompilePasses found = passes(session, 0);
    const PassRow* row = rowNamed(found, "post_grad", "remove_noop_ops");
    QVERIFY(row != nullptr && !row->change->erased.empty());
    const auto steps = historyOf(found, row->change->erased.front().id);
    QVERIFY(!steps.empty());
    QCOMPARE(steps.back().what, NodeStep::What::Removed);
    QCOMPARE(&found.rows[steps.back().row], row);
    QVERIFY2(!steps.back().from.empty(), "a node that is a no-op is replaced by what it reads");
}

/// Compile ids begin again after a reset. What came from a cache then has no passes, and must not take those of another.
void TestInductorPasses::anotherRunHasNoPasses() {
    session::Session session = openedFolder();
    session::Compile again = session.compiles[0];
    again.id.run = 2;
    std::erase_if(again.stages,
                  [](const session::StagePtr& stage) { return stage->name != "dynamo_output_graph"; });
    session.compiles.push_back(again);
    QVERIFY(passesOf(session, session.compiles[0]).recording != nullptr);
    QVERIFY(passesOf(session, session.compiles.back()).recording == nullptr);
    // The first came from a cache, the second was compiled.
    std::swap(session.compiles[0].stages, session.compiles.back().stages);
    QVERIFY(passesOf(session, session.compiles[0]).recording == nullptr);
    QVERIFY(passesOf(session, session.compiles.back()).recording != nullptr);
    // Another graph of that id.
    session.compiles[0].stages = session.compiles[1].stages;
    session.compiles.pop_back();
    session.compiles.push_back(session.compiles[0]);
    session.compiles.back().id.run = 2;
    QVERIFY(passesOf(session, session.compiles[0]).recording == nullptr);
}

void TestInductorPasses::aRecordingAloneIsACapture() {
    const auto session = capture::open(std::string(folder) + "/block.dpasses");
    QVERIFY2(session.has_value(), session ? "" : session.error().toString().c_str());
    QCOMPARE((*session)->compiles.size(), std::size_t(2));
    const session::Compile& first = (*session)->compiles.front();
    QCOMPARE(first.id.toString(), std::string("0/0"));
    QCOMPARE(first.status, session::Status::Compiled);
    QVERIFY(first.stages.empty());
    const CompilePasses found = passes(**session, 0);
    QVERIFY(found.rows.size() > 50 && found.stages.size() > 10);
    for (const PassStage& stage : found.stages)
        QVERIFY2(stage.stage->graph().has_value(), stage.stage->label().c_str());
}

/// Recordings from before the recorder's clock stood still while it wrote say that some are.
void TestInductorPasses::noPhaseIsShorterThanItsPasses() {
    RecordingWriter writer;
    writer.record('H', R"({"format":1,"torch":"2.13.0"})")
        .record('C', R"({"id":1,"compile_id":"0/0","attempt":0,"run":1})")
        .record('G', R"({"id":1,"compile":1,"phase":"pre_grad","graph":"dynamo"})")
        .record('T', R"({"id":1,"graph":1,"module":1,"base":0,"text":["a"],"count":1,"nodes":[[1,"a"]]})")
        .record('p', R"({"index":1,"name":"outer","graph":1,"parent":0,"before":1})")
        .record('p', R"({"index":2,"name":"inner","graph":1,"parent":1,"before":1})")
        .record('P', R"({"index":2,"after":1,"time_us":400})")
        .record('P', R"({"index":1,"after":1,"time_us":500})")
        .record('P', R"({"index":1,"after":1,"time_us":500})") // again, as a damaged recording may say
        .record('E', R"({"graph":1,"state":1,"time_us":900,"own_us":750})");
    const PassRecordingPtr recording = readBytes(writer);
    QVERIFY(recording != nullptr && recording->phase(1) != nullptr);
    QCOMPARE(recording->phase(1)->ownTime(), 500.0);
}

void TestInductorPasses::hostileRecordsAreLeftOut() {
    RecordingWriter writer;
    writer.record('H', R"({"format":1,"torch":"2.13.0"})")
        .record('C', R"({"id":1,"compile_id":"0/0","attempt":0,"run":1})")
        .record('C', R"({"id":7,"compile_id":"0/1"})") // not the next
        .record('G', R"({"id":1,"compile":1,"phase":"post_grad","graph":"forward","parent":9})")
        .record('G', R"({"id":1,"compile":1,"phase":"post_grad","graph":"forward"})")
        .record('T', R"({"id":1,"graph":1,"module":1,"base":0,"text":["a","b"],"count":2,"nodes":[[1,"a"]]})")
        .record('T', R"({"id":2,"graph":1,"module":1,"base":1,"text":[[0,99999999999]],"count":2})")
        .record('T', R"({"id":3,"graph":1,"module":1,"base":3,"text":[[0,1]]})") // its own base
        .record('p', R"({"index":1,"name":"x","graph":77,"parent":5,"before":-4})")
        .record('P', R"({"index":12,"after":1})")
        .record('M', R"({"pass":1,"pattern":3,"nodes":"none"})")
        .record('M', "not JSON")
        .record('E', R"([])")
        .record('~', "of a version to come")
        .record('N', R"({"stage":"s","graph":1,"state":44})");
    const PassRecordingPtr recording = readBytes(writer);
    QVERIFY(recording != nullptr);
    QCOMPARE(recording->compiles().size(), std::size_t(1));
    QCOMPARE(recording->phases().size(), std::size_t(1));
    QCOMPARE(recording->states().size(), std::size_t(2));
    QCOMPARE(QString::fromStdString(recording->text(1).value_or("")), QStringLiteral("a\nb"));
    QVERIFY(!recording->text(2).has_value());
    QVERIFY(!recording->text(3).has_value());
    QVERIFY(!recording->stageText(0).has_value() && !recording->stageText(9).has_value());
    QCOMPARE(recording->warnings().size(), std::size_t(1));
    session::Session session;
    session.passRecordings.push_back(recording);
    session::Compile compile;
    compile.id = {0, 0};
    session.compiles.push_back(compile);
    QVERIFY(passesOf(session, session.compiles.front()).rows.size() <= 1);
}

/// Each text is the one before twice: forty of them would fill any memory.
void TestInductorPasses::textsThatDoubleEnd() {
    RecordingWriter writer;
    writer.record('H', R"({"format":1})")
        .record('C', R"({"id":1,"compile_id":"0/0","run":1})")
        .record('G', R"({"id":1,"compile":1,"phase":"joint","graph":"joint"})");
    writer.record('T', R"({"id":1,"graph":1,"module":1,"base":0,"text":["a line"],"count":1,"nodes":[]})");
    for (std::uint64_t i = 2; i <= 40; ++i) {
        const std::string all = "[0," + std::to_string(std::uint64_t(1) << (i - 2)) + "]";
        writer.record('T', R"({"id":)" + std::to_string(i) + R"(,"graph":1,"module":1,"base":)" +
                               std::to_string(i - 1) + R"(,"text":[)" + all + "," + all + "]}");
    }
    const PassRecordingPtr recording = readBytes(writer);
    QVERIFY(recording != nullptr);
    QCOMPARE(recording->text(11).value_or("").size(), std::size_t(1024 * 7 - 1));
    const auto last = recording->text(40);
    QVERIFY(!last.has_value());
    QVERIFY2(last.error().message.find("128 MiB") != std::string::npos, last.error().message.c_str());
    // What is told against it says so at once.
    QVERIFY(recording->text(39).error().message.find("cannot be read") != std::string::npos);
}

void TestInductorPasses::aCutRecordingEndsWhereItWasCut() {
    std::ifstream file(std::string(folder) + "/block.dpasses", std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    QVERIFY(whole.size() > 1000);
    std::size_t before = SIZE_MAX;
    for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t(40), std::size_t(12)}) {
        const auto recording =
            PassRecording::read(session::makeByteSource(whole.substr(0, size)), nullptr, {});
        QVERIFY(recording.has_value());
        QVERIFY((*recording)->passes().size() <= before);
        before = (*recording)->passes().size();
    }
    QVERIFY(!PassRecording::read(session::makeByteSource("\x89"
                                                         "DYNSTEP"),
                                 nullptr, {})
                 .has_value());
}

QTEST_APPLESS_MAIN(TestInductorPasses)
#include "tst_inductor_passes.moc"
