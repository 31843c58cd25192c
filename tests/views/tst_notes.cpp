// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and bookmarks: the notebook, its list and its panel.
#include "core/inductor/compile_passes.h"
#include "tests/support/open_captures.h"
#include "tests/support/parts.h"
#include "views/base/message_page.h"
#include "views/inductor/pass_place.h"
#include "views/notes/note_places.h"
#include "views/notes/notes_panel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

class TestNotes : public QObject {
    Q_OBJECT
private slots:
    void notesAndBookmarks();
    void undoes();
    void savedIsNotModified();
    void modelFollows();
    void writesAndJumps();
    void writesAboutStageAndFrame();
    void filtersSortsCopiesDeletes();
    void aboutGraphBreaks();
    void aboutPasses();
    void marksPlaces();
    void comesFromASessionFile();

private:
    Theme m_theme;
};

namespace {

/// What stands in the list's place while it is empty; else empty.
QString listMessage(const NotesPanel& panel) {
    const auto* message = test::part<MessagePage>(panel, "notes.message");
    return message->isVisibleTo(&panel) ? message->text() : QString();
}

struct Open {
    TaskRunner tasks;
    Workspace workspace{tasks};
    Notebook notebook{workspace};
    explicit Open(const QString& sample = QStringLiteral("view_mutation")) {
        if (!sample.isEmpty()) test::addSample(workspace, sample);
    }
    [[nodiscard]] ir::Address here() const { return addressesHere(workspace).front(); }
    ir::Address select(const char* node) {
        workspace.selectNode({Side::A, workspace.stage(Side::A).graph->find(node)});
        return here();
    }
};

} // namespace

void TestNotes::notesAndBookmarks() {
    Open open(QString{});
    QVERIFY(addressesHere(open.workspace).empty());
    test::addSample(open.workspace, "view_mutation");
    QVERIFY(open.here().node.empty() && !open.here().stage.empty());
    const ir::Address node = open.select("setitem");
    QCOMPARE(node.node, std::string("setitem"));
    Notebook& notebook = open.notebook;
    QSignalSpy changed(&notebook, &Notebook::changed);

    notebook.setNote(0, node, "  ");
    QCOMPARE(changed.size(), 0);
    QVERIFY(!notebook.isModified(0));
    notebook.setNote(0, node, "a write");
    notebook.setNote(0, node, "a write");
    QCOMPARE(changed.size(), 1);
    QVERIFY(notebook.isModified(0));
    QCOMPARE(notebook.note(0, node), QString("a write"));
    QVERIFY(notebook.notes(0).at(0).changed > 0);
    QVERIFY(!notebook.isBookmarked(0, node));
    notebook.toggleBookmark(0, node);
    QVERIFY(notebook.isBookmarked(0, node));
    notebook.setNote(0, node, "");
    notebook.toggleBookmark(0, node);
    QVERIFY(notebook.notes(0).empty() && notebook.bookmarks(0).empty());
    QVERIFY(!notebook.isModified(0)); // nothing to lose

    notebook.setNote(0, node, "gone with the capture");
    open.workspace.close(0);
    QVERIFY(notebook.notes(0).empty() && !notebook.undoStack().canUndo());
    notebook.setNote(0, node, "nowhere");
    notebook.toggleBookmark(0, node);
    QVERIFY(notebook.notes(0).empty() && notebook.bookmarks(0).empty());
    QVERIFY(!goToAddress(open.workspace, 0, node));
}

