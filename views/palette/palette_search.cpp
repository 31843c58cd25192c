// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette_search.h"

#include "core/base/words.h"
#include "core/ir/text.h"
#include "core/layout/fold.h"
#include "core/session/program_names.h"
#include "views/workspace/labels.h"

#include <QElapsedTimer>
#include <QHash>
#include <algorithm>
#include <array>
#include <climits>

namespace dynascope::views {

namespace {

constexpr std::size_t perGroup = 6;
constexpr std::size_t narrowed = 200;

class Search {
public:
    Search(const PaletteData& data, QString pattern, const TaskContext& task)
        : m_data(data)
        , m_pattern(std::move(pattern))
        , m_task(task) {
        if (data.capture >= 0 && data.capture < int(data.sessions.size()))
            if (const auto& compiles = data.sessions[std::size_t(data.capture)]->compiles;
                data.compile >= 0 && data.compile < int(compiles.size()))
                m_naming = session::namingOf(compiles[std::size_t(data.compile)]);
        for (qsizetype i = 0; i < data.recent.size(); ++i)
            m_recent.insert(data.recent[i], int(i));
    }

    void actions() {
        for (const PaletteAction& action : m_data.actions) {
            // With nothing typed only what can be chosen is offered.
            if (m_pattern.isEmpty() && !action.needs.isEmpty()) continue;
            PaletteHit hit;
            hit.kind = PaletteKind::Action;
            hit.id = QStringLiteral(">") + action.id;
            hit.needs = action.needs;
            hit.detail = action.needs.isEmpty() ? action.menu : action.needs;
            hit.icon = action.icon.isEmpty() ? QStringLiteral("arrow-right") : action.icon;
            hit.key = action.key;
            offer(std::move(hit), action.title);
        }
    }

    void frames() {
        for (std::size_t s = 0; s < m_data.sessions.size(); ++s) {
            const session::Session& session = *m_data.sessions[s];
            for (std::size_t c = 0; c < session.compiles.size() && !cancelled(); ++c) {
                const session::Compile& compile = session.compiles[c];
                PaletteHit hit;
                hit.kind = PaletteKind::Frame;
                hit.capture = int(s);
                hit.compile = int(c);
                const QString id = toQString(compile.id.toString());
                hit.id = QStringLiteral("#") + toQString(session.path) + u'#' + id + u'#' +
                         QString::number(compile.rank);
                hit.detail = statusChip(compile) + QStringLiteral("  ") + toQString(session.title);
                hit.icon = compile.status == session::Status::GraphBreak ? QStringLiteral("scissors")
                           : compile.isRecompile                         ? QStringLiteral("recompile")
                                                                         : QStringLiteral("file");
                offer(std::move(hit),
                      compile.id.frame < 0 ? toQString(session.title) : id + u' ' + frameText(compile));
            }
        }
    }

    void breaks() {
        for (const PaletteBreak& at : m_data.breaks) {
            PaletteHit hit;
            hit.kind = PaletteKind::Frame;
            hit.capture = at.capture;
            hit.breakGroup = at.group;
            hit.id = QStringLiteral("#break#") + at.reason + u'#' + at.detail;
            hit.detail = at.detail;
            hit.icon = QStringLiteral("scissors");
            offer(std::move(hit), at.reason);
        }
    }

    void notes() {
        for (const PaletteNote& note : m_data.notes) {
            PaletteHit hit;
            hit.kind = PaletteKind::Note;
            hit.capture = note.capture;
            hit.address = note.address;
            hit.id = QStringLiteral("*") + toQString(note.address.toString());
            hit.icon = note.text.isEmpty() ? QStringLiteral("bookmark") : QStringLiteral("note");
            const QString title = note.text.isEmpty() ? note.place : note.text.simplified();
            if (!note.text.isEmpty()) hit.detail = note.place;
            // Notes are prose: letters in order say little. The place finds its note as well.
            const auto match = matchPalette(m_pattern, title);
            if (match && match->rank < MatchRank::Fuzzy) {
                offer(std::move(hit), title);
            } else if (const auto place = matchPalette(m_pattern, note.place);
                       place && place->rank < MatchRank::Fuzzy) {
                hit.rank = MatchRank::Contains;
                hit.title = title;
                keep(std::move(hit));
            }
        }
    }

