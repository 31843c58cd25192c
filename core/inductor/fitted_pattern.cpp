// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/fitted_pattern.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::inductor {

namespace {

using ir::Argument;

bool isNamePart(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.';
}

/// Names and numbers in the text of an argument, without those in quotes.
std::vector<std::string_view> wordsIn(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\'' || text[i] == '"') {
            const std::size_t end = text.find(text[i], i + 1);
            i = end == std::string_view::npos ? text.size() : end + 1;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && isNamePart(text[end]))
            ++end;
        if (end > i) out.push_back(text.substr(i, end - i));
        i = std::max(end, i + 1);
    }
    return out;
}

class Drawing {
public:
    explicit Drawing(const PatternGraph& pattern)
        : m_pattern(pattern) {
        for (const PatternNode& node : pattern.nodes)
            m_nodes.insert(node.name);
    }

    ir::GraphPtr run() {
        std::vector<ir::Node> nodes;
        for (const PatternNode& each : m_pattern.nodes) {
            ir::Node node;
            node.name = each.name;
            node.target = each.target;
            for (const std::string& argument : each.arguments) {
                const std::size_t equals = argument.find('=');
                const bool named = equals != std::string::npos && equals > 0 &&
                                   std::ranges::all_of(argument.substr(0, equals), isNamePart);
                if (named)
                    node.kwargs.emplace_back(argument.substr(0, equals),
                                             valueOf(argument.substr(equals + 1)));
                else
                    node.args.push_back(valueOf(argument));
            }
            nodes.push_back(std::move(node));
        }
        ir::GraphBuilder out;
        for (ir::Node& input : m_inputs)
            out.add(std::move(input));
        for (ir::Node& node : nodes)
            out.add(std::move(node));
        return out.build();
    }

private:
    Argument valueOf(std::string_view text) {
        if (text == anyArgument) {
            // Each stands for something of its own.
            const std::size_t number = m_open++;
            return input(number == 0 ? std::string(text) : std::string(text) + '_' + std::to_string(number));
        }
        if (m_nodes.contains(text)) return Argument::node(std::string(text));
        if (m_pattern.inputs.contains(text)) return input(std::string(text));
        std::vector<Argument> read;
        for (const std::string_view word : wordsIn(text)) {
            if (m_nodes.contains(word)) read.push_back(Argument::node(std::string(word)));
            if (m_pattern.inputs.contains(word)) read.push_back(input(std::string(word)));
        }
        return read.empty() ? Argument::raw(std::string(text)) : Argument::list(std::move(read));
    }

    Argument input(std::string name) {
        if (m_known.insert(name).second) {
            ir::Node node;
            node.name = node.target = name;
            node.op = ir::Op::Placeholder;
            m_inputs.push_back(std::move(node));
        }
        return Argument::node(std::move(name));
    }

    const PatternGraph& m_pattern;
    std::unordered_set<std::string_view> m_nodes;
    std::unordered_set<std::string> m_known;
    std::vector<ir::Node> m_inputs;
    std::size_t m_open = 0;
};

/// Of the pattern's nodes those that each of them reads.
std::vector<std::vector<std::size_t>> readsOf(const PatternGraph& pattern) {
    std::unordered_map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < pattern.nodes.size(); ++i)
        at.emplace(pattern.nodes[i].name, i);
    std::vector<std::vector<std::size_t>> out;
    for (const PatternNode& node : pattern.nodes) {
        std::vector<std::size_t>& reads = out.emplace_back();
        for (const std::string& argument : node.arguments)
            for (const std::string_view word : wordsIn(argument))
                if (const auto read = at.find(word); read != at.end()) reads.push_back(read->second);
    }
    return out;
}

} // namespace

ir::GraphPtr drawnPattern(const PatternGraph& pattern) {
    return pattern.nodes.empty() ? nullptr : Drawing(pattern).run();
}

std::vector<ir::NodeIndex> fittedBy(const PatternGraph& pattern, const Match& match, const ir::Graph& graph) {
    if (!pattern.whole || pattern.nodes.empty() || pattern.nodes.size() != match.nodes.size()) return {};
    std::vector<ir::NodeIndex> out;
    for (std::size_t i = 0; i < match.nodes.size(); ++i) {
        const ir::NodeIndex node = graph.find(match.nodes[i].name);
        if (node == ir::npos ||
            operatorName(pattern.nodes[i].target) != operatorName(graph.node(node).target))
            return {};
        out.push_back(node);
    }
    const std::vector<std::vector<std::size_t>> reads = readsOf(pattern);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto inputs = graph.inputs(out[i]);
        for (const std::size_t read : reads[i])
            if (std::ranges::find(inputs, out[read]) == inputs.end()) return {};
    }
    return out;
}

} // namespace dynascope::inductor