void TestNotes::undoes() {
    Open open;
    Notebook& notebook = open.notebook;
    const ir::Address stage = open.here(), node = open.select("setitem");
    for (const char* text : {"w", "wh", "why"})
        notebook.setNote(0, node, text); // typed: one step
    QCOMPARE(notebook.undoStack().count(), 1);
    notebook.setNote(0, stage, "stage");
    notebook.toggleBookmark(0, node);
    QCOMPARE(notebook.undoStack().count(), 3);
    notebook.remove(0, {node, stage, {}});
    QVERIFY(notebook.notes(0).empty() && notebook.bookmarks(0).empty());
    notebook.undoStack().undo();
    QCOMPARE(notebook.notes(0).size(), std::size_t(2));
    QCOMPARE(notebook.note(0, node), QString("why"));
    QVERIFY(notebook.isBookmarked(0, node));
    notebook.undoStack().undo();
    notebook.undoStack().undo();
    QCOMPARE(notebook.note(0, stage), QString());
    QCOMPARE(notebook.note(0, node), QString("why"));
    notebook.undoStack().undo();
    QVERIFY(notebook.notes(0).empty());
    QVERIFY(!notebook.isModified(0));
    for (int i = 0; i < 4; ++i)
        notebook.undoStack().redo();
    QVERIFY(notebook.notes(0).empty() && !notebook.undoStack().canRedo());
}

void TestNotes::savedIsNotModified() {
    Open open;
    Notebook& notebook = open.notebook;
    const ir::Address node = open.select("setitem");
    const session::Session& session = *open.workspace.session();
    notebook.setNote(0, node, "kept");
    store::SessionContents contents = notebook.contents(0);
    contents.captureId = "id";
    notebook.setNote(0, node, "changed while it was saved");
    notebook.setSaved(session, "/tmp/x.dynascope", contents, {});
    QVERIFY(notebook.isModified(0));
    QCOMPARE(notebook.file(0), QString("/tmp/x.dynascope"));
    QCOMPARE(notebook.captureId(0), std::string("id"));
    notebook.setSaved(session, "/tmp/x.dynascope", notebook.contents(0), {});
    QVERIFY(!notebook.isModified(0));
    // Undone: the file has what is not there any more. Redone: as saved.
    notebook.undoStack().undo();
    QVERIFY(notebook.isModified(0));
    notebook.undoStack().redo();
    QVERIFY(!notebook.isModified(0));
    // A stage computed since is something that the file does not have.
    auto made = std::make_shared<session::Stage>();
    made->name = "dce";
    made->phase = session::Phase::Computed;
    made->setGraph(open.workspace.stage(Side::A).graph);
    const int index = open.workspace.addComputed(made, 0, {});
    QVERIFY(notebook.isModified(0) && !notebook.hasUnsavedNotes(0));
    open.workspace.removeComputed(index);
    QVERIFY(!notebook.isModified(0));
}

void TestNotes::modelFollows() {
    Open open;
    NotesModel model(open.workspace, open.notebook);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const ir::Address stage = open.here(), node = open.select("setitem");
    open.notebook.setNote(0, node, "<b>bold</b>\nsecond");
    open.notebook.toggleBookmark(0, node);
    open.notebook.toggleBookmark(0, stage);
    QCOMPARE(model.rowCount(), 2);
    int bookmarked = 0;
    for (int row = 0; row < 2; ++row) {
        bookmarked += model.index(row, 0).data(NotesModel::BookmarkedRole).toBool();
        const QString text = model.index(row, NotesModel::Text).data().toString();
        if (text.isEmpty()) continue;
        QCOMPARE(text, QString("<b>bold</b> second"));
        QVERIFY(model.index(row, NotesModel::Place).data().toString().startsWith("setitem in "));
        QVERIFY(model.index(row, NotesModel::Text).data(Qt::ToolTipRole).toString().contains("&lt;b&gt;"));
        QVERIFY(model.index(row, NotesModel::Frame).data().toString().startsWith("0/0 "));
        QCOMPARE(model.index(row, NotesModel::Changed).data().toString().size(), 16);
    }
    QCOMPARE(bookmarked, 2);
    // A change of a text keeps the rows.
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset), data(&model, &QAbstractItemModel::dataChanged);
    open.notebook.setNote(0, node, "other");
    QCOMPARE(reset.size(), 0);
    QCOMPARE(data.size(), 1);
    test::addSample(open.workspace, "graph_breaks");
    QCOMPARE(model.rowCount(), 2);
    open.workspace.close(0);
    QCOMPARE(model.rowCount(), 0);
}

