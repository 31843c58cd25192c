// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/coverage_rows.h"

#include "core/replay/written_arguments.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using replay::CoverageProblem;
using replay::CoverageVerdict;
using replay::GraphCoverage;
using replay::MutationCategory;
using Look = TableCell::Look;

constexpr std::size_t mostPlaces = 100;

QString verdictText(CoverageVerdict verdict) {
    return toQString(replay::coverageVerdictName(verdict));
}

QString verdictMeaning(CoverageVerdict verdict) {
    switch (verdict) {
    case CoverageVerdict::CudaGraph:
        return tr("The whole graph is recorded once and replayed with one launch");
    case CoverageVerdict::Split:
        return tr(
            "Some ops cannot be recorded. Inductor cuts the graph around them; the pieces between are CUDA "
            "graphs");
    case CoverageVerdict::Skipped:
        return tr("Runs eagerly, kernel by kernel, every time");
    case CoverageVerdict::Raises:
        return tr("PyTorch fails with an error while it compiles the graph");
    case CoverageVerdict::Unknown:
        break;
    }
    return tr("The capture does not say enough to decide");
}

TableCell verdictCell(CoverageVerdict verdict) {
    return {verdictText(verdict), Look::Chip, verdictTone(verdict), verdictMeaning(verdict), int(verdict)};
}

QString whyText(const GraphCoverage& graph) {
    for (const CoverageProblem& problem : graph.problems) {
        // What moving to a GPU mends comes last.
        if (!problem.prevents || (graph.onGpu && problem.what == replay::runsOnCpu)) continue;
        return toQString(problem.what);
    }
    if (graph.onGpu) return tr("as captured it runs on the CPU");
    return graph.message.empty() ? QString() : toQString(replay::withoutStack(graph.message));
}

QString typeOf(const ir::Node& node) {
    return node.meta ? toQString(node.meta->shortForm()) : QString();
}

QString categoryWhy(const replay::InputCategory& input, const ir::Node& placeholder) {
    const bool unseen = std::any_of(input.writes.begin(), input.writes.end(),
                                    [](const auto& write) { return !write.marked; });
    if (unseen && input.category == MutationCategory::None)
        return tr("written by an op whose schema does not mark it: PyTorch does not see the write");
    switch (input.category) {
    case MutationCategory::None:
        if (placeholder.meta && !placeholder.meta->tensor)
            return tr("a number: every new value is recorded again");
        if (input.fixed) return tr("not written; its address stays, so it is not copied");
        return input.recorded ? tr("not written; lies in an earlier recording, where its address stays, so "
                                   "it is not copied")
                              : tr("not written; copied to its recorded address before each replay");
    case MutationCategory::Static:
        return tr("its address stays from call to call, so a replay may write it");
    case MutationCategory::Recorded:
        return tr("an output of a recording on the path, which lies in the pool");
    case MutationCategory::Other:
        break;
    }
    return tr("another address on every call: the graph runs eagerly");
}

} // namespace

CoverageVerdict verdictOnGpu(const GraphCoverage& graph) {
    return graph.onGpu.value_or(graph.verdict);
}

Tone verdictTone(CoverageVerdict verdict) {
    switch (verdict) {
    case CoverageVerdict::CudaGraph:
        return Tone::Good;
    case CoverageVerdict::Split:
        return Tone::Warn;
    case CoverageVerdict::Skipped:
    case CoverageVerdict::Raises:
        return Tone::Bad;
    case CoverageVerdict::Unknown:
        break;
    }
    return Tone::None;
}

QString coverageName(const session::Session& session, const GraphCoverage& graph) {
    return toQString(session::compileName(session, session.compiles[graph.compile])) + u' ' +
           toQString(graph.part);
}

std::string nodeOf(const replay::CoveragePlace& place) {
    const std::size_t by = place.node.find(" by ");
    return by == std::string::npos ? place.node : place.node.substr(by + 4);
}

const replay::CoveragePlace* firstPlace(const GraphCoverage& graph) {
    for (const CoverageProblem& problem : graph.problems)
        if (!problem.places.empty()) return &problem.places.front();
    return nullptr;
}

std::vector<TableColumn> coverageColumns() {
    return {{tr("Graph"), tr("Compile id, and which graph of it"), 150},
            {tr("Function"), tr("What was compiled"), 200},
            {tr("On a GPU"),
             tr("What becomes of the graph where all of it is on one GPU. Return shows the graph"), 120},
            {tr("As captured"), tr("What becomes of it on the devices of the capture"), 110},
            {tr("Line"), tr("The line of your program that decides; a link"), 130},
            {tr("Fixed"),
             tr("Inputs whose addresses stay from call to call: parameters, buffers, saved tensors. The "
                "others are "
                "copied before each replay"),
             90, true},
            {tr("Nodes"), {}, 70, true},
            {tr("Why"), tr("The first reason; the others are at the right"), 420}};
}

