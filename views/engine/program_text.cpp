// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/program_text.h"

#include "views/models/labels.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

namespace dynascope::views {

namespace {

/// Pieces between semicolons that are in no bracket and no string.
QStringList splitStatements(const QString& line) {
    QStringList out(QString{});
    int depth = 0;
    QChar quote;
    for (const QChar ch : line) {
        if (!quote.isNull()) {
            if (ch == quote) quote = QChar();
        } else if (ch == u'\'' || ch == u'"') {
            quote = ch;
        } else if (ch == u'#') {
            break;
        } else if (ch == u'(' || ch == u'[' || ch == u'{') {
            ++depth;
        } else if (ch == u')' || ch == u']' || ch == u'}') {
            --depth;
        } else if (ch == u';' && depth <= 0) {
            out << QString();
            continue;
        }
        out.last() += ch;
    }
    for (QString& piece : out)
        piece = piece.trimmed();
    out.removeAll(QString());
    return out;
}

/// How a statement may spell a node's op.
QStringList spellings(const ir::Node& node) {
    QString name = toQString(node.target).section(u'.', -1);
    if (node.target.starts_with("torch.ops.")) name = toQString(node.target).section(u'.', 3, 3);
    static const std::map<QString, QStringList> operators{
        {QStringLiteral("add"), {QStringLiteral("+")}},
        {QStringLiteral("sub"), {QStringLiteral("-")}},
        {QStringLiteral("mul"), {QStringLiteral("*")}},
        {QStringLiteral("div"), {QStringLiteral("/")}},
        {QStringLiteral("matmul"), {QStringLiteral("@")}},
        {QStringLiteral("neg"), {QStringLiteral("-")}},
        {QStringLiteral("add_"), {QStringLiteral("+=")}},
        {QStringLiteral("sub_"), {QStringLiteral("-=")}},
        {QStringLiteral("mul_"), {QStringLiteral("*=")}},
        {QStringLiteral("div_"), {QStringLiteral("/=")}},
        {QStringLiteral("select"), {QStringLiteral("[")}},
        {QStringLiteral("slice"), {QStringLiteral("[")}},
        {QStringLiteral("index"), {QStringLiteral("[")}},
        {QStringLiteral("getitem"), {QStringLiteral("[")}},
        {QStringLiteral("index_put_"), {QStringLiteral("] =")}},
        {QStringLiteral("copy_"), {QStringLiteral("] =")}},
        {QStringLiteral("fill_"), {QStringLiteral("] =")}},
        {QStringLiteral("t"), {QStringLiteral(".T")}},
        {QStringLiteral("transpose"), {QStringLiteral(".T")}},
        {QStringLiteral("permute"), {QStringLiteral(".mT")}}};
    QStringList out{name + u'(', name + u'.'};
    if (const auto at = operators.find(name); at != operators.end()) out += at->second;
    return out;
}

} // namespace

ProgramText matchProgram(const std::map<std::uint32_t, std::string>& lines, const ir::Graph& graph) {
    ProgramText out;
    QStringList parameters;
    for (const auto& [number, text] : lines) {
        const QString line = toQString(text);
        const QString trimmed = line.trimmed();
        if (trimmed.startsWith(u'@') || trimmed.startsWith(QLatin1String("import ")) ||
            trimmed.startsWith(QLatin1String("from ")))
            continue;
        if (trimmed.startsWith(QLatin1String("def "))) {
            out.statements.push_back({int(number), trimmed});
            parameters = trimmed.section(u'(', 1).section(u')', 0, 0).split(u',');
            continue;
        }
        for (const QString& piece : splitStatements(line))
            out.statements.push_back({int(number), piece});
    }
    out.statementOf.assign(graph.size(), -1);
    std::size_t first = 0;
    while (first < out.statements.size() && out.statements[first].text.startsWith(QLatin1String("def ")))
        ++first;
    std::vector<QString> left; // what no node has taken yet
    for (const ProgramText::Statement& statement : out.statements)
        left.push_back(statement.text);
    std::size_t at = first;
    qsizetype placeholders = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(ir::NodeIndex(i));
        if (node.op == ir::Op::Placeholder) {
            if (placeholders < parameters.size())
                out.names[node.name] =
                    parameters[placeholders].section(u':', 0, 0).section(u'=', 0, 0).trimmed();
            ++placeholders;
            if (first > 0) out.statementOf[i] = 0;
            continue;
        }
        if (out.statements.empty()) break;
        if (node.op == ir::Op::Output) {
            if (out.statements.back().text.startsWith(QLatin1String("return")))
                out.statementOf[i] = int(out.statements.size()) - 1;
            continue;
        }
        const QStringList spelled = spellings(node);
        for (std::size_t s = at; s < out.statements.size(); ++s) {
            qsizetype found = -1, length = 0;
            for (const QString& spelling : spelled)
                if (const qsizetype here = left[s].indexOf(spelling); here >= 0 && found < 0) {
                    found = here;
                    length = spelling.size();
                }
            if (found < 0) continue;
            left[s].replace(found, length, QString(length, u' '));
            at = s;
            break;
        }
        if (at < out.statements.size()) out.statementOf[i] = int(at);
    }
    // "r = b[0]": the last node of the statement is r.
    static const QRegularExpression assignment(QStringLiteral("^([A-Za-z_]\\w*) = "));
    for (std::size_t s = first; s < out.statements.size(); ++s) {
        const auto match = assignment.match(out.statements[s].text);
        if (!match.hasMatch()) continue;
        for (std::size_t i = graph.size(); i-- > 0;)
            if (out.statementOf[i] == int(s)) {
                out.names[graph.node(ir::NodeIndex(i)).name] = match.captured(1);
                break;
            }
    }
    return out;
}

} // namespace dynascope::views
