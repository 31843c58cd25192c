// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/sequence.h"
#include "core/diff/text_diff.h"

#include <QTest>

#include <random>
#include <string>

using namespace dynascope::diff;

namespace {

/// One line a row, as a diff prints it; changed words of both sides in brackets.
std::string spell(const TextDiff& diff) {
    const auto marked = [](std::string_view line, const std::vector<WordRange>& ranges) {
        std::string out;
        std::size_t at = 0;
        for (const WordRange& r : ranges) {
            out += std::string(line.substr(at, r.begin - at)) + "[" +
                   std::string(line.substr(r.begin, r.end - r.begin)) + "]";
            at = r.end;
        }
        return out + std::string(line.substr(at));
    };
    std::string out;
    for (const LineRow& row : diff.rows) {
        switch (row.kind) {
        case LineRow::Kind::Same:
            out += " " + std::string(diff.linesA[row.a]);
            break;
        case LineRow::Kind::Removed:
            out += "-" + std::string(diff.linesA[row.a]);
            break;
        case LineRow::Kind::Added:
            out += "+" + std::string(diff.linesB[row.b]);
            break;
        case LineRow::Kind::Changed:
            out += "~" + marked(diff.linesA[row.a], row.wordsA) + " -> " +
                   marked(diff.linesB[row.b], row.wordsB);
            break;
        }
        out += "\n";
    }
    return out;
}

std::size_t bruteLcs(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            best[i][j] =
                a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    return best[a.size()][b.size()];
}

} // namespace

class TestTextDiff : public QObject {
    Q_OBJECT

private slots:
    void equalTexts() {
        const TextDiff diff = diffTexts("a\nb\n", "a\nb\n");
        QCOMPARE(diff.rows.size(), 2U);
        QCOMPARE(diff.added + diff.removed + diff.changed, 0U);
    }

    void emptyTexts() {
        QVERIFY(diffTexts("", "").rows.empty());
        QCOMPARE(spell(diffTexts("", "x\ny")), std::string("+x\n+y\n"));
        QCOMPARE(spell(diffTexts("x\n\n", "")), std::string("-x\n-\n"));
    }

    void changedWords() {
        const TextDiff diff =
            diffTexts("def f(x):\n    y = aten.add(x, 3)\n    return (y,)\n",
                      "def f(x):\n    y = aten.add(x, 4)\n    z = relu(y)\n    return (z,)\n");
        QCOMPARE(spell(diff), std::string(" def f(x):\n"
                                          "~    y = aten.add(x, [3]) ->     y = aten.add(x, [4])\n"
                                          "+    z = relu(y)\n"
                                          "~    return ([y],) ->     return ([z],)\n"));
        QCOMPARE(diff.changed, 2U);
        QCOMPARE(diff.added, 1U);
        QCOMPARE(diff.removed, 0U);
    }

    void unlikeLinesAreNotPaired() {
        QCOMPARE(spell(diffTexts("alpha beta\n", "gamma(delta)\n")),
                 std::string("-alpha beta\n+gamma(delta)\n"));
    }

    void carriageReturnsAndBytes() {
        QCOMPARE(spell(diffTexts("a\r\nb", "a\nb\n")), std::string(" a\n b\n"));
        const std::string odd("\xff\xfe\0 x\n", 6);
        QCOMPARE(diffTexts(odd, odd).rows.size(), 1U);
    }

    void everyLineIsInOneRow() {
        std::mt19937 random(7);
        for (int round = 0; round < 200; ++round) {
            std::string a;
            std::string b;
            for (unsigned i = 0, n = random() % 30; i < n; ++i)
                a += "word" + std::to_string(random() % 5) + " x" + std::to_string(random() % 3) + "\n";
            for (unsigned i = 0, n = random() % 30; i < n; ++i)
                b += "word" + std::to_string(random() % 5) + " x" + std::to_string(random() % 3) + "\n";
            const TextDiff diff = diffTexts(a, b);
            std::size_t nextA = 0;
            std::size_t nextB = 0;
            for (const LineRow& row : diff.rows) {
                if (row.a != SIZE_MAX) QCOMPARE(row.a, nextA++);
                if (row.b != SIZE_MAX) QCOMPARE(row.b, nextB++);
                if (row.kind == LineRow::Kind::Same) QVERIFY(diff.linesA[row.a] == diff.linesB[row.b]);
                if (row.kind == LineRow::Kind::Changed) QVERIFY(diff.linesA[row.a] != diff.linesB[row.b]);
            }
            QCOMPARE(nextA, diff.linesA.size());
            QCOMPARE(nextB, diff.linesB.size());
        }
    }

    void alignmentIsLongest() {
        std::mt19937 random(11);
        for (int round = 0; round < 500; ++round) {
            std::vector<std::uint32_t> a(random() % 20);
            std::vector<std::uint32_t> b(random() % 20);
            for (auto& v : a)
                v = random() % 6;
            for (auto& v : b)
                v = random() % 6;
            const auto matches = detail::alignSequences(a, b);
            for (std::size_t i = 0; i < matches.size(); ++i) {
                QCOMPARE(a[matches[i].first], b[matches[i].second]);
                if (i > 0)
                    QVERIFY(matches[i - 1].first < matches[i].first &&
                            matches[i - 1].second < matches[i].second);
            }
            QCOMPARE(matches.size(), bruteLcs(a, b));
        }
    }

    void longTextsWithNothingInCommonStayFast() {
        std::string a;
        std::string b;
        for (int i = 0; i < 50000; ++i) {
            a += "left " + std::to_string(i) + "\n";
            b += "right, " + std::to_string(i * 7919 % 50000) + "!\n";
        }
        // Compared pair by pair this would run into the test's time limit.
        const TextDiff diff = diffTexts(a, b);
        QVERIFY(diff.rows.size() >= 50000);
    }

    void reversedLinesKeepAnAnchor() {
        std::string a;
        std::string b;
        for (int i = 0; i < 5000; ++i) {
            a += std::to_string(i) + "\n";
            b += std::to_string(4999 - i) + "\n";
        }
        const TextDiff diff = diffTexts(a, b);
        const auto same = std::count_if(diff.rows.begin(), diff.rows.end(),
                                        [](const LineRow& r) { return r.kind == LineRow::Kind::Same; });
        QVERIFY(same >= 1);
    }
};

QTEST_APPLESS_MAIN(TestTextDiff)
#include "tst_diff_text.moc"
