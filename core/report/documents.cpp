// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/documents.h"

#include "core/base/shown_text.h"
#include "core/base/words.h"
#include "core/ir/place_text.h"
#include "core/report/markup.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dynascope::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t mostLines = 60, mostBreaks = 10, mostRecompiles = 6, mostCauses = 3, longestCell = 160;

/// In one line, without control codes; cut where it is long.
std::string plain(std::string_view text, std::size_t most = longestCell) {
    std::string out = withoutControlCodes(text);
    std::ranges::replace(out, '\n', ' ');
    std::ranges::replace(out, '\t', ' ');
    if (out.size() <= most) return out;
    while (most > 0 && (static_cast<unsigned char>(out[most]) & 0xC0U) == 0x80U)
        --most; // not within a letter
    return out.substr(0, most) + "...";
}

/// Text of Markdown that means itself. An address of somebody is none to a code host with a comment in it.
std::string escaped(std::string_view text) {
    constexpr std::string_view special = "\\`*_{}[]<>#|~$";
    std::string out;
    for (const char c : plain(text, 4 * longestCell)) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
        if (c == '@') out += "<!-- -->";
    }
    return out;
}

/// A code span for a cell of a table.
std::string code(std::string_view text) {
    const std::string words = plain(text);
    if (words.empty()) return {};
    std::size_t ticks = 0, run = 0;
    std::string out;
    for (const char c : words) {
        run = c == '`' ? run + 1 : 0;
        ticks = std::max(ticks, run);
        if (c == '|') out += '\\';
        out += c;
    }
    const std::string fence(ticks + 1, '`');
    return ticks == 0 ? fence + out + fence : fence + ' ' + out + ' ' + fence;
}

std::string line(std::initializer_list<std::string> cells) {
    std::string out = "|";
    for (const std::string& cell : cells)
        out += ' ' + cell + " |";
    return out;
}

class MarkdownWriter {
public:
    explicit MarkdownWriter(const Contents& contents)
        : m_contents(contents) {}

    std::string write() {
        add("# " + escaped(m_contents.title));
        addChecks();
        addAnswers();
        addParts("Graph breaks", Kind::GraphBreaks, mostBreaks);
        addParts("Recompiles", Kind::Recompiles, mostRecompiles);
        std::string out;
        for (std::size_t i = 0; i < m_lines.size() && i < mostLines; ++i)
            out += m_lines[i] + '\n';
        return out;
    }

private:
    void add(std::string text) { m_lines.push_back(std::move(text)); }

    void addChecks() {
        if (m_contents.checks.empty()) return;
        const auto failed = std::ranges::count(m_contents.checks, false, &BudgetCheck::holds);
        add("");
        add(failed == 0 ? "All " + count(m_contents.checks.size(), "budget") + " hold."
                        : "**" + std::to_string(failed) + " of " + count(m_contents.checks.size(), "budget") +
                              (failed == 1 ? " does not hold.**" : " do not hold.**"));
        add("");
        add(line({"budget", "result", "figure", "first cause"}));
        add("|---|---|---|---|");
        for (const BudgetCheck& check : m_contents.checks) {
            const Part* first = check.parts.empty() ? nullptr : &check.parts.front();
            const std::string place = first ? ir::placeText(first->at) : std::string();
            add(line(
                {code(check.name), check.holds ? "holds" : "**exceeded**", escaped(check.text),
                 first ? code(first->text) + (place.empty() ? "" : " at " + code(place)) : std::string()}));
        }
    }

    void addAnswers() {
        std::size_t left = 0;
        add("");
        add(line({"", "answer"}));
        add("|---|---|");
        for (const answers::Answer& answer : m_contents.answers) {
            if (answer.standing == answers::Standing::NotHere) {
                ++left;
                continue;
            }
            const std::string figure = answer.figure + (answer.of.empty() ? "" : ' ' + answer.of);
            add(line({escaped(questionText(answer.question)),
                      (figure.empty() ? "" : "**" + escaped(figure) + "**: ") + escaped(answer.sentence)}));
        }
        if (left == 0) return;
        add("");
        add("The capture does not answer " + count(left, "question") +
            " more; `dynascope-cli info` says what would.");
    }

