// SPDX-License-Identifier: BSD-3-Clause
//
// The two canvases of a workspace in a shown window, for the tests that use them as a reader does.
#pragma once

#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"

#include <memory>

namespace dynascope::test {

class ShownCanvases {
protected:
    /// Before each test function; leave() ends it.
    void enter(QSize size) {
        m_tasks = std::make_unique<views::TaskRunner>();
        m_workspace = std::make_unique<views::Workspace>(*m_tasks);
        m_view = std::make_unique<views::CompareView>(*m_workspace, m_theme);
        m_view->setLayoutProgram({});
        m_view->setMotion(false);
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void leave() {
        m_view.reset();
        m_workspace.reset();
        m_tasks.reset();
    }

    void open(const QString& sample) {
        addSample(*m_workspace, sample);
        if (sample == "view_mutation") m_workspace->selectStages(0, 3);
        settle();
        QVERIFY(a().scene() && b().scene());
    }
    void settle() {
        QCoreApplication::processEvents();
        QTRY_VERIFY_WITH_TIMEOUT(m_view->isSettled(), patience);
    }
    [[nodiscard]] views::canvas::GraphCanvas& a() const { return pane(0); }
    [[nodiscard]] views::canvas::GraphCanvas& b() const { return pane(1); }
    [[nodiscard]] views::canvas::GraphCanvas& merged() const { return pane(2); }

    [[nodiscard]] static int itemNamed(const views::canvas::GraphCanvas& canvas, const QString& name) {
        const auto& items = canvas.scene()->items;
        for (std::size_t i = 0; i < items.size(); ++i)
            if ((items[i].isNode() ? items[i].key : items[i].name) == name) return static_cast<int>(i);
        return views::canvas::noItem;
    }
    /// Scrolls to an item and clicks it.
    static void click(views::canvas::GraphCanvas& canvas, const QString& item,
                      Qt::KeyboardModifiers with = {}) {
        const int index = itemNamed(canvas, item);
        QVERIFY2(index != views::canvas::noItem, qPrintable(item));
        canvas.reveal(canvas.scene()->items[static_cast<std::size_t>(index)].rect);
        QTRY_VERIFY(!canvas.isMoving());
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, with,
                          canvas.viewRectOf(index).center().toPoint());
    }

    std::unique_ptr<views::TaskRunner> m_tasks;
    std::unique_ptr<views::Workspace> m_workspace;
    std::unique_ptr<views::CompareView> m_view;
    views::Theme m_theme;

private:
    [[nodiscard]] views::canvas::GraphCanvas& pane(int index) const {
        return *m_view->findChildren<views::canvas::GraphCanvas*>()[index];
    }
};

} // namespace dynascope::test
