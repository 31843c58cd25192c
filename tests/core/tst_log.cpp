// SPDX-License-Identifier: BSD-3-Clause
//
// Lines for maintainers: which topics DYNASCOPE_LOG chooses, and what reaches a sink.
#include "core/answers/answer.h"
#include "core/base/log.h"
#include "core/capture/flight_reader.h"
#include "core/capture/open.h"
#include "core/compare/compare.h"
#include "core/computed/saved_stages.h"
#include "core/computed/stage_store.h"
#include "core/dynamo/live_socket.h"
#include "core/find/index.h"
#include "core/inductor/compile_passes.h"
#include "core/profile/join.h"
#include "core/ranks/ranks.h"
#include "core/rederive/rederive.h"
#include "core/replay/coverage.h"
#include "core/report/html.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <mutex>

using namespace dynascope;
using log::Topic;

namespace {

std::mutex guard;
std::vector<std::pair<Topic, std::string>> lines;

log::Topics bit(Topic topic) {
    return 1U << static_cast<unsigned>(topic);
}

session::SessionPtr opened(const char* path) {
    const auto session = capture::open(path);
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}
session::SessionPtr trained() {
    return opened(DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log");
}

/// Work of a room, and a line that it writes.
struct Room {
    Topic topic;
    const char* line; ///< a pattern
    std::function<void()> work;
};

void answerAll() {
    static_cast<void>(answers::answer(*trained(), answers::Question::CudaGraphs));
}

void compareWithItself() {
    const session::SessionPtr session = trained();
    QVERIFY(compare::compareSessions(*session, *session));
}

void giveComparingUp() {
    TaskContext task;
    std::stop_source stop;
    stop.request_stop();
    task.stop = stop.get_token();
    const session::SessionPtr session = trained();
    QVERIFY(!compare::compareSessions(*session, *session, {}, task));
}

void keepStages() {
    const session::SessionPtr session = trained();
    computed::StageStore store;
    auto made = std::make_shared<session::Stage>();
    made->name = "decompose";
    QVERIFY(store.add(session->compiles.front(), made, 0, {}) > 0);
}

void readUnreadableStages() {
    QCOMPARE(computed::fromStore(*trained(), std::vector<store::SavedStage>(2)).lost, std::size_t(2));
}

void openAndTurnAway() {
    const auto listener = dynamo::LiveListener::open();
    QVERIFY(listener);
}

void searchAFolder() {
    const QTemporaryDir folder;
    QVERIFY(
        QFile::copy(DYNASCOPE_SOURCE_DIR "/resources/samples/view_mutation.log", folder.filePath("a.log")));
    const auto filter = session::Filter::parse("op:add");
    QVERIFY(filter && find::search(folder.path().toStdString(), *filter, [](const find::FoundIn&) {}));
}

void readPasses() {
    const session::SessionPtr session = opened(DYNASCOPE_TEST_DATA "/passes");
    inductor::CompilePasses passes = inductor::passesOf(*session, session->compiles.front());
    QVERIFY(inductor::addStages(passes));
}

void joinAProfile() {
    const session::SessionPtr session = opened(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
    QVERIFY(profile::join(session, session::attachedAs<profile::Profile>(session->profiles.front())));
}

void examineRanks() {
    QVERIFY(ranks::examine(*opened(DYNASCOPE_TEST_DATA "/ranks/tp")));
}

void readDumps() {
    QVERIFY(capture::readFlightFolder(DYNASCOPE_TEST_DATA "/ranks/flight_tp"));
}

/// What needs no engine is derived all the same.
void deriveAlone() {
    QVERIFY(!engine::rederive(*trained(), nullptr).empty());
}

void judgeGraphs() {
    const auto report = replay::cudagraphCoverage(*trained(), replay::GraphBackend::ReduceOverhead);
    QVERIFY(!report.graphs.empty());
}

void writeAReport() {
    QVERIFY(!report::html({}, trained()).empty());
}

} // namespace

class TestLog : public QObject {
    Q_OBJECT

private slots:
    void init() {
        lines.clear();
        log::setSink([](Topic topic, const std::string& line) {
            const std::scoped_lock lock(guard);
            lines.emplace_back(topic, line);
        });
    }
    void cleanup() {
        log::setTopics(0);
        log::setSink(nullptr);
    }

    void offByDefault() {
        QCOMPARE(log::topics(), 0U);
        for (unsigned i = 0; i < log::topicCount; ++i) {
            QVERIFY(!log::on(static_cast<Topic>(i)));
            log::write(static_cast<Topic>(i), "text");
        }
        QVERIFY(lines.empty());
    }

    void chooses_data() {
        QTest::addColumn<QString>("list");
        QTest::addColumn<unsigned>("topics");
        QTest::addColumn<QString>("unknown");
        const unsigned all = (1U << log::topicCount) - 1;
        QTest::newRow("nothing") << "" << 0U << "";
        QTest::newRow("one") << "engine" << bit(Topic::Engine) << "";
        QTest::newRow("two, spaces") << " engine ,\tlayout" << (bit(Topic::Engine) | bit(Topic::Layout))
                                     << "";
        QTest::newRow("all") << "all" << all << "";
        QTest::newRow("empty parts") << ",,tasks," << bit(Topic::Tasks) << "";
        QTest::newRow("unknown, once") << "motor,store,motor,Engine" << bit(Topic::Store) << "motor Engine";
    }
    void chooses() {
        QFETCH(QString, list);
        QFETCH(unsigned, topics);
        QFETCH(QString, unknown);
        const log::Choice choice = log::choose(list.toStdString());
        QCOMPARE(choice.topics, topics);
        QStringList names;
        for (const std::string& name : choice.unknown)
            names << QString::fromStdString(name);
        QCOMPARE(names.join(' '), unknown);
    }

    void everyTopicHasItsName() {
        for (unsigned i = 0; i < log::topicCount; ++i) {
            const auto topic = static_cast<Topic>(i);
            QCOMPARE(log::choose(log::nameOf(topic)).topics, bit(topic));
        }
    }

    void contributorsAreToldOfEach() {
        QFile page(DYNASCOPE_SOURCE_DIR "/CONTRIBUTING.md");
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString all = QString::fromUtf8(page.readAll());
        const QString section = all.section("\n## Where to look\n", 1).section("\n## ", 0, 0);
        for (unsigned i = 0; i < log::topicCount; ++i) {
            const std::string name(log::nameOf(static_cast<Topic>(i)));
            QVERIFY2(section.contains(QString::fromStdString('`' + name + '`')), name.c_str());
        }
    }

    void linesAreOneAndPrintable() {
        log::setTopics(bit(Topic::Layout));
        log::write(Topic::Layout, "after ", 12, " ms: ", std::string("\x1b[31mred\nnext\xff"));
        log::write(Topic::Tasks, "not chosen");
        QCOMPARE(lines.size(), std::size_t(1));
        QCOMPARE(lines[0].first, Topic::Layout);
        QCOMPARE(QString::fromStdString(lines[0].second), QString("after 12 ms: ?[31mred next?"));
    }

    void roomsSayWhatTheyDid_data() {
        QTest::addColumn<Room>("room");
        const auto add = [](const char* name, Topic topic, const char* line, std::function<void()> work) {
            QTest::newRow(name) << Room{topic, line, std::move(work)};
        };
        add("answers", Topic::Answers, "^encoder_train: cuda_graphs: .+ after \\d+ ms$", answerAll);
        add("compare", Topic::Compare,
            "^compared after \\d+ ms: \\d+ the same, 0 differ, 0 only in A, 0 only in B$", compareWithItself);
        add("aligned", Topic::Compare, "^aligned [1-9]\\d* pairs of stages in \\d+ ms$", compareWithItself);
        add("compare, given up", Topic::Compare, "^given up after \\d+ ms: .+", giveComparingUp);
        add("computed", Topic::Computed, "^0/0: decompose is stage \\d+, made from 0$", keepStages);
        add("session file", Topic::Computed,
            "^took 0 stages and 0 rederivations from a session file in \\d+ ms, 2 left out$",
            readUnreadableStages);
        add("recording", Topic::Dynamo,
            "^read a recording of [1-9]\\d* compiles in \\d+ ms: [1-9]\\d* attempts, [1-9]\\d* steps, ",
            [] { opened(DYNASCOPE_SOURCE_DIR "/resources/samples/early_exit.dsteps"); });
        add("live", Topic::Dynamo, "^live: listening at .+/socket$", openAndTurnAway);
        add("find", Topic::Find, ": searched 1 captures in \\d+ ms, 1 of them read anew, 0 cannot be read$",
            searchAFolder);
        add("index", Topic::Find, ": no index that is of use, 0 captures, 1 files$", searchAFolder);
        add("passes", Topic::Inductor,
            "^read a recording of [1-9]\\d* compiles in \\d+ ms: [1-9]\\d* passes, [1-9]\\d* graphs, ",
            readPasses);
        add("between passes", Topic::Inductor,
            "^read [1-9]\\d* graphs between passes in \\d+ ms, [1-9]\\d* bytes$", readPasses);
        add("journal", Topic::Journal, "^recording of .+ of [1-9]\\d* bytes: [1-9]\\d* blocks", readPasses);
        add("profile", Topic::Profile,
            ": [1-9]\\d* bytes, [1-9]\\d* events read in \\d+ ms, nested in \\d+ ms$", joinAProfile);
        add("joined", Topic::Profile,
            "^joined .+ in \\d+ ms: [1-9]\\d* events in [1-9]\\d* rows; .+ \\d+ % of the time$",
            joinAProfile);
        add("ranks", Topic::Ranks, "^examined after \\d+ ms: [a-z ]+, \\d+ reasons$", examineRanks);
        add("flight recorder", Topic::Ranks,
            "^read [1-9]\\d* flight-recorder dumps in \\d+ ms: of [1-9]\\d* ranks, 0 cannot be used$",
            readDumps);
        add("rederive", Topic::Rederive,
            "^0/0: aot_forward_graph from .+: isomorphic, (\\d+) of \\1 after \\d+ ms", deriveAlone);
        add("replay", Topic::Replay, "^encoder_train: judged [1-9]\\d* graphs for CUDA graphs in \\d+ ms$",
            judgeGraphs);
        add("report", Topic::Report, "[1-9]\\d* bytes after \\d+ ms, 0 stages without a picture, ",
            writeAReport);
    }
    void roomsSayWhatTheyDid() {
        QFETCH(Room, room);
        room.work();
        QVERIFY(lines.empty()); // nobody asked
        log::setTopics(bit(room.topic));
        room.work();
        const QRegularExpression wanted(room.line);
        QStringList all;
        for (const auto& [topic, line] : lines) {
            QCOMPARE(topic, room.topic);
            all << QString::fromStdString(line);
        }
        QVERIFY2(std::ranges::any_of(all, [&](const QString& line) { return wanted.match(line).hasMatch(); }),
                 qPrintable(all.join('\n')));
    }

    void openingSaysWhatItRead() {
        log::setTopics(bit(Topic::Capture));
        const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n";
        QVERIFY(capture::openText(text, "a\x1b.txt").has_value());
        QCOMPARE(lines.size(), std::size_t(2));
        const QString read = QString::fromStdString(lines[0].second);
        QVERIFY2(read.startsWith("a?.txt: ") && read.contains(QString("%1 bytes, read as ").arg(text.size())),
                 qPrintable(read));
        const QString opened = QString::fromStdString(lines[1].second);
        QVERIFY2(opened.startsWith("opened a?.txt as ") && opened.endsWith(" 0 warnings"),
                 qPrintable(opened));

        lines.clear();
        QVERIFY(!capture::openText("no capture", "b.txt").has_value());
        QVERIFY(!lines.empty());
        QVERIFY(lines.back().second.starts_with("not opened after "));
    }
};

QTEST_GUILESS_MAIN(TestLog)
#include "tst_log.moc"
