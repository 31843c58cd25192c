// SPDX-License-Identifier: BSD-3-Clause
//
// Captured and derived metadata side by side, clicked through, and which view of the page comes up first.
#include "core/engine/cases/metadata_compare.h"
#include "tests/support/captures.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/autograd/alias_panel.h"
#include "views/autograd/autograd_page.h"
#include "views/autograd/metadata_panel.h"
#include "views/autograd/metadata_rows.h"
#include "views/autograd/split_panel.h"
#include "views/engine/rederivations.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>

using namespace dynascope;
using namespace dynascope::views;
using nlohmann::json;

namespace {

struct Shown : test::Fixture {
    Engine engine{std::vector<std::string>{"/no/such/engine"}};
    Passes passes{workspace, engine};
    Rederivations rederived{workspace, passes};
    std::unique_ptr<AutogradPage> page;

    explicit Shown(const QString& name) {
        test::addCapture(workspace, test::capture(name));
        page = show<AutogradPage>(1280, 740);
        page->setRederived(rederived);
        settle();
    }
    void showTab(AutogradPage::Tab tab) {
        QTest::mouseClick(page->tabs(), Qt::LeftButton, {}, page->tabs()->tabRect(tab).center());
        settle();
    }
    [[nodiscard]] computed::AliasTable table() const {
        return computed::aliasTable(*workspace.session(), std::size_t(workspace.place().compile));
    }
    /// As if the engine had answered `derived`.
    void derive(const json& derived, engine::Rederived verdict = engine::Rederived::Isomorphic) {
        const computed::AliasTable of = table();
        computed::StageRederivation known;
        known.stage = of.stage;
        known.said.metadata.emplace();
        known.said.metadata->verdict = verdict;
        known.said.metadata->reason = "a reason";
        known.said.metadata->metadata = derived;
        rederived.restore({known});
        settle();
    }
    [[nodiscard]] json captured() const {
        const computed::AliasTable of = table();
        json out = engine::graphMetadataJson(of.metadata->meta);
        out["num_traced_tangents"] = of.metadata->tangents.size();
        return out;
    }
    [[nodiscard]] MetadataPanel& metadata() const { return *test::part<MetadataPanel>(*page, "metadata"); }
    [[nodiscard]] QString cell(int row, MetadataColumn column) const {
        return test::part<RowTable>(metadata(), "metadata.fields")
            ->rows()
            .index(row, int(column))
            .data()
            .toString();
    }
    [[nodiscard]] int rowOf(const QString& of, const QString& field) const {
        for (int row = 0; row < test::part<RowTable>(metadata(), "metadata.fields")->rows().rowCount(); ++row)
            if (cell(row, MetadataColumn::Of) == of && cell(row, MetadataColumn::Field) == field) return row;
        return -1;
    }
    void clickLink(const CompilePanel* panel, const QString& text) const {
        for (QPushButton* button : panel->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
    }
};

} // namespace

class TestMetadataPanel : public QObject {
    Q_OBJECT

private slots:
    void saysHowToDerive() {
        Shown s("trace_aot_eager/alias_overlap");
        s.showTab(AutogradPage::MetadataTab);
        QVERIFY(s.metadata().message().startsWith("Nothing was derived"));
        QSignalSpy failed(&s.rederived, &Rederivations::failed);
        s.clickLink(&s.metadata(), "Re-derive the graphs");
        QCOMPARE(failed.count(), 1); // there is no engine, and the window says so
        s.derive(json(), engine::Rederived::Declined);
        QVERIFY(s.metadata().message().contains("a reason"));
    }

