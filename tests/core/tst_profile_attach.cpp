// SPDX-License-Identifier: BSD-3-Clause
//
// A profile that lies elsewhere than its trace: attached to it, kept with it, and doubted where it is of another run.
#include "core/capture/follow.h"
#include "core/capture/open.h"
#include "core/capture/profiles.h"
#include "core/profile/join.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;

namespace {

std::string data(const std::string& name) {
    return DYNASCOPE_TEST_DATA "/profile/" + name;
}

session::SessionPtr opened(const std::string& path) {
    const auto session = capture::open(path);
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

capture::Attached attached(const session::SessionPtr& session, const std::string& path) {
    auto out = capture::attachProfile(*session, path);
    if (!out) qFatal("%s", out.error().toString().c_str());
    return *out;
}

} // namespace

class TestProfileAttach : public QObject {
    Q_OBJECT

private slots:
    void joinsAsInItsFolder() {
        const auto alone = opened(data("breaks/trace.log.xz")), folder = opened(data("breaks"));
        const auto both = attached(alone, data("breaks/profile.json.gz"));
        QCOMPARE(both.doubt, std::string());
        QCOMPARE(both.session->profiles.size(), std::size_t(1));
        QCOMPARE(both.session->compiles.front().stages.front(), alone->compiles.front().stages.front());
        const auto joinedOf = [](const session::SessionPtr& session) {
            return profile::join(session, session::attachedAs<profile::Profile>(session->profiles.front()))
                .value_or(nullptr);
        };
        QCOMPARE(joinedOf(both.session)->joined, joinedOf(folder)->joined);
        QVERIFY(joinedOf(folder)->joined > 0);
    }

    void againReplaces() {
        const auto once = attached(opened(data("breaks/trace.log.xz")), data("breaks/profile.json.gz"));
        const auto twice = attached(once.session, data("breaks/profile.json.gz"));
        QCOMPARE(twice.session->profiles.size(), std::size_t(1));
        QCOMPARE(twice.session->inputs.files.size(), std::size_t(2));
        const auto two = attached(twice.session, data("mlp_aot/profile.json.gz"));
        QCOMPARE(two.session->profiles.size(), std::size_t(2));
    }

    void staysWhenReadAgain_data() {
        QTest::addColumn<QString>("capture");
        QTest::newRow("file") << "trace.log.xz";
        QTest::newRow("folder") << "";
    }
    void staysWhenReadAgain() {
        QFETCH(const QString, capture);
        QTemporaryDir folder;
        QVERIFY(QFile::copy(QString::fromStdString(data("breaks/trace.log.xz")),
                            folder.filePath("trace.log.xz")));
        const auto before = opened(folder.filePath(capture).toStdString());
        const auto both = attached(before, data("breaks/profile.json.gz"));
        const auto reopened = capture::openInputs(both.session->inputs);
        QVERIFY(reopened);
        QCOMPARE((*reopened)->profiles.size(), std::size_t(1));
        const auto again = capture::readAgain(*both.session, capture::Again::Whole);
        QVERIFY2(again.has_value(), again ? "" : again.error().toString().c_str());
        QCOMPARE((*again)->profiles.size(), std::size_t(1));
        QCOMPARE((*again)->compiles.size(), before->compiles.size());
        QCOMPARE(capture::stampOf(both.session->inputs).size(), std::size_t(1)); // the trace's own
    }

    void whatIsNoProfile() {
        const auto session = opened(data("breaks"));
        const auto refused = [&](const std::string& path) {
            const auto out = capture::attachProfile(*session, path);
            return out ? std::string() : out.error().message;
        };
        QVERIFY(refused(data("README.md")).starts_with("no profile"));
        QVERIFY(refused(data("breaks/trace.log.xz")).starts_with("no profile"));
        QVERIFY(holds(refused(data("breaks/profile.json.gz")), "already"));
        QVERIFY(!refused(data("absent.json")).empty());
        QVERIFY(capture::isProfileFile(data("breaks/profile.json.gz")));
        QVERIFY(!capture::isProfileFile(data("README.md")));
        QVERIFY(!capture::isProfileFile(data("absent.json")));
        QVERIFY(!capture::isProfileFile(data("breaks")));
    }

    void anotherRunsProfile() {
        // 0/0 is there in both; the cache keys tell them apart.
        const auto session = opened(data("encoder_inductor/trace.log.xz"));
        const auto other = attached(session, data("breaks/profile.json.gz"));
        QVERIFY2(holds(other.doubt, "cache key"), other.doubt.c_str());
        const auto own = attached(session, data("encoder_inductor/profile.json.gz"));
        QCOMPARE(own.doubt, std::string());
    }

    void whatHasNothingToJoin() {
        QTemporaryDir folder;
        const auto write = [&](const QString& name, const QByteArray& text) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        write("plain.json", R"({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]})");
        write("region.json", R"({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "Torch-Compiled Region: 77/3", "pid": 1, "tid": 1, "ts": 1,
             "dur": 5}]})");
        const auto session = opened(data("breaks/trace.log.xz"));
        const std::string plain = attached(session, folder.filePath("plain.json").toStdString()).doubt;
        QVERIFY2(holds(plain, "no compiled region"), plain.c_str());
        const std::string region = attached(session, folder.filePath("region.json").toStdString()).doubt;
        QVERIFY2(holds(region, "none of its 1 compiled region "), region.c_str());
        const auto empty = std::make_shared<const session::Session>();
        QVERIFY(holds(attached(empty, data("breaks/profile.json.gz")).doubt, "no compile"));
    }
};

QTEST_GUILESS_MAIN(TestProfileAttach)
#include "tst_profile_attach.moc"
