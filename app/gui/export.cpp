// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/export.h"

#include "app/cli/info.h"
#include "app/gui/main_window.h"
#include "app/gui/samples.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/engine/calling_convention_panel.h"
#include "views/engine/engine.h"
#include "views/engine/functionalize_page.h"
#include "views/engine/stepper.h"
#include "views/engine/values_panel.h"
#include "views/models/labels.h"
#include "views/notes/note_places.h"
#include "views/notes/notebook.h"
#include "views/palette/palette.h"
#include "views/records/compile_time_panel.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QPixmap>
#include <QRegularExpression>
#include <QTabWidget>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <set>

namespace dynascope::app {

using namespace views;

namespace {

constexpr qint64 patienceMs = 30000;
constexpr std::size_t mostNodesToStepThrough = 1000;

/// Lets the event loop run until nothing more will change by itself.
void settle(const MainWindow& window) {
    QElapsedTimer timer;
    timer.start();
    int calm = 0;
    while (calm < 3 && timer.elapsed() < patienceMs) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::msleep(2);
        calm = window.isSettled() ? calm + 1 : 0;
    }
}

class Exporter {
public:
    Exporter(Theme& theme, Workspace& workspace, MainWindow& window, const ExportOptions& options)
        : m_theme(theme)
        , m_workspace(workspace)
        , m_window(window)
        , m_options(options)
        , m_folder(options.folder) {}

    void capture(int index) {
        const session::Session& session = *m_workspace.captures()[std::size_t(index)].session;
        m_name = uniqueName(toQString(session.title));
        writeText(m_name + QStringLiteral(".txt"), QByteArray::fromStdString(cli::infoText(session)));
        for (const QSize& size : m_options.sizes) {
            m_suffix = suffixOf(size);
            m_window.resize(size);
            settle(m_window);
            m_window.resetLayout();
            pictures(index);
        }
    }

    /// The comparison that is on screen, in every size and both looks.
    void comparison() {
        m_name = uniqueName(QStringLiteral("compare"));
        for (const QSize& size : m_options.sizes) {
            m_suffix = suffixOf(size);
            m_window.resize(size);
            settle(m_window);
            m_window.resetLayout();
            const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
            for (const ColourScheme look : {ColourScheme::Light, ColourScheme::Dark}) {
                m_theme.setScheme(look);
                comparisonPictures(look == ColourScheme::Dark ? QStringLiteral("dark")
                                                              : QStringLiteral("light"));
            }
            m_theme.setScheme(scheme);
        }
    }

    void welcome() {
        m_name = uniqueName(QStringLiteral("welcome"));
        grab({});
    }

    [[nodiscard]] bool failed() const { return m_failed; }

private:
    [[nodiscard]] QString suffixOf(const QSize& size) const {
        if (m_options.sizes.size() < 2) return {};
        return QStringLiteral("-%1x%2").arg(size.width()).arg(size.height());
    }

    /// The graphs, then the text diff.
    void comparisonPictures(const QString& what) {
        PairGraphs& graphs = *m_window.comparePage().graphs();
        graphs.canvas()->setMotion(false);
        grab(what);
        graphs.tabs()->setCurrentIndex(1);
        grab(what + QStringLiteral("-text"));
        graphs.tabs()->setCurrentIndex(0);
    }

    /// The ranks against each other, or the first function that was compiled twice.
    void comparisons(int index) {
        const session::SessionPtr session = m_workspace.captures()[std::size_t(index)].session;
        ComparisonRequest request;
        request.a = request.b = session;
        const auto twice = std::find_if(session->frames.begin(), session->frames.end(),
                                        [](const session::Frame& f) { return f.compiles.size() > 1; });
        if (session->ranks.size() > 1) {
            request.what = ComparisonRequest::What::Ranks;
        } else if (twice != session->frames.end()) {
            request.what = ComparisonRequest::What::Compiles;
            request.compileA = int(twice->compiles[0]);
            request.compileB = int(twice->compiles[1]);
        } else {
            return;
        }
        m_workspace.compare(request);
        comparisonPictures(QStringLiteral("compare"));
    }

