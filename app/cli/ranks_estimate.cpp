// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/ranks_estimate.h"

#include "app/cli/table.h"
#include "core/base/words.h"
#include "core/ir/place_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

using nlohmann::json;

namespace {

json movedJson(const ranks::Moved& moved) {
    return {{"now", moved.now}, {"whole_stays", moved.wholeStays}, {"part_stays", moved.partStays}};
}

json scaledCallJson(const ranks::ScaledCall& one, const ranks::Call& call) {
    return {{"node", call.what.node},
            {"collective", call.what.call()},
            {"file", call.what.at.file},
            {"line", call.what.at.line},
            {"group", call.what.group},
            {"group_size", one.groupSize ? json(*one.groupSize) : json()},
            {"bytes", one.moved ? json(one.bytes) : json()},
            {"sent_bytes", one.moved ? movedJson(*one.moved) : json()},
            {"why", one.words}};
}

std::string bytesText(double bytes) {
    return formatBytes(static_cast<std::uint64_t>(std::llround(bytes)));
}

/// "512 B -> 896 B", or "512 B -> 128 B or 2 KiB".
std::string changeText(const ranks::Moved& moved) {
    std::string out = bytesText(moved.now) + " -> " + bytesText(moved.wholeStays);
    return moved.wholeStays == moved.partStays ? out : out + " or " + bytesText(moved.partStays);
}

std::string compileText(const ranks::ScaledCompile& one, const ranks::CompileRow& row) {
    std::string out = "  " + row.id + (row.function.empty() ? "" : ' ' + row.function) + '\n';
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const ranks::ScaledCall& scaled : one.calls) {
        const ranks::Collective& what = row.lanes.front().calls[scaled.call].what;
        table.add({what.call() + ' ' + shapesText(what), ir::placeText(what.at),
                   scaled.moved ? changeText(*scaled.moved) : "not estimated", scaled.words});
    }
    out += table.toString("    ");
    if (!one.calls.empty())
        out += "    In all a rank sends at least, each time it runs: " + changeText(one.moved) + '\n';
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(one.sharded.size(), most); ++i)
        out += "    input " + one.sharded[i].name + ": " +
               bytesText(static_cast<double>(one.sharded[i].now)) + " -> " + bytesText(one.sharded[i].then) +
               " on a rank (" + one.sharded[i].words + ")\n";
    if (one.sharded.size() > most)
        out += "    and " + count(one.sharded.size() - most, "sharded input") + " more\n";
    if (!one.sharded.empty())
        out += "    All inputs on a rank: " + bytesText(static_cast<double>(one.heldNow)) + " -> " +
               bytesText(one.heldThen) + '\n';
    return out;
}

} // namespace

json estimateJson(const ranks::ScaleEstimate& estimate, const ranks::Report& report) {
    json compiles = json::array();
    for (const ranks::ScaledCompile& one : estimate.compiles) {
        const ranks::CompileRow& row = report.rows[one.row];
        json calls = json::array(), inputs = json::array();
        for (const ranks::ScaledCall& scaled : one.calls)
            calls.push_back(scaledCallJson(scaled, row.lanes.front().calls[scaled.call]));
        for (const ranks::ShardedInput& input : one.sharded)
            inputs.push_back({{"name", input.name},
                              {"bytes", input.now},
                              {"bytes_then", input.then},
                              {"why", input.words}});
        compiles.push_back({{"compile", row.id},
                            {"calls", std::move(calls)},
                            {"sent_bytes", movedJson(one.moved)},
                            {"sharded_inputs", std::move(inputs)},
                            {"input_bytes", one.heldNow},
                            {"input_bytes_then", one.heldThen}});
    }
    return {{"is", "an estimate"},       {"from", estimate.from},
            {"to", estimate.to},         {"assumptions", estimate.assumptions},
            {"limits", estimate.limits}, {"compiles", std::move(compiles)}};
}

std::string estimateText(const ranks::ScaleEstimate& estimate, const ranks::Report& report) {
    std::string out = "\nEstimated for " + std::to_string(estimate.to) + " in place of " +
                      count(static_cast<std::size_t>(estimate.from), "rank") +
                      "; nothing was run. Of two numbers the first is " +
                      "where the whole of a tensor stays, the second where each rank's part does:\n";
    for (const ranks::ScaledCompile& one : estimate.compiles)
        out += compileText(one, report.rows[one.row]);
    if (!estimate.assumptions.empty()) out += "  What this takes for granted:\n";
    for (const std::string& assumption : estimate.assumptions)
        out += "    " + assumption + '\n';
    if (!estimate.limits.empty()) out += "  What it does not tell:\n";
    for (const std::string& limit : estimate.limits)
        out += "    " + limit + '\n';
    return out;
}

} // namespace dynascope::cli
