// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged and foreign input: one warning for each damage, everything else still opens, and nothing crashes.
#include "core/capture/open.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using test::readableGraph;
using test::TraceText;

namespace {

TraceText good() {
    TraceText text;
    text.string(1, "cap.py").start().add("\"dynamo_output_graph\": {}", readableGraph(2)).metrics();
    return text;
}

QString replaced(QString text, const QString& from, const QString& to) {
    return text.replace(text.indexOf(from), from.size(), to);
}

std::string readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace

class TestCaptureDamage : public QObject {
    Q_OBJECT

private slots:
    void tampered_data() {
        const QString text = QString::fromStdString(good().text());
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("cause");
        QTest::newRow("wrong hash") << replaced(text, "aten.add.Tensor", "aten.sub.Tensor").toUtf8() << 3
                                    << "hash";
        QTest::newRow("bad header") << replaced(text, "{\"dynamo_start\"", "{\"dynamo_start").toUtf8() << 2
                                    << "not JSON";
        QTest::newRow("not an object")
            << (text + "V1121 01:29:50.608000 1 a.py:1] {]\n").toUtf8() << 11 << "JSON";
        QTest::newRow("stray line") << (text + "Segmentation fault\n").toUtf8() << 11 << "no record";
        QTest::newRow("stray head") << ("\tend of a payload\n" + text).toUtf8() << 1 << "no record";
        QTest::newRow("bad UTF-8 payload")
            << replaced(text, "class GraphModule", "class Graph\u0001odule").toUtf8().replace('\x01', '\xff')
            << 3 << "not UTF-8";
        QTest::newRow("bad UTF-8 header")
            << replaced(text, "\"cap.py\"", "\"c\u0001p.py\"").toUtf8().replace('\x01', '\xff') << 1
            << "not UTF-8";
    }
    void tampered() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        QFETCH(QString, cause);
        const auto opened = capture::openText(text.toStdString(), "bad.log");
        QVERIFY(opened);
        const session::Session& session = **opened;
        QCOMPARE(session.warnings.size(), std::size_t(1));
        const Error& error = session.warnings.front().error;
        QVERIFY2(error.message.find(cause.toStdString()) != std::string::npos, error.message.c_str());
        QCOMPARE(error.line, static_cast<std::size_t>(line));
        QCOMPARE(error.file, std::string("bad.log"));
        // The rest is there.
        const session::Compile* compile = session.find(0, "0/0");
        QVERIFY(compile);
        QCOMPARE(compile->stages.size(), std::size_t(1));
        QCOMPARE(compile->stages.front()->nodeCount(), std::size_t(4));
        QCOMPARE(compile->status, session::Status::Compiled);
    }

    void missingPayload() {
        std::string text = good().text();
        const std::size_t payload = text.find("\n\tclass") + 1;
        text.erase(payload, text.find("\nV1121", payload) + 1 - payload);
        const auto opened = capture::openText(text, "bad.log");
        QVERIFY(opened);
        QCOMPARE((*opened)->warnings.size(), std::size_t(1));
        QCOMPARE((*opened)->warnings.front().error.message, std::string("payload is missing"));
    }

