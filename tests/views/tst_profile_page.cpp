// SPDX-License-Identifier: BSD-3-Clause
//
// The page Profile on tests/data/profile: its figures and rows, by what they are grouped, one step, and where rows lead.
#include "core/capture/open.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/support/profiles.h"
#include "tests/views/panel_test.h"
#include "views/base/page_parts.h"
#include "views/profile/compared_rows.h"
#include "views/profile/idle_figures.h"
#include "views/profile/lanes_view.h"
#include "views/profile/profile_against.h"
#include "views/profile/profile_page.h"
#include "views/profile/profile_roofline.h"
#include "views/profile/profile_rows.h"
#include "views/profile/share_bars.h"
#include "views/workspace/break_place.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

using namespace dynascope;
using namespace dynascope::views;

namespace {

class Shown {
public:
    explicit Shown(const std::string& name) {
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        session = *opened;
        f.workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Profile;
        f.workspace.go(place);
        page = f.show<ProfilePage>(1500, 900);
        settle();
    }
    void settle() {
        f.settle([&] { return test::part<RowTable>(*page, "profile.table")->rows().rowCount() > 0; });
    }
    void groupBy(const QString& name) {
        test::part<QComboBox>(*page, "profile.by")->setCurrentText(name);
        emit test::part<QComboBox>(*page, "profile.by")
            ->activated(test::part<QComboBox>(*page, "profile.by")->currentIndex());
        settle();
    }
    [[nodiscard]] int rowWith(const QString& what) const {
        const auto& rows = test::part<RowTable>(*page, "profile.table")->rows().rows();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].front().text == what) return int(i);
        return -1;
    }
    [[nodiscard]] const profile::Lane& lane(profile::Lane::What what) const {
        const std::vector<profile::Lane>& lanes = test::part<LanesView>(*page)->lanes()->lanes;
        const auto at = std::ranges::find(lanes, what, &profile::Lane::what);
        if (at == lanes.end()) qFatal("no such lane");
        return *at;
    }
    [[nodiscard]] QString figures() const {
        QStringList out;
        for (const QLabel* label : test::part<FigureRow>(*page)->findChildren<QLabel*>())
            if (!label->isHidden()) out << label->text();
        return out.join(u'|');
    }

    test::Fixture f;
    session::SessionPtr session;
    std::unique_ptr<ProfilePage> page;
};

} // namespace

class TestProfilePage : public QObject {
    Q_OBJECT

private slots:
    void rowsAndFigures() {
        Shown s("mlp_aot");
        QVERIFY2(s.figures().contains("median of 3") && s.figures().contains("kernels and nodes"),
                 qPrintable(s.figures()));
        QCOMPARE(s.rowWith("addmm"), 0);
        // The median lies within what the steps took.
        const TableRow& row = test::part<RowTable>(*s.page, "profile.table")->rows().rows()[0];
        const QStringList ends = row[std::size_t(ProfileColumn::Spread)].text.split(QStringLiteral(" to "));
        QCOMPARE(ends.size(), 2);
        QVERIFY(ends[0] != ends[1]);
        QVERIFY(row[std::size_t(ProfileColumn::Spread)].sort.toDouble() > 0);
        QVERIFY(s.rowWith("guards") >= 0 && s.rowWith("outside compiled code") >= 0);
        test::part<QLineEdit>(*s.page, "profile.filter")->setText("gelu");
        QVERIFY(test::part<RowTable>(*s.page, "profile.table")->rows().rowCount() >= 2);
        QVERIFY(s.rowWith("gelu") >= 0 && s.rowWith("addmm") < 0);
    }

    /// A page that waits for a profile that cannot be joined says so.
    void whatCannotBeJoined() {
        test::Fixture f;
        const session::SessionPtr session = test::unjoinableFolder("breaks");
        f.workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Profile;
        f.workspace.go(place);
        const auto page = f.show<ProfilePage>(1500, 900);
        QTRY_VERIFY_WITH_TIMEOUT(page->message().contains("the disk is gone"), test::patience);
        f.settle();
    }

