// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/runs_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/comparing.h"
#include "app/gui/runs_dialog.h"
#include "app/gui/settings.h"
#include "views/workspace/labels.h"

#include <QDir>
#include <QFileInfo>

namespace dynascope::app {

using namespace views;

RunsActions::RunsActions(const Shared& shared, Comparing& comparing)
    : WindowPart(shared)
    , m_comparing(comparing) {}

void RunsActions::addActions() {
    m_actions->add(
        spec("file.runs", tr("Runs..."), QStringLiteral("File"), {QKeySequence(tr("Ctrl+Alt+R"))}, "folder",
             tr("What dynascope-cli run recorded: open a run, compare two, follow one that goes on")),
        [this] { ask(); });
}

QString RunsActions::firstFolder() const {
    if (const session::Session* session = m_workspace.session()) {
        const QFileInfo input(toQString(session->inputs.path));
        const QDir run(input.isDir() ? input.absoluteFilePath() : input.absolutePath());
        if (run.exists(QStringLiteral("dynascope-run.json")))
            return QFileInfo(run.absolutePath()).absolutePath();
    }
    const QString last = m_settings.runsFolder();
    return last.isEmpty() ? QDir::current().filePath(QStringLiteral("dynascope-runs")) : last;
}

void RunsActions::make() {
    m_dialog = new RunsDialog(m_workspace.tasks(), m_theme, &m_window);
    connect(m_dialog, &RunsDialog::folderChosen, this,
            [this](const QString& folder) { m_settings.setRunsFolder(folder); });
    connect(m_dialog, &RunsDialog::openRequested, this, [this](const QString& path) {
        m_dialog->hide();
        emit pathsChosen({path});
    });
    connect(m_dialog, &RunsDialog::compareRequested, this, [this](const QString& one, const QString& other) {
        m_dialog->hide();
        m_comparing.openBoth({one, other});
    });
    connect(m_dialog, &RunsDialog::followRequested, this, &RunsActions::follow);
    m_dialog->setFolder(firstFolder());
}

void RunsActions::ask() {
    if (!m_dialog)
        make();
    else
        m_dialog->readAgain();
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void RunsActions::follow(const QString& path) {
    m_dialog->hide();
    m_settings.setFollowed(path, true); // read on as soon as it is open
    emit pathsChosen({path});
}

} // namespace dynascope::app
