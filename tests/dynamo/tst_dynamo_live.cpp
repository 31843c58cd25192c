// SPDX-License-Identifier: BSD-3-Clause
//
// The lines of live mode. What a program does with them: tests/capture/test_live.py.
#include "core/dynamo/live_socket.h"

#include <QFileInfo>
#include <QtTest>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace dynascope;
using namespace dynascope::dynamo;

namespace {

/// The program's end of a connection.
class Program {
public:
    explicit Program(const std::string& path)
        : m_socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
        if (::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            qFatal("no connection to %s", path.c_str());
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { end(); }
    void end() {
        if (m_socket >= 0) ::close(std::exchange(m_socket, -1));
    }
    void say(std::string_view text) const {
        if (::send(m_socket, text.data(), text.size(), MSG_NOSIGNAL) != ssize_t(text.size()))
            qFatal("not sent");
    }
    [[nodiscard]] std::string hear() const {
        char bytes[256];
        const ssize_t count = ::recv(m_socket, bytes, sizeof bytes, 0);
        return std::string(bytes, std::size_t(std::max<ssize_t>(count, 0)));
    }

private:
    int m_socket;
};

} // namespace

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

    void connections() {
        QString folder;
        {
            const Result<LiveListener> listener = LiveListener::open();
            QVERIFY(listener);
            const QFileInfo socket(QString::fromStdString(listener->path()));
            folder = socket.path();
            QCOMPARE(QFileInfo(folder).permissions() &
                         (QFile::ReadGroup | QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther),
                     QFile::Permissions());
            QVERIFY(!listener->accept(0)); // nobody there yet, and nothing waits
            Program program(listener->path());
            std::optional<LiveConnection> connection = listener->accept(0);
            QVERIFY(connection);
            QVERIFY(connection->hear().events.empty());
            program.say("{\"event\":\"hello\",\"protocol\":1,\"pid\":7}\n{\"event\":\"runn");
            LiveConnection::Heard heard = connection->hear();
            QCOMPARE(heard.events.size(), std::size_t(1));
            QCOMPARE(heard.events[0].pid, 7);
            program.say("ing\"}\n");
            heard = connection->hear();
            QCOMPARE(heard.events.size(), std::size_t(1));
            QVERIFY(heard.events[0].kind == LiveEvent::Kind::Running && heard.isOpen);
            QVERIFY(connection->send(liveCommand(LiveCommand::Pause)));
            QCOMPARE(program.hear(), std::string("{\"command\":\"pause\"}\n"));
            program.end();
            heard = connection->hear();
            QVERIFY(!heard.isOpen && heard.why.empty());
            // One too many is sent away at once.
            const Program late(listener->path());
            QVERIFY(!listener->accept(256));
            QCOMPARE(late.hear(), std::string());
        }
        QVERIFY(!QFileInfo::exists(folder));
    }

    void strangers_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("why");
        QTest::newRow("protocol") << QByteArray("{\"event\":\"hello\",\"protocol\":2}\n")
                                  << "it speaks protocol 2 of live mode, not 1";
        QTest::newRow("no protocol") << QByteArray("{\"event\":\"hello\"}\n")
                                     << "it speaks protocol 0 of live mode, not 1";
        QTest::newRow("nonsense") << QByteArray("GET / HTTP/1.1\n") << "it sends what is no event: ";
    }
    void strangers() {
        QFETCH(QByteArray, text);
        QFETCH(QString, why);
        const Result<LiveListener> listener = LiveListener::open();
        QVERIFY(listener);
        const Program program(listener->path());
        std::optional<LiveConnection> connection = listener->accept(0);
        QVERIFY(connection);
        program.say({text.constData(), std::size_t(text.size())});
        const LiveConnection::Heard heard = connection->hear();
        QVERIFY(heard.events.empty() && !heard.isOpen);
        QVERIFY2(QString::fromStdString(heard.why).startsWith(why), heard.why.c_str());
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
