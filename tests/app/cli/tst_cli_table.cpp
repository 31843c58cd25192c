// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "app/cli/table.h"

#include <QtTest>

using namespace dynascope;
using cli::Table;

class TestCliTable : public QObject {
    Q_OBJECT

private slots:
    void alignsByCharacters() {
        Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left});
        table.add({"\xC3\xA4", "1", "", "end"});
        table.add({"long", "100", "", ""});
        QCOMPARE(table.toString("  "), std::string("  \xC3\xA4       1  end\n  long  100\n"));
    }
    void elides() {
        QCOMPARE(cli::elide("short", 10), std::string("short"));
        QCOMPARE(cli::elide("0123456789abc", 10), std::string("0123456..."));
        QCOMPARE(cli::elide("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 5),
                 std::string("\xC3\xA4\xC3\xA4..."));
    }
    void takesControlCodesOut() {
        QCOMPARE(withoutControlCodes("a\x1b[31mb\tc\nd\x7f"), std::string("a?[31mb\tc\nd?"));
        // C1 controls are two bytes in UTF-8; terminals obey them too.
        QCOMPARE(withoutControlCodes("a\xC2\x9b"
                                     "31mb \xC3\xA4"),
                 std::string("a?31mb \xC3\xA4"));
        QCOMPARE(withoutControlCodes("a\x9b"
                                     "31mb \xE2\x82"),
                 std::string("a?31mb ??")); // no UTF-8, which some terminals obey
    }
    void showsMarksOfDirection() {
        QCOMPARE(withoutControlCodes("a\xE2\x80\xAE"
                                     "b\xE2\x81\xA6"),
                 std::string("a<U+202E>b<U+2066>"));
        const std::string arabic = "\xD8\xA7 \xF0\x9F\x94\xA5"; // letters turn themselves
        QCOMPARE(withoutControlCodes(arabic), arabic);
    }
    void formatsTimes() {
        QCOMPARE(dynascope::formatSeconds(0), std::string());
        QCOMPARE(dynascope::formatSeconds(0.0025), std::string("2.5 ms"));
        QCOMPARE(dynascope::formatSeconds(1.128), std::string("1.13 s"));
        QCOMPARE(dynascope::formatBytes(0), std::string("0 B"));
        QCOMPARE(dynascope::formatBytes(1023), std::string("1023 B"));
        QCOMPARE(dynascope::formatBytes(32768), std::string("32 KiB"));
        QCOMPARE(dynascope::formatBytes(1'572'864), std::string("1.5 MiB"));
        QCOMPARE(dynascope::formatBytes(UINT64_MAX), std::string("16777216 TiB"));
    }
};

QTEST_GUILESS_MAIN(TestCliTable)
#include "tst_cli_table.moc"
