// SPDX-License-Identifier: BSD-3-Clause
//
// The manual: whole, and true of the program. Every link leads somewhere; every menu path, key and command that it
// names is there; every page and panel has its place in it.
#include "app/gui/action_registry.h"
#include "app/gui/help_actions.h"
#include "app/gui/keyboard_page.h"
#include "app/gui/manual_window.h"
#include "app/gui/pages.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "views/base/nothing_matches.h"
#include "views/canvas/graph_canvas.h"

#include <QDir>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTextBlock>
#include <QTextBrowser>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

class TestManual : public QObject, private test::OpenWindow {
    Q_OBJECT

    static QStringList anchorsOf(const ManualPage& page) {
        QStringList out;
        for (const QString& line : page.text.split(u'\n'))
            if (line.startsWith(u'#')) out << manualAnchor(QString(line).remove(QRegularExpression("^#+ ")));
        return out;
    }
    static QList<QRegularExpressionMatch> matches(const QString& text, const char* pattern) {
        QList<QRegularExpressionMatch> out;
        for (auto found = QRegularExpression(QLatin1String(pattern)).globalMatch(text); found.hasNext();)
            out << found.next();
        return out;
    }
    [[nodiscard]] ManualWindow* manual() {
        auto* window_ = window().findChild<ManualWindow*>();
        return window_ && window_->isVisible() ? window_ : nullptr;
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void everyPageIsInTheContents() {
        const QStringList files = QDir(":/dynascope/manual").entryList({"*.md"});
        QVERIFY(files.size() > 15);
        QCOMPARE(std::size_t(files.size()), manualPages().size());
        for (const ManualPage& page : manualPages()) {
            QVERIFY2(files.contains(page.name + ".md"), qPrintable(page.name));
            QVERIFY2(page.text.startsWith("# ") && !page.title.isEmpty(), qPrintable(page.name));
        }
        // What is built in is what the sources have.
        const QStringList sources = QDir(DYNASCOPE_SOURCE_DIR "/docs/manual").entryList({"*.md"});
        QCOMPARE(files, sources);
    }

    void linksLeadSomewhere() {
        for (const ManualPage& page : manualPages())
            for (const auto& link : matches(page.text, R"(\]\(([^)]+)\))")) {
                const ManualPlace place = manualLink(page.name, link.captured(1));
                QVERIFY2(manualPage(place.page), qPrintable(page.name + ": " + link.captured(1)));
                if (!place.heading.isEmpty())
                    QVERIFY2(anchorsOf(*manualPage(place.page)).contains(place.heading),
                             qPrintable(page.name + ": " + link.captured(1)));
            }
        QCOMPARE(manualLink("breaks", "https://pytorch.org"), ManualPlace());
        QCOMPARE(manualLink("breaks", "nowhere.md"), ManualPlace());
    }

    /// "*File > Open...* (`Ctrl+O`)": the menu has it, and the key is its own.
    void menusAndKeysAreTheProgramsOwn() {
        workspace().openText("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n",
                             "x");
        QTRY_COMPARE(workspace().captures().size(), std::size_t(1));
        QVERIFY(settles()); // the canvas has brought its actions
        int paths = 0, keys = 0;
        for (const ManualPage& page : manualPages())
            for (
                const auto& match : matches(
                    page.text,
                    R"(\*((?:File|Edit|View|Go|Capture|Engine|Window|Help)(?: > [^*>]+)+)\*(?:\s+\(`([^`]+)`)?)")) {
                QStringList parts = match.captured(1).simplified().split(" > ");
                const QString text = parts.takeLast(), menu = parts.join('/');
                const QByteArray where = (page.name + ": " + match.captured(0)).toUtf8();
                if (menu == "View" && text == "Theme") continue; // a menu itself
                bool found = false;
                for (const ActionRegistry::Entry& entry : window().actionRegistry().entries()) {
                    if (entry.spec.menu != menu || QString(entry.spec.text).remove('&') != text) continue;
                    found = true;
                    if (match.captured(2).isEmpty()) continue;
                    QStringList has;
                    for (const QKeySequence& key : entry.spec.keys)
                        has << key.toString();
                    QVERIFY2(has.contains(match.captured(2)), where);
                    ++keys;
                }
                QVERIFY2(found, where);
                ++paths;
            }
        QVERIFY(paths > 60 && keys > 30);
    }

    void commandsAreTheProgramsOwn() {
        QProcess cli;
        cli.start(test::program("dynascope-cli"), {"--help"});
        QVERIFY(cli.waitForFinished(test::patience));
        const QString help = QString::fromUtf8(cli.readAllStandardOutput());
        QHash<QString, QString> commands; // their own help
        for (const ManualPage& page : manualPages())
            for (const auto& match : matches(page.text, R"(dynascope-cli ([a-z][a-z-]+)([^`\n]*))")) {
                const QString command = match.captured(1);
                QVERIFY2(help.contains(QRegularExpression("\\b" + command + "\\b")), qPrintable(command));
                if (!commands.contains(command)) {
                    QProcess own;
                    own.start(test::program("dynascope-cli"), {command, "--help"});
                    QVERIFY(own.waitForFinished(test::patience));
                    commands.insert(command, QString::fromUtf8(own.readAllStandardOutput()));
                }
                const QString options = match.captured(2).section(" -- ", 0, 0);
                for (const auto& option : matches(options, R"((--[a-z-]+))"))
                    QVERIFY2(commands[command].contains(option.captured(1)), qPrintable(match.captured(0)));
            }
        QVERIFY(commands.size() > 10);
    }

    void pagesAndPanelsHaveTheirPlace() {
        for (const PageSpec& spec : pageSpecs())
            QVERIFY2(manualPage(QLatin1String(spec.manual)), spec.name);
        const QStringList panels = anchorsOf(*manualPage("panels"));
        for (const LazyDock* dock : window().docks().all())
            QVERIFY2(panels.contains(manualAnchor(dock->windowTitle())), qPrintable(dock->windowTitle()));
        for (const char* text : {"Text diff", "Source", "Bytecode", "Output code"})
            QVERIFY2(panels.contains(manualAnchor(text)), text);
    }

    void whatIsThis() {
        window().openPaths({test::samplePath("graph_breaks")});
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(1), test::patience);
        QVERIFY(settles());
        const auto ask = [this] { window().actionRegistry().trigger("help.what"); };
        window().docks().raise(PanelId::Guards);
        auto* filter = window().docks().find(PanelId::Guards)->content()->findChild<QLineEdit*>();
        filter->setFocus();
        QTRY_VERIFY(filter->hasFocus());
        ask();
        QVERIFY(manual());
        QCOMPARE(manual()->place(), (ManualPlace{"panels", "guards"}));
        manual()->close();
        QTRY_VERIFY(!manual());
        window().activateWindow();
        auto* canvas = window().findChild<canvas::GraphCanvas*>();
        canvas->setFocus();
        QTRY_VERIFY(QApplication::focusWidget() == canvas);
        ask();
        QCOMPARE(manual()->place().page, QStringLiteral("large-graphs"));
        manual()->close();
        QTRY_VERIFY(!manual());
        window().pages().goTo(Page::Breaks);
        QVERIFY(settles());
        emit window().pages().manualAsked("breaks");
        QCOMPARE(manual()->place().page, QStringLiteral("breaks"));
    }

