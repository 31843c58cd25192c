// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of text, what stands outside of Python's brackets and strings, and what its escapes mean.
#include "core/base/python_text.h"
#include "core/base/text.h"

#include <QtTest>

using namespace dynascope;
using namespace dynascope::python;

namespace {

std::string outside(std::string_view text, Quotes quotes = Quotes::Strings) {
    return std::string(text.substr(0, findOutside(text, 0, quotes, [](char c) { return c == ','; })));
}

std::string undone(std::string_view text, Literal literal) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\\')
            at = appendEscape(text, at, literal, out);
        else
            out += text[at++];
    }
    return out;
}

} // namespace

class TestPythonText : public QObject {
    Q_OBJECT
private slots:
    void piecesOfText() {
        QCOMPARE(trimmed(" \t\r\n\f\va b \n"), std::string_view("a b"));
        QCOMPARE(trimmed(" \n "), std::string_view());
        QCOMPARE(firstLine("a\nb"), std::string_view("a"));
        QCOMPARE(firstLine("a"), std::string_view("a"));
        QCOMPARE(splitLines("a\r\n\nb"), (std::vector<std::string_view>{"a\r", "", "b"}));
        QCOMPARE(splitLines("\na\n"), (std::vector<std::string_view>{"", "a"}));
        QVERIFY(splitLines("").empty());
        QCOMPARE(joined(std::vector<std::string>{"", "b", "c"}, ", "), std::string(", b, c"));
        QCOMPARE(joined(std::vector<std::string>{}, ", "), std::string());
    }

    void outsideOfBracketsAndStrings() {
        QCOMPARE(outside("f(a, b)[c, {d, e}], g"), std::string("f(a, b)[c, {d, e}]"));
        QCOMPARE(outside("'a, (' + \"it's, \", b"), std::string("'a, (' + \"it's, \""));
        QCOMPARE(outside("'a\\', b', c"), std::string("'a\\', b'"));
        QCOMPARE(outside("it's a, b"), std::string("it's a, b")); // a string without an end
        QCOMPARE(outside("it's a, b", Quotes::Marks), std::string("it's a"));
        QCOMPARE(outside("a), b"), std::string("a)"));    // closes nothing
        QCOMPARE(outside("(a, b"), std::string("(a, b")); // is never closed
        QCOMPARE(outside("'\\"), std::string("'\\"));
        QCOMPARE(findOutside("", 0, Quotes::Strings, [](char) { return true; }), std::size_t(0));
    }

    void saysWhatHasNoEnd() {
        const auto walk = [](std::string_view text) {
            return walkOutside(text, 0, Quotes::Strings, [](char, std::size_t at) { return at == 5; });
        };
        QCOMPARE(walk("(a) + b").end, std::size_t(5)); // by its place
        QCOMPARE(walk("f([a,)").openBrackets, std::size_t(1));
        QCOMPARE(walk("f('a)").openString, std::size_t(2));
        QCOMPARE(walk("'a\\'").openString, std::size_t(0)); // its last quote is a character of it
        QCOMPARE(walk("f(a)").openBrackets, std::size_t(0));
        QCOMPARE(walk("'a)'").openString, std::string_view::npos);
        QCOMPARE(closingQuote("f('a\\'b')", 2), std::size_t(7));
        QCOMPARE(closingQuote("'", 0), std::string_view::npos);
    }

    void splits() {
        const std::vector<std::string_view> pieces{"a", "f(b, c)", "'d, e'"};
        QVERIFY(splitOutside("a, f(b, c),, 'd, e' ,", ',') == pieces);
        QVERIFY(splitOutside("", ',').empty());
        QCOMPARE(commentStart("f('#', [1, # two"), std::size_t(11));
        QCOMPARE(commentStart("f('#')"), std::size_t(6));
    }

    void escapes() {
        QCOMPARE(undone("a\\n\\t\\r\\\\\\'\\\"", Literal::Str), std::string("a\n\t\r\\'\""));
        QCOMPARE(undone("\\xe9\\u20ac", Literal::Str), std::string("\xC3\xA9\xE2\x82\xAC"));
        QCOMPARE(undone("\\xe9\\u20ac", Literal::Bytes), std::string("\xE9\\u20ac"));
        // What Python does not know stays, and what is cut off too.
        QCOMPARE(undone("\\q\\x4", Literal::Str), std::string("\\q\\x4"));
        QCOMPARE(undone("\\", Literal::Str), std::string("\\"));
    }
};

QTEST_GUILESS_MAIN(TestPythonText)
#include "tst_python_text.moc"
