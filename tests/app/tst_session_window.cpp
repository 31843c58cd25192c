// SPDX-License-Identifier: BSD-3-Clause
//
// Session files in the window: saving, what comes back, the mark in the title, the question on closing, notes
// that outlive a crash.
#include "app/gui/action_registry.h"
#include "app/gui/chrome.h"
#include "app/gui/main_window.h"
#include "app/gui/session_keeper.h"
#include "app/gui/session_layout.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "core/capture/open.h"
#include "tests/support/key_conflicts.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_captures.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/notes/note_places.h"
#include "views/notes/notes_panel.h"
#include "views/palette/palette.h"
#include "views/palette/palette_model.h"

#include <QDir>
#include <QFile>
#include <QHelpEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QToolTip>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

class TestSessionWindow : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void savesAndOpensAgain();
    void whatCannotBeWrittenIsTold();
    void theWindowComesBack();
    void aGraphBreakComesBack();
    void aStrangersLayoutIsHarmless();
    void asksBeforeNotesAreLost();
    void savesBeforeItCloses();
    void notesSurviveACrash();
    void bookmarksByKey();
    void undoesByKey();
    void searchFindsNotes();
    void canvasesMarkNotes();

private:
    void start();
    void stop();
    void open(const QString& path);
    [[nodiscard]] QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    [[nodiscard]] Notebook& notebook() { return m_window->notebook(); }
    [[nodiscard]] ir::Address here() const { return addressesHere(*m_workspace).front(); }
    void select(const char* node) {
        m_workspace->selectNode({Side::A, m_workspace->stage(Side::A).graph->find(node)});
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(m_window.get(), key, modifiers);
    }
    /// Types into the panel's field.
    void write(const char* text) {
        m_window->actionRegistry().trigger("edit.note");
        QTest::keyClicks(test::part<QPlainTextEdit>(m_window->docks().notesPanel(), "notes.editor"), text);
    }
    [[nodiscard]] bool settles() {
        return QTest::qWaitFor([this] { return m_window->isSettled(); }, test::patience);
    }

    QTemporaryDir m_folder;
    Theme m_theme;
    int m_asked = 0;
    SessionKeeper::Unsaved m_answer = SessionKeeper::Unsaved::Cancel;
    QString m_file, m_suggested;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<MainWindow> m_window;
};

namespace {

std::shared_ptr<const store::SessionContents> savedIn(const QString& file) {
    const auto opened = capture::openSaved(file.toStdString());
    return opened ? opened->saved : nullptr;
}

} // namespace