    void theListOfKeysSaysWhatItLacks() {
        window().actionRegistry().trigger("help.keyboard");
        auto* keys = window().findChild<KeyboardPage*>();
        QVERIFY(keys);
        auto* filter = keys->findChild<QLineEdit*>();
        filter->setText("zzz");
        const auto* word = keys->findChild<NothingMatches*>();
        QVERIFY(word && !word->isHidden());
        QCOMPARE(word->text(), QString("No action and no key matches zzz."));
        filter->setText("Ctrl+K");
        QVERIFY(word->isHidden());
        keys->close();
    }

    void readsAndSearches() {
        window().actionRegistry().trigger("help.manual");
        ManualWindow* shown = manual();
        QVERIFY(shown);
        auto* text = shown->findChild<QTextBrowser*>();
        auto* contents = shown->findChild<QListWidget*>();
        auto* search = shown->findChild<QLineEdit*>();
        QCOMPARE(text->document()->firstBlock().text(), QStringLiteral("Manual"));
        emit text->anchorClicked(QUrl("panels.md#records"));
        QCOMPARE(shown->place(), (ManualPlace{"panels", "records"}));
        QVERIFY(text->textCursor().block().text() == "Records");
        emit text->anchorClicked(QUrl("https://example.org/")); // leads out: nothing is opened
        QCOMPARE(shown->place().page, QStringLiteral("panels"));
        shown->goBack();
        QCOMPARE(shown->place().page, QStringLiteral("index"));
        shown->goForward();
        QCOMPARE(shown->place(), (ManualPlace{"panels", "records"}));
        search->setText("can_fuse nobody wrote this");
        int left = 0;
        for (int i = 0; i < contents->count(); ++i)
            left += !contents->item(i)->isHidden();
        QCOMPARE(left, 0);
        const auto* word = contents->findChild<EmptyMessage*>();
        QVERIFY(word && !word->isHidden());
        QCOMPARE(word->text(), QString("No page has can_fuse nobody wrote this in it."));
        search->setText("breakpoint");
        QVERIFY(word->isHidden());
        QCOMPARE(shown->place().page, QStringLiteral("dynamo"));
        QCOMPARE(text->textCursor().selectedText().toLower(), QStringLiteral("breakpoint"));
        search->clear();
        for (int i = 0; i < contents->count(); ++i)
            QVERIFY(!contents->item(i)->isHidden());
        contents->setCurrentRow(1);
        QCOMPARE(shown->place().page, manualPages()[1].name);
    }
};

QTEST_MAIN(TestManual)
#include "tst_manual.moc"
