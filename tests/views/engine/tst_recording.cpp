// SPDX-License-Identifier: BSD-3-Clause
//
// The states that the stepper shows, worked out from a recording of the engine.
#include "core/capture/open.h"
#include "core/computed/calling_convention.h"
#include "core/computed/functional_recording.h"
#include "core/ir/text.h"

#include <QFile>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::computed;

namespace {

nlohmann::json replies() {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/engine/sibling_views.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no fixture");
    return nlohmann::json::parse(file.readAll().toStdString());
}

ir::GraphPtr sourceGraph() {
    QFile file(QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no sample");
    const auto json = nlohmann::json::parse(file.readAll().toStdString());
    return *ir::readGraph(json["before"].get<std::string>());
}

/// Recorded by engines of several days, some of which told less.
wire::PassReply passReply(const nlohmann::json& reply) {
    auto read = wire::decode<wire::PassReply>(reply, wire::Missing::NotSaid);
    if (!read) qFatal("%s", read.error().message.c_str());
    return std::move(*read);
}

FunctionalRecording recording(const char* key = "functionalize/mutations") {
    return FunctionalRecording(functionalRun(passReply(replies()[key]), sourceGraph()));
}

std::string cellsText(const std::vector<Cell>& cells) {
    std::string out;
    for (const Cell& cell : cells) {
        out += (out.empty() ? "" : " ") + cellText(cell.value);
        out += cell.state == Cell::State::Stale         ? "!"
               : cell.state == Cell::State::Written     ? "*"
               : cell.state == Cell::State::Regenerated ? "+"
                                                        : "";
    }
    return out;
}

const TensorViewState* view(const Scoreboard& board, const std::string& value) {
    for (const TensorViewState& v : board.views)
        if (v.value == value) return &v;
    return nullptr;
}

} // namespace

class TestRecording : public QObject {
    Q_OBJECT
private slots:
    void nothingOfNoGraph() {
        const FunctionalRecording recording(functionalRun({}, nullptr));
        QCOMPARE(recording.opCount(), 0);
        QCOMPARE(recording.nameOf("x"), std::string("x"));
    }