    void pictures(int index) {
        const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
        Place place;
        place.capture = index;
        place.page = Page::Stages;
        if (m_workspace.captures()[std::size_t(index)].session->memory) {
            m_workspace.go(place);
            for (const ColourScheme look : {ColourScheme::Dark, ColourScheme::Light}) {
                m_theme.setScheme(look);
                grab(look == ColourScheme::Dark ? QStringLiteral("memory-dark")
                                                : QStringLiteral("memory-light"));
            }
            m_theme.setScheme(scheme);
            return;
        }
        m_window.stagesPage().compare()->setMotion(false); // else a picture may be taken on the way
        m_workspace.go(place);
        selectTelling();
        for (const ColourScheme look : {ColourScheme::Dark, ColourScheme::Light}) {
            m_theme.setScheme(look);
            grab(look == ColourScheme::Dark ? QStringLiteral("inspect-dark")
                                            : QStringLiteral("inspect-light"));
        }
        m_theme.setScheme(scheme);
        m_window.palette().open(QStringLiteral("sel"));
        grab(QStringLiteral("palette"));
        m_window.palette().dismiss();
        StagesPage& stages = m_window.stagesPage();
        const CompareView::Mode mode = stages.compare()->mode();
        stages.compare()->setMode(CompareView::Mode::Merged);
        grab(QStringLiteral("merged"));
        stages.compare()->setMode(mode);
        for (const char* panel :
             {"source", "bytecode", "outputcode", "textdiff", "guards", "inputs", "modules", "inspector",
              "provenance", "problems", "records", "compiletime"}) {
            emit m_workspace.panelRequested(QLatin1String(panel));
            grab(QStringLiteral("panel-") + QLatin1String(panel));
        }
        if (m_workspace.traceLine()) {
            emit m_workspace.panelRequested(QStringLiteral("provenance"));
            grab(QStringLiteral("panel-provenance-line"));
        }
        m_window.docks().find(QStringLiteral("provenance"))->close();
        compileTime();
        notes(index);
        functionalization(place);
        if (selectBiggest(index)) grab(QStringLiteral("folded"));
        if (!m_workspace.captures()[std::size_t(index)].breaks.groups.empty()) {
            place.page = Page::Breaks;
            m_workspace.go(place);
            grab(QStringLiteral("breaks"));
        }
        comparisons(index);
    }

    /// The other ways to look at compile time, over the whole capture.
    void compileTime() {
        LazyDock* dock = m_window.docks().find(QStringLiteral("compiletime"));
        auto* panel = qobject_cast<CompileTimePanel*>(dock->content());
        panel->setScope(CompileTimePanel::Scope::Capture);
        panel->setView(CompileTimePanel::View::LeftHeavy);
        grab(QStringLiteral("panel-leftheavy"));
        panel->setView(CompileTimePanel::View::Metrics);
        grab(QStringLiteral("panel-metrics"));
        panel->setView(CompileTimePanel::View::Flame);
        panel->setScope(CompileTimePanel::Scope::Compile);
        dock->close();
    }

    /// The panel empty, then with a note and two bookmarks, and their signs.
    void notes(int index) {
        emit m_workspace.panelRequested(QStringLiteral("notes"));
        grab(QStringLiteral("panel-notes-empty"));
        Notebook& notebook = m_window.notebook();
        const std::vector<ir::Address> here = addressesHere(m_workspace);
        for (std::size_t i = 0; i < std::min<std::size_t>(2, here.size()); ++i)
            notebook.toggleBookmark(index, here[i]);
        if (!here.empty())
            notebook.setNote(index, here.front(),
                             QStringLiteral("Where does this come from?\nAsk before the next release."));
        grab(QStringLiteral("panel-notes"));
        while (notebook.undoStack().canUndo())
            notebook.undoStack().undo();
        m_window.docks().find(QStringLiteral("notes"))->close();
    }

    static bool writes(const ir::GraphPtr& graph) {
        return graph && graph->size() <= mostNodesToStepThrough &&
               std::any_of(graph->nodes().begin(), graph->nodes().end(),
                           [](const ir::NodePtr& node) { return ir::opKind(*node) == ir::OpKind::Write; });
    }

