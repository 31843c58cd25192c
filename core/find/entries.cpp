// SPDX-License-Identifier: BSD-3-Clause
#include "core/find/entries.h"

#include "core/base/text.h"
#include "core/diff/graph_diff.h"
#include "core/layout/fold.h"
#include "core/session/compile_counts.h"
#include "core/session/filter_match.h"
#include "core/session/stage_links.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace dynascope::find {

namespace {

constexpr char endOfField = '\x1f', endOfPlace = '\x1e';

class Collector {
public:
    Collector(const session::Session& session, const TaskContext& task)
        : m_session(session)
        , m_task(task) {
        m_ids.emplace(std::string(), 0);
    }

    Entries run() {
        for (std::size_t i = 0; i < m_session.compiles.size() && !m_task.cancelled(); ++i) {
            m_task.report("Indexing", i, m_session.compiles.size());
            compile(m_session.compiles[i]);
        }
        return std::move(m_out);
    }

private:
    TextId text(std::string_view value) {
        const auto [at, isNew] =
            m_ids.try_emplace(std::string(value), static_cast<TextId>(m_out.texts.size()));
        if (isNew) m_out.texts.emplace_back(value);
        return at->second;
    }

    Entry& add(Kind kind) {
        Entry& entry = m_out.rows.emplace_back();
        entry.kind = kind;
        entry.compile = static_cast<std::uint32_t>(m_out.compiles.size() - 1);
        return entry;
    }

    void compile(const session::Compile& c) {
        const std::string status = joined(session::statusWords(c), " ");
        m_out.compiles.push_back({session::compileName(m_session, c), c.id.toString(), c.function, status,
                                  c.rank, session::compileTime(c)});
        Entry& own = add(Kind::Compile);
        own.name = text(c.function);
        own.status = text(status);
        own.places = text(packPlaces(c.userStack));
        own.text = text(c.failType.empty() ? c.failReason : c.failType + ": " + c.failReason);
        for (const session::GraphBreak* b : c.finalBreaks()) {
            Entry& entry = add(Kind::Break);
            entry.status = text("break");
            entry.name = text(b->title);
            entry.text = text(b->explanation);
            entry.places = text(packPlaces(b->userStack));
        }
        for (const std::string& reason : c.recompileReasons) {
            Entry& entry = add(Kind::Recompile);
            entry.status = text("recompile");
            entry.name = text(c.function);
            entry.text = text(reason);
            entry.places = text(packPlaces(c.userStack));
        }
        for (const session::Guard& guard : c.guards) {
            if (guard.isManager()) continue;
            Entry& entry = add(Kind::Guard);
            entry.name = text(guard.type);
            entry.text = text(guard.source.empty() || guard.code.find(guard.source) != std::string::npos
                                  ? guard.code
                                  : guard.source + ": " + guard.code);
            if (!guard.addedAt.file.empty()) entry.places = text(packPlaces({guard.addedAt}));
        }
        const session::StageTree tree = session::makeStageTree(m_session, c);
        for (std::size_t i = 0; i < c.stages.size() && !m_task.cancelled(); ++i)
            stage(c, i, tree.parent[i]);
    }

    void stage(const session::Compile& c, std::size_t index, std::size_t parent) {
        const session::Stage& s = *c.stages[index];
        const TextId label = text(s.label());
        Entry& own = add(Kind::Stage);
        own.stage = own.name = label;
        own.text = text(session::phaseName(s.phase));
        if (s.content == session::Stage::Content::Code) {
            for (const std::string& kernel : session::kernelNames(s)) {
                Entry& entry = add(Kind::Kernel);
                entry.stage = label;
                entry.name = text(kernel);
            }
            return;
        }
        const Result<ir::GraphPtr> graph = s.graph();
        if (!graph) {
            ++m_out.unread;
            return;
        }
        ir::GraphPtr before;
        if (parent < c.stages.size() && c.stages[parent]->content == session::Stage::Content::Graph)
            if (const Result<ir::GraphPtr> read = c.stages[parent]->graph()) before = *read;
        std::vector<std::string_view> changes((*graph)->size());
        if (before) {
            const diff::GraphDiff diff = diff::diffGraphs(*before, **graph);
            for (ir::NodeIndex n = 0; n < changes.size() && n < diff.b.size(); ++n)
                changes[n] = word(diff.b[n]);
            for (ir::NodeIndex n = 0; n < diff.a.size(); ++n)
                if (diff.a[n] == diff::Change::Removed)
                    node(before->node(n), {}, label, word(diff::Change::Removed), {});
        }
        nodes(**graph, label, {}, changes);
    }

