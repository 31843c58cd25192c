// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/computed_text.h"

#include "app/cli/table.h"
#include "core/base/words.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using Align = Table::Align;
using computed::AotConvention;
using computed::FunctionalRecording;
using nlohmann::json;

std::string indented(const std::string& text, std::string_view indent) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out.append(indent).append(text, at, end - at) += '\n';
        at = end + 1;
    }
    return out;
}

template <typename F>
void forEachPhase(const FunctionalRecording& recording, const F& fn) {
    for (int op = 0; op < recording.opCount(); ++op)
        for (std::size_t phase = 0; phase < recording.phases(op).size(); ++phase)
            fn(op, recording.phases(op)[phase], recording.scoreboard(op, int(phase)));
}

std::vector<std::string> emittedNames(const FunctionalRecording& recording, int op,
                                      const computed::OpPhase& phase) {
    std::vector<std::string> out;
    for (const std::size_t i : phase.emitted)
        out.push_back(recording.step(op).emitted[i].node);
    return out;
}

std::string_view stateName(computed::Cell::State state) {
    switch (state) {
    case computed::Cell::State::Current:
        return "current";
    case computed::Cell::State::Stale:
        return "stale";
    case computed::Cell::State::Written:
        return "written";
    case computed::Cell::State::Regenerated:
        break;
    }
    return "regenerated";
}

json numberJson(double value) {
    return std::isfinite(value) ? json(value) : json();
}

json cellsJson(const std::vector<computed::Cell>& cells) {
    json out = json::array();
    for (const computed::Cell& cell : cells) {
        json entry{
            {"index", cell.index}, {"value", numberJson(cell.value)}, {"state", stateName(cell.state)}};
        if (cell.changed) entry["before"] = numberJson(cell.before);
        out.push_back(std::move(entry));
    }
    return out;
}

json boardJson(const computed::Scoreboard& board) {
    json storages = json::array(), views = json::array();
    for (const computed::StorageState& storage : board.storages)
        storages.push_back({{"storage", storage.group},
                            {"base", storage.base},
                            {"origin", storage.origin},
                            {"is_input", storage.isInput},
                            {"generation", storage.generation},
                            {"last_generation", storage.lastGeneration},
                            {"pending", storage.pending ? json(storage.pendingText) : json()},
                            {"cells", cellsJson(storage.cells)}});
    for (const computed::TensorViewState& view : board.views)
        views.push_back({{"value", view.value},
                         {"current", view.current},
                         {"views", view.chain},
                         {"storage", view.group},
                         {"generation", view.generation},
                         {"behind", view.behind},
                         {"changed_by", view.changedBy},
                         {"next_read", view.nextRead},
                         {"cells", cellsJson(view.cells)}});
    return {{"storages", std::move(storages)},
            {"views", std::move(views)},
            {"hidden_storages", board.hiddenStorages}};
}

template <typename Rows>
std::string rowsText(const std::string& heading, const Rows& rows) {
    Table table({Align::Left, Align::Left, Align::Left, Align::Left});
    for (const auto& row : rows) {
        computed::ConventionRow words = rowOf(row);
        table.add(
            {std::move(words.name), std::move(words.type), std::move(words.what), std::move(words.why)});
    }
    return heading + '\n' + table.toString("  ");
}

template <typename Rows>
json rowsJson(const Rows& rows) {
    json out = json::array();
    for (const auto& row : rows) {
        const computed::ConventionRow words = rowOf(row);
        out.push_back({{"name", words.name}, {"type", words.type}, {"what", words.what}, {"why", words.why}});
    }
    return out;
}

std::string writesText(const computed::OuterCard& outer) {
    return outer.writesData && outer.writesGeometry ? "writes data and geometry"
           : outer.writesData                       ? "writes data"
           : outer.writesGeometry                   ? "writes geometry"
                                                    : "reads";
}

std::string roleText(const computed::OutputCard& output) {
    switch (output.role) {
    case computed::OutputCard::Role::NewValue:
        return "new value of inner " + std::to_string(output.inner);
    case computed::OutputCard::Role::Result:
        return "result " + std::to_string(output.user) + ", " +
               std::string(passes::aot::outputTypeName(output.kind));
    case computed::OutputCard::Role::Geometry:
        return "carries a new geometry";
    case computed::OutputCard::Role::IntermediateBase:
        break;
    }
    return "what results are regenerated from";
}

json indexOrNull(int index) {
    return index < 0 ? json() : json(index);
}

} // namespace

std::string scoreboardReport(const FunctionalRecording& recording) {
    std::string out;
    int shown = -1;
    forEachPhase(recording, [&](int op, const computed::OpPhase& phase, const computed::Scoreboard& board) {
        if (op != shown) out += "op " + std::to_string(op) + ": " + recording.statementText(op) + '\n';
        shown = op;
        std::string nodes;
        for (const std::string& node : emittedNames(recording, op, phase))
            nodes += (nodes.empty() ? ": " : ", ") + node;
        out += "  " + std::string(computed::phaseName(phase.kind)) + nodes + '\n' +
               indented(computed::scoreboardText(board), "    ");
    });
    return out;
}

json scoreboardJson(const FunctionalRecording& recording) {
    json out = json::array();
    forEachPhase(recording, [&](int op, const computed::OpPhase& phase, const computed::Scoreboard& board) {
        json entry = boardJson(board);
        entry["op"] = op;
        entry["source"] = recording.source(op).name;
        entry["phase"] = computed::phaseName(phase.kind);
        entry["emitted"] = emittedNames(recording, op, phase);
        out.push_back(std::move(entry));
    });
    return out;
}

