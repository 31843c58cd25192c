// SPDX-License-Identifier: BSD-3-Clause
//
// A workspace with bundled samples open, for the tests of views.
#pragma once

#include "core/capture/open.h"
#include "views/workspace/workspace.h"

#include <QString>
#include <QtTest>

namespace dynascope::test {

inline QString samplePath(const QString& name) {
    return QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/%1.log").arg(name);
}

/// Reads a capture at once and adds it; the first one added is shown.
inline void addCapture(views::Workspace& workspace, const QString& path) {
    auto session = capture::open(path.toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    session::BreakSummary breaks = session::summarizeBreaks(**session);
    workspace.addCapture({*session, std::move(breaks)}, workspace.captures().empty());
}

inline void addSample(views::Workspace& workspace, const QString& name) {
    addCapture(workspace, samplePath(name));
}

} // namespace dynascope::test
