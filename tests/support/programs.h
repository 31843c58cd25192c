// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>

namespace dynascope::test {

/// A program of the build that the running test belongs to: "dynascope-cli". Found from the test's own place,
/// so that the same object file serves every preset.
inline QString program(const char* name) {
    return QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/") + QLatin1String(name);
}

inline std::string engineProgram() {
    return program("dynascope-engine").toStdString();
}

} // namespace dynascope::test