    void fieldByField() {
        Shown s("trace_aot_eager/encoder_train");
        const QAbstractItemModelTester tester(test::part<RowTable>(s.metadata(), "metadata.fields")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        s.derive(s.captured());
        s.showTab(AutogradPage::MetadataTab);
        QCOMPARE(s.metadata().message(), QString());
        const computed::AliasTable table = s.table();
        const std::size_t inputs = table.metadata->meta.inputs.size();
        const int rows = test::part<RowTable>(s.metadata(), "metadata.fields")->rows().rowCount();
        QVERIFY(rows > int(inputs) * 9);
        QCOMPARE(test::part<QLabel>(s.metadata(), "metadata.note")->text(),
                 QStringLiteral("%1 of %1 fields equal").arg(rows));
        QVERIFY(!test::part<QCheckBox>(s.metadata(), "metadata.onlyDifferent")->isEnabled());
        for (int row = 0; row < rows; ++row) {
            QCOMPARE(s.cell(row, MetadataColumn::Captured), s.cell(row, MetadataColumn::Derived));
            QVERIFY2(!s.cell(row, MetadataColumn::Meaning).isEmpty(),
                     qPrintable(s.cell(row, MetadataColumn::Field)));
        }
        // Tangents and the order of outputs are there, each with its node.
        const int tangent = s.rowOf("tangent 0", "traced_tangents");
        QVERIFY(tangent >= 0);
        QCOMPARE(s.cell(tangent, MetadataColumn::Captured), QString("gradient of output 0"));
        QVERIFY(s.cell(tangent, MetadataColumn::Node).startsWith("tangents_"));
        const int result = s.rowOf("result 0", "place");
        QVERIFY(result >= 0);
        QCOMPARE(s.cell(result, MetadataColumn::Captured), QString("output 0"));
        QCOMPARE(s.cell(result, MetadataColumn::Node),
                 QString::fromStdString(table.graph->node(table.outputs[0]).name));
    }

    void marksWhatDiffersAndLeadsThere() {
        Shown s("trace_aot_eager/alias_overlap");
        json derived = s.captured();
        derived["input_info"][1]["mutates_data"] = false;
        derived["input_info"][1]["mutation_type"] = "NOT_MUTATED";
        derived["mutated_graph_handled_indices"] = {0};
        s.derive(derived, engine::Rederived::Different);
        s.showTab(AutogradPage::MetadataTab);
        const int rows = test::part<RowTable>(s.metadata(), "metadata.fields")->rows().rowCount();
        QCOMPARE(test::part<QLabel>(s.metadata(), "metadata.note")->text(),
                 QStringLiteral("%1 of %2 fields equal").arg(rows - 3).arg(rows));
        const int row = s.rowOf("input 1", "mutates_data");
        QVERIFY(row >= 0);
        QCOMPARE(s.cell(row, MetadataColumn::Captured), QString("true"));
        QCOMPARE(s.cell(row, MetadataColumn::Derived), QString("false"));
        QCOMPARE(s.cell(row, MetadataColumn::Same), QString("~ differs"));
        QTest::mouseClick(
            test::part<QCheckBox>(s.metadata(), "metadata.onlyDifferent"), Qt::LeftButton, {},
            QPoint(8, test::part<QCheckBox>(s.metadata(), "metadata.onlyDifferent")->height() / 2));
        QCOMPARE(test::part<RowTable>(s.metadata(), "metadata.fields")->rows().rowCount(), 3);
        // A click on the field shows the placeholder.
        RowTable& fields = *test::part<RowTable>(s.metadata(), "metadata.fields");
        const int shown = s.rowOf("input 1", "mutates_data");
        QTest::mouseClick(fields.viewport(), Qt::LeftButton, {},
                          fields.cellRect(shown, int(MetadataColumn::Field)).center());
        s.settle();
        QCOMPARE(s.workspace.place().page, Page::Stages);
        QVERIFY(s.workspace.selectedNode());
        QCOMPARE(s.workspace.selectedNode()->name, std::string("arg1_1"));
        // An output of the function, by key.
        test::part<QCheckBox>(s.metadata(), "metadata.onlyDifferent")->setChecked(false);
        QLineEdit* filter = s.metadata().findChild<QLineEdit*>();
        filter->setText("output_type");
        QCOMPARE(fields.rows().rowCount(), 1);
        filter->setText("zzz");
        QCOMPARE(fields.accessibleDescription(), QString("No field matches zzz."));
        filter->setText("output_type");
        fields.setFocus();
        fields.select(0);
        QTest::keyClick(&fields, Qt::Key_Return);
        s.settle();
        QCOMPARE(s.workspace.selectedNode()->name, std::string("add_1"));
        QTest::keyClick(&fields, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().contains("output_type\t\"non_alias\"\t\"non_alias\""));
    }

    /// What an engine or a file says need not fit.
    void whateverIsDerived() {
        Shown s("trace_aot_eager/encoder_train");
        const computed::AliasTable table = s.table();
        for (const char* text :
             {"null", "3", "[]", "{}", R"({"input_info":3})", R"({"input_info":[1,2],"output_info":[{}]})",
              R"({"output_info":[{"output_type":"is_input","base_idx":99}],"input_info":[]})"}) {
            engine::RederivedStage derived;
            derived.metadata = json::parse(text);
            const std::vector<MetadataRow> rows =
                metadataRows(table, computed::compareMetadata(table, derived));
            QVERIFY(!rows.empty());
            QVERIFY(std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.same(); }));
            QCOMPARE(metadataCells(table, rows).size(), rows.size());
        }
    }

    void comesUpWhereThereIsSomething() {
        Shown s("trace_aot_eager/alias_overlap");
        QCOMPARE(s.page->tabs()->currentIndex(), int(AutogradPage::AliasTab));
        QVERIFY(test::part<RowTable>(*test::part<AliasPanel>(*s.page, "alias"), "alias.inputs")
                    ->rows()
                    .rowCount() > 0);
        s.showTab(AutogradPage::SplitTab);
        QVERIFY(s.page->split()->message().contains("traced for inference"));
        s.clickLink(s.page->split(), "Show alias and mutation");
        QCOMPARE(s.page->tabs()->currentIndex(), int(AutogradPage::AliasTab));
        // What somebody chose stays as long as it has something to show.
        test::addCapture(s.workspace, test::capture("trace_aot_eager/encoder_train"));
        s.workspace.selectCompile(1, 0);
        s.settle();
        QCOMPARE(s.page->tabs()->currentIndex(), int(AutogradPage::AliasTab));
        s.showTab(AutogradPage::SplitTab);
        QCOMPARE(s.page->split()->message(), QString());
        s.workspace.goBack();
        s.settle();
        QCOMPARE(s.page->tabs()->currentIndex(), int(AutogradPage::AliasTab));
    }
};

QTEST_MAIN(TestMetadataPanel)
#include "tst_metadata_panel.moc"
