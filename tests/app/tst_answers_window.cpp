// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/main_window.h"
#include "app/gui/window_docks.h"
#include "tests/support/captures.h"
#include "tests/support/open_window.h"
#include "tests/support/patience.h"
#include "tests/support/profiles.h"
#include "views/answers/answer_card.h"
#include "views/answers/answer_links.h"
#include "views/answers/answer_picture.h"
#include "views/answers/answers_page.h"
#include "views/answers/stage_checker.h"
#include "views/theme/theme.h"
#include "views/workspace/break_place.h"
#include "views/workspace/joined_profiles.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::views;
using answers::Answer;
using answers::Question;
using answers::Standing;

class TestAnswersWindow : public QObject {
    Q_OBJECT

    test::OpenWindow m_open;

    Workspace& workspace() { return m_open.workspace(); }
    AnswersPage& page() { return m_open.window().page<AnswersPage>(); }
    AnswerCard& card(Question question) { return *page().card(question); }
    QLabel* commandOf(Question question) {
        return card(question).findChild<QLabel*>(QStringLiteral("answer.command"));
    }

    static QString sample(const char* name) {
        return QStringLiteral(DYNASCOPE_TEST_DATA "/../../resources/samples/") + QLatin1String(name);
    }
    [[nodiscard]] bool open(const QString& path) {
        m_open.settings().setOpensOnAnswers(true);
        const std::size_t before = workspace().captures().size();
        m_open.window().openPaths({path});
        return QTest::qWaitFor([&] { return workspace().captures().size() > before; }, test::patience) &&
               m_open.settles();
    }
    static QToolButton* button(AnswerCard& card, const char* name) {
        return card.findChild<QToolButton*>(QLatin1String(name));
    }

private slots:
    void init() { QVERIFY(m_open.show()); }
    void cleanup() { m_open.close(); }

    /// A trace opens on its answers, and every question has one.
    void aTraceOpensOnItsAnswers() {
        QVERIFY(open(sample("graph_breaks.log")));
        QCOMPARE(workspace().place().page, Page::Answers);
        for (const Question question : answers::questions) {
            const answers::Answer& answer = card(question).answer();
            QVERIFY2(card(question).isVisibleTo(&page()), std::string(questionName(question)).c_str());
            QVERIFY(!answer.sentence.empty());
            QVERIFY(answer.standing != Standing::Checking);
            // The same words as on the command line.
            if (question != Question::Stages)
                QCOMPARE(answer.sentence, answers::answer(*workspace().session(), question).sentence);
        }
        QCOMPARE(card(Question::Breaks).answer().figure, std::string("16"));
        QVERIFY(page().text().contains(QStringLiteral("Change cap.py:27 first")));
        QVERIFY(page().text().indexOf(QStringLiteral("Why did the graph break")) <
                page().text().indexOf(QStringLiteral("Do the ranks agree")));
    }

    /// Answers, Profile and Graph breaks share one join of a capture's profile.
    void aProfileIsJoinedOnce() {
        QVERIFY(open(QStringLiteral(DYNASCOPE_TEST_DATA "/profile/breaks")));
        const Answer& answer = card(Question::RunTime).answer();
        const Answer alone = answers::answer(*workspace().session(), Question::RunTime);
        QCOMPARE(answer.sentence, alone.sentence);
        QCOMPARE(answer.figure, alone.figure);
        QCOMPARE(answer.items.size(), alone.items.size());
        for (const char* go : {"go.profile", "go.breaks"}) {
            m_open.window().actionRegistry().trigger(QLatin1String(go));
            QVERIFY(m_open.settles());
        }
        QCOMPARE(workspace().place().page, Page::Breaks);
        QCOMPARE(workspace().profiles().joins(), std::size_t(1));
    }

    void aProfileThatCannotBeJoined() {
        const session::SessionPtr session = test::unjoinableFolder("breaks");
        Workspace& all = workspace();
        all.addCapture({session, session::summarizeBreaks(*session)}, true);
        m_open.window().actionRegistry().trigger(QStringLiteral("go.answers"));
        QVERIFY(m_open.settles());
        const Answer& answer = card(Question::RunTime).answer();
        QCOMPARE(answer.standing, Standing::NotHere);
        QVERIFY2(answer.sentence.find("the disk is gone") != std::string::npos, answer.sentence.c_str());
    }

