// SPDX-License-Identifier: BSD-3-Clause
//
// JSON on several lines: the same document, token for token.
#include "core/base/json_indent.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace dynascope;

class TestJsonIndent : public QObject {
    Q_OBJECT
private slots:
    void breaksWhatDoesNotFit() {
        QCOMPARE(indentJson("{\"a\":[1,2],\"b\":{\"c\":\"d\"}}", 14).value_or(""),
                 std::string("{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": \"d\"\n  }\n}"));
        QCOMPARE(indentJson("{\"a\":[1,2]}").value_or(""), std::string("{\"a\": [1, 2]}"));
        QCOMPARE(indentJson("{}", 1).value_or(""), std::string("{}"));
        QCOMPARE(indentJson(" [ ] ").value_or(""), std::string("[]"));
    }

    /// Numbers, escapes, brackets in strings and names that stand twice stay what they are.
    void keepsEverySpelling() {
        const std::string text =
            "{\"n\":1e40,\"n\":-0.10,\"s\":\"a\\\"],{\\\\\",\"u\":\"\\u00e9\",\"deep\":[[[{\"x\":[]}]]]}";
        for (const std::size_t width : {1U, 20U, 200U}) {
            const auto out = indentJson(text, width);
            QVERIFY(out);
            std::string packed;
            bool inString = false;
            for (std::size_t i = 0; i < out->size(); ++i) {
                const char c = (*out)[i];
                if (c == '\\' && inString) packed += (*out)[i++];
                if (c == '"') inString = !inString;
                if (inString || (c != ' ' && c != '\n')) packed += (*out)[i];
            }
            QCOMPARE(packed, text);
        }
    }

    void leavesTheRestAlone() {
        for (const char* text :
             {"", "  ", "3", "\"text\"", "{\"a\":", "{'a': 1}", "class f:\n    pass", "[1] [2]"})
            QVERIFY2(!indentJson(text), text);
        QVERIFY(!indentJson(std::string(5000, '[') + std::string(5000, ']')));
    }

    void linesAreNoLongerThanAsked() {
        nlohmann::json json;
        for (int i = 0; i < 200; ++i)
            json["key" + std::to_string(i)] = {
                i, i * 2, {{"inner", std::vector<int>(std::size_t(i % 30), 7)}}};
        const auto out = indentJson(json.dump(), 80);
        QVERIFY(out);
        QVERIFY(nlohmann::json::parse(*out) == json);
        for (const QString& line : QString::fromStdString(*out).split('\n'))
            QVERIFY2(line.size() <= 80 + 2, qPrintable(line)); // a comma and a bracket behind it
    }
};

QTEST_APPLESS_MAIN(TestJsonIndent)
#include "tst_json_indent.moc"
