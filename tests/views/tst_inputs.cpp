// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/module_names.h"
#include "core/session/storage_cover.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/nothing_matches.h"
#include "views/inputs/inputs_model.h"
#include "views/inputs/inputs_panel.h"
#include "views/inputs/storage_strip.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPushButton>
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
    void namesModules_data();
    void namesModules();
    void showsQualifiedNames();
    void filtersByModule();
    void showsAndSelects();
    void longTextsDoNotWidenColumns();
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

void TestInputs::namesModules_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* text, const char* named) { QTest::newRow(text) << text << named; };
    row("L['self']._modules['model']._modules['layers']._modules['3']._parameters['weight']",
        "model.layers.3.weight");
    row("L['self']._buffers['inv_freq']", "inv_freq");
    row("L['self']._modules['a']._modules", "a._modules");
    row("L['self']._modules['a'].training", "a.training");
    row("check(L['x'], L['self']._modules['a']._parameters['w'], G['m']._modules['b'])",
        "check(L['x'], a.w, b)");
    row("L['self']._modules['a'].inner._modules['b']", "a.inner.b");
    row("L['blocks'][0]._modules['a']._modules['b'] is L['c']", "a.b is L['c']");
    // No module of the program's, or not spelled as one.
    for (const char* same : {"L['x']", "L['self']._modules", "L['self']._modules[0]", "str(x)._modules['a']",
                             "._modules['a']", "L['self']._modules['a", "L['self']._modules['a\\'b']", ""})
        QTest::newRow(*same ? same : "empty") << same << same;
}

void TestInputs::namesModules() {
    QFETCH(QString, text);
    QFETCH(QString, named);
    QCOMPARE(QString::fromStdString(session::withModuleNames(text.toStdString())), named);
}

namespace {

const std::string weight(int layer, const char* module) {
    return "L['self']._modules['model']._modules['layers']._modules['" + std::to_string(layer) +
           "']._modules['self_attn']._modules['" + module + "']._parameters['weight']";
}

/// The tokens of a small Llama, and two weights of each of its 24 layers.
session::Session llama() {
    session::Session session;
    session.compiles.resize(1);
    session::Compile& compile = session.compiles[0];
    compile.inputs = {input("L['args'][0]", {"2", "16"}, {"16", "1"}, "0")};
    for (int layer = 0; layer < 24; ++layer)
        for (const char* module : {"q_proj", "k_proj"}) {
            compile.storages.push_back({0, int(compile.inputs.size()), 1024});
            compile.inputs.push_back(
                input(weight(layer, module), {"16", "16"}, {"16", "1"}, "0", int(compile.inputs.size())));
        }
    return session;
}

} // namespace

void TestInputs::showsQualifiedNames() {
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(llama()), true);
    auto panel = f.show<InputsPanel>(312, 600);
    const QString name = "model.layers.3.self_attn.q_proj.weight",
                  source = QString::fromStdString(weight(3, "q_proj"));
    const QModelIndex row =
        test::part<QTableView>(*panel, "inputs.table")->model()->index(7, InputsModel::Source);
    QCOMPARE(row.data().toString(), name);
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(source));
    test::part<QTableView>(*panel, "inputs.table")->selectRow(7);
    test::part<QTableView>(*panel, "inputs.table")->actions().front()->trigger(); // Copy
    QVERIFY(QApplication::clipboard()->text().startsWith(source + "\tf32[16, 16]\t"));
    // Both its module's number and what it is are seen beside its shape.
    const int width = test::part<QTableView>(*panel, "inputs.table")->columnWidth(InputsModel::Source);
    QVERIFY(width + test::part<QTableView>(*panel, "inputs.table")->columnWidth(InputsModel::Shape) <=
            test::part<QTableView>(*panel, "inputs.table")->viewport()->width());
    QVERIFY(width > 180);
    // Two of one name keep their sources.
    session::Compile both;
    both.inputs = {input("L['a']._parameters['weight']", {"4"}, {"1"}, "0"),
                   input("L['b']._parameters['weight']", {"4"}, {"1"}, "0")};
    QCOMPARE(inputNames(both)[1], QString("L['b']._parameters['weight']"));
}

void TestInputs::filtersByModule() {
    test::Fixture f;
    f.workspace.addCapture(test::captureOf(llama()), true);
    auto panel = f.show<InputsPanel>(312, 600);
    const QAbstractItemModel& rows = *test::part<QTableView>(*panel, "inputs.table")->model();
    const auto found = [&](const char* typed) {
        test::part<QLineEdit>(*panel, "inputs.filter")->setText(typed);
        return rows.rowCount();
    };
    QCOMPARE(found("layers.12.self_attn.q_proj"), 1);
    QCOMPARE(rows.index(0, 0).data().toString(), QString("model.layers.12.self_attn.q_proj.weight"));
    QCOMPARE(found("layers.1.q_proj"), 1);
    QCOMPARE(found("module:layers.12"), 2);
    QCOMPARE(found("_modules['12']"), 2);
    QCOMPARE(found("i64"), 0);
    QCOMPARE(found("f32[2, 16]"), 1);
    QCOMPARE(found("module:f32[2, 16]"), 0);
    const auto* word = test::part<QTableView>(*panel, "inputs.table")->findChild<NothingMatches*>();
    QVERIFY(word && word->isVisible());
    QCOMPARE(word->text(), QString("No input matches module:f32[2, 16]."));
    word->findChild<QPushButton*>()->click();
    QVERIFY(test::part<QLineEdit>(*panel, "inputs.filter")->text().isEmpty());
    QCOMPARE(rows.rowCount(), 49);
    QVERIFY(!word->isVisible());
}

void TestInputs::showsAndSelects() {
    test::Fixture f;
    session::Session session;
    session.compiles = {overlapping()};
    session.compiles[0].symbols = {{"s0", "8", "[2, 9]", "L['a'].size()[0]", {}, {}, {}, {}, {}}};
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<InputsPanel>(312, 600);
    QVERIFY(panel->message().isEmpty());
    QCOMPARE(test::part<QTableView>(*panel, "inputs.table")->model()->rowCount(), 4);
    QSignalSpy clicked(test::part<StorageStrip>(*panel), &StorageStrip::inputClicked);
    QTest::mouseClick(test::part<StorageStrip>(*panel), Qt::LeftButton, {},
                      QPoint(60, f.theme.scaled(8 + 20 + 48 + 20)));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toInt(), 1);
    QCOMPARE(test::part<QTableView>(*panel, "inputs.table")->currentIndex().row(), 1);
}

void TestInputs::longTextsDoNotWidenColumns() {
    test::Fixture f;
    session::Session session;
    session.compiles = {overlapping()};
    session.compiles[0].inputs[1].storageOffset = std::string(10000, 'A');
    session.compiles[0].inputs[2].meta.strides = {std::string(10000, 'A')};
    f.workspace.addCapture(test::captureOf(std::move(session)), true);
    auto panel = f.show<InputsPanel>(312, 600);
    const QAbstractItemModel& rows = *test::part<QTableView>(*panel, "inputs.table")->model();
    for (const int column : {InputsModel::Offset, InputsModel::Stride}) {
        bool isLong = false;
        for (int row = 0; row < rows.rowCount(); ++row)
            isLong |= rows.index(row, column).data().toString().size() > 9999;
        QVERIFY(isLong);
        QVERIFY2(
            test::part<QTableView>(*panel, "inputs.table")->columnWidth(column) <= f.theme.scaled(400),
            qPrintable(QString::number(test::part<QTableView>(*panel, "inputs.table")->columnWidth(column))));
    }
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
