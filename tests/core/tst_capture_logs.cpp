// SPDX-License-Identifier: BSD-3-Clause
//
// What TORCH_LOGS prints: its lines, and sessions beside the TORCH_TRACE of the same runs
// (tests/data/torch_logs).
#include "core/capture/formats.h"
#include "core/capture/log_folder.h"
#include "core/capture/log_lines.h"
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/diff/graph_diff.h"
#include "core/session/breaks.h"
#include "core/session/byte_source.h"
#include "tests/support/archive.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

using namespace dynascope;
using session::Status;

namespace {

const std::map<std::string, std::string>& logs() {
    static const std::map<std::string, std::string> files = [] {
        std::map<std::string, std::string> out;
        for (test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/data/torch_logs/logs.tar.xz"))
            out.emplace(std::move(file.path), std::move(file.content));
        return out;
    }();
    return files;
}

session::SessionPtr open(const std::string& name) {
    const auto found = logs().find(name);
    if (found == logs().end()) return nullptr;
    const auto session = capture::openText(found->second, name);
    return session ? *session : nullptr;
}

QString ids(const session::Session& session) {
    QStringList out;
    for (const session::Compile& compile : session.compiles)
        out.append(QString::number(compile.rank) + ':' + QString::fromStdString(compile.id.toString()));
    return out.join(' ');
}

QString text(const std::string& string) {
    return QString::fromStdString(string);
}

/// Blank lines at the end are the logger's.
QString trimmed(const session::Payload& payload) {
    return text(payload.text()).trimmed();
}

std::string prefix(const std::string& process, const std::string& rest, int line = 10) {
    return "V1121 10:00:00.000000 " + process + " torch/_dynamo/output_graph.py:" + std::to_string(line) +
           "] " + rest + "\n";
}

constexpr const char* graphLines[] = {"TRACED GRAPH",
                                      " ===== __compiled_fn_1 =====",
                                      " /opt/torch/fx.py class GraphModule(torch.nn.Module):",
                                      "    def forward(self, x: \"f32[4]\"):",
                                      "        # File: /home/cap.py:7 in f, code: return x + 1",
                                      "        add: \"f32[4]\" = x + 1",
                                      "        return (add,)",
                                      ""};

} // namespace

class TestCaptureLogs : public QObject {
    Q_OBJECT

private:
    void compare(const session::Compile& log, const session::Compile& trace) {
        const QString id = text(log.id.toString());
        QVERIFY2(log.status == trace.status, qPrintable(id));
        QCOMPARE(log.attempts, trace.attempts);
        QCOMPARE(log.isRecompile, trace.isRecompile);
        for (const session::StagePtr& stage : log.stages) {
            session::StagePtr same;
            for (const session::StagePtr& other : trace.stages)
                if (other->name == stage->name && other->k == stage->k && other->attempt == stage->attempt)
                    same = other;
            QVERIFY2(same, qPrintable(id + ' ' + text(stage->label())));
            QVERIFY2(same->phase == stage->phase, qPrintable(id + ' ' + text(stage->label())));
            if (stage->content == session::Stage::Content::Code) {
                QCOMPARE(trimmed(stage->payload), trimmed(same->payload));
                continue;
            }
            // The trace spells signatures with a comment for each argument.
            const auto a = stage->graph(), b = same->graph();
            QVERIFY2(a && b, qPrintable(id + ' ' + text(stage->label())));
            QVERIFY2(diff::diffGraphs(**a, **b).identical(), qPrintable(id + ' ' + text(stage->label())));
        }
        for (const char* stage :
             {"dynamo_output_graph", "before_pre_grad_graph", "aot_inference_graph", "aot_joint_graph",
              "aot_forward_graph", "aot_backward_graph", "inductor_post_grad_graph", "inductor_output_code"})
            QVERIFY2(!trace.findStage(stage) == !log.findStage(stage), qPrintable(id + ' ' + stage));
        QCOMPARE(log.guards.size(), trace.guards.size());
        for (std::size_t g = 0; g < log.guards.size(); ++g) {
            QCOMPARE(log.guards[g].code, trace.guards[g].code);
            QCOMPARE(log.guards[g].source, trace.guards[g].source);
        }
        const auto logBreaks = log.finalBreaks(), traceBreaks = trace.finalBreaks();
        QCOMPARE(logBreaks.size(), traceBreaks.size());
        for (std::size_t b = 0; b < logBreaks.size(); ++b) {
            QCOMPARE(logBreaks[b]->title, traceBreaks[b]->title);
            QCOMPARE(logBreaks[b]->explanation, traceBreaks[b]->explanation);
            QCOMPARE(logBreaks[b]->hints, traceBreaks[b]->hints);
            QVERIFY(logBreaks[b]->location());
            QCOMPARE(logBreaks[b]->location()->file, traceBreaks[b]->location()->file);
            QCOMPARE(logBreaks[b]->location()->line, traceBreaks[b]->location()->line);
            // Printed once for a line of the program, and so known of each break there.
            QCOMPARE(logBreaks[b]->location()->code, traceBreaks[b]->location()->code);
        }
        QCOMPARE(log.recompileReasons.size(), trace.recompileReasons.size());
        for (std::size_t r = 0; r < log.recompileReasons.size(); ++r)
            QCOMPARE(log.recompileReasons[r], trace.recompileReasons[r]);
        if (!log.function.empty()) QCOMPARE(log.function, trace.function);
        QCOMPARE(log.failType, trace.failType);
    }

private slots:
    void line() {
        const auto parsed = capture::parseLogLine(
            "[rank1]:V1121 10:22:38.037000 16651 torch/_dynamo/symbolic_convert.py:5124] [0/0_1] "
            "[__graph_breaks] User code");
        QVERIFY(parsed);
        QCOMPARE(parsed->prefix.rank, 1);
        QCOMPARE(std::string(parsed->prefix.process), std::string("16651"));
        QCOMPARE(std::string(parsed->compile), std::string("0/0_1"));
        QCOMPARE(std::string(parsed->artifact), std::string("graph_breaks"));
        QCOMPARE(std::string(parsed->text), std::string("User code"));
        const std::string torchrun = "[default0]:" + prefix("9", "[!1/0/2] hello");
        const auto worker = capture::parseLogLine(std::string_view(torchrun).substr(0, torchrun.size() - 1));
        QVERIFY(worker);
        QCOMPARE(std::string(worker->compile), std::string("!1/0/2"));
        QCOMPARE(std::string(worker->text), std::string("hello"));
        const auto list =
            capture::parseLogLine("I1121 10:00:00.000000 1 torch/a.py:1] [1, 2] [__init__.py] x");
        QVERIFY(list);
        QCOMPARE(std::string(list->compile), std::string());
        QCOMPARE(std::string(list->text), std::string("[1, 2] [__init__.py] x"));
        const auto empty = capture::parseLogLine("I1121 10:00:00.000000 1 torch/a.py:1] [0/0] [__guards]");
        QVERIFY(empty);
        QCOMPARE(std::string(empty->artifact), std::string("guards"));
        QVERIFY(empty->text.empty());
        QVERIFY(!capture::parseLogLine("hello V1121 10:00:00.000000 1 torch/a.py:1] x"));
    }

