// SPDX-License-Identifier: BSD-3-Clause
//
// Every graph that a recording of passes has, run in the engine beside the graph before it.
#include "core/capture/open.h"
#include "core/rederive/verify_passes.h"
#include "core/session/byte_source.h"
#include "tests/support/pass_recordings.h"
#include "tests/support/programs.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace dynascope;
using engine::PassVerdict;
using inductor::CompilePasses;
using Kind = PassVerdict::Kind;

namespace {

CompilePasses passesIn(std::string bytes) {
    const auto recording =
        inductor::PassRecording::read(session::makeByteSource(std::move(bytes)), nullptr, {});
    if (!recording) qFatal("%s", recording.error().toString().c_str());
    session::Session session;
    session.compiles = inductor::compilesIn(**recording);
    session.passRecordings.push_back(*recording);
    return inductor::passesOf(session, session.compiles.at(0));
}

CompilePasses small(const test::SmallPasses& how) {
    return passesIn(test::smallPasses(how));
}

/// "remove_noop_ops equal".
std::string text(const CompilePasses& passes, const std::vector<PassVerdict>& verdicts) {
    std::string out;
    for (const PassVerdict& verdict : verdicts)
        out += (out.empty() ? "" : ", ") + passes.rows[verdict.row].name() + ' ' +
               std::string(engine::passKindName(verdict.kind));
    return out;
}

/// A file in a folder that is deleted with it.
class SmallRecording {
public:
    explicit SmallRecording(const test::SmallPasses& how)
        : m_path(m_folder.filePath("small.dpasses")) {
        QFile file(m_path);
        if (file.open(QIODevice::WriteOnly)) file.write(QByteArray::fromStdString(test::smallPasses(how)));
    }
    [[nodiscard]] const QString& path() const { return m_path; }

private:
    QTemporaryDir m_folder;
    QString m_path;
};

struct Run {
    int exitCode = -1;
    QByteArray out, err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestEngineVerifyPasses : public QObject {
    Q_OBJECT
private slots:
    void stepsAreTheChainOfEachModule() {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
        QVERIFY(session.has_value());
        const CompilePasses passes = inductor::passesOf(**session, (*session)->compiles.at(0));
        const auto steps = engine::passSteps(passes);
        QVERIFY(steps.size() >= 8);
        for (const engine::PassChainStep& step : steps) {
            QVERIFY(step.row < passes.rows.size());
            QVERIFY(passes.rows[step.row].changed());
            if (step.backward) continue; // parts are other modules than the joint graph
            QCOMPARE(passes.recording->state(step.before)->module,
                     passes.recording->state(step.after)->module);
        }
        const auto isSplit = [](const engine::PassChainStep& step) { return step.backward.has_value(); };
        QCOMPARE(std::ranges::count_if(steps, isSplit), 1);
        QCOMPARE(passes.rows[std::ranges::find_if(steps, isSplit)->row].name(),
                 std::string("split: forward"));
    }

    /// Backward runs on what forward saves; a name that both have is two nodes.
    void aSplitIsVerified() {
        const auto verdictOf = [this](test::SmallSplit how) {
            const CompilePasses passes = passesIn(test::smallSplit(how));
            const auto verdicts = engine::verifyPasses(m_engine, passes, {});
            if (!verdicts || verdicts->size() != 2 || (*verdicts)[0].kind != (*verdicts)[1].kind)
                return PassVerdict{};
            return verdicts->front();
        };
        const PassVerdict right = verdictOf(test::SmallSplit::Right);
        QVERIFY2(right.kind == Kind::Equal, right.reason.c_str());
        QVERIFY2(right.reason.ends_with("backward on what forward saves"), right.reason.c_str());
        const PassVerdict wrong = verdictOf(test::SmallSplit::Wrong);
        QVERIFY2(wrong.kind == Kind::Different, wrong.reason.c_str());
        QVERIFY2(wrong.differences.front().starts_with("output #1, values"),
                 wrong.differences.front().c_str());
        const PassVerdict lacks = verdictOf(test::SmallSplit::Lacks);
        QCOMPARE(lacks.kind, Kind::Declined);
        QCOMPARE(lacks.reason, std::string("backward reads 'sin', which forward does not give back"));
    }

    void aPassThatChangedAValueIsNamed() {
        const CompilePasses passes = small({.wrong = true});
        const auto verdicts = engine::verifyPasses(m_engine, passes, {});
        QVERIFY2(verdicts.has_value(), verdicts ? "" : verdicts.error().message.c_str());
        QCOMPARE(text(passes, *verdicts),
                 std::string("remove_noop_ops equal, custom_pass different, transpose_output layout"));
        const PassVerdict& wrong = (*verdicts)[1];
        QVERIFY(!wrong.differences.empty());
        QVERIFY2(wrong.differences.front().find("output #0, values") != std::string::npos,
                 wrong.differences.front().c_str());
        const PassVerdict& layout = (*verdicts)[2];
        QVERIFY2(layout.reason.find("output #0, strides: ") != std::string::npos, layout.reason.c_str());
    }

    void writesOfInputsAndSharedMemoryAreSeen() {
        const CompilePasses written = small({.writes = true});
        const auto verdicts = engine::verifyPasses(m_engine, written, {});
        QVERIFY2(verdicts.has_value(), verdicts ? "" : verdicts.error().message.c_str());
        QCOMPARE(text(written, *verdicts),
                 std::string("remove_noop_ops equal, transpose_output layout, write_input different"));
        const std::vector<std::string>& differences = verdicts->back().differences;
        QVERIFY2(std::ranges::any_of(differences,
                                     [](const std::string& each) {
                                         return each.find("input x after the call") != std::string::npos;
                                     }),
                 differences.empty() ? "" : differences.front().c_str());
        const CompilePasses shared = small({.shares = true});
        const auto layouts = engine::verifyPasses(m_engine, shared, {});
        QVERIFY(layouts.has_value());
        QCOMPARE(text(shared, *layouts),
                 std::string("remove_noop_ops equal, transpose_output layout, give_back_input layout"));
        QVERIFY2(layouts->back().reason.find("output #1") != std::string::npos,
                 layouts->back().reason.c_str());
    }

    void operatorsThatTheEngineLacksAreNamed() {
        const CompilePasses passes = small({.unknown = true});
        const auto verdicts = engine::verifyPasses(m_engine, passes, {});
        QVERIFY(verdicts.has_value() && verdicts->size() == 3);
        const PassVerdict& last = verdicts->back();
        QCOMPARE(last.kind, Kind::Declined);
        QVERIFY2(last.reason.find("nobody_has.thing") != std::string::npos, last.reason.c_str());
    }

    /// What a constant holds is not recorded: nothing is said of a pass that computes with it, and all else runs with
    /// made-up values.
    void constantsHaveNoValues() {
        const CompilePasses passes = small({.folds = true});
        const auto verdicts = engine::verifyPasses(m_engine, passes, {});
        QVERIFY(verdicts.has_value());
        QCOMPARE(text(passes, *verdicts),
                 std::string("remove_noop_ops equal, transpose_output layout, fold_constants declined"));
        QVERIFY2(verdicts->back().reason.find("_tensor_constant0") != std::string::npos,
                 verdicts->back().reason.c_str());
        const CompilePasses wrong = small({.wrong = true, .folds = true});
        const auto different = engine::verifyPasses(m_engine, wrong, {});
        QVERIFY(different.has_value());
        QCOMPARE((*different)[1].kind, Kind::Different);
        QVERIFY2((*different)[1].reason.find("with made-up values for _tensor_constant0") !=
                     std::string::npos,
                 (*different)[1].reason.c_str());
    }

    /// PyTorch's own passes change no value, forward and backward.
    void aTrainedBlockKeepsItsValues() {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
        QVERIFY(session.has_value());
        const CompilePasses passes = inductor::passesOf(**session, (*session)->compiles.at(0));
        std::size_t told = 0;
        const auto verdicts =
            engine::verifyPasses(m_engine, passes, {}, {}, [&told](const PassVerdict&) { ++told; });
        QVERIFY2(verdicts.has_value(), verdicts ? "" : verdicts.error().message.c_str());
        QCOMPARE(told, verdicts->size());
        for (const PassVerdict& verdict : *verdicts) {
            // Dynamo adds the output at last: before that there is nothing to compare.
            const bool noOutput = passes.rows[verdict.row].phase->name == "dynamo" &&
                                  verdict.reason.starts_with("Dynamo has not made the graph's output");
            QVERIFY2(verdict.kind == Kind::Equal || (noOutput && verdict.kind == Kind::Declined),
                     text(passes, *verdicts).c_str());
        }
        QVERIFY(text(passes, *verdicts).find("split: forward equal, split: backward equal") !=
                std::string::npos);
        // pass_pattern_0 leaves nodes before what they read, until they are sorted.
        QVERIFY(std::ranges::any_of(*verdicts, [](const PassVerdict& verdict) {
            return verdict.reason.find("were moved to run") != std::string::npos;
        }));
    }

    void withoutAnEngineItSaysSo() {
        engine::Client none({"/nowhere/dynascope-engine"});
        const auto verdicts = engine::verifyPasses(none, small({}), {});
        QVERIFY(!verdicts.has_value());
        QCOMPARE(verdicts.error().kind, engine::CallError::Kind::NotStarted);
    }

    void aCancelledRunKeepsWhatItTold() {
        std::stop_source stop;
        engine::CallOptions options;
        options.task.stop = stop.get_token();
        std::size_t told = 0;
        const auto verdicts =
            engine::verifyPasses(m_engine, small({.wrong = true}), {}, options, [&](const PassVerdict&) {
                ++told;
                stop.request_stop();
            });
        QVERIFY(!verdicts.has_value());
        QCOMPARE(verdicts.error().kind, engine::CallError::Kind::Cancelled);
        QCOMPARE(told, std::size_t(1));
    }

    void theCommandLineSaysIt() {
        const SmallRecording wrong({.wrong = true, .unknown = true});
        const Run run = cli({"passes-of", wrong.path(), "--verify"});
        QVERIFY2(run.exitCode == 1, run.err);
        QVERIFY2(run.out.contains("custom_pass") && run.out.contains("different") &&
                     run.out.contains("nobody_has.thing") &&
                     run.out.contains("4 changes: 1 equal, 1 layout, 1 different, 1 declined"),
                 run.out);
        const SmallRecording right({});
        const Run good = cli({"passes-of", right.path(), "--verify", "--json"});
        QVERIFY2(good.exitCode == 0, good.err);
        const QJsonArray verdicts = QJsonDocument::fromJson(good.out).array();
        QCOMPARE(verdicts.size(), 2);
        QCOMPARE(verdicts[0]["verdict"].toString(), QStringLiteral("equal"));
        QCOMPARE(verdicts[0]["name"].toString(), QStringLiteral("remove_noop_ops"));
        const Run none = cli({"passes-of", right.path(), "--verify", "--engine", "/nowhere/engine"});
        QVERIFY2(none.exitCode == 2 && none.err.count('\n') == 1, none.err);
        QCOMPARE(cli({"passes-of", right.path(), "--verify", "--symbol", "s0=x"}).exitCode, 2);
    }

private:
    engine::Client m_engine{{test::program("dynascope-engine").toStdString()}};
};

QTEST_GUILESS_MAIN(TestEngineVerifyPasses)
#include "tst_engine_verify_passes.moc"
