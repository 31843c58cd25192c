// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/graph.h"
#include "views/inspector/facts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {
constexpr std::size_t mostHeld = 10;
}

Section peakSection(const NodeFactsInput& in) {
    Section out;
    const std::vector<replay::GraphPeak::Held>& held = in.peak->peak.held;
    // What an operator gives in a tuple is held by its own node.
    const ir::Node& node = in.graph->node(in.node);
    const ir::NodeIndex maker = node.target == "operator.getitem" && !in.graph->inputs(in.node).empty()
                                    ? in.graph->inputs(in.node).front()
                                    : in.node;
    const auto isThis = [&](const replay::GraphPeak::Held& value) {
        return value.maker == in.node || value.maker == maker;
    };
    if (std::none_of(held.begin(), held.end(), isThis)) return out;
    out.title = tr("Held at the peak");
    const QString bytes = bytesText(in.peak->peak.bytes);
    out.chip = in.peak->unknown > 0 ? tr("at least %1").arg(bytes) : bytes;
    const auto name = [&in](ir::NodeIndex node) {
        return monoLink(
            toQString(in.graph->node(node).name),
            QStringLiteral("node:%1:%2").arg(QLatin1Char(in.side == Side::A ? 'A' : 'B')).arg(node));
    };
    Tokens what{text(
        held.size() == 1
            ? tr("The only value that is alive when this graph holds most")
            : tr("One of %1 values that are alive when this graph holds most").arg(numberText(held.size())))};
    if (in.peak->peak.step < in.graph->size()) {
        what.push_back(text(tr(", at ")));
        what.push_back(name(ir::NodeIndex(in.peak->peak.step)));
    }
    what.push_back(text(tr(".")));
    what.push_back(quiet(tr(" By lifetimes of what the graph makes, dense in the printed shapes; its inputs "
                            "are not counted, and "
                            "nothing was run. The sum rounds each up to %1.")
                             .arg(bytesText(replay::defaultAlignment))));
    out.facts.push_back(paragraph(std::move(what)));
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (i >= mostHeld) {
            rest += held[i].bytes;
            continue;
        }
        Tokens row{isThis(held[i]) ? strong(toQString(in.graph->node(held[i].maker).name))
                                   : name(held[i].maker)};
        if (const ir::SourceLocation* at = in.graph->node(held[i].maker).location()) {
            row.push_back(quiet(QStringLiteral("  ")));
            row.push_back(placeLink(*at));
        }
        out.facts.push_back(fact(bytesText(held[i].bytes), std::move(row)));
    }
    if (held.size() > mostHeld)
        out.facts.push_back(
            fact(bytesText(rest), {quiet(tr("%1 more").arg(numberText(held.size() - mostHeld)))}));
    return out;
}

} // namespace dynascope::views
