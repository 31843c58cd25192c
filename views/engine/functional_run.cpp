// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/functional_run.h"

#include "core/base/json_fields.h"
#include "core/ir/text.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::views {

namespace {

using nlohmann::json;

int intOf(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number_integer() ? at->get<int>() : 0;
}

const json& listOf(const json& object, const char* key) {
    static const json none = json::array();
    const auto at = object.find(key);
    return at != object.end() && at->is_array() ? *at : none;
}

Emission emissionOf(const std::string& why) {
    if (why == "inverse") return Emission::Inverse;
    if (why == "regeneration") return Emission::Regeneration;
    if (why == "write_back") return Emission::WriteBack;
    return Emission::Operator;
}

std::vector<std::string> stringsOf(const json& object, const char* key) {
    std::vector<std::string> out;
    for (const json& item : listOf(object, key))
        if (item.is_string()) out.push_back(item.get<std::string>());
    return out;
}

std::vector<std::int64_t> integersOf(const json& object, const char* key) {
    std::vector<std::int64_t> out;
    for (const json& item : listOf(object, key))
        out.push_back(item.is_number_integer() ? item.get<std::int64_t>() : 0);
    return out;
}

std::vector<double> numbersOf(const json& object, const char* key) {
    std::vector<double> out;
    for (const json& item : listOf(object, key))
        out.push_back(jsonNumber(item));
    return out;
}

ScoreRow readRow(const json& row) {
    ScoreRow out;
    out.value = stringField(row, "value");
    out.base = stringField(row, "base");
    out.current = stringField(row, "current");
    out.views = stringsOf(row, "views");
    out.group = intOf(row, "storage");
    out.generation = intOf(row, "generation");
    out.storageGeneration = intOf(row, "storage_generation");
    out.shape = integersOf(row, "shape");
    out.stride = integersOf(row, "stride");
    if (const auto at = row.find("offset"); at != row.end() && at->is_number_integer())
        out.offset = at->get<std::int64_t>();
    out.cells = integersOf(row, "cells");
    out.values = numbersOf(row, "values");
    if (out.values.size() != out.cells.size()) {
        out.cells.clear();
        out.values.clear();
    }
    return out;
}

OpStep readStep(const json& step) {
    OpStep out;
    out.source = stringField(step, "source");
    out.why = stringField(step, "why");
    for (const json& emitted : listOf(step, "emitted"))
        if (emitted.is_object())
            out.emitted.push_back({stringField(emitted, "node"), emissionOf(stringField(emitted, "why"))});
    for (const json& row : listOf(step, "scorecard"))
        if (row.is_object()) out.rows.push_back(readRow(row));
    for (const json& storage : listOf(step, "storages"))
        if (storage.is_object())
            out.storages.push_back({intOf(storage, "storage"), stringField(storage, "base"),
                                    intOf(storage, "generation"), numbersOf(storage, "values")});
    for (const json& update : listOf(step, "updates")) {
        if (!update.is_object()) continue;
        QueuedUpdate queued{intOf(update, "storage"),     intOf(update, "from"),      intOf(update, "to"),
                            stringField(update, "value"), stringsOf(update, "views"), {}};
        for (const json& inverse : listOf(update, "inverse"))
            if (inverse.is_object()) queued.inverse.push_back(stringField(inverse, "text"));
        out.updates.push_back(std::move(queued));
    }
    return out;
}

} // namespace

FunctionalRun readFunctionalRun(const json& reply, ir::GraphPtr source) {
    FunctionalRun run;
    run.source = std::move(source);
    if (!reply.is_object() || !run.source) return run;
    if (Result<ir::GraphPtr> graph = ir::readGraph(stringField(reply, "graph")))
        run.graph = std::move(*graph);
    if (const auto at = reply.find("median_us"); at != reply.end() && at->is_number())
        run.microseconds = at->get<double>();

    run.warnings = stringsOf(reply, "warnings");

    std::unordered_map<std::string_view, std::size_t> position;
    for (const ir::NodePtr& node : run.source->nodes()) {
        position.emplace(node->name, run.steps.size());
        run.steps.emplace_back();
        run.steps.back().source = node->name;
    }
    for (const json& step : listOf(reply, "steps")) {
        if (!step.is_object() || stringField(step, "pass") != "functionalize") continue;
        OpStep read = readStep(step);
        const auto at = position.find(read.source);
        if (at != position.end()) run.steps[at->second] = std::move(read);
    }
    for (const json& pass : listOf(reply, "passes")) {
        if (!pass.is_object()) continue;
        run.overCells = run.overCells || stringField(pass, "method") == "cells";
        for (const json& back : listOf(pass, "write_back")) {
            if (!back.is_object()) continue;
            const auto output = back.find("output");
            const bool byCaller = output != back.end() && output->is_number_integer();
            run.writeBacks.push_back(
                {stringField(back, "input"), std::uint64_t(std::max(0, intOf(back, "bytes"))),
                 stringsOf(back, "how"), stringsOf(back, "nodes"), byCaller ? output->get<int>() : -1,
                 back.contains("whole_storage") && back["whole_storage"] == true,
                 stringsOf(back, "shared_with")});
        }
    }
    return run;
}

} // namespace dynascope::views
