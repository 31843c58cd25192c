// SPDX-License-Identifier: BSD-3-Clause
//
// The lines of live mode. What a program does with them: tests/capture/test_live.py.
#include "core/dynamo/live.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;

class TestDynamoLive : public QObject {
    Q_OBJECT

private slots:
    void events() {
        const auto hello = readLiveEvent(
            R"({"event": "hello", "protocol": 1, "pid": 77, "rank": 3, "arguments": ["python", "a.py"], "recording": "/r"})");
        QVERIFY(hello);
        QVERIFY(hello->kind == LiveEvent::Kind::Hello);
        QCOMPARE(hello->protocol, liveProtocol);
        QCOMPARE(hello->pid, 77);
        QCOMPARE(hello->rank, 3);
        QCOMPARE(hello->arguments.size(), std::size_t(2));
        QCOMPARE(hello->recording, std::string("/r"));

        const auto stop = readLiveEvent(
            R"({"event":"stopped","reason":"graph break","breakpoint":2,"recording":"/r","step":41,"compile":"0/0",
                "attempt":1,"file":"/a.py","function":"f","op":"CALL","depth":1,"nodes":4,"guards":9,"line":12,"text":"why"})");
        QVERIFY(stop);
        QVERIFY(stop->stop == LiveStop::GraphBreak);
        QCOMPARE(stop->breakpoint, 2);
        QCOMPARE(stop->step, 41U);
        QCOMPARE(stop->attempt, 1);
        QCOMPARE(stop->line, 12U);
        QCOMPARE(stop->text, std::string("why"));
        QCOMPARE(stop->rank, -1);

        QCOMPARE(readLiveEvent(R"({"event":"breakpoint","id":5})")->breakpoint, 5);
        // What a later protocol may say.
        QVERIFY(readLiveEvent(R"({"event":"weather"})")->kind == LiveEvent::Kind::Other);
        // Numbers out of range, and what is no object.
        QCOMPARE(readLiveEvent(R"({"event":"stopped","step":-7,"line":-3,"attempt":1e99})")->step, noStep);
        for (const char* text : {"", "[]", "7", "{", "null"})
            QVERIFY(!readLiveEvent(text));
    }

    void breakpoints_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("line");
        QTest::newRow("place") << "model.py:12"
                               << R"({"command":"break","file":"model.py","line":12})";
        QTest::newRow("line") << " 7 "
                              << R"({"command":"break","line":7})";
        QTest::newRow("both") << "/a b/m.py:3 if nodes > 3"
                              << R"({"command":"break","condition":"nodes > 3","file":"/a b/m.py","line":3})";
        QTest::newRow("condition") << "guard on L['x']"
                                   << R"({"command":"break","condition":"guard on L['x']"})";
        QTest::newRow("event") << "graph break"
                               << R"({"command":"break","on":"graph break"})";
    }

    void breakpoints() {
        QFETCH(QString, text);
        QFETCH(QString, line);
        const auto read = readLiveBreakpoint(text.toStdString());
        QVERIFY(read);
        QCOMPARE(liveBreak(*read), line.toStdString() + '\n');
        QCOMPARE(describe(*read), text.trimmed().toStdString());
    }

    void notBreakpoints() {
        for (const char* text :
             {"", "model.py", "model.py:0", "model.py:12 if", "model.py:12 if nodes >", "nodes >"})
            QVERIFY2(!readLiveBreakpoint(text), text);
    }

    void commands() {
        QCOMPARE(liveCommand(LiveCommand::Continue), std::string("{\"command\":\"continue\"}\n"));
        QCOMPARE(liveCommand(LiveCommand::BreakGraph), std::string("{\"command\":\"graph_break\"}\n"));
        QCOMPARE(liveCommand(LiveCommand::Detach), std::string("{\"command\":\"detach\"}\n"));
        QCOMPARE(liveDelete(4), std::string("{\"command\":\"delete\",\"id\":4}\n"));
    }

    void lines() {
        LiveLines lines;
        QVERIFY(lines.add("one\ntw"));
        QCOMPARE(*lines.take(), std::string("one"));
        QVERIFY(!lines.take());
        QVERIFY(lines.add("o\n\nthree\n"));
        QCOMPARE(*lines.take(), std::string("two"));
        QCOMPARE(*lines.take(), std::string());
        QCOMPARE(*lines.take(), std::string("three"));
        QVERIFY(!lines.take());
        QVERIFY(!lines.add(std::string(LiveLines::longest + 1, 'x')));
    }
};

QTEST_GUILESS_MAIN(TestDynamoLive)
#include "tst_dynamo_live.moc"
