// SPDX-License-Identifier: BSD-3-Clause
//
// A capture whose every text is an attack: markup that would load a file, marks of direction, control codes,
// names of 100,000 characters. Nothing of it is taken for markup, nothing is loaded, nothing freezes.
#include "tests/support/hostile_text.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "views/base/code_view.h"
#include "views/theme/shown_text.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QPointer>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextDocument>
#include <QTextEdit>
#include <QToolTip>
#include <cstdlib>
#include <sys/stat.h>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

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
        QVERIFY2(Qt::mightBeRichText(shown), qPrintable(shown.left(300))); // or its markup is what one reads
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

    void toolTipsSayTheirText() {
        QTextDocument shown;
        for (const QString& text :
             {QStringLiteral("a <b>c</b> & d\ne"), QStringLiteral("<img src='/dev/zero'>")}) {
            QVERIFY2(Qt::mightBeRichText(plainToolTip(text)), qPrintable(plainToolTip(text)));
            shown.setHtml(plainToolTip(text));
            QCOMPARE(shown.toPlainText(), text);
        }
        const QString bold = markupToolTip(QStringLiteral("one <b>two</b>"));
        QVERIFY2(Qt::mightBeRichText(bold), qPrintable(bold));
        shown.setHtml(bold);
        QCOMPARE(shown.toPlainText(), QString("one two"));
    }

    /// In code each mark that hides or turns others has a cell of its own, and moves nothing.
    void codeStaysInItsCells() {
        const QString marks = QStringLiteral("ab") + QChar(0x202e) + QStringLiteral("cd");
        QString piled = QStringLiteral("e");
        for (int i = 0; i < 10000; ++i)
            piled += QChar(0x0301);
        const auto document = makeCodeDocument(
            marks + "\nabXcd\n" + piled + "\n漢a\n" + QString(100000, u'A') + "\nabXdc", Language::Plain);
        const CodeLine& turned = document->lines[0];
        QVERIFY(turned.isSign(2) && !turned.isSign(1) && !turned.isSign(3));
        QCOMPARE(turned.cellOf(3), 3U);
        QCOMPARE(turned.columnAt(3), 3);
        const CodeLine& pile = document->lines[2];
        QVERIFY(!pile.isSign(1) && pile.isSign(5)); // some stand on the letter, the others are a pile
        QCOMPARE(pile.cellOf(4), 1U);
        QCOMPARE(pile.cellOf(int(pile.text.size())), 9997U);
        QCOMPARE(pile.columnAt(1), 5);
        QCOMPARE(document->lines[3].cellOf(1), 2U); // a wide letter
        QVERIFY(document->lines[4].cells.empty());
        QCOMPARE(document->longest, 100000);

        CodeView view(theme());
        view.resize(600, 200);
        view.setDocument(document, {});
        const QImage picture = view.grab().toImage();
        const double cell = QFontMetricsF(theme().font(FontRole::Code)).horizontalAdvance(u'm');
        const auto part = [&](int line, int from, int cells) {
            const QRect row = view.lineRect(0, line);
            const int left = row.left() + 4 + int(from * cell);
            return picture.copy(QRect(left, row.top(), int(cells * cell), row.height()));
        };
        QCOMPARE(part(0, 0, 2), part(1, 0, 2));
        // "cd", not turned: glyphs may stand half a pixel apart, but are no "dc".
        const auto distance = [](const QImage& a, const QImage& b) {
            int out = 0;
            for (int y = 0; y < a.height(); ++y)
                for (int x = 0; x < a.width(); ++x)
                    out += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
            return out;
        };
        QVERIFY(distance(part(0, 3, 2), part(1, 3, 2)) * 2 < distance(part(0, 3, 2), part(5, 3, 2)));
        QVERIFY(part(0, 2, 1) != part(1, 2, 1));
        view.selectAll();
        QVERIFY(view.selectedText().startsWith(marks + "\nabXcd\n"));
        QHelpEvent help(QEvent::ToolTip, view.lineRect(0, 0).topLeft() + QPoint(4 + int(2.3 * cell), 4), {});
        QCoreApplication::sendEvent(view.viewport(), &help);
        QVERIFY2(QToolTip::text().contains("U+202E, shown as a box"), qPrintable(QToolTip::text()));
        QToolTip::hideText();
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
        test::HostileText attack(test::markupAttack(m_pipe));
        QFile hostile(m_folder.filePath("hostile.log"));
        QVERIFY(hostile.open(QFile::WriteOnly));
        hostile.write(attack.on(file.readAll()));
        hostile.close();
        QVERIFY2(attack.count() > 30, qPrintable(QString::number(attack.count())));
        QVERIFY(show());
        window().openPaths({hostile.fileName()});
        QTRY_VERIFY2_WITH_TIMEOUT(!workspace().captures().empty(),
                                  qPrintable(test::messageBar(window()).text()), 60000);
        QVERIFY(settles());
        for (QDockWidget* dock : window().findChildren<QDockWidget*>())
            dock->show();
        m_tips = 0;
        for (int page = int(Qt::Key_0); page <= int(Qt::Key_9); ++page) {
            if (page == int(Qt::Key_0))
                press(Qt::Key_Home, Qt::AltModifier);
            else
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
