// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/ir/storage.h"
#include "core/ir/text.h"
#include "views/inspector/facts.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <span>

namespace dynascope::views {

namespace {

using ir::Node;
using ir::NodeIndex;

constexpr std::size_t mostNames = 16;
constexpr qsizetype longestArguments = 1200;
constexpr std::size_t mostCards = 12;

QString nodeTarget(Side side, NodeIndex node) {
    return QStringLiteral("node:%1:%2").arg(QLatin1Char(side == Side::A ? 'A' : 'B')).arg(node);
}

/// Arguments as written, with every node name a link. Only the text is scanned: names are Python identifiers.
Tokens argumentTokens(const QString& written, const ir::Graph& graph, Side side) {
    Tokens out;
    QString plain;
    const QString shown = written.left(longestArguments);
    const auto inName = [](QChar c) { return c.isLetterOrNumber() || c == u'_'; };
    for (qsizetype i = 0; i < shown.size();) {
        const QChar c = shown[i];
        if (c == u'\'' || c == u'"') {
            qsizetype end = i + 1;
            while (end < shown.size() && shown[end] != c)
                end += shown[end] == u'\\' ? 2 : 1;
            end = std::min(end + 1, shown.size());
            plain += shown.mid(i, end - i);
            i = end;
        } else if (c.isLetter() || c == u'_') {
            qsizetype end = i;
            while (end < shown.size() && inName(shown[end]))
                ++end;
            const QString word = shown.mid(i, end - i);
            const bool attribute = i > 0 && shown[i - 1] == u'.';
            const NodeIndex node = attribute ? ir::npos : graph.find(word.toStdString());
            if (node == ir::npos) {
                plain += word;
            } else {
                if (!plain.isEmpty()) out.push_back(mono(std::exchange(plain, {})));
                out.push_back(monoLink(word, nodeTarget(side, node)));
            }
            i = end;
        } else {
            plain += c;
            ++i;
        }
    }
    if (shown.size() < written.size()) plain += u'…';
    if (!plain.isEmpty()) out.push_back(mono(plain));
    return out;
}

QString argumentText(const Node& node) {
    std::string out;
    for (const ir::Argument& a : node.args) {
        if (!out.empty()) out += ", ";
        a.appendTo(out, "");
    }
    return toQString(out);
}

Tokens nodeNames(std::span<const NodeIndex> nodes, const ir::Graph& graph, Side side) {
    Tokens out;
    for (std::size_t i = 0; i < std::min(nodes.size(), mostNames); ++i) {
        if (i > 0) out.push_back(quiet(QStringLiteral(", ")));
        out.push_back(monoLink(toQString(graph.node(nodes[i]).name), nodeTarget(side, nodes[i])));
    }
    if (nodes.size() > mostNames) out.push_back(quiet(tr(" and %1 more").arg(nodes.size() - mostNames)));
    return out;
}

void addMeta(Section& section, const Node& node) {
    if (!node.meta) {
        section.facts.push_back(fact(tr("Value"), {quiet(tr("not recorded"))},
                                     tr("This text carries no annotation of the node's dtype and shape.")));
        return;
    }
    if (!node.meta->tensor) {
        section.facts.push_back(fact(tr("Value"), {mono(toQString(node.meta->raw))},
                                     tr("What the graph says about a value that is not one tensor.")));
        return;
    }
    const ir::TensorMeta& meta = *node.meta->tensor;
    section.facts.push_back(fact(
        tr("Shape"), {mono(toQString(meta.shortForm()))},
        tr("dtype[sizes]. A name such as s77 is a symbolic size; its value is in the compile's symbols.")));
    if (meta.strides)
        section.facts.push_back(fact(
            tr("Stride"), {mono(u'(' + toQString(joined(*meta.strides, ", ")) + u')')},
            tr("Elements to step in memory for each dimension. (5, 1) for a 4 x 5 tensor is contiguous.")));
    if (!meta.device.empty()) section.facts.push_back(fact(tr("Device"), {mono(toQString(meta.device))}));
    if (const auto bytes = meta.bytes())
        section.facts.push_back(
            fact(tr("Size"), {text(bytesText(*bytes))}, tr("Bytes of a dense tensor of this shape.")));
}

/// "setitem (−2)": a node and how far it is from this one.
Tokens nearby(const NodeFactsInput& in, NodeIndex node) {
    const bool before = node < in.node;
    const NodeIndex steps = before ? in.node - node : node - in.node;
    Tokens out = {monoLink(toQString(in.graph->node(node).name), nodeTarget(in.side, node)),
                  quiet(QStringLiteral("  %1%2").arg(QChar(before ? u'−' : u'+')).arg(steps))};
    if (ir::opKind(in.graph->node(node)) == ir::OpKind::FunctionalWrite)
        out.push_back(quiet(tr(", functional form")));
    return out;
}

/// Where the same storage is written before and after, where it is written at all.
void addWrites(Section& section, const NodeFactsInput& in) {
    const ir::WritesAround around = ir::writesAround(*in.graph, in.node);
    if (around.writes == 0) return;
    Tokens previous = around.previous == ir::npos ? Tokens{quiet(tr("none, this makes the storage"))}
                                                  : nearby(in, around.previous);
    if (around.previous == around.root && around.root != ir::npos)
        previous.push_back(quiet(tr(", makes it")));
    section.facts.push_back(fact(
        tr("Written by"), std::move(previous),
        tr("What wrote this node's storage last before it, with the distance in nodes (Alt+Shift+W). "
           "Views and in-place writes are followed, and what functionalization puts in the place of writes "
           "(select_scatter, copy); inputs that alias each other are told apart.")));
    section.facts.push_back(
        fact(tr("Next write"),
             around.next == ir::npos ? Tokens{quiet(tr("none on this storage"))} : nearby(in, around.next),
             tr("What writes this node's storage next, with the distance in nodes (Alt+W).")));
}

/// Why a functional graph has a copy_ after all.
void addWriteBack(Section& section, const NodeFactsInput& in) {
    const auto back = ir::writeBackCopy(*in.graph, in.node);
    if (!back) return;
    const NodeIndex input[] = {back->input}, value[] = {back->value};
    Tokens why{text(tr("puts "))};
    if (back->value == ir::npos) {
        why.push_back(text(tr("the new value")));
    } else {
        const Tokens name = nodeNames(value, *in.graph, in.side);
        why.insert(why.end(), name.begin(), name.end());
    }
    why.push_back(text(back->inPlace ? tr(" into input ") : tr(" into the memory that lies under input ")));
    const Tokens name = nodeNames(input, *in.graph, in.side);
    why.insert(why.end(), name.begin(), name.end());
    why.push_back(text(tr(", so that the caller's tensor holds it when the graph returns")));
    section.facts.push_back(fact(
        tr("Why here"), std::move(why),
        tr("The program changes this input, or another tensor in its memory. A graph without writes in "
           "place only computes the new value; this copy, at its end, hands it to whoever owns the input.")));
}

/// What the program passes, where it is no parameter or buffer.
void addInput(Section& section, const NodeFactsInput& in) {
    if (!in.inputs || in.node >= in.inputs->size() || (*in.inputs)[in.node].empty()) return;
    section.facts.push_back(fact(tr("Input"), {mono(toQString((*in.inputs)[in.node]))},
                                 tr("What the compiled function calls this input: by the source that Dynamo "
                                    "recorded, or else as Dynamo's graph names it.")));
}

/// The parameter or buffer that an input is, by the name that the model gives it.
void addName(Section& section, const NodeFactsInput& in) {
    if (!in.names || in.node >= in.names->size() || (*in.names)[in.node].empty())
        return addInput(section, in);
    section.facts.push_back(
        fact(tr("Holds"), {mono(toQString((*in.names)[in.node]))},
             tr("The parameter or buffer of the model that this input is, as named_parameters() and "
                "named_buffers() call it: read from the capture's Dynamo or export graph.")));
}

Section mainSection(const NodeFactsInput& in, const Node& node) {
    Section out;
    addName(out, in);
    out.facts.push_back(fact(
        tr("Stage"), {text(QString(in.side == Side::A ? u'A' : u'B') + QStringLiteral(" · ") + in.stage)}));
    out.facts.push_back(fact(
        tr("Op"), {mono(toQString(ir::opName(node.op)))},
        tr("What kind of FX node this is. placeholder: an input of the graph; call_function: a call of an "
           "operator; get_attr: a value that the module holds; output: what the graph returns.")));
    const std::span<const NodeIndex> inputs = in.graph->inputs(in.node);
    if (ir::opKind(node) == ir::OpKind::Write && !inputs.empty())
        out.facts.push_back(
            fact(tr("Writes"), nodeNames(inputs.first(1), *in.graph, in.side),
                 tr("The input that this node mutates in place. Every view of its storage sees the write.")));
    addWriteBack(out, in);
    addWrites(out, in);
    const QString arguments = argumentText(node);
    if (!arguments.isEmpty())
        out.facts.push_back(
            fact(tr("Args"), argumentTokens(arguments, *in.graph, in.side),
                 tr("Arguments as the graph has them. A name is the node that makes the value.")));
    for (const auto& [key, value] : node.kwargs)
        out.facts.push_back(fact(toQString(key),
                                 argumentTokens(toQString(value.toString()), *in.graph, in.side),
                                 tr("A keyword argument of the call.")));
    const std::span<const NodeIndex> users = in.graph->users(in.node);
    Tokens userTokens = nodeNames(users, *in.graph, in.side);
    if (users.empty()) {
        const bool kept = ir::opKind(node) == ir::OpKind::Write;
        userTokens = {text(tr("none")),
                      quiet(node.op == ir::Op::Output        ? QString()
                            : kept                           ? tr(" (kept for its write)")
                            : node.op == ir::Op::Placeholder ? tr(" (unused input)")
                                                             : tr(" (dead unless it has a side effect)"))};
    }
    const QString teachUsers = tr("Nodes that read this value; num_users in FX text counts them.");
    out.facts.push_back(fact(users.size() > 1 ? tr("Users (%1)").arg(users.size()) : tr("Users"),
                             std::move(userTokens), teachUsers));
    addMeta(out, node);
    if (!node.typeExpr.empty()) out.facts.push_back(fact(tr("Type"), {mono(toQString(node.typeExpr))}));
    if (!node.comment.empty())
        out.facts.push_back(
            fact(tr("Comment"), {mono(toQString(node.comment))},
                 tr("What the compiler wrote beside this node: which input or output of the call it is.")));
    return out;
}

Fact card(diff::Change change, const Node& node, Side side, NodeIndex index) {
    Fact out;
    out.kind = Fact::Kind::Card;
    out.change = change;
    Token name = monoLink(toQString(node.name), nodeTarget(side, index));
    out.tokens.push_back(name);
    out.tokens.push_back({QStringLiteral("  ") + toQString(ir::shortTarget(node.target)) + u'(' +
                              argumentText(node).left(160) + u')',
                          Token::Look::MonoQuiet,
                          {},
                          {}});
    return out;
}

/// Nodes of the other graph as cards; beyond the first ones they are counted.
void addCards(Section& section, const std::vector<NodeIndex>& nodes, const std::vector<diff::Change>& theirs,
              const NodeFactsInput& in) {
    const Side side = in.side == Side::A ? Side::B : Side::A;
    for (std::size_t i = 0; i < std::min(nodes.size(), mostCards); ++i)
        if (nodes[i] < theirs.size())
            section.facts.push_back(card(theirs[nodes[i]], in.other->node(nodes[i]), side, nodes[i]));
    if (nodes.size() > mostCards)
        section.facts.push_back(paragraph({quiet(tr("and %1 more").arg(nodes.size() - mostCards))}));
}

void addFieldChanges(Section& section, const NodeFactsInput& in) {
    const NodeIndex inA = in.side == Side::A ? in.node : in.diff->partnerOfB[in.node];
    const auto* fields = inA == ir::npos ? nullptr : in.diff->detail(inA);
    if (!fields) return;
    for (const diff::FieldChange& field : *fields) {
        Fact row = fact(toQString(field.field),
                        {mono(toQString(field.a)), quiet(QStringLiteral(" → ")), mono(toQString(field.b))},
                        tr("This field of the node differs: stage A's value, then stage B's."));
        row.change = diff::Change::Changed;
        section.facts.push_back(std::move(row));
    }
}

/// What the node became or came from; apart from that, what computes its gradient or whose gradient it computes.
std::vector<Section> diffSections(const NodeFactsInput& in) {
    // A stage beside itself: a node comes from no other.
    if (!in.diff || !in.other || in.other == in.graph) return {};
    const bool fromA = in.side == Side::A;
    const auto& own = fromA ? in.diff->a : in.diff->b;
    const auto& theirs = fromA ? in.diff->b : in.diff->a;
    if (in.node >= own.size()) return {};
    std::vector<NodeIndex> related, gradient;
    for (const NodeIndex other : fromA ? in.diff->linksFromA(in.node) : in.diff->linksFromB(in.node)) {
        const diff::Link link = fromA ? diff::Link{in.node, other} : diff::Link{other, in.node};
        (in.diff->toGradient(link) ? gradient : related).push_back(other);
    }
    std::vector<Section> out;
    const bool backward = !fromA && in.node < in.diff->gradientB.size() && in.diff->gradientB[in.node];
    if (!backward || gradient.empty()) {
        Section& section = out.emplace_back();
        const diff::Change change = own[in.node];
        section.title = related.empty() ? (fromA ? tr("In B") : tr("In A"))
                        : fromA         ? tr("Became in B")
                                        : tr("Came from A");
        // A node that became others has no partner, yet nothing of it is lost.
        const bool alone = change == diff::Change::Added || change == diff::Change::Removed;
        section.chip = alone && !related.empty() ? (fromA ? tr("replaced") : QString())
                                                 : toQString(diff::changeName(change));
        section.chipTone = alone && !related.empty()         ? QStringLiteral("changed")
                           : change == diff::Change::Added   ? QStringLiteral("added")
                           : change == diff::Change::Removed ? QStringLiteral("removed")
                           : change == diff::Change::Changed ? QStringLiteral("changed")
                                                             : QString();
        addCards(section, related, theirs, in);
        if (related.empty())
            section.facts.push_back(paragraph({quiet(
                (fromA      ? in.diff->gradientB.empty() ? tr("Nothing in %1 comes from this node.")
                                                         : tr("Nothing of forward in %1 comes from this node.")
                      : backward ? tr("Nothing in %1: the node computes a gradient.")
                            : tr("Nothing in %1: the node is new."))
                    .arg(in.otherStage))}));
        addFieldChanges(section, in);
    }
    if (!gradient.empty()) {
        Section& section = out.emplace_back();
        section.title = fromA ? tr("Its gradient in B") : tr("Gradient of");
        addCards(section, gradient, theirs, in);
    }
    return out;
}

Section originSection(const Node& node) {
    Section out;
    out.title = tr("Origin");
    const Fact onward = paragraph(
        {link(tr("Through all stages"), QStringLiteral("panel:") + panelName(PanelId::Provenance))});
    if (!node.stack || node.stack->empty()) {
        out.facts.push_back(paragraph({quiet(tr("This text has no source comment for the node."))}));
        out.facts.push_back(onward);
        return out;
    }
    const ir::SourceLocation& at = node.stack->back();
    if (!at.code.empty()) {
        Fact code;
        code.kind = Fact::Kind::Code;
        code.number = int(at.line);
        code.marked = true;
        code.tokens = {mono(toQString(at.code))};
        out.facts.push_back(std::move(code));
    }
    for (Fact& frame : stackFacts(*node.stack))
        out.facts.push_back(std::move(frame));
    out.facts.push_back(onward);
    return out;
}

} // namespace

Facts nodeFacts(const NodeFactsInput& in, const Colours& colours) {
    const Node& node = in.graph->node(in.node);
    const ir::OpKind kind = ir::opKind(node);
    Facts out;
    out.title = toQString(node.name);
    const QString target =
        toQString(node.op == ir::Op::CallMethod ? "." + node.target : ir::shortTarget(node.target));
    out.subtitle = {{target, Token::Look::Mono, {}, colours.op(kind)}};
    out.chip = toQString(ir::opKindName(kind));
    out.chipTone = kind == ir::OpKind::Write ? QStringLiteral("write") : QString();
    out.stripe = colours.op(kind);
    out.sections.push_back(mainSection(in, node));
    for (Section& section : diffSections(in))
        out.sections.push_back(std::move(section));
    if (in.peak)
        if (Section held = peakSection(in); !held.facts.empty()) out.sections.push_back(std::move(held));
    out.sections.push_back(originSection(node));
    return out;
}

} // namespace dynascope::views
