// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/export.h"

#include "app/gui/exporter.h"
#include "app/gui/main_window.h"
#include "app/gui/samples.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QThread>
#include <cstdio>

namespace dynascope::app {

using namespace views;

namespace {

/// Lets a capture be read, however long that takes, with a line on stderr now and then.
void waitForOpen(const MainWindow& window, const Workspace& workspace, TaskRunner& tasks,
                 const QString& what) {
    QElapsedTimer said;
    said.start();
    const auto line = QObject::connect(
        &tasks, &TaskRunner::progress, &window,
        [&](const QString& tag, const QString& phase, quint64 done, quint64 total) {
            if (tag != QLatin1String("open") || said.elapsed() < 5000) return;
            said.restart();
            std::fprintf(stderr, "dynascope: %s: %s, %.0f %%\n", qPrintable(what), qPrintable(phase),
                         total > 0 ? 100.0 * double(done) / double(total) : 0.0);
        });
    while (workspace.isOpening()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(2);
    }
    QObject::disconnect(line);
    settle(window);
}

} // namespace

int exportWindows(QApplication& app, const ExportOptions& options) {
    if (!QDir().mkpath(options.folder)) {
        std::fprintf(stderr, "dynascope: %s: the folder could not be made\n", qPrintable(options.folder));
        return 1;
    }
    QStringList paths = options.paths;
    if (paths.isEmpty())
        for (const Sample& sample : bundledSamples())
            paths << sample.path;
    Theme theme;
    theme.setScheme(options.scheme.value_or(ColourScheme::Dark));
    theme.apply(app);
    TaskRunner tasks;
    Workspace workspace(tasks);
    Settings settings{QString()};
    settings.setChecksStages(false); // pictures are of the capture alone
    bool unreadable = false;
    QObject::connect(&workspace, &Workspace::openFailed, &app, [&unreadable](const QString& message) {
        std::fprintf(stderr, "dynascope: %s\n", qPrintable(message));
        unreadable = true;
    });
    MainWindow window(workspace, theme, settings, nullptr, options.engine);
    window.resize(options.sizes.front());
    window.show();
    settle(window);
    Exporter exporter(theme, workspace, window, options);
    if (options.compare) {
        window.comparePaths(paths);
        waitForOpen(window, workspace, tasks, paths.join(QStringLiteral(", ")));
        if (workspace.place().page == Page::Compare) exporter.comparison();
        return unreadable ? 2 : exporter.failed() || anyUnfinished() ? 1 : 0;
    }
    exporter.welcome();
    for (const QString& path : paths) {
        const auto before = workspace.captures().size();
        window.openPaths({path});
        waitForOpen(window, workspace, tasks, path);
        if (workspace.captures().size() == before) continue;
        exporter.capture(int(before));
        // One at a time, so that each tree shows its own capture.
        workspace.close(int(before));
        settle(window);
    }
    return unreadable ? 2 : exporter.failed() || anyUnfinished() ? 1 : 0;
}

} // namespace dynascope::app
