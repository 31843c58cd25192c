// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/flight_actions.h"

#include "app/gui/action_specs.h"
#include "core/capture/flight_reader.h"
#include "views/workspace/labels.h"
#include "views/workspace/ranks_place.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

bool isDump(const QString& path) {
    return capture::isDumpName(QFileInfo(path).fileName().toStdString());
}

/// The folder of dumps that a path stands for; empty where it is another thing.
QString folderOfDumps(const QString& path) {
    const QFileInfo info(path);
    if (!info.isDir()) return isDump(path) ? info.absolutePath() : QString();
    const QStringList files = QDir(path).entryList(QDir::Files);
    return !files.isEmpty() && std::ranges::all_of(files, isDump) ? path : QString();
}

} // namespace

bool FlightActions::canAttach() const {
    return m_workspace.session() && m_workspace.session()->ranks.size() > 1;
}

void FlightActions::addActions() {
    m_actions->add(spec("file.attachFlight", tr("Attach flight-recorder dumps..."), QStringLiteral("File"),
                        {}, "rank",
                        tr("Read the dumps of PyTorch's flight recorder, which say who waits for whom")),
                   [this] { ask(); });
}

void FlightActions::updateActions() {
    if (QAction* action = m_actions->find(QStringLiteral("file.attachFlight")))
        action->setEnabled(canAttach());
}

void FlightActions::ask() {
    if (!canAttach()) return;
    const QString folder = QFileDialog::getExistingDirectory(
        &m_window, tr("Flight-recorder dumps"),
        QFileInfo(toQString(m_workspace.session()->inputs.path)).absolutePath());
    if (!folder.isEmpty()) attach(folder);
}

void FlightActions::attach(const QString& folder) {
    Place place = m_workspace.place();
    attachFlight(place, *m_workspace.capture(), folder.toStdString());
    m_workspace.go(place);
}

void FlightActions::takeDropped(const QStringList& paths) {
    QStringList left;
    QString found;
    for (const QString& path : paths) {
        const QString folder = canAttach() ? folderOfDumps(path) : QString();
        if (folder.isEmpty())
            left << path;
        else
            found = folder;
    }
    if (!found.isEmpty()) attach(found);
    if (!left.isEmpty()) emit pathsLeft(left);
}

} // namespace dynascope::app