    void sources() {
        for (const session::SessionPtr& session : m_data.sessions)
            for (const auto& [path, file] : session->sources)
                for (const auto& [line, code] : file.lines) {
                    if (cancelled()) return;
                    PaletteHit hit;
                    hit.kind = PaletteKind::Source;
                    hit.file = toQString(path);
                    hit.line = int(line);
                    hit.id = QStringLiteral("/%1:%2").arg(hit.file).arg(line);
                    hit.detail = QStringLiteral("%1:%2").arg(fileName(path)).arg(line);
                    hit.icon = QStringLiteral("source");
                    const QString title = toQString(code).trimmed();
                    // A place ("cap.py:43") finds its line as well. Code is long, so that letters in order
                    // say little.
                    const auto match = matchPalette(m_pattern, title);
                    if (match && match->rank < MatchRank::Fuzzy) {
                        offer(std::move(hit), title);
                    } else if (const auto place = matchPalette(m_pattern, hit.detail);
                               place && place->rank < MatchRank::Fuzzy) {
                        hit.rank = MatchRank::Contains;
                        hit.title = title;
                        keep(std::move(hit));
                    }
                }
    }

    [[nodiscard]] PaletteHit hitInCompile(PaletteKind kind) const {
        PaletteHit hit;
        hit.kind = kind;
        hit.capture = m_data.capture;
        hit.compile = m_data.compile;
        return hit;
    }

    /// Kernels of the compile's generated code, where they are defined or called.
    void kernels() {
        if (!m_data.kernels) return;
        for (const PaletteKernels::Kernel& kernel : m_data.kernels->of(m_data.stages)) {
            if (cancelled()) return;
            PaletteHit hit = hitInCompile(PaletteKind::Source);
            hit.stage = kernel.stage;
            hit.line = int(kernel.line);
            hit.id = QStringLiteral("/kernel %1 %2").arg(toQString(kernel.name)).arg(kernel.line);
            hit.icon = QStringLiteral("bolt");
            hit.detail = QStringLiteral("kernel  %1:%2")
                             .arg(toQString(m_data.stages[std::size_t(kernel.stage)]->shortLabel()))
                             .arg(kernel.line);
            offer(std::move(hit), toQString(kernel.name));
        }
    }

    /// Passes of the compile that were recorded.
    void passes() {
        if (m_data.capture < 0 || std::size_t(m_data.capture) >= m_data.sessions.size()) return;
        const session::Session& session = *m_data.sessions[std::size_t(m_data.capture)];
        if (m_data.compile < 0 || std::size_t(m_data.compile) >= session.compiles.size()) return;
        for (const PalettePasses::Pass& pass :
             m_data.passes->of(session, session.compiles[std::size_t(m_data.compile)])) {
            if (cancelled()) return;
            PaletteHit hit = hitInCompile(PaletteKind::Pass);
            hit.pass = pass.row;
            hit.id = QStringLiteral("~%1 %2").arg(pass.name).arg(pass.row);
            hit.icon = pass.changed ? QStringLiteral("mutation") : QStringLiteral("list");
            hit.detail = pass.detail;
            offer(std::move(hit), pass.name);
        }
    }

    /// Functions of the program that nodes of the compile come from, at the first line that made one.
    void functions() {
        QHash<QString, bool> seen;
        eachGraph([&](int, const QString&, const ir::GraphPtr& graph) {
            for (const ir::NodePtr& node : graph->nodes()) {
                if (!node->stack) continue;
                for (const ir::SourceLocation& at : *node->stack) {
                    if (cancelled()) return;
                    if (at.function.empty() || at.function == "<module>") continue;
                    const QString id =
                        QStringLiteral("/def %1 %2").arg(toQString(at.file), toQString(at.function));
                    if (seen.contains(id)) continue;
                    seen.insert(id, true);
                    PaletteHit hit;
                    hit.kind = PaletteKind::Source;
                    hit.file = toQString(at.file);
                    hit.line = int(at.line);
                    hit.id = id;
                    hit.icon = QStringLiteral("function");
                    hit.detail = QStringLiteral("function  %1:%2").arg(fileName(at.file)).arg(at.line);
                    offer(std::move(hit), toQString(at.function));
                }
            }
        });
    }

    /// Graphs of the compile, those on screen first. `visit(stage index, where, graph)` returns false to end.
    template <typename Visit>
    void eachGraph(Visit&& visit) {
        std::vector<int> order;
        for (const int s : {m_data.stageB, m_data.stageA})
            if (s >= 0 && std::find(order.begin(), order.end(), s) == order.end()) order.push_back(s);
        for (int s = 0; s < int(m_data.stages.size()); ++s)
            if (std::find(order.begin(), order.end(), s) == order.end()) order.push_back(s);
        for (const int s : order) {
            if (s >= int(m_data.stages.size()) || cancelled()) return;
            if (!m_data.stages[std::size_t(s)]) continue; // was removed
            const session::Stage& stage = *m_data.stages[std::size_t(s)];
            if (stage.content != session::Stage::Content::Graph) continue;
            const auto graph = stage.graph();
            if (!graph) continue;
            const QString where = s == m_data.stageB   ? QStringLiteral("B, ") + toQString(stage.shortLabel())
                                  : s == m_data.stageA ? QStringLiteral("A, ") + toQString(stage.shortLabel())
                                                       : toQString(stage.shortLabel());
            visit(s, where, *graph);
        }
    }