    void aKernelOfSeveralLinesNamesOne() {
        Shown s("breaks");
        const auto& rows = test::part<RowTable>(*s.page, "profile.table")->rows().rows();
        const auto row = std::ranges::find_if(rows, [](const TableRow& one) {
            return one[std::size_t(ProfileColumn::Line)].text.contains(" +");
        });
        QVERIFY(row != rows.end());
        QVERIFY((*row)[std::size_t(ProfileColumn::What)].text.contains(", "));
        emit test::part<RowTable>(*s.page, "profile.table")
            ->linkActivated(int(row - rows.begin()), int(ProfileColumn::Line));
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
    }

    void otherGroupsAndOneStep() {
        Shown s("breaks");
        s.groupBy("break");
        QVERIFY(s.rowWith("graph break at profiles.py:16") >= 0);
        s.groupBy("operator");
        QVERIFY(s.rowWith("aten::addmm") >= 0);
        QCOMPARE(test::part<QComboBox>(*s.page, "profile.steps")->count(), 4);
        const QString all = s.figures();
        test::part<QComboBox>(*s.page, "profile.steps")->setCurrentIndex(2);
        emit test::part<QComboBox>(*s.page, "profile.steps")->activated(2);
        s.settle();
        QVERIFY(s.figures() != all);
    }

    void rowsLeadToNodes() {
        Shown s("mlp_aot");
        emit test::part<RowTable>(*s.page, "profile.table")->rowActivated(s.rowWith("gelu"));
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QVERIFY(!s.f.workspace.place().node.isEmpty());
    }

    void rowsLeadToBreaks() {
        Shown s("breaks");
        s.groupBy("break");
        emit test::part<RowTable>(*s.page, "profile.table")
            ->rowActivated(s.rowWith("graph break at profiles.py:16"));
        QCOMPARE(s.f.workspace.place().page, Page::Breaks);
        const int group = breakGroup(s.f.workspace.place());
        QVERIFY(group >= 0);
        QCOMPARE(s.f.workspace.capture()->breaks.groups[std::size_t(group)].location.line, 16U);
    }

    void lanesShowStepsAndSelect() {
        Shown s("breaks");
        LanesView& lanes = *test::part<LanesView>(*s.page);
        QVERIFY(lanes.lanes() && lanes.lanes()->breaks.size() == 6);
        QVERIFY(lanes.lanes()->breaks.front().place == "profiles.py:16");
        lanes.viewport()->repaint();
        QVERIFY(lanes.drawnBoxes() > 0);
        const double whole = lanes.right() - lanes.left();
        test::part<QComboBox>(*s.page, "profile.steps")->setCurrentIndex(3);
        emit test::part<QComboBox>(*s.page, "profile.steps")->activated(3);
        s.settle();
        const profile::Step step = lanes.lanes()->joined->profile->steps[2];
        QVERIFY(lanes.right() - lanes.left() < whole * 0.9);
        QVERIFY(lanes.left() <= double(step.start) && lanes.right() >= double(step.start + step.duration));

        // A click selects the row; the row lights its events.
        const profile::Lane& computed = s.lane(profile::Lane::What::Computed);
        const std::vector<profile::Event>& events = lanes.lanes()->joined->profile->events;
        const std::uint32_t event =
            *std::ranges::max_element(computed.rows.front(), {}, [&](std::uint32_t i) {
                return events[i].start >= step.start ? events[i].duration : 0; // wide enough to be hit
            });
        const QPoint at = lanes.eventRect(event).center().toPoint();
        QCOMPARE(lanes.eventAt(at), event);
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(lanes.selected(), event);
        const int row = test::part<RowTable>(*s.page, "profile.table")->selected();
        QVERIFY(row >= 0);
        QVERIFY2(lanes.description(event).contains("known by"), qPrintable(lanes.description(event)));
        QVERIFY(lanes.description(event).contains(test::part<RowTable>(*s.page, "profile.table")
                                                      ->rows()
                                                      .rows()[std::size_t(row)]
                                                      .front()
                                                      .text.section(',', 0, 0)));

        // A double click leads to the node.
        emit lanes.activated(event);
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QVERIFY(!s.f.workspace.place().node.isEmpty());
    }

