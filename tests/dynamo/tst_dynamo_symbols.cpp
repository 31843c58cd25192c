// SPDX-License-Identifier: BSD-3-Clause
//
// The names of symbols in real traces, and what two runs make of the same sizes.
#include "core/capture/open.h"
#include "core/dynamo/symbol_report.h"
#include "tests/support/captures.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::dynamo;
using session::SymbolInfo;

namespace {

session::Compile compileOf(std::vector<SymbolInfo> symbols) {
    session::Compile compile;
    compile.symbols = std::move(symbols);
    return compile;
}

session::TensorInput input(std::string source, std::vector<std::string> sizes) {
    session::TensorInput out;
    out.source = std::move(source);
    out.meta.sizes = std::move(sizes);
    return out;
}

} // namespace

class TestDynamoSymbols : public QObject {
    Q_OBJECT

private slots:
    /// Every symbol that PyTorch 2.13 recorded has the name that its source gives it.
    void everyCapturedName() {
        std::size_t seen = 0;
        for (const QString& log : test::traceLogs()) {
            const auto session = capture::open(log.toStdString());
            QVERIFY(session);
            for (const session::Compile& compile : (*session)->compiles) {
                for (const SymbolNote& note : explainSymbols(compile)) {
                    if (note.origin == SymbolOrigin::Unbacked) continue;
                    QVERIFY2(
                        note.origin != SymbolOrigin::Unexplained,
                        (log.toStdString() + ' ' + note.symbol->symbol + ' ' + note.symbol->source).c_str());
                    ++seen;
                }
            }
        }
        QVERIFY(seen >= 10);
    }

    void collisions() {
        // Both hash to 99.
        const session::Compile compile =
            compileOf({{"s99", "5", "", "L['c156'].size()[0]", {}, {}, {}, {}, {}},
                       {"s100", "6", "", "L['c318'].size()[0]", {}, {}, {}, {}, {}},
                       {"u0", "", "", "", {}, {}, {}, {}, {}}});
        const std::vector<SymbolNote> notes = explainSymbols(compile);
        QCOMPARE(notes.size(), std::size_t(3));
        QCOMPARE(notes[0].origin, SymbolOrigin::Hash);
        QCOMPARE(notes[0].sentence(), std::string("99 is the hash of its source, modulo 100"));
        QCOMPARE(notes[1].origin, SymbolOrigin::Collision);
        QCOMPARE(notes[1].sentence(),
                 std::string("its source hashes to 99, which s99 (L['c156'].size()[0]) had taken"));
        QCOMPARE(notes[2].origin, SymbolOrigin::Unbacked);
    }

    /// A second attempt names its symbols anew.
    void attempts() {
        const session::Compile compile =
            compileOf({{"s99", "5", "", "L['c156'].size()[0]", {}, {}, {}, {}, {}},
                       {"s99", "5", "", "L['c156'].size()[0]", {}, {}, {}, {}, {}},
                       {"s100", "6", "", "L['c318'].size()[0]", {}, {}, {}, {}, {}}});
        const std::vector<SymbolNote> notes = explainSymbols(compile);
        QCOMPARE(notes[1].origin, SymbolOrigin::Hash);
        QCOMPARE(notes[2].origin, SymbolOrigin::Collision);
        QCOMPARE(notes[2].inTheWay.front(), &compile.symbols[1]);
    }

    void olderNamesAreNotExplained() {
        const session::Compile compile =
            compileOf({{"s0", "5", "", "L['c156'].size()[0]", {}, {}, {}, {}, {}}});
        QCOMPARE(explainSymbols(compile).front().origin, SymbolOrigin::Unexplained);
    }

    void twoRuns() {
        using Kind = SymbolPair::Kind;
        session::Compile a = compileOf({{"s99", "5", "", "L['x'].size()[0]", {}, {}, {}, {}, {}},
                                        {"s7", "4", "", "L['x'].size()[1]", {}, {}, {}, {}, {}},
                                        {"s8", "4", "", "L['y'].size()[0]", {}, {}, {}, {}, {}},
                                        {"s9", "4", "", "L['n']", {}, {}, {}, {}, {}}});
        session::Compile b = compileOf({{"s99", "5", "", "L['x'].size()[0]", {}, {}, {}, {}, {}},
                                        {"s12", "4", "", "L['z'].size()[0]", {}, {}, {}, {}, {}}});
        b.inputs = {input("L['x']", {"s99", "12"}), input("L['y']", {"s12"})};
        const std::vector<SymbolPair> pairs = compareSymbols(a, b);
        std::map<std::string, SymbolPair> by;
        for (const SymbolPair& pair : pairs)
            by[pair.source] = pair;
        QCOMPARE(by.size(), std::size_t(5));
        QCOMPARE(by["L['x'].size()[0]"].kind, Kind::Same);
        QCOMPARE(by["L['x'].size()[1]"].kind, Kind::Specialised);
        QCOMPARE(by["L['x'].size()[1]"].sentence, std::string("a constant in B: compiled for 12 only"));
        QCOMPARE(by["L['y'].size()[0]"].kind, Kind::Renamed);
        QCOMPARE(by["L['y'].size()[0]"].sentence, std::string("shares s12 in B"));
        QCOMPARE(by["L['n']"].kind, Kind::Missing);
        QCOMPARE(by["L['z'].size()[0]"].sentence, std::string("no symbol in A"));
    }
};

QTEST_GUILESS_MAIN(TestDynamoSymbols)
#include "tst_dynamo_symbols.moc"
