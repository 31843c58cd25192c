// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/shown_text.h"
#include "core/ir/place_text.h"
#include "core/report/html_parts.h"
#include "core/report/markup.h"
#include "core/session/provenance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dynascope::report {

namespace {

constexpr std::uint32_t linesAround = 4;

/// At a letter's end.
std::size_t letterEnd(std::string_view text, std::size_t at) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
        ++at;
    return at;
}

std::string lineId(std::size_t file, std::uint32_t number) {
    return 'L' + std::to_string(file) + '-' + std::to_string(number);
}

std::string numberedLine(std::uint32_t number, std::string_view code, bool isMarked) {
    char text[16];
    std::snprintf(text, sizeof text, "%5u  ", number);
    return (isMarked ? std::string("<mark>") : std::string()) + "<i>" + text + "</i>" + htmlText(code) +
           (isMarked ? "</mark>" : "") + '\n';
}

} // namespace

std::string htmlText(std::string_view text) {
    const std::string plainText = withoutControlCodes(text);
    std::string out;
    out.reserve(plainText.size() + plainText.size() / 8);
    for (const char c : plainText) {
        const std::string_view entity = c == '\'' ? std::string_view("&#39;") : entityOf(c);
        if (entity.empty())
            out += c;
        else
            out += entity;
    }
    return out;
}

std::string htmlCode(std::string_view text) {
    return text.empty() ? std::string() : "<code>" + htmlText(text) + "</code>";
}

std::string scriptText(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (const char c : json) {
        switch (c) {
        case '<':
            out += "\\u003c";
            break;
        case '>':
            out += "\\u003e";
            break;
        case '&':
            out += "\\u0026";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string firstLetters(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (std::size_t letters = 0; at < text.size(); ++letters) {
        if (letters + 1 >= most && letterEnd(text, at) < text.size())
            return std::string(text.substr(0, at)) + "…";
        at = letterEnd(text, at);
    }
    return std::string(text);
}

std::string htmlBar(double part, double whole) {
    if (!(part > 0) || !(whole > 0)) return {};
    const long percent = std::clamp(std::lround(100 * part / whole), 1L, 100L);
    return "<span class=\"bar\"><span style=\"width:" + std::to_string(percent) + "%\"></span></span>";
}

std::string htmlRow(std::initializer_list<std::string> cells) {
    std::string out = "<tr>";
    for (const std::string& cell : cells)
        out +=
            cell.starts_with('>') ? "<td class=\"num\">" + cell.substr(1) + "</td>" : "<td>" + cell + "</td>";
    return out + "</tr>\n";
}

std::string htmlTable(std::initializer_list<std::string_view> columns, const std::string& rows,
                      std::string_view className) {
    std::string out = "<div class=\"scroll\"><table";
    if (!className.empty()) out += " class=\"" + std::string(className) + '"';
    out += ">\n<thead><tr>";
    for (const std::string_view column : columns)
        out += column.starts_with('>')
                   ? "<th scope=\"col\" class=\"num\">" + std::string(column.substr(1)) + "</th>"
                   : "<th scope=\"col\">" + std::string(column) + "</th>";
    return out + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

ProgramLines::ProgramLines(const session::Session& session)
    : m_session(session) {}

const session::SourceFile* ProgramLines::fileOf(const ir::SourceLocation& at, std::size_t& number) const {
    if (at.file.empty()) return nullptr;
    auto found = m_session.sources.find(at.file);
    if (found == m_session.sources.end()) {
        // Some texts of PyTorch name a file by its name alone: it is known where one file of the capture has that name.
        const auto isNamed = [&](const auto& file) { return session::namesFile(file.first, at.file); };
        found = std::ranges::find_if(m_session.sources, isNamed);
        if (found == m_session.sources.end() || std::ranges::count_if(m_session.sources, isNamed) > 1)
            return nullptr;
    }
    if (!found->second.lines.contains(at.line)) return nullptr;
    number = static_cast<std::size_t>(std::distance(m_session.sources.begin(), found));
    return &found->second;
}

std::string ProgramLines::id(const ir::SourceLocation& at) const {
    std::size_t number = 0;
    return fileOf(at, number) ? lineId(number, at.line) : std::string();
}

std::string ProgramLines::link(const ir::SourceLocation& at) const {
    const std::string words = ir::placeText(at), to = id(at);
    if (words.empty()) return {};
    const std::string title = " title=\"" + htmlText(at.file) + "\">" + htmlText(words);
    return to.empty() ? "<span class=\"at\"" + title + "</span>"
                      : "<a class=\"at\" href=\"#" + to + '"' + title + "</a>";
}

std::string_view ProgramLines::codeOf(const ir::SourceLocation& at) const {
    if (!at.code.empty()) return at.code;
    std::size_t number = 0;
    const session::SourceFile* file = fileOf(at, number);
    return file ? std::string_view(file->lines.at(at.line)) : std::string_view();
}

std::string ProgramLines::around(const ir::SourceLocation& at) const {
    std::size_t number = 0;
    const session::SourceFile* file = fileOf(at, number);
    if (!file) {
        const std::string_view code = codeOf(at);
        return code.empty() ? std::string()
                            : "<pre class=\"src\">" + numberedLine(at.line, code, true) + "</pre>";
    }
    const std::uint32_t from = at.line > linesAround ? at.line - linesAround : 1;
    std::string out;
    for (auto line = file->lines.lower_bound(from);
         line != file->lines.end() && line->first <= at.line + linesAround; ++line)
        out += numberedLine(line->first, line->second, line->first == at.line);
    return "<pre class=\"src\">" + out + "</pre>";
}

std::string ProgramLines::all() const {
    std::string out;
    std::size_t number = 0;
    for (const auto& [path, file] : m_session.sources) {
        out += "<details class=\"file\"><summary>" + htmlCode(path) + " <span class=\"dim\">" +
               count(file.lines.size(), "line") + " quoted</span></summary><pre class=\"src\">";
        for (const auto& [line, code] : file.lines) {
            std::string text = numberedLine(line, code, false);
            text.pop_back();
            out += "<span class=\"l\" id=\"" + lineId(number, line) + "\">" + text + "</span>\n";
        }
        out += "</pre></details>\n";
        ++number;
    }
    return out;
}

std::string PageContext::compileLink(std::size_t compile) const {
    if (compile >= session.compiles.size()) return {};
    return "<a class=\"id\" href=\"#c" + std::to_string(compile) + "\">" +
           htmlText(compileName(session, session.compiles[compile])) + "</a>";
}

const answers::Answer* PageContext::answer(answers::Question question) const {
    const auto found = std::ranges::find(contents.answers, question, &answers::Answer::question);
    return found == contents.answers.end() ? nullptr : &*found;
}

std::string PageContext::sentences(answers::Question question) const {
    const answers::Answer* known = answer(question);
    if (!known || known->sentence.empty()) return {};
    std::string out = "<p>" + htmlText(known->sentence) + "</p>\n";
    if (!known->note.empty()) out += "<p class=\"dim\">" + htmlText(known->note) + "</p>\n";
    return out;
}

} // namespace dynascope::report
