// SPDX-License-Identifier: BSD-3-Clause
//
// What code that took over the engine can do: a plugin tries it, and the kernel says no.
#include "core/engine/client/client.h"
#include "tests/support/programs.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/stat.h>

using namespace dynascope;
using nlohmann::json;

class TestEngineSandbox : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string m_file;
    json m_confinement;

    std::string graphText() const {
        return "graph():\n    %target : [num_users=1] = "
               "call_function[target=torch.ops.aten.neg.default](args = ('" +
               m_file + "',), kwargs = {})\n    return (target,)";
    }
    static engine::Client client() {
        return engine::Client({test::engineProgram(), "--plugin-path", DYNASCOPE_ATTACKS});
    }

private slots:
    void initTestCase() {
        QFile file(m_folder.filePath("of the user"));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write("precious");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        m_file = file.fileName().toStdString();
        qputenv("SECRET_OF_THE_USER", "a-secret-token");
        engine::Client engine = client();
        const auto environment = engine.call("environment");
        QVERIFY2(environment.has_value(), environment ? "" : environment.error().message.c_str());
        m_confinement = (*environment)["confinement"];
        QCOMPARE(m_confinement["other_threads"].get<int>(), 0);
    }

    void everyAttemptIsDenied_data() {
        QTest::addColumn<bool>("landlock"); // else seccomp
        for (const char* attack : {"reads_a_file", "reads_in_a_thread", "lists_a_folder", "writes_a_file",
                                   "truncates_a_file", "truncates_while_reading", "makes_a_file",
                                   "removes_a_file", "makes_a_link", "reads_its_parents_environment"})
            QTest::newRow(attack) << true;
        for (const char* attack :
             {"renames_a_file", "changes_a_mode", "makes_a_socket", "connects", "runs_a_program",
              "becomes_a_program", "kills_its_parent", "signals_everybody", "reads_its_parents_memory",
              "traces_its_parent", "uses_io_uring", "makes_a_namespace"})
            QTest::newRow(attack) << false;
    }
    void everyAttemptIsDenied() {
        QFETCH(bool, landlock);
        const char* offered = landlock ? "reads_files" : "starts_programs";
        if (m_confinement[offered] == true)
            QSKIP(landlock ? "this kernel has no Landlock" : "this kernel or build has no seccomp");
        engine::Client engine = client();
        const auto reply = engine.callOnGraph("pass", graphText(), {{"passes", {QTest::currentDataTag()}}});
        QVERIFY(!reply);
        const QString said = QString::fromStdString(reply.error().message);
        QVERIFY2(said == QString::fromLocal8Bit(std::strerror(EPERM)) ||
                     said == QString::fromLocal8Bit(std::strerror(EACCES)),
                 qPrintable(said));
        QFile file(QString::fromStdString(m_file));
        QVERIFY(file.open(QFile::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("precious"));
        struct stat status {};
        QVERIFY(::stat(m_file.c_str(), &status) == 0);
        QCOMPARE(status.st_mode & 0777U, 0600U);
    }

    void theEnvironmentHoldsNoSecret() {
        engine::Client engine = client();
        const auto reply = engine.callOnGraph("pass", graphText(), {{"passes", {"finds_a_token"}}});
        QVERIFY(!reply);
        QCOMPARE(QString::fromStdString(reply.error().message), QString("not there"));
    }

    void aPluginThatOthersCanWriteIsNotLoaded() {
        QTemporaryDir folder;
        const QString path = folder.filePath("drop_detach.so");
        QVERIFY(QFile::copy(QString(DYNASCOPE_SAMPLE_PLUGINS "/drop_detach.so"), path));
        const auto problemWith = [&](mode_t file, mode_t parent) {
            ::chmod(path.toLocal8Bit().constData(), file);
            ::chmod(folder.path().toLocal8Bit().constData(), parent);
            engine::Client engine({test::engineProgram(), "--plugin-path", folder.path().toStdString()});
            const auto list = engine.call("passes");
            ::chmod(folder.path().toLocal8Bit().constData(), 0700);
            if (!list) return list.error().message;
            const json& problems = (*list)["problems"];
            const bool loaded = (*list)["passes"].back()["name"] == "drop_detach";
            return problems.empty() ? std::string(loaded ? "" : "neither loaded nor refused")
                                    : problems[0].get<std::string>();
        };
        QCOMPARE(problemWith(0755, 0755), std::string());
        QCOMPARE(problemWith(0757, 0755),
                 path.toStdString() + ": is not loaded: others than its owner can write it");
        QCOMPARE(problemWith(0775, 0755),
                 path.toStdString() + ": is not loaded: others than its owner can write it");
        QCOMPARE(problemWith(0755, 0777),
                 folder.path().toStdString() +
                     ": no plugin is loaded from it: others than its owner can write it");
    }
};

QTEST_GUILESS_MAIN(TestEngineSandbox)
#include "tst_engine_sandbox.moc"
