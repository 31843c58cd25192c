// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions on passes, asked of tests/data/passes and of a small recording.
#include "core/capture/open.h"
#include "core/inductor/pass_condition.h"
#include "core/session/byte_source.h"
#include "tests/support/pass_recordings.h"

#include <QTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::inductor;

namespace {

CompilePasses passesIn(const session::Session& session) {
    CompilePasses out = passesOf(session, session.compiles.at(0));
    if (const auto read = addStages(out); !read) qFatal("%s", read.error().toString().c_str());
    return out;
}

CompilePasses block() {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
    if (!session) qFatal("%s", session.error().toString().c_str());
    return passesIn(**session);
}

CompilePasses small(const test::SmallPasses& how) {
    const auto recording = PassRecording::read(session::makeByteSource(test::smallPasses(how)), nullptr, {});
    session::Session session;
    session.compiles = compilesIn(**recording);
    session.passRecordings.push_back(*recording);
    return passesIn(session);
}

PassCondition parsed(std::string_view text) {
    const auto out = PassCondition::parse(text);
    if (!out) qFatal("%s: %s", std::string(text).c_str(), out.error().toString().c_str());
    return *out;
}

/// Names of all passes at which a condition holds.
std::string all(const CompilePasses& passes, std::string_view text) {
    const PassCondition condition = parsed(text);
    const PassSearch search(passes);
    std::string out;
    for (std::size_t row = 0; row < passes.rows.size(); ++row)
        if (search.holds(condition, row)) out += (out.empty() ? "" : " ") + passes.rows[row].name();
    return out;
}

} // namespace

class TestPassCondition : public QObject {
    Q_OBJECT
private slots:
    void nodesAndOperatorsAreNamed() {
        const CompilePasses passes = small({.wrong = true});
        QCOMPARE(all(passes, "removes alias"), std::string("remove_noop_ops"));
        QCOMPARE(all(passes, "makes sub"), std::string("custom_pass"));
        QCOMPARE(all(passes, "makes aten.sub.Tensor or makes aten.alias"), std::string("custom_pass"));
        QCOMPARE(all(passes, "changes add"), std::string("remove_noop_ops"));
        QCOMPARE(all(passes, "touches add"), std::string("remove_noop_ops custom_pass"));
        QCOMPARE(all(passes, "makes permute"), std::string("transpose_output"));
        QCOMPARE(all(passes, "makes permute_1"), std::string("transpose_output"));
        QCOMPARE(all(passes, "removes"), std::string("remove_noop_ops custom_pass"));
        // "ali" is the beginning of an operator, and no operator.
        QCOMPARE(all(passes, "removes ali"), std::string());
        QCOMPARE(all(passes, "removes ops"), std::string());
    }

    void passesAndNumbers() {
        const CompilePasses passes = small({.skips = true});
        QCOMPARE(all(passes, "pass is custom_pass"), std::string("custom_pass"));
        QCOMPARE(all(passes, "skipped"), std::string("remove_noop_ops"));
        QCOMPARE(all(passes, "ran and not makes"), std::string("custom_pass"));
        QCOMPARE(all(passes, "nodes > 6"), std::string("transpose_output"));
        QCOMPARE(all(passes, "added >= 3 and time < 2"), std::string("transpose_output"));
        QCOMPARE(all(passes, "phase is post_grad and (graph is backward or failed)"), std::string());
        QCOMPARE(all(passes, "pass != custom_pass"), std::string("remove_noop_ops transpose_output"));
        QCOMPARE(all(passes, "pass is 'custom_pass'"), std::string("custom_pass"));
    }

    void patternsAreAskedFor() {
        const CompilePasses passes = block();
        const std::string matched = all(passes, "matches");
        QVERIFY2(matched.find("pass_pattern_0") == std::string::npos ||
                     matched.find("pattern_matcher") != std::string::npos,
                 matched.c_str());
        const auto row = std::ranges::find_if(
            passes.rows, [](const PassRow& at) { return at.pass != nullptr && at.pass->refused() > 0; });
        QVERIFY(row != passes.rows.end());
        const auto refused = std::ranges::find_if(row->pass->matches,
                                                  [](const Match& match) { return !match.refused.empty(); });
        const std::string name = passes.recording->pattern(refused->pattern)->name;
        const PassSearch search(passes);
        QVERIFY(search.holds(parsed("refuses '" + name + '\''), std::size_t(row - passes.rows.begin())));
        QVERIFY(!search.holds(parsed("refuses no_such_pattern"), std::size_t(row - passes.rows.begin())));
    }

    void searchesRunBothWays() {
        const CompilePasses passes = block();
        const PassSearch search(passes);
        const PassCondition condition = parsed("removes permute");
        const int first = search.find(condition, -1, false);
        QVERIFY(first >= 0);
        QCOMPARE(search.find(condition, first + 1, true), first);
        QCOMPARE(search.find(condition, first, true), -1);
        QCOMPARE(search.find(condition, int(passes.rows.size()), false), -1);
        QCOMPARE(search.find(parsed("removes no_such_node"), -1, false), -1);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(search.find(condition, -1, false, {stop.get_token(), {}}), -1);
    }

    void errorsNameTheColumn_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("column");
        QTest::newRow("unknown word") << "permute"
                                      << "is none of makes" << 1;
        QTest::newRow("no number") << "nodes > many"
                                   << "'many' is no number" << 9;
        QTest::newRow("no comparison") << "nodes and ran"
                                       << "a comparison such as" << 7;
        QTest::newRow("no name") << "pass custom_pass"
                                 << "'is' and a name are missing" << 6;
        QTest::newRow("end") << "removes x and"
                             << "something is missing" << 14;
        QTest::newRow("bracket") << "(removes x"
                                 << "')' is missing" << 11;
        QTest::newRow("rest") << "removes x y"
                              << "'y' is not expected" << 11;
        QTest::newRow("empty") << ""
                               << "something is missing" << 1;
    }
    void errorsNameTheColumn() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QFETCH(int, column);
        const auto condition = PassCondition::parse(text.toStdString());
        QVERIFY(!condition.has_value());
        QVERIFY2(QString::fromStdString(condition.error().message).contains(message),
                 condition.error().message.c_str());
        QCOMPARE(int(condition.error().column), column);
    }

    void nestingIsBounded() {
        QVERIFY(!PassCondition::parse(std::string(100'000, '(') + "ran").has_value());
        std::string chain = "ran";
        for (int i = 0; i < 10'000; ++i)
            chain += " and ran";
        QVERIFY(!PassCondition::parse(chain).has_value());
    }
};

QTEST_APPLESS_MAIN(TestPassCondition)
#include "tst_pass_condition.moc"
