// SPDX-License-Identifier: BSD-3-Clause
//
// A workspace with bundled samples open, for the tests of views.
#pragma once

#include "core/capture/open.h"
#include "views/models/workspace.h"

#include <QString>
#include <QtTest>

namespace dynascope::test {

inline QString samplePath(const QString& name) {
    return QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/%1.log").arg(name);
}

/// Reads a sample at once and adds it; the first one added is shown.
inline void addSample(views::Workspace& workspace, const QString& name) {
    auto session = capture::open(samplePath(name).toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    session::BreakSummary breaks = session::summarizeBreaks(**session);
    workspace.addCapture({*session, std::move(breaks)}, workspace.captures().empty());
}

} // namespace dynascope::test
