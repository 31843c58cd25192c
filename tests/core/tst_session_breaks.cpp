// SPDX-License-Identifier: BSD-3-Clause
#include "core/answers/answer.h"
#include "core/capture/open.h"
#include "core/session/break_reasons.h"
#include "core/session/breaks.h"
#include "core/session/write_back.h"
#include "tests/support/captures.h"

#include <QtTest>
#include <cmath>

using namespace dynascope;

class TestSessionBreaks : public QObject {
    Q_OBJECT

private slots:
    /// Functions that Dynamo gives up on, and a break that comptime.graph_break() makes.
    void breaksThatSkipAFunction() {
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/captures/breaks_that_skip.log.xz");
        QVERIFY(opened);
        const session::Session& session = **opened;
        const session::Compile* f = session.find(0, "0/0");
        QVERIFY(f && f->finalBreaks().size() == 1);
        // Dynamo goes on eagerly: that is no failure, and why it is skipped is what it says itself.
        QVERIFY(f->status == session::Status::Skipped);
        QCOMPARE(f->failType, std::string("Unsupported"));
        QVERIFY(session.find(0, "4/0")->status == session::Status::Skipped);
        QVERIFY(session.find(0, "2/0")->status == session::Status::GraphBreak);
        QCOMPARE(f->finalBreaks().front()->title, std::string("Attempted to wrap RNN, GRU, or LSTM"));
        QCOMPARE(f->finalBreaks().front()->explanation,
                 std::string("Dynamo does not support RNN, GRU, or LSTM."));
        QCOMPARE(f->finalBreaks().front()->context, std::string("LSTM(4, 4)"));
        QVERIFY(f->finalBreaks().front()->skipsFunction);
        QVERIFY(!f->breaks.front().skipsFunction); // the first attempt wanted to resume behind the call
        QCOMPARE(f->finalBreaks().front()->location()->line, std::uint32_t(7));

        const session::BreakSummary summary = session::summarizeBreaks(session);
        const auto group = [&](std::string_view reason) -> const session::BreakGroup* {
            for (const session::BreakGroup& one : summary.groups)
                if (one.reason == reason) return &one;
            return nullptr;
        };
        const session::BreakGroup* rnn = group("Attempted to wrap RNN, GRU, or LSTM");
        QVERIFY(rnn);
        QCOMPARE(rnn->skips, std::size_t(1));
        QCOMPARE(session::afterwards(*rnn),
                 std::string("Dynamo skips the function, which runs eagerly as a whole."));
        QCOMPARE(rnn->waysOut.front().code, std::string("torch._dynamo.config.allow_rnn = True"));

        const session::BreakGroup* comptime = group("Call to comptime.graph_break()");
        QVERIFY(comptime);
        QVERIFY(comptime->location.file.ends_with("rnn.py"));
        QCOMPARE(comptime->location.line, std::uint32_t(20));
        QCOMPARE(comptime->skips, std::size_t(0));
        QCOMPARE(comptime->framesAfter.size(), std::size_t(1));
        QCOMPARE(session::afterwards(*comptime),
                 std::string("The function is cut here. What follows was compiled as 1 new frame."));
        QCOMPARE(comptime->waysOut.size(), std::size_t(1));
        QCOMPARE(comptime->waysOut.front().kind, std::string("remove"));
        QVERIFY(comptime->waysOut.front().text.find("hint") == std::string::npos);

        const session::BreakGroup* print = group("Builtin print cannot be traced");
        QVERIFY(print);
        QCOMPARE(print->skips, std::size_t(1));
    }

    void breaksThatSkipTheRest() {
        session::BreakGroup group;
        group.occurrences = {{0, 0}, {1, 0}};
        group.skipsRest = 2;
        QCOMPARE(session::afterwards(group),
                 std::string(
                     "Dynamo cannot go on from here: the graph ends at the last place before it from which "
                     "that is possible, and the rest of the function runs eagerly."));
        group.skipsRest = 1;
        group.framesAfter = {2};
        QVERIFY(session::afterwards(group).starts_with("1 of them: Dynamo cannot go on from here"));
        QVERIFY(session::afterwards(group).ends_with(" 1 compile of what it calls came after it."));
    }

