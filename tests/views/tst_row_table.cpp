// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/row_table.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>
#include <QtTest>

using namespace dynascope::views;
using Look = TableCell::Look;

namespace {

std::vector<TableColumn> columns() {
    return {{"Name", "what it is called"}, {"Bytes", {}, 90, true}, {"Line", {}, 200}, {"Why", {}, 600}};
}

TableRow row(const QString& name, int bytes, const QString& line) {
    return {{name, Look::Mono},
            {QString::number(bytes) + " B", Look::Text, Tone::Saved, {}, bytes, 0.5},
            {line, Look::Link},
            {"because <b>it</b> is long enough to be the widest column of all", Look::Text}};
}

} // namespace

class TestRowTable : public QObject {
    Q_OBJECT

private slots:
    void modelHolds() {
        RowTableModel model(columns());
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setRows({row("a", 3, "x.py:1"), {{"short"}}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, 3).data(), QVariant()); // a row with fewer cells
        QCOMPARE(model.index(0, 1).data(RowTableModel::SortRole), QVariant(3));
        QCOMPARE(model.index(0, 0).data(RowTableModel::SortRole), QVariant("a"));
        // What comes from a capture is text, never markup.
        QVERIFY(model.index(0, 3).data(Qt::ToolTipRole).toString().contains("&lt;b&gt;it&lt;/b&gt;"));
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole), QVariant("Bytes"));
        QVERIFY(!model.headerData(9, Qt::Horizontal, Qt::DisplayRole).isValid());
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
    }

    void saysWhyThereAreNoRows() {
        Theme theme;
        RowTable table("Values", columns(), theme);
        table.resize(400, 200);
        const QImage before = table.grab().toImage();
        table.setEmptyText("No guards: the frame was skipped.");
        QCOMPARE(table.accessibleDescription(), QString("No guards: the frame was skipped."));
        const QImage empty = table.grab().toImage();
        QVERIFY(empty != before);
        table.setRows({row("a", 30, "x.py:1")});
        const QImage filled = table.grab().toImage();
        table.setEmptyText({});
        QCOMPARE(table.grab().toImage(), filled);
    }

    void tellsWhatIsChosen() {
        Theme theme;
        RowTable table("Values", columns(), theme);
        table.setRows({row("a", 30, "x.py:1"), row("b", 4, "x.py:2"), row("c", 100, "")});
        table.resize(700, 200);
        table.show();
        QSignalSpy selected(&table, &RowTable::rowSelected), activated(&table, &RowTable::rowActivated),
            followed(&table, &RowTable::linkActivated);
        table.select(2);
        QCOMPARE(table.selected(), 2);
        QCOMPARE(selected.size(), 0); // it was not the reader who chose
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.cellRect(1, 0).center());
        QCOMPARE(selected.takeFirst(), QVariantList{1});
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(activated.takeFirst(), QVariantList{1});
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.cellRect(0, 2).center());
        QCOMPARE(followed.takeFirst(), (QVariantList{0, 2}));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.cellRect(2, 2).center());
        QCOMPARE(followed.size(), 0); // an empty link leads nowhere
        // Sorted by number, not by text, and rows keep their numbers.
        table.sortByColumn(1, Qt::AscendingOrder);
        QVERIFY(table.cellRect(1, 0).top() < table.cellRect(0, 0).top());
        QVERIFY(table.cellRect(0, 0).top() < table.cellRect(2, 0).top());
        table.select(2);
        QCOMPARE(table.selected(), 2);
        table.setRows({row("d", 1, "")});
        QCOMPARE(table.selected(), -1);
    }

    /// What a column asks for at most holds only where room is short.
    void spareRoomGoesToWhatWasCut() {
        Theme theme;
        RowTable table("Values", {{"Line", {}, 60}, {"Why", {}, 100}}, theme);
        table.setRows({{{{"a/rather/long/path/of/a/source.py:1", Look::Link}, {"short"}}}});
        table.resize(130, 200);
        table.show();
        const int narrow = table.columnWidth(0);
        QVERIFY2(narrow < 100, qPrintable(QString::number(narrow)));
        table.resize(1000, 200);
        const int wide = table.columnWidth(0);
        QVERIFY2(wide > 2 * narrow, qPrintable(QString::number(wide)));
        table.resize(1400, 200);
        QCOMPARE(table.columnWidth(0), wide); // its whole text is seen: the rest is the last one's
        QCOMPARE(table.columnWidth(0) + table.columnWidth(1), table.viewport()->width());
    }

    void fitsItsWidth() {
        Theme theme;
        RowTable table("Values", columns(), theme);
        table.setRows({row("a", 30, "x.py:1")});
        for (const int width : {300, 700, 1800}) {
            table.resize(width, 200);
            table.show();
            QCoreApplication::processEvents();
            QVERIFY2(table.horizontalHeader()->length() <= table.viewport()->width(),
                     qPrintable(QString::number(width)));
            QVERIFY(!table.grab().isNull());
        }
        QCOMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    }

    void whatMustBeReadKeepsItsWidth() {
        Theme theme;
        std::vector<TableColumn> wanted = columns();
        wanted[3].least = 200;
        RowTable table("Values", wanted, theme);
        table.setRows({row("a", 30, "x.py:1")});
        table.resize(300, 200);
        table.show();
        QCOMPARE(table.columnWidth(3), 200);
        QVERIFY(table.horizontalHeader()->length() > table.viewport()->width()); // the others by scrolling
        wanted[2].least = 200;                                                   // wider than all that it has
        RowTable other("Values", wanted, theme);
        other.setRows({row("a", 30, "x.py:1")});
        other.resize(300, 200);
        other.show();
        QVERIFY2(other.columnWidth(2) < 120, qPrintable(QString::number(other.columnWidth(2))));
    }
};

QTEST_MAIN(TestRowTable)
#include "tst_row_table.moc"
