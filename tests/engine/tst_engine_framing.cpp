// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/framing.h"

#include <QTest>

using namespace dynascope::engine;

class TestFraming : public QObject {
    Q_OBJECT
private slots:
    void bytesOneAtATime() {
        const std::string stream = frame("{\"a\":1}") + frame("") + frame("xyz");
        FrameReader reader;
        std::vector<std::string> bodies;
        for (const char c : stream) {
            reader.append({&c, 1});
            for (;;) {
                const auto next = reader.next();
                QVERIFY(next.has_value());
                if (!*next) break;
                bodies.push_back(**next);
            }
        }
        QCOMPARE(bodies, (std::vector<std::string>{"{\"a\":1}", "", "xyz"}));
    }

    void manyAtOnce() {
        std::string stream;
        for (int i = 0; i < 1000; ++i)
            stream += frame(std::to_string(i));
        FrameReader reader;
        reader.append(stream);
        for (int i = 0; i < 1000; ++i)
            QCOMPARE(reader.next()->value(), std::to_string(i));
        QVERIFY(!reader.next()->has_value());
    }

    void headersInAnyCaseAndUnknownOnes() {
        FrameReader reader;
        reader.append("content-length:   2\r\nContent-Type: application/json\r\n\r\n{}");
        QCOMPARE(reader.next()->value(), std::string("{}"));
    }

    void piecesOfBulkData() {
        FrameReader reader;
        const std::string stream =
            frame("{}") + streamFrame(7, std::string("\0\r\n\r\n", 5)) + streamFrame(-1, "") + frame("[]");
        std::vector<Frame> got;
        for (const char c : stream) {
            reader.append({&c, 1});
            while (auto next = *reader.nextFrame())
                got.push_back(*next);
        }
        QCOMPARE(got.size(), 4U);
        QVERIFY(!got[0].stream && !got[3].stream);
        QCOMPARE(got[1].stream.value_or(0), 7);
        QCOMPARE(got[1].body, std::string("\0\r\n\r\n", 5));
        QCOMPARE(got[2].stream.value_or(0), -1);
    }

    void bulkDataWhereMessagesAreExpected() {
        FrameReader reader;
        reader.append(streamFrame(1, "x"));
        QVERIFY(!reader.next().has_value());
    }

    void garbage_data() {
        QTest::addColumn<QString>("bytes");
        QTest::newRow("text") << "hello\r\n\r\n";
        QTest::newRow("no length") << "Content-Type: x\r\n\r\n";
        QTest::newRow("negative") << "Content-Length: -1\r\n\r\n";
        QTest::newRow("overflow") << "Content-Length: 99999999999999999999999\r\n\r\n";
        QTest::newRow("too large") << "Content-Length: 268435457\r\n\r\n";
        QTest::newRow("large piece") << "Stream: 1\r\nContent-Length: 1048577\r\n\r\n";
        QTest::newRow("no stream") << "Stream: x\r\nContent-Length: 1\r\n\r\n";
        QTest::newRow("trailing") << "Content-Length: 3x\r\n\r\n";
        QTest::newRow("endless header") << QString(5000, 'a');
    }
    void garbage() {
        QFETCH(QString, bytes);
        FrameReader reader;
        reader.append(bytes.toStdString());
        QVERIFY(!reader.next().has_value());
    }
};

QTEST_APPLESS_MAIN(TestFraming)
#include "tst_engine_framing.moc"