    /// What PyTorch's own code breaks on purpose (torch/optim/optimizer.py does) is not the program's to change.
    void breaksOfPyTorchsOwnCodeAreLeft() {
        session::Session session;
        session.kind = session::Kind::TorchTrace;
        const auto broken = [&](const std::string& file, double seconds) {
            session::GraphBreak graphBreak;
            graphBreak.title = "Call to `torch._dynamo.graph_break()`";
            graphBreak.hints = {"Remove the `torch._dynamo.graph_break()` call."};
            graphBreak.userStack = {{"/home/me/train.py", 9, "step", "optimizer.step()"},
                                    {file, 79, "_use_grad", "torch._dynamo.graph_break()"}};
            session::Compile compile;
            compile.id = {static_cast<int>(session.compiles.size()), 0, -1};
            compile.status = session::Status::GraphBreak;
            compile.function = "step";
            compile.userStack = {graphBreak.userStack.front()};
            compile.breaks = {graphBreak};
            compile.compileSeconds = seconds;
            session.frames.push_back({});
            session.frames.back().compiles = {session.compiles.size()};
            session.compiles.push_back(std::move(compile));
        };
        const std::string installed = "/venv/lib/python3.12/site-packages/torch/optim/optimizer.py";
        broken(installed, 2);
        broken("/home/me/torch/helpers.py", 1); // a folder of the program's own
        session::BreakSummary summary = session::summarizeBreaks(session);
        QCOMPARE(summary.groups.size(), std::size_t(2));
        for (const session::BreakGroup& group : summary.groups) {
            const bool left = group.location.file == installed;
            QCOMPARE(group.waysOut.front().kind, std::string(left ? "leave" : "remove"));
            if (left) QCOMPARE(group.waysOut.size(), std::size_t(1));
        }
        const answers::Answer two = answers::answer(session, answers::Question::Breaks);
        QVERIFY2(two.sentence.starts_with("Change helpers.py:79 first"), two.sentence.c_str());
        QCOMPARE(two.proof.group, std::size_t(1)); // one click leads there
        session.compiles.pop_back();
        session.frames.pop_back();
        const answers::Answer one = answers::answer(session, answers::Question::Breaks);
        QVERIFY2(one.sentence.starts_with("PyTorch's own code"), one.sentence.c_str());
        QVERIFY(one.standing == answers::Standing::Know);
    }

    /// Nobody edits contextlib.py: the line of the program that leads there is named.
    /// A function that is compiled by itself, since its caller broke, is not what an unrelated break left behind.
    void compilesFollowTheBreakOfTheirCaller() {
        session::Session session;
        const auto add = [&](const std::string& function, std::uint32_t line, ir::StackTrace stack) {
            session::Compile compile;
            compile.function = function;
            compile.userStack = std::move(stack);
            compile.userStack.push_back({"/p/train.py", line, function, {}});
            session.frames.push_back({});
            session.frames.back().compiles = {session.compiles.size()};
            session.compiles.push_back(std::move(compile));
        };
        const auto breakAt = [&](const char* title, std::uint32_t line) {
            session::GraphBreak graphBreak;
            graphBreak.title = title;
            session::Compile& compile = session.compiles.back();
            graphBreak.userStack = {{"/p/train.py", line, compile.function, {}}};
            compile.breaks = {graphBreak};
        };
        add("forward", 46, {});
        breakAt("one", 53);
        add("block", 18, {{"/p/train.py", 51, "forward", {}}});
        add("update", 64, {});
        breakAt("other", 66);
        add("block", 18, {{"/p/train.py", 75, "<module>", {}}, {"/p/train.py", 51, "forward", {}}});
        const session::BreakSummary summary = session::summarizeBreaks(session);
        QCOMPARE(summary.groups.size(), std::size_t(2));
        for (const session::BreakGroup& group : summary.groups)
            QCOMPARE(group.framesAfter,
                     group.reason == "one" ? (std::vector<std::size_t>{1, 3}) : std::vector<std::size_t>());
    }

