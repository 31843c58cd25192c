// SPDX-License-Identifier: BSD-3-Clause
//
// Every bundled lesson is played: what it says is right is what the judge finds in the capture, and a wrong answer gets the
// hint that it deserves.
#include "app/gui/lessons.h"
#include "core/base/document.h"
#include "core/base/text.h"
#include "core/capture/open.h"
#include "core/computed/functional_recording.h"
#include "core/ir/text.h"
#include "core/lessons/judge.h"

#include <QFile>
#include <QFileInfo>
#include <QtTest>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

using namespace dynascope;
using namespace dynascope::lessons;
using app::LessonFile;

class TestLessons : public QObject {
    Q_OBJECT

    std::vector<LessonFile> m_lessons;
    std::map<QString, session::SessionPtr> m_sessions;
    std::unique_ptr<computed::FunctionalRecording> m_functional;

    const session::SessionPtr& session(const QString& path) {
        session::SessionPtr& found = m_sessions[path];
        if (found) return found;
        auto opened = capture::open(path.toStdString());
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        return found = *opened;
    }
    static QByteArray bytesOf(const char* path) {
        QFile file{QString::fromLatin1(path)};
        if (!file.open(QIODevice::ReadOnly)) qFatal("no %s", path);
        return file.readAll();
    }
    /// What an engine answered of sibling_views.json.
    void functionalize() {
        const auto sample = nlohmann::json::parse(
            bytesOf(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json").toStdString());
        const auto replies =
            nlohmann::json::parse(bytesOf(DYNASCOPE_TEST_DATA "/engine/sibling_views.json").toStdString());
        auto reply =
            wire::decode<wire::PassReply>(replies["functionalize/mutations"], wire::Missing::NotSaid);
        QVERIFY(reply);
        computed::FunctionalRun run =
            computed::functionalRun(*reply, *ir::readGraph(sample["before"].get<std::string>()));
        const session::SessionPtr sibling =
            session(QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json"));
        run.program = computed::programOf(*sibling, sibling->compiles.front(), *run.source);
        m_functional = std::make_unique<computed::FunctionalRecording>(std::move(run));
    }
    JudgedFacts factsOf(const LessonFile& file, const Step& step) {
        JudgedFacts facts;
        facts.session = session(capturePath(file, step.open ? &*step.open : nullptr));
        if (step.question->judge.name.starts_with("functionalize.")) facts.functional = m_functional.get();
        return facts;
    }

    void playRecorded(const LessonFile& file, const Question& question) {
        for (const Choice& choice : question.choices) {
            JudgedFacts facts;
            facts.session = session(QFileInfo(file.path).path() + u'/' + QString::fromStdString(choice.text));
            const auto verdict = judge(question, {}, facts);
            QVERIFY(verdict);
            QCOMPARE(verdict->found.keys, std::vector<std::string>{choice.key});
            QCOMPARE(verdict->right, choice.right);
            QVERIFY(!verdict->found.words.empty());
            QCOMPARE(hintFor(question, {}, *verdict), choice.right ? std::string() : choice.hint);
        }
    }
    void playWrong(const Question& question, const JudgedFacts& facts, const std::vector<std::string>& answer,
                   const std::string& hint) {
        const auto verdict = judge(question, answer, facts);
        QVERIFY(verdict);
        QVERIFY2(!verdict->right, answer.empty() ? "" : answer.front().c_str());
        QCOMPARE(QString::fromStdString(hintFor(question, answer, *verdict)), QString::fromStdString(hint));
    }

private slots:
    void initTestCase() {
        m_lessons = app::bundledLessons();
        functionalize();
    }

    void allAreThere() {
        std::size_t files = 0;
        for (const QFileInfo& file : QDir(QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/lessons"))
                                         .entryInfoList({QStringLiteral("*.md")}))
            files += file.fileName() != QLatin1String("README.md");
        QCOMPARE(m_lessons.size(), files);
        for (std::size_t i = 0; i < m_lessons.size(); ++i) {
            const LessonFile& file = m_lessons[i];
            QCOMPARE(QFileInfo(file.path).completeBaseName(), QString::fromStdString(file.lesson.name));
            QVERIFY(file.lesson.minutes > 0 && !file.lesson.about.empty());
            QCOMPARE(file.lesson.order, int(i) + 1);
        }
    }

    void play_data() {
        QTest::addColumn<int>("lesson");
        QTest::addColumn<int>("step");
        for (std::size_t i = 0; i < m_lessons.size(); ++i)
            for (std::size_t k = 0; k < m_lessons[i].lesson.steps.size(); ++k)
                QTest::newRow((m_lessons[i].lesson.name + ' ' + std::to_string(k + 1)).c_str())
                    << int(i) << int(k);
    }
    void play() {
        QFETCH(int, lesson);
        QFETCH(int, step);
        const LessonFile& file = m_lessons[std::size_t(lesson)];
        const Step& played = file.lesson.steps[std::size_t(step)];
        QVERIFY(played.open);
        QVERIFY(QFileInfo::exists(capturePath(file, &*played.open)));
        if (!played.question) return;
        const Question& question = *played.question;
        if (question.kind == Question::Kind::Capture) return playRecorded(file, question);
        const JudgedFacts facts = factsOf(file, played);
        const auto verdict = judge(question, claimed(question), facts);
        QVERIFY2(verdict, verdict ? "" : verdict.error().toString().c_str());
        QCOMPARE(QString::fromStdString(joined(verdict->found.keys, " ")),
                 QString::fromStdString(joined(claimed(question), " ")));
        QVERIFY(verdict->right);
        QVERIFY(hintFor(question, claimed(question), *verdict).empty());
        for (const Miss& miss : question.misses)
            playWrong(question, facts, answerOf(miss.answer), miss.hint);
        for (const Choice& choice : question.choices) {
            if (choice.right) continue;
            std::vector<std::string> answer;
            if (question.kind == Question::Kind::ChooseAll) answer = claimed(question);
            answer.push_back(choice.key);
            playWrong(question, facts, answer, choice.hint);
        }
    }

    /// A puzzle asks for one graph that still does its work: of its rewritings one keeps the break, another loses something
    /// or leaves several graphs, or is kept from Dynamo.
    void puzzlesRefuse() {
        int puzzles = 0;
        for (const LessonFile& file : m_lessons)
            for (const Step& step : file.lesson.steps) {
                if (!step.question || step.question->judge.value("keeps").empty()) continue;
                ++puzzles;
                std::set<std::string> refused;
                for (const Choice& choice : step.question->choices)
                    if (!choice.right) refused.insert(choice.key);
                QVERIFY2(refused.contains("breaks") && refused.size() > 1, step.title.c_str());
                QVERIFY2(!step.question->judge.value("returns").empty(), step.title.c_str());
            }
        QCOMPARE(puzzles, 6);
    }

    /// Of a question with several right choices each has words for whoever leaves it out, or none has a say.
    void whatIsLeftOut() {
        for (const LessonFile& file : m_lessons)
            for (const Step& step : file.lesson.steps) {
                if (!step.question || step.question->kind != Question::Kind::ChooseAll) continue;
                for (const Choice& left : step.question->choices) {
                    std::vector<std::string> answer = claimed(*step.question);
                    if (!left.right || left.hint.empty() || std::erase(answer, left.key) == 0) continue;
                    playWrong(*step.question, factsOf(file, step), answer, left.hint);
                }
            }
    }
};

QTEST_GUILESS_MAIN(TestLessons)
#include "tst_lessons.moc"