std::vector<TableRow> coverageRows(const session::Session& session, const replay::CoverageReport& report) {
    std::vector<TableRow> rows;
    for (const GraphCoverage& graph : report.graphs) {
        const session::Compile& compile = session.compiles[graph.compile];
        const replay::CoveragePlace* place = firstPlace(graph);
        const bool located = place && !place->at.file.empty();
        rows.push_back({{coverageName(session, graph), Look::Mono, Tone::None,
                         toQString(graph.stage->label()), qulonglong(rows.size())},
                        {frameText(compile), Look::Text},
                        verdictCell(verdictOnGpu(graph)),
                        {verdictText(graph.verdict), Look::Quiet, Tone::None, verdictMeaning(graph.verdict),
                         int(graph.verdict)},
                        {located ? placeText(place->at) : QString(), Look::Link, Tone::None,
                         located ? toQString(place->at.code) : QString()},
                        {tr("%1 of %2").arg(graph.fixedInputs).arg(graph.inputs),
                         Look::Mono,
                         Tone::None,
                         {},
                         qulonglong(graph.fixedInputs)},
                        {numberText(graph.nodes), Look::Mono, Tone::None, {}, qulonglong(graph.nodes)},
                        {whyText(graph), Look::Text, Tone::None,
                         toQString(graph.message.empty() ? graph.messageOnGpu : graph.message)}});
    }
    return rows;
}

Facts coverageFacts(const session::Session& session, const GraphCoverage& graph,
                    const std::map<std::string, std::string>& names) {
    // "primals_1 by copy_": the input and the op that writes it.
    const auto placeName = [&](const replay::CoveragePlace& place) {
        const std::size_t end = std::min(place.node.find(" by "), place.node.size());
        const auto known = names.find(place.node.substr(0, end));
        return known == names.end() ? place.node : known->second + place.node.substr(end);
    };
    Facts facts;
    facts.title = coverageName(session, graph);
    const CoverageVerdict verdict = verdictOnGpu(graph);
    facts.chip = verdictText(verdict);
    facts.chipTone = verdict == CoverageVerdict::CudaGraph ? QStringLiteral("added")
                     : verdict == CoverageVerdict::Skipped || verdict == CoverageVerdict::Raises
                         ? QStringLiteral("removed")
                     : verdict == CoverageVerdict::Split ? QStringLiteral("changed")
                                                         : QString();
    facts.subtitle = {monoLink(toQString(graph.stage->label()), QStringLiteral("graph:")),
                      quiet(u' ' + frameText(session.compiles[graph.compile]))};
    Section head;
    head.title = tr("Verdict");
    head.facts.push_back(paragraph({text(verdictMeaning(verdict) + u'.')}));
    if (graph.onGpu)
        head.facts.push_back(fact(tr("On a GPU"), {strong(verdictText(*graph.onGpu))},
                                  tr("If the model and its inputs were on one CUDA device")));
    head.facts.push_back(fact(tr("As captured"), {text(verdictText(graph.verdict))}));
    head.facts.push_back(
        fact(tr("Fixed inputs"), {mono(tr("%1 of %2").arg(graph.fixedInputs).arg(graph.inputs))},
             tr("Their addresses stay from call to call; the others are copied before a replay")));
    head.facts.push_back(fact(tr("Nodes"), {mono(numberText(graph.nodes))}));
    if (!graph.message.empty())
        head.facts.push_back(
            fact(tr("PyTorch says"), {mono(toQString(replay::withoutStack(graph.message)))}));
    if (!graph.messageOnGpu.empty())
        head.facts.push_back(
            fact(tr("PyTorch says"),
                 {mono(toQString(replay::withoutStack(graph.messageOnGpu))), quiet(tr(" on a GPU"))}));
    facts.sections.push_back(std::move(head));
    for (std::size_t p = 0; p < graph.problems.size(); ++p) {
        const CoverageProblem& problem = graph.problems[p];
        Section section;
        section.title = toQString(problem.what);
        section.chip = problem.prevents ? tr("reason") : tr("note");
        section.chipTone = problem.prevents ? QStringLiteral("removed") : QString();
        section.facts.push_back(paragraph(
            {quiet(problem.prevents ? tr("Way out: ") : QString()), text(toQString(problem.advice))}));
        for (std::size_t i = 0; i < std::min(problem.places.size(), mostPlaces); ++i) {
            const replay::CoveragePlace& place = problem.places[i];
            const QString at = QStringLiteral("%1:%2").arg(p).arg(i);
            Tokens tokens{monoLink(toQString(placeName(place)), QStringLiteral("place:") + at)};
            if (!place.target.empty()) {
                tokens.push_back(
                    {QStringLiteral("  ") + toQString(place.target), Token::Look::MonoQuiet, {}, {}});
            }
            if (!place.at.file.empty()) {
                tokens.push_back(text(QStringLiteral("\n")));
                tokens.push_back(monoLink(placeText(place.at), QStringLiteral("line:") + at));
                if (!place.at.code.empty())
                    tokens.push_back(
                        {QStringLiteral("  ") + toQString(place.at.code), Token::Look::MonoQuiet, {}, {}});
            }
            section.facts.push_back(paragraph(std::move(tokens)));
        }
        if (problem.places.size() > mostPlaces)
            section.facts.push_back(
                paragraph({quiet(tr("and %1 more").arg(numberText(problem.places.size() - mostPlaces)))}));
        facts.sections.push_back(std::move(section));
    }
    return facts;
}

