// SPDX-License-Identifier: BSD-3-Clause
//
// What all panels share.
#include "tests/views/panel_test.h"

#include <QLabel>
#include <QtTest>
#include <stdexcept>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Waits for a task that throws.
class Waiting : public Panel {
public:
    Waiting(Workspace& workspace, Theme& theme)
        : Panel(workspace, theme) {
        setContent(new QLabel(QStringLiteral("content")));
        showContent();
    }
    void wait(QObject* context) {
        setLoading(true);
        workspace().tasks().run<int>(
            QStringLiteral("wait"), context,
            [](const TaskContext&) -> int { throw std::out_of_range("no such row"); },
            [](int) { QFAIL("delivered although it threw"); });
    }
    using Panel::isLoading;

protected:
    void refresh() override {}
};

} // namespace

class TestPanel : public QObject {
    Q_OBJECT
private slots:
    void aThrowEndsTheWaiting() {
        test::Fixture f;
        const auto panel = f.show<Waiting>();
        panel->wait(panel.get());
        QVERIFY(panel->isLoading());
        f.settle();
        QVERIFY(!panel->isLoading());
        QCOMPARE(panel->message(),
                 QString("This cannot be shown, by a fault of Dynascope's own: no such row."));
    }

    void somebodyElsesThrowDoesNot() {
        test::Fixture f;
        const auto panel = f.show<Waiting>();
        panel->wait(this);
        f.settle();
        QVERIFY(panel->isLoading());
        QCOMPARE(panel->message(), QString());
    }
};

QTEST_MAIN(TestPanel)
#include "tst_panel.moc"
