// SPDX-License-Identifier: BSD-3-Clause
//
// Device files of a GPU are made before the engine gives up what makes them. No GPU is needed: folder and
// program are the test's own.
#include "core/engine/sandbox/confine.h"
#include "core/engine/sandbox/landlock.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dynascope;

class TestEngineGpuDevices : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_root;

    void make(const QString& path, const QByteArray& content = "x") {
        const QString whole = m_root->filePath(path);
        QVERIFY(QDir().mkpath(QFileInfo(whole).path()));
        QFile file(whole);
        QVERIFY(file.open(QFile::WriteOnly));
        file.write(content);
    }
    /// What is started for the devices that are missing; empty for nothing.
    QStringList asked() {
        QStringList out;
        engine::makeGpuDevices({m_root->path().toStdString(), [&](const std::vector<std::string>& command) {
                                    for (const std::string& word : command)
                                        out << QString::fromStdString(word);
                                }});
        return out;
    }

private slots:
    void init() { m_root = std::make_unique<QTemporaryDir>(); }

    void asksForWhatIsMissing() {
        QCOMPARE(asked(), QStringList()); // no driver
        make("proc/driver/nvidia/version");
        make("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t GPU\nDevice Minor: \t 0\n");
        make("proc/driver/nvidia/gpus/0000:02:00.0/information", "Device Minor: \t 12\n");
        const QString program = "/usr/bin/nvidia-modprobe";
        QCOMPARE(asked(), QStringList({program, "-u", "-c", "255", "-c", "0", "-c", "12"}));
        make("dev/nvidia12");
        QCOMPARE(asked(), QStringList({program, "-u", "-c", "255"})); // a container with one of two
        make("dev/nvidiactl");
        QCOMPARE(asked(), QStringList({program, "-u"}));
        make("dev/nvidia-uvm");
        QCOMPARE(asked(), QStringList());
    }

    void comesBeforeConfining() {
        make("proc/driver/nvidia/version");
        make("dev/nvidia0");
        make("dev/nvidiactl");
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            bool free = false; // what the program needs is still allowed
            const std::string uvm = m_root->filePath("dev/nvidia-uvm").toStdString();
            const engine::GpuDriver driver{m_root->path().toStdString(), [&](const auto&) {
                                               free = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
                                               QFile file(QString::fromStdString(uvm));
                                               free = file.open(QFile::WriteOnly) && free;
                                           }};
            const bool had = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
            if (!engine::confine(16384, driver)) ::_exit(2);
            if (!QFile::exists(QString::fromStdString(uvm)) || (had && !free)) ::_exit(3);
            QFile late(m_root->filePath("dev/nvidia1"));
            const bool open = late.open(QFile::WriteOnly);
            ::_exit(engine::landlockAbi() > 0 && open ? 4 : 0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
};

QTEST_GUILESS_MAIN(TestEngineGpuDevices)
#include "tst_engine_gpu_devices.moc"
