// SPDX-License-Identifier: BSD-3-Clause
//
// The ways to a comparison: two files, the dialog, the menus.
#include "app/gui/compare_dialog.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

using namespace dynascope;
using namespace dynascope::views;
using app::CompareDialog;
using test::samplePath;

namespace {

/// What will be compared, or why nothing can be.
QString noteOf(const CompareDialog& dialog) {
    return test::part<QLabel>(dialog, "compare.note")->text();
}

} // namespace

class TestCompareWindow : public QObject {
    Q_OBJECT
private slots:
    void init() { QVERIFY(m_open.show()); }
    void cleanup() { m_open.close(); }

    void twoFiles() {
        m_open.window().comparePaths({samplePath("encoder_train"), samplePath("view_mutation")});
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().captures().size(), std::size_t(2));
        QCOMPARE(m_open.workspace().place().page, Page::Compare);
        QVERIFY(m_open.window().page<ComparePage>().summary().startsWith("0 of 2 compiles are the same."));
        QVERIFY(m_open.window().windowTitle().startsWith("encoder_train"));
        m_open.window().actionRegistry().trigger("go.back");
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Stages);
        m_open.window().actionRegistry().trigger("go.compare"); // the same one again
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Compare);
        QCOMPARE(m_open.workspace().comparisons().size(), std::size_t(1));
    }

    void aFileThatDoesNotOpen() {
        m_open.window().comparePaths({samplePath("view_mutation"), "/no/such/file"});
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Stages);
    }

    void recompileFromTheMenu() {
        test::addSample(m_open.workspace(), "graph_breaks");
        QVERIFY(m_open.settles());
        m_open.window().actionRegistry().trigger("capture.compareRecompile");
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Compare);
        const ComparisonRequest& request = *m_open.workspace().comparison();
        QCOMPARE(request.what, ComparisonRequest::What::Compiles);
        QVERIFY(request.compileA < request.compileB);
        QVERIFY(!m_open.window().actionRegistry().find("capture.compareRanks")->isEnabled());
    }

    void dialogOffersWhatThereIs() {
        test::addSample(m_open.workspace(), "graph_breaks");
        CompareDialog one(m_open.workspace());
        // One capture: two of its compiles.
        QCOMPARE(one.request().what, ComparisonRequest::What::Compiles);
        QVERIFY(one.request().compileA != one.request().compileB);
        // A recompile of the selected one, rather than whatever was compiled next.
        const std::vector<session::Compile>& compiles = m_open.workspace().session()->compiles;
        QCOMPARE(compiles[std::size_t(one.request().compileA)].id.frame,
                 compiles[std::size_t(one.request().compileB)].id.frame);
        QVERIFY(one.findChild<QPushButton*>()->isEnabled() || one.findChildren<QPushButton*>().size() == 2);
        one.parts(Side::B)->setCurrentIndex(0);
        QVERIFY(noteOf(one).startsWith("A compile can be compared with a compile"));
        one.parts(Side::A)->setCurrentIndex(0);
        QVERIFY(noteOf(one).startsWith("This capture has one rank"));
        one.parts(Side::A)->setCurrentIndex(1);
        one.parts(Side::B)->setCurrentIndex(1);
        QCOMPARE(noteOf(one), QStringLiteral("Both sides are the same."));
        one.setFile("/tmp/other.log");
        QCOMPARE(one.file(), QStringLiteral("/tmp/other.log"));
        QVERIFY(noteOf(one).startsWith("The file is opened"));
        one.captures(Side::B)->setCurrentIndex(0);
        QVERIFY(one.file().isEmpty());

        test::addSample(m_open.workspace(), "view_mutation");
        CompareDialog two(m_open.workspace());
        QCOMPARE(two.request().what, ComparisonRequest::What::Captures);
        QVERIFY(two.request().a != two.request().b);
        QVERIFY(noteOf(two).startsWith("Graphs are matched by source"));
    }

    void dialogStartsTheComparison() {
        test::addSample(m_open.workspace(), "encoder_train");
        test::addSample(m_open.workspace(), "view_mutation");
        QVERIFY(m_open.settles());
        m_open.window().actionRegistry().trigger("file.compare");
        auto* dialog = m_open.window().findChild<CompareDialog*>();
        QVERIFY(dialog);
        dialog->accept();
        QVERIFY(m_open.settles());
        QCOMPARE(m_open.workspace().place().page, Page::Compare);
    }

    /// Keys of the canvas work on the page that is shown.
    void differencesWithKeys() {
        m_open.window().comparePaths({samplePath("graph_breaks"), samplePath("view_mutation")});
        QVERIFY(m_open.settles());
        PairGraphs& graphs = *m_open.window().page<ComparePage>().graphs();
        QTableView& pairs = *test::part<QTableView>(m_open.window().page<ComparePage>(), "compare.pairs");
        QVERIFY(pairs.model()->rowCount() > 1);
        QVERIFY(m_open.window().actionRegistry().find("go.nextDifference")->isEnabled());
        const double zoom = graphs.canvas()->zoom();
        m_open.window().actionRegistry().trigger("view.zoomIn");
        QVERIFY(graphs.canvas()->zoom() > zoom);
    }

private:
    test::OpenWindow m_open;
};

QTEST_MAIN(TestCompareWindow)
#include "tst_compare_window.moc"
