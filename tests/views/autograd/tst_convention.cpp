// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention from captures and oracle cases, and its diagram walked by key and mouse.
#include "core/ir/text.h"
#include "tests/support/archive.h"
#include "tests/support/captures.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/autograd/convention_panel.h"
#include "views/autograd/convention_values.h"
#include "views/autograd/convention_view.h"
#include "views/inspector/fact_view.h"

#include <QToolButton>

using namespace dynascope;
using namespace dynascope::views;
using Step = computed::AotConventionStep;

namespace {

session::SessionPtr openCase(const char* name) {
    auto session = capture::openText(test::oracleCases().at(name), name);
    return session ? *session : nullptr;
}

struct Shown : test::Fixture {
    std::unique_ptr<ConventionPanel> panel;

    explicit Shown(session::SessionPtr session) {
        const session::BreakSummary breaks = session::summarizeBreaks(*session);
        workspace.addCapture({std::move(session), breaks});
        panel = show<ConventionPanel>(1280, 700);
        settle();
    }
    [[nodiscard]] ConventionView& view() const {
        return *test::part<ConventionView>(*panel, "conventionView");
    }
};

} // namespace

class TestConvention : public QObject {
    Q_OBJECT

private slots:
    /// What the engine answers for x.add_(y); return x * 2, x.
    void valuesOfACall() {
        const auto graph = ir::readGraph(R"(class f(torch.nn.Module):
    def forward(self, x: "f32[2]", y: "f32[2]"):
        a: "f32[2]" = x.add_(y)
        b: "f32[2]" = a * 2
        return (b, x)
)");
        QVERIFY(graph);
        const auto reply = wire::decode<wire::ExecuteReply>(nlohmann::json::parse(R"({
            "values": [
                {"node": "x", "kind": "tensor", "dtype": "float32", "shape": [2], "stride": [1], "offset": 0, "corner": [[1, 2]]},
                {"node": "y", "kind": "tensor", "dtype": "float32", "shape": [2], "stride": [1], "offset": 0, "corner": [[3, 4]]}],
            "outputs": [
                {"data": [8, 12], "dtype": "float32", "shape": [2], "stride": [1], "storage_offset": 0, "is_input": null, "aliases_inputs": [], "aliases_outputs": []},
                {"data": [4, 6], "dtype": "float32", "shape": [2], "stride": [1], "storage_offset": 0, "is_input": 0, "aliases_inputs": [0], "aliases_outputs": []}],
            "post": {"inputs": [
                {"data": [4, 6], "dtype": "float32", "shape": [2], "stride": [1], "storage_offset": 0},
                {"data": [3, 4], "dtype": "float32", "shape": [2], "stride": [1], "storage_offset": 0}]}})"),
                                                            wire::Missing::NotSaid);
        QVERIFY2(reply, reply ? "" : reply.error().message.c_str());
        const ConventionValues values = conventionValues(*reply, **graph);
        QCOMPARE(values.outer.size(), std::size_t(2));
        QVERIFY(values.outer[0].changed);
        QVERIFY(!values.outer[1].changed);
        QCOMPARE(values.results.size(), std::size_t(2));
        QCOMPARE(values.results[1].input, 0);
        computed::AotConvention convention;
        convention.outer.resize(2);
        convention.outer[0].name = "x";
        convention.outer[1].name = "y";
        const auto said = [&](Step step) {
            Facts facts;
            facts.sections = {valuesSection(convention, values, step)};
            return FactView::plainText(facts);
        };
        QVERIFY2(said(Step::Outer).contains("[1, 2]"), qPrintable(said(Step::Outer)));
        QVERIFY2(said(Step::Outputs).contains("[8, 12]"), qPrintable(said(Step::Outputs)));
        QVERIFY2(said(Step::Epilogue).contains("[4, 6]"), qPrintable(said(Step::Epilogue)));
        QVERIFY2(!said(Step::Epilogue).contains("[3, 4]"), qPrintable(said(Step::Epilogue)));
        QVERIFY(conventionValues({}, **graph).results.empty());
    }

    /// DESIGN's example: a repeat that is dropped, two arguments merged into a base, outputs that alias.
    void repeatsAndBases() {
        const computed::AotConvention got = computed::conventionOfCase(*openCase("rand_0153"));
        QCOMPARE(got.declined, std::string());
        QVERIFY(got.refusal.starts_with("Dimension out of range"));
        QCOMPARE(got.outer.size(), std::size_t(6));
        QCOMPARE(got.outer[0].name, std::string("a0"));
        QCOMPARE(got.outer[0].type, std::string("f64[2, 1, 4]"));
        QCOMPARE(got.outer[3].sameAs, 0);
        QCOMPARE(got.bases.size(), std::size_t(1));
        QCOMPARE(got.bases[0].type, std::string("f64[8]"));
        QCOMPARE(got.bases[0].members, (std::vector<int>{0, 1}));
        QCOMPARE(got.bases[0].values.size(), std::size_t(8));
        QCOMPARE(got.outer[1].geometry, std::string("[2, 1] (4, 4) at 2"));
        QVERIFY(got.outer[1].cover && got.outer[1].cover->ranges.size() == 2); // cells 2 and 6
        QCOMPARE(got.inner.size(), std::size_t(4));
        QCOMPARE(got.inner[0].base, 0);
        QCOMPARE(got.inner[1].outer, 2);
        QCOMPARE(got.outer[3].inner, 0);
        QCOMPARE(got.outputs.size(), std::size_t(6));
        QCOMPARE(got.outputs[0].role, computed::OutputCard::Role::NewValue);
        QCOMPARE(got.outputs[0].name, std::string("as_strided_scatter_2"));
        QCOMPARE(got.outputs[1].inner, 1);
        QCOMPARE(got.outputs[5].user, 3);
        QCOMPARE(got.epilogue.size(), std::size_t(6));
        QCOMPARE(got.epilogue[0].operation, std::string("copy_"));
        QCOMPARE(got.epilogue[0].what, std::string("base 0 ← output 0"));
        QCOMPARE(got.epilogue[2].operation, std::string("gen_alias"));
        QCOMPARE(got.epilogue[3].operation, std::string("pass"));
    }

    void geometryGoesBackToItsArgument() {
        const computed::AotConvention got =
            computed::conventionOfCase(*openCase("hand_alias_data_on_one_metadata_on_other"));
        QCOMPARE(got.declined, std::string());
        const auto restrided =
            std::find_if(got.epilogue.begin(), got.epilogue.end(),
                         [](const computed::EpilogueCard& card) { return card.operation == "as_strided_"; });
        QCOMPARE(restrided != got.epilogue.end(), !got.bases.empty());
    }

    void captureWithABase() {
        const auto session = capture::open(test::capture("trace_aot_eager/alias_overlap").toStdString());
        QVERIFY(session);
        const computed::AotConvention got = computed::conventionOfCapture(**session, 0);
        QCOMPARE(got.declined, std::string());
        QCOMPARE(got.outer.size(), std::size_t(3));
        QCOMPARE(got.outer[0].name, std::string("L['a']"));
        QVERIFY(got.outer[0].writesData && got.outer[1].writesData && got.outer[2].writesData);
        QCOMPARE(got.bases.size(), std::size_t(1));
        QCOMPARE(got.bases[0].members, (std::vector<int>{0, 1}));
        QCOMPARE(got.bases[0].bytes, std::uint64_t(96));
        QCOMPARE(got.inner.size(), std::size_t(2));
        QCOMPARE(got.inner[1].outer, 2);
        QVERIFY(got.inner[0].inGraph);
        QCOMPARE(got.outputs.size(), std::size_t(1));
        QCOMPARE(got.epilogue.size(), std::size_t(3)); // two copies by the graph, one result
    }

    /// The same tensor as two arguments: Dynamo's graph takes one, the program's caller gives both.
    void captureWithARepeat() {
        const auto session = capture::open(test::capture("trace_aot_eager/alias_mutation").toStdString());
        QVERIFY(session);
        const computed::AotConvention got = computed::conventionOfCapture(**session, 0);
        QCOMPARE(got.declined, std::string());
        QCOMPARE(got.taken, std::size_t(2));
        QCOMPARE(got.outer.size(), std::size_t(3));
        QCOMPARE(got.outer[2].name, std::string("L['b']"));
        QCOMPARE(got.outer[got.outer[2].sameAs].name, std::string("L['a']"));
        QVERIFY(got.outer[2].writesData);
        QCOMPARE(got.outer[2].inner, got.outer[0].inner);
        QVERIFY2(got.strategy.find("L['a'] is L['b']") != std::string::npos, got.strategy.c_str());
        QVERIFY(calledStage((*session)->compiles[0], got));
        // Later calls give two tensors.
        QCOMPARE(computed::conventionOfCapture(**session, 1).outer.size(), std::size_t(3));
        QCOMPARE(computed::conventionOfCapture(**session, 1).taken, std::size_t(3));
    }

    /// Not the end of L['self']._modules['encoder']._parameters['weight'], which all of them share.
    void parametersHaveTheModelsNames() {
        computed::AotConvention got;
        got.outer.resize(2);
        got.outer[0].name = "L['self']._modules['encoder']._modules['0']._parameters['weight']";
        got.outer[1].name = "L['x']";
        QCOMPARE(argumentName(got.outer[0]), QStringLiteral("encoder.0.weight"));
        QCOMPARE(argumentName(got.outer[1]), QStringLiteral("L['x']"));
        const Facts facts = conventionFacts(got, Step::Outer);
        const auto map = std::ranges::find(facts.sections, QStringLiteral("Index map"), &Section::title);
        QVERIFY(map != facts.sections.end());
        QCOMPARE(map->facts.front().label, QStringLiteral("0"));
        QCOMPARE(map->facts.front().tokens.front().text, QStringLiteral("encoder.0.weight"));
    }

    void everyCaptureAndCase() {
        int shown = 0, cases = 0;
        for (const QString& path : test::traceLogs()) {
            const auto session = capture::open(path.toStdString());
            for (std::size_t i = 0; i < (*session)->compiles.size(); ++i) {
                const computed::AotConvention got = computed::conventionOfCapture(**session, i);
                shown += got.declined.empty();
                for (int step = 0; step < computed::conventionSteps; ++step)
                    QVERIFY(!conventionFacts(got, Step(step)).sections.empty());
            }
        }
        QVERIFY2(shown >= 15, qPrintable(QString::number(shown)));
        test::Fixture f;
        ConventionView view(f.theme);
        view.resize(1000, 600);
        for (const auto& [name, text] : test::oracleCases()) {
            if (!name.starts_with("hand_") && !name.starts_with("rand_")) continue;
            const auto session = capture::openText(text, name);
            if (!session) continue;
            const auto got =
                std::make_shared<const computed::AotConvention>(computed::conventionOfCase(**session));
            if (!got->declined.empty()) continue;
            ++cases;
            for (const computed::OuterCard& outer : got->outer)
                QVERIFY2(outer.inner >= 0 && outer.inner < int(got->inner.size()), name.c_str());
            view.setConvention(got);
            for (std::size_t i = 0; i < got->outer.size(); ++i)
                QVERIFY(!view.cardRect(Step::Outer, int(i)).isEmpty());
            QVERIFY(!view.grab().isNull());
        }
        QVERIFY2(cases >= 60, qPrintable(QString::number(cases)));
    }

    void walksByKeyAndMouse() {
        Shown s(openCase("rand_0153"));
        QCOMPARE(s.panel->message(), QString());
        const auto facts = [&] {
            return FactView::plainText(conventionFacts(*s.panel->convention(), s.view().step()));
        };
        QVERIFY(facts().contains("PyTorch fails on this call"));
        s.view().setFocus();
        QTest::keyClick(&s.view(), Qt::Key_Right);
        QCOMPARE(s.view().step(), Step::Dedupe);
        QVERIFY(facts().contains("takes it once"));
        for (QToolButton* button : s.panel->findChildren<QToolButton*>())
            if (button->accessibleName() == "Next step") QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(s.view().step(), Step::Bases);
        QVERIFY(facts().contains("Base 0"));
        QTest::mouseClick(s.view().viewport(), Qt::LeftButton, {},
                          s.view().headingRect(Step::Epilogue).center());
        QCOMPARE(s.view().step(), Step::Epilogue);
        QTest::keyClick(&s.view(), Qt::Key_Right); // no further
        QCOMPARE(s.view().step(), Step::Epilogue);
        QTest::keyClick(&s.view(), Qt::Key_Home);
        QTest::keyClick(&s.view(), Qt::Key_Down);
        QTest::keyClick(&s.view(), Qt::Key_Down);
        QCOMPARE(s.view().selected(), 1);
        QTest::mouseClick(s.view().viewport(), Qt::LeftButton, {},
                          s.view().cardRect(Step::Inner, 1).center());
        QCOMPARE(s.view().step(), Step::Inner);
        QCOMPARE(s.view().selected(), 1);
        QTest::keyClick(&s.view(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().contains("a3: drop, use 0"));
        // Nothing is cut off in the smallest window of the design.
        QVERIFY(s.view().viewport()->rect().contains(s.view().headingRect(Step::Epilogue)));
    }

    void leadsToTheGraph() {
        const auto session = capture::open(test::capture("trace_aot_eager/alias_overlap").toStdString());
        QVERIFY(session);
        Shown s(*session);
        QTest::mouseDClick(s.view().viewport(), Qt::LeftButton, {},
                           s.view().cardRect(Step::Inner, 0).center());
        s.settle();
        QCOMPARE(s.workspace.place().page, Page::Stages);
        QCOMPARE(s.workspace.selectedNode()->name, std::string("arg0_1"));
    }

    void saysWhatIsMissing() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        const auto panel = f.show<ConventionPanel>(900, 500);
        f.settle();
        QVERIFY(panel->convention());
        f.workspace.close(0);
        f.settle();
        QVERIFY(!panel->convention());
        QVERIFY(!panel->message().isEmpty());
        QTest::keyClick(test::part<ConventionView>(*panel, "conventionView"), Qt::Key_Down);
    }
};

QTEST_MAIN(TestConvention)
#include "tst_convention.moc"
