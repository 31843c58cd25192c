// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/code_document.h"

#include "core/base/shown_text.h"
#include "views/base/syntax.h"

#include <algorithm>

namespace dynascope::views {

namespace {
QString displayable(QStringView line) {
    QString out;
    out.reserve(line.size());
    for (const QChar c : line) {
        if (c == u'\t')
            out += QLatin1String("    ");
        else if (c == u'\r')
            continue;
        else
            out += c < u' ' ? QChar(0xFFFD) : c;
    }
    return out;
}

constexpr int marksOfOneLetter = 4; ///< more of them are a pile

/// Takes no room of its own: marks on a letter, joiners, the second half of a pair of units.
bool takesNoRoom(QChar c) {
    const QChar::Category category = c.category();
    return c.isLowSurrogate() || category == QChar::Mark_NonSpacing || category == QChar::Mark_Enclosing ||
           (category == QChar::Other_Format && !hidesText(c.unicode()));
}

/// As terminals do it: East Asian letters and pictures take two cells.
bool isWide(QChar c) {
    const ushort u = c.unicode();
    return (u >= 0x1100 && u <= 0x115F) || (u >= 0x2E80 && u <= 0xA4CF) || (u >= 0xAC00 && u <= 0xD7A3) ||
           (u >= 0xF900 && u <= 0xFAFF) || (u >= 0xFE30 && u <= 0xFE6F) || (u >= 0xFF00 && u <= 0xFF60) ||
           (u >= 0xFFE0 && u <= 0xFFE6) || (u >= 0xD83C && u <= 0xD83E);
}

std::vector<std::uint32_t> cellsOf(const QString& text) {
    std::vector<std::uint32_t> out;
    if (std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 0x300; })) return out;
    out.reserve(std::size_t(text.size()) + 1);
    std::uint32_t at = 0;
    int marks = 0;
    for (const QChar c : text) {
        out.push_back(at);
        marks = takesNoRoom(c) ? marks + 1 : 0;
        if (marks == 0 || marks > marksOfOneLetter) at += isWide(c) ? 2 : 1;
    }
    out.push_back(at);
    return out;
}
} // namespace

int CodeLine::columnAt(std::uint32_t cell) const {
    if (cells.empty()) return int(std::min<std::size_t>(cell, std::size_t(text.size())));
    const auto after = std::upper_bound(cells.begin(), cells.end(), cell);
    return std::max(0, int(after - cells.begin()) - 1);
}

bool CodeLine::isSign(int column) const {
    const QChar c = text[column];
    if (hidesText(c.unicode())) return true;
    return !cells.empty() && takesNoRoom(c) && cells[std::size_t(column) + 1] > cells[std::size_t(column)];
}

QString CodeDocument::text() const {
    QString out;
    for (const CodeLine& line : lines) {
        out += line.text;
        out += u'\n';
    }
    return out;
}

std::shared_ptr<CodeDocument> makeCodeDocument(const QString& text, Language language) {
    auto document = std::make_shared<CodeDocument>();
    QStringView rest = text;
    if (rest.endsWith(u'\n')) rest.chop(1);
    document->lines.reserve(std::size_t(rest.count(u'\n')) + 1);
    Highlighter highlighter(language);
    while (true) {
        const qsizetype end = rest.indexOf(u'\n');
        CodeLine line;
        line.text = displayable(end < 0 ? rest : rest.left(end));
        line.number = int(document->lines.size()) + 1;
        line.spans = highlighter.next(line.text);
        line.cells = cellsOf(line.text);
        document->longest = std::max(document->longest, int(line.cellOf(int(line.text.size()))));
        document->lines.push_back(std::move(line));
        if (end < 0) break;
        rest = rest.mid(end + 1);
    }
    return document;
}

} // namespace dynascope::views
