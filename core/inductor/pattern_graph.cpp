// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/pattern_graph.h"

#include "core/base/text.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace dynascope::inductor {

namespace {

constexpr std::size_t mostCharacters = 20'000; ///< the recorder writes 4,000; brackets are as deep at most

bool isCall(std::string_view name) {
    return name.starts_with("CallFunction") || name.starts_with("CallMethod") ||
           name.starts_with("CallModule");
}

/// Goes once over the text. Every bracket that is open has a frame.
class ExpressionParser {
public:
    PatternGraph run(std::string_view text) {
        m_out.whole = text.size() <= mostCharacters;
        text = text.substr(0, mostCharacters);
        reserve(text);
        m_frames.push_back({{}, '\0', {}, {}});
        for (std::size_t i = 0; i < text.size(); ++i)
            i = take(text, i);
        endLine();
        if (m_frames.size() > 1) m_out.whole = false;
        return std::move(m_out);
    }

private:
    struct Frame {
        std::string callee;
        char closes;
        std::vector<std::string> arguments;
        std::string open; ///< the argument that is being written
    };

    /// Names that are bound by keyword are no node's.
    void reserve(std::string_view text) {
        constexpr std::string_view keyword = "KeywordArg(";
        for (std::size_t at = text.find(keyword); at != std::string_view::npos; at = text.find(keyword, at)) {
            at += keyword.size();
            const char quote = at < text.size() ? text[at] : '\0';
            if (quote != '\'' && quote != '"') continue;
            const std::size_t end = text.find(quote, at + 1);
            if (end == std::string_view::npos) return;
            m_out.inputs.emplace(text.substr(at + 1, end - at - 1));
        }
    }

    /// The last character that was taken.
    std::size_t take(std::string_view text, std::size_t i) {
        const char letter = text[i];
        Frame& frame = m_frames.back();
        if (letter == '\'' || letter == '"') {
            const std::size_t end = std::min(text.find(letter, i + 1), text.size() - 1);
            frame.open += text.substr(i, end - i + 1);
            return end;
        }
        if (letter == '\n' && m_frames.size() == 1) {
            endLine();
        } else if (letter == '(' || letter == '[') {
            std::string callee = letter == '(' ? calleeOf(frame.open) : std::string();
            m_frames.push_back({std::move(callee), letter == '(' ? ')' : ']', {}, {}});
        } else if (m_frames.size() > 1 && letter == frame.closes) {
            finish();
        } else if (letter == ',' && m_frames.size() > 1) {
            endArgument(frame);
        } else {
            frame.open += letter;
        }
        return i;
    }

    /// The name before a bracket, which is taken from what stands there.
    static std::string calleeOf(std::string& open) {
        std::size_t begin = open.size();
        while (begin > 0 && (isNameByte(open[begin - 1]) || open[begin - 1] == '.'))
            --begin;
        std::string out = open.substr(begin);
        open.resize(begin);
        return out;
    }

    /// "mul_Scalar = mul": what PatternPrettyPrinter calls a node, and its name here.
    void endLine() {
        const std::string line = std::exchange(m_frames.front().open, {});
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) return;
        const std::string value(trimmed(std::string_view(line).substr(equals + 1)));
        if (m_names.contains(value))
            m_called[std::string(trimmed(std::string_view(line).substr(0, equals)))] = value;
    }

    void endArgument(Frame& frame) {
        const std::string_view text = trimmed(frame.open);
        if (const auto called = m_called.find(std::string(text)); called != m_called.end())
            frame.arguments.push_back(called->second);
        else if (!text.empty())
            frame.arguments.emplace_back(text);
        frame.open.clear();
    }

    void finish() {
        endArgument(m_frames.back());
        Frame frame = std::move(m_frames.back());
        m_frames.pop_back();
        m_frames.back().open +=
            frame.closes == ']' ? '[' + joined(frame.arguments, ", ") + ']' : valueOf(frame);
    }

    std::string valueOf(Frame& frame) {
        if (isCall(frame.callee) && !frame.arguments.empty()) return nodeOf(frame);
        if (frame.callee == "KeywordArg" && !frame.arguments.empty()) {
            std::string name = frame.arguments.front();
            std::erase_if(name, [](char letter) { return letter == '\'' || letter == '"'; });
            return name;
        }
        if (frame.callee == "Arg") return std::string(anyArgument);
        if (frame.callee == "Ignored") return "_";
        return frame.callee + '(' + joined(frame.arguments, ", ") + ')';
    }

    /// The name of the node that a call stands for.
    std::string nodeOf(Frame& frame) {
        PatternNode node;
        node.target = frame.arguments.front();
        for (std::size_t i = 1; i < frame.arguments.size(); ++i) {
            std::string& argument = frame.arguments[i];
            if (argument.starts_with("_users=") || argument.starts_with("users="))
                node.users = argument.substr(argument.find('=') + 1);
            else
                node.arguments.push_back(std::move(argument));
        }
        const std::string key = node.target + '(' + joined(node.arguments, ", ") + ')' + node.users;
        if (const auto known = m_known.find(key); known != m_known.end()) return known->second;
        const std::string base = operatorName(node.target);
        do {
            const std::size_t number = m_named[base]++;
            node.name = number == 0 ? base : base + '_' + std::to_string(number);
        } while (m_out.inputs.contains(node.name) || node.name == anyArgument);
        m_known.emplace(key, node.name);
        m_names.insert(node.name);
        m_out.nodes.push_back(node);
        return node.name;
    }

    std::vector<Frame> m_frames;
    std::unordered_map<std::string, std::string> m_known; ///< names, by what is called with what
    std::unordered_map<std::string, std::size_t> m_named;
    std::unordered_map<std::string, std::string> m_called; ///< names here, by those of lines
    std::unordered_set<std::string> m_names;
    PatternGraph m_out;
};

} // namespace

std::string operatorName(std::string_view target) {
    if (target.starts_with('[')) target = target.substr(1, target.find_first_of(",]") - 1);
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= target.size();) {
        const std::size_t end = std::min(target.find('.', begin), target.size());
        parts.push_back(target.substr(begin, end - begin));
        begin = end + 1;
    }
    std::string_view name = parts.size() >= 3 ? parts[parts.size() - 2] : parts.back();
    std::string out;
    for (const char letter : trimmed(name))
        if (isNameByte(letter)) out += letter;
    return out.empty() ? "node" : out;
}

std::string PatternNode::text() const {
    std::string out = name + " = " + target + '(';
    for (std::size_t i = 0; i < arguments.size(); ++i)
        out += (i == 0 ? "" : ", ") + arguments[i];
    return out + ')';
}

PatternGraph patternGraph(std::string_view expression) {
    return ExpressionParser().run(expression);
}

} // namespace dynascope::inductor