QString categoryName(MutationCategory category) {
    return toQString(replay::mutationCategoryName(category));
}

Tone categoryTone(MutationCategory category) {
    switch (category) {
    case MutationCategory::None:
        return Tone::NotWritten;
    case MutationCategory::Static:
        return Tone::Static;
    case MutationCategory::Recorded:
        return Tone::Recorded;
    case MutationCategory::Other:
        break;
    }
    return Tone::Other;
}

QString categoryMeaning(MutationCategory category) {
    switch (category) {
    case MutationCategory::None:
        return tr("The graph does not write it");
    case MutationCategory::Static:
        return tr("Written, but always at one address: a warm-up and a replay write what a run would");
    case MutationCategory::Recorded:
        return tr("Written, and an output of a recording on the current path: it lies in the pool");
    case MutationCategory::Other:
        break;
    }
    return tr(
        "Written, and any other tensor of the caller: a warm-up would write it once more than the program "
        "does, so the graph runs eagerly");
}

std::vector<TableColumn> inputColumns() {
    return {{tr("Input"), tr("Placeholder of the graph; Return shows what writes it"), 200},
            {tr("Type"), {}, 180},
            {tr("Category"), tr("Whether a CUDA graph may write it. Only other tensors forbid it"), 190},
            {tr("Written by"), tr("The op that writes it, directly or through a view"), 180},
            {tr("Line"), tr("Of the op that writes; a link"), 130},
            {tr("Why"), {}, 420}};
}

std::vector<TableRow> inputRows(const ir::Graph& graph, const replay::InputCategories& categories,
                                const std::vector<std::string>& names) {
    const auto named = [&](ir::NodeIndex node) { return node < names.size() && !names[node].empty(); };
    const auto nameAt = [&](ir::NodeIndex node) { return named(node) ? names[node] : graph.node(node).name; };
    std::vector<TableRow> rows;
    for (const replay::InputCategory& input : categories.inputs) {
        const ir::Node& node = graph.node(input.placeholder);
        QStringList writers;
        for (const replay::InputWrite& write : input.writes)
            writers << tr("%1 through %2")
                           .arg(toQString(graph.node(write.node).name), toQString(nameAt(write.written)));
        QString writer;
        const ir::SourceLocation* at = nullptr;
        if (!input.writes.empty()) {
            const ir::Node& first = graph.node(input.writes.front().node);
            writer = toQString(replay::operatorName(first));
            if (input.writes.size() > 1)
                writer = tr("%1 and %2 more").arg(writer).arg(input.writes.size() - 1);
            at = first.location();
        }
        rows.push_back(
            {{toQString(nameAt(input.placeholder)), Look::Mono, Tone::None,
              named(input.placeholder) ? tr("Input %1 of the graph").arg(toQString(node.name))
                                       : toQString(node.target),
              qulonglong(input.input)},
             {typeOf(node), Look::MonoQuiet},
             {categoryName(input.category), Look::Chip, categoryTone(input.category),
              categoryMeaning(input.category), int(input.category)},
             {writer, Look::Mono, Tone::Write, writers.join(u'\n')},
             {at ? placeText(*at) : QString(), Look::Link, Tone::None, at ? toQString(at->code) : QString()},
             {categoryWhy(input, node), Look::Text}});
    }
    return rows;
}

} // namespace dynascope::views
