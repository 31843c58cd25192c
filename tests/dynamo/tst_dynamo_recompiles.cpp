// SPDX-License-Identifier: BSD-3-Clause
//
// Reasons of recompiles, as PyTorch writes them, and the caches of real traces.
#include "core/capture/open.h"
#include "core/dynamo/recompiles.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;
using Kind = FailedGuard::Kind;

Q_DECLARE_METATYPE(FailedGuard::Kind)

class TestDynamoRecompiles : public QObject {
    Q_OBJECT

private slots:
    void reasons_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("subject");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("actual");
        const auto row = [](const char* reason, Kind kind, const char* subject, const char* expected,
                            const char* actual) {
            QTest::newRow(reason) << QString(reason) << kind << QString(subject) << QString(expected)
                                  << QString(actual);
        };
        row("0/0: tensor 'x' size mismatch at index 0. expected 8, actual 4", Kind::Size, "x", "8", "4");
        row("0/0: tensor 'x' stride mismatch at index 1. expected 3, actual 1", Kind::Stride, "x", "3", "1");
        row("1/0: tensor 'x' rank mismatch. expected 2, actual 3", Kind::Rank, "x", "2", "3");
        row("1/0: tensor 'x' dtype mismatch. expected Float, actual Double", Kind::Dtype, "x", "Float",
            "Double");
        row("1/0: tensor 'x' requires_grad mismatch. expected requires_grad=0", Kind::RequiresGrad, "x",
            "requires_grad=0", "");
        row("0/0: n == 0", Kind::Value, "n", "0", "");
        row("0/0: len(xs) == 3", Kind::Length, "xs", "3", "");
        row("0/1: ___check_type_id(n, 139663132414464), type=<class 'float'>", Kind::Type, "n", "float", "");
        row("0/1: ___check_obj_id(self.act, 1234)", Kind::Object, "self.act", "", "");
        row("0/0: a is b", Kind::Alias, "a", "", "");
        row("0/0: mask is None", Kind::Value, "mask", "None", "");
        row("0/0: GLOBAL_STATE changed: grad_mode", Kind::Mode, "", "", "");
        row("0/0: BACKEND_MATCH failure: torch.compile detected different backend callables.", Kind::Backend,
            "", "", "");
        row("", Kind::Other, "", "", "");
        row("tensor '", Kind::Other, "", "", "");
        row(" == ", Kind::Other, "", "", "");
    }
    void reasons() {
        QFETCH(QString, reason);
        QFETCH(Kind, kind);
        QFETCH(QString, subject);
        QFETCH(QString, expected);
        QFETCH(QString, actual);
        const FailedGuard guard = readFailedGuard(reason.toStdString());
        QCOMPARE(guard.kind, kind);
        QCOMPARE(QString::fromStdString(guard.subject), subject);
        QCOMPARE(QString::fromStdString(guard.expected), expected);
        QCOMPARE(QString::fromStdString(guard.actual), actual);
        QCOMPARE(guard.advice.empty(), kind == Kind::Other);
    }

    void places() {
        const FailedGuard guard =
            readFailedGuard("0/1: n == 0         # def f(x,n): return (x*n).sum()  # scripts/cap.py:58 in f "
                            "(HINT: type float)\n"
                            "User stack trace:\n  File \"/home/user/cap.py\", line 58, in f\n");
        QCOMPARE(guard.entry, std::string("0/1"));
        QCOMPARE(guard.check, std::string("n == 0"));
        QCOMPARE(guard.addedAt.file, std::string("scripts/cap.py"));
        QCOMPARE(guard.addedAt.line, 58U);
        QCOMPARE(guard.addedAt.function, std::string("f"));
        QCOMPARE(guard.addedAt.code, std::string("def f(x,n): return (x*n).sum()"));
        QCOMPARE(guard.expected, std::string("0"));
        QCOMPARE(readFailedGuard("0/0: tensor 'x' size mismatch at index 2. expected 8, actual 4").dimension,
                 2);
    }

    /// Dimensions, dtypes and numbers that change from call to call; the trace's last entry was asked after
    /// two.
    void aRealTrace() {
        const auto session = capture::open(test::capture("trace_inductor/recompiles").toStdString());
        QVERIFY(session);
        const std::vector<FrameCache> caches = explainRecompiles(**session);
        QCOMPARE(caches.size(), std::size_t(1));
        QCOMPARE(caches[0].entries, std::size_t(3));
        QCOMPARE(caches[0].recompiles.size(), std::size_t(2));
        const FailedGuard& number = caches[0].recompiles[0].failed.at(0);
        QCOMPARE(number.entry, std::string("0/0"));
        QCOMPARE(number.subject, std::string("n"));
        QCOMPARE(number.expected, std::string("0"));
        QCOMPARE(number.actual, std::string("1.0"));
        const std::vector<FailedGuard>& second = caches[0].recompiles[1].failed;
        QCOMPARE(second.size(), std::size_t(2));
        QCOMPARE(second[0].entry, std::string("0/1"));
        QCOMPARE(second[0].kind, Kind::Type);
        QCOMPARE(second[0].expected, std::string("float"));
        QCOMPARE(second[1].entry, std::string("0/0"));
        QCOMPARE(second[1].actual, std::string("2"));
    }

    /// The guard on the constant that was compiled in instead has the value of the call.
    void valuesFromWhatWasCompiledInstead() {
        session::Compile compile;
        compile.recompileReasons = {"0/0: n == 2   # return x * n  # p.py:7 in f",
                                    "0/1: L['mode'] == 'cos'  # if mode  # p.py:6 in f"};
        session::Guard number, word;
        number.code = "L['n'] == 3";
        word.code = "L['mode'] == 'sin'";
        compile.guards = {word, number};
        const std::vector<FailedGuard> failed = failedGuards(compile);
        QCOMPARE(failed[0].expected, std::string("2"));
        QCOMPARE(failed[0].actual, std::string("3"));
        QCOMPARE(failed[1].actual, std::string("'sin'"));
    }

    void everyTraceIsRead() {
        for (const QString& log : test::traceLogs()) {
            const auto session = capture::open(log.toStdString());
            QVERIFY(session);
            for (const FrameCache& cache : explainRecompiles(**session))
                for (const Recompile& recompile : cache.recompiles)
                    for (const FailedGuard& guard : recompile.failed)
                        QVERIFY2(guard.kind != Kind::Other && !guard.entry.empty(), guard.check.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestDynamoRecompiles)
#include "tst_dynamo_recompiles.moc"