    void graphsOpenOnTheirStages() {
        QVERIFY(open(sample("sibling_views.json")));
        QCOMPARE(workspace().place().page, Page::Stages);
        m_open.window().actionRegistry().trigger(QStringLiteral("go.answers"));
        QVERIFY(m_open.settles());
        QCOMPARE(card(Question::Breaks).answer().standing, Standing::NotHere);
        QLabel* command = commandOf(Question::Breaks);
        QVERIFY(command->isVisible() && command->text().startsWith(QStringLiteral("TORCH_TRACE=")));
        button(card(Question::Breaks), "answer.copyCommand")->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), command->text());
        // As many lines as it takes, so that no command is cut.
        m_open.window().resize(1280, 800);
        QVERIFY(m_open.settles());
        for (const Question question :
             {Question::Breaks, Question::Recompiles, Question::Caches, Question::Memory}) {
            const QLabel* each = commandOf(question);
            if (!each->isVisible()) continue;
            QVERIFY2(each->height() >= each->heightForWidth(each->width()), qPrintable(each->text()));
            QVERIFY(each->width() > 100 && each->toolTip().contains(each->text().toHtmlEscaped()));
        }
    }

    void theSettingIsKept() {
        const auto opened = [this](const char* name) {
            const std::size_t before = workspace().captures().size();
            m_open.window().openPaths({sample(name)});
            return QTest::qWaitFor([&] { return workspace().captures().size() > before; }, test::patience) &&
                   m_open.settles();
        };
        QVERIFY(opened("view_mutation.log"));
        QCOMPARE(workspace().place().page, Page::Stages);
        m_open.window().actionRegistry().trigger(QStringLiteral("view.opensOnAnswers"));
        QVERIFY(m_open.settings().opensOnAnswers());
        QVERIFY(opened("encoder_train.log"));
        QCOMPARE(workspace().place().page, Page::Answers);
    }

    /// One click to the proof, and one key back.
    void everyLinkLeadsSomewhere() {
        QVERIFY(open(sample("graph_breaks.log")));
        const std::map<Question, Page> pages{{Question::Breaks, Page::Breaks},
                                             {Question::Recompiles, Page::Recompiles},
                                             {Question::Compiled, Page::Stages},
                                             {Question::CudaGraphs, Page::Replay},
                                             {Question::Memory, Page::Stages}};
        for (const auto& [question, leads] : pages) {
            QToolButton* link = button(card(question), "answer.link");
            QVERIFY2(link->isVisible(), std::string(questionName(question)).c_str());
            link->click();
            QCOMPARE(workspace().place().page, leads);
            QVERIFY(m_open.settles());
            if (question == Question::Compiled) { // all compiles, as the answer counts
                const auto buttons = m_open.window().findChildren<QAbstractButton*>();
                QVERIFY(std::ranges::any_of(buttons, [](const QAbstractButton* scope) {
                    return scope->text() == "Whole capture" && scope->isVisible() && scope->isChecked();
                }));
            }
            m_open.press(Qt::Key_Home, Qt::AltModifier);
            QCOMPARE(workspace().place().page, Page::Answers);
            QVERIFY(m_open.settles());
        }
        // The proof of memory is the node that holds most.
        QSignalSpy sought(&workspace(), &Workspace::nodeSought); // the canvas opens the blocks around it
        card(Question::Memory).findChild<QToolButton*>(QStringLiteral("answer.link"))->click();
        QCOMPARE(sought.size(), 1);
        QVERIFY(m_open.settles());
        QVERIFY(workspace().selectedNode());
        QCOMPARE(workspace().selectedNode()->name, card(Question::Memory).answer().proof.node);
        // Where nothing is wrong, what was read.
        QToolButton* records = button(card(Question::Reading), "answer.link");
        QVERIFY2(records->text().startsWith("Records"), qPrintable(records->text()));
        records->click();
        QVERIFY(m_open.settles());
        QVERIFY(m_open.window().docks().find(PanelId::Records)->isVisible());
    }

    void itemsByMouseAndKeyboard() {
        QVERIFY(open(sample("graph_breaks.log")));
        AnswerPicture& rows = *card(Question::Breaks).picture();
        QVERIFY(!rows.itemRect(2).isEmpty());
        QTest::mouseClick(&rows, Qt::LeftButton, {}, rows.itemRect(2).center());
        QCOMPARE(workspace().place().page, Page::Breaks);
        QCOMPARE(breakGroup(workspace().place()), 2);
        workspace().goBack();
        QVERIFY(m_open.settles());
        QCOMPARE(workspace().place().page, Page::Answers);
        rows.setFocus();
        QTest::keyClick(&rows, Qt::Key_Home);
        QTest::keyClick(&rows, Qt::Key_Down);
        QCOMPARE(rows.current(), 1);
        QTest::keyClick(&rows, Qt::Key_Return);
        QCOMPARE(breakGroup(workspace().place()), 1);
        workspace().goBack();
        AnswerPicture& cells = *card(Question::CudaGraphs).picture();
        QTest::mouseClick(&cells, Qt::LeftButton, {}, cells.itemRect(3).center());
        QCOMPARE(workspace().place().page, Page::Stages);
        QCOMPARE(std::size_t(workspace().place().compile),
                 card(Question::CudaGraphs).answer().items[3].target.compile);
    }

    void pagesOfAnyWidth() {
        QVERIFY(open(sample("graph_breaks.log")));
        for (const int width : {700, 1280, 2560}) {
            m_open.window().resize(width, 900);
            QVERIFY(m_open.settles());
            QCoreApplication::processEvents();
            for (const Question question : answers::questions) {
                AnswerCard& one = card(question);
                for (const Question other : answers::questions)
                    if (question != other)
                        QVERIFY2(!one.geometry().intersects(card(other).geometry()),
                                 std::string(questionName(question)).c_str());
                // Each sentence is shown whole.
                for (const QLabel* label : one.findChildren<QLabel*>())
                    if (label->isVisibleTo(&one) && label->wordWrap())
                        QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                                 qPrintable(label->text()));
            }
        }
    }

    /// Code does not wrap: where it would take the picture's room, the picture stands over it.
    void aLongChangeLeavesThePictureItsRoom() {
        Theme theme;
        AnswerCard card(theme, Question::Breaks);
        Answer answer;
        answer.standing = Standing::Change;
        answer.figure = "9";
        answer.picture = answers::Picture::Ranking;
        answer.items.resize(1);
        answer.items[0].label = "Builtin print cannot be traced";
        answer.change.title = "reorderable_logging_functions";
        answer.change.code = "torch._dynamo.config.reorderable_logging_functions.add(print)";
        card.setAnswer(answer, QStringLiteral("Graph breaks"), {});
        card.setWide(true);
        for (const int width : {620, 1400}) {
            card.resize(width, 400);
            card.show();
            QVERIFY(QTest::qWaitForWindowExposed(&card));
            const auto beside = [&] {
                const QPoint copy = button(card, "answer.copyChange")->mapTo(&card, QPoint());
                return copy.x() > card.picture()->geometry().right();
            };
            QTRY_COMPARE(beside(), width == 1400);
            QTRY_VERIFY(card.picture()->width() >= 290);
        }
    }

    /// Cards are as high as what they hold, also where an earlier arrangement had fewer rows.
    void aTallWindowStaysEmptyBelow() {
        m_open.window().resize(1600, 3000);
        QVERIFY(open(sample("encoder_train.log")));
        QCoreApplication::processEvents();
        int lowest = 0;
        for (const Question question : answers::questions)
            lowest = std::max(lowest, card(question).geometry().bottom());
        QVERIFY2(lowest > 200 && lowest < 1500, qPrintable(QString::number(lowest)));
    }

    /// Another capture has its own answers, and none of the one before.
    void anotherCapture() {
        QVERIFY(open(sample("graph_breaks.log")));
        QVERIFY(open(sample("encoder_train.log")));
        QCOMPARE(card(Question::Breaks).answer().figure, std::string("0"));
        QCOMPARE(card(Question::Breaks).answer().standing, Standing::InOrder);
        workspace().goBack();
        QVERIFY(m_open.settles());
        QCOMPARE(card(Question::Breaks).answer().figure, std::string("16"));
    }

    /// Without an engine nothing is checked, and the card says so.
    void withoutAnEngine() {
        QVERIFY(open(sample("encoder_train.log")));
        QCOMPARE(card(Question::Stages).answer().standing, Standing::NotHere);
        QVERIFY(commandOf(Question::Stages)->text().startsWith(QStringLiteral("dynascope-cli rederive ")));
    }
};

QTEST_MAIN(TestAnswersWindow)
#include "tst_answers_window.moc"
