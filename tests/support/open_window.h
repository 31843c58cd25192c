// SPDX-License-Identifier: BSD-3-Clause
//
// The whole window with settings that nobody else sees, for the tests of the program.
#pragma once

#include "app/gui/main_window.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/base/panel.h"

#include <QApplication>
#include <QDropEvent>
#include <QMimeData>
#include <QTabWidget>
#include <QUrl>
#include <QtTest>
#include <memory>

namespace dynascope::test {

class OpenWindow {
public:
    OpenWindow() {
        m_theme.setScheme(views::ColourScheme::Dark);
        m_theme.apply(*qobject_cast<QApplication*>(QCoreApplication::instance()));
    }

    /// Shows an empty window and waits until it has the focus.
    [[nodiscard]] bool show() {
        m_settings = std::make_unique<app::Settings>(QString());
        m_settings->setOpensOnAnswers(false); // most tests are about stages
        m_settings->setChecksStages(false);
        m_tasks = std::make_unique<views::TaskRunner>();
        m_workspace = std::make_unique<views::Workspace>(*m_tasks);
        return reopen();
    }
    /// Closes the window and shows a new one, as the next start of the program does with the same settings.
    [[nodiscard]] bool reopen() {
        m_window.reset();
        m_window = std::make_unique<app::MainWindow>(*m_workspace, m_theme, *m_settings);
        m_window->resize(1600, 1000);
        m_window->show();
        if (!QTest::qWaitForWindowExposed(m_window.get())) return false;
        m_window->activateWindow();
        return QTest::qWaitForWindowActive(m_window.get());
    }
    void close() {
        m_window.reset();
        m_workspace.reset();
        m_tasks.reset();
    }

    /// Waits until everything that was asked for is shown.
    [[nodiscard]] bool settles() {
        return QTest::qWaitFor([this] { return m_window->isSettled(); }, test::patience);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(m_window.get(), key, modifiers);
    }

    /// Drops on the window as the mouse does. False where it does not take it.
    bool drop(const QMimeData& what) {
        const QPoint at(300, 300);
        QDragEnterEvent enter(at, Qt::CopyAction, &what, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QDropEvent event(at, Qt::CopyAction, &what, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &event);
        return enter.isAccepted() && event.isAccepted();
    }
    bool drop(const QStringList& files) {
        QMimeData what;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        what.setUrls(urls);
        return drop(what);
    }

    [[nodiscard]] app::MainWindow& window() { return *m_window; }
    /// Of the texts below the stages' canvas, the one in front.
    [[nodiscard]] views::Panel* frontPanel() {
        return qobject_cast<views::Panel*>(part<QTabWidget>(*m_window, "stages.tabs")->currentWidget());
    }
    [[nodiscard]] views::Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] views::Theme& theme() { return m_theme; }
    [[nodiscard]] app::Settings& settings() { return *m_settings; }

private:
    views::Theme m_theme;
    std::unique_ptr<app::Settings> m_settings;
    std::unique_ptr<views::TaskRunner> m_tasks;
    std::unique_ptr<views::Workspace> m_workspace;
    std::unique_ptr<app::MainWindow> m_window;
};

} // namespace dynascope::test