    void aBreakInAPackageNamesTheLineThatCallsIt() {
        session::Session session;
        session.kind = session::Kind::TorchTrace;
        session::GraphBreak graphBreak;
        graphBreak.title = "Attempted to call function marked as skipped";
        graphBreak.hints = {"Avoid calling the function `inside`."};
        graphBreak.userStack = {{"/home/me/train.py", 12, "main", "model(x)"},
                                {"/venv/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", 1890,
                                 "forward", "with f():"},
                                {"/usr/lib/python3.11/contextlib.py", 105, "__init__", "self.gen = func()"}};
        session::Compile compile;
        compile.id = {0, 0, -1};
        compile.status = session::Status::GraphBreak;
        compile.function = "forward";
        compile.userStack = {graphBreak.userStack.front()};
        compile.breaks = {graphBreak};
        session.frames.push_back({});
        session.frames.back().compiles = {0};
        session.compiles.push_back(compile);
        const answers::Answer one = answers::answer(session, answers::Question::Breaks);
        QVERIFY2(one.sentence == "Look first at what train.py:12 calls: the break is in contextlib.py:105.",
                 one.sentence.c_str());
        session.compiles.front().breaks.front().userStack.resize(1);
        const answers::Answer own = answers::answer(session, answers::Question::Breaks);
        QVERIFY2(own.sentence.starts_with("Change train.py:12 first"), own.sentence.c_str());
    }

    /// A setting that only moves the break to the next decision is no way out, nor is a line of a package one to change.
    void waysOutFitTheLine() {
        const auto ways = [](const char* title, std::initializer_list<ir::SourceLocation> stack,
                             const char* context = "") {
            session::GraphBreak graphBreak;
            graphBreak.title = title;
            graphBreak.context = context;
            graphBreak.hints = {"Set `torch._dynamo.config.capture_scalar_outputs = True`"};
            graphBreak.userStack = stack;
            return session::waysOut(graphBreak);
        };
        const auto item = [&](const char* code) {
            return ways("Unsupported Tensor.item() call with capture_scalar_outputs=False",
                        {{"/a/train.py", 30, "f", code}});
        };
        for (const char* value :
             {"y = x.item()", "z = y.item() if flag else 0.0", "z = y.item()  # scale if needed",
              "if x.dim() == 1: y = y * y.item()", "assert y.item() != 3",
              "if (n := y.item()) is not None:", "[t.item() for t in (y, x) if t.dim() == 1]"})
            QCOMPARE(item(value)[0].kind, std::string("setting"));
        for (const char* decides :
             {"if loss.item() > 10:", "    while x.item():", "y = 1 if x.item() else 2"}) {
            const std::vector<session::WayOut> found = item(decides);
            QVERIFY2(found[0].kind != "setting" &&
                         found[0].text.find("breaks at the decision") != std::string::npos,
                     found[0].text.c_str());
            QVERIFY(std::ranges::none_of(found, [](const session::WayOut& way) {
                return way.code.find("capture_scalar_outputs") != std::string::npos;
            }));
        }
        constexpr auto skipped = "Attempted to call function marked as skipped";
        QCOMPARE(ways(skipped, {{"/a/train.py", 8, "f", "g(x)"}})[0].title, std::string("Move the call out"));
        const session::WayOut packaged = ways(
            skipped, {{"/a/train.py", 8, "f", "net(x)"},
                      {"/venv/lib/python3.11/site-packages/net/model.py", 3, "forward", "with lock:"}})[0];
        QVERIFY2(packaged.text.find("The line is not the program's") == 0 &&
                     packaged.text.find("line 8,") != std::string::npos,
                 packaged.text.c_str());
        QCOMPARE(ways(skipped, {{"/a/train.py", 8, "f", "s.step()"}},
                      "module: torch.optim.lr_scheduler, qualname: LRScheduler.step, skip reason: file is "
                      "force-skipped "
                      "(/venv/lib/python3.11/site-packages/torch/optim/lr_scheduler.py)")[0]
                     .kind,
                 std::string("move out"));
        // Seen of torch.compile(lambda: optimizer.step()) with a scheduler.
        QCOMPARE(ways(skipped, {{"/a/train.py", 8, "<lambda>", "optimizer.step()"}},
                      "module: torch.optim.sgd, qualname: SGD.step, skip reason: file is force-skipped "
                      "(/venv/lib/python3.11/site-packages/torch/optim/lr_scheduler.py)")[0]
                     .kind,
                 std::string("leave"));
    }

