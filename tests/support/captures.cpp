// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/captures.h"

#include "tests/support/archive.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <memory>

namespace dynascope::test {

namespace {

bool unpack(const QString& archivePath, const QString& folder) {
    const std::vector<ArchiveFile> files = readArchive(archivePath.toStdString());
    for (const ArchiveFile& file : files) {
        const QString path = folder + '/' + QString::fromStdString(file.path);
        QFile out(path);
        if (!QDir().mkpath(QFileInfo(path).path()) || !out.open(QIODevice::WriteOnly)) return false;
        if (out.write(file.content.data(), static_cast<qint64>(file.content.size())) < 0) return false;
    }
    return !files.empty();
}

} // namespace

QString captures() {
    static const auto folder = [] {
        auto made = std::make_unique<QTemporaryDir>();
        const bool done =
            made->isValid() &&
            unpack(QStringLiteral(DYNASCOPE_TEST_DATA "/captures/captures.tar.zst"), made->path());
        return done ? std::move(made) : nullptr;
    }();
    return folder ? folder->path() : QString();
}

QString capture(const QString& name) {
    const QStringList logs =
        QDir(captures() + '/' + name).entryList({QStringLiteral("*.log")}, QDir::Files, QDir::Name);
    return logs.isEmpty() ? QString() : captures() + '/' + name + '/' + logs.first();
}

QStringList traceLogs() {
    QStringList out;
    QDirIterator files(captures(), {QStringLiteral("dedicated_log_torch_trace_*.log")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext())
        out.append(files.next());
    out.sort();
    return out;
}

} // namespace dynascope::test
