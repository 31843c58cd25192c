// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/frozen_reshapes.h"

#include "core/ir/text.h"

#include <algorithm>
#include <vector>

namespace dynascope::engine {

namespace {

/// The items of the only list of numbers in a call of a view, and the line without them; none for any other.
std::vector<std::string_view> viewSizes(std::string_view line, std::string& rest) {
    rest.assign(line);
    const std::size_t call = line.find("call_function[target=torch.ops.aten.");
    if (call == std::string_view::npos) return {};
    const std::size_t arguments = line.find("](args = (", call);
    if (arguments == std::string_view::npos) return {};
    const std::string_view target = line.substr(call, arguments - call);
    const bool view = target.ends_with(".view.default") || target.ends_with(".view_copy.default") ||
                      target.ends_with("._unsafe_view.default");
    const std::size_t open = line.find(", [", arguments), close = line.find(']', std::min(open, line.size()));
    if (!view || open == std::string_view::npos || close == std::string_view::npos) return {};
    std::vector<std::string_view> sizes;
    for (std::size_t at = open + 3; at < close;) {
        const std::size_t end = std::min(line.find(", ", at), close);
        sizes.push_back(line.substr(at, end - at));
        at = end + 2;
    }
    rest = std::string(line.substr(0, open)) + std::string(line.substr(close));
    return sizes;
}

bool isSize(std::string_view text) {
    return !text.empty() && text != "0" &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool sameLine(std::string_view inferred, std::string_view written) {
    if (inferred == written) return true;
    std::string a, b;
    const std::vector<std::string_view> from = viewSizes(inferred, a), to = viewSizes(written, b);
    if (a != b || from.empty() || from.size() != to.size()) return false;
    int left = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        // With the other sizes equal and none of them 0, what -1 stands for is this one.
        if (!isSize(to[i])) return false;
        if (from[i] == "-1")
            ++left;
        else if (from[i] != to[i])
            return false;
    }
    return left == 1;
}

} // namespace

bool FrozenReshapes::sameButInferredSizes(std::string_view inferred, std::string_view written) {
    while (true) {
        const std::size_t a = inferred.find('\n'), b = written.find('\n');
        if (!sameLine(inferred.substr(0, a), written.substr(0, b))) return false;
        if ((a == std::string_view::npos) != (b == std::string_view::npos)) return false;
        if (a == std::string_view::npos) return true;
        inferred.remove_prefix(a + 1);
        written.remove_prefix(b + 1);
    }
}

std::string FrozenReshapes::thawed(const std::string& graph) {
    const Result<ir::GraphPtr> source = ir::readGraph(graph);
    if (!source) return {};
    const auto copied = [&](const ir::Node& node) {
        if (node.target != "torch.ops.aten._unsafe_view.default" || node.args.size() != 2) return ir::npos;
        const ir::NodeIndex copy = (*source)->find(node.args.front().text);
        if (copy == ir::npos || (*source)->node(copy).target != "torch.ops.aten.clone.default" ||
            (*source)->node(copy).args.empty() || (*source)->users(copy).size() != 1)
            return ir::npos;
        return copy;
    };
    std::vector<bool> dropped((*source)->size());
    for (const ir::NodePtr& node : (*source)->nodes())
        if (const ir::NodeIndex copy = copied(*node); copy != ir::npos) dropped[copy] = true;
    if (std::find(dropped.begin(), dropped.end(), true) == dropped.end()) return {};
    ir::GraphBuilder out;
    for (ir::NodeIndex i = 0; i < (*source)->size(); ++i) {
        ir::Node node = (*source)->node(i);
        if (const ir::NodeIndex copy = copied(node); copy != ir::npos) {
            node.target = "torch.ops.aten.reshape.default";
            node.args.front() = (*source)->node(copy).args.front();
        }
        if (!dropped[i]) out.add(std::move(node));
    }
    return ir::printFx(*out.build());
}

} // namespace dynascope::engine