    /// A program that writes is there to be stepped through: the layout Functionalize at its second write, in
    /// both looks, its calling convention, and the timeline with what was computed. Nothing where there is no
    /// engine.
    void functionalization(Place place) {
        m_workspace.go(place);
        settle(m_window);
        if (m_window.engine().state() == Engine::State::Absent || !writes(m_workspace.stage(Side::A).graph))
            return;
        m_window.actionRegistry().trigger(QStringLiteral("go.functionalize"));
        settle(m_window);
        if (!m_window.stepper().recording()) return;
        m_window.stepper().first();
        m_window.stepper().stepWrite(1);
        m_window.stepper().stepWrite(1);
        const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
        for (const ColourScheme look : {ColourScheme::Light, ColourScheme::Dark}) {
            m_theme.setScheme(look);
            grab(look == ColourScheme::Dark ? QStringLiteral("functionalize-dark")
                                            : QStringLiteral("functionalize-light"));
        }
        m_theme.setScheme(scheme);
        QTabWidget& lower = m_window.functionalizePage().lowerTabs();
        lower.setCurrentWidget(&m_window.functionalizePage().convention());
        m_window.stepper().last();
        grab(QStringLiteral("convention"));
        m_window.stepper().first();
        m_window.stepper().stepWrite(1);
        lower.setCurrentIndex(0);
        m_window.actionRegistry().trigger(QStringLiteral("go.stages"));
        grab(QStringLiteral("computed"));
        emit m_workspace.panelRequested(QStringLiteral("values"));
        for (ValuesPanel* values : m_window.findChildren<ValuesPanel*>())
            if (values->isVisible()) values->run();
        grab(QStringLiteral("panel-values"));
        // The older pass is wrong where a write has other readers: a verdict that is not green.
        m_window.passes().run(QStringLiteral("normalize_ir"), 0);
        grab(QStringLiteral("verdicts"));
        emit m_workspace.panelRequested(QStringLiteral("inspector"));
    }

    /// The first node that the diff does not call the same, so that provenance shows.
    void selectTelling() {
        settle(m_window);
        const auto diff = m_workspace.diff();
        if (!diff) return;
        for (ir::NodeIndex i = 0; i < diff->a.size(); ++i)
            if (diff->a[i] == diff::Change::Removed && diff->linksFromA(i).size() > 1) {
                m_workspace.selectNode({Side::A, i});
                return;
            }
        for (ir::NodeIndex i = 0; i < diff->b.size(); ++i)
            if (diff->b[i] == diff::Change::Added) {
                m_workspace.selectNode({Side::B, i});
                return;
            }
        const ir::GraphPtr& graph = m_workspace.stage(Side::B).graph;
        for (ir::NodeIndex i = 0; graph && i < graph->size(); ++i)
            if (graph->node(i).op == ir::Op::CallFunction) {
                m_workspace.selectNode({Side::B, i});
                return;
            }
    }

    /// Shows the graph with the most nodes; false where that is on screen already.
    bool selectBiggest(int index) {
        const session::Session& session = *m_workspace.captures()[std::size_t(index)].session;
        Place best;
        std::size_t most = 0;
        for (std::size_t c = 0; c < session.compiles.size(); ++c)
            for (std::size_t s = 0; s < session.compiles[c].stages.size(); ++s)
                if (const std::size_t nodes = session.compiles[c].stages[s]->nodeCount(); nodes > most) {
                    most = nodes;
                    best.capture = index;
                    best.compile = int(c);
                    best.stageB = int(s);
                    best.stageA = std::max(0, predecessor(session.compiles[c], int(s)));
                    best.page = Page::Stages;
                }
        if (most == 0) return false;
        m_workspace.go(best);
        return true;
    }

    QString uniqueName(const QString& title) {
        static const QRegularExpression unsafe(QStringLiteral("[^A-Za-z0-9._-]+"));
        QString base = QString(title).replace(unsafe, QStringLiteral("_"));
        if (base.isEmpty() || base.startsWith(u'.')) base.prepend(u'_');
        QString name = base;
        for (int n = 2; m_used.contains(name); ++n)
            name = QStringLiteral("%1-%2").arg(base).arg(n);
        m_used.insert(name);
        return name;
    }

    void grab(const QString& what) {
        settle(m_window);
        const QString part = what.isEmpty() ? QString() : u'-' + what;
        const QString file = m_folder.filePath(m_name + part + m_suffix + QStringLiteral(".png"));
        report(file, m_window.grab().save(file, "PNG"));
    }

    void writeText(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        report(file.fileName(), file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

    void report(const QString& file, bool written) {
        if (written) {
            std::printf("%s\n", qPrintable(file));
        } else {
            std::fprintf(stderr, "dynascope: %s: the file could not be written\n", qPrintable(file));
            m_failed = true;
        }
    }

    Theme& m_theme;
    Workspace& m_workspace;
    MainWindow& m_window;
    const ExportOptions& m_options;
    QDir m_folder;
    QString m_name, m_suffix;
    std::set<QString> m_used;
    bool m_failed = false;
};

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