void TestNotes::writesAndJumps() {
    Open open(QString{});
    NotesPanel panel(open.workspace, open.notebook, m_theme);
    panel.resize(900, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QTRY_VERIFY(!panel.message().isEmpty()); // nothing is open
    test::addSample(open.workspace, "view_mutation");
    QTRY_VERIFY(panel.message().isEmpty());
    QVERIFY(listMessage(panel).contains("Ctrl+B"));
    const ir::Address node = open.select("setitem");
    panel.editHere();
    QVERIFY(test::part<QComboBox>(panel, "notes.about")->currentText().startsWith("Node setitem in "));
    QTest::keyClicks(test::part<QPlainTextEdit>(panel, "notes.editor"), "why here?");
    QCOMPARE(open.notebook.note(0, node), QString("why here?"));
    open.workspace.clearSelection();
    QTRY_COMPARE(test::part<QPlainTextEdit>(panel, "notes.editor")->toPlainText(),
                 QString()); // another place, another note
    QCOMPARE(open.notebook.note(0, node), QString("why here?"));
    QVERIFY(listMessage(panel).isEmpty());
    test::addSample(open.workspace, "graph_breaks");
    open.workspace.selectCompile(1, 0);

    QTRY_COMPARE(test::part<QTreeView>(panel, "notes.list")->model()->rowCount(), 1);
    const QRect row = test::part<QTreeView>(panel, "notes.list")
                          ->visualRect(test::part<QTreeView>(panel, "notes.list")->model()->index(0, 0));
    QTest::mouseClick(test::part<QTreeView>(panel, "notes.list")->viewport(), Qt::LeftButton, {},
                      row.center());
    QCOMPARE(open.workspace.place().capture, 0);
    QVERIFY(open.workspace.selectedNode());
    QCOMPARE(open.workspace.selectedNode()->name, std::string("setitem"));
    QTRY_COMPARE(test::part<QPlainTextEdit>(panel, "notes.editor")->toPlainText(), QString("why here?"));
    test::part<QPlainTextEdit>(panel, "notes.editor")->selectAll();
    QTest::keyClick(test::part<QPlainTextEdit>(panel, "notes.editor"), Qt::Key_Delete);
    QCOMPARE(test::part<QTreeView>(panel, "notes.list")->model()->rowCount(), 0);
}

void TestNotes::writesAboutStageAndFrame() {
    Open open;
    NotesPanel panel(open.workspace, open.notebook, m_theme);
    panel.resize(900, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    open.select("setitem");
    QTRY_COMPARE(test::part<QComboBox>(panel, "notes.about")->count(),
                 4); // node, its stage, the other stage, frame
    QStringList kinds;
    for (int i = 0; i < 4; ++i)
        kinds << test::part<QComboBox>(panel, "notes.about")->itemText(i).section(' ', 0, 0);
    QCOMPARE(kinds.join(' '), QString("Node Stage Stage Frame"));
    test::part<QComboBox>(panel, "notes.about")->setCurrentIndex(3);
    QTest::keyClicks(test::part<QPlainTextEdit>(panel, "notes.editor"), "hot");
    QTest::mouseClick(panel.findChild<QToolButton*>("bookmarkHere"), Qt::LeftButton);
    QCOMPARE(open.notebook.notes(0).size(), std::size_t(1));
    const ir::Address frame = open.notebook.notes(0).at(0).address;
    QVERIFY(frame.stage.empty() && frame.node.empty());
    QVERIFY(open.notebook.isBookmarked(0, frame));
    // Stays at what was chosen while that is selected.
    QTest::qWait(0);
    QCOMPARE(test::part<QComboBox>(panel, "notes.about")->currentIndex(), 3);
    QCOMPARE(test::part<QPlainTextEdit>(panel, "notes.editor")->toPlainText(), QString("hot"));
    test::part<QComboBox>(panel, "notes.about")->setCurrentIndex(1);
    QCOMPARE(test::part<QPlainTextEdit>(panel, "notes.editor")->toPlainText(), QString());
}

void TestNotes::filtersSortsCopiesDeletes() {
    Open open;
    NotesPanel panel(open.workspace, open.notebook, m_theme);
    panel.resize(900, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const ir::Address stage = open.here(), node = open.select("setitem");
    open.notebook.setNote(0, stage, "the whole stage");
    open.notebook.setNote(0, node, "one write\nand why");
    const QAbstractItemModel* rows = test::part<QTreeView>(panel, "notes.list")->model();
    QCOMPARE(rows->rowCount(), 2);
    auto* filter = panel.findChild<QLineEdit*>();
    QVERIFY(filter);
    filter->setText("WHOLE");
    QCOMPARE(rows->rowCount(), 1);
    filter->setText("setitem");
    QCOMPARE(rows->rowCount(), 1);
    filter->setText("nothing like it");
    QVERIFY(listMessage(panel).contains("nothing like it"));
    filter->clear();
    QVERIFY(listMessage(panel).isEmpty());

    test::part<QTreeView>(panel, "notes.list")->sortByColumn(NotesModel::Text, Qt::AscendingOrder);
    QCOMPARE(rows->index(0, NotesModel::Text).data().toString(), QString("one write and why"));
    test::part<QTreeView>(panel, "notes.list")->sortByColumn(NotesModel::Text, Qt::DescendingOrder);
    QCOMPARE(rows->index(0, NotesModel::Text).data().toString(), QString("the whole stage"));
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    test::part<QTreeView>(panel, "notes.list")->setFocus();
    test::part<QTreeView>(panel, "notes.list")->setCurrentIndex(rows->index(1, 0));
    QTest::keyClick(test::part<QTreeView>(panel, "notes.list"), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().contains("one write\nand why\t0/0 "));
    test::part<QTreeView>(panel, "notes.list")->selectAll();
    QTest::keyClick(test::part<QTreeView>(panel, "notes.list"), Qt::Key_Delete);
    QVERIFY(open.notebook.notes(0).empty());
    open.notebook.undoStack().undo();
    QCOMPARE(open.notebook.notes(0).size(), std::size_t(2));
}

void TestNotes::aboutGraphBreaks() {
    Open open("graph_breaks");
    Place place = open.workspace.place();
    setBreak(place, 1);
    open.workspace.go(place);
    const ir::Address broken = open.here();
    QCOMPARE(broken.stage, std::string(breakStage));
    const QString title = addressTitle(*open.workspace.session(), broken);
    QVERIFY2(title.startsWith("Graph break ") && title.contains(".py:"), qPrintable(title));
    open.notebook.setNote(0, broken, "move the print out");
    place.page = Page::Stages;
    open.workspace.go(place);
    QVERIFY(goToAddress(open.workspace, 0, broken));
    QCOMPARE(open.workspace.place().page, Page::Breaks);
    QCOMPARE(breakGroup(open.workspace.place()), 1);
    // It survives as text.
    QCOMPARE(ir::Address::parse(broken.toString()), broken);
    ir::Address wrong = broken;
    wrong.k = 99;
    QVERIFY(!goToAddress(open.workspace, 0, wrong));
    QCOMPARE(addressText(*open.workspace.session(), wrong), QString("graph_break#99"));
    wrong.k = -1;
    QVERIFY(!goToAddress(open.workspace, 0, wrong));
}

void TestNotes::aboutPasses() {
    Open open(QString{});
    test::addCapture(open.workspace, QStringLiteral(DYNASCOPE_TEST_DATA "/passes"));
    const session::Session& session = *open.workspace.session();
    const inductor::CompilePasses passes =
        inductor::passesOf(session, session.compiles[std::size_t(open.workspace.place().compile)]);
    const auto row = std::ranges::find_if(
        passes.rows, [](const inductor::PassRow& each) { return each.name() == "remove_noop_ops"; });
    QVERIFY(row != passes.rows.end());
    Place place = open.workspace.place();
    place.page = Page::Inductor;
    place.own.set(PassPlace{int(row - passes.rows.begin())});
    open.workspace.go(place);
    const ir::Address pass = open.here();
    QCOMPARE(pass.node, std::string("remove_noop_ops"));
    QVERIFY2(addressTitle(session, pass).startsWith("Pass remove_noop_ops, of 0/0"),
             qPrintable(addressTitle(session, pass)));
    open.notebook.toggleBookmark(0, pass);
    QVERIFY(open.notebook.isBookmarked(0, pass));
    // Elsewhere, and back.
    place.page = Page::Stages;
    open.workspace.go(place);
    place.page = Page::Inductor;
    place.own.set(PassPlace{0});
    open.workspace.go(place);
    QVERIFY(goToAddress(open.workspace, 0, pass));
    QCOMPARE(open.workspace.place().page, Page::Inductor);
    QCOMPARE(open.workspace.place().own.of<PassPlace>(), PassPlace{pass.k});
    // A schedule is of the compile.
    place.own.set(PassPlace{pass.k, true, -1, -1});
    open.workspace.go(place);
    QVERIFY(open.here().stage.empty());
    ir::Address wrong = pass;
    wrong.node = "another";
    QVERIFY(!goToAddress(open.workspace, 0, wrong));
    wrong = pass;
    wrong.k = 100'000;
    QVERIFY(!goToAddress(open.workspace, 0, wrong));
}

void TestNotes::marksPlaces() {
    Open open;
    QSignalSpy marked(&open.workspace, &Workspace::marksChanged);
    const ir::Address stage = open.here(), node = open.select("setitem");
    open.notebook.setNote(0, node, "one");
    open.notebook.toggleBookmark(0, open.select("y"));
    QCOMPARE(marked.size(), 2);
    const auto nodes = open.workspace.nodeMarks(Side::A);
    QCOMPARE(nodes.size(), std::size_t(2));
    QCOMPARE(nodes.at("setitem").note, QString("one"));
    QVERIFY(nodes.at("y").note.isEmpty() && nodes.at("y").bookmark);
    const StageMarks a = open.workspace.stageMarks(*open.workspace.stage(Side::A).stage);
    QCOMPARE(a.notes, 1);
    QCOMPARE(a.bookmarks, 1);
    QVERIFY(a.hasNote() && a.own == NoteMark{});
    QVERIFY(open.workspace.stageMarks(*open.workspace.stage(Side::B).stage).isEmpty());
    open.notebook.toggleBookmark(0, stage);
    QVERIFY(open.workspace.stageMarks(*open.workspace.stage(Side::B).stage).own.bookmark);
    test::addSample(open.workspace, "graph_breaks");
    open.workspace.selectCompile(1, 0);
    QVERIFY(open.workspace.marks().empty());
}

void TestNotes::comesFromASessionFile() {
    QTemporaryDir folder;
    const QString file = folder.filePath("s.dynascope");
    {
        Open open;
        const ir::Address node = open.select("setitem");
        open.notebook.setNote(0, node, "kept");
        open.notebook.toggleBookmark(0, node);
        store::SessionContents contents = open.notebook.contents(0);
        contents.notes.push_back(contents.notes.front()); // a file of somebody else's
        contents.notes.back().text = "a second at one place";
        QVERIFY(store::saveSession(file.toStdString(), contents));
    }
    Open open(QString{});
    QSignalSpy opened(&open.workspace, &Workspace::captureOpened);
    open.workspace.open(file);
    QTRY_COMPARE(opened.size(), 1);
    QCOMPARE(open.notebook.file(0), file);
    QVERIFY(!open.notebook.isModified(0));
    QCOMPARE(open.notebook.notes(0).size(), std::size_t(1));
    QCOMPARE(open.notebook.notes(0).at(0).text, std::string("kept"));
    QVERIFY(goToAddress(open.workspace, 0, open.notebook.bookmarks(0).at(0).address));
    QCOMPARE(open.workspace.selectedNode()->name, std::string("setitem"));
    QCOMPARE(open.workspace.session()->title, std::string("view_mutation"));
    open.notebook.setNote(0, open.notebook.bookmarks(0).at(0).address, "");
    QVERIFY(open.notebook.isModified(0));
}

QTEST_MAIN(TestNotes)
#include "tst_notes.moc"
