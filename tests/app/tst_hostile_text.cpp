// SPDX-License-Identifier: BSD-3-Clause
//
// A capture whose every text is an attack: markup that would load a file, marks of direction, control codes,
// names of 100,000 characters. Nothing of it is taken for markup, nothing is loaded, nothing freezes.
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "views/theme/shown_text.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QHelpEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPointer>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextEdit>
#include <QToolTip>
#include <sys/stat.h>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

/// Texts that mean something to the reader stay; what only people read is replaced.
class Attack {
public:
    explicit Attack(const QString& file)
        : m_text(QStringLiteral("<img src=\"%1\"> <b>bold</b> ").arg(file) + QChar(0x202e) +
                 QStringLiteral("desrever") + QChar(0x1b) + QStringLiteral("]0;title") + QChar(7)) {}

    QByteArray on(const QByteArray& log) {
        QByteArray out;
        for (const QByteArray& line : log.split('\n')) {
            const qsizetype json = line.indexOf("] {");
            if (json < 0 || line.startsWith('\t')) {
                out += ofPayload(line) + '\n';
                continue;
            }
            QJsonParseError error;
            const QJsonDocument document = QJsonDocument::fromJson(line.mid(json + 2), &error);
            if (error.error != QJsonParseError::NoError) {
                out += line + '\n';
                continue;
            }
            QJsonObject object = document.object();
            attack(object, QString());
            out += line.left(json + 2) + QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
        }
        return out;
    }
    [[nodiscard]] int count() const { return m_count; }

private:
    QString replaced(const QString& text) {
        ++m_count;
        // One in forty is long, so that the log stays readable in seconds.
        return m_text + text + (m_count % 40 == 7 ? QString(100000, u'A') : QString());
    }
    void attack(QJsonObject& object, const QString& of) {
        static const QStringList read{"encoding", "has_payload", "category", "ph", "type"};
        for (auto field = object.begin(); field != object.end(); ++field) {
            QJsonValueRef value = field.value();
            if (value.isString() && !read.contains(field.key()) &&
                !(of == "artifact" && field.key() == "name"))
                value = replaced(value.toString());
            else
                attack(value, field.key());
        }
    }
    void attack(QJsonValueRef value, const QString& of) {
        if (value.isObject()) {
            QJsonObject object = value.toObject();
            attack(object, of);
            value = object;
        } else if (value.isArray()) {
            QJsonArray array = value.toArray();
            for (QJsonValueRef item : array) {
                if (item.isString())
                    item = replaced(item.toString());
                else
                    attack(item, of);
            }
            value = array;
        }
    }
    /// Comments of graphs name files, functions and code; arguments hold strings.
    QByteArray ofPayload(const QByteArray& line) {
        if (!line.contains("# File: ")) return line;
        ++m_count;
        return QByteArray(line).replace("code: ", "code: " + m_text.toUtf8());
    }

    QString m_text;
    int m_count = 0;
};

} // namespace

class TestHostileText : public QObject, private test::OpenWindow {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString m_capture, m_pipe;
    int m_tips = 0;

