// SPDX-License-Identifier: BSD-3-Clause
//
// Verify all passes on the page Inductor, with an engine that answers from recorded replies.
#include "core/capture/open.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/panel_test.h"
#include "views/base/row_table.h"
#include "views/canvas/compare_view.h"
#include "views/engine/engine.h"
#include "views/inductor/inductor_page.h"
#include "views/inductor/pass_checks.h"
#include "views/inductor/pass_texts.h"
#include "views/inspector/fact_view.h"

#include <QLabel>
#include <QPushButton>

using namespace dynascope;
using namespace dynascope::views;

namespace {

class Shown {
public:
    explicit Shown(std::vector<std::string> command)
        : engine(std::move(command)) {
        const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes");
        if (!session) qFatal("%s", session.error().toString().c_str());
        f.workspace.addCapture({*session, session::summarizeBreaks(**session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Inductor;
        place.compile = f.compileIndex("0/0");
        f.workspace.go(place);
        page = f.show<InductorPage>(1500, 900);
        page->setEngine(engine);
        page->canvases()->setLayoutProgram({});
        settle();
    }
    void settle() {
        f.settle([&] { return page->isSettled() && page->row() >= 0; });
    }
    void waitForVerdicts() {
        QTRY_VERIFY_WITH_TIMEOUT(!page->checks()->isRunning() && !engine.isBusy(), test::patience);
    }
    [[nodiscard]] QPushButton* button() const {
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->text() == "Verify all passes" || button->text() == "Stop verifying") return button;
        return nullptr;
    }
    /// Verdicts in the table, without the empty ones.
    [[nodiscard]] QStringList verdicts() const {
        QStringList out;
        for (const TableRow& row : test::part<RowTable>(*page, "inductor.table")->rows().rows())
            if (!row[verdictColumn].text.isEmpty()) out << row[verdictColumn].text;
        return out;
    }

    test::Fixture f;
    Engine engine;
    std::unique_ptr<InductorPage> page;
};

std::vector<std::string> canned(const char* mode = "") {
    return {CANNED_ENGINE, DYNASCOPE_TEST_DATA "/engine/sibling_views.json", mode};
}

} // namespace

class TestInductorVerify : public QObject {
    Q_OBJECT
private slots:
    void everyPassGetsAVerdict() {
        Shown s(canned());
        QVERIFY(s.button() != nullptr && s.button()->isVisibleTo(s.page.get()));
        QVERIFY(test::part<RowTable>(*s.page, "inductor.table")->isColumnHidden(verdictColumn));
        s.button()->click();
        QVERIFY(s.page->checks()->isRunning());
        QCOMPARE(s.button()->text(), QStringLiteral("Stop verifying"));
        s.waitForVerdicts();
        QCOMPARE(s.button()->text(), QStringLiteral("Verify all passes"));
        const std::size_t asked = s.page->checks()->all().size();
        QVERIFY(asked >= 8);
        // Dynamo's graph has an output at last: before that there is nothing to compare.
        QCOMPARE(s.page->checks()->summary(), QStringLiteral("%1 equal, 1 declined").arg(asked - 1));
        QVERIFY(!test::part<RowTable>(*s.page, "inductor.table")->isColumnHidden(verdictColumn));
        QVERIFY(s.verdicts().size() >= 6 && s.verdicts().count("equal") == s.verdicts().size() - 1);
        QCOMPARE(s.page->checks()->firstDifferent(), -1);
        QVERIFY(test::part<QLabel>(*s.page, "inductor.said")->text().isEmpty());
    }

    void aChangedValueIsNamed() {
        Shown s(canned("different"));
        s.page->verifyAll();
        s.waitForVerdicts();
        QVERIFY(s.page->checks()->firstDifferent() >= 0);
        QVERIFY2(test::part<QLabel>(*s.page, "inductor.said")->text().endsWith("changed a value"),
                 qPrintable(test::part<QLabel>(*s.page, "inductor.said")->text()));
        const engine::PassVerdict* verdict = s.page->checks()->of(s.page->checks()->firstDifferent());
        QVERIFY(verdict != nullptr);
        Facts facts;
        facts.sections = {verdictSection(*verdict)};
        const QString said = FactView::plainText(facts);
        QVERIFY2(said.contains("output #0 differs in 1 of 9 cells") && said.contains("select_scatter_3") &&
                     said.contains("output #0, values: 7, before the pass 11"),
                 qPrintable(said));
        // Another compile has verdicts of its own.
        Place place = s.f.workspace.place();
        place.compile = s.f.compileIndex("0/1");
        s.f.workspace.go(place);
        s.settle();
        QVERIFY(s.page->checks()->all().empty() && s.page->checks()->summary().isEmpty());
        QVERIFY(s.verdicts().isEmpty());
    }

    void stoppingKeepsWhatIsKnown() {
        Shown s(canned());
        s.page->verifyAll();
        s.page->verifyAll();
        s.waitForVerdicts();
        QVERIFY2(s.page->checks()->summary().contains("stopped"), qPrintable(s.page->checks()->summary()));
        QVERIFY(s.page->checks()->all().size() < 20);
    }

    void withoutAnEngineItSaysWhy() {
        Shown s({"/nowhere/dynascope-engine"});
        s.page->verifyAll();
        s.waitForVerdicts();
        QVERIFY(s.page->checks()->all().empty());
        QVERIFY(!s.page->checks()->trouble().isEmpty());
    }
};

QTEST_MAIN(TestInductorVerify)
#include "tst_inductor_verify.moc"
