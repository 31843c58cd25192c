// SPDX-License-Identifier: BSD-3-Clause
//
// What the longest event takes in the window, whatever a capture's texts are: names of 10,000 and 100,000
// characters, marks that pile up on a letter, marks of direction, a table of thousands of columns. Walks
// every page and tab, scrolls, hovers, asks for tool tips and types into every filter; prints the slowest
// paints and the slowest other events by widget, in milliseconds that the processor worked.
//
//   bench_hostile_text [CAPTURE.log]
#include "app/gui/main_window.h"
#include "tests/support/hostile_text.h"
#include "tests/support/open_captures.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QHelpEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPointer>
#include <QScrollBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

using namespace dynascope;

namespace {

constexpr double frameMs = 16;

double workedMs() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

/// Times every event; a nested one counts by itself alone.
class Timed : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        const QEvent::Type type = event->type();
        const QString where = nameOf(receiver);
        const double nested = std::exchange(m_nested, 0), began = workedMs();
        const bool taken = QApplication::notify(receiver, event);
        const double all = workedMs() - began, own = all - m_nested;
        m_nested = nested + all;
        if (type == QEvent::Paint) ++m_paints;
        if (m_on) {
            double& most = m_longest[{type == QEvent::Paint, where + QStringLiteral("  ") + m_doing}];
            most = std::max(most, own);
        }
        return taken;
    }
    void begin(const QString& doing) {
        m_on = true;
        m_doing = doing;
    }
    void print(const char* title) {
        for (const bool paints : {true, false}) {
            std::vector<std::pair<double, QString>> rows;
            for (const auto& [key, ms] : m_longest)
                if (key.first == paints) rows.emplace_back(ms, key.second);
            std::sort(rows.rbegin(), rows.rend());
            std::printf("%s, %s%s\n", title, paints ? "paints" : "other events",
                        paints ? qPrintable(QStringLiteral(" (%1)").arg(m_paints)) : "");
            for (std::size_t i = 0; i < rows.size() && (i < 3 || (rows[i].first > frameMs && i < 25)); ++i)
                std::printf("  %7.1f ms  %s\n", rows[i].first, qPrintable(rows[i].second));
        }
        std::fflush(stdout);
        m_longest.clear();
        m_paints = 0;
        m_on = false;
    }

private:
    static QString nameOf(QObject* object) {
        QString out = QLatin1String(object->metaObject()->className());
        for (QObject* above = object->parent(); above && out.size() < 100; above = above->parent())
            if (above->metaObject()->className() != QLatin1String("QWidget"))
                out = QLatin1String(above->metaObject()->className()) + u'/' + out;
        return out;
    }

    std::map<std::pair<bool, QString>, double> m_longest;
    QString m_doing;
    double m_nested = 0;
    int m_paints = 0;
    bool m_on = false;
};

void settle(app::MainWindow& window) {
    if (!QTest::qWaitFor([&] { return window.isSettled(); }, 60000)) std::puts("  did not settle");
    QTest::qWait(30);
}