    void checkLabels() {
        for (const QLabel* label : window().findChildren<QLabel*>()) {
            if (label->textFormat() == Qt::PlainText || label->inherits("QTipLabel")) continue;
            QVERIFY2(label->textFormat() != Qt::AutoText || label->text().isEmpty() || !label->isVisible(),
                     qPrintable(label->objectName() + label->text().left(100)));
            QVERIFY2(!label->text().contains("<img"), qPrintable(label->text().left(200)));
        }
        for (const QTextEdit* text : window().findChildren<QTextEdit*>())
            QVERIFY(!text->document()->toHtml().contains("<img"));
    }
    void ask(QWidget* widget, QPoint at) {
        QToolTip::hideText();
        QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
        QCoreApplication::sendEvent(widget, &help);
        const QString shown = QToolTip::text();
        if (shown.isEmpty()) return;
        ++m_tips;
        QVERIFY2(!shown.contains("<img"),
                 qPrintable(QString::fromLatin1(widget->metaObject()->className()) + shown.left(300)));
        QVERIFY2(!shown.contains(QChar(0x202e)), qPrintable(shown.left(300)));
        QVERIFY2(shown.size() < 20000, qPrintable(QString::number(shown.size())));
    }
    void checkToolTips() {
        QList<QPointer<QWidget>> widgets; // some go while others are asked
        for (QWidget* widget : window().findChildren<QWidget*>())
            widgets << widget;
        for (const QPointer<QWidget>& widget : widgets) {
            if (!widget || !widget->isVisible() || widget->inherits("QTipLabel")) continue;
            auto* view = qobject_cast<QAbstractItemView*>(widget->parentWidget());
            if (view && view->viewport() == widget && view->model() && !qobject_cast<QHeaderView*>(view)) {
                for (int row = 0; row < std::min(view->model()->rowCount(), 30); ++row)
                    for (int column = 0; column < view->model()->columnCount(); ++column) {
                        const QRect cell = view->visualRect(view->model()->index(row, column));
                        if (widget->rect().contains(cell.center())) ask(widget, cell.center());
                        if (QTest::currentTestFailed()) return;
                    }
                continue;
            }
            // Widgets that paint what they show: a grid of places.
            const int steps = widget->width() > 200 ? 12 : 2;
            for (int x = 1; x < steps; ++x)
                for (int y = 1; widget && y < (widget->height() > 200 ? 12 : 2); ++y) {
                    ask(widget, {widget->width() * x / steps, widget->height() * y / 12});
                    if (QTest::currentTestFailed()) return;
                }
        }
    }

private slots:
    void initTestCase() {
        // Whoever opens it waits for ever.
        m_pipe = m_folder.filePath("pipe");
        QVERIFY(::mkfifo(m_pipe.toLocal8Bit().constData(), 0600) == 0);
    }
    void cleanup() { close(); }

    void whatHidesTextIsShown() {
        const QString turned = QStringLiteral("a") + QChar(0x202e) + QStringLiteral("b") + QChar(0x1b);
        QCOMPARE(shownText(turned, 10), QString("a<U+202E>b<U+001B>"));
        QCOMPARE(shownText("plain\ttext\n", 20), QString("plain\ttext\n"));
        QCOMPARE(shownText(QString(1200, u'x'), 1000), QString(1000, u'x') + "… and 200 more characters");
        const QFontMetricsF metrics(theme().font(FontRole::Text));
        QCOMPARE(elided(metrics, turned, Qt::ElideRight, 1000), QString("a<U+202E>b<U+001B>"));
        const QString cut = elided(metrics, QString(100000, u'x'), Qt::ElideMiddle, 100);
        QVERIFY2(cut.size() < 100 && cut.contains(QChar(0x2026)), qPrintable(cut));
        QVERIFY(plainToolTip(QString(100000, u'<')).size() < 5 * 4200);
        QCOMPARE(plainToolTip(plainToolTip("<b>")), plainToolTip("<b>"));
    }

    void everyView_data() {
        QTest::addColumn<QString>("log");
        QTest::newRow("training") << test::samplePath("encoder_train");
        QTest::newRow("graph breaks") << test::samplePath("graph_breaks");
        QTest::newRow("mutation") << test::samplePath("view_mutation");
    }
    void everyView() {
        QFETCH(QString, log);
        QFile file(log);
        QVERIFY(file.open(QFile::ReadOnly));
        Attack attack(m_pipe);
        QFile hostile(m_folder.filePath("hostile.log"));
        QVERIFY(hostile.open(QFile::WriteOnly));
        hostile.write(attack.on(file.readAll()));
        hostile.close();
        QVERIFY2(attack.count() > 30, qPrintable(QString::number(attack.count())));
        QVERIFY(show());
        window().openPaths({hostile.fileName()});
        QTRY_VERIFY2_WITH_TIMEOUT(!workspace().captures().empty(), qPrintable(window().messageBar().text()),
                                  60000);
        QVERIFY(settles());
        for (QDockWidget* dock : window().findChildren<QDockWidget*>())
            dock->show();
        m_tips = 0;
        for (int page = int(Qt::Key_1); page <= int(Qt::Key_9); ++page) {
            press(Qt::Key(page), Qt::ControlModifier);
            QVERIFY(settles());
            for (QTabBar* tabs : window().findChildren<QTabBar*>()) {
                for (int tab = 0; tab < tabs->count() && tabs->isVisible(); ++tab) {
                    tabs->setCurrentIndex(tab);
                    QCoreApplication::processEvents();
                }
            }
            QVERIFY(settles());
            checkLabels();
            if (QTest::currentTestFailed()) return;
            checkToolTips();
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY2(m_tips > 100, qPrintable(QString::number(m_tips)));
    }
};

QTEST_MAIN(TestHostileText)
#include "tst_hostile_text.moc"
