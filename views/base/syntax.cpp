// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/syntax.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::views {

namespace {

constexpr std::array<std::u16string_view, 37> pythonWords{
    u"False",  u"None",     u"True",   u"and", u"as",    u"assert", u"async",  u"await",    u"break", u"case",
    u"class",  u"continue", u"def",    u"del", u"elif",  u"else",   u"except", u"finally",  u"for",   u"from",
    u"global", u"if",       u"import", u"in",  u"is",    u"lambda", u"match",  u"nonlocal", u"not",   u"or",
    u"pass",   u"raise",    u"return", u"try", u"while", u"with",   u"yield",
};
constexpr std::array<std::u16string_view, 47> cppWords{
    u"alignas",   u"auto",     u"bool",        u"break",   u"case",     u"char",     u"class",    u"const",
    u"constexpr", u"continue", u"default",     u"do",      u"double",   u"else",     u"extern",   u"false",
    u"float",     u"for",      u"if",          u"inline",  u"int",      u"int32_t",  u"int64_t",  u"long",
    u"namespace", u"nullptr",  u"operator",    u"private", u"public",   u"return",   u"short",    u"signed",
    u"sizeof",    u"static",   u"static_cast", u"struct",  u"switch",   u"template", u"true",     u"typename",
    u"uint8_t",   u"unsigned", u"using",       u"void",    u"volatile", u"while",    u"bfloat16",
};

template <std::size_t N>
bool isWord(const std::array<std::u16string_view, N>& words, QStringView word) {
    const std::u16string_view w(word.utf16(), std::size_t(word.size()));
    return std::find(words.begin(), words.end(), w) != words.end();
}

bool startsName(QChar c) {
    return c.isLetter() || c == u'_';
}
int nameEnd(const QString& line, int from) {
    int i = from;
    while (i < line.size() && isNamePart(line[i]))
        ++i;
    return i;
}

int numberEnd(const QString& line, int from) {
    int i = from;
    while (i < line.size() &&
           (isNamePart(line[i]) || line[i] == u'.' ||
            ((line[i] == u'-' || line[i] == u'+') && line[i - 1].toLower() == u'e' && line[from] != u'0')))
        ++i;
    return i;
}

bool startsNumber(const QString& line, int i) {
    return line[i].isDigit() || (line[i] == u'.' && i + 1 < line.size() && line[i + 1].isDigit());
}

/// Just past the closing quote, or the end of the line.
int stringEnd(const QString& line, int from, int to) {
    const QChar quote = line[from];
    for (int i = from + 1; i < to; ++i) {
        if (line[i] == u'\\')
            ++i;
        else if (line[i] == quote)
            return i + 1;
    }
    return to;
}

bool isTriple(const QString& line, int i) {
    return i + 2 < line.size() && line[i + 1] == line[i] && line[i + 2] == line[i];
}

bool callFollows(const QString& line, int end) {
    return end < line.size() && line[end] == u'(';
}

} // namespace

std::vector<CodeSpan> Highlighter::next(const QString& line) {
    std::vector<CodeSpan> out;
    switch (m_language) {
    case Language::Plain:
        break;
    case Language::Bytecode:
        bytecode(line, out);
        break;
    case Language::Python:
    case Language::OutputCode: {
        int from = 0;
        if (m_inside != Inside::Code) from = closeTriple(line, 0, out);
        if (m_inside == Inside::Code) python(line, from, out);
        break;
    }
    }
    return out;
}

int Highlighter::closeTriple(const QString& line, int from, std::vector<CodeSpan>& out) {
    const int close = int(line.indexOf(QString(3, m_quote), from));
    const int to = close < 0 ? int(line.size()) : close;
    if (m_inside == Inside::Cpp)
        cpp(line, from, to, out);
    else if (to > from)
        out.push_back({from, to, CodeStyle::String});
    if (close < 0) return int(line.size());
    out.push_back({close, close + 3, CodeStyle::String});
    m_inside = Inside::Code;
    m_embeddedCpp = m_blockComment = false;
    return close + 3;
}

