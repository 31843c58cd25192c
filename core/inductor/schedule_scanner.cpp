// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/schedule_scanner.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace dynascope::inductor {

namespace json = capture::json;
using json::element;

namespace {

std::uint32_t number(const element& value) {
    std::uint64_t out = 0;
    return value.get(out) == simdjson::SUCCESS && out < mostRecords ? static_cast<std::uint32_t>(out) : 0;
}

std::uint32_t number(const element& object, std::string_view key) {
    element value;
    return object[key].get(value) == simdjson::SUCCESS ? number(value) : 0;
}

std::optional<double> score(const element& value) {
    double out = 0;
    return value.get(out) == simdjson::SUCCESS ? std::optional(out) : std::nullopt;
}

std::vector<std::uint32_t> numbers(const element& object, std::string_view key) {
    std::vector<std::uint32_t> out;
    forEach(object, key, [&out](const element& item) { out.push_back(number(item)); });
    return out;
}

/// [buffer, kind, index, ...]
std::vector<Access> accesses(const element& object, std::string_view key) {
    std::vector<Access> out;
    forEach(object, key, [&out](const element& item) {
        simdjson::dom::array parts;
        if (item.get(parts) != simdjson::SUCCESS) return;
        Access access;
        std::size_t i = 0;
        for (const element part : parts) {
            if (i == 0) access.buffer = json::spelling(part);
            if (i == 1) access.kind = json::spelling(part);
            if (i == 2) access.index = json::spelling(part);
            ++i;
        }
        out.push_back(std::move(access));
    });
    return out;
}

std::string sizeList(const element& object, std::string_view key) {
    std::string out;
    forEach(object, key, [&out](const element& item) {
        std::string size = json::spelling(item);
        if (size == "1") return; // loops of one turn tell nothing
        out += (out.empty() ? "" : ", ") + size;
    });
    return out;
}

/// "32, 64"; of a reduction "32 | 64".
std::string loopSizes(const element& object) {
    std::string out = sizeList(object, "ranges");
    if (const std::string reduced = sizeList(object, "reduction_ranges"); !reduced.empty())
        out += (out.empty() ? "| " : " | ") + reduced;
    return out;
}

/// ["allocate", buffer, bytes, index], ["reuse", buffer, whose memory, bytes, whether that ends there], ...
WrapperLine wrapperLine(const element& row) {
    using What = WrapperLine::What;
    static constexpr std::array<std::pair<std::string_view, What>, 6> kinds{{{"allocate", What::Allocate},
                                                                             {"reuse", What::Reuse},
                                                                             {"free", What::Free},
                                                                             {"call", What::Call},
                                                                             {"extern", What::Extern},
                                                                             {"item", What::Item}}};
    WrapperLine out;
    simdjson::dom::array parts;
    if (row.get(parts) != simdjson::SUCCESS) return out;
    std::size_t i = 0;
    for (const element part : parts) {
        std::uint64_t bytes = 0;
        bool flag = false;
        if (i == 0) {
            const std::string what = json::spelling(part);
            for (const auto& [name, kind] : kinds)
                if (name == what) out.what = kind;
        } else if (i == 1) {
            out.name = json::spelling(part);
        } else if (i == 2 && part.is_string()) {
            out.other = json::spelling(part);
        }
        if ((i == 2 && out.what == What::Allocate) || (i == 3 && out.what == What::Reuse))
            if (part.get(bytes) == simdjson::SUCCESS) out.bytes = bytes;
        if (i == 2 && out.what == What::Free && part.get(flag) == simdjson::SUCCESS) out.kept = flag;
        simdjson::dom::array arguments;
        if (i == 2 && out.what == What::Call && part.get(arguments) == simdjson::SUCCESS)
            for (const element argument : arguments)
                out.arguments.push_back(json::spelling(argument));
        ++i;
    }
    return out;
}

} // namespace

NodeRef nodeOf(const element& pair) {
    NodeRef out;
    simdjson::dom::array items;
    std::string_view name;
    if (pair.get(items) != simdjson::SUCCESS || items.at(0).get(out.id) != simdjson::SUCCESS) return {};
    if (items.at(1).get(name) == simdjson::SUCCESS) out.name = name;
    return out;
}

Fallback fallbackOf(const element& object) {
    Fallback out;
    out.why = json::text(object, "fallback");
    if (out.why.empty()) return out;
    out.phase = number(object, "graph");
    out.target = json::text(object, "target");
    out.kernel = json::text(object, "kernel");
    element node;
    if (object["node"].get(node) == simdjson::SUCCESS) out.node = nodeOf(node);
    forEach(object, "operations", [&out](const element& item) {
        simdjson::dom::array parts;
        std::string_view name, kind;
        // Loops around the call, such as copies of what it reads, are generated.
        if (item.get(parts) == simdjson::SUCCESS && parts.at(0).get(name) == simdjson::SUCCESS &&
            parts.at(1).get(kind) == simdjson::SUCCESS && kind != "ComputedBuffer")
            out.operations.emplace_back(name);
    });
    return out;
}

