// SPDX-License-Identifier: BSD-3-Clause
//
// The list of pages: what each says of itself, that it says what it lacks, that back and forward restore its
// own place, and that nothing is photographed of it while a task runs.
#include "app/gui/action_registry.h"
#include "app/gui/exporter.h"
#include "app/gui/pages.h"
#include "tests/support/key_conflicts.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/recordings.h"
#include "views/compare/compare_place.h"
#include "views/dynamo/dynamo_place.h"
#include "views/workspace/break_place.h"
#include "views/workspace/ranks_place.h"
#include "views/workspace/recompile_place.h"

#include <QFile>
#include <QMenuBar>
#include <QTimer>
#include <QToolButton>
#include <atomic>
#include <set>
#include <thread>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

/// A capture with something for every page.
Workspace::Capture captureForAll() {
    capture::OpenOptions options;
    options.finish = [](session::Session& session) {
        const auto recorded =
            capture::openText(test::oracleRecordings().at("gb13_break_in_callee"), "recording");
        if (!recorded) qFatal("%s", recorded.error().toString().c_str());
        session.recordings = (*recorded)->recordings;
        session.ranks.push_back(1); // that compiled nothing
        const auto passes = capture::open(DYNASCOPE_TEST_DATA "/passes/block.dpasses");
        if (!passes) qFatal("%s", passes.error().toString().c_str());
        session.passRecordings = (*passes)->passRecordings;
        const auto profile = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot/profile.json.gz");
        if (!profile) qFatal("%s", profile.error().toString().c_str());
        session.profiles = (*profile)->profiles;
        session::MemorySnapshot snapshot;
        snapshot.stacks.resize(1);
        snapshot.segments = {
            {0, 4096, 2048, 0, "small", false, {{4096, 512, 512, session::MemoryBlock::State::Active, 0}}}};
        session.memory = std::make_shared<const session::MemorySnapshot>(std::move(snapshot));
    };
    const auto session = capture::open(test::samplePath("graph_breaks").toStdString(), {}, options);
    if (!session) qFatal("%s", session.error().toString().c_str());
    return {*session, session::summarizeBreaks(**session)};
}

} // namespace

class TestPages : public QObject, private test::OpenWindow {
    Q_OBJECT

