// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/scorecard_json.h"

#include "core/engine/exec/program.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dynascope::engine {

namespace {

using nlohmann::json;

std::string_view phaseOf(Emission emission) {
    switch (emission) {
    case Emission::Operator:
        return "emit";
    case Emission::WriteBack:
        return "write_back";
    case Emission::Inverse:
    case Emission::Regeneration:
        break;
    }
    return "sync";
}

json cellNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (value == std::floor(value) && std::fabs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
}

json cellNumbers(const std::vector<double>& values) {
    json out = json::array();
    for (const double value : values)
        out.push_back(cellNumber(value));
    return out;
}

std::string baseName(const std::string& target) {
    std::string_view text = target;
    constexpr std::string_view prefix = "torch.ops.aten.";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return std::string(text.substr(0, text.find('.')));
}

std::string callText(const ir::Node& node) {
    std::string out = baseName(node.target) + '(';
    for (const ir::Argument& argument : node.args) {
        if (!out.ends_with('(')) out += ", ";
        out += argument.toString();
    }
    return out + ')';
}

} // namespace

ScorecardDetails::ScorecardDetails(ir::GraphPtr source, std::shared_ptr<const Functionalized> result,
                                   std::string method)
    : m_source(std::move(source))
    , m_result(std::move(result))
    , m_method(std::move(method)) {}

json ScorecardDetails::nodeName(std::int64_t node) const {
    if (node < 0 || node >= static_cast<std::int64_t>(m_result->graph->size())) return {};
    return m_result->graph->node(static_cast<ir::NodeIndex>(node)).name;
}

/// "select(dim 1, index 0)": the view's node with the names of its schema.
std::string ScorecardDetails::viewText(const ViewStep& view) const {
    if (view.node < 0) return view.name;
    const ir::Node& node = m_result->graph->node(static_cast<ir::NodeIndex>(view.node));
    std::string name = baseName(node.target);
    if (name.ends_with("_copy")) name.resize(name.size() - 5);
    const Resolved resolved = resolve(node.target);
    std::string out = name + '(';
    const auto add = [&](const std::string& key, const ir::Argument& argument) {
        if (!out.ends_with('(')) out += ", ";
        out += key + ' ' + argument.toString();
    };
    for (std::size_t i = 1; i < node.args.size(); ++i)
        add(resolved.op ? resolved.op->schema().arguments()[i].name() : std::string(), node.args[i]);
    for (const auto& [key, argument] : node.kwargs)
        add(key, argument);
    out += ')';
    if (view.result >= 0) out += '[' + std::to_string(view.result) + ']';
    return out;
}

json ScorecardDetails::chain(std::uint32_t index) const {
    json out = json::array();
    for (const std::uint32_t view : m_result->chains[index])
        out.push_back(viewText(m_result->views[view]));
    return out;
}

json ScorecardDetails::row(std::uint32_t index) const {
    const TensorScore& row = m_result->rows[index];
    const auto number = m_result->numbers.begin() + row.geometry;
    const std::ptrdiff_t dims = row.dim;
    json out{{"value", m_source->node(row.value).name},
             {"storage", row.storage},
             {"current", nodeName(row.current)},
             {"views", chain(row.chain)},
             {"generation", row.generation},
             {"regenerated", row.regenerated},
             {"shape", std::vector<std::int64_t>(number, number + row.dim)},
             {"stride", std::vector<std::int64_t>(number + row.dim, number + 2 * dims)},
             {"offset", *(number + 2 * dims)}};
    if (const auto cells = m_result->cellsOfRow.find(index); cells != m_result->cellsOfRow.end()) {
        out["cells"] = cells->second.cells;
        out["values"] = cellNumbers(cells->second.values);
    }
    return out;
}

json ScorecardDetails::storage(std::uint32_t index) const {
    const StorageScore& row = m_result->storages[index];
    json out{{"storage", row.storage},
             {"base", nodeName(row.base)},
             {"generation", row.generation},
             {"pending_updates", row.pending}};
    if (const auto cells = m_result->cellsOfStorage.find(index); cells != m_result->cellsOfStorage.end())
        out["values"] = cellNumbers(cells->second.values);
    return out;
}

