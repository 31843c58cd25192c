// SPDX-License-Identifier: BSD-3-Clause
//
// Captures of another machine: what opens from their index is what opens from the files, graphs and code come when they
// are looked at, and whatever the other end sends or fails to send is an error in words. The other machine is this one,
// behind a script that takes ssh's arguments.
#include "core/base/log.h"
#include "core/capture/log_index.h"
#include "core/capture/open.h"
#include "core/remote/away_source.h"
#include "core/remote/open.h"
#include "core/session/byte_source.h"
#include "core/session/unreached.h"
#include "core/store/session_file.h"
#include "tests/support/captures.h"
#include "tests/support/other_machine.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "tests/support/told_session.h"
#include "tests/support/trace_text.h"

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <mutex>
#include <random>

using namespace dynascope;

namespace {

std::mutex linesGuard;
QStringList lines; ///< of the log

struct Index {
    std::string came;
    remote::IndexReply reply;
};

Index indexOf(std::string_view log) {
    const auto staying = capture::stayingPieces(log, {});
    Index out{remote::indexText(log, *staying), {log.size(), staying->size()}};
    for (const capture::StayingPiece& one : *staying)
        out.reply.here -= one.piece.length;
    return out;
}

struct Asked {
    int times = 0;
    std::uint64_t bytes = 0;
};

session::ByteSourcePtr awayFrom(const session::ByteSourcePtr& whole, const Index& index, Asked& asked) {
    auto source = remote::awaySource(
        index.came, index.reply, whole->bytes().size(),
        [whole, &asked](std::span<const session::AwayPiece> wanted) -> Result<std::string> {
            ++asked.times;
            std::string out;
            for (const session::AwayPiece& piece : wanted)
                out.append(whole->bytes().substr(piece.offset, piece.length));
            asked.bytes += out.size();
            return out;
        });
    return source ? *source : nullptr;
}

QStringList logs() {
    QStringList out = test::traceLogs();
    for (QDirIterator at(QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples"), {QStringLiteral("*.log")},
                         QDir::Files);
         at.hasNext();)
        out << at.next();
    return out;
}

} // namespace

class TestRemote : public QObject {
    Q_OBJECT

private:
    test::OtherMachine m_machine;
    QTemporaryDir m_folder;

    QString write(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
        return file.fileName();
    }
    [[nodiscard]] static std::string there(const QString& path) {
        return test::OtherMachine::address(path).toStdString();
    }

private slots:
    void initTestCase() { QVERIFY(m_machine.isReady()); }

