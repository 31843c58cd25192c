// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/storage_cover.h"
#include "tests/views/panel_test.h"
#include "views/inputs/inputs_model.h"
#include "views/inputs/inputs_panel.h"
#include "views/inputs/storage_strip.h"

#include <QTableView>

using namespace dynascope;
using namespace dynascope::views;

class TestInputs : public QObject {
    Q_OBJECT
private slots:
    void coversByStride_data();
    void coversByStride();
    void symbolsGiveTheirValues();
    void hugeAndStrangeSizes();
    void findsOverlaps();
    void modelHolds();
    void showsAndSelects();
    void saysWhatIsMissing();
};

namespace {

session::TensorInput input(const std::string& source, std::vector<std::string> sizes,
                           std::vector<std::string> strides, std::string offset, int storage = 0) {
    session::TensorInput out;
    out.source = source;
    out.meta.dtype = "f32";
    out.meta.sizes = std::move(sizes);
    out.meta.strides = std::move(strides);
    out.storageOffset = std::move(offset);
    out.storage = storage;
    return out;
}

QString rangesText(const session::ByteRanges& ranges) {
    QStringList out;
    for (const auto& [begin, end] : ranges)
        out << QStringLiteral("%1-%2").arg(begin).arg(end);
    return out.join(' ');
}

session::Compile overlapping() {
    session::Compile compile;
    compile.storages = {{0, 0, 96}, {0, 1, 20}};
    compile.inputs = {input("L['a']", {"3", "4"}, {"4", "1"}, "0"),
                      input("L['b']", {"3", "4"}, {"4", "1"}, "4"), input("L['c']", {"5"}, {"1"}, "0", 1),
                      input("", {"24"}, {"1"}, "0")};
    return compile;
}

} // namespace

void TestInputs::coversByStride_data() {
    QTest::addColumn<QStringList>("sizes");
    QTest::addColumn<QStringList>("strides");
    QTest::addColumn<QString>("offset");
    QTest::addColumn<QString>("ranges");
    QTest::newRow("contiguous") << QStringList{"4", "5"} << QStringList{"5", "1"} << "0"
                                << "0-80";
    QTest::newRow("column") << QStringList{"4"} << QStringList{"5"} << "0"
                            << "0-4 20-24 40-44 60-64";
    QTest::newRow("block") << QStringList{"2", "2"} << QStringList{"5", "1"} << "6"
                           << "24-32 44-52";
    QTest::newRow("transposed") << QStringList{"5", "4"} << QStringList{"1", "5"} << "0"
                                << "0-80";
    QTest::newRow("expanded") << QStringList{"7", "3"} << QStringList{"0", "1"} << "1"
                              << "4-16";
    QTest::newRow("scalar") << QStringList{} << QStringList{} << "2"
                            << "8-12";
    QTest::newRow("empty") << QStringList{"0", "4"} << QStringList{"4", "1"} << "0"
                           << "";
}

void TestInputs::coversByStride() {
    QFETCH(QStringList, sizes);
    QFETCH(QStringList, strides);
    QFETCH(QString, offset);
    QFETCH(QString, ranges);
    const auto strings = [](const QStringList& list) {
        std::vector<std::string> out;
        for (const QString& item : list)
            out.push_back(item.toStdString());
        return out;
    };
    const auto cover =
        session::coverOf(input("L['x']", strings(sizes), strings(strides), offset.toStdString()), {});
    QVERIFY(cover);
    QVERIFY(cover->exact);
    QCOMPARE(rangesText(cover->ranges), ranges);
}

void TestInputs::symbolsGiveTheirValues() {
    const session::TensorInput x = input("L['x']", {"s77", "2"}, {"2", "1"}, "0");
    QVERIFY(!session::coverOf(x, {}));
    const auto cover = session::coverOf(x, {{"s77", "3", "[2, oo]", "L['x'].size()[0]", {}, {}, {}, {}, {}}});
    QVERIFY(cover);
    QCOMPARE(rangesText(cover->ranges), QStringLiteral("0-24"));
    QVERIFY(!session::coverOf(x, {{"s77", "s77", "", "", {}, {}, {}, {}, {}}}));
}

void TestInputs::hugeAndStrangeSizes() {
    QVERIFY(!session::coverOf(input("x", {"99999999999999999999"}, {"1"}, "0"), {}));
    QVERIFY(!session::coverOf(input("x", {"1000000000000", "1000000000000"}, {"1", "1"}, "0"), {}));
    const auto many = session::coverOf(input("x", {"1000000"}, {"3"}, "0"), {});
    QVERIFY(many);
    QVERIFY(!many->exact);
    QCOMPARE(many->ranges.size(), std::size_t(1));
    session::TensorInput odd = input("x", {"4"}, {"1"}, "0");
    odd.meta.dtype = "mystery";
    QVERIFY(!session::coverOf(odd, {}));
    QVERIFY(!session::coverOf(input("x", {"4"}, {"1"}, "-3"), {}));
}

void TestInputs::findsOverlaps() {
    const auto storages = session::storagesOf(overlapping());
    QCOMPARE(storages.size(), std::size_t(2));
    QCOMPARE(storages[0].lanes.size(), std::size_t(3));
    QCOMPARE(rangesText(storages[0].lanes[0].overlap), QStringLiteral("16-48"));
    QCOMPARE(rangesText(storages[0].lanes[1].overlap), QStringLiteral("16-48"));
    QVERIFY(storages[0].lanes[2].overlap.empty()); // the base of both
    QVERIFY(storages[1].lanes[0].overlap.empty());
}

void TestInputs::modelHolds() {
    session::Session session;
    session.compiles = {overlapping()};
    InputsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCompile(std::make_shared<const session::Session>(session), 0);
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.index(1, InputsModel::Offset).data().toString(), QStringLiteral("4"));
    QCOMPARE(model.index(0, InputsModel::Shape).data().toString(), QStringLiteral("f32[3, 4]"));
    QCOMPARE(model.index(0, InputsModel::Stride).data().toString(), QStringLiteral("(4, 1)"));
    QCOMPARE(model.inputOfRow(99), -1);
    model.setCompile(nullptr, 0);
    QCOMPARE(model.rowCount(), 0);
}

void TestInputs::showsAndSelects() {
    test::Fixture f;
    session::Session session;
    session.compiles = {overlapping()};
    session.compiles[0].symbols = {{"s0", "8", "[2, 9]", "L['a'].size()[0]", {}, {}, {}, {}, {}}};
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<InputsPanel>(312, 600);
    QVERIFY(panel->message().isEmpty());
    QCOMPARE(panel->table()->model()->rowCount(), 4);
    QSignalSpy clicked(panel->strip(), &StorageStrip::inputClicked);
    QTest::mouseClick(panel->strip(), Qt::LeftButton, {}, QPoint(60, f.theme.scaled(8 + 20 + 48 + 20)));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toInt(), 1);
    QCOMPARE(panel->table()->currentIndex().row(), 1);
}

void TestInputs::saysWhatIsMissing() {
    test::Fixture f;
    auto panel = f.show<InputsPanel>(300, 400);
    QVERIFY(panel->message().contains("Ctrl+O"));
    session::Session session;
    session.compiles.resize(1);
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    f.settle();
    QVERIFY(panel->message().contains("no input tensors"));
}

QTEST_MAIN(TestInputs)
#include "tst_inputs.moc"