    /// Modules by their qualified names, and what they own.
    void modules() {
        QHash<QString, bool> seen;
        eachGraph([&](int s, const QString& where, const ir::GraphPtr& graph) {
            const auto hints = session::parameterNames(m_naming, *graph);
            const auto found = [&](const std::string& name, ir::NodeIndex node, const QString& detail) {
                const QString title = toQString(name);
                if (seen.contains(title)) return;
                auto match = matchPalette(m_pattern, title);
                if (!match) return;
                seen.insert(title, true);
                PaletteHit hit = hitInCompile(PaletteKind::Module);
                hit.title = title;
                hit.id = QStringLiteral("%") + title;
                hit.icon = QStringLiteral("layers");
                hit.stage = s;
                hit.node = node;
                hit.rank = match->rank;
                hit.ranges = std::move(match->ranges);
                hit.detail = detail + QStringLiteral("  ") + where;
                keep(std::move(hit));
            };
            for (const layout::ModulePlace& place : layout::modulePlaces(*graph, hints)) {
                if (cancelled()) return;
                found(place.path, place.first,
                      (place.isList ? QStringLiteral("list of modules, ") : QStringLiteral("module, ")) +
                          toQString(count(place.tensors, "tensor")));
            }
            const std::vector<std::string> names = layout::stateNames(*graph, hints);
            for (ir::NodeIndex i = 0; i < names.size() && !cancelled(); ++i) {
                if (names[i].empty()) continue;
                const ir::Node& node = graph->node(i);
                found(names[i], i,
                      QStringLiteral("parameter or buffer ") + toQString(node.name) +
                          (node.meta ? u' ' + toQString(node.meta->shortForm()) : QString()));
            }
        });
    }

    void nodes() {
        QHash<QString, std::size_t> seen; // "name target" -> hit: the same node in several stages is one row
        eachGraph([&](int s, const QString& where, const ir::GraphPtr& graph) {
            const std::vector<std::string> passed = session::inputNamesByNode(m_naming, *graph);
            for (ir::NodeIndex i = 0; i < graph->size() && !cancelled(); ++i) {
                const ir::Node& node = graph->node(i);
                const QString name = toQString(node.name), target = toQString(ir::shortTarget(node.target));
                QString key = name + u' ' + target, title = name;
                if (seen.contains(key)) continue;
                auto match = matchPalette(m_pattern, name);
                if (!passed[i].empty()) // what the program calls it
                    if (auto other = matchPalette(m_pattern, toQString(passed[i]));
                        other && (!match || other->rank <= match->rank)) {
                        match = std::move(other);
                        title = toQString(passed[i]);
                        key = QStringLiteral("passed ") + title;
                        if (seen.contains(key)) continue;
                    }
                if (!match) {
                    match = matchPalette(m_pattern, target);
                    if (!match) continue;
                    match->ranges.clear();
                    match->rank = std::max(match->rank, MatchRank::WordStart);
                }
                seen.insert(key, 0);
                PaletteHit hit = hitInCompile(PaletteKind::Node);
                hit.title = title;
                hit.id = QStringLiteral("@") + name;
                hit.icon = QStringLiteral("layers");
                hit.stage = s;
                hit.node = i;
                hit.rank = match->rank;
                hit.ranges = std::move(match->ranges);
                hit.detail = where; // completed for the rows that are shown
                keep(std::move(hit));
            }
        });
    }

    /// Sorts each group, cuts it, and says what the shown nodes do.
    PaletteResult finish(bool everything) {
        PaletteResult result;
        // The group with the best answer comes first; nodes win a tie, since most searches look for one.
        std::array order{PaletteKind::Node,   PaletteKind::Module, PaletteKind::Note, PaletteKind::Action,
                         PaletteKind::Source, PaletteKind::Pass,   PaletteKind::Frame};
        const auto best = [this](PaletteKind kind) {
            MatchRank rank = MatchRank::Fuzzy;
            for (const PaletteHit& hit : m_groups[int(kind)])
                rank = std::min(rank, hit.rank);
            return rank;
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](PaletteKind a, PaletteKind b) { return best(a) < best(b); });
        for (const PaletteKind kind : order) {
            std::vector<PaletteHit>& group = m_groups[int(kind)];
            result.found[int(kind)] = group.size();
            const std::size_t shown = std::min(group.size(), everything ? perGroup : narrowed);
            std::partial_sort(group.begin(), group.begin() + std::ptrdiff_t(shown), group.end(),
                              [this](const PaletteHit& a, const PaletteHit& b) { return before(a, b); });
            group.resize(shown);
            for (PaletteHit& hit : group) {
                if (kind == PaletteKind::Node)
                    hit.detail = nodeDetail(hit) + QStringLiteral("  ") + hit.detail;
                result.hits.push_back(std::move(hit));
            }
        }
        return result;
    }

private:
    [[nodiscard]] bool cancelled() { return (++m_steps & 0xff) == 0 && m_task.cancelled(); }