json ScorecardDetails::update(const FunctionalStep& step, const ScoreUpdate& update) const {
    json inverse = json::array();
    for (std::uint32_t i = step.firstEmitted; i < step.endEmitted; ++i) {
        const bool after = static_cast<std::int32_t>(i) > update.value;
        if (after && m_result->emissions[i] == Emission::Inverse)
            inverse.push_back({{"node", nodeName(i)}, {"text", callText(m_result->graph->node(i))}});
    }
    return {
        {"storage", update.storage},       {"from", update.from},          {"to", update.to},
        {"value", nodeName(update.value)}, {"views", chain(update.chain)}, {"inverse", std::move(inverse)}};
}

/// sync, emit, commit, sync: those that the step went through, in order, with the nodes of each.
json ScorecardDetails::phases(const FunctionalStep& step) const {
    json out = json::array();
    const auto add = [&](std::string_view phase) -> json& {
        out.push_back({{"phase", phase}, {"nodes", json::array()}});
        return out.back();
    };
    bool emitted = false;
    bool committed = step.firstUpdate == step.endUpdate;
    const auto commit = [&] {
        if (committed || !emitted) return;
        json& phase = add("commit");
        phase["storage"] = m_result->updates[step.firstUpdate].storage;
        phase["from"] = m_result->updates[step.firstUpdate].from;
        phase["to"] = m_result->updates[step.firstUpdate].to;
        committed = true;
    };
    for (std::uint32_t i = step.firstEmitted; i < step.endEmitted; ++i) {
        const std::string_view phase = phaseOf(m_result->emissions[i]);
        if (phase == "sync") commit();
        emitted = emitted || phase == "emit";
        if (out.empty() || out.back()["phase"] != phase) add(phase);
        out.back()["nodes"].push_back(nodeName(i));
    }
    commit();
    return out;
}

void ScorecardDetails::describe(std::size_t index, json& into) const {
    if (index >= m_result->steps.size()) return;
    const FunctionalStep& step = m_result->steps[index];
    into["phases"] = phases(step);
    into["updates"] = json::array();
    for (std::uint32_t i = step.firstUpdate; i < step.endUpdate; ++i)
        into["updates"].push_back(update(step, m_result->updates[i]));
    into["storages"] = json::array();
    for (std::uint32_t i = step.firstStorage; i < step.endStorage; ++i)
        into["storages"].push_back(storage(i));
    into["scorecard"] = json::array();
    for (std::uint32_t i = step.firstRow; i < step.endRow; ++i) {
        json entry = row(i);
        for (std::uint32_t k = step.firstStorage; k < step.endStorage; ++k) {
            const StorageScore& storage = m_result->storages[k];
            if (storage.storage != m_result->rows[i].storage) continue;
            entry["base"] = nodeName(storage.base);
            entry["storage_generation"] = storage.generation;
            entry["stale"] = m_result->rows[i].generation < storage.generation;
            entry["pending_updates"] = storage.pending;
        }
        into["scorecard"].push_back(std::move(entry));
    }
}

void ScorecardDetails::describeAll(json& into) const {
    into["method"] = m_method;
    into["write_back"] = writeBacksJson(*m_result);
}

json writeBacksJson(const Functionalized& result) {
    json out = json::array();
    for (const WriteBack& back : result.writeBacks) {
        json entry{{"input", back.name},     {"position", back.input},
                   {"bytes", back.bytes},    {"how", back.how},
                   {"nodes", json::array()}, {"output", back.output < 0 ? json() : json(back.output)}};
        for (const std::int32_t node : back.nodes)
            entry["nodes"].push_back(result.graph->node(static_cast<ir::NodeIndex>(node)).name);
        if (!back.size.empty() || !back.stride.empty()) {
            entry["shape"] = back.size;
            entry["stride"] = back.stride;
            entry["offset"] = back.offset;
        }
        if (back.wholeStorage) entry["whole_storage"] = true;
        if (!back.sharedWith.empty()) entry["shared_with"] = back.sharedWith;
        out.push_back(std::move(entry));
    }
    return out;
}

} // namespace dynascope::engine
