// SPDX-License-Identifier: BSD-3-Clause
//
// A recording, worked out once: phases of each op, and the storages and values in order of appearance.
#include "core/computed/functional_recording.h"

#include "core/base/text.h"
#include "core/ir/text.h"
#include "core/layout/fold.h"

#include <algorithm>

namespace dynascope::computed {

namespace {

bool sameView(const ScoreRow& a, const ScoreRow& b) {
    return a.storage == b.storage && a.current == b.current && a.generation == b.generation &&
           a.views == b.views;
}

} // namespace

FunctionalRecording::FunctionalRecording(FunctionalRun run)
    : m_run(std::move(run)) {
    if (!m_run.source) return;
    const ir::Graph& graph = *m_run.source;
    const std::vector<std::string> state = layout::stateNames(graph, layout::moduleHints(graph));
    for (std::size_t i = 0; i < state.size(); ++i)
        if (!state[i].empty()) m_state.emplace(graph.node(ir::NodeIndex(i)).name, state[i]);
    workOut();
}

const ir::Node& FunctionalRecording::source(int op) const {
    return m_run.source->node(ir::NodeIndex(op));
}

ir::NodeIndex FunctionalRecording::find(const std::string& node) const {
    return m_run.graph ? m_run.graph->find(node) : ir::npos;
}

std::string FunctionalRecording::nameOf(const std::string& node) const {
    if (const auto at = m_run.program.names.find(node); at != m_run.program.names.end()) return at->second;
    const auto state = m_state.find(node);
    return state == m_state.end() ? node : state->second;
}

bool FunctionalRecording::isState(const std::string& node) const {
    return m_state.contains(node) && !m_run.program.names.contains(node);
}

std::string FunctionalRecording::statementText(int op) const {
    const auto& of = m_run.program.statementOf;
    const ir::Node& node = source(op);
    if (node.op == ir::Op::CallFunction && std::size_t(op) < of.size() && of[std::size_t(op)] >= 0)
        return m_run.program.statements[std::size_t(of[std::size_t(op)])].text;
    return callText(node, m_state);
}

int FunctionalRecording::opOf(const std::string& node) const {
    const ir::NodeIndex i = m_run.source->find(node);
    return i == ir::npos ? -1 : int(i);
}

bool FunctionalRecording::isDead(const std::string& name) const {
    const ir::NodeIndex i = find(name);
    if (i == ir::npos || !m_run.graph->users(i).empty()) return false;
    const ir::Node& node = m_run.graph->node(i);
    if (node.op == ir::Op::Placeholder || node.op == ir::Op::Output) return false;
    return ir::opKind(node) != ir::OpKind::Write;
}

int FunctionalRecording::deadCount(int op) const {
    const auto& emitted = step(op).emitted;
    return int(
        std::count_if(emitted.begin(), emitted.end(), [&](const EmittedNode& e) { return isDead(e.node); }));
}

int FunctionalRecording::keptCount() const {
    if (!m_run.graph) return 0;
    // As dce removes them: from the end, so that a dead node's inputs may die with it.
    const ir::Graph& graph = *m_run.graph;
    std::vector<char> live(graph.size());
    int kept = 0;
    for (std::size_t i = graph.size(); i-- > 0;) {
        const ir::Node& node = graph.node(ir::NodeIndex(i));
        const auto users = graph.users(ir::NodeIndex(i));
        live[i] = node.op == ir::Op::Placeholder || node.op == ir::Op::Output ||
                  ir::opKind(node) == ir::OpKind::Write ||
                  std::any_of(users.begin(), users.end(), [&](ir::NodeIndex u) { return live[u] != 0; });
        kept += live[i];
    }
    return kept;
}

std::pair<int, int> FunctionalRecording::emittedAt(const std::string& node) const {
    const auto at = m_where.find(node);
    return at == m_where.end() ? std::pair(-1, -1) : at->second;
}

const std::string& FunctionalRecording::canonical(const std::string& value) const {
    const auto at = m_canonical.find(value);
    return at == m_canonical.end() ? value : at->second;
}

void FunctionalRecording::workOut() {
    const ir::Graph& source = *m_run.source;
    const std::size_t count = m_run.steps.size();
    m_phases.resize(count);
    m_written.resize(count, -1);

    Table table;
    for (std::size_t op = 0; op < count; ++op) {
        const ir::Node& node = source.node(ir::NodeIndex(op));
        OpStep& step = m_run.steps[op];
        node.forEachInput([&](const std::string& input) {
            auto& reads = m_reads[canonical(input)];
            if (reads.empty() || reads.back() != int(op)) reads.push_back(int(op));
        });
        if (node.op == ir::Op::Placeholder) step.emitted.clear(); // itself
        // An in-place op returns the tensor that it wrote.
        const auto own = std::find_if(step.rows.begin(), step.rows.end(),
                                      [&](const ScoreRow& row) { return row.value == node.name; });
        if (own != step.rows.end())
            for (const ScoreRow& row : step.rows) {
                if (row.value == node.name || !sameView(row, *own)) continue;
                m_canonical[node.name] = canonical(row.value);
                break;
            }
        for (const ScoreRow& row : step.rows) {
            const std::string& value = canonical(row.value);
            if (m_origin.emplace(row.storage, value).second) m_groups.push_back(row.storage);
            if (const auto [at, isNew] = m_position.emplace(value, m_position.size()); isNew)
                m_members[row.storage].push_back(at->second);
        }
        if (op % tableInterval == 0) m_tables.push_back(table);
        m_written[op] = advance(table, op);
        findPhases(op);
    }
    for (const auto& [group, storage] : table.storages)
        m_lastGeneration[group] = storage->generation;
}

void FunctionalRecording::findPhases(std::size_t op) {
    const OpStep& step = m_run.steps[op];
    const ir::Node& node = m_run.source->node(ir::NodeIndex(op));
    auto& phases = m_phases[op];
    if (node.op == ir::Op::Placeholder) {
        phases.push_back(OpPhase{OpPhase::Kind::Wrap, {}});
        return;
    }
    const bool output = node.op == ir::Op::Output, writing = m_written[op] >= 0;
    std::vector<std::size_t> read, made, apply, back;
    bool leading = true;
    for (std::size_t i = 0; i < step.emitted.size(); ++i) {
        const Emission why = step.emitted[i].why;
        leading &= why == Emission::Regeneration;
        if (why == Emission::WriteBack)
            back.push_back(i);
        else if (leading || (output && back.empty()))
            read.push_back(i);
        else if (why == Emission::Operator || !writing)
            made.push_back(i);
        else
            apply.push_back(i);
    }
    if (output || writing || !read.empty()) phases.push_back(OpPhase{OpPhase::Kind::Read, std::move(read)});
    if (!output) phases.push_back(OpPhase{OpPhase::Kind::Emit, std::move(made)});
    if (writing) {
        phases.push_back(OpPhase{OpPhase::Kind::Commit, {}});
        phases.push_back(OpPhase{OpPhase::Kind::Apply, std::move(apply)});
    }
    if (!back.empty()) phases.push_back(OpPhase{OpPhase::Kind::WriteBack, std::move(back)});
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (const std::size_t i : phases[p].emitted)
            m_where.emplace(step.emitted[i].node, std::pair(int(op), int(p)));
}

std::string FunctionalRecording::chainText(const std::vector<std::string>& views) {
    return joined(views, " → ");
}

std::string_view phaseName(OpPhase::Kind kind) {
    switch (kind) {
    case OpPhase::Kind::Wrap:
        return "wrap";
    case OpPhase::Kind::Read:
        return "regenerate";
    case OpPhase::Kind::Apply:
        return "sync";
    case OpPhase::Kind::Emit:
        return "emit";
    case OpPhase::Kind::Commit:
        return "commit";
    case OpPhase::Kind::WriteBack:
        break;
    }
    return "write back";
}

namespace {

void rename(ir::Argument& argument, const NodeNames& names) {
    if (argument.isNode())
        if (const auto at = names.find(argument.text); at != names.end()) argument.text = at->second;
    for (ir::Argument& item : argument.items)
        rename(item, names);
}

} // namespace

std::string callText(ir::Node node, const NodeNames& names) {
    for (ir::Argument& argument : node.args)
        rename(argument, names);
    for (auto& [key, argument] : node.kwargs)
        rename(argument, names);
    return callText(node);
}

std::string callText(const ir::Node& node) {
    if (node.op == ir::Op::Placeholder) return node.target;
    std::string args;
    const auto add = [&](const std::string& arg) { args += (args.empty() ? "" : ", ") + arg; };
    for (const ir::Argument& arg : node.args)
        add(arg.toString());
    for (const auto& [key, value] : node.kwargs)
        add(key + '=' + value.toString());
    if (node.op == ir::Op::Output) return args;
    std::string target(ir::shortTarget(node.target));
    if (target.starts_with("aten.")) { // aten.add.Tensor
        target.erase(0, 5);
        target.resize(std::min(target.find('.'), target.size()));
    }
    if (node.op == ir::Op::CallFunction) target.erase(0, target.rfind('.') + 1);
    return target + '(' + args + ')';
}

} // namespace dynascope::computed