Tuning tuningOf(const element& object) {
    Tuning out;
    out.phase = number(object, "graph");
    out.name = json::text(object, "name");
    forEach(object, "inputs", [&out](const element& item) {
        std::string sizes;
        forEach(item, "size", [&sizes](const element& size) {
            sizes += (sizes.empty() ? "" : "x") + json::spelling(size);
        });
        out.inputs.push_back(std::string(json::text(item, "dtype")) + ' ' + sizes);
    });
    forEach(object, "choices", [&out](const element& item) {
        simdjson::dom::array parts;
        std::string_view name;
        double ms = 0;
        if (item.get(parts) != simdjson::SUCCESS || parts.at(0).get(name) != simdjson::SUCCESS) return;
        const bool timed = parts.at(1).get(ms) == simdjson::SUCCESS;
        out.choices.push_back({std::string(name), timed ? std::optional(ms) : std::nullopt});
    });
    return out;
}

Schedule* ScheduleScanner::of(const element& object) {
    const std::uint32_t id = number(object, "schedule");
    return id > 0 && id <= m_schedules.size() ? &m_schedules[id - 1] : nullptr;
}

bool ScheduleScanner::take(char tag, const element& object) {
    switch (tag) {
    case 'o':
        return event(object);
    case 'S':
        return node(object);
    case 'r':
        if (Schedule* schedule = of(object))
            schedule->rounds = std::max(schedule->rounds, number(object, "round"));
        return of(object) != nullptr;
    case 'W':
        return reason(object);
    case 'Q':
        return asked(object);
    case 'F':
        return fused(object);
    case 'K':
        return kernel(object);
    case 'w':
        return wrapper(object);
    default:
        return true;
    }
}

bool ScheduleScanner::event(const element& object) {
    const std::string_view what = json::text(object, "what");
    if (what == "begin") {
        if (number(object, "schedule") != m_schedules.size() + 1) return false;
        Schedule& made = m_schedules.emplace_back();
        made.id = number(object, "schedule");
        made.phase = number(object, "graph");
        made.name = json::text(object, "name");
        made.operations = number(object, "operations");
        return true;
    }
    Schedule* schedule = of(object);
    if (schedule == nullptr) return false;
    if (what == "end" || what == "fusion ends") schedule->order = numbers(object, "order");
    if (what == "end") schedule->us = json::number(object, "time_us");
    if (what == "timed") timed(*schedule, object);
    if (what == "orders") return orders(*schedule, object);
    if (bool changed = false; object["changed"].get(changed) == simdjson::SUCCESS)
        step(*schedule, object, changed);
    return true;
}

bool ScheduleScanner::orders(Schedule& schedule, const element& object) {
    WeighedOrders out;
    bool whole = true;
    forEach(object, "orders", [&](const element& item) {
        WeighedOrder order;
        order.method = json::text(item, "method");
        order.nodes = numbers(item, "order");
        forEach(item, "live", [&order](const element& bytes) {
            std::uint64_t value = 0;
            if (bytes.get(value) == simdjson::SUCCESS) order.live.push_back(value);
        });
        whole = whole && item["peak"].get(order.peak) == simdjson::SUCCESS &&
                order.live.size() == order.nodes.size();
        out.orders.push_back(std::move(order));
    });
    if (!whole) return false;
    if (std::uint64_t taken = 0; object["taken"].get(taken) == simdjson::SUCCESS && taken < out.orders.size())
        out.taken = taken;
    schedule.weighed = std::move(out);
    return true;
}

void ScheduleScanner::step(Schedule& schedule, const element& object, bool changed) {
    ScheduleStep out{
        std::string(json::text(object, "what")), json::number(object, "time_us"), changed, {}, 0};
    // [name, [node, ...]]
    forEach(object, "removed", [&out](const element& item) {
        simdjson::dom::array parts;
        std::string_view name;
        if (item.get(parts) == simdjson::SUCCESS && parts.at(0).get(name) == simdjson::SUCCESS)
            out.removed.emplace_back(name);
    });
    out.moved = placesApart(numbers(object, "before"), numbers(object, "order"));
    schedule.steps.push_back(std::move(out));
}

void ScheduleScanner::timed(Schedule& schedule, const element& object) {
    TimedFusion out{number(object, "round"),
                    number(object, "a"),
                    number(object, "b"),
                    {},
                    number(object, "runs"),
                    {},
                    {}};
    if (bool fused = false; object["fused"].get(fused) == simdjson::SUCCESS) out.fused = fused;
    const auto time = [](const simdjson::simdjson_result<element>& value) -> std::optional<double> {
        double ms = 0;
        return value.get(ms) == simdjson::SUCCESS && ms >= 0 ? std::optional(ms) : std::nullopt;
    };
    out.msFused = time(object["ms"]["fused"]);
    const auto a = time(object["ms"]["apart"].at(0)), b = time(object["ms"]["apart"].at(1));
    if (a && b) out.msApart = {*a, *b};
    schedule.timed.push_back(out);
}

