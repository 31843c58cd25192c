// SPDX-License-Identifier: BSD-3-Clause
//
// A lesson in the window: clicked through, answered wrongly and rightly, and gone on with in the next run.
#include "app/gui/lessons.h"
#include "app/gui/pages.h"
#include "app/gui/window_docks.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "views/lessons/lesson_panel.h"
#include "views/lessons/lesson_text.h"
#include "views/theme/theme.h"

#include <QClipboard>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeWidget>

using namespace dynascope;
using namespace dynascope::views;

class TestLessonWindow : public QObject {
    Q_OBJECT

    test::OpenWindow m_open;

    QWidget& panel() { return *m_open.window().docks().find(PanelId::Lesson)->content(); }
    template <typename T>
    T& part(const char* name) {
        return *test::part<T>(panel(), name);
    }
    QString said(const char* name) {
        QTextDocument text;
        text.setHtml(part<QLabel>(name).text());
        return text.toPlainText();
    }
    void click(const char* button) { QTest::mouseClick(&part<QPushButton>(button), Qt::LeftButton); }
    [[nodiscard]] bool begin(const char* lesson) {
        m_open.window().actionRegistry().trigger(QStringLiteral("lesson.") + QLatin1String(lesson));
        return QTest::qWaitFor([this] { return !m_open.workspace().captures().empty(); }, test::patience) &&
               m_open.settles();
    }
    void answer(const QString& text) {
        auto& field = part<QLineEdit>("lesson.field");
        field.selectAll();
        QTest::keyClicks(&field, text);
        QTest::keyClick(&field, Qt::Key_Return);
    }

private slots:
    void init() { QVERIFY(m_open.show()); }
    void cleanup() { m_open.close(); }

