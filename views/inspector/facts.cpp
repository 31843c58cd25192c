// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/facts.h"

#include "views/workspace/labels.h"

namespace dynascope::views {

Token text(const QString& text) {
    return {text, Token::Look::Text, {}, {}};
}

Token strong(const QString& text) {
    return {text, Token::Look::Strong, {}, {}};
}

Token quiet(const QString& text) {
    return {text, Token::Look::Quiet, {}, {}};
}

Token mono(const QString& text) {
    return {text, Token::Look::Mono, {}, {}};
}

Token link(const QString& text, const QString& target) {
    return {text, Token::Look::Text, target, {}};
}

Token monoLink(const QString& text, const QString& target) {
    return {text, Token::Look::Mono, target, {}};
}

Token placeLink(const ir::SourceLocation& location) {
    const QString target = QStringLiteral("source:%1:%2").arg(toQString(location.file)).arg(location.line);
    return monoLink(placeText(location), target);
}

Fact fact(const QString& label, Tokens tokens, const QString& toolTip) {
    Fact out;
    out.label = label;
    out.tokens = std::move(tokens);
    out.toolTip = toolTip;
    return out;
}

Fact paragraph(Tokens tokens) {
    Fact out;
    out.kind = Fact::Kind::Paragraph;
    out.tokens = std::move(tokens);
    return out;
}

std::vector<Fact> stackFacts(const ir::StackTrace& stack) {
    std::vector<Fact> out;
    for (std::size_t i = 0; i < stack.size(); ++i) {
        const ir::SourceLocation& at = stack[i];
        Tokens line{placeLink(at)};
        if (!at.function.empty()) {
            line.push_back(quiet(QStringLiteral("  in ")));
            Token function = mono(toQString(at.function));
            if (i + 1 != stack.size()) function.look = Token::Look::MonoQuiet;
            line.push_back(function);
        }
        out.push_back(paragraph(std::move(line)));
    }
    return out;
}

} // namespace dynascope::views