    /// Placeholders that hold parameters and buffers are called as in the model, wherever they are named.
    void stateIsCalledAsInTheModel() {
        wire::PassReply reply;
        reply.graph = R"(graph():
    %l_self_modules_bn_buffers_mean_ : [num_users=2] = placeholder[target=L_self_modules_bn_buffers_mean_]
    %l_x_ : [num_users=1] = placeholder[target=L_x_]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%l_self_modules_bn_buffers_mean_, %l_x_), kwargs = {})
    %copy_ : [num_users=0] = call_function[target=torch.ops.aten.copy_.default](args = (%l_self_modules_bn_buffers_mean_, %add), kwargs = {})
    return (add,))";
        const auto source = ir::readGraph(R"(graph():
    %l_self_modules_bn_buffers_mean_ : [num_users=1] = placeholder[target=L_self_modules_bn_buffers_mean_]
    %l_x_ : [num_users=1] = placeholder[target=L_x_]
    %add_ : [num_users=1] = call_method[target=add_](args = (%l_self_modules_bn_buffers_mean_, %l_x_), kwargs = {})
    return (add_,))");
        QVERIFY(source);
        FunctionalRun run = functionalRun(reply, *source);
        InputWriteBack back;
        back.input = "l_self_modules_bn_buffers_mean_";
        back.bytes = 8;
        back.how = {"copy_"};
        back.nodes = {"copy_"};
        run.writeBacks = {back};
        const FunctionalRecording recording(std::move(run));
        QCOMPARE(recording.nameOf("l_self_modules_bn_buffers_mean_"), std::string("bn.mean"));
        QVERIFY(recording.isState("l_self_modules_bn_buffers_mean_") && !recording.isState("l_x_"));
        QCOMPARE(recording.statementText(2), std::string("add_(bn.mean, l_x_)"));
        const CallingConvention convention = callingConvention(recording, {});
        QCOMPARE(rowOf(convention.arguments[0]).name, std::string("bn.mean"));
        QCOMPARE(convention.arguments[0].node, std::string("l_self_modules_bn_buffers_mean_")); // to go there
        QCOMPARE(rowOf(convention.arguments[1]).name, std::string("l_x_"));
        QCOMPARE(convention.outputs[0].with, std::string());
        QCOMPARE(rowOf(convention.epilogue[0]).name, std::string("bn.mean.copy_(add)"));
    }

    void phasesOfEachOp() {
        const FunctionalRecording r = recording();
        QCOMPARE(r.opCount(), 9);
        const auto kinds = [&](int op) {
            std::vector<int> out;
            for (const OpPhase& phase : r.phases(op))
                out.push_back(int(phase.kind));
            return out;
        };
        using Kind = OpPhase::Kind;
        QCOMPARE(kinds(0), (std::vector{int(Kind::Wrap)}));
        QCOMPARE(kinds(2), (std::vector{int(Kind::Emit)}));
        const std::vector write{int(Kind::Read), int(Kind::Emit), int(Kind::Commit), int(Kind::Apply)};
        QCOMPARE(kinds(4), write);
        QCOMPARE(kinds(5), write);
        QCOMPARE(kinds(8), (std::vector{int(Kind::Read)}));
        QVERIFY(r.writes(5) && !r.writes(6));
        QVERIFY(r.phases(4)[0].emitted.empty()); // nothing was stale yet
        QCOMPARE(r.phases(7)[0].emitted.size(), std::size_t{2});
        QCOMPARE(r.phases(7)[3].emitted.size(), std::size_t{5});
        QCOMPARE(r.emittedAt("select_scatter_1"), std::pair(5, 3));
        QCOMPARE(r.emittedAt("nowhere"), std::pair(-1, -1));
    }

    void aWriteThroughASiblingView() {
        const FunctionalRecording r = recording();
        const int op = 5; // c.mul_(2)
        // Before: the row was written, the column is stale in one cell.
        const Scoreboard start = r.scoreboard(4, 3);
        QCOMPARE(cellsText(view(start, "select_1")->cells), std::string("-4! -3 1"));
        QCOMPARE(view(start, "select_1")->changedBy, std::string("add_"));
        QCOMPARE(view(start, "select_1")->nextRead, std::string("mul_"));
        // Read: the column is taken from the base again.
        const Scoreboard read = r.scoreboard(op, 0);
        QCOMPARE(cellsText(view(read, "select_1")->cells), std::string("6+ -3+ 1+"));
        QCOMPARE(view(read, "select_1")->current, std::string("select_3"));
        QCOMPARE(cellsText(read.storages[1].cells), std::string("6 9 10 -3 0 -4 1 0 2"));
        // Commit: queued, everything else is behind.
        const Scoreboard commit = r.scoreboard(op, 2);
        const StorageState& storage = commit.storages[1];
        QCOMPARE(cellsText(storage.cells), std::string("12* 9 10 -6* 0 -4 2* 0 2"));
        QVERIFY(storage.cells[0].changed && storage.cells[0].before == 6);
        QVERIFY(storage.pending);
        QCOMPARE(storage.pendingText, std::string("mul_1 through select(dim 1, index 0)"));
        QCOMPARE(storage.base, std::string("select_scatter"));
        QCOMPARE(storage.generation, 2);
        QCOMPARE(storage.lastGeneration, 3);
        QCOMPARE(cellsText(view(commit, "mul")->cells), std::string("-4! -1! 0! -3! 0 -4 1! 0 2"));
        QCOMPARE(view(commit, "mul")->behind, 2);
        QCOMPARE(cellsText(view(commit, "select")->cells), std::string("6! 9 10"));
        QCOMPARE(view(commit, "select")->behind, 1);
        QCOMPARE(cellsText(view(commit, "select_1")->cells), std::string("12* -6* 2*"));
        QVERIFY(view(commit, "select_1")->syncing);
        QCOMPARE(view(commit, "select_1")->current, std::string("mul_1"));
        // Sync: the base is new and nothing waits.
        const Scoreboard apply = r.scoreboard(op, 3);
        QCOMPARE(apply.storages[1].base, std::string("select_scatter_1"));
        QVERIFY(!apply.storages[1].pending);
        QCOMPARE(view(apply, "select_1")->current, std::string("select_4"));
        QCOMPARE(view(apply, "select_1")->behind, 0);
    }

    void theEnd() {
        const FunctionalRecording r = recording();
        const Scoreboard end = r.scoreboard(8, 99);
        for (const TensorViewState& v : end.views)
            QCOMPARE(v.behind, 0);
        QCOMPARE(cellsText(view(end, "mul")->cells), std::string("11+ 9+ 10+ -6+ 0+ -4+ 2+ 0+ 2+"));
        QVERIFY(r.isDead("select_4"));
        QVERIFY(!r.isDead("select_3"));
        QCOMPARE(r.keptCount(), 17);
        QCOMPARE(r.deadCount(7), 1);
    }

    void otherMode() {
        const FunctionalRecording r = recording("functionalize/mutations_and_views");
        QCOMPARE(cellsText(view(r.scoreboard(7, 99), "mul")->cells),
                 std::string("-4! -1! 0! -3! 0 -4 1! 0 2"));
        QVERIFY(r.find("select_copy") != ir::npos);
    }

    void everyStateOfEveryStepHolds() {
        for (const char* key : {"functionalize/mutations", "functionalize/mutations_and_views"}) {
            const FunctionalRecording r = recording(key);
            for (int op = 0; op < r.opCount(); ++op)
                for (int phase = 0; phase < int(r.phases(op).size()); ++phase)
                    for (const TensorViewState& v : r.scoreboard(op, phase).views) {
                        // A tensor that is not behind shows what its storage holds.
                        const bool stale = std::any_of(v.cells.begin(), v.cells.end(), [](const Cell& cell) {
                            return cell.state == Cell::State::Stale;
                        });
                        QVERIFY2(!stale || v.behind > 0, v.value.c_str());
                    }
        }
    }

    void programs() {
        const std::map<std::uint32_t, std::string> lines{
            {1, "def f(x):"},
            {2, "    b = x * 1; r = b[0]; c = b[:, 0]; r.add_(10); c.mul_(2); r[0].sub_(1)"},
            {3, "    return b, r, c"}};
        const ir::GraphPtr graph = sourceGraph();
        const ProgramText program = matchProgram(lines, *graph);
        QCOMPARE(program.statements.size(), std::size_t{8});
        const auto statement = [&](const char* node) {
            const int at = program.statementOf[graph->find(node)];
            return at < 0 ? std::string() : program.statements[std::size_t(at)].text;
        };
        QCOMPARE(statement("mul"), std::string("b = x * 1"));
        QCOMPARE(statement("select_1"), std::string("c = b[:, 0]"));
        QCOMPARE(statement("mul_"), std::string("c.mul_(2)"));
        QCOMPARE(statement("select_2"), std::string("r[0].sub_(1)"));
        QCOMPARE(statement("sub_"), std::string("r[0].sub_(1)"));
        QCOMPARE(program.names.at("x_1"), std::string("x"));
        QCOMPARE(program.names.at("select"), std::string("r"));
        QVERIFY(!program.names.contains("select_2"));
        QVERIFY(matchProgram({}, *graph).statements.empty());
        QCOMPARE(matchProgram({{1, "x = '"}, {2, "((["}}, *graph).statements.size(), std::size_t{2});
    }

    void aWriteThroughAViewOfItsOwn() {
        const auto opened = capture::open(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log");
        QVERIFY(opened);
        const session::StagePtr stage = (*opened)->compiles.at(0).findStage("dynamo_output_graph");
        QVERIFY(stage);
        QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/engine/view_mutation.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const FunctionalRecording r(
            functionalRun(passReply(nlohmann::json::parse(file.readAll().toStdString())), *stage->graph()));
        const int op = r.opOf("setitem"); // y[:, 0] = x[:, 0]
        QVERIFY(op > 0 && r.writes(op));
        const Scoreboard commit = r.scoreboard(op, 2);
        const auto pending = std::find_if(commit.storages.begin(), commit.storages.end(),
                                          [](const StorageState& s) { return s.pending; });
        QVERIFY(pending != commit.storages.end());
        QCOMPARE(pending->origin, std::string("y"));
        QVERIFY(pending->pendingText.starts_with("copy through select"));
        for (const Cell& cell : pending->cells)
            QVERIFY(cell.state == Cell::State::Current || cell.index % 5 == 0); // the column
        // y itself was not rewritten: it is behind until the output reads it.
        QCOMPARE(view(commit, "y")->behind, 1);
        QCOMPARE(view(r.scoreboard(op, 3), "y")->nextRead, std::string("output"));
        QCOMPARE(view(r.scoreboard(r.opCount() - 1, 99), "y")->behind, 0);
    }

    /// An engine may say what fits no graph: never a crash.
    void strangeReplies() {
        const auto look = [](const wire::PassReply& reply) {
            const FunctionalRecording r(functionalRun(reply, sourceGraph()));
            for (int op = -1; op <= r.opCount(); ++op)
                for (int phase = 0; phase < 4; ++phase)
                    (void)r.scoreboard(op, phase);
            return r.opCount();
        };
        QCOMPARE(look({}), 9);
        const wire::PassReply whole = passReply(replies()["functionalize/mutations"]);
        QCOMPARE(look(whole), 9);
        for (std::size_t i = 0; i < whole.steps.size(); ++i) {
            wire::PassReply cut = whole;
            cut.steps.erase(cut.steps.begin() + long(i));
            QCOMPARE(look(cut), 9);
            wire::PassReply odd = whole;
            odd.steps[i].scorecard.emplace();
            odd.steps[i].scorecard->storages.push_back({-3, "nowhere", 7, 0, {1}});
            wire::ScoreRow& row = odd.steps[i].scorecard->scorecard.emplace_back();
            row.storage = -3;
            row.generation = 7;
            row.cells = {-5, 99};
            row.values = {1, 2};
            odd.steps[i].emitted.push_back({"nowhere", "for no reason"});
            QCOMPARE(look(odd), 9);
        }
    }

    void tensorValues() {
        wire::RunValue said;
        said.tensor = wire::RunTensor{
            "float32", {2, 2}, {1, 2}, 3, wire::Elements{nlohmann::json::parse(R"([1, "nan", 3, "-inf"])")}};
        const auto value = tensorValue(said);
        QVERIFY(value);
        QCOMPARE(value->typeText(), std::string("f32[2, 2]"));
        QCOMPARE(value->cells(), (std::vector<std::int64_t>{3, 5, 4, 6}));
        QCOMPARE(value->statistics->nan, std::int64_t{1});
        QCOMPARE(value->statistics->infinite, std::int64_t{1});
        QCOMPARE(value->statistics->mean, 2.0);
        said.tensor->shape = {4611686018427387904, 16};
        QVERIFY(!tensorValue(said));
        QVERIFY(!tensorValue(wire::RunValue()));
        wire::TensorFacts facts;
        facts.shape = {2};
        facts.stride = {1};
        facts.corner = {wire::Elements{nlohmann::json::parse("[[3, 4], [-1, 0]]")}}; // complex
        const auto complex = tensorValue(facts);
        QVERIFY(complex && complex->statistics);
        QCOMPARE(complex->data, (std::vector<double>{3, -1}));
        QCOMPARE(complex->statistics->min, -1.0);
    }
};

QTEST_APPLESS_MAIN(TestRecording)
#include "tst_recording.moc"