    void clickedThrough() {
        QVERIFY(begin("read_a_capture"));
        QCOMPARE(part<QLabel>("lesson.title").text(), QStringLiteral("What was compiled"));
        QCOMPARE(part<QLabel>("lesson.count").text(), QStringLiteral("1 of 5"));
        QTRY_COMPARE(m_open.workspace().place().page, Page::Answers);
        QVERIFY(part<LessonText>("lesson.text").toPlainText().contains(QStringLiteral("three lines")));
        click("lesson.copy");
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("def f(x, y):")));
        QVERIFY(!part<QPushButton>("lesson.check").isEnabled());
        answer(QStringLiteral("2"));
        QTRY_VERIFY(said("lesson.verdict").contains(QStringLiteral("0/0 alone is one compile")));
        QVERIFY(said("lesson.standing").contains(QStringLiteral("not right")));
        click("lesson.hint");
        QTRY_VERIFY(said("lesson.hints").contains(QStringLiteral("Hint 1 of 1")));
        answer(QStringLiteral("1"));
        QTRY_VERIFY(said("lesson.verdict").contains(QStringLiteral("called once")));
        QVERIFY(said("lesson.standing").endsWith(QStringLiteral(" right")));
        m_open.press(Qt::Key_X, Qt::AltModifier); // its mnemonic
        QTRY_COMPARE(m_open.workspace().place().page, Page::Stages);
        QCOMPARE(m_open.workspace().stage(Side::B).stage->name, std::string("aot_inference_graph"));
        // The live page leads elsewhere, and back.
        m_open.window().actionRegistry().trigger(QStringLiteral("go.answers"));
        click("lesson.place");
        QTRY_COMPARE(m_open.workspace().place().page, Page::Stages);
        click("lesson.next");
        QVERIFY(m_open.settles());
        QTRY_VERIFY(m_open.workspace().selectedNode());
        QCOMPARE(m_open.workspace().selectedNode()->name, std::string("select_scatter"));
        click("lesson.takeNode");
        QTRY_COMPARE(part<QLineEdit>("lesson.field").text(), QStringLiteral("select_scatter"));
        click("lesson.check");
        QTRY_VERIFY(said("lesson.standing").endsWith(QStringLiteral(" right")));
        part<QTreeWidget>("lesson.steps").setCurrentItem(part<QTreeWidget>("lesson.steps").topLevelItem(4));
        QTRY_COMPARE(part<QLabel>("lesson.count").text(), QStringLiteral("5 of 5"));
        QTest::mouseClick(&part<QAbstractButton>("lesson.choice.aten.copy.default"), Qt::LeftButton);
        QTRY_VERIFY(part<QPushButton>("lesson.check").isEnabled());
        m_open.press(Qt::Key_K, Qt::AltModifier);
        QTRY_VERIFY(said("lesson.verdict").contains(QStringLiteral("The copy is gone")));
        click("lesson.show");
        QTRY_VERIFY(said("lesson.standing").contains(QStringLiteral("shown")));
        QVERIFY(part<QAbstractButton>("lesson.choice.aten.add.Tensor").isChecked());
        QVERIFY(!part<QAbstractButton>("lesson.choice.aten.copy.default").isChecked());
    }

    void goesOnInTheNextRun() {
        QVERIFY(begin("read_a_capture"));
        answer(QStringLiteral("1"));
        QTRY_VERIFY(said("lesson.standing").endsWith(QStringLiteral(" right")));
        click("lesson.next");
        QVERIFY(m_open.reopen());
        QVERIFY(begin("read_a_capture"));
        QTRY_COMPARE(part<QLabel>("lesson.count").text(), QStringLiteral("2 of 5"));
        click("lesson.back");
        QTRY_VERIFY(said("lesson.standing").contains(QStringLiteral("answered before")));
    }

    /// A place on each page that lessons name, and in a capture of its own.
    void opensPlaces() {
        QVERIFY(begin("graph_breaks"));
        QTRY_COMPARE(m_open.workspace().place().page, Page::Breaks);
        for (int i = 0; i < 3; ++i)
            click("lesson.next");
        QTRY_COMPARE_WITH_TIMEOUT(m_open.workspace().captures().size(), std::size_t(2), test::patience);
        QVERIFY(m_open.settles());
        QTRY_COMPARE(m_open.workspace().place().capture, 1);
        click("lesson.check"); // as it is, the program breaks twice
        QTRY_VERIFY(said("lesson.verdict").contains(QStringLiteral("graph breaks")));
        QVERIFY(said("lesson.standing").contains(QStringLiteral("not right")));
    }

    /// Each step of each lesson is at the page, stages and node that it names, and the answer lies there.
    void everyStepHasItsPlace() {
        for (const app::LessonFile& file : app::bundledLessons()) {
            m_open.window().openLesson(QString::fromStdString(file.lesson.name));
            for (std::size_t i = 0; i < file.lesson.steps.size(); ++i) {
                const lessons::Call& open = *file.lesson.steps[i].open;
                const QString path = app::capturePath(file, &open);
                const std::string where = file.lesson.name + ' ' + std::to_string(i + 1);
                const auto isThere = [&] {
                    const OpenCapture* capture = m_open.workspace().capture();
                    const PageSpec* page = app::pageSpec(m_open.workspace().place().page);
                    return capture &&
                           QFileInfo(QString::fromStdString(capture->session->path)) == QFileInfo(path) &&
                           page && open.name == page->name;
                };
                QVERIFY2(QTest::qWaitFor(isThere, test::patience), where.c_str());
                QVERIFY2(m_open.settles(), where.c_str());
                for (const auto& [side, key] : {std::pair(Side::A, "a"), std::pair(Side::B, "b")})
                    if (!open.value(key).empty())
                        QCOMPARE(m_open.workspace().stage(side).stage->name, std::string(open.value(key)));
                if (!open.value("node").empty()) {
                    QVERIFY2(m_open.workspace().selectedNode(), where.c_str());
                    QCOMPARE(m_open.workspace().selectedNode()->name, std::string(open.value("node")));
                }
                if (const std::string_view compile = open.value("compile"); !compile.empty())
                    QCOMPARE(m_open.workspace().compile()->id.toString(), std::string(compile));
                if (i + 1 < file.lesson.steps.size()) click("lesson.next");
            }
        }
    }

    /// HTML of a stranger's lesson stays text, and its images are not looked for.
    void aStrangersLesson() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("x.md")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("---\nname: x\ntitle: <b>X</b>\n---\n## <i>One</i>\n<u>under</u> ![p](file:///etc/passwd) "
                   "[go](http://example.org)\n```question\nask: <u>What?</u>\nkind: number\nanswer: 1\nmiss: "
                   "2 | <b>no</b>\n"
                   "judge: compiles.count\n```\n");
        file.close();
        m_open.window().openLesson(file.fileName());
        QTRY_COMPARE(part<QLabel>("lesson.title").text(), QStringLiteral("<i>One</i>"));
        QVERIFY(part<LessonText>("lesson.text").toPlainText().contains(QStringLiteral("<u>under</u>")));
        QCOMPARE(said("lesson.ask"), QStringLiteral("<u>What?</u>"));
        answer(QStringLiteral("1"));
        QTRY_VERIFY(said("lesson.verdict").contains(QStringLiteral("is not open")));
        m_open.window().openLesson(QStringLiteral("nowhere"));
        QCOMPARE(part<QLabel>("lesson.title").text(), QStringLiteral("<i>One</i>"));
    }
};

QTEST_MAIN(TestLessonWindow)
#include "tst_lesson_window.moc"