    void addParts(const char* title, Kind kind, std::size_t most) {
        const std::vector<Part>& parts = m_contents.figures[kind].parts;
        if (parts.empty()) return;
        add("");
        add(std::string("## ") + title);
        add("");
        add(line({"where", "compile", "times", "why", "first"}));
        add("|---|---|---:|---|---|");
        for (std::size_t i = 0; i < parts.size() && i < most; ++i)
            add(line({code(ir::placeText(parts[i].at)), code(parts[i].compile),
                      std::to_string(static_cast<std::size_t>(parts[i].value)), code(parts[i].text),
                      escaped(parts[i].advice)}));
        if (parts.size() > most) {
            add("");
            add("and " + std::to_string(parts.size() - most) + " more.");
        }
    }

    const Contents& m_contents;
    std::vector<std::string> m_lines;
};

/// A path as part of a URI (RFC 3986).
std::string uriOf(std::string_view path) {
    constexpr std::string_view plainSigns = "-._~/", digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            plainSigns.find(c) != std::string_view::npos)
            out += c;
        else
            out += std::string("%") + digits[byte >> 4U] + digits[byte & 15U];
    }
    return out;
}

Json locationOf(const ir::SourceLocation& at, std::string_view root) {
    Json artifact;
    std::string_view path = at.file;
    while (root.ends_with('/'))
        root.remove_suffix(1);
    if (!root.empty() && path.starts_with(root) && path.substr(root.size()).starts_with('/')) {
        path.remove_prefix(root.size() + 1);
        artifact = {{"uri", uriOf(path)}, {"uriBaseId", "%SRCROOT%"}};
    } else {
        artifact = {{"uri", (path.starts_with('/') ? "file://" : "") + uriOf(path)}};
    }
    Json out = {{"physicalLocation", {{"artifactLocation", artifact}}}};
    if (at.line > 0) out["physicalLocation"]["region"] = {{"startLine", at.line}};
    return out;
}

Json resultOf(const BudgetCheck& check, const std::string& message, const ir::SourceLocation& at,
              std::string_view root) {
    Json out = {{"ruleId", kindName(check.kind)}, {"level", "error"}, {"message", {{"text", message}}}};
    if (!at.file.empty()) out["locations"] = Json::array({locationOf(at, root)});
    return out;
}

std::string sentence(const Part& part) {
    return (part.compile.empty() ? "" : part.compile + ": ") + part.text +
           (part.advice.empty() ? "" : ". First: " + part.advice);
}

/// For an attribute or text of XML 1.0, which has no word for control codes.
std::string xml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const std::string_view entity = entityOf(c);
        if (!entity.empty())
            out += entity;
        else
            out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
    return out;
}

} // namespace

std::string markdown(const Contents& contents) {
    return MarkdownWriter(contents).write();
}

std::string sarif(const Contents& contents, std::string_view root) {
    Json rules = Json::array(), results = Json::array();
    for (const BudgetCheck& check : contents.checks) {
        rules.push_back({{"id", kindName(check.kind)}, {"shortDescription", {{"text", check.name}}}});
        if (check.holds) continue;
        if (check.parts.empty()) results.push_back(resultOf(check, check.name + ": " + check.text, {}, root));
        for (const Part& part : check.parts)
            results.push_back(resultOf(check, sentence(part) + " (" + check.text + ')', part.at, root));
    }
    const Json run = {
        {"tool", {{"driver", {{"name", "Dynascope"}, {"version", DYNASCOPE_VERSION}, {"rules", rules}}}}},
        {"results", results}};
    const Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", Json::array({run})}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string junit(const Contents& contents) {
    const auto failed = std::ranges::count(contents.checks, false, &BudgetCheck::holds);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xml(contents.title) +
                      "\" tests=\"" + std::to_string(contents.checks.size()) + "\" failures=\"" +
                      std::to_string(failed) + "\">\n";
    for (const BudgetCheck& check : contents.checks) {
        out += "  <testcase classname=\"dynascope\" name=\"" + xml(check.name) + '"';
        if (check.holds) {
            out += "/>\n";
            continue;
        }
        out += ">\n    <failure message=\"" + xml(check.text) + "\">";
        for (std::size_t i = 0; i < check.parts.size() && i < mostCauses; ++i) {
            const std::string place = ir::placeText(check.parts[i].at);
            out += xml((place.empty() ? "" : place + ": ") + sentence(check.parts[i]) + '\n');
        }
        out += "</failure>\n  </testcase>\n";
    }
    return out + "</testsuite>\n";
}

} // namespace dynascope::report