bool ScheduleScanner::node(const element& object) {
    Schedule* schedule = of(object);
    const std::uint32_t id = number(object, "id");
    if (schedule == nullptr || id == 0) return false;
    SchedulerNode& out = schedule->nodes[id];
    out.id = id;
    out.name = json::text(object, "name");
    out.kind = json::text(object, "class");
    out.group = json::text(object, "group");
    out.device = json::text(object, "device");
    out.ir = json::text(object, "ir");
    out.data = json::text(object, "data");
    out.sizes = loopSizes(object);
    out.kernel = json::text(object, "kernel");
    out.members = numbers(object, "members");
    out.reads = accesses(object, "reads");
    out.writes = accesses(object, "writes");
    forEach(object, "origins", [&out](const element& item) { out.origins.push_back(nodeOf(item)); });
    forEach(object, "mutates", [&out](const element& item) { out.mutates.push_back(json::spelling(item)); });
    forEach(object, "outputs", [&out](const element& item) {
        SchedulerNode::Output output{
            std::string(json::text(item, "name")), std::string(json::text(item, "dtype")), {}};
        std::uint64_t bytes = 0;
        if (item["bytes"].get(bytes) == simdjson::SUCCESS) output.bytes = bytes;
        out.outputs.push_back(std::move(output));
    });
    return true;
}

bool ScheduleScanner::reason(const element& object) {
    if (number(object, "id") != m_reasons.size() + 1) return false;
    m_reasons.emplace_back(json::text(object, "text"));
    return true;
}

/// [a, b, answer, score, [reason, ...], detail]
void ScheduleScanner::addQuestion(Schedule& schedule, const element& row, std::uint32_t round) {
    Question out;
    out.round = round;
    simdjson::dom::array parts, reasons;
    if (row.get(parts) != simdjson::SUCCESS) parts = {};
    std::size_t i = 0;
    const auto named = [&schedule](const element& part, std::uint32_t& id, std::string& name) {
        std::string_view text;
        if (part.get(text) == simdjson::SUCCESS) {
            name = text;
            return;
        }
        id = number(part);
        if (const SchedulerNode* node = schedule.node(id)) name = node->name;
    };
    if (row.is_array())
        for (const element part : parts) {
            if (i == 0) named(part, out.a, out.nameA);
            if (i == 1) named(part, out.b, out.nameB);
            if (i == 2) out.answer = static_cast<Question::Answer>(std::min(number(part), 2U));
            if (i == 3) out.score = score(part);
            if (i == 4 && part.get(reasons) == simdjson::SUCCESS)
                for (const element reason : reasons)
                    out.reasons.push_back(number(reason));
            if (i == 5) out.detail = json::spelling(part);
            ++i;
        }
    schedule.questions.push_back(std::move(out));
}

bool ScheduleScanner::asked(const element& object) {
    Schedule* schedule = of(object);
    if (schedule == nullptr) return false;
    const std::uint32_t round = number(object, "round");
    forEach(object, "rows", [&](const element& row) { addQuestion(*schedule, row, round); });
    forEach(object, "counts", [schedule](const element& item) {
        simdjson::dom::array parts;
        std::uint64_t first = 0, last = 0, times = 0;
        if (item.get(parts) != simdjson::SUCCESS || parts.at(0).get(first) != simdjson::SUCCESS ||
            parts.at(1).get(last) != simdjson::SUCCESS || parts.at(2).get(times) != simdjson::SUCCESS)
            return;
        for (std::uint64_t i = std::max<std::uint64_t>(first, 1);
             i <= std::min<std::uint64_t>(last, schedule->questions.size()); ++i)
            schedule->questions[i - 1].times += std::min<std::uint64_t>(times, mostRecords);
    });
    return true;
}

bool ScheduleScanner::fused(const element& object) {
    Schedule* schedule = of(object);
    if (schedule == nullptr) return false;
    Fusion out{
        number(object, "round"), number(object, "a"), number(object, "b"), number(object, "result"), {}, {}};
    element value;
    if (object["score"].get(value) == simdjson::SUCCESS) out.score = score(value);
    out.key = json::text(object, "key");
    schedule->fusions.push_back(std::move(out));
    return true;
}

bool ScheduleScanner::wrapper(const element& object) {
    Schedule* schedule = of(object);
    if (schedule == nullptr) return true; // of code that no scheduler made
    schedule->wrapper.clear();
    forEach(object, "lines",
            [schedule](const element& item) { schedule->wrapper.push_back(wrapperLine(item)); });
    schedule->outputs.clear();
    forEach(object, "outputs",
            [schedule](const element& item) { schedule->outputs.push_back(json::spelling(item)); });
    element peak;
    if (object["peak"].get(peak) == simdjson::SUCCESS) schedule->peak = score(peak);
    return true;
}

bool ScheduleScanner::kernel(const element& object) {
    Schedule* schedule = of(object);
    if (schedule == nullptr) return false;
    Kernel out;
    out.name = json::text(object, "name");
    out.backend = json::text(object, "backend");
    out.source = json::text(object, "source");
    out.nodes = numbers(object, "nodes");
    forEach(object, "operations",
            [&out](const element& item) { out.operations.push_back(json::spelling(item)); });
    schedule->kernels.push_back(std::move(out));
    return true;
}

} // namespace dynascope::inductor
