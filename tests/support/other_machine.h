// SPDX-License-Identifier: BSD-3-Clause
//
// Another machine, "there", that is this one behind a script which takes ssh's arguments.
#pragma once

#include "tests/support/programs.h"

#include <QFile>
#include <QTemporaryDir>
#include <csignal>
#include <sys/types.h>

namespace dynascope::test {

class OtherMachine {
public:
    OtherMachine() {
        QFile ssh(m_folder.filePath(QStringLiteral("ssh")));
        // The shell that a program replaces has its number; what has a semicolon needs a shell.
        const QByteArray text =
            "#!/bin/sh\n"
            "while [ \"$1\" != -- ]; do shift; done\n"
            "host=$2; shift 2\n"
            "if [ \"$host\" != there ]; then echo \"ssh: no host $host\" >&2; exit 255; fi\n"
            "echo $$ > \"$(dirname \"$0\")/pid\"\n"
            "case \"$*\" in *\";\"*) exec sh -c \"$*\";; esac\n"
            "exec $*\n";
        m_isReady = ssh.open(QIODevice::WriteOnly) && ssh.write(text) == text.size();
        ssh.close();
        m_isReady = m_isReady && ssh.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        qputenv("DYNASCOPE_SSH", ssh.fileName().toUtf8());
        qputenv("DYNASCOPE_REMOTE_CLI", program("dynascope-cli").toUtf8());
    }
    ~OtherMachine() {
        qunsetenv("DYNASCOPE_SSH");
        qunsetenv("DYNASCOPE_REMOTE_CLI");
    }
    OtherMachine(const OtherMachine&) = delete;
    OtherMachine& operator=(const OtherMachine&) = delete;

    [[nodiscard]] bool isReady() const { return m_isReady; }
    [[nodiscard]] static QString address(const QString& path) { return QStringLiteral("ssh://there") + path; }
    /// Breaks the latest connection. False where there is none.
    [[nodiscard]] bool breakConnection() const {
        QFile pid(m_folder.filePath(QStringLiteral("pid")));
        if (!pid.open(QIODevice::ReadOnly)) return false;
        return ::kill(pid_t(pid.readAll().trimmed().toInt()), SIGKILL) == 0;
    }

private:
    QTemporaryDir m_folder;
    bool m_isReady = false;
};

} // namespace dynascope::test