    void lanesZoomAndPan() {
        Shown s("mlp_aot");
        LanesView& lanes = *test::part<LanesView>(*s.page);
        const double left = lanes.left(), right = lanes.right();
        QTest::keyClick(&lanes, Qt::Key_W);
        QVERIFY(lanes.right() - lanes.left() < right - left);
        const double before = lanes.left();
        QTest::keyClick(&lanes, Qt::Key_D);
        QVERIFY(lanes.left() > before);
        QWheelEvent wheel(QPointF(700, 60), lanes.viewport()->mapToGlobal(QPointF(700, 60)), {}, {0, 120}, {},
                          {}, Qt::NoScrollPhase, false);
        const double shown = lanes.right() - lanes.left();
        QCoreApplication::sendEvent(lanes.viewport(), &wheel);
        QVERIFY(lanes.right() - lanes.left() < shown);
        for (int i = 0; i < 300; ++i)
            lanes.zoomBy(10, 700); // ends somewhere
        QVERIFY(std::isfinite(lanes.left()) && lanes.right() > lanes.left());
        QTest::keyClick(&lanes, Qt::Key_0);
        QVERIFY(std::abs(lanes.left() - left) < 1 && std::abs(lanes.right() - right) < 1);
        QTest::keyClick(&lanes, Qt::Key_Right);
        QVERIFY(lanes.selected() != profile::none);
        QTest::keyClick(&lanes, Qt::Key_Down);
        QTest::keyClick(&lanes, Qt::Key_F);
        QVERIFY(lanes.right() - lanes.left() < right - left);
    }

