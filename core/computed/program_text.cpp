// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/program_text.h"

#include "core/base/python_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace dynascope::computed {

namespace {

/// Pieces between separators that are in no bracket and no string, up to a comment.
std::vector<std::string> pieces(std::string_view text, char separator) {
    const auto views = python::splitOutside(text.substr(0, python::commentStart(text)), separator);
    return {views.begin(), views.end()};
}

/// How a statement may spell a node's op.
std::vector<std::string> spellings(const ir::Node& node) {
    std::string_view name = node.target;
    if (name.starts_with("torch.ops.")) { // torch.ops.aten.add.Tensor
        name.remove_prefix(std::string_view("torch.ops.").size());
        name.remove_prefix(std::min(name.find('.') + 1, name.size()));
        name = name.substr(0, name.find('.'));
    } else {
        name = name.substr(name.rfind('.') + 1);
    }
    static const std::map<std::string_view, std::string_view> operators{
        {"add", "+"},     {"sub", "-"},     {"mul", "*"},   {"div", "/"},        {"matmul", "@"},
        {"neg", "-"},     {"add_", "+="},   {"sub_", "-="}, {"mul_", "*="},      {"div_", "/="},
        {"select", "["},  {"slice", "["},   {"index", "["}, {"getitem", "["},    {"index_put_", "] ="},
        {"copy_", "] ="}, {"fill_", "] ="}, {"t", ".T"},    {"transpose", ".T"}, {"permute", ".mT"}};
    std::vector<std::string> out{std::string(name) + '(', std::string(name) + '.'};
    if (const auto at = operators.find(name); at != operators.end()) out.emplace_back(at->second);
    return out;
}

/// "r" of "r = b[0]"; empty for other statements.
std::string assignedName(std::string_view statement) {
    const auto end = std::find_if_not(statement.begin(), statement.end(), isNameByte);
    const std::string_view name = statement.substr(0, std::size_t(end - statement.begin()));
    const bool isName = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0;
    return isName && statement.substr(name.size()).starts_with(" = ") ? std::string(name) : std::string();
}

/// Names between the brackets of "def f(a, b=1):".
std::vector<std::string> parametersOf(std::string_view def) {
    def.remove_prefix(std::min(def.find('('), def.size() - 1) + 1);
    std::vector<std::string> out = pieces(def.substr(0, def.find(')')), ',');
    for (std::string& parameter : out)
        parameter = trimmed(std::string_view(parameter).substr(0, parameter.find_first_of(":=")));
    return out;
}

/// Finds the statement that an op is spelled in, from some statement on; each place serves one op.
class Matcher {
public:
    Matcher(const std::vector<ProgramText::Statement>& statements, std::size_t first)
        : m_at(first) {
        for (const ProgramText::Statement& statement : statements)
            m_left.push_back(statement.text);
    }

    /// The statement of the node, or of the one before where it cannot be told; -1 behind the last one.
    int statementOf(const ir::Node& node) {
        const std::vector<std::string> spelled = spellings(node);
        for (std::size_t s = m_at; s < m_left.size(); ++s) {
            for (const std::string& spelling : spelled) {
                const std::size_t found = m_left[s].find(spelling);
                if (found == std::string::npos) continue;
                m_left[s].replace(found, spelling.size(), spelling.size(), ' ');
                m_at = s;
                return int(s);
            }
        }
        return m_at < m_left.size() ? int(m_at) : -1;
    }

private:
    std::vector<std::string> m_left; ///< what no node has taken yet
    std::size_t m_at;
};

} // namespace

ProgramText matchProgram(const std::map<std::uint32_t, std::string>& lines, const ir::Graph& graph) {
    ProgramText out;
    std::vector<std::string> parameters;
    for (const auto& [number, line] : lines) {
        const std::string_view content = trimmed(line);
        if (content.starts_with('@') || content.starts_with("import ") || content.starts_with("from "))
            continue;
        if (content.starts_with("def ")) {
            out.statements.push_back({int(number), std::string(content)});
            parameters = parametersOf(content);
            continue;
        }
        for (std::string& piece : pieces(line, ';'))
            out.statements.push_back({int(number), std::move(piece)});
    }
    out.statementOf.assign(graph.size(), -1);
    std::size_t first = 0;
    while (first < out.statements.size() && out.statements[first].text.starts_with("def "))
        ++first;
    Matcher matcher(out.statements, first);
    std::size_t placeholders = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(ir::NodeIndex(i));
        if (node.op == ir::Op::Placeholder) {
            if (placeholders < parameters.size()) out.names[node.name] = parameters[placeholders];
            ++placeholders;
            if (first > 0) out.statementOf[i] = 0;
        } else if (out.statements.empty()) {
            break;
        } else if (node.op == ir::Op::Output) {
            if (out.statements.back().text.starts_with("return"))
                out.statementOf[i] = int(out.statements.size()) - 1;
        } else {
            out.statementOf[i] = matcher.statementOf(node);
        }
    }
    // "r = b[0]": the last node of the statement is r.
    for (std::size_t s = first; s < out.statements.size(); ++s) {
        const std::string name = assignedName(out.statements[s].text);
        if (name.empty()) continue;
        for (std::size_t i = graph.size(); i-- > 0;)
            if (out.statementOf[i] == int(s)) {
                out.names[graph.node(ir::NodeIndex(i)).name] = name;
                break;
            }
    }
    return out;
}

ProgramText programOf(const session::Session& session, const session::Compile& compile,
                      const ir::Graph& graph) {
    if (session.kind != session::Kind::OracleCase || !compile.location()) return {};
    const auto file = session.sources.find(compile.location()->file);
    return file == session.sources.end() ? ProgramText() : matchProgram(file->second.lines, graph);
}

} // namespace dynascope::computed
