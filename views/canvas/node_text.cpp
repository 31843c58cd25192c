// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/node_text.h"
#include "views/theme/shown_text.h"

#include <QLocale>
#include <QStringList>

namespace dynascope::views::canvas {

namespace {

constexpr int deepestArgument = 40;
constexpr qsizetype longestCardText = 160;
constexpr qsizetype longestTooltipText = 600;

QString qs(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

void appendShort(const ir::Argument& argument, QString& out, int depth, qsizetype limit) {
    using Kind = ir::Argument::Kind;
    if (depth > deepestArgument || out.size() > limit) {
        if (!out.endsWith(QChar(0x2026))) out += QChar(0x2026);
        return;
    }
    const auto sequence = [&](char open, char close) {
        out += QLatin1Char(open);
        for (std::size_t i = 0; i < argument.items.size() && out.size() <= limit; ++i) {
            if (i > 0) out += QLatin1String(", ");
            appendShort(argument.items[i], out, depth + 1, limit);
        }
        if (argument.kind == Kind::Tuple && argument.items.size() == 1) out += ',';
        out += QLatin1Char(close);
    };
    switch (argument.kind) {
    case Kind::List:
        sequence('[', ']');
        return;
    case Kind::Tuple:
        sequence('(', ')');
        return;
    case Kind::Slice: {
        const auto part = [&](std::size_t i) {
            if (i < argument.items.size() && argument.items[i].kind != Kind::None)
                appendShort(argument.items[i], out, depth + 1, limit);
        };
        part(0);
        out += ':';
        part(1);
        if (argument.items.size() > 2 && argument.items[2].kind != Kind::None) {
            out += ':';
            part(2);
        }
        return;
    }
    default:
        out += qs(argument.toString());
        return;
    }
}

QString argumentList(const ir::Node& node, qsizetype limit) {
    QString out;
    for (const ir::Argument& argument : node.args) {
        if (!out.isEmpty()) out += QLatin1String(", ");
        appendShort(argument, out, 0, limit);
        if (out.size() > limit) break;
    }
    for (const auto& [key, value] : node.kwargs) {
        if (out.size() > limit) break;
        if (!out.isEmpty()) out += QLatin1String(", ");
        out += qs(key) + '=';
        appendShort(value, out, 0, limit);
    }
    if (out.size() > limit) {
        out.truncate(limit);
        out += QChar(0x2026);
    }
    return out;
}

QString dense(const std::vector<std::string>& values) {
    QStringList parts;
    for (const std::string& value : values)
        parts << qs(value);
    return '[' + parts.join(QLatin1String(", ")) + ']';
}

} // namespace

QString argumentText(const ir::Argument& argument) {
    QString out;
    appendShort(argument, out, 0, longestCardText);
    return out;
}

QString writtenNode(const ir::Node& node) {
    if (ir::opKind(node) != ir::OpKind::Write || node.args.empty() || !node.args.front().isNode()) return {};
    return qs(node.args.front().text);
}

QString writtenView(const ir::Node& node) {
    QString name = writtenNode(node);
    if (name.isEmpty() || !node.target.ends_with("setitem") || node.args.size() < 2) return name;
    const ir::Argument& index = node.args[1];
    QString text = argumentText(index);
    if (index.kind == ir::Argument::Kind::Tuple && text.size() >= 2) text = text.mid(1, text.size() - 2);
    return name + '[' + text + ']';
}

CardText cardText(const ir::Graph& graph, ir::NodeIndex index) {
    const ir::Node& node = graph.node(index);
    CardText card;
    card.name = qs(node.name);
    if (node.meta) card.right = qs(node.meta->shortForm());
    switch (node.op) {
    case ir::Op::Placeholder:
        card.target = QStringLiteral("placeholder");
        card.args = !node.comment.empty() ? qs(node.comment) : qs(node.target);
        return card;
    case ir::Op::Output: {
        // The one argument is a tuple of what the graph gives back.
        card.right = argumentList(node, longestCardText);
        return card;
    }
    case ir::Op::GetAttr:
        card.target = QStringLiteral("get_attr");
        card.args = qs(node.target);
        return card;
    case ir::Op::CallMethod:
        card.target = QStringLiteral("method ") + qs(node.target);
        break;
    case ir::Op::CallModule:
    case ir::Op::CallFunction:
        card.target = qs(ir::shortTarget(node.target));
        break;
    }
    card.args = argumentList(node, longestCardText);
    if (card.right.isEmpty()) {
        if (const QString written = writtenNode(node); !written.isEmpty())
            card.right = QStringLiteral("writes ") + written;
    }
    return card;
}

QString bytesText(std::uint64_t bytes) {
    const QLocale c = QLocale::c();
    if (bytes < 1024) return QStringLiteral("%1 bytes").arg(bytes);
    if (bytes < 1024ULL * 1024)
        return c.toString(static_cast<double>(bytes) / 1024, 'f', bytes % 1024 == 0 ? 0 : 1) + " KiB";
    if (bytes < 1024ULL * 1024 * 1024)
        return c.toString(static_cast<double>(bytes) / (1024.0 * 1024), 'f', 1) + " MiB";
    return c.toString(static_cast<double>(bytes) / (1024.0 * 1024 * 1024), 'f', 2) + " GiB";
}

QString changeReason(diff::Change change, const std::vector<diff::FieldChange>* details) {
    switch (change) {
    case diff::Change::Same:
        return QStringLiteral("Same in A and B");
    case diff::Change::Respelled:
        return QStringLiteral("Only names or the spelling of the target differ");
    case diff::Change::Moved:
        return QStringLiteral("Same, but in another order than its neighbours");
    case diff::Change::Added:
        return QStringLiteral("Only in B: nothing in A corresponds to it one to one");
    case diff::Change::Removed:
        return QStringLiteral("Only in A: nothing in B corresponds to it one to one");
    case diff::Change::Changed:
        break;
    }
    if (details == nullptr || details->empty())
        return QStringLiteral("An argument, the target or metadata differs");
    QStringList parts;
    for (const diff::FieldChange& field : *details) {
        parts << QStringLiteral("%1: %2 in A, %3 in B").arg(qs(field.field), qs(field.a), qs(field.b));
        if (parts.size() == 4) break;
    }
    return QStringLiteral("Differs in ") + parts.join(QLatin1String("; "));
}

QString tooltipHtml(const ir::Graph& graph, ir::NodeIndex index, diff::Change change, bool inDiff,
                    const std::vector<diff::FieldChange>* details) {
    const ir::Node& node = graph.node(index);
    QString rows;
    const auto row = [&rows](const char* label, QString value, bool code = false) {
        if (value.isEmpty()) return;
        value = shownText(value, longestTooltipText).toHtmlEscaped();
        if (code)
            value =
                QStringLiteral("<span style='font-family:\"JetBrains Mono\",\"DejaVu Sans Mono\"'>%1</span>")
                    .arg(value);
        rows += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                    .arg(QLatin1String(label), value);
    };
    row("op", qs(ir::opName(node.op)) + ", " + qs(ir::opKindName(ir::opKind(node))));
    row("target", qs(node.target), true);
    row("args", argumentList(node, longestTooltipText), true);
    if (node.meta) {
        if (const auto& tensor = node.meta->tensor) {
            row("dtype", qs(tensor->dtype), true);
            row("shape", dense(tensor->sizes), true);
            if (tensor->strides) row("stride", dense(*tensor->strides) + " elements", true);
            row("device", qs(tensor->device), true);
            if (const auto bytes = tensor->bytes()) row("size", bytesText(*bytes));
        } else {
            row("value", qs(node.meta->raw), true);
        }
    }
    if (const ir::SourceLocation* at = node.location()) {
        row("source", QStringLiteral("%1:%2 in %3").arg(qs(at->file)).arg(at->line).arg(qs(at->function)),
            true);
        row("code", qs(at->code), true);
    }
    const auto users = graph.users(index);
    QStringList names;
    for (std::size_t i = 0; i < users.size() && i < 6; ++i)
        names << qs(graph.node(users[i]).name);
    if (users.size() > 6) names << QString(QChar(0x2026));
    row("users", users.empty() ? QStringLiteral("none")
                               : QStringLiteral("%1: %2").arg(users.size()).arg(names.join(", ")));
    row("note", qs(node.comment), true);
    if (inDiff) {
        const char32_t sign = diff::changeSign(change);
        row("diff", QString::fromUcs4(&sign, 1) + ' ' + qs(diff::changeName(change)) + ". " +
                        changeReason(change, details));
    }
    return QStringLiteral(
               "<qt><b>%1</b><table cellspacing='0' cellpadding='1' style='margin-top:4px'>%2</table></qt>")
        .arg(shownText(qs(node.name), longestTooltipText).toHtmlEscaped(), rows);
}

} // namespace dynascope::views::canvas