    void breaksOfLanesLeadToTheirPage() {
        Shown s("breaks");
        LanesView& lanes = *test::part<LanesView>(*s.page);
        lanes.setStep(0);
        int chip = -1;
        for (int x = 0; x < lanes.viewport()->width() && chip < 0; ++x)
            if (lanes.breakAt({x, 30}) >= 0) chip = x;
        QVERIFY(chip >= 0);
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, {chip + 2, 30});
        QCOMPARE(s.f.workspace.place().page, Page::Breaks);
    }

    void aThousandEventsAPixelAreDrawnOnce() {
        std::string events;
        constexpr int many = 200000;
        for (int i = 0; i < many; ++i)
            events += (i > 0 ? "," : "") +
                      std::string(R"({"ph":"X","cat":"cpu_op","name":"f","pid":1,"tid":1,"ts":)") +
                      std::to_string(2 * i) + R"(,"dur":1})";
        const auto profile = profile::read(R"({"schemaVersion":1,"traceEvents":[)" + events + "]}", "x.json");
        QVERIFY(profile);
        JoinedProfile joined(profile::join(nullptr, *profile).value_or(nullptr));
        test::Fixture f;
        LanesView lanes(f.theme);
        lanes.resize(1200, 300);
        lanes.setLanes(profileLanes(joined, {}));
        lanes.show();
        QVERIFY(QTest::qWaitForWindowExposed(&lanes));
        lanes.viewport()->repaint();
        QVERIFY2(lanes.drawnBoxes() > 500 && lanes.drawnBoxes() < 2500,
                 qPrintable(QString::number(lanes.drawnBoxes())));
    }

    void roofsAndWhatCouldBeSaved() {
        Shown s("mlp_aot");
        ProfileRoofline& roofline = *test::part<ProfileRoofline>(*s.page);
        RooflineView& view = *roofline.view();
        QVERIFY(roofline.isVisible() && roofline.button()->isHidden()); // no engine
        s.page->resize(1000, 700);                                      // the table needs its room
        QVERIFY(!roofline.isVisible());
        test::part<QToolButton>(*s.page, "profile.showRoofline")->click();
        s.page->resize(1100, 900);
        QVERIFY(roofline.isVisible());
        QVERIFY(view.points().size() >= 3);
        const auto& rows = test::part<RowTable>(*s.page, "profile.table")->rows().rows();
        for (const RooflinePoint& point : view.points()) {
            QCOMPARE(point.name, rows[std::size_t(point.row)].front().text);
            QVERIFY(point.intensity > 0 && point.flopsPerSecond > 0);
        }
        QVERIFY2(test::part<QLabel>(roofline, "profile.rooflineNote")->text().contains("only move bytes"),
                 qPrintable(test::part<QLabel>(roofline, "profile.rooflineNote")->text()));
        QVERIFY(test::part<RowTable>(*s.page, "profile.table")->isColumnHidden(int(ProfileColumn::Saveable)));
        roofline.field()->setText("two");
        emit roofline.field()->editingFinished();
        QVERIFY(!roofline.peaks() &&
                test::part<QLabel>(roofline, "profile.rooflineNote")->text().contains("two numbers"));
        roofline.field()->setText("100, 10");
        emit roofline.field()->editingFinished();
        QVERIFY(roofline.peaks() && roofline.peaks()->flopsPerSecond == 100e9);
        QVERIFY(
            !test::part<RowTable>(*s.page, "profile.table")->isColumnHidden(int(ProfileColumn::Saveable)));
        const RooflinePoint point = view.points().back();
        const TableRow& row = rows[std::size_t(point.row)];
        const double saved = row[std::size_t(ProfileColumn::Saveable)].sort.toDouble();
        QVERIFY(saved > 0 && saved < row[std::size_t(ProfileColumn::Self)].sort.toDouble());
        QVERIFY2(view.description(point).contains("% of what"), qPrintable(view.description(point)));
        // A point selects its row, and a row its point.
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.placeOf(point).toPoint());
        QCOMPARE(view.selected(), test::part<RowTable>(*s.page, "profile.table")->selected());
        QVERIFY(view.selected() >= 0);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.selected(), test::part<RowTable>(*s.page, "profile.table")->selected());
        emit test::part<RowTable>(*s.page, "profile.table")->rowSelected(point.row);
        QCOMPARE(view.selected(), point.row);
        QVERIFY(!view.grab().isNull());
    }

    void anotherProfileBesideIt() {
        Shown s("breaks");
        QComboBox& against = *test::part<QComboBox>(*s.page, "profile.against");
        ProfileAgainst& beside = *test::part<ProfileAgainst>(*s.page);
        QVERIFY(against.isHidden()); // nothing else is open
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QVERIFY(opened);
        s.f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, false);
        QVERIFY(!against.isHidden());
        QCOMPARE(against.count(), 2);
        against.setCurrentIndex(1);
        emit against.activated(1);
        s.f.settle([&] { return bool(beside.compared()); });
        QVERIFY(beside.isVisible() && !test::part<RowTable>(*s.page, "profile.table")->isVisible());
        QVERIFY2(test::part<QLabel>(beside, "profile.verdict")->text().startsWith("B's step"),
                 qPrintable(test::part<QLabel>(beside, "profile.verdict")->text()));
        // The rows of core/profile, in its order.
        const ComparedProfiles& compared = *beside.compared();
        const auto& rows = beside.table()->rows().rows();
        QCOMPARE(rows.size(), compared.rows.size());
        int onlyInB = -1;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i].front().text, QString::fromStdString(compared.rows[i].key));
            if (rows[i][std::size_t(ComparedColumn::Verdict)].text == "only in B" &&
                compared.linksB[i].graph && onlyInB < 0)
                onlyInB = int(i);
        }
        QVERIFY(!test::part<ShareBars>(beside)->grab().isNull());
        // A row of B alone leads into B's capture.
        QVERIFY(onlyInB >= 0);
        emit beside.table()->rowActivated(onlyInB);
        s.f.settle();
        QCOMPARE(s.f.workspace.place().capture, 1);
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QVERIFY(!s.f.workspace.place().node.isEmpty());
    }

    void bIsForgottenOnceItIsClosed() {
        Shown s("breaks");
        QComboBox& against = *test::part<QComboBox>(*s.page, "profile.against");
        ProfileAgainst& beside = *test::part<ProfileAgainst>(*s.page);
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot");
        QVERIFY(opened);
        s.f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, false);
        against.setCurrentIndex(1);
        emit against.activated(1);
        s.groupBy("step"); // steps of two runs are not the same steps
        s.f.settle([&] { return bool(beside.compared()); });
        QVERIFY(beside.table()->emptyText().contains("not the same steps"));
        s.f.workspace.close(1);
        s.f.settle([&] { return test::part<RowTable>(*s.page, "profile.table")->isVisible(); });
        QVERIFY(against.isHidden() && !beside.compared());
    }

    void rowsOfOneDevice() {
        test::Fixture f;
        QTemporaryDir dir;
        const QString path = dir.filePath("x.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":30},
{"ph":"X","cat":"kernel","name":"f","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0}},
{"ph":"X","cat":"kernel","name":"g","pid":0,"tid":7,"ts":40,"dur":30,"args":{"device":0}},
{"ph":"X","cat":"kernel","name":"f","pid":0,"tid":7,"ts":40,"dur":20,"args":{"device":1}}]})");
        file.close();
        const auto opened = capture::open(path.toStdString());
        QVERIFY2(opened, opened ? "" : opened.error().toString().c_str());
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        Place place = f.workspace.place();
        place.page = Page::Profile;
        f.workspace.go(place);
        const auto page = f.show<ProfilePage>(1300, 800);
        auto& table = *test::part<RowTable>(*page, "profile.table");
        auto& devices = *test::part<QComboBox>(*page, "profile.devices");
        f.settle([&] { return table.rows().rowCount() > 0; });
        QCOMPARE(test::part<QComboBox>(*page, "profile.by")->currentText(), QString("operator")); // no graph
        // The GPU that was busy longest, and its figures.
        QCOMPARE(devices.currentText(), QString("gpu:0"));
        QCOMPARE(table.rows().rowCount(), 2);
        QCOMPARE(devices.count(), 4);
        QVERIFY(devices.isVisible());
        const auto figures = [&page] {
            QString out;
            for (const QLabel* label : test::part<FigureRow>(*page)->findChildren<QLabel*>())
                out += label->text() + u'\n';
            return out;
        };
        QVERIFY2(figures().contains("gpu:0 busy"), qPrintable(figures()));
        devices.setCurrentIndex(0);
        emit devices.activated(0);
        QCOMPARE(table.rows().rowCount(), 4);
        f.settle([&] { return !figures().contains("gpu:0 busy"); });
        const auto text = [&table](int row, ProfileColumn column) {
            return table.rows().rows()[std::size_t(row)][std::size_t(column)].text;
        };
        QVERIFY(text(0, ProfileColumn::What).contains("  cpu")); // says its device
        devices.setCurrentText("gpu:0");
        emit devices.activated(devices.currentIndex());
        QCOMPARE(table.rows().rowCount(), 2);
        QCOMPARE(text(0, ProfileColumn::What), QString("g"));
        QCOMPARE(text(0, ProfileColumn::Share), QString("75.0 %")); // of its own busy time
        QCOMPARE(text(1, ProfileColumn::What), QString("f"));
        devices.setCurrentText("gpu:1");
        emit devices.activated(devices.currentIndex());
        QCOMPARE(table.rows().rowCount(), 1);
        QCOMPARE(text(0, ProfileColumn::Self), QString::fromUtf8("20.0 µs"));
        devices.setCurrentIndex(0);
        emit devices.activated(0);
        QCOMPARE(table.rows().rowCount(), 4);
        Shown one("mlp_aot"); // a CPU alone
        QVERIFY(test::part<QComboBox>(*one.page, "profile.devices")->isHidden());
    }

    void collectivesStandApart() {
        Shown s("../ranks/late");
        QVERIFY2(s.figures().contains("collectives, "), qPrintable(s.figures()));
        const int groups = s.rowWith("collectives on threads of process groups");
        QVERIFY(groups >= 0);
        const TableRow& row = test::part<RowTable>(*s.page, "profile.table")->rows().rows()[groups];
        QVERIFY(std::ranges::any_of(
            row, [](const TableCell& cell) { return cell.text == "name of the outermost event"; }));
        Shown none("mlp_aot");
        QVERIFY2(!none.figures().contains("collectives"), qPrintable(none.figures()));
    }

    /// Two runs on a GPU are compared by the GPU's time; a GPU's and a CPU's by all.
    void sharesOfTwoGpus() {
        const auto of = [](const char* folder) {
            return std::make_shared<JoinedProfile>(test::joinedFolder(folder));
        };
        const auto tuned = of("tuned"), graphs = of("cuda_graphs"), cpu = of("mlp_aot");
        const auto both = compareProfiles(tuned, graphs, profile::By::Node);
        QCOMPARE(both->device, std::string("cuda:0"));
        QVERIFY(std::abs(both->sharesA.all() - tuned->joined->profile->busy.at(1)) < 1);
        QVERIFY(std::abs(both->sharesB.all() - graphs->joined->profile->busy.at(1)) < 1);
        const auto mixed = compareProfiles(tuned, cpu, profile::By::Node);
        QVERIFY(mixed->device.empty());
        QVERIFY(std::abs(mixed->sharesA.all() - tuned->joined->busy) < 1);
    }

    void idleDevices() {
        const auto profile = profile::read(
            R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":30,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"f","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0,"correlation":1}},
{"ph":"X","cat":"kernel","name":"g","pid":0,"tid":7,"ts":40,"dur":10,"args":{"device":0,"correlation":2}}]})",
            "x.json");
        QVERIFY(profile);
        const auto joined = profile::join(nullptr, *profile);
        QVERIFY(joined);
        test::Fixture f;
        const auto figures = idleFigures(**joined, idleReport(**joined), f.theme.colours());
        QCOMPARE(figures.size(), std::size_t(1));
        QCOMPARE(figures[0].value, QString::fromUtf8("20.0 µs"));
        QCOMPARE(figures[0].name, QStringLiteral("cuda:0 idle, 100.0 % for launches"));
        QVERIFY2(figures[0].toolTip.contains("nothing recorded 10.0"), qPrintable(figures[0].toolTip));
        QVERIFY(idleFigures(**joined, {}, f.theme.colours()).empty());
    }

    /// Two graphs on a GPU that were launched kernel by kernel.
    void idleTimeBesideTheRows() {
        test::Fixture f;
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/tuned");
        QVERIFY(opened);
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        Place place = f.workspace.place();
        place.page = Page::Profile;
        f.workspace.go(place);
        auto page = f.show<ProfilePage>(1280, 860);
        auto* button = test::part<QToolButton>(*page, "profile.showIdle");
        auto* gaps = test::part<RowTable>(*page, "profile.idle.gaps");
        auto* graphs = test::part<RowTable>(*page, "profile.idle.graphs");
        QTRY_VERIFY_WITH_TIMEOUT(gaps->model()->rowCount() > 0, 30000);
        QVERIFY(button->isVisible() && !gaps->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(gaps->isVisible() && graphs->isVisible());
        QVERIFY(!test::part<QToolButton>(*page, "profile.showRoofline")->isChecked());
        QVERIFY(graphs->model()->rowCount() >= 2);
        for (int row = 0; row < graphs->model()->rowCount(); ++row)
            QCOMPARE(graphs->model()->index(row, 5).data().toString(), QStringLiteral("CUDA graph"));
        // The longest first; what is chosen is shown over time.
        auto* lanes = page->findChild<LanesView*>();
        QVERIFY(lanes);
        const double before = lanes->right() - lanes->left();
        gaps->setCurrentIndex(gaps->model()->index(0, 0));
        QTRY_VERIFY(lanes->right() - lanes->left() < before);
        QTest::mouseClick(test::part<QToolButton>(*page, "profile.showRoofline"), Qt::LeftButton);
        QVERIFY(!gaps->isVisible());
        graphs->setCurrentIndex(graphs->model()->index(0, 0));
        emit graphs->rowActivated(0);
        QCOMPARE(f.workspace.place().page, Page::Stages);
    }

    void aCaptureWithoutProfile() {
        test::Fixture f;
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/mlp_aot/trace.log.xz");
        QVERIFY(opened);
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        const auto page = f.show<ProfilePage>(900, 600);
        QTRY_VERIFY(page->message().contains("export_chrome_trace"));
    }
};

QTEST_MAIN(TestProfilePage)
#include "tst_profile_page.moc"
