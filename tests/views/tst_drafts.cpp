// SPDX-License-Identifier: BSD-3-Clause
//
// Notes that outlive a crash: drafts by what a capture holds.
#include "core/session/byte_source.h"
#include "tests/support/open_captures.h"
#include "views/notes/drafts.h"
#include "views/notes/note_places.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <set>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// A program that writes notes; dropping it without a word is what a kill does.
struct Program {
    TaskRunner tasks;
    Workspace workspace{tasks};
    Notebook notebook{workspace};
    Drafts drafts;
    QSignalSpy restored{&drafts, &Drafts::restored};
    QSignalSpy failed{&drafts, &Drafts::failed};

    explicit Program(const QString& folder)
        : drafts(workspace, notebook, folder) {}
    void open(const QString& path) {
        const std::size_t before = workspace.captures().size();
        workspace.open(path);
        QTRY_COMPARE(workspace.captures().size(), before + 1);
        QTRY_VERIFY(!drafts.isBusy());
    }
    void write(const QString& text) {
        notebook.setNote(0, addressesHere(workspace).front(), text);
        QTRY_VERIFY(!drafts.isBusy());
    }
};

} // namespace

class TestDrafts : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString folder() const { return m_folder.filePath("drafts"); }
    [[nodiscard]] QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    [[nodiscard]] qsizetype count() const { return QDir(folder()).entryList(QDir::Files).size(); }

