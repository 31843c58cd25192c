// SPDX-License-Identifier: BSD-3-Clause
//
// What guards between symbols say of their ranges, beside what PyTorch's ShapeEnv makes of the same guards.
#include "core/capture/open.h"
#include "core/session/symbol_hints.h"
#include "core/session/symbol_ranges.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using namespace dynascope;
using session::SymbolRanges;

class TestSymbolRanges : public QObject {
    Q_OBJECT

private slots:
    /// Cases of tests/passes/generate/symbol_ranges.py.
    void asShapeEnv() {
        QFile file(QStringLiteral(DYNASCOPE_SOURCE_DIR "/tests/data/symbol_ranges.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray cases = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(cases.size() >= 150);
        int bounds = 0;
        for (const QJsonValue& value : cases) {
            const QJsonObject one = value.toObject();
            SymbolRanges ranges;
            const QJsonObject symbols = one["symbols"].toObject();
            for (auto symbol = symbols.begin(); symbol != symbols.end(); ++symbol)
                ranges.create(symbol.key().toStdString(), symbol.value().toString().toStdString());
            QStringList guards;
            for (const QJsonValue& step : one["guards"].toArray()) {
                guards << step["guard"].toString();
                const std::vector<std::string> bounded = ranges.add(guards.back().toStdString());
                bounds += int(bounded.size());
                const QJsonObject known = step["ranges"].toObject();
                for (auto symbol = known.begin(); symbol != known.end(); ++symbol) {
                    SymbolRanges truth;
                    truth.create("s", symbol.value().toString().toStdString());
                    const SymbolRanges::Range is = ranges.of(symbol.key().toStdString());
                    const QString words = QStringLiteral("%1 after %2: [%3, %4], PyTorch %5")
                                              .arg(symbol.key(), guards.join(u", "))
                                              .arg(is.lower)
                                              .arg(is.upper)
                                              .arg(symbol.value().toString());
                    QVERIFY2(is == truth.of("s"), qPrintable(words));
                }
            }
        }
        QVERIFY2(bounds > 50, qPrintable(QString::number(bounds)));
    }

    void whatCannotBeReadSaysNothing() {
        SymbolRanges ranges;
        ranges.create("s0", "[2, int_oo]");
        ranges.create("s1", "[2, 64]");
        std::string deep(300, '('), product = "s0";
        for (int i = 0; i < 100; ++i)
            product += "*s0";
        for (const std::string& guard :
             {std::string(), std::string("s0"), std::string("s0 <"), std::string("s0 < s1 +"),
              std::string("s0 <= s1)"), std::string("0*s0 <= 4"), std::string("*s0 < 4"),
              std::string("s0 < 99999999999999999999"), std::string("s0 < 4.5"), std::string("s0**9 < s1"),
              std::string("Eq(s0, s1"), std::string("s0 // 0 < 4"), std::string("Mod(s0, 4) < 2"),
              std::string("Ne(s0, s1)"), std::string("s9 < s1"), deep + "s0 < s1", product + " < s1",
              std::string(600, ' ') + "s0 < s1"}) {
            QVERIFY2(ranges.add(guard).empty(), guard.c_str());
            QCOMPARE(ranges.of("s0").lower, 2.0);
        }
        QVERIFY(ranges.add("s0 < s1") == std::vector<std::string>{"s0"});
        QCOMPARE(ranges.of("s0").upper, 63.0);
        // Only what gives the first bound is told.
        QVERIFY(ranges.add("s0 < 9").empty());
        QCOMPARE(ranges.of("s0").upper, 8.0);
        // A restart makes symbols anew.
        ranges.create("s0", "[2, oo]");
        QCOMPARE(ranges.of("s0"), (SymbolRanges::Range{2, std::numeric_limits<double>::infinity()}));
        QCOMPARE(ranges.of("s5").lower, -std::numeric_limits<double>::infinity());
    }

    /// What a trace says before AOTAutograd traces; the order counts, as bounds are not handed on later.
    void ofATrace() {
        const auto unbounded = [](std::initializer_list<const char*> guards) {
            test::TraceText text;
            text.start();
            for (const char* symbol : {"s77", "s17"})
                text.add(std::string("\"create_symbol\": {\"symbol\": \"") + symbol +
                         "\", \"val\": \"8\", \"vr\": \"[2, int_oo]\"}");
            for (const char* guard : guards)
                text.add(std::string("\"guard_added_fast\": {\"expr\": \"") + guard + "\"}");
            const auto session = capture::openText(text.metrics().text());
            return session ? session::unboundedSymbols((*session)->compiles.front())
                           : std::vector<std::string>{"no session"};
        };
        const std::vector<std::string> none, s77{"s77"}, both{"s77", "s17"};
        QCOMPARE(unbounded({"s17 <= 64", "s77 < s17"}), none);
        QCOMPARE(unbounded({"s77 < s17", "s17 <= 64"}), s77);
        QCOMPARE(unbounded({"s77 < s17"}), both);
        QCOMPARE(unbounded({"s17 + s77 <= 80"}), none);
        QCOMPARE(unbounded({"s17 <= 64", "s77 + 3 <= 2*s17"}), none);
        QCOMPARE(unbounded({"s17 <= 64", "2*s77 < s17"}), s77);
        QCOMPARE(unbounded({"s17 <= 64", "((s77//2)) < s17"}), none);
    }
};

QTEST_GUILESS_MAIN(TestSymbolRanges)
#include "tst_symbol_ranges.moc"
