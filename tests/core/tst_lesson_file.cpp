// SPDX-License-Identifier: BSD-3-Clause
//
// Reading a lesson's file, and what is said of a bad one.
#include "core/lessons/judge.h"
#include "core/lessons/lesson.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::lessons;

class TestLessonFile : public QObject {
    Q_OBJECT

    static QByteArray whole(const QByteArray& question = {}) {
        return "---\nname: short\ntitle: A short one\nminutes: 5\ncapture: samples/view_mutation.log\n---\n"
               "## First\nText with `code`.\n\n```python\n## no heading\n```\n"
               "```step\naside: x[0]\nopen: stages compile=0/0 node=\"add 1\"\n```\n"
               "```question\nkind: choose all\nask: Which?\njudge: stage.targets stage=dynamo_output_graph\n"
               "right: add | it adds\nwrong: mul | it does not | No node multiplies.\nhint: Look.\n" +
               question + "```\n## Second\nThe end.\n";
    }
    static Result<Lesson> read(const QByteArray& text) {
        return readLesson({text.constData(), std::size_t(text.size())}, "x.md");
    }

private slots:
    void aLesson() {
        const auto lesson = read(whole("because: It does.\nthen: breaks\n"));
        QVERIFY2(lesson, lesson ? "" : lesson.error().toString().c_str());
        QCOMPARE(lesson->title, std::string("A short one"));
        QCOMPARE(lesson->minutes, 5);
        QCOMPARE(lesson->steps.size(), std::size_t(2));
        const Step& step = lesson->steps.front();
        QVERIFY(step.text.find("## no heading") != std::string::npos);
        QVERIFY(step.text.find("ask:") == std::string::npos);
        QCOMPARE(step.aside, std::string("x[0]"));
        QCOMPARE(step.open->name, std::string("stages"));
        QCOMPARE(step.open->value("node"), std::string_view("add 1"));
        QCOMPARE(step.open->value("gone"), std::string_view());
        QCOMPARE(step.question->kind, Question::Kind::ChooseAll);
        QCOMPARE(step.question->then->name, std::string("breaks"));
        QCOMPARE(claimed(*step.question), std::vector<std::string>{"add"});
        QVERIFY(!lesson->steps.back().question);
        // Line ends of Windows are no difference.
        QByteArray windows = whole();
        QVERIFY(read(windows.replace("\n", "\r\n")));
    }

    /// Several recordings may solve what asks for one.
    void severalSolutions() {
        const auto lesson =
            read("---\nname: a\ntitle: b\n---\n## One\n```question\nkind: capture\nask: Record it.\n"
                 "judge: record.graphs\nright: one | a.log\nright: one | b.log\n"
                 "wrong: breaks | c.log | It breaks.\n```\n");
        QVERIFY2(lesson, lesson ? "" : lesson.error().toString().c_str());
        QCOMPARE(claimed(*lesson->steps.front().question), std::vector<std::string>{"one"});
    }

    void answers() {
        QCOMPARE(answerOf(" r, c  b "), (std::vector<std::string>{"b", "c", "r"}));
        QVERIFY(answerOf(" ,").empty());
        const std::vector<std::string_view> names = judgeNames();
        QVERIFY(names.size() > 20 && std::is_sorted(names.begin(), names.end()));
    }

