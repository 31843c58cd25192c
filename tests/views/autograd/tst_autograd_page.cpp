// SPDX-License-Identifier: BSD-3-Clause
//
// The joint graph cut in two, what is saved, and the alias and mutation table, clicked through.
#include "core/capture/open.h"
#include "core/engine/cases/metadata_compare.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/autograd/alias_panel.h"
#include "views/autograd/alias_rows.h"
#include "views/autograd/autograd_page.h"
#include "views/autograd/cut_view.h"
#include "views/autograd/metadata_rows.h"
#include "views/autograd/split_panel.h"
#include "views/autograd/split_rows.h"
#include "views/inspector/fact_view.h"

#include <QComboBox>
#include <QLabel>
#include <QTabBar>

using namespace dynascope;
using namespace dynascope::views;

namespace {

struct Shown : test::Fixture {
    std::unique_ptr<AutogradPage> page;

    explicit Shown(const QString& name) {
        test::addCapture(workspace, test::capture(name));
        page = show<AutogradPage>(1280, 740);
        settle();
    }
    void showAlias() {
        QTest::mouseClick(page->tabs(), Qt::LeftButton, {},
                          page->tabs()->tabRect(AutogradPage::AliasTab).center());
        settle();
    }
    [[nodiscard]] SplitPanel& split() const { return *page->split(); }
    [[nodiscard]] CutView& cut() const { return *split().cut(); }
};

QString cell(const RowTable* table, int row, int column) {
    return table->rows().index(row, column).data().toString();
}

QString nameOf(const computed::CutSide& side, int row) {
    return QString::fromStdString(side.graph->node(side.rows[std::size_t(row)]).name);
}

} // namespace

class TestAutogradPage : public QObject {
    Q_OBJECT

private slots:
    /// What a saved-tensors hook makes of a value is what is kept, and what is counted.
    void packedValues() {
        Shown s("trace_aot_eager/saved_hooks_float8");
        const computed::JointSplit& split = *s.split().split();
        QCOMPARE(split.savedBytes, 24);
        QCOMPARE(cell(s.split().values(), 0, 1), QStringLiteral("24 B"));
        QCOMPARE(cell(s.split().values(), 0, 2), QStringLiteral("packed"));
        QCOMPARE(cell(s.split().values(), 0, 3), QStringLiteral("f32[4, 6] → f8e4m3fn[4, 6]"));
        Shown other("trace_aot_eager/saved_hooks");
        bool packed = false, left = false;
        for (const computed::CutValue& value : other.split().split()->values) {
            packed = packed || (!value.packed.empty() && value.bytes == 32);
            left = left || (value.packed.empty() && value.why.find("filter 'donated'") != std::string::npos);
        }
        QVERIFY(packed && left);
    }

    void typesAndReasonsAreSeenInSmallWindows() {
        Shown s("trace_aot_eager/gpt2_train");
        s.page->applyDefaultSizes(1280);
        s.settle();
        const RowTable* table = s.split().values();
        const auto end = [&](ValueColumn column) {
            return table->columnViewportPosition(int(column)) + table->columnWidth(int(column));
        };
        const int why = int(ValueColumn::Why);
        QVERIFY2(table->columnWidth(int(ValueColumn::Type)) >= 100 && table->columnWidth(why) >= 220,
                 qPrintable(QStringLiteral("%1 %2")
                                .arg(table->columnWidth(int(ValueColumn::Type)))
                                .arg(table->columnWidth(why))));
        QVERIFY2(end(ValueColumn::Why) <= table->viewport()->width(),
                 qPrintable(
                     QStringLiteral("%1 of %2").arg(end(ValueColumn::Why)).arg(table->viewport()->width())));
    }

