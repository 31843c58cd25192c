// SPDX-License-Identifier: BSD-3-Clause
#include "views/provenance/provenance_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <set>

namespace dynascope::views {

namespace {

using session::LinkedNode;
using session::LinkEvidence;
using Item = ProvenanceItem;

QString rangeText(const session::LineRange& range) {
    return range.first == range.last ? QString::number(range.first)
                                     : QStringLiteral("%1–%2").arg(range.first).arg(range.last);
}

Item note(const QString& text) {
    Item out;
    out.text = text;
    return out;
}

/// The items of one compile, column by column.
class Band {
public:
    Band(const session::Session& session, const CompileTrace& trace, const Subject& asked)
        : m_compile(session.compiles[std::size_t(trace.compile)])
        , m_trace(trace)
        , m_asked(asked) {}

    std::vector<ProvenanceRow> run() {
        addLines();
        addNodes();
        addKernels();
        addNotes();
        std::size_t height = 0;
        for (const auto& column : m_columns)
            height = std::max(height, column.size());
        std::vector<ProvenanceRow> rows(height);
        for (std::size_t r = 0; r < height; ++r) {
            rows[r].compile = m_trace.compile;
            for (std::size_t c = 0; c < levelCount; ++c)
                if (r < m_columns[c].size()) rows[r].items[c] = std::move(m_columns[c][r]);
        }
        return rows;
    }

private:
    using Column = std::vector<std::optional<Item>>;
    Column& column(Level level) { return m_columns[std::size_t(level)]; }

    [[nodiscard]] ir::GraphPtr graphOf(std::size_t stage) const {
        const auto graph = m_compile.stages[stage]->graph();
        return graph ? *graph : nullptr;
    }

    void setEvidence(Item& item, LinkEvidence evidence) const {
        item.evidence = evidence;
        item.recorded = session::isRecorded(evidence);
        item.asked = evidence == LinkEvidence::Selected;
    }

    void addLines() {
        // The best evidence of a node that names the line itself.
        std::map<std::pair<std::string, std::uint32_t>, LinkEvidence> best;
        for (const LinkedNode& linked : m_trace.answer.nodes) {
            const ir::GraphPtr graph = graphOf(linked.stage);
            const ir::SourceLocation* at = graph ? graph->node(linked.node).location() : nullptr;
            if (!at) continue;
            // What was asked about names its line itself, which makes the line recorded, not asked.
            const LinkEvidence evidence = std::max(linked.evidence, LinkEvidence::Record);
            const auto [known, isNew] = best.try_emplace({at->file, at->line}, evidence);
            if (!isNew) known->second = std::min(known->second, evidence);
        }
        const bool isLine = m_asked.kind == Subject::Kind::Line;
        for (const ir::SourceLocation& at : m_trace.answer.lines) {
            Item item;
            item.kind = Item::Kind::Line;
            item.text = placeText(at);
            item.detail = toQString(at.code);
            item.file = at.file;
            item.line = item.last = at.line;
            const auto known = best.find({at.file, at.line});
            const LinkEvidence evidence = known == best.end() ? LinkEvidence::SourceLine : known->second;
            setEvidence(item, evidence == LinkEvidence::Record ? LinkEvidence::SourceLine : evidence);
            item.asked = isLine && at.line == m_asked.line && session::namesFile(at.file, m_asked.file);
            column(Level::Source).emplace_back(std::move(item));
        }
    }

    void addNodes() {
        std::map<std::size_t, std::vector<LinkedNode>> byStage;
        for (const LinkedNode& linked : m_trace.answer.nodes)
            byStage[linked.stage].push_back(linked);
        std::optional<Level> level;
        std::size_t begin = 0; // of the items of the last heading
        for (const auto& [stage, nodes] : byStage) {
            const ir::GraphPtr graph = graphOf(stage);
            if (!graph) continue;
            const Level here = levelOf(m_compile.stages[stage]->phase);
            Column& items = column(here);
            std::vector<Item> made;
            for (const LinkedNode& linked : nodes)
                made.push_back(nodeItem(*graph, linked));
            // A stage that changed nothing here is told in the heading only.
            const bool alike = level == here && items.size() - begin == made.size() + 1 &&
                               std::equal(made.begin(), made.end(), items.begin() + std::ptrdiff_t(begin) + 1,
                                          [](const Item& a, const std::optional<Item>& b) {
                                              return a.name == b->name && a.detail == b->detail &&
                                                     a.recorded == b->recorded && a.asked == b->asked;
                                          });
            if (!alike) {
                begin = items.size();
                level = here;
                Item heading;
                heading.kind = Item::Kind::Heading;
                items.emplace_back(std::move(heading));
                for (Item& item : made)
                    items.emplace_back(std::move(item));
            }
            for (std::size_t i = begin; i < items.size(); ++i)
                items[i]->stages.push_back(int(stage));
        }
        for (Column& items : m_columns)
            for (std::optional<Item>& item : items)
                if (item->kind == Item::Kind::Heading) nameStages(*item);
    }

    Item nodeItem(const ir::Graph& graph, const LinkedNode& linked) const {
        const ir::Node& node = graph.node(linked.node);
        Item item;
        item.kind = Item::Kind::Node;
        item.name = node.name;
        item.text = toQString(node.name);
        item.detail = toQString(ir::shortTarget(node.target));
        item.opKind = ir::opKind(node);
        setEvidence(item, linked.evidence);
        return item;
    }