    /// Only a setting that is spelled out can be tried, and nothing else of a capture's text gets into it.
    void settingsCanBeTried() {
        const auto tried = [](const char* code) {
            return session::settingToTry({"setting", "", "", std::string("torch._dynamo.config.") + code});
        };
        QCOMPARE(tried("capture_scalar_outputs = True"), std::string("capture_scalar_outputs=True"));
        QCOMPARE(tried("recompile_limit = 16"), std::string("recompile_limit=16"));
        QCOMPARE(tried("reorderable_logging_functions.add(print)"),
                 std::string("reorderable_logging_functions+=print"));
        QCOMPARE(tried("reorderable_logging_functions.add(logging.Logger.info)"),
                 std::string("reorderable_logging_functions+=logging.Logger.info"));
        for (const char* other : {"allow_rnn", "a = ", "a = b; c = d", "a = f(x)", "a.add(f())", "a.add(",
                                  "a.add()", "a b = 1", " = 1", "a.remove(x)"})
            QCOMPARE(tried(other), std::string());
        QCOMPARE(session::settingToTry({"rewrite", "", "", "torch.cond(pred, true_fn, false_fn, operands)"}),
                 std::string());
        QCOMPARE(session::settingToTry({"remove", "", "", ""}), std::string());
    }

    void aBreakOfTheLiveBarHasNoWayOut() {
        session::GraphBreak asked;
        asked.title = "ComptimeContext graph break";
        asked.context = "asked for in Dynascope's live mode";
        QVERIFY(session::isAskedFor(asked));
        QVERIFY(session::waysOut(asked).empty());
        QCOMPARE(session::shortReason(asked), std::string("Asked for in the live bar"));
        asked.context = "ComptimeContext.graph_break";
        QVERIFY(!session::isAskedFor(asked));
        QVERIFY(!session::waysOut(asked).empty());
    }

    void nothingAfterABreakIsNotClaimed() {
        session::BreakGroup group;
        group.occurrences.resize(1);
        QCOMPARE(
            session::afterwards(group),
            std::string("The function is cut here. The capture shows nothing that was compiled after it."));
        group.occurrences.resize(3);
        group.skips = 1;
        group.framesAfter = {4, 5};
        QCOMPARE(
            session::afterwards(group),
            std::string("1 of them: Dynamo skips the function, which runs eagerly as a whole. 2 compiles of "
                        "what it calls came after it."));
    }