std::string conventionReport(const computed::CallingConvention& convention) {
    return rowsText(computed::argumentsHeading(convention), convention.arguments) +
           rowsText(computed::outputsHeading(convention), convention.outputs) +
           rowsText(computed::epilogueHeading(convention), convention.epilogue);
}

json conventionJson(const computed::CallingConvention& convention) {
    return {{"caller_writes_back", convention.callerWritesBack},
            {"arguments", rowsJson(convention.arguments)},
            {"outputs", rowsJson(convention.outputs)},
            {"epilogue", rowsJson(convention.epilogue)}};
}

std::string conventionReport(const AotConvention& convention) {
    if (!convention.declined.empty()) return "  no calling convention: " + convention.declined + '\n';
    std::string out;
    if (!convention.refusal.empty())
        out += "  PyTorch fails on this call: " + convention.refusal +
               "\n  Shown is what it does without replaying views.\n";
    Table outer({Align::Right, Align::Left, Align::Left, Align::Left, Align::Left});
    for (std::size_t i = 0; i < convention.outer.size(); ++i) {
        const computed::OuterCard& card = convention.outer[i];
        outer.add({std::to_string(i), card.name, card.type, writesText(card),
                   card.sameAs >= 0  ? "is argument " + std::to_string(card.sameAs)
                   : card.base >= 0  ? "a view of base " + std::to_string(card.base)
                   : card.inner >= 0 ? "inner " + std::to_string(card.inner)
                                     : "not taken"});
    }
    out += "  " + count(convention.outer.size(), "outer argument") + '\n' + outer.toString("    ");
    if (!convention.strategy.empty()) out += "  " + convention.strategy + '\n';
    for (std::size_t b = 0; b < convention.bases.size(); ++b) {
        const computed::BaseCard& base = convention.bases[b];
        out += "  base " + std::to_string(b) + ' ' + base.type + ": " +
               count(base.members.size(), "argument") + " in it, writing it back copies " +
               formatBytes(std::uint64_t(std::max<std::int64_t>(0, base.copiedBytes))) + '\n';
    }
    Table inner({Align::Right, Align::Left, Align::Left, Align::Left});
    for (std::size_t i = 0; i < convention.inner.size(); ++i) {
        const computed::InnerCard& card = convention.inner[i];
        inner.add({std::to_string(i), card.name, card.type,
                   (card.base >= 0    ? "base " + std::to_string(card.base)
                    : card.outer >= 0 ? "argument " + std::to_string(card.outer)
                                      : std::string()) +
                       (card.inGraph   ? ", the graph ends with a copy_ into it"
                        : card.written ? ", its new value leaves the graph"
                                       : "")});
    }
    out += "  " + count(convention.inner.size(), "inner argument") + '\n' + inner.toString("    ");
    Table outputs({Align::Right, Align::Left, Align::Left, Align::Left});
    for (std::size_t i = 0; i < convention.outputs.size(); ++i) {
        const computed::OutputCard& card = convention.outputs[i];
        outputs.add({std::to_string(i), card.name, card.type, roleText(card)});
    }
    out += "  " + count(convention.outputs.size(), "output") + '\n' + outputs.toString("    ");
    Table epilogue({Align::Left, Align::Left});
    for (const computed::EpilogueCard& card : convention.epilogue)
        epilogue.add({card.operation, card.what});
    return out + "  " + count(convention.epilogue.size(), "step") + " after the call\n" +
           epilogue.toString("    ");
}

json conventionJson(const AotConvention& convention) {
    if (!convention.declined.empty()) return {{"declined", convention.declined}};
    json outer = json::array(), bases = json::array(), inner = json::array(), outputs = json::array(),
         epilogue = json::array();
    for (const computed::OuterCard& card : convention.outer)
        outer.push_back({{"name", card.name},
                         {"type", card.type},
                         {"writes_data", card.writesData},
                         {"writes_geometry", card.writesGeometry},
                         {"same_as", indexOrNull(card.sameAs)},
                         {"base", indexOrNull(card.base)},
                         {"inner", indexOrNull(card.inner)},
                         {"storage", indexOrNull(card.storage)},
                         {"geometry", card.geometry}});
    for (const computed::BaseCard& base : convention.bases)
        bases.push_back({{"type", base.type},
                         {"bytes", base.bytes},
                         {"members", base.members},
                         {"copied_bytes", base.copiedBytes},
                         {"needed_bytes", base.neededBytes}});
    for (const computed::InnerCard& card : convention.inner)
        inner.push_back({{"name", card.name},
                         {"type", card.type},
                         {"outer", indexOrNull(card.outer)},
                         {"base", indexOrNull(card.base)},
                         {"written", card.written},
                         {"in_graph", card.inGraph}});
    for (const computed::OutputCard& card : convention.outputs)
        outputs.push_back({{"name", card.name},
                           {"type", card.type},
                           {"what", roleText(card)},
                           {"of", indexOrNull(card.of)}});
    for (const computed::EpilogueCard& card : convention.epilogue)
        epilogue.push_back({{"operation", card.operation},
                            {"what", card.what},
                            {"output", indexOrNull(card.output)},
                            {"writes", card.writes}});
    return {{"training", convention.training}, {"strategy", convention.strategy},
            {"refusal", convention.refusal},   {"outer", std::move(outer)},
            {"bases", std::move(bases)},       {"inner", std::move(inner)},
            {"outputs", std::move(outputs)},   {"epilogue", std::move(epilogue)}};
}

} // namespace dynascope::cli