void walk(app::MainWindow& window, Timed& app) {
    QList<QPointer<QWidget>> widgets;
    for (QWidget* widget : window.findChildren<QWidget*>())
        widgets << widget;
    for (const QPointer<QWidget>& widget : widgets) {
        if (!widget || !widget->isVisible()) continue;
        if (auto* area = qobject_cast<QAbstractScrollArea*>(widget.data())) {
            app.begin(QStringLiteral("scrolled"));
            for (QScrollBar* bar : {area->verticalScrollBar(), area->horizontalScrollBar()})
                for (const int part : {1, 2, 4, 0}) {
                    bar->setValue(part == 0 ? bar->minimum() : bar->maximum() / part);
                    QCoreApplication::processEvents();
                }
        }
        app.begin(QStringLiteral("hovered"));
        for (int step = 1; widget && step < 6; ++step) {
            const QPoint at(widget->width() * step / 6, widget->height() * step / 6);
            QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, {}, {});
            QCoreApplication::sendEvent(widget, &move);
            if (!widget) break;
            QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
            QCoreApplication::sendEvent(widget, &help);
            QCoreApplication::processEvents();
        }
        if (auto* field = qobject_cast<QLineEdit*>(widget.data()); field && field->isEnabled()) {
            app.begin(QStringLiteral("typed"));
            for (const char* text : {"A", "AA", ""}) {
                field->setText(QLatin1String(text));
                QTest::qWait(20);
            }
        }
    }
    settle(window);
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    Timed app(argc, argv);
    const QTemporaryDir folder;
    QStringList logs{QString::fromLocal8Bit(argc > 1 ? argv[1] : "")};
    if (argc < 2) logs = {test::samplePath("encoder_train"), test::samplePath("graph_breaks")};
    QString piled = QStringLiteral("a"), turned;
    for (int i = 0; i < 10000; ++i)
        piled += QChar(0x0300 + i % 0x60);
    for (int i = 0; i < 2000; ++i)
        turned += QChar(0x202a + i % 5) + QStringLiteral("abc");
    const std::vector<std::tuple<const char*, QString, QString>> attacks{
        {"10,000 letters", QString(10000, u'A') + u' ', {}},
        {"100,000 letters", test::markupAttack(folder.filePath("pipe")), QString(100000, u'A')},
        {"100,000 words", QStringLiteral("x"), QStringLiteral("word ").repeated(20000)},
        {"marks on a letter", piled, piled.repeated(10)},
        {"marks of direction", turned, turned.repeated(10)},
        {"wide letters", QStringLiteral("漢字"), QStringLiteral("漢字 ").repeated(30000)}};
    for (const QString& log : logs)
        for (const auto& [name, inserted, tail] : attacks) {
            QFile file(log);
            if (!file.open(QFile::ReadOnly)) return 1;
            QByteArray text = test::HostileText(inserted, tail).on(file.readAll());
            QByteArray columns;
            for (int i = 0; i < 2000; ++i)
                columns += "\"metric_" + QByteArray::number(i) + "\":" + QByteArray::number(i) + ',';
            text.replace("\"compilation_metrics\":{", "\"compilation_metrics\":{" + columns);
            QFile hostile(folder.filePath("hostile.log"));
            if (!hostile.open(QFile::WriteOnly) || hostile.write(text) != text.size()) return 1;
            hostile.close();

            views::Theme theme;
            theme.setScheme(views::ColourScheme::Dark);
            theme.apply(app);
            app::Settings settings{QString()};
            views::TaskRunner tasks;
            views::Workspace workspace(tasks);
            app::MainWindow window(workspace, theme, settings, nullptr, {"/no/such/engine"});
            window.resize(1600, 1000);
            window.show();
            app.begin(QStringLiteral("opened"));
            window.openPaths({hostile.fileName()});
            if (!QTest::qWaitFor([&] { return !workspace.captures().empty(); }, 60000)) return 1;
            for (QDockWidget* dock : window.findChildren<QDockWidget*>())
                dock->show();
            settle(window);
            for (int page = int(Qt::Key_1); page <= int(Qt::Key_9); ++page) {
                app.begin(QStringLiteral("page %1").arg(page - int(Qt::Key_0)));
                QTest::keyClick(&window, Qt::Key(page), Qt::ControlModifier);
                settle(window);
                for (QTabBar* tabs : window.findChildren<QTabBar*>())
                    for (int tab = 0; tab < tabs->count() && tabs->isVisible(); ++tab) {
                        app.begin(QStringLiteral("page %1, tab %2").arg(page - int(Qt::Key_0)).arg(tab));
                        tabs->setCurrentIndex(tab);
                        settle(window);
                    }
                walk(window, app);
            }
            app.print(
                qPrintable(QStringLiteral("%1: %2").arg(QFileInfo(log).baseName(), QLatin1String(name))));
        }
    return 0;
}
