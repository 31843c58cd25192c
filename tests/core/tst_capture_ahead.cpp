// SPDX-License-Identifier: BSD-3-Clause
//
// A trace is read in pieces side by side: whatever the pieces are, the session is the same. And what is too
// long to be read whole, or is cut short while it is read.
#include "core/capture/abridge.h"
#include "core/capture/open.h"
#include "core/capture/read_ahead.h"
#include "core/session/byte_source.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <map>
#include <simdjson.h>

using namespace dynascope;
using test::readableGraph;
using test::TraceText;

namespace {

/// Everything that reading decides, as one text.
std::string described(const session::Session& session) {
    std::string out;
    const auto add = [&out](const auto& value) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
            out += std::to_string(value);
        else
            out += value;
        out += '|';
    };
    for (const session::Record& record : session.records) {
        for (const std::string& text : {record.type, record.origin, record.compileId.toString(),
                                        record.header.text(), record.payload.text()})
            add(text);
        for (const std::size_t number : {record.line, std::size_t(record.header.offset),
                                         std::size_t(record.payload.offset), std::size_t(record.known)})
            add(number);
        for (const int number : {record.rank, record.attempt})
            add(number);
        add(record.seconds);
        out += '\n';
    }
    for (const session::Compile& compile : session.compiles) {
        add(session::compileName(session, compile));
        add(compile.function);
        add(session::statusName(compile.status));
        add(compile.guards.size());
        for (const std::size_t record : compile.records)
            add(record);
        for (const session::StagePtr& stage : compile.stages) {
            add(stage->label());
            add(session::phaseName(stage->phase));
            add(stage->line);
            add(stage->payload.text());
        }
        for (const session::TensorInput& input : compile.inputs)
            add(input.source);
        out += '\n';
    }
    for (const session::TimingEvent& event : session.timings) {
        add(event.name.str());
        add(event.startUs);
        add(event.durationUs);
        add(event.compile);
        add(event.record);
        add(event.endRecord);
    }
    for (const session::Warning& warning : session.warnings) {
        add(warning.error.toString());
        add(warning.record);
    }
    for (const auto& [type, count] : session.recordCounts) {
        add(type);
        add(count);
    }
    for (const auto& [path, file] : session.sources)
        for (const auto& [line, code] : file.lines) {
            add(path);
            add(line);
            add(code);
        }
    return out;
}

std::string readIn(const std::string& path, std::size_t chunkBytes) {
    capture::OpenOptions options;
    options.chunkBytes = chunkBytes;
    const auto session = capture::open(path, {}, options);
    return session ? described(**session) : session.error().toString();
}

std::string event(char phase, int at) {
    return std::string("{\n\"name\": \"dynamo\",\n\"ts\": ") + std::to_string(at) +
           ",\n\"args\": {\n\"compile_id\": \"0/0\"\n},\n\"ph\": \"" + phase +
           "\",\n\"cat\": \"dynamo_timed\",\n\"tid\": 0,\n\"pid\": 0\n}";
}

/// Records of many kinds, payloads of many lines, and damage of every kind.
std::string mixed() {
    TraceText text;
    text.raw("begun elsewhere\n\tand its payload\n\n");
    text.string(1, "cap.py").add("\"chromium_event\": {}", event('B', 10)).start();
    text.add("\"dynamo_output_graph\": {}", readableGraph(6));
    text.raw("Segmentation fault\n\n\tindented\nanother line\n");
    text.add("\"dynamo_guards\": {}", "[{\"code\": \"x == 1\"}]").metrics();
    text.add("\"chromium_event\": {}", event('E', 90)).add("\"chromium_event\": {}", "{not JSON");
    text.raw("V1121 01:29:50.608000 1 a.py:1] {\"broken\n\tpayload of what cannot be read\n");
    text.raw("V1121 01:29:50.608000 1 a.py:1] {\"x\": 1, \"has_payload\": "
             "\"00000000000000000000000000000000\"}\r\n\tnot its text\r\n");
    text.raw("V1121 01:29:50.608000 1 a.py:1] {\"gone\": 1, \"has_payload\": \"0\"}\n");
    text.raw("V1121 01:29:50.608000 2 b.py:7] {\"bad\xff\": 1}\n\tbad \xfe\n");
    // The ids begin again: which run a record is of is told by all records before it.
    text.start("g", 40).add("\"dynamo_output_graph\": {}", readableGraph(3)).metrics();
    text.at(1, 0).start("h", 50).metrics().raw("last line, without an end");
    return text.text();
}

} // namespace