    void groups() {
        const auto opened = capture::open(test::capture("trace_inductor/graph_breaks").toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        const session::BreakSummary summary = session::summarizeBreaks(session);
        QCOMPARE(summary.breaks, std::size_t(16));
        QCOMPARE(summary.compiles, std::size_t(20));
        QCOMPARE(summary.recompiles, std::size_t(10));
        QVERIFY(std::abs(summary.compileSeconds - 15.996) < 0.001);
        // Everything but the two calls of f itself.
        const double roots = session.find(0, "0/0")->compileSeconds + session.find(0, "0/1")->compileSeconds;
        QVERIFY(std::abs(summary.secondsAfterBreaks + roots - summary.compileSeconds) < 1e-9);

        struct Row {
            const char* reason;
            std::uint32_t line;
            std::size_t breaks;
            double seconds;
            const char* wayOut;
        };
        const std::vector<Row> expected = {
            {"Call to torch._dynamo.graph_break()", 27, 4, 5.29, "remove"},
            {"Builtin print cannot be traced", 30, 2, 3.73, "setting"},
            {"Branch on tensor data: if h.sum()>0", 31, 2, 1.98, "rewrite"},
            {"Builtin exec cannot be traced", 38, 2, 1.87, "rewrite"},
            {"Tensor.item() with capture_scalar_outputs=False", 33, 2, 1.64, "setting"},
            {"Function marked as skipped: posix.getpid", 34, 2, 0.11, "move out"},
            {"Dynamic shape operator aten.nonzero", 36, 2, 0.09, "setting"},
        };
        QCOMPARE(summary.groups.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const session::BreakGroup& group = summary.groups[i];
            QCOMPARE(group.reason, std::string(expected[i].reason));
            QCOMPARE(group.location.line, expected[i].line);
            QCOMPARE(group.occurrences.size(), expected[i].breaks);
            QVERIFY2(std::abs(group.secondsAfter - expected[i].seconds) < 0.01, group.reason.c_str());
            QCOMPARE(group.waysOut.front().kind, std::string(expected[i].wayOut));
        }
        QStringList after;
        for (const std::size_t c : summary.groups.front().framesAfter)
            after.append(QString::fromStdString(session.compiles[c].id.toString()));
        QCOMPARE(after, QStringList({"5/0", "6/0", "7/0", "5/1", "6/1", "7/1"}));
        QCOMPARE(summary.groups[1].bytesHandedOver, std::uint64_t(256 + 128));
    }

    void whatTheProgramCanChangeComesFirst() {
        session::BreakSummary summary;
        QCOMPARE(session::firstToChange(summary), std::size_t(0));
        session::BreakGroup leave, setting;
        leave.waysOut = {{"leave", "Leave it", {}, {}}};
        setting.waysOut = {{"setting", "capture_scalar_outputs", {}, {}}};
        summary.groups = {leave, {}, setting};
        QCOMPARE(session::firstToChange(summary), std::size_t(2));
        summary.groups = {leave, {}};
        QCOMPARE(session::firstToChange(summary), std::size_t(0));
    }

    void cuts() {
        const auto opened = capture::open(test::capture("trace_inductor/graph_breaks").toStdString());
        const session::Session& session = **opened;
        const session::BreakSummary summary = session::summarizeBreaks(session);
        const std::vector<session::CutRow> rows = session::cutRows(session, summary);
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(rows[0].label, std::string("Compiled first"));
        session::Session ranks = session;
        ranks.ranks = {0, 1};
        QCOMPARE(session::cutRows(ranks, summary)[0].label, std::string("Rank 0, first"));
        using Cause = session::Run::Cause;
        ranks.runs = {{0, 1, Cause::First, {}, 1}, {0, 2, Cause::IdsAgain, {}, 9}};
        QCOMPARE(session::cutRows(ranks, summary)[0].label, std::string("Rank 0, run 1, first"));
        QCOMPARE(rows[0].detail, std::string("x f32[8, 8]"));
        QCOMPARE(rows[1].detail, std::string("x f32[s77, 8]"));
        QStringList pieces;
        for (const session::CutPiece& piece : rows[0].pieces)
            pieces.append(QString::fromStdString(session.compiles[piece.compile].id.toString()) + ':' +
                          QString::number(piece.breakLine));
        QCOMPARE(pieces, QStringList({"0/0:30", "1/0:31", "2/0:33", "3/0:34", "4/0:27", "5/0:27", "6/0:0",
                                      "7/0:36", "8/0:38", "9/0:0"}));
        QCOMPARE(rows[0].pieces[1].ops, (std::vector<std::string>{"sum", "gt"}));
        QVERIFY(rows[0].pieces[4].ops.empty());
        QCOMPARE(rows[0].pieces[4].group, std::size_t(0));
    }

    void ranksAreApart() {
        const auto opened = capture::open((test::captures() + "/ranks_aot_eager/ddp").toStdString());
        const session::BreakSummary summary = session::summarizeBreaks(**opened);
        QCOMPARE(summary.breaks, std::size_t(6));
        QCOMPARE(summary.groups.size(), std::size_t(2));
        QCOMPARE(session::cutRows(**opened, summary).size(), std::size_t(2));
    }

    void nothingBroken() {
        const auto opened = capture::open(test::capture("trace_inductor/train").toStdString());
        const session::BreakSummary summary = session::summarizeBreaks(**opened);
        QVERIFY(summary.groups.empty() && summary.breaks == 0);
        QVERIFY(session::cutRows(**opened, summary).empty());
    }

    void reasons_data() {
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("explanation");
        QTest::addColumn<QString>("context");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("expected");
        QTest::newRow("method") << "Unsupported method call"
                                << "cannot trace method `set` of class `Logger`"
                                << ""
                                << ""
                                << "Method Logger.set cannot be traced";
        QTest::newRow("data-dependent op") << "Data dependent operator"
                                           << ""
                                           << "aten._local_scalar_dense.default"
                                           << ""
                                           << "Data-dependent operator aten._local_scalar_dense";
        QTest::newRow("while") << "Data-dependent branching"
                               << ""
                               << ""
                               << "while x[\"a:b\"] > {1: 2}[1]:  # loop"
                               << "Branch on tensor data: while x[\"a:b\"] > {1: 2}[1]";
        QTest::newRow("walrus") << "Data-dependent branching"
                                << ""
                                << ""
                                << "if (n := x.sum()): pass"
                                << "Branch on tensor data: if (n := x.sum())";
        QTest::newRow("no code") << "Data-dependent branching"
                                 << ""
                                 << ""
                                 << ""
                                 << "Data-dependent branching";
        QTest::newRow("unknown kind") << "Something `new` in PyTorch 3"
                                      << ""
                                      << ""
                                      << ""
                                      << "Something new in PyTorch 3";
        QTest::newRow("skipped, no context") << "Attempted to call function marked as skipped"
                                             << "builtin `posix.getpid.` is"
                                             << ""
                                             << ""
                                             << "Function marked as skipped: posix.getpid";
        QTest::newRow("fill missing") << "Failed to trace builtin operator"
                                      << ""
                                      << ""
                                      << ""
                                      << "Failed to trace builtin operator";
    }
    void reasons() {
        QFETCH(QString, title);
        QFETCH(QString, explanation);
        QFETCH(QString, context);
        QFETCH(QString, code);
        QFETCH(QString, expected);
        session::GraphBreak item;
        item.title = title.toStdString();
        item.explanation = explanation.toStdString();
        item.context = context.toStdString();
        item.userStack.push_back({"cap.py", 3, "f", code.toStdString()});
        QCOMPARE(QString::fromStdString(session::shortReason(item)), expected);
        QVERIFY(!session::waysOut(item).empty());
    }

    /// A recompile belongs to the function that broke, whatever else was called before it.
    void recompilesAfterOtherFunctions() {
        session::Session session;
        session.kind = session::Kind::TorchTrace;
        session.ranks = {0};
        const auto add = [&](session::CompileId id, const char* function, const char* title) {
            session::Compile compile;
            compile.id = id;
            compile.function = function;
            compile.isRecompile = id.compile > 0;
            compile.status = title ? session::Status::GraphBreak : session::Status::Compiled;
            if (title) {
                session::GraphBreak graphBreak;
                graphBreak.title = title;
                graphBreak.userStack = {
                    {"/home/me/moe.py", title == std::string("One") ? 17U : 34U, function, "f(x)"}};
                compile.breaks = {graphBreak};
            }
            session.compiles.push_back(compile);
        };
        add({0, 0}, "train", "One");
        add({1, 0}, "forward", nullptr);
        add({2, 0}, "update", "Two");
        add({1, 1}, "forward", nullptr);
        add({1, 2}, "forward", nullptr); // nothing else was compiled since
        add({0, 1}, "train", "One");
        session::BreakSummary summary = session::summarizeBreaks(session);
        QCOMPARE(summary.groups.size(), std::size_t(2));
        for (session::BreakGroup& group : summary.groups) {
            group.framesAfter.clear();
            if (group.location.line == 17) group.framesAfter = {1, 3, 4};
        }
        const std::vector<session::CutRow> rows = session::cutRows(session, summary);
        std::string said;
        for (const session::CutRow& row : rows) {
            said += row.label + ':';
            for (const session::CutPiece& piece : row.pieces)
                said += ' ' + session.compiles[piece.compile].id.toString();
            said += '\n';
        }
        QCOMPARE(said, std::string("train: 0/0 1/0\nupdate: 2/0\ntrain, the rest again: 1/1\n"
                                   "train, the rest again: 1/2\ntrain, again: 0/1\n"));
    }

    /// PyTorch names the operator behind words, and links to a note on what to do.
    void operatorsWithoutFakeKernel() {
        session::GraphBreak item;
        item.title = "Operator does not support running with fake tensors";
        item.context = "unsupported operator: aten._native_multi_head_attention.default";
        item.hints = {"see https://docs.google.com/document/d/1 for how to fix"};
        QCOMPARE(session::shortReason(item),
                 std::string("Operator aten._native_multi_head_attention has no fake kernel"));
        std::vector<session::WayOut> ways = session::waysOut(item);
        QCOMPARE(ways.size(), std::size_t(2));
        QCOMPARE(ways[0].title, std::string("Use another operator"));
        QCOMPARE(ways[1].title, std::string("Read PyTorch's note"));
        item.context = "unsupported operator: mylib.norm.default";
        QCOMPARE(session::waysOut(item)[0].code,
                 std::string("@torch.library.register_fake(\"mylib::norm\")"));
    }

    /// What a branch does that torch.cond cannot have is told where the line shows it, and a loop is no branch.
    void waysOutOfBranches() {
        const auto first = [](const char* code) {
            session::GraphBreak item;
            item.title = "Data-dependent branching";
            item.hints = {"Use `torch.cond` to express dynamic control flow."};
            item.userStack.push_back({"cap.py", 3, "f", code});
            const std::vector<session::WayOut> ways = session::waysOut(item);
            return ways.size() == 1 ? ways.front() : session::WayOut{};
        };
        QCOMPARE(first("if x.sum() > 0: x = x.relu()").title, std::string("torch.cond"));
        QVERIFY(first("if x.sum() > 0:").text.find("side effects") != std::string::npos);
        QCOMPARE(first("if blueprint(x) > 0: y = sprint(x)").title, std::string("torch.cond"));
        for (const char* code : {"if x.sum() > 0: print(x)", "if x.sum() > 0: out.append(x)",
                                 "if x.sum() > 0: raise ValueError", "if x.sum() > 0: logging.info('x')"}) {
            QCOMPARE(first(code).kind, std::string("move out"));
            QVERIFY(first(code).code.empty());
        }
        QVERIFY(first("while x.sum() > 0: x = x - 1").code.find("while_loop") != std::string::npos);
    }

    void aWriteBeforeABreak() {
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/captures/write_before_break.log.gz");
        QVERIFY(opened);
        const session::Session& session = **opened;
        const session::BreakSummary summary = session::summarizeBreaks(session);
        const auto after = session::breakAfterWrite(session, summary, 0, "L['x']");
        QVERIFY(after);
        QCOMPARE(after->group, std::size_t(0));
        QCOMPARE(after->resumed, std::size_t(1));
        QCOMPARE(after->graphBreak->location()->line, 6U);
        // Nobody takes this one in, but the code between the graphs may look at it.
        const auto unread = session::breakAfterWrite(session, summary, 0, "L['gone']");
        QVERIFY(unread);
        QCOMPARE(unread->group, std::size_t(0));
        QCOMPARE(unread->resumed, SIZE_MAX);
        QVERIFY(session::breakAfterWrite(session, summary, 0, "")->resumed == SIZE_MAX);
        // The frame that goes on returns to the caller.
        QVERIFY(!session::breakAfterWrite(session, summary, 1, "L['x']"));
        QVERIFY(!session::breakAfterWrite(session, summary, 7, "L['x']"));
    }

    void theFrameThatGoesOnIsTheOneAtThatLine() {
        const auto opened = capture::open(test::capture("trace_inductor/graph_breaks").toStdString());
        QVERIFY(opened);
        const session::Session& session = **opened;
        const session::BreakSummary summary = session::summarizeBreaks(session);
        std::size_t found = 0;
        for (std::size_t c = 0; c < session.compiles.size(); ++c)
            for (const session::TensorInput& input : session.compiles[c].inputs) {
                const auto after = session::breakAfterWrite(session, summary, c, input.source);
                QCOMPARE(after.has_value(), !session.compiles[c].finalBreaks().empty());
                if (!after || after->resumed == SIZE_MAX) continue;
                ++found;
                QVERIFY(after->resumed > c);
                const std::string line = std::to_string(after->graphBreak->userStack.back().line);
                const std::string& function = session.compiles[after->resumed].function;
                // A break inside an inlined call resumes where that was called.
                QVERIFY2(function.ends_with("_at_" + line) || after->graphBreak->userStack.size() > 1,
                         function.c_str());
            }
        QVERIFY(found > 0);
    }

    void hintsBecomeWaysOut() {
        session::GraphBreak item;
        item.title = "Something new";
        item.hints = {"Please report an issue to PyTorch.",
                      "This graph break is fundamental - it is unlikely to go.",
                      "Set `torch._dynamo.config.trace_numpy = True` to go on.",
                      "Apply `@torch._dynamo.dont_skip_tracing` to it."};
        const std::vector<session::WayOut> ways = session::waysOut(item);
        QCOMPARE(ways.size(), std::size_t(3));
        QCOMPARE(ways[0].kind, std::string("setting"));
        QCOMPARE(ways[0].code, std::string("torch._dynamo.config.trace_numpy = True"));
        QCOMPARE(ways[1].code, std::string("@torch._dynamo.dont_skip_tracing"));
        QCOMPARE(ways[2].kind, std::string("report"));
    }
};

QTEST_GUILESS_MAIN(TestSessionBreaks)
#include "tst_session_breaks.moc"