    void hashesCanBeLeftAlone() {
        const QString text =
            replaced(QString::fromStdString(good().text()), "aten.add.Tensor", "aten.sub.Tensor");
        QTemporaryDir folder;
        QFile file(folder.filePath("a.log"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
        file.close();
        capture::OpenOptions options;
        options.checkHashes = false;
        const auto opened = capture::open(file.fileName().toStdString(), {}, options);
        QVERIFY(opened);
        QVERIFY((*opened)->warnings.empty());
    }

    void carriageReturns() {
        QByteArray text = QByteArray::fromStdString(good().text());
        text.replace("\n", "\r\n");
        const auto opened = capture::openText(text.toStdString(), "windows.log");
        QVERIFY(opened);
        QVERIFY((*opened)->warnings.empty());
        const session::StagePtr stage = (*opened)->compiles.front().stages.front();
        QCOMPARE(stage->nodeCount(), std::size_t(4));
        QCOMPARE(stage->payload.text(), readableGraph(2));
    }

    void noRecordIsAnError_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("cause");
        QTest::newRow("empty") << QByteArray() << "empty";
        QTest::newRow("blank") << QByteArray(" \n\t\n") << "empty";
        QTest::newRow("prose") << QByteArray("Dear reader,\nthis is no graph.\n")
                               << "neither a TORCH_TRACE log nor graph text";
        QTest::newRow("zip cut short") << QByteArray("PK\x03\x04\x00\x00\x08\x00graph():", 16)
                                       << "zip archive that ends before its index";
        QTest::newRow("binary") << QByteArray("GK\x03\x04\x00\x00\x08\x00graph():", 16)
                                << "neither a TORCH_TRACE log nor graph text";
        QTest::newRow("json") << QByteArray("{\"a\": 1}") << "neither a TORCH_TRACE log nor graph text";
    }
    void noRecordIsAnError() {
        QFETCH(QByteArray, text);
        QFETCH(QString, cause);
        const auto opened = capture::openText(text.toStdString(), "x");
        QVERIFY(!opened);
        QVERIFY2(opened.error().message.find(cause.toStdString()) != std::string::npos,
                 opened.error().message.c_str());
    }

    void filesThatCannotBeRead() {
        QTemporaryDir folder;
        const auto missing = capture::open(folder.filePath("none.log").toStdString());
        QVERIFY(!missing);
        QCOMPARE(missing.error().file, folder.filePath("none.log").toStdString());
        QVERIFY(missing.error().message.find("No such file") != std::string::npos);
        QVERIFY(!capture::open(folder.path().toStdString()));
        QFile empty(folder.filePath("empty.log"));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        const auto opened = capture::open(empty.fileName().toStdString());
        QVERIFY(!opened);
        QCOMPARE(opened.error().message, std::string("file is empty"));
    }

    void truncatedAnywhere() {
        const std::string whole = readFile(test::capture("trace_aot_eager/view_mutation"));
        QVERIFY(whole.size() > 10000);
        std::size_t complete = 0;
        for (std::size_t size = whole.size(); size > 200; size -= std::min<std::size_t>(size, 97)) {
            const auto opened = capture::openText(whole.substr(0, size), "cut.log");
            QVERIFY2(opened, qPrintable(QString::number(size)));
            QVERIFY((*opened)->warnings.size() <= 1);
            complete += (*opened)->warnings.empty() ? 1 : 0;
            for (const session::Warning& warning : (*opened)->warnings)
                QVERIFY(warning.error.line > 0);
        }
        // Most cuts fall inside a record and are told.
        QVERIFY(complete < whole.size() / 97 / 4);
    }

    void scrambled() {
        const std::string whole = readFile(test::capture("trace_aot_eager/saved_hooks"));
        QRandomGenerator random(11);
        for (int round = 0; round < 60; ++round) {
            std::string text = whole;
            for (int i = 0; i < 40; ++i)
                text[static_cast<std::size_t>(random.bounded(static_cast<int>(text.size())))] =
                    static_cast<char>(random.bounded(256));
            const auto opened = capture::openText(std::move(text), "scrambled.log");
            QVERIFY(opened);
            for (const session::Compile& compile : (*opened)->compiles)
                for (const session::StagePtr& stage : compile.stages)
                    QVERIFY(stage->nodeCount() < 1000);
        }
    }

    void hostileNumbers() {
        TraceText text;
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"dynamo_start\": {\"stack\": [{\"line\": -5, "
                 "\"filename\": 99}]}, \"frame_id\": "
                 "99999999999999, \"frame_compile_id\": -7, \"attempt\": 123456789012}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"describe_tensor\": {\"id\": 1e300, \"size\": [{}, null, "
                 "-1]}, \"frame_id\": 0, "
                 "\"frame_compile_id\": 2147483648}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"artifact\": [1, 2], \"rank\": -3}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {\"str\": {\"a\": 1}}\n");
        text.raw("V1121 01:29:50.608000 1 a.py:1] {}\n");
        text.raw(
            "V1121 01:29:50.608000 1 a.py:1] {\"chromium_event\": {}}\n\t{\"ph\": \"B\", \"ts\": 1e308}\n");
        const auto opened = capture::openText(text.text(), "hostile.log");
        QVERIFY(opened);
        QCOMPARE((*opened)->records.size(), std::size_t(6));
    }

    void warningsAreBounded() {
        std::string text = good().text();
        for (int i = 0; i < 3000; ++i)
            text += "V1121 01:29:50.608000 1 a.py:1] {bad}\n";
        const auto opened = capture::openText(text, "many.log");
        QVERIFY(opened);
        QCOMPARE((*opened)->warnings.size(), std::size_t(1001));
        QVERIFY((*opened)->warnings.back().error.message.starts_with("2000 more"));
    }

    void cancelling() {
        std::string text = good().text();
        for (int i = 0; i < 2000; ++i)
            text += "V1121 01:29:50.608000 1 a.py:1] {\"stack\": []}\n";
        std::stop_source source;
        TaskContext task;
        task.stop = source.get_token();
        std::uint64_t last = 0;
        task.onProgress = [&](const Progress& progress) {
            QVERIFY(progress.done >= last && progress.done <= progress.total);
            last = progress.done;
            if (progress.done > progress.total / 2) source.request_stop();
        };
        const auto opened = capture::openText(text, "long.log", task);
        QVERIFY(!opened);
        QVERIFY(opened.error().isCancelled());
        QVERIFY(last > 0);
    }
};

QTEST_GUILESS_MAIN(TestCaptureDamage)
#include "tst_capture_damage.moc"
