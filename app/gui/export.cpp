// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/export.h"

#include "app/gui/exporter.h"
#include "app/gui/main_window.h"
#include "app/gui/samples.h"

#include <QApplication>
#include <QDir>
#include <cstdio>

namespace dynascope::app {

using namespace views;

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
        settle(window);
        if (workspace.place().page == Page::Compare) exporter.comparison();
        return unreadable ? 2 : exporter.failed() ? 1 : 0;
    }
    exporter.welcome();
    for (const QString& path : paths) {
        const auto before = workspace.captures().size();
        window.openPaths({path});
        settle(window);
        if (workspace.captures().size() == before) continue;
        exporter.capture(int(before));
        // One at a time, so that each tree shows its own capture.
        workspace.close(int(before));
        settle(window);
    }
    return unreadable ? 2 : exporter.failed() ? 1 : 0;
}

} // namespace dynascope::app