void TestSessionWindow::start() {
    m_settings = std::make_unique<Settings>(path("settings.ini")); // drafts go beside it
    m_tasks = std::make_unique<TaskRunner>();
    m_workspace = std::make_unique<Workspace>(*m_tasks);
    m_settings->setOpensOnAnswers(false);
    m_window = std::make_unique<MainWindow>(*m_workspace, m_theme, *m_settings);
    m_window->session().setQuestions({[this](const QString&) {
                                          ++m_asked;
                                          return m_answer;
                                      },
                                      [this](const QString& suggestion) {
                                          m_suggested = suggestion;
                                          return m_file;
                                      }});
    m_window->resize(1600, 1000);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestSessionWindow::stop() {
    m_window.reset(); // without a close event: as a kill does
    m_workspace.reset();
    m_tasks.reset();
    m_settings.reset();
}

void TestSessionWindow::init() {
    m_asked = 0;
    m_answer = SessionKeeper::Unsaved::Cancel;
    m_file.clear();
    QFile::remove(path("settings.ini"));
    QDir(path("drafts")).removeRecursively();
    start();
}

void TestSessionWindow::cleanup() {
    stop();
}

void TestSessionWindow::open(const QString& path) {
    const auto before = m_workspace->captures().size();
    m_window->openPaths({path});
    QTRY_COMPARE_WITH_TIMEOUT(m_workspace->captures().size(), before + 1, test::patience);
    QVERIFY(settles());
}

void TestSessionWindow::savesAndOpensAgain() {
    ActionRegistry& actions = m_window->actionRegistry();
    QVERIFY(!actions.find("file.save")->isEnabled());
    QVERIFY(test::keyConflicts(actions).isEmpty());
    // The original goes away.
    QVERIFY(QFile::copy(test::samplePath("view_mutation"), path("run.log")));
    open(path("run.log"));
    QVERIFY(actions.find("file.save")->isEnabled() && actions.find("file.saveAs")->isEnabled());
    QVERIFY(!m_window->isWindowModified());
    QVERIFY(m_window->windowTitle().startsWith("run["));
    select("setitem");
    write("seen");
    press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(m_window->docks().find(PanelId::Notes)->isOpen());
    QVERIFY(m_window->isWindowModified());

    // No file was named: nothing is saved. Then one is, without its suffix.
    press(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(settles());
    QCOMPARE(m_suggested, path("run.dynascope"));
    QVERIFY(m_window->isWindowModified());
    m_file = path("a");
    press(Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(!m_window->isWindowModified());
    QVERIFY(m_window->windowTitle().startsWith("a.dynascope["));
    QCOMPARE(m_settings->recentFiles().value(0), path("a.dynascope"));
    QVERIFY(settles());
    QVERIFY(QFile::remove(path("run.log")));
    stop();
    start();

    open(path("a.dynascope"));
    QVERIFY(m_window->windowTitle().startsWith("a.dynascope["));
    QVERIFY(!m_window->isWindowModified());
    QCOMPARE(notebook().notes(0).size(), std::size_t(1));
    QCOMPARE(notebook().notes(0).at(0).text, std::string("seen"));
    QCOMPARE(notebook().bookmarks(0).at(0).address.node, std::string("setitem"));
    // To the file that is known, without a question.
    m_suggested.clear();
    notebook().setNote(0, here(), "seen twice");
    QVERIFY(m_window->isWindowModified());
    press(Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(!m_window->isWindowModified());
    QVERIFY(m_suggested.isEmpty());
    QCOMPARE(savedIn(path("a.dynascope"))->notes.at(0).text, std::string("seen twice"));
    // As another file: the first stays as it is.
    notebook().setNote(0, here(), "third");
    m_file = path("b.dynascope");
    press(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(m_window->windowTitle().startsWith("b.dynascope["));
    QCOMPARE(m_suggested, path("a.dynascope"));
    QCOMPARE(savedIn(path("a.dynascope"))->notes.at(0).text, std::string("seen twice"));
    QCOMPARE(savedIn(path("b.dynascope"))->notes.at(0).text, std::string("third"));
    QVERIFY(m_window->close());
    QCOMPARE(m_asked, 0);
}

void TestSessionWindow::whatCannotBeWrittenIsTold() {
    open(test::samplePath("view_mutation"));
    notebook().setNote(0, here(), "third");
    m_file = "/proc/none.dynascope";
    m_window->actionRegistry().trigger("file.save");
    QTRY_VERIFY(test::messageBar(*m_window).text().contains("/proc/none.dynascope"));
    QVERIFY(test::messageBar(*m_window).text().startsWith("Not saved. "));
    QVERIFY(!test::messageBar(*m_window).text().contains('\n'));
    QVERIFY(m_window->isWindowModified());
    QVERIFY(notebook().file(0).isEmpty());
}

void TestSessionWindow::aGraphBreakComesBack() {
    open(test::samplePath("graph_breaks"));
    m_workspace->selectCompile(0, 3);
    m_workspace->showBreak(1);
    QVERIFY(settles());
    const Place place = m_workspace->place();
    m_file = path("break.dynascope");
    m_window->actionRegistry().trigger("file.save");
    QTRY_VERIFY(!notebook().file(0).isEmpty());
    stop();
    start();

    open(path("break.dynascope"));
    QCOMPARE(m_workspace->place().page, Page::Breaks);
    QCOMPARE(m_workspace->place(), place);
    QVERIFY(!m_workspace->canGoBack());
}

void TestSessionWindow::theWindowComesBack() {
    open(test::samplePath("view_mutation"));
    const auto& stages = m_workspace->compile()->stages;
    m_workspace->selectStages(1, int(stages.size()) - 2);
    QVERIFY(settles());
    m_workspace->selectNode({Side::B, 1});
    m_window->page<StagesPage>().compare()->setMode(CompareView::Mode::SideBySide);
    m_window->page<StagesPage>().raisePanel(PanelId::Source);
    m_window->actionRegistry().trigger("window.problems");
    m_window->docks().find(PanelId::Guards)->close();
    QVERIFY(settles());
    m_window->page<StagesPage>().compare()->setView({1.5, {10, 20}, {-10, 15}});
    const CompareView::View view = m_window->page<StagesPage>().compare()->view();
    const Place place = m_workspace->place();
    m_file = path("layout.dynascope");
    m_window->actionRegistry().trigger("file.save");
    QTRY_VERIFY(!notebook().file(0).isEmpty());
    stop();
    start();

    open(path("layout.dynascope"));
    QCOMPARE(m_workspace->place(), place);
    QVERIFY(!m_workspace->canGoBack());
    QVERIFY(m_window->docks().find(PanelId::Problems)->isOpen());
    QVERIFY(!m_window->docks().find(PanelId::Guards)->isOpen());
    QVERIFY(m_window->docks().find(PanelId::Inspector)->isOpen());
    QVERIFY(m_window->page<StagesPage>().compare()->mode() == CompareView::Mode::SideBySide);
    QCOMPARE(m_window->page<StagesPage>().state()["panel"].toString(), QString("source"));
    // A scroll bar that came moves the middle by half its width.
    const auto close = [](QPointF a, QPointF b) { return (a - b).manhattanLength() < 8; };
    const CompareView& compare = *m_window->page<StagesPage>().compare();
    QTRY_COMPARE(compare.view().zoom, view.zoom);
    QTRY_VERIFY(close(compare.view().b, view.b));
    QVERIFY(close(compare.view().a, view.a));

    // Beside another capture only the place changes hands, not the window.
    m_window->docks().find(PanelId::Problems)->close();
    open(path("layout.dynascope"));
    QVERIFY(!m_window->docks().find(PanelId::Problems)->isOpen());
}

void TestSessionWindow::aStrangersLayoutIsHarmless() {
    store::SessionContents contents;
    contents.inputs = {"/home/u/x.log", false, {}};
    const auto source = capture::open(test::samplePath("view_mutation").toStdString());
    QVERIFY(source);
    contents.inputs = (*source)->inputs;
    const std::string deep(60000, '[');
    const std::pair<const char*, std::string> layouts[] = {
        {"window", deep},
        {"window",
         R"({"docks":{"docks":{"capture":{"open":"yes","area":7},"nobody":{},"notes":[]},"sizes":{"left":1e99}},)"
         R"("stages":{"panel":"none","mode":3,"canvas":-4},"view":{"zoom":1e308,"a":[1e300,0],"b":[]}})"},
        {"window",
         R"({"docks":{"docks":{"capture":{"area":"middle"}},"sizes":{"left":99999999}},"stages":[],)"
         R"("view":{"zoom":-1,"a":[0,0],"b":[0,0]}})"},
        {"place",
         R"({"compile":"0:0/0:0:","a":"x","b":"0:0/0:0:nothing#9999999999999:","node":"no","page":"welcome"})"},
        {"place", R"({"compile":"0:0/0:0:","page":"breaks","break":"0:0/0:0:graph_break#5:"})"},
        {"place", R"({"compile":"5:9/9:0:"})"},
        {"place", "\xff\xfe"}};
    for (const auto& [part, text] : layouts) {
        contents.layout = {{part, text}};
        const QString file = path("strange.dynascope");
        QVERIFY(store::saveSession(file.toStdString(), contents));
        open(file);
        QVERIFY(m_workspace->compile());
        QVERIFY(m_workspace->place().page == Page::Stages);
        m_window->actionRegistry().trigger("file.close");
        QCOMPARE(m_workspace->captures().size(), std::size_t(0));
    }
}

void TestSessionWindow::asksBeforeNotesAreLost() {
    open(test::samplePath("view_mutation"));
    notebook().toggleBookmark(0, here());
    QVERIFY(!m_window->close());
    QVERIFY(m_window->isVisible());
    m_window->actionRegistry().trigger("file.close");
    QCOMPARE(m_workspace->captures().size(), std::size_t(1));
    QCOMPARE(m_asked, 2);
    QVERIFY(settles());
    QCOMPARE(QDir(path("drafts")).entryList(QDir::Files).size(), 1);
    m_answer = SessionKeeper::Unsaved::Discard;
    m_window->actionRegistry().trigger("file.close");
    QCOMPARE(m_workspace->captures().size(), std::size_t(0));
    QCOMPARE(m_asked, 3);
    QCOMPARE(QDir(path("drafts")).entryList(QDir::Files).size(), 0); // given up
    QVERIFY(m_window->close());                                      // nothing to ask about
    QCOMPARE(m_asked, 3);
}

void TestSessionWindow::savesBeforeItCloses() {
    open(test::samplePath("view_mutation"));
    open(test::samplePath("graph_breaks"));
    notebook().setNote(0, addressOf(m_workspace->captures()[0].session->compiles[0]), "first");
    notebook().setNote(1, addressOf(m_workspace->captures()[1].session->compiles[0]), "second");
    m_answer = SessionKeeper::Unsaved::Save;
    // The dialog for the file is cancelled: nothing closes.
    QVERIFY(!m_window->close());
    QVERIFY(settles());
    QVERIFY(m_window->isVisible());
    int saved = 0;
    m_window->session().setQuestions(
        {[this](const QString&) { return m_answer; },
         [&](const QString&) { return path("close") + QString::number(++saved); }});
    QVERIFY(!m_window->close()); // not before it is saved
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(savedIn(path("close1.dynascope"))->notes.at(0).text, std::string("first"));
    QCOMPARE(savedIn(path("close2.dynascope"))->notes.at(0).text, std::string("second"));
    // A capture alone, to its own file.
    m_window->show();
    notebook().setNote(0, addressOf(m_workspace->captures()[0].session->compiles[0]), "once more");
    m_workspace->selectCompile(0, 0);
    m_window->actionRegistry().trigger("file.close");
    QTRY_COMPARE(m_workspace->captures().size(), std::size_t(1));
    QCOMPARE(savedIn(path("close1.dynascope"))->notes.at(0).text, std::string("once more"));
    QCOMPARE(saved, 2);
    // Where it cannot be saved it stays open.
    m_window->session().setQuestions({[this](const QString&) { return m_answer; },
                                      [](const QString&) { return QStringLiteral("/proc/none.dynascope"); }});
    open(test::samplePath("view_mutation"));
    m_workspace->selectCompile(1, 0);
    notebook().setNote(1, here(), "third");
    m_window->actionRegistry().trigger("file.close");
    QTRY_VERIFY(test::messageBar(*m_window).text().contains("Not saved"));
    QVERIFY(settles());
    QCOMPARE(m_workspace->captures().size(), std::size_t(2));
}

void TestSessionWindow::notesSurviveACrash() {
    open(test::samplePath("view_mutation"));
    select("setitem");
    write("before the crash");
    QTRY_VERIFY(!m_window->session().isBusy());
    stop();
    start();
    open(test::samplePath("view_mutation"));
    QCOMPARE(notebook().notes(0).at(0).text, std::string("before the crash"));
    QVERIFY(m_window->isWindowModified());
    QVERIFY(test::messageBar(*m_window).isVisible());
    QVERIFY(test::messageBar(*m_window).text().startsWith(
        "1 note of view_mutation came back from an earlier run."));
    m_file = path("after.dynascope");
    m_window->actionRegistry().trigger("file.save");
    QTRY_VERIFY(!m_window->isWindowModified());
    QVERIFY(settles());
    stop();
    start();
    open(test::samplePath("view_mutation")); // saved: nothing is left over
    QVERIFY(notebook().notes(0).empty());
    QVERIFY(!test::messageBar(*m_window).isVisible());
}

void TestSessionWindow::bookmarksByKey() {
    open(test::samplePath("view_mutation"));
    QAction* bookmark = m_window->actionRegistry().find("edit.bookmark");
    QAction* next = m_window->actionRegistry().find("go.nextBookmark");
    select("setitem");
    QVERIFY(bookmark->isEnabled() && !bookmark->isChecked() && !next->isEnabled());
    press(Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(notebook().bookmarks(0).size(), std::size_t(1));
    QCOMPARE(notebook().bookmarks(0).at(0).address.node, std::string("setitem"));
    QVERIFY(bookmark->isChecked());
    select("y");
    QVERIFY(!bookmark->isChecked());
    press(Qt::Key_B, Qt::ControlModifier);
    // Round and round.
    for (const char* node : {"setitem", "y", "setitem"}) {
        press(Qt::Key_F2, Qt::NoModifier);
        QCOMPARE(m_workspace->selectedNode()->name, std::string(node));
    }
    press(Qt::Key_F2, Qt::ShiftModifier);
    QCOMPARE(m_workspace->selectedNode()->name, std::string("y"));
    press(Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(notebook().bookmarks(0).size(), std::size_t(1));
    // From somewhere else too.
    m_workspace->clearSelection();
    press(Qt::Key_F2, Qt::NoModifier);
    QCOMPARE(m_workspace->selectedNode()->name, std::string("setitem"));
    press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(!m_window->isWindowModified());
}

void TestSessionWindow::undoesByKey() {
    open(test::samplePath("view_mutation"));
    QAction* undo = m_window->actionRegistry().find("edit.undo");
    QVERIFY(!undo->isEnabled());
    select("setitem");
    notebook().setNote(0, here(), "one");
    QVERIFY(undo->isEnabled());
    QVERIFY2(undo->text().startsWith("Undo note at setitem in "), qPrintable(undo->text()));
    m_window->centralWidget()->setFocus();
    press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(notebook().notes(0).empty());
    QVERIFY(!undo->isEnabled());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(notebook().note(0, here()), QString("one"));
}

void TestSessionWindow::searchFindsNotes() {
    open(test::samplePath("view_mutation"));
    select("setitem");
    notebook().setNote(0, here(), "the suspicious\nwrite");
    m_workspace->clearSelection();
    press(Qt::Key_K, Qt::ControlModifier);
    Palette& palette = m_window->palette();
    QTest::keyClicks(test::part<QLineEdit>(palette, "palette.field"), "suspicious");
    QTRY_COMPARE(palette.model().result().found[int(PaletteKind::Note)], std::size_t(1));
    QTRY_VERIFY(palette.model().hit(1) && palette.model().hit(1)->title == "the suspicious write");
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(m_workspace->selectedNode()->name, std::string("setitem"));
    // All of them, by their prefix.
    m_window->palette().open("*");
    QTRY_COMPARE(palette.model().result().hits.size(), std::size_t(1));
    palette.dismiss();
}

void TestSessionWindow::canvasesMarkNotes() {
    open(test::samplePath("view_mutation"));
    m_window->page<StagesPage>().compare()->setMode(CompareView::Mode::SideBySide);
    QVERIFY(settles());
    // As the tips of the cards say them.
    const auto noted = [this] {
        QStringList texts;
        for (auto* pane : m_window->page<StagesPage>().compare()->findChildren<canvas::GraphCanvas*>())
            for (std::size_t item = 0; pane->scene() && item < pane->scene()->items.size(); ++item) {
                const QPoint at = pane->viewRectOf(int(item)).center().toPoint();
                QHelpEvent help(QEvent::ToolTip, at, pane->viewport()->mapToGlobal(at));
                QCoreApplication::sendEvent(pane->viewport(), &help);
                static const QRegularExpression note(QStringLiteral("<p>Note: ([^<]*)</p>"));
                if (const auto found = note.match(QToolTip::text()); found.hasMatch())
                    texts << found.captured(1);
            }
        return texts;
    };
    select("setitem");
    notebook().setNote(0, here(), "look");
    QCOMPARE(noted(), QStringList{"look"});
    const QImage with = m_window->page<StagesPage>().compare()->grab().toImage();
    notebook().undoStack().undo();
    QVERIFY(noted().isEmpty());
    QVERIFY(m_window->page<StagesPage>().compare()->grab().toImage() != with);
    notebook().undoStack().redo();
    // Also in the pictures that come later, and in the merged one.
    m_window->actionRegistry().trigger("go.nextStage");
    m_window->actionRegistry().trigger("go.back");
    QVERIFY(settles());
    QCOMPARE(noted(), QStringList{"look"});
    m_window->page<StagesPage>().compare()->setMode(CompareView::Mode::Merged);
    QVERIFY(settles());
    QTRY_COMPARE(noted(), QStringList{"look"});
}

QTEST_MAIN(TestSessionWindow)
#include "tst_session_window.moc"