    /// How a node stands to the stage before, in the words of the filter: one that is only spelled anew is the same.
    static std::string_view word(diff::Change change) {
        return diff::changeName(change == diff::Change::Respelled ? diff::Change::Same : change);
    }

    void nodes(const ir::Graph& graph, TextId stage, const std::string& prefix,
               const std::vector<std::string_view>& changes) {
        const std::vector<std::string> modules =
            layout::moduleNames(layout::groupNodes(graph, layout::moduleHints(graph)));
        for (ir::NodeIndex n = 0; n < graph.size(); ++n)
            node(graph.node(n), prefix, stage, n < changes.size() ? changes[n] : std::string_view(),
                 n < modules.size() ? modules[n] : std::string());
        for (const std::string& attribute : graph.subgraphOrder())
            nodes(*graph.subgraphs().find(attribute)->second, stage, prefix + attribute + '.', {});
    }

    void node(const ir::Node& node, const std::string& prefix, TextId stage, std::string_view change,
              const std::string& module) {
        Entry& entry = add(Kind::Node);
        entry.stage = stage;
        entry.status = text(change);
        entry.name = text(prefix.empty() ? node.name : prefix + node.name);
        entry.op =
            text(std::string(ir::opName(node.op)) + ' ' + std::string(ir::opKindName(ir::opKind(node))));
        entry.target = text(node.target);
        if (node.meta) entry.meta = text(node.meta->annotation());
        entry.module = text(module);
        if (node.stack) entry.places = placesOf(node.stack.get());
    }

    /// Neighbours share their stack.
    TextId placesOf(const ir::StackTrace* stack) {
        if (stack != m_lastStack) m_lastPlaces = text(packPlaces(*stack));
        m_lastStack = stack;
        return m_lastPlaces;
    }

    const session::Session& m_session;
    const TaskContext& m_task;
    Entries m_out;
    std::unordered_map<std::string, TextId> m_ids;
    const ir::StackTrace* m_lastStack = nullptr;
    TextId m_lastPlaces = 0;
};

} // namespace

std::string_view kindName(Kind kind) {
    constexpr std::array<std::string_view, kinds.size()> names{"compile", "break", "recompile", "guard",
                                                               "stage",   "node",  "kernel"};
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : std::string_view("unknown");
}

std::string packPlaces(const ir::StackTrace& places) {
    std::string out;
    for (const ir::SourceLocation& at : places) {
        out += at.file;
        out += endOfField + std::to_string(at.line) + endOfField;
        out += at.function + endOfField;
        out += at.code + endOfPlace;
    }
    return out;
}

ir::StackTrace unpackPlaces(std::string_view text) {
    ir::StackTrace out;
    const auto take = [](std::string_view& rest, char end) {
        const std::string_view piece = rest.substr(0, rest.find(end));
        rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
        return piece;
    };
    while (!text.empty()) {
        std::string_view place = take(text, endOfPlace);
        ir::SourceLocation& at = out.emplace_back();
        at.file = take(place, endOfField);
        const std::string_view line = take(place, endOfField);
        std::from_chars(line.data(), line.data() + line.size(), at.line);
        at.function = take(place, endOfField);
        at.code = place;
    }
    return out;
}

Entries entriesOf(const session::Session& session, const TaskContext& task) {
    return Collector(session, task).run();
}

} // namespace dynascope::find