    void badFiles_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const QByteArray& text, const char* error) {
            QTest::newRow(name) << text << QString::fromLatin1(error);
        };
        const QByteArray front = "---\nname: a\ntitle: b\n---\n";
        const QByteArray ask = front + "## One\n```question\nask: How many?\n";
        row("empty", "", "x.md:1: a lesson begins with --- and its name, title, minutes and order");
        row("open front", "---\nname: a\n", "x.md:2: the lines between --- and --- have no end");
        row("no name", "---\ntitle: b\n---\n",
            "x.md:3: name is missing, or has more than letters, digits, - and _");
        row("path", "---\nname: ../a\ntitle: b\n---\n",
            "x.md:4: name is missing, or has more than letters, digits, - and _");
        row("no title", "---\nname: a\n---\n", "x.md:3: title is missing");
        row("minutes", "---\nminutes: many\n---\n", "x.md:2: minutes is a number from 0 to 999");
        row("key", "---\nauthor: me\n---\n",
            "x.md:2: 'author' is none of name, title, about, capture, minutes, order");
        row("capture", "---\nname: a\ntitle: b\ncapture: /etc/passwd\n---\n",
            "x.md:5: capture names a file beside the lesson, or samples/NAME");
        row("up", "---\nname: a\ntitle: b\ncapture: x/../../y\n---\n",
            "x.md:5: capture names a file beside the lesson, or samples/NAME");
        row("no step", front, "x.md: the lesson has no step: a heading ## begins one");
        row("early text", front + "Hello\n", "x.md:5: text before the first heading ##");
        row("no heading", front + "## \n", "x.md:5: a step has a title");
        row("open fence", front + "## One\n```\ncode", "x.md:6: ``` has no end");
        row("open question", ask, "x.md:6: ``` has no end");
        row("no question", front + "## One\n```question\n```\n",
            "x.md:6: a question asks something: ask: ...");
        row("no judge", ask + "```\n", "x.md:6: a question has a judge");
        row("kind", ask + "kind: essay\n```\n",
            "x.md:8: kind is one of choose one, choose all, number, text, capture");
        row("word", ask + "judge: stage.nodes stage\n```\n",
            "x.md:8: after its name judge has words like key=value");
        row("quote", ask + "judge: stage.nodes stage=\"a\n```\n", "x.md:8: a quote has no end");
        row("twice", ask + "judge: stage.nodes k=1 k=2\n```\n", "x.md:8: k stands there twice");
        row("ask twice", ask + "ask: Again?\n```\n", "x.md:8: 'ask' stands there twice");
        row("field", ask + "colour: red\n```\n", "x.md:8: a question has no 'colour'");
        row("step field", front + "## One\n```step\ngo: far\n```\n",
            "x.md:7: a step has open and aside, no 'go'");
        row("two", ask + "judge: a\nright: x\nwrong: y | | no\n```\n```question\n",
            "x.md:12: a step has one question");
        row("one choice", ask + "judge: a\nright: x\n```\n",
            "x.md:6: a question to choose from has two choices at least");
        row("no right", ask + "judge: a\nwrong: x | | no\nwrong: y | | no\n```\n",
            "x.md:6: a question to choose from has a right choice");
        row("two right", ask + "judge: a\nright: x\nright: y\n```\n",
            "x.md:6: choose one has one right choice");
        row("same key", ask + "right: x\nright: x\n```\n", "x.md:9: two choices have the key 'x'");
        row("same key, two files",
            ask + "kind: choose all\njudge: a\nright: x | a.log\nright: x | b.log\n```\n",
            "x.md:6: two right choices have one key");
        row("same recording twice", ask + "kind: capture\nright: x | a.log\nright: x | a.log\n```\n",
            "x.md:10: two choices have the key 'x'");
        row("no hint", ask + "wrong: x | text\n```\n",
            "x.md:8: a wrong choice has a hint: wrong: KEY | text | what it overlooks");
        row("no answer", ask + "kind: number\njudge: a\n```\n", "x.md:6: a number or text has an answer");
        row("no number", ask + "kind: number\njudge: a\nanswer: four\n```\n",
            "x.md:6: the answer is no number");
        row("no miss", ask + "kind: number\njudge: a\nanswer: 4\n```\n",
            "x.md:6: a number or text has a wrong answer: miss: ANSWER | hint");
        row("half a miss", ask + "kind: number\nmiss: 5\n```\n",
            "x.md:9: miss has a wrong answer and its hint: miss: 4 | hint");
        row("no recording", ask + "kind: capture\njudge: a\nright: x | a file\nwrong: y | y.log | no\n```\n",
            "x.md:6: 'x' names a recording beside the lesson: wrong: x | FILE | hint");
    }
    void badFiles() {
        QFETCH(QByteArray, text);
        QFETCH(QString, error);
        const auto lesson = read(text);
        QVERIFY(!lesson);
        QCOMPARE(QString::fromStdString(lesson.error().toString()), error);
    }

    /// Whatever a file is cut to gets an answer.
    void cutAnywhere() {
        const QByteArray text = whole();
        for (qsizetype size = 0; size < text.size(); ++size)
            if (const auto lesson = read(text.left(size)); !lesson) QVERIFY(!lesson.error().message.empty());
    }

    void nothingToJudgeBy() {
        const auto lesson = read(whole());
        Question question = *lesson->steps.front().question;
        const auto verdict = judge(question, {"add"}, {});
        QVERIFY(!verdict);
        QCOMPARE(verdict.error().message, std::string("the capture of this step is not open"));
        question.judge.name = "stage.colour";
        QCOMPARE(judge(question, {}, {}).error().message, std::string("there is no judge 'stage.colour'"));
    }
};

QTEST_GUILESS_MAIN(TestLessonFile)
#include "tst_lesson_file.moc"