class TestCaptureAhead : public QObject {
    Q_OBJECT

private slots:
    void piecesMakeNoDifference_data() {
        QTest::addColumn<std::size_t>("bytes");
        for (const std::size_t bytes : {1, 2, 3, 7, 31, 64, 200, 777, 4096})
            QTest::addRow("%zu bytes", bytes) << bytes;
    }
    void piecesMakeNoDifference() {
        QFETCH(std::size_t, bytes);
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("mixed.log")).toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string text = mixed();
        file.write(text.data(), qint64(text.size()));
        file.close();
        const std::string whole = readIn(path, text.size() + 1);
        QVERIFY(whole.find("lines are no records of a trace") != std::string::npos);
        QVERIFY(whole.find("0/0@2") != std::string::npos);
        QCOMPARE(readIn(path, bytes), whole);
    }

    void piecesMakeNoDifferenceToCaptures() {
        for (const char* name : {"trace_inductor/train", "trace_aot_eager/encoder_train",
                                 "trace_inductor/recompiles", "trace_aot_eager/saved_hooks"}) {
            const std::string path = test::capture(QLatin1String(name)).toStdString();
            const std::string whole = readIn(path, SIZE_MAX / 2);
            QVERIFY(whole.size() > 100'000);
            QVERIFY(readIn(path, 10'000) == whole);
            QVERIFY(readIn(path, 333'333) == whole);
        }
    }

    /// A log that is cut anywhere, as of a program that was killed.
    void cutAnywhere() {
        const std::string text = mixed();
        for (std::size_t length = 1; length < text.size(); length += 13) {
            QTemporaryDir folder;
            const std::string path = folder.filePath(QStringLiteral("cut.log")).toStdString();
            QFile file(QString::fromStdString(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text.data(), qint64(length));
            file.close();
            QVERIFY2(readIn(path, 50) == readIn(path, text.size()), qPrintable(QString::number(length)));
        }
    }

    void aheadSaysWhatEachRecordSays() {
        const std::string text = mixed();
        const auto chunks = capture::readAhead(text, true, {}, 64);
        QVERIFY(chunks && chunks->size() > 10);
        std::uint64_t end = 0;
        std::size_t lines = 0, records = 0;
        for (const capture::LogChunk& chunk : *chunks) {
            QCOMPARE(chunk.begin, end);
            QVERIFY(chunk.begin == 0 || (text[chunk.begin - 1] == '\n' && text[chunk.begin] != '\t'));
            end = chunk.end;
            lines += chunk.lines;
            for (const capture::RecordAhead& record : chunk.records) {
                if (record.isStray()) continue;
                ++records;
                QCOMPARE(text[record.jsonOffset], '{');
                QVERIFY(record.jsonOffset >= chunk.begin && record.payloadOffset() <= chunk.end);
            }
        }
        QCOMPARE(end, std::uint64_t(text.size()));
        QCOMPARE(lines, std::size_t(std::count(text.begin(), text.end(), '\n')) + 1);
        QCOMPARE(records, std::size_t(17));
    }

    void readingAheadIsCancelled() {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!capture::readAhead(mixed(), true, {stop.get_token(), {}}, 64));
    }

    void progressIsReported() {
        std::uint64_t last = 0, calls = 0;
        TaskContext task;
        task.onProgress = [&](const Progress& progress) {
            ++calls;
            last = progress.done;
        };
        const std::string text = mixed();
        QVERIFY(capture::readAhead(text, true, task, 64));
        QVERIFY(calls > 0 && last <= text.size());
    }

    void longMembersAreLeftOut() {
        const std::string longText(100'000, 'x');
        const std::string json = "{\"a\": 1, \"long\": \"" + longText + "\\\"\", \"list\": [" + longText +
                                 "], \"b\": {\"c\": \"}\\\\\"}, \"d\": null}\t";
        const auto part = capture::abridged(json);
        QVERIFY(part);
        QCOMPARE(*part,
                 std::string("{\"a\":1,\"long\":null,\"list\":null,\"b\":{\"c\": \"}\\\\\"},\"d\":null}"));
        QCOMPARE(capture::abridged("{}").value_or(""), std::string("{}"));
        for (const char* bad : {"", "[1]", "{", "{\"a\"}", "{\"a\": 1", "{\"a\": [1}", "{\"a\": 1} x",
                                "{\"a\": \"", "{\"a\": \"\\", "{\"a\":}", "{\"a\": 1,}"})
            QVERIFY2(!capture::abridged(bad), bad);
    }

    /// Type and ids of a header that is too long to be read whole are read, and it is said.
    void headerOfTwentyMegabytes() {
        std::string list = "[0";
        while (list.size() < capture::longestJson + 1000)
            list += ", {\"name\": \"buf0\", \"size\": [2, 16, 64]}";
        TraceText text;
        text.start().add("\"new_thing\": " + list + "]").metrics();
        const auto session = capture::openText(text.text(), "long.log");
        QVERIFY(session);
        QCOMPARE((*session)->records.size(), std::size_t(3));
        QCOMPARE((*session)->records[1].type, std::string("new_thing"));
        QCOMPARE((*session)->records[1].compileId.toString(), std::string("0/0"));
        QCOMPARE((*session)->compiles.front().records.size(), std::size_t(3));
        QCOMPARE((*session)->warnings.size(), std::size_t(1));
        QVERIFY((*session)->warnings.front().error.message.find("long values are not read") !=
                std::string::npos);
    }

    /// A mapped file that loses its end between the two looks at it.
    void fileThatIsCutShortMeanwhile() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("shrinks.log"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        TraceText one;
        one.string(1, "cap.py").start().add("\"dynamo_output_graph\": {}", readableGraph(40)).metrics();
        const QByteArray bytes = QByteArray::fromStdString(one.text());
        const int copies = int((40 << 20) / bytes.size());
        for (int i = 0; i < copies; ++i)
            file.write(bytes);
        file.close();
        TaskContext task;
        bool cut = false;
        task.onProgress = [&](const Progress& progress) {
            if (cut || progress.done < progress.total / 10) return;
            cut = true;
            QVERIFY(QFile::resize(path, 1 << 20));
        };
        const auto session = capture::open(path.toStdString(), task);
        QVERIFY(session && cut);
        QVERIFY(!(*session)->records.empty());
    }

    void recordsAreKeptAsTheyWerePut() {
        session::RecordList list;
        const session::ByteSourcePtr source = session::makeByteSource("0123456789");
        for (int i = 0; i < 300; ++i) {
            session::Record record;
            record.type = "type" + std::to_string(i % 3);
            record.origin = "a.py:" + std::to_string(i % 2);
            record.known = i % 5 == 0;
            record.line = std::size_t(i);
            record.rank = i % 7;
            record.attempt = i % 4 - 1;
            record.compileId = {i, 1, -1, 2};
            record.seconds = i * 0.5;
            record.header = {source, std::uint64_t(i % 9), 1, false};
            if (i % 2 == 0) record.payload = {source, 1, std::uint64_t(i % 8), true};
            list.push_back(record);
        }
        QCOMPARE(list.size(), std::size_t(300));
        QVERIFY(list.commonCount() <= 24);
        std::size_t i = 0;
        for (const session::Record& record : list) {
            const auto n = int(i);
            QCOMPARE(record.type, "type" + std::to_string(n % 3));
            QCOMPARE(list.type(i), record.type);
            QCOMPARE(record.origin, "a.py:" + std::to_string(n % 2));
            QCOMPARE(record.known, n % 5 == 0);
            QCOMPARE(list.known(i), record.known);
            QCOMPARE(record.line, i);
            QCOMPARE(record.rank, n % 7);
            QCOMPARE(record.attempt, n % 4 - 1);
            QVERIFY((record.compileId == session::CompileId{n, 1, -1, 2}));
            QCOMPARE(record.header.text(), std::string(1, char('0' + n % 9)));
            QCOMPARE(record.payload.length, n % 2 == 0 ? std::uint64_t(n % 8) : 0);
            QCOMPARE(record.payload.tabbed, n % 2 == 0);
            ++i;
        }
        QCOMPARE(i, list.size());
    }

    /// Compiles are found by how their id is spelled, and by nothing that only reads like it.
    void compilesAreFoundByTheirId() {
        session::Session session;
        const std::vector<session::CompileId> ids = {{-1, -1, -1, 1}, {0, 0, -1, 1},  {0, 0, -1, 2},
                                                     {12, 3, -1, 1},  {-1, -1, 4, 1}, {1, 0, 4, 1},
                                                     {1, 0, 4, 3}};
        for (const session::CompileId& id : ids) {
            session.compiles.emplace_back();
            session.compiles.back().id = id;
        }
        for (std::size_t i = 0; i < ids.size(); ++i)
            QCOMPARE(session.find(0, ids[i].toString()), &session.compiles[i]);
        for (const char* none :
             {"", "0", "0/", "/0", "00/0", "0/0@", "0/0@1", "0/0 ", "!4/", "!/1/0", "12/4"})
            QVERIFY2(!session.find(0, none), none);
        QVERIFY(!session.find(1, "0/0"));
    }
};

QTEST_GUILESS_MAIN(TestCaptureAhead)
#include "tst_capture_ahead.moc"
