// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/memory_report.h"

#include "app/cli/command.h"
#include "app/cli/table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::cli {

using nlohmann::json;

namespace {

std::string placeAndFunction(const ir::SourceLocation& at) {
    if (at.file.empty()) return "stack not recorded";
    return placeText(at) + (at.function.empty() ? "" : " in " + at.function);
}

std::string bytesText(std::uint64_t bytes) {
    static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit)
        value /= 1024;
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return out.data();
}

std::string groupsText(const std::vector<session::MemoryGroup>& groups, std::size_t top) {
    Table table({Table::Align::Right, Table::Align::Right, Table::Align::Left});
    for (std::size_t i = 0; i < std::min(groups.size(), top); ++i)
        table.add(
            {bytesText(groups[i].bytes), count(groups[i].blocks, "block"), placeAndFunction(groups[i].at)});
    std::string out = table.toString("    ");
    if (groups.size() > top) out += "    and " + count(groups.size() - top, "more line") + '\n';
    return out;
}

json groupsJson(const std::vector<session::MemoryGroup>& groups, std::size_t top) {
    json out = json::array();
    for (std::size_t i = 0; i < std::min(groups.size(), top); ++i) {
        json stack = json::array();
        for (const ir::SourceLocation& frame : groups[i].stack)
            stack.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}});
        out.push_back(
            {{"bytes", groups[i].bytes}, {"blocks", groups[i].blocks}, {"stack", std::move(stack)}});
    }
    return out;
}

} // namespace

std::string memoryText(const session::MemorySnapshot& snapshot, std::size_t top) {
    std::string out;
    for (const session::DeviceMemory& device : session::summarizeMemory(snapshot)) {
        out += "device " + std::to_string(device.device) + ": " + bytesText(device.allocated) +
               " allocated in " + count(device.blocks, "block") + " (" + bytesText(device.requested) +
               " requested), " + bytesText(device.reserved) + " reserved in " +
               count(device.segments, "segment") + '\n';
        if (device.pending > 0) out += "  " + bytesText(device.pending) + " freed and waiting for a stream\n";
        out += "  largest free block " + bytesText(device.largestFree) + '\n';
        if (!device.live.empty()) out += "  live, by line\n" + groupsText(device.live, top);
        if (device.events > 0)
            out += "  peak " + bytesText(device.peak) + " in a trace of " + count(device.events, "event") +
                   '\n' + groupsText(device.atPeak, top);
        else
            out += "  no trace was recorded, so the peak is not known\n";
        if (device.outOfMemory > 0) out += "  out of memory " + count(device.outOfMemory, "time") + '\n';
    }
    return out.empty() ? "no segment and no event\n" : out;
}

std::string memoriesText(const session::Session& session, std::size_t top) {
    if (session.memories.empty()) return session.memory ? memoryText(*session.memory, top) : std::string();
    std::string out;
    for (const session::FoundMemory& found : session.memories)
        out += "memory, " + found.file + '\n' + memoryText(*found.snapshot, top);
    return out;
}

json memoryJson(const session::MemorySnapshot& snapshot, std::size_t top) {
    json out = {{"devices", json::array()}, {"settings", json::object()}};
    for (const auto& [key, value] : snapshot.settings)
        out["settings"][key] = value;
    for (const session::DeviceMemory& device : session::summarizeMemory(snapshot)) {
        json row = {{"device", device.device},
                    {"segments", device.segments},
                    {"blocks", device.blocks},
                    {"reserved", device.reserved},
                    {"allocated", device.allocated},
                    {"requested", device.requested},
                    {"pending", device.pending},
                    {"largest_free", device.largestFree},
                    {"events", device.events},
                    {"out_of_memory", device.outOfMemory},
                    {"live", groupsJson(device.live, top)}};
        if (device.events > 0)
            row["peak"] = {{"bytes", device.peak},
                           {"time_us", device.peakTimeUs},
                           {"live", groupsJson(device.atPeak, top)}};
        out["devices"].push_back(std::move(row));
    }
    return out;
}

} // namespace dynascope::cli