    void formats_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("name");
        const QByteArray message =
            QByteArray::fromStdString(prefix("1", "[0/0] [__graph_code] TRACED GRAPH"));
        const QByteArray record = QByteArray::fromStdString(prefix("1", "{\"str\": [\"a\", 1]}"));
        const QByteArray far(100000, 'x');
        QTest::addRow("logs") << message << QByteArray("TORCH_LOGS output");
        QTest::addRow("trace") << record << QByteArray("TORCH_TRACE log");
        QTest::addRow("trace after a long payload") << far + "\n" + record << QByteArray("TORCH_TRACE log");
        QTest::addRow("drawing") << QByteArray(" digraph {}") << QByteArray("DOT graph");
        QTest::addRow("pickle") << QByteArray("\x80\x04}q.") << QByteArray("memory snapshot");
        QTest::addRow("recording") << QByteArray("\x89"
                                                 "DYNSTEP")
                                   << QByteArray("recording of Dynamo");
        QTest::addRow("recording of passes") << QByteArray("\x89"
                                                           "DYNPASS")
                                             << QByteArray("recording of passes");
        QTest::addRow("profile") << QByteArray("{\"schemaVersion\": 1, \"traceEvents\": []}")
                                 << QByteArray("profile");
        QTest::addRow("chrome trace") << QByteArray("[ {\"ph\": \"X\", \"ts\": 1}]") << QByteArray("profile");
        QTest::addRow("case") << QByteArray("{\"before\": \"\"}") << QByteArray("oracle case");
        QTest::addRow("graph") << QByteArray("graph():\n") << QByteArray("graph text");
        QTest::addRow("words") << QByteArray("nothing of the kind") << QByteArray("graph text");
        QTest::addRow("binary") << QByteArray("a\0b", 3) << QByteArray();
        QTest::addRow("binary case") << QByteArray("{\"a\0b", 5) << QByteArray();
    }
    void formats() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, name);
        const auto source = session::makeByteSource(bytes.toStdString());
        QCOMPARE(QByteArray::fromStdString(std::string(capture::formatName(source))), name);
    }

    void sniff() {
        QCOMPARE(capture::sniff(prefix("1", "[0/0] [__graph_code] TRACED GRAPH")), session::Kind::TorchLogs);
        QCOMPARE(capture::sniff("loading...\n" + prefix("1", "create_env")), session::Kind::TorchLogs);
        QCOMPARE(capture::sniff(prefix("1", "{\"str\": [\"a\", 1]}")), session::Kind::TorchTrace);
        QCOMPARE(capture::sniff("nothing of the kind\n"), session::Kind::Unknown);
    }

    void interleaved() {
        std::string log;
        for (const char* line : graphLines) {
            log += prefix("100", std::string("[0/0] [__graph_code] ") + line);
            log += "step 1 of 9\n";
            log += prefix("200", std::string("[0/0] [__graph_code] ") + line);
        }
        const auto parts = capture::readLogMessages(log);
        QVERIFY(parts);
        std::size_t strays = 0;
        for (const capture::LogMessage& message : parts->messages) {
            const std::string_view body = parts->text->bytes().substr(message.offset, message.length);
            if (message.stray) {
                ++strays;
                QCOMPARE(std::string(body), std::string("step 1 of 9"));
            } else {
                QCOMPARE(std::count(body.begin(), body.end(), '\n'), 7);
            }
        }
        QCOMPARE(strays, std::size_t(8));
        QCOMPARE(parts->messages.size(), std::size_t(10));

        const auto session = capture::openText(log);
        QVERIFY(session);
        QCOMPARE(ids(**session), QStringLiteral("0:0/0 0:0/0@2"));
        for (const session::Compile& compile : (*session)->compiles) {
            QCOMPARE(compile.stages.size(), std::size_t(1));
            QCOMPARE(compile.stages.front()->nodeCount(), std::size_t(3));
            QVERIFY(compile.status == Status::Compiled);
        }
        QCOMPARE((*session)->recordCounts.at("log:output"), std::size_t(8));
        QCOMPARE((*session)->warnings.size(), std::size_t(1));
        QVERIFY((*session)->warnings[0].error.message.find("2 processes do not say their rank") == 0);
        QCOMPARE((*session)->sources.at("/home/cap.py").lines.at(7), std::string("return x + 1"));
    }

    void tornLines() {
        // A progress bar without an end of line, and terminal colours.
        const std::string log = "  0%|  | 0/9 [00:00<?, ?it/s]" +
                                prefix("1", "[0/0] [__output_code] Output code: ") +
                                prefix("1", "[0/0] [__output_code] \x1b[34mimport\x1b[0m torch");
        const auto session = capture::openText(log);
        QVERIFY(session);
        QCOMPARE((*session)->records.size(), std::size_t(2));
        QCOMPARE((*session)->records[0].payload.text(), std::string("  0%|  | 0/9 [00:00<?, ?it/s]"));
        const session::StagePtr code = (*session)->compiles.front().findStage("inductor_output_code");
        QVERIFY(code);
        QCOMPARE(code->payload.text(), std::string("import torch"));
    }

    void sameRankTwice() {
        const std::string log = "[rank0]:" + prefix("1", "[0/0] create_env") +
                                "[rank0]:" + prefix("2", "[0/0] create_env") + prefix("3", "compile worker");
        const auto session = capture::openText(log);
        QVERIFY(session);
        QCOMPARE(ids(**session), QStringLiteral("0:0/0 0:0/0@2"));
        QCOMPARE((*session)->records[2].rank, 0);
        QVERIFY((*session)->warnings.empty());
        QVERIFY((*session)->runs.at(1).cause == session::Run::Cause::Process);
    }

    void excerptWithoutIds() {
        std::string log;
        for (const char* line : graphLines)
            log += prefix("100", std::string("[__graph_code] ") + line);
        const auto session = capture::openText(log);
        QVERIFY(session);
        QCOMPARE((*session)->compiles.front().stages.size(), std::size_t(1));
        QCOMPARE((*session)->compiles.front().stages.front()->nodeCount(), std::size_t(3));
    }

    /// A log says what the trace of the same run says.
    void sameAsTrace_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"breaks", "train", "dynamic", "fail"})
            QTest::newRow(name) << name;
    }
    void sameAsTrace() {
        QFETCH(QString, name);
        const session::SessionPtr log = open(name.toStdString() + ".log");
        const session::SessionPtr trace = open(name.toStdString() + ".trace.log");
        QVERIFY(log && trace);
        QCOMPARE(log->kind, session::Kind::TorchLogs);
        QVERIFY(trace->warnings.empty() && log->warnings.empty());
        // A compile without a graph or break leaves nothing in a log.
        for (const session::Compile& compile : trace->compiles) {
            const session::Compile* same = log->find(0, compile.id.toString());
            QVERIFY2(same || compile.status == Status::Skipped, compile.id.toString().c_str());
            if (same) compare(*same, compile);
        }
        for (const session::Compile& compile : log->compiles)
            QVERIFY(trace->find(0, compile.id.toString()));
    }

    void dynamoMessages() {
        const session::SessionPtr log = open("dynamic.log"), trace = open("dynamic.trace.log");
        for (std::size_t i = 0; i < log->compiles.size(); ++i) {
            const session::Compile &a = log->compiles[i], &b = trace->compiles[i];
            QCOMPARE(a.function, b.function);
            // The log has the callers between, which the trace leaves out.
            QCOMPARE(a.userStack.size(), b.userStack.size() + 1);
            for (const bool inner : {false, true}) {
                const ir::SourceLocation& x = inner ? a.userStack.back() : a.userStack.front();
                const ir::SourceLocation& y = inner ? b.userStack.back() : b.userStack.front();
                QCOMPARE(x.file, y.file);
                QCOMPARE(x.line, y.line);
                QCOMPARE(x.function, y.function);
            }
            QCOMPARE(a.symbols.size(), b.symbols.size());
            for (std::size_t s = 0; s < a.symbols.size(); ++s) {
                QCOMPARE(a.symbols[s].symbol, b.symbols[s].symbol);
                QCOMPARE(a.symbols[s].value, b.symbols[s].value);
                QCOMPARE(a.symbols[s].source, b.symbols[s].source);
                QCOMPARE(a.symbols[s].range, b.symbols[s].range);
            }
        }
        QVERIFY(std::any_of(log->compiles.begin(), log->compiles.end(),
                            [](const session::Compile& compile) { return !compile.symbols.empty(); }));
        QCOMPARE(log->frames.size(), trace->frames.size());
    }

    void verbose() {
        const session::SessionPtr log = open("verbose.log"), trace = open("verbose.trace.log");
        QVERIFY(log && trace);
        QCOMPARE(ids(*log), ids(*trace));
        for (std::size_t i = 0; i < log->compiles.size(); ++i) {
            const session::Compile &a = log->compiles[i], &b = trace->compiles[i];
            QCOMPARE(a.function, std::string("g"));
            QCOMPARE(a.location()->line, b.location()->line);
            QCOMPARE(a.bytecode.size(), std::size_t(1));
            QCOMPARE(a.bytecode[0].name, std::string("g"));
            QVERIFY(trimmed(a.bytecode[0].original).startsWith(QLatin1String("33           0 RESUME")));
            QVERIFY(trimmed(a.bytecode[0].modified).contains(QLatin1String("__compiled_fn_")));
            QCOMPARE(a.recompileReasons.empty(), b.recompileReasons.empty());
        }
    }

    void ranks() {
        const session::SessionPtr log = open("ranks.log");
        QVERIFY(log);
        QVERIFY(log->ranks == std::vector<int>({0, 1}));
        for (int rank = 0; rank < 2; ++rank) {
            const session::SessionPtr trace = open("ranks.trace_rank_" + std::to_string(rank) + ".log");
            QVERIFY(trace);
            std::size_t count = 0;
            for (const session::Compile& compile : log->compiles) {
                if (compile.rank != rank) continue;
                ++count;
                const session::Compile* same = trace->find(rank, compile.id.toString());
                QVERIFY(same);
                compare(compile, *same);
            }
            QCOMPARE(count, trace->compiles.size());
        }
        QVERIFY(log->find(1, "0/0")->status == Status::GraphBreak);
        QVERIFY(log->find(0, "0/0")->status == Status::Compiled);
    }

    void ranksByName_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rank");
        const auto row = [](const char* name, int rank) { QTest::newRow(name) << QString(name) << rank; };
        row("dedicated_log_torch_trace_rank_3_x.log", 3);
        row("rank12.txt", 12);
        row("logs_rank-0.log", 0);
        row("rank_1/stderr.log", 1);
        row("attempt_0/7/stderr.log", 7);
        row("none_abc/attempt_1/0/stdout.log", 0);
        row("7/stderr.log", -1);
        row("frank5.log", -1);
        row("rank_.log", -1);
        row("rank_99999999999999999999.log", -1);
        row("stderr.log", -1);
        row("", -1);
    }
    void ranksByName() {
        QFETCH(QString, name);
        QFETCH(int, rank);
        QCOMPARE(capture::rankOfName(name.toStdString()), rank);
    }

    /// The log of two ranks as torchrun --log-dir writes it: a file for each rank, and no rank in its lines.
    void ranksOfAFolder() {
        QTemporaryDir folder;
        const auto write = [&](const QString& name, const QByteArray& content) {
            QVERIFY(QDir(folder.path()).mkpath(QFileInfo(name).path()));
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        };
        QByteArray parts[2];
        int rank = 0;
        const QList<QByteArray> lines = QByteArray::fromStdString(logs().at("ranks.log")).split('\n');
        for (QByteArray line : lines) {
            for (int r = 0; r < 2; ++r)
                if (const QByteArray tag = "[rank" + QByteArray::number(r) + "]:"; line.startsWith(tag)) {
                    rank = r;
                    line.remove(0, tag.size());
                }
            parts[rank] += line + '\n';
        }
        for (int r = 0; r < 2; ++r)
            write(QStringLiteral("run_x/attempt_0/%1/stderr.log").arg(r), parts[r]);
        write(QStringLiteral("run_x/attempt_0/0/stdout.log"), {});
        write(QStringLiteral("run_x/attempt_0/1/stdout.log"), "a word of the program\n");
        write(QStringLiteral("run_x/notes.txt"), "not a log");

        const auto opened = capture::open(folder.path().toStdString());
        QVERIFY2(opened, opened ? "" : opened.error().toString().c_str());
        const session::Session& session = **opened;
        QVERIFY(session.kind == session::Kind::TorchLogs);
        QCOMPARE(session.ranks, (std::vector<int>{0, 1}));
        QCOMPARE(session.warnings.size(), std::size_t(1));
        QCOMPARE(session.warnings[0].error.message, std::string("no TORCH_LOGS message"));
        const session::SessionPtr joint = open("ranks.log");
        QCOMPARE(ids(session), ids(*joint));
        for (const session::Compile& compile : session.compiles) {
            this->compare(compile, *joint->find(compile.rank, compile.id.toString()));
            if (QTest::currentTestFailed()) return;
        }
        // Rank 1 broke its graph where rank 0 did not.
        const auto compared = dynascope::compare::compareRanks(session);
        QVERIFY(compared);
        QCOMPARE(compared->ranks, (std::vector<int>{0, 1}));
        QCOMPARE(compared->firstDiffering, std::size_t(0));
        QCOMPARE(compared->rows.at(0).compileId, std::string("0/0"));
        // A session file names its inputs in the same way.
        QCOMPARE(session.inputs.files.size(), std::size_t(3));
        QCOMPARE(session.inputs.files.front().name, std::string("run_x/attempt_0/0/stderr.log"));
        const auto again = capture::openInputs(session.inputs);
        QVERIFY(again);
        QCOMPARE(ids(**again), ids(session));
    }

    void filesOfOneRank() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const std::string& content) {
            QFile file(folder.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content.c_str()) > 0);
        };
        // A restarted run writes rank 0 again, or a process of the same number on another machine; a file's
        // name goes before what its messages say.
        write("a_rank_0.log", prefix("1", "[0/0] create_env"));
        write("b_rank_0.log", prefix("1", "[0/0] create_env"));
        write("c_rank_3.log", "[rank5]:" + prefix("1", "[0/0] create_env"));
        const auto opened = capture::open(folder.path().toStdString());
        QVERIFY(opened);
        QCOMPARE(ids(**opened), QStringLiteral("0:0/0 0:0/0@2 3:0/0"));
        QCOMPARE((*opened)->warnings.size(), std::size_t(1));
        QVERIFY((*opened)->warnings[0].error.message.find("the file's name says rank 3") == 0);
        QVERIFY(text((*opened)->warnings[0].error.file).endsWith("c_rank_3.log"));
    }

    /// A graph that AOTAutograd's cache had is told of without "=====".
    void graphsOfTheCache() {
        const auto graph = [](const char* id, const std::string& title, int line = 439) {
            std::string out =
                prefix("100", std::string(id) + " [__aot_graphs] " + title + " graph (from cache)", line);
            for (const char* text :
                 {"", "class <lambda>(torch.nn.Module):", "    def forward(self, arg0_1: \"f32[4]\"):",
                  "        sin: \"f32[4]\" = torch.ops.aten.sin.default(arg0_1);  arg0_1 = None",
                  "        return (sin,)", ""})
                out += prefix("100", std::string(id) + " [__aot_graphs] " + text, line);
            return out;
        };
        const auto session = capture::openText(graph("[0/0]", "Forward") + graph("[1/0]", "Forward") +
                                               graph("[1/0]", "Backward", 448));
        QVERIFY(session);
        const std::vector<session::Compile>& compiles = (*session)->compiles;
        QCOMPARE(compiles.size(), std::size_t(2));
        QCOMPARE(compiles[0].stages.front()->name, std::string("aot_inference_graph"));
        QCOMPARE(compiles[0].stages.front()->phase, session::Phase::Inference);
        QCOMPARE(compiles[1].stages[0]->name, std::string("aot_forward_graph"));
        QCOMPARE(compiles[1].stages[1]->name, std::string("aot_backward_graph"));
    }

    /// Of a break at a line that it has told of before PyTorch leaves out the stack, and with it the line's text.
    void aBreakToldOfBeforeIsTheSame() {
        const auto at = [](const char* id, const std::string& line) {
            return prefix("100", std::string(id) + " [__graph_breaks] " + line, 5124);
        };
        const std::string log = at("[0/0]", "Graph break in user code at /home/cap.py:9") +
                                at("[0/0]", "Graph Break Reason: Data-dependent branching") +
                                at("[0/0]", "User code traceback:") +
                                at("[0/0]", "  File \"/home/cap.py\", line 9, in f") +
                                at("[0/0]", "    if y.sum() > 0: y = y + 1") +
                                at("[0/1]", "Graph break (user stack suppressed due to duplicate graph "
                                            "break) in user code at /home/cap.py:9") +
                                at("[0/1]", "Graph Break Reason: Data-dependent branching");
        const auto session = capture::openText(log);
        QVERIFY(session);
        QCOMPARE((*session)->compiles.size(), std::size_t(2));
        const session::BreakSummary summary = session::summarizeBreaks(**session);
        QCOMPARE(summary.breaks, std::size_t(2));
        QCOMPARE(summary.groups.size(), std::size_t(1));
        QCOMPARE(summary.groups.front().reason, std::string("Branch on tensor data: if y.sum() > 0"));
    }

    void nothingIsLost() {
        // Every line of the log is in a record.
        for (const auto& [name, content] : logs()) {
            if (name.find(".trace") != std::string::npos) continue;
            const auto parts = capture::readLogMessages(content);
            QVERIFY(parts);
            std::size_t bytes = 0;
            for (const capture::LogMessage& message : parts->messages)
                bytes += message.length;
            QCOMPARE(bytes, parts->text->bytes().size());
            const session::SessionPtr session = open(name);
            QCOMPARE(session->records.size(), parts->messages.size());
        }
    }
};

QTEST_GUILESS_MAIN(TestCaptureLogs)
#include "tst_capture_logs.moc"