    void cutsAJointGraph() {
        Shown s("trace_aot_eager/gpt2_train");
        const QAbstractItemModelTester tester(s.split().values()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(s.split().message(), QString());
        const computed::JointSplit& split = *s.split().split();
        QCOMPARE(split.declined, std::string());
        QVERIFY(split.forward.isomorphic.value() && split.backward.isomorphic.value());
        QVERIFY(split.forward.rows.size() > 50 && split.backward.rows.size() > 50);
        QCOMPARE(std::size_t(s.split().values()->rows().rowCount()), split.values.size());
        std::int64_t saved = 0;
        for (const computed::CutValue& value : split.values) {
            if (!value.recomputed) saved += value.bytes;
            QVERIFY(!value.why.empty());
            QVERIFY2(value.forwardRow != SIZE_MAX, value.node.c_str());
            QCOMPARE(makerOf(split, value)->name, value.node);
            if (!value.recomputed) QVERIFY2(!value.backwardRows.empty(), value.node.c_str());
        }
        QCOMPARE(saved, split.savedBytes);
        QVERIFY(split.jointPeakBytes > 0 && split.forward.peakBytes > 0 && split.backward.peakBytes > 0);
        // What is computed again stands on both sides.
        for (const computed::CutValue& value : split.values)
            if (value.recomputed) {
                bool again = false;
                for (std::size_t row = 0; row < split.backward.rows.size(); ++row)
                    again =
                        again || (split.backward.again[row] &&
                                  split.backward.graph->node(split.backward.rows[row]).name == value.node);
                QVERIFY2(again, value.node.c_str());
            }
    }

    void pictureAndListMoveTogether() {
        Shown s("trace_aot_eager/encoder_train");
        const computed::JointSplit& split = *s.split().split();
        // The biggest value first.
        RowTable& values = *s.split().values();
        const int biggest =
            int(std::max_element(split.values.begin(), split.values.end(),
                                 [](const computed::CutValue& a, const computed::CutValue& b) {
                                     return a.bytes < b.bytes;
                                 }) -
                split.values.begin());
        QVERIFY(values.cellRect(biggest, 0).top() <= values.rowHeight(0));
        QTest::mouseClick(values.viewport(), Qt::LeftButton, {}, values.cellRect(biggest, 0).center());
        QCOMPARE(s.cut().selectedValue(), biggest);
        const computed::CutValue& value = split.values[std::size_t(biggest)];
        QCOMPARE(s.cut().row(), int(value.forwardRow));
        QVERIFY(
            s.cut().viewport()->rect().intersects(s.cut().rowRect(CutView::Side::Forward, s.cut().row())));
        // Along its line to the first reader and back.
        s.cut().setFocus();
        QTest::keyClick(&s.cut(), Qt::Key_Right);
        QCOMPARE(s.cut().accessibleDescription(), nameOf(split.backward, s.cut().row()));
        QCOMPARE(s.cut().row(), int(value.backwardRows.front()));
        QTest::keyClick(&s.cut(), Qt::Key_Left);
        QCOMPARE(s.cut().accessibleDescription(), nameOf(split.forward, s.cut().row()));
        QTest::keyClick(&s.cut(), Qt::Key_Home);
        QCOMPARE(s.cut().row(), 0);
        QTest::keyClick(&s.cut(), Qt::Key_Space);
        const int next = s.cut().selectedValue();
        QVERIFY(next >= 0);
        QCOMPARE(values.selected(), next);
        const QRect row = s.cut().rowRect(CutView::Side::Forward, s.cut().row());
        QTest::keyClick(&s.cut(), Qt::Key_Down);
        QTest::mouseClick(s.cut().viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(s.cut().selectedValue(), next);
        QTest::keyClick(&s.cut(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith("Forward\n"));
        QVERIFY(!s.cut().grab().isNull());
    }

    void leadsToTheGraphs() {
        Shown s("trace_aot_eager/encoder_train");
        s.cut().setFocus();
        QTest::keyClick(&s.cut(), Qt::Key_Space);
        const std::string node = s.split().split()->values[std::size_t(s.cut().selectedValue())].node;
        QTest::keyClick(&s.cut(), Qt::Key_Return);
        s.settle();
        QCOMPARE(s.workspace.place().page, Page::Stages);
        QCOMPARE(s.workspace.stage(Side::B).stage->name, std::string("aot_forward_graph"));
        QVERIFY(s.workspace.selectedNode());
        QCOMPARE(s.workspace.selectedNode()->name, node);
        s.split().values()->setFocus();
        QTest::keyClick(s.split().values(), Qt::Key_Return);
        s.settle();
        QCOMPARE(s.workspace.stage(Side::B).stage->name, std::string("aot_joint_graph"));
        emit test::part<FactView>(s.split(), "split.detail")->followed("backward:0");
        s.settle();
        QCOMPARE(s.workspace.stage(Side::B).stage->name, std::string("aot_backward_graph"));
        emit test::part<FactView>(s.split(), "split.detail")->followed("backward:99999");
    }

    void aliasAndMutation() {
        Shown s("trace_aot_eager/alias_overlap");
        s.showAlias();
        RowTable* inputs = test::part<RowTable>(*test::part<AliasPanel>(*s.page, "alias"), "alias.inputs");
        RowTable* outputs = test::part<RowTable>(*test::part<AliasPanel>(*s.page, "alias"), "alias.outputs");
        const QAbstractItemModelTester inputTester(inputs->model(),
                                                   QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester outputTester(outputs->model(),
                                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(inputs->rows().rowCount(), 2);
        QCOMPARE(cell(inputs, 0, int(InputAliasColumn::Name)), QString("arg0_1"));
        QCOMPARE(cell(inputs, 0, int(InputAliasColumn::Type)), QString("f32[24]"));
        QCOMPARE(cell(inputs, 0, int(InputAliasColumn::Writes)), QString("data"));
        QCOMPARE(cell(inputs, 0, int(InputAliasColumn::How)), QString("in the graph"));
        QVERIFY(cell(inputs, 0, int(InputAliasColumn::From)).startsWith("ViewBaseAOTInput"));
        QCOMPARE(outputs->rows().rowCount(), 1);
        QCOMPARE(cell(outputs, 0, int(OutputAliasColumn::Name)), QString("add_1"));
        QCOMPARE(cell(outputs, 0, int(OutputAliasColumn::Kind)), QString("non_alias"));
        QVERIFY(test::part<QLabel>(*s.page, "alias.tangents")->text().startsWith("No tangents"));
        QTest::mouseClick(outputs->viewport(), Qt::LeftButton, {}, outputs->cellRect(0, 1).center());
        QTest::keyClick(outputs, Qt::Key_Return);
        s.settle();
        QCOMPARE(s.workspace.selectedNode()->name, std::string("add_1"));
        inputs->setFocus();
        inputs->select(0);
        QTest::keyClick(inputs, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith("0\targ0_1\t"));
    }

    void tangentsOfTraining() {
        Shown s("trace_aot_eager/encoder_train");
        s.showAlias();
        QCOMPARE(test::part<QLabel>(*s.page, "alias.tangents")->text(),
                 QString("Tangents: 0: gradient of output 0"));
    }

    void followsTheCompile() {
        Shown s("trace_aot_eager/alias_mutation");
        s.showAlias();
        QVERIFY(test::part<QComboBox>(*s.page, "autograd.compiles")->count() > 1);
        const int before = s.workspace.place().compile;
        test::part<QComboBox>(*s.page, "autograd.compiles")->setFocus();
        QTest::keyClick(test::part<QComboBox>(*s.page, "autograd.compiles"),
                        before == 0 ? Qt::Key_Down : Qt::Key_Up);
        s.settle();
        QVERIFY(s.workspace.place().compile != before);
        QVERIFY(test::part<RowTable>(*test::part<AliasPanel>(*s.page, "alias"), "alias.inputs")
                    ->rows()
                    .rowCount() > 0);
    }

    /// Every capture: a split that is PyTorch's, or words that say why there is none.
    void everyCapture() {
        int split = 0;
        for (const QString& path : test::traceLogs()) {
            const auto session = capture::open(path.toStdString());
            QVERIFY(session);
            for (const std::size_t compile : computed::trainingCompiles(**session)) {
                const computed::JointSplit got = computed::splitJoint(**session, compile, {});
                if (!got.declined.empty()) continue;
                ++split;
                if (path.contains("trace_aot_eager"))
                    QVERIFY2(got.forward.isomorphic.value_or(true) && got.backward.isomorphic.value_or(true),
                             qPrintable(path));
                for (std::size_t value = 0; value < got.values.size(); ++value)
                    QVERIFY(!valueFacts(got, value).sections.empty());
                QCOMPARE(valueRows(got).size(), got.values.size());
            }
            for (std::size_t compile = 0; compile < (*session)->compiles.size(); ++compile) {
                const computed::AliasTable table = computed::aliasTable(**session, compile);
                QVERIFY(table.metadata || !table.problem.empty());
                QCOMPARE(inputAliasRows(table).size(),
                         table.metadata ? table.metadata->meta.inputs.size() : 0);
            }
        }
        QVERIFY2(split >= 5, qPrintable(QString::number(split)));
    }

    /// PyTorch records no graphs of hooks that pack nothing; that they were on is said all the same.
    void hooksThatPackNothingAreShown() {
        std::string log;
        for (test::ArchiveFile& file : test::readArchive(DYNASCOPE_TEST_DATA "/captures/derived.tar.xz"))
            if (file.path.ends_with("hooks_that_pack_nothing.log")) log = std::move(file.content);
        const auto session = capture::openText(log, "hooks.log");
        QVERIFY(session);
        const computed::JointSplit split = computed::splitJoint(**session, 0, {});
        QVERIFY2(split.hooks.starts_with("saved-tensors hooks are on, and leave everything"),
                 split.hooks.c_str());
        const Facts facts = splitFacts(split);
        QVERIFY(std::any_of(facts.sections.begin(), facts.sections.end(),
                            [](const Section& section) { return section.title == "Saved-tensors hooks"; }));
    }

    /// The figure above and the facts beside say one peak of backward, and what it is made of.
    void backwardHasOnePeak() {
        computed::JointSplit split;
        split.backward.peakBytes = 2048;
        split.savedBytes = 5120;
        split.inputBytes = 1024;
        QCOMPARE(backwardPeak(split), std::uint64_t(6144));
        QString said;
        for (const Section& section : splitFacts(split).sections)
            for (const Fact& fact : section.facts)
                if (section.title.startsWith("Memory") && fact.label == "Backward")
                    for (const Token& token : fact.tokens)
                        said += token.text;
        QCOMPARE(said, QString("6 KiB at most: 2 KiB of its own, 4 KiB saved for it"));
    }

    /// Of a capture without metadata: nothing counts as captured, nothing as different.
    void derivedMetadataStandsAlone() {
        const auto session = capture::open(test::capture("trace_aot_eager/alias_overlap").toStdString());
        QVERIFY(session);
        computed::AliasTable table = computed::aliasTable(**session, 0);
        QVERIFY(table.metadata);
        engine::RederivedStage derived;
        derived.metadata = engine::graphMetadataJson(table.metadata->meta);
        const std::size_t inputs = table.metadata->meta.inputs.size();
        table.metadata.reset();
        const computed::AliasTable known = computed::withDerivedMetadata(table, derived);
        QVERIFY(known.metadata && known.metadata->meta.inputs.size() == inputs);
        std::vector<MetadataRow> rows = metadataRows(known, computed::compareMetadata(known, derived));
        QVERIFY(!rows.empty());
        for (MetadataRow& row : rows) {
            row.captured.clear();
            row.alone = true;
        }
        for (const TableRow& row : metadataCells(known, rows)) {
            QCOMPARE(row[std::size_t(MetadataColumn::Same)].text, QString("derived"));
            QCOMPARE(row[std::size_t(MetadataColumn::Captured)].text, QString("none"));
        }
    }

    void survivesClosing() {
        Shown s("trace_aot_eager/gpt2_train");
        s.workspace.addCapture(test::captureOf(session::Session{}));
        s.settle();
        QVERIFY(s.split().message().contains("no compiled graph"));
        s.workspace.close(1);
        s.workspace.close(0);
        s.settle();
        QVERIFY(!s.split().message().isEmpty());
        QVERIFY(!s.split().split());
        QVERIFY(s.cut().rowRect(CutView::Side::Forward, 0).isNull());
        QTest::keyClick(&s.cut(), Qt::Key_Down);
    }
};

QTEST_MAIN(TestAutogradPage)
#include "tst_autograd_page.moc"
