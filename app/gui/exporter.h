// SPDX-License-Identifier: BSD-3-Clause
//
// Takes the pictures of --export.
#pragma once

#include "app/gui/export.h"
#include "views/theme/theme.h"
#include "views/workspace/page_spec.h"

#include <QDir>
#include <QString>
#include <set>

namespace dynascope::app {

class MainWindow;

/// Lets the event loop run until nothing more will change by itself, half a minute at most.
void settle(const MainWindow& window);
/// Whether any settle() gave up, after half a minute.
[[nodiscard]] bool anyUnfinished();

/// Keeps references to what it is given. GUI thread only.
class Exporter {
public:
    Exporter(views::Theme& theme, views::Workspace& workspace, MainWindow& window,
             const ExportOptions& options)
        : m_theme(theme)
        , m_workspace(workspace)
        , m_window(window)
        , m_options(options)
        , m_folder(options.folder) {}

    /// Everything that a capture has to show, in every size.
    void capture(int index);
    /// The comparison that is on screen, in every size and both looks.
    void comparison();
    void welcome();
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    class Pictures;
    [[nodiscard]] QString suffixOf(const QSize& size) const;
    /// The graphs, then the text diff.
    void comparisonPictures(const QString& what);
    /// The ranks against each other, or the first function that was compiled twice.
    void comparisons(int index);
    void pictures(int index);
    /// The other ways to look at compile time, over the whole capture.
    void compileTime();
    /// The panel empty, then with a note and two bookmarks, and their signs.
    void notes(int index);
    /// What the page takes of itself; nothing where it takes none.
    void page(const views::PageSpec& spec, views::Place place);
    void grabInBothLooks(const QString& name);
    /// A program that writes is there to be stepped through: the layout Functionalize at its second write, in
    /// both looks, its calling convention, and the timeline with what was computed. Nothing where there is no
    /// engine.
    void functionalization(views::Place place);
    /// The first node that the diff does not call the same, so that provenance shows.
    void selectTelling();
    /// Shows the graph with the most nodes; false where that is on screen already.
    bool selectBiggest(int index);
    QString uniqueName(const QString& title);
    void grab(const QString& what);
    void writeText(const QString& name, const QByteArray& text);
    void write(const QString& path, const QByteArray& content);

    views::Theme& m_theme;
    views::Workspace& m_workspace;
    MainWindow& m_window;
    const ExportOptions& m_options;
    QDir m_folder;
    QString m_name, m_suffix;
    std::set<QString> m_used;
    bool m_failed = false;
};

} // namespace dynascope::app
