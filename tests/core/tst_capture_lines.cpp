// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the trace reader that need no whole log: prefixes, lines, hashes, bytes.
#include "core/base/digest.h"
#include "core/capture/timing.h"
#include "core/capture/trace_lines.h"
#include "core/session/utf8.h"

#include <QCryptographicHash>
#include <QRandomGenerator>
#include <QtTest>

using namespace dynascope;
using capture::TraceItem;

class TestCaptureLines : public QObject {
    Q_OBJECT

private slots:
    void prefix_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<int>("rank");
        QTest::newRow("plain") << QByteArray("V1121 01:29:50.608000 10733 torch/_dynamo/utils.py:2350] {}")
                               << true << -1;
        QTest::newRow("rank") << QByteArray("[rank3]:V1121 01:29:50.608000 10733 a.py:1] {}") << true << 3;
        QTest::newRow("rank, blank") << QByteArray("[rank12]: I1121 01:29:50.608000 10733 a.py:1] {}") << true
                                     << 12;
        QTest::newRow("no line number") << QByteArray("V1121 01:29:50.608000 10733 a.py] {}") << false << -1;
        QTest::newRow("no process") << QByteArray("V1121 01:29:50.608000 a.py:1] {}") << false << -1;
        QTest::newRow("short time") << QByteArray("V1121 01:29:50.608 10733 a.py:1] {}") << false << -1;
        QTest::newRow("level") << QByteArray("X1121 01:29:50.608000 10733 a.py:1] {}") << false << -1;
        QTest::newRow("no end") << QByteArray("V1121 01:29:50.608000 10733 a.py:1") << false << -1;
        QTest::newRow("open rank") << QByteArray("[rank3:V1121 01:29:50.608000 10733 a.py:1] {}") << false
                                   << -1;
        QTest::newRow("huge rank") << QByteArray("[rank99999999999]:V1121 01:29:50.608000 1 a.py:1] {}")
                                   << false << -1;
        QTest::newRow("empty") << QByteArray() << false << -1;
    }
    void prefix() {
        QFETCH(QByteArray, line);
        QFETCH(bool, valid);
        QFETCH(int, rank);
        const auto found = capture::parseLogPrefix({line.constData(), static_cast<std::size_t>(line.size())});
        QCOMPARE(found.has_value(), valid);
        if (!valid) return;
        QCOMPARE(found->rank, rank);
        QCOMPARE(found->seconds, 5390.608);
        QCOMPARE(line.mid(static_cast<int>(found->length)), QByteArray("{}"));
    }

    void items() {
        const std::string text = "\tlost payload\n"
                                 "V1121 01:29:50.608000 1 a.py:1] {\"a\": 1}\n"
                                 "\tone\n"
                                 "\t\n"
                                 "\tthree\n"
                                 "noise\n"
                                 "more noise\n"
                                 "V1121 01:29:50.608000 1 b.py:2] {\"b\": 2}";
        capture::TraceLines lines(text);
        auto item = lines.next();
        QVERIFY(item && item->kind == TraceItem::Kind::Stray);
        QCOMPARE(item->line, std::size_t(1));
        item = lines.next();
        QVERIFY(item && item->kind == TraceItem::Kind::Record);
        QCOMPARE(item->line, std::size_t(2));
        QCOMPARE(text.substr(item->jsonOffset, item->jsonLength), std::string("{\"a\": 1}"));
        QCOMPARE(text.substr(item->payloadOffset, item->payloadLength), std::string("\tone\n\t\n\tthree"));
        item = lines.next();
        QVERIFY(item && item->kind == TraceItem::Kind::Stray);
        QCOMPARE(item->line, std::size_t(6));
        QCOMPARE(item->lines, std::size_t(2));
        item = lines.next();
        QVERIFY(item && item->kind == TraceItem::Kind::Record && item->last && !item->hasPayload);
        QCOMPARE(item->line, std::size_t(8));
        QVERIFY(!lines.next());
    }

    void md5AgreesWithQt() {
        QRandomGenerator random(7);
        for (int size = 0; size < 300; ++size) {
            QByteArray bytes(size, Qt::Uninitialized);
            for (char& c : bytes)
                c = static_cast<char>(random.bounded(256));
            const std::string_view text(bytes.constData(), static_cast<std::size_t>(size));
            Md5 whole, pieces;
            whole.add(text);
            const std::size_t cut = size == 0 ? 0 : static_cast<std::size_t>(random.bounded(size));
            pieces.add(text.substr(0, cut));
            pieces.add(text.substr(cut));
            const QByteArray expected = QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex();
            QCOMPARE(QByteArray::fromStdString(toHex(whole.finish())), expected);
            QCOMPARE(QByteArray::fromStdString(toHex(pieces.finish())), expected);
        }
    }

    void utf8_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("expected");
        const QString bad(QChar(0xFFFD));
        QTest::newRow("ascii") << QByteArray("abc") << QStringLiteral("abc");
        QTest::newRow("valid") << QByteArray("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80")
                               << QString::fromUtf8("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
        QTest::newRow("lone tail") << QByteArray("a\x80z") << 'a' + bad + 'z';
        QTest::newRow("cut sequence") << QByteArray("a\xE2\x82z") << 'a' + bad + 'z';
        QTest::newRow("cut at end") << QByteArray("a\xF0\x9F\x98") << 'a' + bad;
        QTest::newRow("overlong") << QByteArray("\xC0\xAF") << bad + bad;
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << bad + bad + bad;
        QTest::newRow("too big") << QByteArray("\xF5\x80\x80\x80") << bad + bad + bad + bad;
    }
    void utf8() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, expected);
        const std::string text = bytes.toStdString();
        QCOMPARE(QString::fromStdString(session::toValidUtf8(text)), expected);
        QCOMPARE(session::isUtf8(text), !expected.contains(QChar(0xFFFD)));
    }

    void compileIds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("plain") << "1/0"
                               << "1/0";
        QTest::newRow("restart") << "1/0_2"
                                 << "1/0";
        QTest::newRow("autograd") << "!0/1/0"
                                  << "!0/1/0";
        QTest::newRow("autograd alone") << "!3"
                                        << "!3";
        for (const char* bad : {"", "1", "1/", "/0", "-1/0", "1/0/2", "a/b", "!", "!/1", "99999999999/0"})
            QTest::newRow(qPrintable(QStringLiteral("bad '%1'").arg(QLatin1String(bad)))) << bad << "-";
    }
    void compileIds() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(capture::parseCompileId(text.toStdString()).toString()), expected);
    }
};

QTEST_GUILESS_MAIN(TestCaptureLines)
#include "tst_capture_lines.moc"
