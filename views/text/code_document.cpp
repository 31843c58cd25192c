// SPDX-License-Identifier: BSD-3-Clause
#include "views/text/code_document.h"

#include "views/text/syntax.h"

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
} // namespace

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
        document->longest = std::max(document->longest, int(line.text.size()));
        document->lines.push_back(std::move(line));
        if (end < 0) break;
        rest = rest.mid(end + 1);
    }
    return document;
}

} // namespace dynascope::views