    void addresses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("login");
        QTest::addColumn<QString>("port");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("problem");
        const auto good = [](const char* text, const char* login, const char* port, const char* path) {
            QTest::newRow(text) << text << login << port << path << "";
        };
        const auto bad = [](const char* text, const char* problem) {
            QTest::newRow(text) << text << ""
                                << ""
                                << "" << problem;
        };
        good("ssh://gpu7/data/run 1.log", "gpu7", "", "/data/run 1.log");
        good("ssh://me@gpu7:2222/~/runs", "me@gpu7", "2222", "~/runs");
        good("ssh://me@[fe80::1]:22/x", "me@fe80::1", "22", "/x");
        good("ssh://[::1]/x", "::1", "", "/x");
        good("ssh://gpu7", "gpu7", "", "");
        bad("/data/run.log", "is no address");
        bad("ssh:///data", "names no host");
        bad("ssh://me@/data", "names no host");
        bad("ssh://gpu7:/data", "the port is no number");
        bad("ssh://gpu7:22x/data", "the port is no number");
        bad("ssh://[::1/x", "closing bracket");
        bad("ssh://-oProxyCommand=touch x/data", "dash");
        bad("ssh://me@-oProxyCommand=x/data", "dash");
        bad("ssh://a b/data", "blanks");
    }
    void addresses() {
        QFETCH(QString, text);
        const auto address = remote::parseAddress(text.toStdString());
        QFETCH(QString, problem);
        QCOMPARE(address.has_value(), problem.isEmpty());
        if (!address) {
            QVERIFY2(QString::fromStdString(address.error().toString()).contains(problem),
                     address.error().toString().c_str());
            return;
        }
        QTEST(QString::fromStdString(address->login), "login");
        QTEST(QString::fromStdString(address->port), "port");
        QTEST(QString::fromStdString(address->path), "path");
    }

    void engineOfAnotherMachine() {
        using Words = std::vector<std::string>;
        const Words command = remote::engineCommand({"ssh://me@gpu7:2222"});
        QCOMPARE(command.back(), std::string("dynascope-engine"));
        QCOMPARE(command[command.size() - 2], std::string("me@gpu7"));
        QCOMPARE(remote::engineCommand({"ssh", "gpu7", "dynascope-engine"}),
                 (Words{"ssh", "gpu7", "dynascope-engine"}));
        QCOMPARE(remote::engineCommand({"ssh://-x"}), Words{"ssh://-x"});
    }

    /// For each log: the same session, nothing asked for until it is open, and the same bytes in the end.
    void opensAsTheFileDoes_data() {
        QTest::addColumn<QString>("log");
        for (const QString& log : logs())
            QTest::newRow(qPrintable(log.section(u'/', -2))) << log;
    }
    void opensAsTheFileDoes() {
        QFETCH(QString, log);
        const std::string path = log.toStdString();
        const auto whole = session::openByteSource(path);
        QVERIFY(whole);
        const Index index = indexOf((*whole)->bytes());
        Asked asked;
        const session::ByteSourcePtr away = awayFrom(*whole, index, asked);
        QVERIFY(away);
        const auto opened = capture::openSavedInputs({path, false, {{{}, away}}}, {});
        QVERIFY(opened);
        QCOMPARE(asked.times, 0);
        const auto direct = capture::open(path);
        QVERIFY(direct);
        const std::string found = test::difference(test::told(*opened->session), test::told(**direct));
        QVERIFY2(found.empty(), found.c_str());
        QCOMPARE(asked.times > 0, index.reply.staying > 0);
        QVERIFY(away->need(0, away->bytes().size()));
        QVERIFY(away->bytes() == (*whole)->bytes());
        QVERIFY(away->isHere(0, away->bytes().size()));
        // All of what stayed came, and nothing twice.
        QCOMPARE(asked.bytes, (*whole)->bytes().size() - index.reply.here);
    }

    void mostOfALogStays() {
        test::TraceText text;
        text.at(0, 0).start("f");
        for (const char* stage : {"dynamo_output_graph", "aot_joint_graph", "inductor_post_grad_graph"})
            text.add(std::string("\"") + stage + "\": {}", test::readableGraph(200));
        const std::string log = text.metrics().text();
        const Index index = indexOf(log);
        QVERIFY2(index.reply.here < log.size() / 20, qPrintable(QString::number(index.reply.here)));
    }

    /// What a record without a compile quotes is quoted where the first stage does.
    void quotesOfNoStage() {
        std::string graph = test::readableGraph(60);
        graph.insert(graph.find("        add_30"), "        # File: cap.py:7 in f, code: y = x + 1\n");
        test::TraceText loose, text;
        loose.artifact("nobody_knows", graph);
        text.at(0, 0).start().artifact("nobody_knows", graph).metrics();
        std::string log = loose.text();
        for (const std::string id : {", \"frame_id\": 0", ", \"frame_compile_id\": 0", ", \"attempt\": 0"})
            log.erase(log.find(id), id.size());
        log += text.text();
        const session::ByteSourcePtr whole = session::makeByteSource(log);
        const Index index = indexOf(log);
        QCOMPARE(index.reply.staying, std::uint64_t{3});
        Asked asked;
        const session::ByteSourcePtr away = awayFrom(whole, index, asked);
        QVERIFY(away);
        const auto opened = capture::openSavedInputs({"x.log", false, {{{}, away}}}, {});
        QVERIFY(opened);
        QCOMPARE(opened->session->sources.at("cap.py").lines.at(7), std::string("y = x + 1"));
    }

    void windowsLineEnds() {
        test::TraceText text;
        text.at(0, 0).start("f").add("\"aot_joint_graph\": {}", test::readableGraph(60)).metrics();
        std::string log;
        for (const char c : text.text()) {
            if (c == '\n') log += '\r';
            log += c;
        }
        const session::ByteSourcePtr whole = session::makeByteSource(log);
        const Index index = indexOf(log);
        QVERIFY(index.reply.staying > 0);
        Asked asked;
        const session::ByteSourcePtr away = awayFrom(whole, index, asked);
        QVERIFY(away);
        const auto opened = capture::openSavedInputs({"x.log", false, {{{}, away}}}, {});
        const auto direct = capture::openSavedInputs({"x.log", false, {{{}, whole}}}, {});
        QVERIFY(opened && direct);
        QCOMPARE(asked.times, 0);
        const std::string found =
            test::difference(test::told(*opened->session), test::told(*direct->session));
        QVERIFY2(found.empty(), found.c_str());
    }

    /// A table that is not of this file is refused; nothing is written past it.
    void badIndex() {
        const auto whole =
            session::openByteSource(test::capture("trace_inductor/view_mutation").toStdString());
        QVERIFY(whole);
        const Index good = indexOf((*whole)->bytes());
        QVERIFY(good.reply.staying > 1);
        std::mt19937 random(7);
        int refused = 0;
        for (int i = 0; i < 2000; ++i) {
            Index bad = good;
            std::uint64_t bytes = (*whole)->bytes().size();
            switch (random() % 4) {
            case 0:
                bad.came[bad.reply.here + random() % (bad.came.size() - bad.reply.here)] ^=
                    char(1 + random() % 255);
                break;
            case 1:
                bad.came.resize(random() % bad.came.size());
                break;
            case 2:
                bad.reply.here = random() % 2 == 0 ? random() : UINT64_MAX - random() % 9;
                break;
            default:
                bytes = random() % 2 == 0 ? random() % (2 * bytes) : UINT64_MAX - random() % 9;
            }
            const auto source = remote::awaySource(
                bad.came, bad.reply, bytes, [](auto) -> Result<std::string> { return std::string("x"); });
            if (!source)
                ++refused;
            else
                QVERIFY(!(*source)->need(0, bytes));
        }
        QVERIFY2(refused > 1500, qPrintable(QString::number(refused)));
    }

    void openThere_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("log") << test::capture("trace_inductor/encoder");
        QTest::newRow("ranks") << QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/tp");
        QTest::newRow("packed, with its profile") << QStringLiteral(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QTest::newRow("recording of passes") << QStringLiteral(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
        QTest::newRow("graph text") << write(
            QStringLiteral("graph.txt"),
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n");
    }
    void openThere() {
        QFETCH(QString, path);
        const auto far = remote::open(there(path)), near = remote::open(path.toStdString());
        QVERIFY2(far, far ? "" : far.error().toString().c_str());
        QVERIFY(near);
        QCOMPARE((*far)->path, there(path));
        QString words = QString::fromStdString(test::told(**far));
        words.replace(QString::fromStdString(there(path)), path);
        const std::string found = test::difference(words.toStdString(), test::told(**near));
        QVERIFY2(found.empty(), found.c_str());
        QCOMPARE((*far)->profiles.size(), (*near)->profiles.size());
        QCOMPARE((*far)->passRecordings.size(), (*near)->passRecordings.size());
    }

    void sessionFileThere() {
        const auto log = remote::open(there(test::capture("trace_inductor/view_mutation")));
        QVERIFY(log);
        // Saving gets what had not come.
        store::SessionContents contents;
        contents.inputs = (*log)->inputs;
        const QString file = m_folder.filePath(QStringLiteral("kept.dynascope"));
        QVERIFY(store::saveSession(file.toStdString(), contents));
        const auto again = remote::openSaved(there(file));
        QVERIFY2(again, again ? "" : again.error().toString().c_str());
        QVERIFY(again->saved);
        const auto whole =
            session::openByteSource(test::capture("trace_inductor/view_mutation").toStdString());
        QVERIFY(again->session->inputs.files.front().source->bytes() == (*whole)->bytes());
    }

    void connectsAgain() {
        const auto far = remote::open(there(test::capture("trace_inductor/encoder")));
        QVERIFY(far);
        QVERIFY(m_machine.breakConnection());
        const std::size_t before = session::unreachedCount(); // of other tests
        int graphs = 0;
        for (const session::Compile& compile : (*far)->compiles)
            for (const session::StagePtr& stage : compile.stages)
                if (stage->content == session::Stage::Content::Graph) {
                    const auto graph = stage->graph();
                    QVERIFY2(graph, graph ? "" : graph.error().toString().c_str());
                    ++graphs;
                }
        QVERIFY(graphs > 0);
        QCOMPARE(session::unreachedCount(), before);
    }

    /// What cannot be got is said, is not taken for an empty text, and is asked for again.
    void isGone() {
        const QString copy = m_folder.filePath(QStringLiteral("gone.log"));
        QVERIFY(QFile::copy(test::capture("trace_inductor/encoder"), copy));
        const auto far = remote::open(there(copy));
        QVERIFY(far);
        QVERIFY(m_machine.breakConnection());
        const QString elsewhere = m_folder.filePath(QStringLiteral("elsewhere.log"));
        QVERIFY(QFile::rename(copy, elsewhere));
        const session::Stage* away = nullptr;
        for (const session::Compile& compile : (*far)->compiles)
            for (const session::StagePtr& stage : compile.stages)
                if (stage->content == session::Stage::Content::Graph &&
                    !stage->payload.source->isHere(stage->payload.offset, stage->payload.length))
                    away = stage.get();
        QVERIFY(away);
        const auto none = away->graph();
        QVERIFY(!none);
        QVERIFY2(none.error().toString().find("No such file") != std::string::npos,
                 none.error().toString().c_str());
        QVERIFY(QString::fromStdString(away->payload.text())
                    .startsWith(QStringLiteral("(not read: ssh://there/")));
        QVERIFY(session::unreachedCount() > 0);
        // The same file under its name again, and then another one.
        QVERIFY(QFile::rename(elsewhere, copy));
        QTRY_VERIFY_WITH_TIMEOUT(away->graph(),
                                 test::patience); // not at once: it did not answer a moment ago
        QVERIFY(m_machine.breakConnection());
        QVERIFY(QFile::rename(copy, elsewhere) && QFile::copy(elsewhere, copy));
        const session::ByteSourcePtr source = away->payload.source;
        const Result<void> rest = source->need(0, source->bytes().size());
        QVERIFY(!rest);
        QVERIFY2(rest.error().toString().find("is another one there since it was opened") !=
                     std::string::npos,
                 rest.error().toString().c_str());
    }

    void failures_data() {
        QTest::addColumn<QString>("address");
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("problem");
        const QString cli = test::program("dynascope-cli");
        QTest::newRow("no such file") << "ssh://there/no/such.log" << cli << "No such file or directory";
        QTest::newRow("no path") << "ssh://there" << cli << "names no file or folder";
        QTest::newRow("no host") << "ssh://nowhere/x.log" << cli
                                 << "ssh ended by exit status 255: ssh: no host nowhere";
        QTest::newRow("no program") << "ssh://there/x.log"
                                    << "/no/such/dynascope-cli"
                                    << "DYNASCOPE_REMOTE_CLI says where dynascope-cli is";
        QTest::newRow("another program") << "ssh://there/x.log"
                                         << "echo hello; #"
                                         << "ssh ended by exit status 0";
        QTest::newRow("a shell that greets")
            << "ssh://there/x.log" << QStringLiteral("echo hello; %1").arg(cli)
            << "what a shell there prints when it starts";
    }
    void failures() {
        QFETCH(QString, address);
        QFETCH(QString, program);
        qputenv("DYNASCOPE_REMOTE_CLI", program.toUtf8());
        const auto opened = remote::open(address.toStdString());
        qputenv("DYNASCOPE_REMOTE_CLI", test::program("dynascope-cli").toUtf8());
        QVERIFY(!opened);
        const QString error = QString::fromStdString(opened.error().toString());
        QFETCH(QString, problem);
        QVERIFY2(error.startsWith(address) && error.contains(problem), qPrintable(error));
    }

    void cancelled() {
        std::stop_source stop;
        stop.request_stop();
        const auto opened =
            remote::open(there(test::capture("trace_inductor/encoder")), {stop.get_token(), {}});
        QVERIFY(!opened && opened.error().isCancelled());
    }

    void readAgain() {
        test::TraceText text;
        text.at(0, 0).start("f").add("\"dynamo_output_graph\": {}", test::readableGraph(40)).metrics();
        const QString path = write(QStringLiteral("grows.log"), QByteArray::fromStdString(text.text()));
        const auto first = remote::open(there(path));
        QVERIFY(first);
        text.at(1, 0).start("g").add("\"dynamo_output_graph\": {}", test::readableGraph(50)).metrics();
        QVERIFY(!write(QStringLiteral("grows.log"), QByteArray::fromStdString(text.text())).isEmpty());
        const auto again = remote::readAgain(**first);
        QVERIFY2(again, again ? "" : again.error().toString().c_str());
        QCOMPARE((*again)->compiles.size(), std::size_t{2});
        QVERIFY((*again)->compiles[1].stages.front()->graph());
    }

    void theLogSaysWhatCame() {
        const QString path = QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log");
        log::setSink([](log::Topic, const std::string& line) {
            const std::scoped_lock lock(linesGuard);
            lines << QString::fromStdString(line);
        });
        log::setTopics(1U << static_cast<unsigned>(log::Topic::Remote));
        const auto session = remote::open(there(path));
        log::setTopics(0);
        log::setSink(nullptr);
        QVERIFY(session);
        for (const char* pattern : {"^connecting to there$", ": version .+ has 1 files after \\d+ ms$",
                                    ": index: [1-9]\\d* bytes came, packed$",
                                    " of [1-9]\\d* bytes are here, [1-9]\\d* pieces stay there$"})
            QVERIFY2(!lines.filter(QRegularExpression(pattern)).isEmpty(), qPrintable(lines.join('\n')));
    }
};

QTEST_GUILESS_MAIN(TestRemote)
#include "tst_remote.moc"
