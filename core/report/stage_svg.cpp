// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/module_classes.h"
#include "core/report/html_parts.h"
#include "core/report/stage_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace dynascope::report {

namespace {

using layout::VisibleItem;

/// Widths of a letter of JetBrains Mono: 0.6 of its size.
constexpr double nameLetter = 7.2, smallLetter = 6.3, cardPadding = 12;

std::string whole(double value) {
    return std::to_string(std::lround(value));
}

/// What a card says.
struct CardWords {
    std::string name, right, below, title;
    ir::OpKind kind = ir::OpKind::Compute;
};

std::string runName(const layout::GroupTree& tree, const VisibleItem& item) {
    const layout::Group& first = tree.groups[item.group];
    if (first.parent == layout::noGroup) return first.name;
    const auto& siblings = tree.groups[first.parent].children;
    const auto at = static_cast<std::size_t>(std::ranges::find(siblings, item.group) - siblings.begin());
    if (at + item.alike - 1 >= siblings.size()) return first.name;
    const std::string& last = tree.groups[siblings[at + item.alike - 1]].name;
    const std::size_t dot = last.rfind('.');
    return first.name + " … " +
           (dot != std::string::npos && first.name.starts_with(last.substr(0, dot + 1)) ? last.substr(dot + 1)
                                                                                        : last);
}

ir::OpKind mainKind(const StagePicture& picture, std::size_t item) {
    std::array<std::size_t, 9> counts{};
    for (ir::NodeIndex n = 0; n < picture.graph->size(); ++n)
        if (picture.folded.itemOfNode[n] == item)
            ++counts[static_cast<std::size_t>(ir::opKind(picture.graph->node(n)))];
    // A block is a computation; views count only where there is nothing else.
    auto& views = counts[static_cast<std::size_t>(ir::OpKind::View)];
    if (views != std::accumulate(counts.begin(), counts.end(), std::size_t{0})) views = 0;
    return static_cast<ir::OpKind>(std::ranges::max_element(counts) - counts.begin());
}

CardWords wordsOfNode(const StagePicture& picture, ir::NodeIndex index) {
    const ir::Node& node = picture.graph->node(index);
    CardWords out;
    out.kind = ir::opKind(node);
    out.name = node.name;
    if (node.meta) out.right = node.meta->shortForm();
    out.below = node.op == ir::Op::CallFunction || node.op == ir::Op::CallModule
                    ? ir::shortTarget(node.target)
                : node.op == ir::Op::CallMethod ? "method " + node.target
                                                : std::string(ir::opName(node.op));
    if (node.op == ir::Op::Output) out.right = argumentsText(node, 60);
    if (out.right.empty() && out.kind == ir::OpKind::Write && !node.args.empty() &&
        node.args.front().isNode())
        out.right = "writes " + node.args.front().text;
    out.title = node.name + ", " + out.below + (node.meta ? ", " + node.meta->annotation() : std::string()) +
                ", " + std::string(ir::opKindName(out.kind));
    if (index < picture.names.size() && !picture.names[index].empty()) {
        out.below = out.name + " · " + out.below;
        out.name = picture.names[index];
        out.title = out.name + ", " + out.title;
    }
    return out;
}

CardWords wordsOfBlock(const StagePicture& picture, std::size_t item) {
    const VisibleItem& visible = picture.folded.items[item];
    const layout::Group& group = picture.tree.groups[visible.group];
    CardWords out;
    out.kind = mainKind(picture, item);
    const auto held = std::ranges::count(picture.folded.itemOfNode, static_cast<std::uint32_t>(item));
    out.right = count(static_cast<std::size_t>(held), "node");
    std::string className = group.className;
    if (visible.kind == VisibleItem::Kind::Stack) {
        out.name = runName(picture.tree, visible);
        out.below = layout::stackText(picture.tree, visible.group, visible.alike);
        className = layout::classOfRun(picture.tree, visible.group, visible.alike);
    } else {
        out.name = group.name;
        out.below = group.detail;
    }
    if (!className.empty()) out.below = className + (out.below.empty() ? "" : " · ") + out.below;
    out.title = "block " + out.name + ", " + out.right + (out.below.empty() ? "" : ", ") + out.below;
    return out;
}

std::size_t lettersIn(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view changeClass(diff::Change change) {
    switch (change) {
    case diff::Change::Added:
        return " ca";
    case diff::Change::Removed:
        return " cr";
    case diff::Change::Changed:
        return " cc";
    case diff::Change::Moved:
        return " cm";
    default:
        return {};
    }
}

std::string signHtml(diff::Change change, double width) {
    const char* sign = change == diff::Change::Added     ? "+"
                       : change == diff::Change::Removed ? "−"
                       : change == diff::Change::Changed ? "~"
                                                         : "↕";
    return "<g class=\"sign\"><circle cx=\"" + whole(width) + "\" r=\"7\"/><text x=\"" + whole(width) +
           "\" y=\"4\">" + sign + "</text></g>";
}

std::string cardSvg(const StagePicture& picture, std::size_t i, const std::vector<diff::Change>& changes) {
    const VisibleItem& visible = picture.folded.items[i];
    const layout::Box& box = picture.input.boxes[i];
    const layout::Point& at = picture.result.boxes[i];
    const bool isStack = visible.kind == VisibleItem::Kind::Stack;
    const bool isNode = visible.kind == VisibleItem::Kind::Node;
    const double width = box.width - (isStack ? 6 : 0), height = box.height - (isStack ? 6 : 0);
    const CardWords words = isNode ? wordsOfNode(picture, visible.node) : wordsOfBlock(picture, i);
    const diff::Change change = changeOfItem(picture, i, changes);
    const double inside = width - 2 * cardPadding;
    const auto mostRight = static_cast<std::size_t>(0.6 * inside / smallLetter);
    const std::string right = firstLetters(words.right, mostRight);
    const double left =
        inside - smallLetter * static_cast<double>(lettersIn(right)) - (right.empty() ? 0 : 8);
    const std::string kind(1, static_cast<char>('0' + static_cast<int>(words.kind)));
    std::string out =
        "<g class=\"n k" + kind + (isNode ? "" : " blk") + std::string(changeClass(change)) +
        "\" tabindex=\"-1\" role=\"button\" data-i=\"" + std::to_string(i) +
        (isNode && picture.isInside ? "\" data-n=\"" + std::to_string(visible.node) : std::string()) +
        "\" transform=\"translate(" + whole(at.x) + ' ' + whole(at.y) + ")\"><title>" +
        htmlText(firstLetters(words.title, 300)) +
        (change == diff::Change::Same || changes.empty() ? ""
                                                         : ", " + std::string(diff::changeName(change))) +
        "</title>";
    const std::string size = " width=\"" + whole(width) + "\" height=\"" + whole(height) + "\"/>";
    if (isStack)
        out += "<rect class=\"c\" x=\"6\" y=\"6\" rx=\"4\"" + size +
               "<rect class=\"c\" x=\"3\" y=\"3\" rx=\"4\"" + size;
    out += "<rect class=\"c\" rx=\"4\"" + size + "<rect class=\"s\" width=\"4\" height=\"" + whole(height) +
           "\"/>" + "<text x=\"12\" y=\"15\" class=\"nm\">" +
           htmlText(firstLetters(words.name, static_cast<std::size_t>(std::max(3.0, left / nameLetter)))) +
           "</text>";
    if (!right.empty())
        out += "<text x=\"" + whole(width - 8) + "\" y=\"15\" class=\"r\">" + htmlText(right) + "</text>";
    std::string below = words.below;
    if (picture.readers[i] > 6) below += " · used " + std::to_string(picture.readers[i]) + " times";
    out += "<text x=\"12\" y=\"30\" class=\"t\">" +
           htmlText(firstLetters(below, static_cast<std::size_t>((width - 18) / smallLetter))) + "</text>";
    if (!changeClass(change).empty()) out += signHtml(change, width);
    return out + "</g>\n";
}

std::string pathOf(const std::vector<layout::Point>& points) {
    std::string out;
    for (std::size_t i = 0; i < points.size(); ++i)
        out += (i == 0 ? "M" : i == 1 ? "C" : " ") + whole(points[i].x) + ' ' + whole(points[i].y);
    return out;
}

/// One of many edges, which layout did not route.
std::vector<layout::Point> threadOf(const StagePicture& picture, const layout::VisibleEdge& edge) {
    const layout::Point &from = picture.result.boxes[edge.from], &to = picture.result.boxes[edge.to];
    const layout::Box &a = picture.input.boxes[edge.from], &b = picture.input.boxes[edge.to];
    const double x = from.x + a.width / 2, y = from.y + a.height, endX = to.x + b.width / 2, bend = 24;
    return {{x, y}, {x, y + bend}, {endX, to.y - bend}, {endX, to.y}};
}

std::string edgesSvg(const StagePicture& picture) {
    std::string out = "<g class=\"e\">\n";
    for (std::size_t e = 0; e < picture.folded.edges.size(); ++e) {
        const layout::VisibleEdge& edge = picture.folded.edges[e];
        const EdgeLook look = picture.looks[e];
        if (look == EdgeLook::NotDrawn) continue;
        const std::uint32_t laidOut = picture.layoutEdge[e];
        const std::vector<layout::Point> points = laidOut == ir::npos || look == EdgeLook::Gathered
                                                      ? threadOf(picture, edge)
                                                      : picture.result.edges[laidOut].points;
        if (points.size() < 4) continue;
        out += "<path d=\"" + pathOf(points) + "\" data-e=\"" + std::to_string(edge.from) + ' ' +
               std::to_string(edge.to) + '"' +
               (look == EdgeLook::Write      ? " class=\"w\""
                : look == EdgeLook::Gathered ? " class=\"g\""
                                             : "") +
               "/>\n";
    }
    return out + "</g>\n";
}

std::string framesSvg(const StagePicture& picture) {
    std::string out;
    for (std::size_t i = 0; i < picture.folded.open.size(); ++i) {
        const layout::Group& group = picture.tree.groups[picture.folded.open[i]];
        const layout::Rect& r = picture.result.clusters[i];
        const std::string title = group.name + (group.className.empty() ? "" : " · " + group.className) +
                                  ", " + count(group.totalNodes, "node");
        out += "<g class=\"fr\"><title>" + htmlText(group.path) + "</title><rect x=\"" + whole(r.x) +
               "\" y=\"" + whole(r.y) + "\" width=\"" + whole(r.width) + "\" height=\"" + whole(r.height) +
               "\" rx=\"6\"/><text x=\"" + whole(r.x + 10) + "\" y=\"" + whole(r.y + 17) + "\">" +
               htmlText(firstLetters(title,
                                     static_cast<std::size_t>(std::max(4.0, (r.width - 16) / nameLetter)))) +
               "</text></g>\n";
    }
    return out;
}

} // namespace

std::string svgOf(const StagePicture& picture, const std::vector<diff::Change>& changes,
                  const std::string& label) {
    constexpr double margin = 12;
    const std::string width = whole(picture.result.width + 2 * margin),
                      height = whole(picture.result.height + 2 * margin);
    std::string out = "<svg class=\"graph\" role=\"group\" aria-label=\"" + htmlText(label) + "\" width=\"" +
                      width + "\" height=\"" + height + "\" viewBox=\"" + whole(-margin) + ' ' +
                      whole(-margin) + ' ' + width + ' ' + height + "\">\n" + framesSvg(picture) +
                      edgesSvg(picture);
    for (std::size_t i = 0; i < picture.folded.items.size(); ++i)
        out += cardSvg(picture, i, changes);
    return out + "</svg>\n";
}

} // namespace dynascope::report