void Highlighter::python(const QString& line, int from, std::vector<CodeSpan>& out) {
    const int size = int(line.size());
    for (int i = from; i < size;) {
        const QChar c = line[i];
        if (c == u'#') {
            out.push_back({i, size, CodeStyle::Comment});
            return;
        }
        if (c == u'"' || c == u'\'') {
            if (!isTriple(line, i)) {
                const int end = stringEnd(line, i, size);
                out.push_back({i, end, CodeStyle::String});
                i = end;
                continue;
            }
            out.push_back({i, i + 3, CodeStyle::String});
            m_quote = c;
            // A Triton kernel's source is Python; colouring its body as such reads better than one long
            // string.
            if (m_embeddedPython || m_pythonBody) {
                m_pythonBody = m_embeddedPython;
                m_embeddedPython = false;
                i += 3;
                continue;
            }
            m_inside = m_embeddedCpp ? Inside::Cpp : Inside::Text;
            i = closeTriple(line, i + 3, out);
            if (m_inside != Inside::Code) return;
            continue;
        }
        if (startsNumber(line, i)) {
            const int end = std::max(i + 1, numberEnd(line, i));
            out.push_back({i, end, CodeStyle::Number});
            i = end;
        } else if (startsName(c)) {
            const int end = nameEnd(line, i);
            const QStringView word = QStringView(line).mid(i, end - i);
            if (m_language == Language::OutputCode && word.startsWith(u"cpp") && i > 0 && line[i - 1] == u'.')
                m_embeddedCpp = true;
            if (m_language == Language::OutputCode && word == u"triton" && callFollows(line, end))
                m_embeddedPython = true;
            const bool attribute = i > 0 && line[i - 1] == u'.';
            if (!attribute && isWord(pythonWords, word))
                out.push_back({i, end, CodeStyle::Keyword});
            else if (callFollows(line, end))
                out.push_back({i, end, CodeStyle::Function});
            i = end;
        } else {
            ++i;
        }
    }
}

void Highlighter::cpp(const QString& line, int from, int to, std::vector<CodeSpan>& out) {
    for (int i = from; i < to;) {
        const QChar c = line[i];
        const bool pair = i + 1 < to;
        if (m_blockComment || (pair && c == u'/' && line[i + 1] == u'*')) {
            const int close = int(line.indexOf(QLatin1String("*/"), m_blockComment ? i : i + 2));
            const int end = close < 0 || close + 2 > to ? to : close + 2;
            m_blockComment = close < 0 || close + 2 > to;
            out.push_back({i, end, CodeStyle::Comment});
            i = end;
        } else if (pair && c == u'/' && line[i + 1] == u'/') {
            out.push_back({i, to, CodeStyle::Comment});
            return;
        } else if (c == u'#' && QStringView(line).left(i).trimmed().isEmpty()) {
            const int end = std::max(i + 1, std::min(nameEnd(line, i + 1), to));
            out.push_back({i, end, CodeStyle::Keyword});
            i = end;
        } else if (c == u'"' || c == u'\'') {
            const int end = stringEnd(line, i, to);
            out.push_back({i, end, CodeStyle::String});
            i = end;
        } else if (startsNumber(line, i)) {
            const int end = std::clamp(numberEnd(line, i), i + 1, to);
            out.push_back({i, end, CodeStyle::Number});
            i = end;
        } else if (startsName(c)) {
            const int end = std::min(nameEnd(line, i), to);
            const QStringView word = QStringView(line).mid(i, end - i);
            if (isWord(cppWords, word))
                out.push_back({i, end, CodeStyle::Keyword});
            else if (callFollows(line, end))
                out.push_back({i, end, CodeStyle::Function});
            i = end;
        } else {
            ++i;
        }
    }
}

// A dis line: [line] [>>] [offset] OPNAME [oparg [(repr)]].
void Highlighter::bytecode(const QString& line, std::vector<CodeSpan>& out) const {
    const int size = int(line.size());
    const auto isUpper = [](QChar c) { return (c >= u'A' && c <= u'Z') || c == u'_' || c.isDigit(); };
    for (int i = 0; i < size;) {
        const QChar c = line[i];
        if (c == u'(') {
            out.push_back({i, size, CodeStyle::String});
            return;
        }
        if (c.isDigit()) {
            const int end = nameEnd(line, i);
            out.push_back({i, end, CodeStyle::Number});
            i = end;
        } else if (startsName(c)) {
            const int end = nameEnd(line, i);
            const auto word = QStringView(line).mid(i, end - i);
            if (word.size() > 2 && std::all_of(word.begin(), word.end(), isUpper))
                out.push_back({i, end, CodeStyle::Keyword});
            i = end;
        } else {
            ++i;
        }
    }
}

QColor syntaxColour(CodeStyle style, const Colours& c) {
    switch (style) {
    case CodeStyle::Keyword:
        return c.dark ? QColor(0xC9, 0x9B, 0xEE) : QColor(0x7A, 0x2B, 0xB0);
    case CodeStyle::String:
        return c.dark ? QColor(0x66, 0xC7, 0xC0) : QColor(0x0B, 0x66, 0x6B);
    case CodeStyle::Number:
        return c.dark ? QColor(0xE3, 0xA8, 0x5F) : QColor(0x94, 0x4A, 0x06);
    case CodeStyle::Function:
        return c.dark ? QColor(0x86, 0xB6, 0xF7) : QColor(0x1A, 0x56, 0xB8);
    case CodeStyle::Comment:
        return c.text3;
    case CodeStyle::Error:
        return c.removed;
    case CodeStyle::Plain:
        break;
    }
    return c.text;
}

} // namespace dynascope::views