    void offer(PaletteHit hit, const QString& title) {
        auto match = matchPalette(m_pattern, title);
        if (!match) return;
        hit.title = title;
        hit.rank = match->rank;
        hit.ranges = std::move(match->ranges);
        keep(std::move(hit));
    }

    void keep(PaletteHit hit) { m_groups[int(hit.kind)].push_back(std::move(hit)); }

    [[nodiscard]] int recency(const PaletteHit& hit) const { return m_recent.value(hit.id, INT_MAX); }

    [[nodiscard]] bool before(const PaletteHit& a, const PaletteHit& b) const {
        if (a.needs.isEmpty() != b.needs.isEmpty()) return a.needs.isEmpty();
        if (a.rank != b.rank) return a.rank < b.rank;
        if (const int ra = recency(a), rb = recency(b); ra != rb) return ra < rb;
        if (m_pattern.isEmpty()) return false;
        return a.title.size() < b.title.size();
    }

    [[nodiscard]] QString nodeDetail(const PaletteHit& hit) const {
        const auto graph = m_data.stages[std::size_t(hit.stage)]->graph();
        if (!graph) return {};
        const ir::Node& node = (*graph)->node(hit.node);
        if (node.op == ir::Op::Placeholder)
            return toQString(std::string("placeholder") +
                             (hit.title == toQString(node.name) ? "" : " " + node.name) +
                             (node.meta ? " " + node.meta->shortForm() : ""));
        ir::ReadableOptions options;
        options.annotations = false;
        options.shortTargets = true;
        QString text = toQString(ir::printNode(node, options));
        if (const auto equals = text.indexOf(QLatin1String(" = ")); equals > 0) text = text.mid(equals + 3);
        if (node.meta) text += u' ' + toQString(node.meta->shortForm());
        return text;
    }

    const PaletteData& m_data;
    QString m_pattern;
    const TaskContext& m_task;
    session::NamingPtr m_naming;
    QHash<QString, int> m_recent;
    std::vector<PaletteHit> m_groups[paletteKinds];
    unsigned m_steps = 0;
};

} // namespace

std::optional<PaletteKind> paletteKind(const QString& query) {
    for (const PaletteKind kind :
         {PaletteKind::Node, PaletteKind::Module, PaletteKind::Action, PaletteKind::Source,
          PaletteKind::Frame, PaletteKind::Note, PaletteKind::Pass})
        if (query.startsWith(palettePrefix(kind))) return kind;
    return std::nullopt;
}

QChar palettePrefix(PaletteKind kind) {
    switch (kind) {
    case PaletteKind::Node:
        return u'@';
    case PaletteKind::Module:
        return u'%';
    case PaletteKind::Action:
        return u'>';
    case PaletteKind::Source:
        return u'/';
    case PaletteKind::Frame:
        return u'#';
    case PaletteKind::Note:
        return u'*';
    case PaletteKind::Pass:
        return u'~';
    }
    return u'>';
}

PaletteResult searchPalette(const PaletteData& data, const QString& query, const TaskContext& task) {
    QElapsedTimer timer;
    timer.start();
    const auto kind = paletteKind(query);
    const QString pattern = (kind ? query.mid(1) : query).trimmed();
    Search search(data, pattern, task);
    const auto wants = [&](PaletteKind k) { return !kind || *kind == k; };
    // With nothing typed, thousands of nodes and lines would only bury the rest.
    if (wants(PaletteKind::Node) && (kind || !pattern.isEmpty())) search.nodes();
    if (wants(PaletteKind::Module) && (kind || !pattern.isEmpty())) search.modules();
    if (wants(PaletteKind::Action)) search.actions();
    if (wants(PaletteKind::Source) && (kind || !pattern.isEmpty())) {
        search.functions();
        search.kernels();
        search.sources();
    }
    if (wants(PaletteKind::Pass) && (kind || !pattern.isEmpty())) search.passes();
    if (wants(PaletteKind::Note) && (kind || !pattern.isEmpty())) search.notes();
    if (wants(PaletteKind::Frame)) {
        search.frames();
        search.breaks();
    }
    PaletteResult result = search.finish(!kind);
    result.milliseconds = double(timer.nsecsElapsed()) / 1e6;
    return result;
}

} // namespace dynascope::views
