// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"
#include "core/inductor/pattern_graph.h"
#include "views/inductor/pass_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

constexpr std::size_t mostNodes = 60; ///< shown of a pattern

void addPlace(Section& section, const QString& label, const inductor::Function& place, const QString& tip) {
    if (place.name.empty()) return;
    Fact out = fact(label, {mono(toQString(place.name))}, tip);
    if (!place.file.empty())
        out.tokens.push_back(
            quiet(QStringLiteral("  %1:%2").arg(toQString(baseName(place.file))).arg(place.line)));
    section.facts.push_back(std::move(out));
}

} // namespace

Section patternSection(const inductor::PassRecording& recording, const inductor::Match& match) {
    Section out;
    out.title = tr("Pattern");
    const inductor::Pattern* pattern = recording.pattern(match.pattern);
    if (pattern == nullptr) return out;
    out.chip = match.refused.empty() ? tr("applied") : tr("refused");
    out.chipTone = match.refused.empty() ? QStringLiteral("added") : QStringLiteral("removed");
    out.facts.push_back(paragraph({strong(toQString(pattern->name))}));
    addPlace(out, tr("Looks for"), pattern->search, tr("The function that the pattern was traced from"));
    addPlace(out, tr("Puts in"), pattern->replace, tr("The function that its replacement was traced from"));
    addPlace(out, tr("Handler"), pattern->handler, tr("The function that changes the graph where it fits"));
    addPlace(out, tr("Check"), pattern->check, tr("Asked where the nodes fit; it may say no"));
    const inductor::PatternGraph graph = inductor::patternGraph(pattern->expression);
    if (!graph.nodes.empty())
        out.facts.push_back(paragraph({quiet(
            countText(graph.nodes.size(), tr("node that it looks for:"), tr("nodes that it looks for:")))}));
    for (std::size_t i = 0; i < std::min(graph.nodes.size(), mostNodes); ++i) {
        Fact line;
        line.kind = Fact::Kind::Code;
        line.number = int(i + 1);
        line.tokens = {mono(toQString(graph.nodes[i].text()))};
        line.marked = i + 1 == graph.nodes.size(); // where the matcher begins
        out.facts.push_back(std::move(line));
    }
    if (graph.nodes.size() > mostNodes)
        out.facts.push_back(paragraph({quiet(tr("and %1 more").arg(graph.nodes.size() - mostNodes))}));
    if (!graph.whole) out.facts.push_back(paragraph({quiet(tr("The recording has its beginning only."))}));
    for (const auto& [name, value] : match.arguments)
        out.facts.push_back(fact(toQString(name), {mono(toQString(value))}, tr("What it stood for here")));
    return out;
}

} // namespace dynascope::views