    [[nodiscard]] const ActionRegistry::Entry& entryOf(const PageSpec& spec) {
        for (const ActionRegistry::Entry& entry : window().actionRegistry().entries())
            if (entry.spec.id == pageAction(spec)) return entry;
        qFatal("no action of %s", spec.name);
    }
    /// As the bar's button does, but for what a page asks first: a comparison, or the engine.
    void goTo(Page page) {
        if (page == Page::Compare) {
            ComparisonRequest request;
            request.what = ComparisonRequest::What::Compiles;
            request.a = request.b = workspace().capture()->session;
            request.compileA = 0;
            request.compileB = 1;
            workspace().compare(request);
        } else {
            window().pages().goTo(page);
        }
    }
    /// What each page keeps of its own.
    void moveWithin(Page page) {
        Place place = workspace().place();
        if (page == Page::Stages)
            place.node = {Side::A, 0};
        else if (page == Page::Breaks)
            place.own.set(BreakPlace{1});
        else if (page == Page::Recompiles)
            place.own.set(RecompilePlace{13});
        else if (page == Page::Ranks)
            setRanks(place, "0/0");
        else if (page == Page::Compare)
            place.own.set(ComparePlace{-1, 0, 0});
        else if (page == Page::Dynamo)
            place.own.set(DynamoPlace{0, 3});
        workspace().go(place);
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void eachIsWhole() {
        std::set<QString> names, titles, tips;
        std::set<Page> ids;
        QStringList inBar;
        for (const QToolButton* button :
             window().menuBar()->cornerWidget(Qt::TopRightCorner)->findChildren<QToolButton*>())
            inBar << button->text();
        QStringList inOrder;
        for (const PageSpec& spec : pageSpecs()) {
            QVERIFY(!spec.title.isEmpty() && !spec.tip.isEmpty() && !spec.tip.endsWith(u'.'));
            QVERIFY2(names.insert(QLatin1String(spec.name)).second && titles.insert(spec.title).second &&
                         tips.insert(spec.tip).second && ids.insert(spec.page).second,
                     spec.name);
            QVERIFY2(QFile::exists(QStringLiteral(":/dynascope/icons/%1.svg").arg(QLatin1String(spec.icon))),
                     spec.icon);
            QVERIFY(spec.make && spec.lacks);
            const ActionRegistry::Entry& entry = entryOf(spec);
            QCOMPARE(entry.spec.keys, QList<QKeySequence>{spec.key});
            QCOMPARE(entry.spec.menu, QStringLiteral("Capture"));
            QVERIFY2(entry.action->toolTip().contains(spec.tip), qPrintable(entry.action->toolTip()));
            QVERIFY(entry.action->toolTip().contains(spec.key.toString()));
            QVERIFY(!entry.action->icon().isNull());
            inOrder << spec.title;
        }
        QCOMPARE(inBar, inOrder);
        QCOMPARE(test::keyConflicts(window().actionRegistry()), QStringList());
        QVERIFY(!pageSpec(Page::Welcome));
    }

    void saysWhatIsMissing() {
        for (const PageSpec& spec : pageSpecs()) {
            QVERIFY2(!entryOf(spec).action->isEnabled(), spec.name);
            QCOMPARE(entryOf(spec).needs, QStringLiteral("needs an open capture"));
        }
        const auto state = [this] {
            QStringList out;
            for (const PageSpec& spec : pageSpecs()) {
                const ActionRegistry::Entry& entry = entryOf(spec);
                const QString lacks = spec.lacks(workspace());
                if (entry.action->isEnabled() != lacks.isEmpty() || entry.needs != lacks ||
                    (!lacks.isEmpty() && !entry.action->toolTip().contains(lacks)))
                    qFatal("%s", spec.name);
                out << (lacks.isEmpty() ? QString(QLatin1String(spec.name))
                                        : QLatin1String(spec.name) + QStringLiteral(": ") + lacks);
            }
            return out.join(QStringLiteral("; "));
        };
        workspace().openText(QStringLiteral("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                                            "    return (x,)\n"),
                             QStringLiteral("a graph"));
        QVERIFY(settles());
        QVERIFY(workspace().capture());
        QCOMPARE(
            state(),
            QStringLiteral("answers; stages; breaks: this capture has no graph break; "
                           "recompiles: this capture has no recompile; functionalize; "
                           "memory: needs a memory snapshot; compare; replay; autograd; "
                           "dynamo: needs a recording: dynascope-cli capture -o DIR -- python script.py; "
                           "inductor: needs a recording of passes: dynascope-cli capture --passes -o DIR -- "
                           "python script.py; "
                           "profile: needs a profile of torch.profiler in the folder of the trace; "
                           "ranks: this capture has one rank: open the folder that all ranks wrote to"));
        workspace().addCapture(captureForAll());
        QVERIFY(settles());
        QCOMPARE(state(), QStringLiteral("answers; stages; breaks; recompiles; functionalize; memory; "
                                         "compare; replay; autograd; dynamo; inductor; profile; ranks"));
        session::Session empty;
        empty.title = "recordings";
        empty.recordings = workspace().capture()->session->recordings;
        workspace().addCapture({std::make_shared<const session::Session>(std::move(empty)), {}});
        QVERIFY(settles());
        QCOMPARE(workspace().place().page, Page::Dynamo);
        QCOMPARE(state(),
                 QStringLiteral("answers; stages: needs a capture with compiles; "
                                "breaks: this capture has no graph break; "
                                "recompiles: this capture has no recompile; "
                                "functionalize: needs compiled graphs; "
                                "memory: needs a memory snapshot; compare; "
                                "replay: needs compiled graphs; autograd: needs compiled graphs; "
                                "dynamo; inductor: needs a recording of passes: dynascope-cli capture "
                                "--passes -o DIR -- python script.py; "
                                "profile: needs a profile of torch.profiler in the folder of the "
                                "trace; ranks: this capture has one rank: open the folder that all "
                                "ranks wrote to"));
    }

    void backAndForwardRestoreEachPlace() {
        workspace().addCapture(captureForAll());
        QVERIFY(settles());
        std::vector<Place> places;
        for (const PageSpec& spec : pageSpecs()) {
            goTo(spec.page);
            QVERIFY(settles());
            QCOMPARE(workspace().place().page, spec.page);
            moveWithin(spec.page);
            QVERIFY(settles());
            places.push_back(workspace().place());
        }
        const auto shows = [&](const Place& place) {
            if (!settles() || !window().pages().find(place.page)->isVisible()) return false;
            return workspace().place() == place;
        };
        for (std::size_t i = places.size(); i-- > 0;) {
            while (workspace().canGoBack() && !(workspace().place() == places[i]))
                workspace().goBack();
            QVERIFY2(shows(places[i]), pageSpec(places[i].page)->name);
        }
        for (const Place& place : places) {
            while (workspace().canGoForward() && !(workspace().place() == place))
                workspace().goForward();
            QVERIFY2(shows(place), pageSpec(place.page)->name);
        }
    }

    void picturesWaitForEveryTask() {
        workspace().addCapture(captureForAll());
        QVERIFY(settles());
        for (const PageSpec& spec : pageSpecs()) {
            goTo(spec.page);
            QVERIFY(settles());
            std::atomic<bool> release = false;
            bool shown = false;
            workspace().tasks().run<int>(
                QStringLiteral("a task that nobody knows"), this,
                [&release](const TaskContext& task) {
                    while (!release && !task.cancelled())
                        std::this_thread::yield();
                    return 0;
                },
                [&shown](int) { shown = true; });
            QVERIFY2(!window().isSettled(), spec.name);
            QTimer::singleShot(0, this, [&release] { release = true; });
            settle(window());
            QVERIFY2(shown, spec.name);
            QVERIFY(!anyUnfinished());
        }
    }
};

QTEST_MAIN(TestPages)
#include "tst_pages.moc"
