// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/replay_trees.h"

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/base/text.h"

#include <cstdio>

namespace dynascope::cli {

namespace {

using replay::TreeReport;
using replay::TreeReportStep;

std::string nodeName(replay::NodeId node) {
    return node == replay::noNode ? std::string() : std::to_string(node);
}

/// Every line of a text further right.
std::string indented(const std::string& text) {
    std::string out = "      ";
    for (const char c : text)
        out += c == '\n' ? std::string("\n      ") : std::string(1, c);
    return out + '\n';
}

} // namespace

std::string treeText(const TreeReport& report, const std::vector<std::string>& left) {
    using Align = Table::Align;
    Table table(
        {Align::Right, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
    table.add({"step", "what", "action", "node", "after", "us", "why"});
    std::string notes;
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
        const TreeReportStep& step = report.steps[i];
        if (step.action.empty()) continue; // of no call: what came of it shows in the next one
        std::string why(firstLine(step.why));
        if (!step.path.empty()) why += (why.empty() ? "" : "; ") + step.path;
        table.add({std::to_string(i), step.function, step.again ? "re-record" : step.action,
                   nodeName(step.node), nodeName(step.parent), micros(step.us), why});
        if (!step.difference.empty())
            notes += "step " + std::to_string(i) + " differs from eager: " + step.difference + '\n';
        for (const std::string& text : step.overwritten)
            notes += "step " + std::to_string(i) + " reads what is gone:\n" + indented(text);
    }
    std::string out = table.toString("  ") + notes;
    for (const std::string& line : left)
        out += "left out: " + line + '\n';
    out += count(report.count("warmup") + report.count("warmup_again"), "warm-up") + ", " +
           count(report.count("record"), "recording") + " (" + std::to_string(report.rerecords()) +
           " in the place of one that did not fit), " + count(report.count("replay"), "replay") + ", " +
           count(report.count("eager"), "eager run") + ", " + count(report.count("failed"), "failure") +
           "; " + count(report.nodes, "node") + "; pool of " + std::to_string(report.poolBytes / 1024) +
           " KiB; " + count(report.verified, "call") + " verified, " + std::to_string(report.different) +
           " different" +
           (report.undecided > 0
                ? ", " + std::to_string(report.undecided) + " not decided: eager runs differ from each other"
                : std::string()) +
           '\n';
    return out;
}

} // namespace dynascope::cli
