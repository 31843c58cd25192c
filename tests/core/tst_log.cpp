// SPDX-License-Identifier: BSD-3-Clause
//
// Lines for maintainers: which topics DYNASCOPE_LOG chooses, and what reaches a sink.
#include "core/base/log.h"
#include "core/capture/open.h"

#include <QtTest>
#include <mutex>

using namespace dynascope;
using log::Topic;

namespace {

std::mutex guard;
std::vector<std::pair<Topic, std::string>> lines;

log::Topics bit(Topic topic) {
    return 1U << static_cast<unsigned>(topic);
}

} // namespace

class TestLog : public QObject {
    Q_OBJECT

private slots:
    void init() {
        lines.clear();
        log::setSink([](Topic topic, const std::string& line) {
            const std::scoped_lock lock(guard);
            lines.emplace_back(topic, line);
        });
    }
    void cleanup() {
        log::setTopics(0);
        log::setSink(nullptr);
    }

    void offByDefault() {
        QCOMPARE(log::topics(), 0U);
        for (unsigned i = 0; i < log::topicCount; ++i) {
            QVERIFY(!log::on(static_cast<Topic>(i)));
            log::write(static_cast<Topic>(i), "text");
        }
        QVERIFY(lines.empty());
    }

    void chooses_data() {
        QTest::addColumn<QString>("list");
        QTest::addColumn<unsigned>("topics");
        QTest::addColumn<QString>("unknown");
        const unsigned all = (1U << log::topicCount) - 1;
        QTest::newRow("nothing") << "" << 0U << "";
        QTest::newRow("one") << "engine" << bit(Topic::Engine) << "";
        QTest::newRow("two, spaces") << " engine ,\tlayout" << (bit(Topic::Engine) | bit(Topic::Layout))
                                     << "";
        QTest::newRow("all") << "all" << all << "";
        QTest::newRow("empty parts") << ",,tasks," << bit(Topic::Tasks) << "";
        QTest::newRow("unknown, once") << "motor,store,motor,Engine" << bit(Topic::Store) << "motor Engine";
    }
    void chooses() {
        QFETCH(QString, list);
        QFETCH(unsigned, topics);
        QFETCH(QString, unknown);
        const log::Choice choice = log::choose(list.toStdString());
        QCOMPARE(choice.topics, topics);
        QStringList names;
        for (const std::string& name : choice.unknown)
            names << QString::fromStdString(name);
        QCOMPARE(names.join(' '), unknown);
    }

    void everyTopicHasItsName() {
        for (unsigned i = 0; i < log::topicCount; ++i) {
            const auto topic = static_cast<Topic>(i);
            QCOMPARE(log::choose(log::nameOf(topic)).topics, bit(topic));
        }
    }

    void linesAreOneAndPrintable() {
        log::setTopics(bit(Topic::Layout));
        log::write(Topic::Layout, "after ", 12, " ms: ", std::string("\x1b[31mred\nnext\xff"));
        log::write(Topic::Tasks, "not chosen");
        QCOMPARE(lines.size(), std::size_t(1));
        QCOMPARE(lines[0].first, Topic::Layout);
        QCOMPARE(QString::fromStdString(lines[0].second), QString("after 12 ms: ?[31mred next?"));
    }

    void openingSaysWhatItRead() {
        log::setTopics(bit(Topic::Capture));
        const std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n";
        QVERIFY(capture::openText(text, "a\x1b.txt").has_value());
        QCOMPARE(lines.size(), std::size_t(2));
        const QString read = QString::fromStdString(lines[0].second);
        QVERIFY2(read.startsWith("a?.txt: ") && read.contains(QString("%1 bytes, read as ").arg(text.size())),
                 qPrintable(read));
        const QString opened = QString::fromStdString(lines[1].second);
        QVERIFY2(opened.startsWith("opened a?.txt as ") && opened.endsWith(" 0 warnings"),
                 qPrintable(opened));

        lines.clear();
        QVERIFY(!capture::openText("no capture", "b.txt").has_value());
        QVERIFY(!lines.empty());
        QVERIFY(lines.back().second.starts_with("not opened after "));
    }
};

QTEST_GUILESS_MAIN(TestLog)
#include "tst_log.moc"
