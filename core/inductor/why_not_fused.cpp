// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/why_not_fused.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::inductor {

namespace {

using BufferNames = std::set<std::string>;

BufferNames buffersOf(const std::vector<Access>& accesses) {
    BufferNames out;
    for (const Access& access : accesses)
        out.insert(access.buffer);
    return out;
}

BufferNames commonTo(const BufferNames& a, const BufferNames& b) {
    BufferNames out;
    std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
    return out;
}

/// Who reads what each operation writes.
struct Operations {
    std::map<std::string, std::vector<const SchedulerNode*>> readers; ///< by buffer

    explicit Operations(const Schedule& schedule) {
        for (const auto& [id, node] : schedule.nodes) {
            if (!node.members.empty()) continue;
            for (const std::string& buffer : buffersOf(node.reads))
                readers[buffer].push_back(&node);
        }
    }

    /// All that come after a node by what they read.
    [[nodiscard]] std::set<const SchedulerNode*> after(const SchedulerNode& node) const {
        std::set<const SchedulerNode*> out;
        std::vector<const SchedulerNode*> open{&node};
        while (!open.empty()) {
            const SchedulerNode* next = open.back();
            open.pop_back();
            for (const std::string& buffer : buffersOf(next->writes))
                if (const auto at = readers.find(buffer); at != readers.end())
                    for (const SchedulerNode* reader : at->second)
                        if (reader != next && out.insert(reader).second) open.push_back(reader);
        }
        return out;
    }
};

/// Nodes on the way from one to another: after the one, and the other after them.
std::vector<std::string> betweenThem(const Operations& operations, const SchedulerNode& from,
                                     const SchedulerNode& to) {
    const std::set<const SchedulerNode*> after = operations.after(from);
    std::vector<const SchedulerNode*> out;
    if (!after.contains(&to)) return {};
    // Backwards from the other, within what comes after the one.
    std::map<std::string, std::vector<const SchedulerNode*>> writers;
    for (const SchedulerNode* node : after)
        for (const std::string& buffer : buffersOf(node->writes))
            writers[buffer].push_back(node);
    std::set<const SchedulerNode*> seen;
    std::vector<const SchedulerNode*> open{&to};
    while (!open.empty()) {
        const SchedulerNode* next = open.back();
        open.pop_back();
        for (const std::string& buffer : buffersOf(next->reads))
            if (const auto at = writers.find(buffer); at != writers.end())
                for (const SchedulerNode* writer : at->second)
                    if (writer != &to && writer != &from && seen.insert(writer).second) {
                        out.push_back(writer);
                        open.push_back(writer);
                    }
    }
    std::ranges::sort(out, {}, &SchedulerNode::id);
    std::vector<std::string> names;
    for (const SchedulerNode* node : out)
        names.push_back(node->name);
    return names;
}

void addApart(std::vector<std::string>& out, const SchedulerNode& a, const SchedulerNode& b) {
    if (a.device != b.device)
        out.push_back(a.name + " is on " + (a.device.empty() ? "no device" : a.device) + ", " + b.name +
                      " on " + (b.device.empty() ? "no device" : b.device));
    for (const SchedulerNode* node : {&a, &b})
        if (node->kind != "SchedulerNode" && !node->kind.empty())
            out.push_back(node->name + " is of class " + node->kind + ": no loops that Inductor generates");
    if (a.group != b.group && !a.group.empty() && !b.group.empty())
        out.push_back("loops: " + a.name + " has " + a.group + ", " + b.name + " has " + b.group);
    for (const auto& [writer, reader] : {std::pair(&a, &b), std::pair(&b, &a)})
        if (const BufferNames common = commonTo(buffersOf(writer->writes), buffersOf(reader->reads));
            !common.empty())
            out.push_back(reader->name + " reads " + joined(common, ", ") + ", which " + writer->name +
                          " writes");
}

/// Fusions of what holds an operation with what does not hold the other.
std::vector<std::size_t> fusionsWithout(const Schedule& schedule, const std::string& one,
                                        const std::string& other) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < schedule.fusions.size(); ++i) {
        const Fusion& fusion = schedule.fusions[i];
        const bool has = schedule.holds(fusion.a, one) || schedule.holds(fusion.b, one);
        if (has && !schedule.holds(fusion.a, other) && !schedule.holds(fusion.b, other)) out.push_back(i + 1);
    }
    return out;
}

} // namespace

WhyNotFused whyNotFused(const Schedule& schedule, const std::string& a, const std::string& b) {
    WhyNotFused out;
    out.questions = questionsAbout(schedule, a, b);
    out.timed = timingsOf(schedule, a, b);
    for (const Kernel& kernel : schedule.kernels)
        if (std::ranges::find(kernel.operations, a) != kernel.operations.end() &&
            std::ranges::find(kernel.operations, b) != kernel.operations.end())
            out.kernel = kernel.name;
    out.fusionsA = fusionsWithout(schedule, a, b);
    out.fusionsB = fusionsWithout(schedule, b, a);
    const SchedulerNode *one = schedule.operation(a), *other = schedule.operation(b);
    if (one == nullptr || other == nullptr || one == other) return out;
    const Operations operations(schedule);
    out.known = true;
    addApart(out.apart, *one, *other);
    const auto all = [](const SchedulerNode& node) {
        BufferNames names = buffersOf(node.reads);
        names.merge(buffersOf(node.writes));
        return names;
    };
    const BufferNames shared = commonTo(all(*one), all(*other));
    out.shared.assign(shared.begin(), shared.end());
    out.between = betweenThem(operations, *one, *other);
    if (out.between.empty()) out.between = betweenThem(operations, *other, *one);
    return out;
}

} // namespace dynascope::inductor