    void nameStages(Item& heading) const {
        const auto label = [&](int stage) {
            return toQString(m_compile.stages[std::size_t(stage)]->shortLabel());
        };
        heading.text = label(heading.stages.front());
        if (heading.stages.size() == 2) heading.text += QStringLiteral(", ") + label(heading.stages.back());
        if (heading.stages.size() > 2) heading.text += QStringLiteral(" … ") + label(heading.stages.back());
        QStringList all;
        for (const int stage : heading.stages)
            all << label(stage);
        heading.detail = all.join(u'\n');
    }

    void addKernels() {
        Column &kernels = column(Level::Kernels), &code = column(Level::Code);
        std::set<std::size_t> stages;
        for (const session::LinkedKernel& linked : m_trace.answer.kernels)
            stages.insert(linked.stage);
        std::size_t last = SIZE_MAX;
        for (std::size_t i = 0; i < m_trace.answer.kernels.size(); ++i) {
            const session::LinkedKernel& linked = m_trace.answer.kernels[i];
            const session::GeneratedKernel& kernel = m_trace.kernels[i];
            if (stages.size() > 1 && linked.stage != last) {
                Item heading;
                heading.kind = Item::Kind::Heading;
                heading.stages = {int(linked.stage)};
                nameStages(heading);
                kernels.emplace_back(heading);
                code.emplace_back(std::move(heading));
                last = linked.stage;
            }
            Item item;
            item.kind = Item::Kind::Kernel;
            item.text = toQString(kernel.name);
            item.detail =
                kernel.calls.size() == 1 ? tr("called once") : tr("called %1 times").arg(kernel.calls.size());
            item.stages = {int(linked.stage)};
            item.line = std::uint32_t(kernel.definition.first != 0 ? kernel.definition.first
                                      : kernel.calls.empty()       ? 0
                                                                   : kernel.calls.front().lines.first);
            setEvidence(item, linked.evidence);
            Item lines = item;
            lines.kind = Item::Kind::Code;
            const auto addRange = [&](const session::LineRange& range, const QString& what) {
                lines.text = rangeText(range);
                lines.detail = what;
                lines.line = std::uint32_t(range.first);
                lines.last = std::uint32_t(range.last);
                lines.asked = m_asked.kind == Subject::Kind::Code && m_asked.stage == int(linked.stage) &&
                              range.contains(m_asked.line);
                code.emplace_back(lines);
            };
            kernels.emplace_back(std::move(item));
            if (kernel.definition.first != 0) addRange(kernel.definition, tr("defined"));
            for (const session::KernelCall& call : kernel.calls)
                addRange(call.lines, tr("called"));
            // The next kernel stands beside its own lines.
            kernels.resize(std::max(kernels.size(), code.size()));
            code.resize(kernels.size());
        }
    }

    void addNotes() {
        for (std::size_t c = 0; c < levelCount; ++c) {
            if (!m_columns[c].empty()) continue;
            const Level level = static_cast<Level>(c);
            const bool exists = std::any_of(
                m_compile.stages.begin(), m_compile.stages.end(), [level](const session::StagePtr& stage) {
                    const Level of = levelOf(stage->phase);
                    return of == level || (level == Level::Code && of == Level::Kernels);
                });
            m_columns[c].emplace_back(note(level == Level::Source ? tr("no source comment")
                                           : exists               ? tr("nothing here")
                                                                  : tr("not in this compile")));
        }
    }

    const session::Compile& m_compile;
    const CompileTrace& m_trace;
    const Subject& m_asked;
    std::array<Column, levelCount> m_columns;
};

} // namespace

Level levelOf(session::Phase phase) {
    switch (phase) {
    case session::Phase::Dynamo:
    case session::Phase::Export:
    case session::Phase::Text:
    case session::Phase::PreGrad:
        return Level::Dynamo;
    case session::Phase::Joint:
    case session::Phase::Inference:
    case session::Phase::Forward:
    case session::Phase::Backward:
    case session::Phase::Hooks:
    case session::Phase::Computed:
        return Level::Aot;
    case session::Phase::PostGradForward:
    case session::Phase::PostGradBackward:
        return Level::PostGrad;
    case session::Phase::Code:
        break;
    }
    return Level::Kernels;
}

std::vector<ProvenanceRow> provenanceRows(const session::Session& session,
                                          const std::vector<CompileTrace>& traces, const Subject& asked,
                                          bool banded) {
    std::vector<ProvenanceRow> out;
    for (const CompileTrace& trace : traces) {
        if (banded) {
            const session::Compile& compile = session.compiles[std::size_t(trace.compile)];
            ProvenanceRow band;
            band.compile = trace.compile;
            band.band = toQString(compile.id.toString()) + QStringLiteral("  ") + frameText(compile);
            if (session.ranks.size() > 1)
                band.band = tr("rank %1").arg(compile.rank) + QStringLiteral("  ") + band.band;
            out.push_back(std::move(band));
        }
        for (ProvenanceRow& row : Band(session, trace, asked).run())
            out.push_back(std::move(row));
    }
    return out;
}

EvidenceCounts countEvidence(const std::vector<ProvenanceRow>& rows) {
    EvidenceCounts out;
    for (const ProvenanceRow& row : rows)
        for (const std::optional<ProvenanceItem>& item : row.items)
            if (item && !item->asked && item->kind != Item::Kind::Heading && item->kind != Item::Kind::Note)
                ++(item->recorded ? out.recorded : out.aligned);
    return out;
}

} // namespace dynascope::views