private slots:
    void cleanup() { QDir(folder()).removeRecursively(); }

    void comeBackAfterACrash() {
        {
            Program program(folder());
            program.open(test::samplePath("view_mutation"));
            QCOMPARE(count(), 0);
            program.write("not saved");
            program.notebook.toggleBookmark(0, addressesHere(program.workspace).back());
            QTRY_VERIFY(!program.drafts.isBusy());
            QCOMPARE(count(), 1);
        }
        // The same log at another place.
        QVERIFY(QFile::copy(test::samplePath("view_mutation"), path("moved.log")));
        {
            Program program(folder());
            program.open(path("moved.log"));
            QCOMPARE(program.restored.size(), 1);
            QCOMPARE(program.restored.first(), QVariantList({0, 1, 1, 0}));
            QCOMPARE(program.notebook.notes(0).at(0).text, std::string("not saved"));
            QVERIFY(program.notebook.isModified(0));
            // Another capture has none of it.
            program.open(test::samplePath("graph_breaks"));
            QCOMPARE(program.restored.size(), 1);
            QVERIFY(program.notebook.notes(1).empty());
        }
        Program program(folder());
        program.open(test::samplePath("view_mutation"));
        QCOMPARE(program.restored.size(), 1);
        program.drafts.discard(*program.workspace.session());
        QCOMPARE(count(), 0);
    }

    void goWithWhatIsTakenBack() {
        Program program(folder());
        program.open(test::samplePath("view_mutation"));
        program.write("not saved");
        QCOMPARE(count(), 1);
        program.notebook.undoStack().undo();
        QTRY_COMPARE(count(), 0);
    }

    void goWhenSaved() {
        const QString file = path("saved.dynascope");
        {
            Program program(folder());
            program.open(test::samplePath("view_mutation"));
            program.write("first");
            store::SessionContents contents = program.notebook.contents(0);
            const auto id = store::saveSession(file.toStdString(), contents);
            QVERIFY(id);
            contents.captureId = *id;
            program.notebook.setSaved(*program.workspace.session(), file, contents, {});
            QTRY_VERIFY(!program.drafts.isBusy());
            QCOMPARE(count(), 0);
            program.write("second, not in the file");
            QCOMPARE(count(), 1);
        }
        {
            // The capture itself has no draft: that of the file belongs to the file.
            Program program(folder());
            program.open(test::samplePath("view_mutation"));
            QCOMPARE(program.restored.size(), 0);
            QVERIFY(program.notebook.notes(0).empty());
        }
        Program program(folder());
        program.open(file);
        QCOMPARE(program.restored.size(), 1);
        QCOMPARE(program.notebook.notes(0).at(0).text, std::string("second, not in the file"));
        QVERIFY(program.notebook.isModified(0));
    }

    void whatStandsThereStays() {
        {
            Program program(folder());
            program.open(test::samplePath("view_mutation"));
            program.write("old");
        }
        Program program(folder());
        program.workspace.open(test::samplePath("view_mutation"));
        QTRY_COMPARE(program.workspace.captures().size(), std::size_t(1));
        program.notebook.setNote(0, addressesHere(program.workspace).front(),
                                 "new"); // before the draft is read
        QTRY_VERIFY(!program.drafts.isBusy());
        QCOMPARE(program.notebook.notes(0).size(), std::size_t(1));
        QCOMPARE(program.notebook.notes(0).at(0).text, std::string("new"));
    }

    void eachWindowHasItsOwn() {
        const auto texts = [](const Program& program) { return program.notebook.notes(0).at(0).text; };
        {
            Program first(folder()), second(folder());
            first.open(test::samplePath("view_mutation"));
            first.write("of the first");
            second.open(test::samplePath("view_mutation"));
            QCOMPARE(second.restored.size(), 0); // a living window's are not an earlier run's
            second.write("of the second");
            QCOMPARE(count(), 2);
            first.notebook.undoStack().undo();
            QTRY_COMPARE(count(), 1);
            first.write("of the first, again");
            QCOMPARE(count(), 2);
        }
        Program first(folder()), second(folder()), third(folder());
        first.open(test::samplePath("view_mutation"));
        QCOMPARE(first.restored.first(), QVariantList({0, 1, 0, 1}));
        second.open(test::samplePath("view_mutation"));
        QCOMPARE(second.restored.first(), QVariantList({0, 1, 0, 0}));
        QCOMPARE(std::set({texts(first), texts(second)}),
                 std::set<std::string>({"of the first, again", "of the second"}));
        third.open(test::samplePath("view_mutation"));
        QVERIFY(third.restored.isEmpty() && third.notebook.notes(0).empty());
        first.drafts.discard(*first.workspace.session());
        QCOMPARE(count(), 1);
        third.write("of the third");
        QCOMPARE(count(), 2);
    }

    void damagedOnesAreLeft() {
        {
            Program program(folder());
            program.open(test::samplePath("view_mutation"));
            program.write("text");
        }
        const QString name = QDir(folder()).entryList(QDir::Files).value(0);
        QFile file(QDir(folder()).filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("SQLite format 3, but not really");
        file.close();
        Program next(folder());
        next.open(test::samplePath("view_mutation"));
        QCOMPARE(next.restored.size(), 0);
        QVERIFY(next.notebook.notes(0).empty());
        next.write("again");
        QVERIFY(next.failed.isEmpty());
        QCOMPARE(count(), 2);
    }

    void aFolderThatCannotBeIsTold() {
        QFile file(path("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        Program program(path("file") + "/drafts");
        program.open(test::samplePath("view_mutation"));
        program.write("one");
        program.write("two");
        QCOMPARE(program.failed.size(), 1);
        QCOMPARE(program.notebook.notes(0).size(), std::size_t(1));
    }

    void namedByContent() {
        const auto named = [](std::vector<std::string> texts, const std::string& id = {}) {
            session::Inputs inputs;
            for (std::string& text : texts)
                inputs.files.push_back({"x", session::makeByteSource(std::move(text))});
            return draftName(inputs, id);
        };
        QCOMPARE(named({"a"}), named({"a"}));
        QVERIFY(named({"a"}) != named({"b"}));
        QVERIFY(named({"ab", "c"}) != named({"a", "bc"}));
        QVERIFY(named({"a"}) != named({"a"}, "id"));
        QCOMPARE(named({"a"}).size(), 64);
    }
};

QTEST_MAIN(TestDrafts)
#include "tst_drafts.moc"
