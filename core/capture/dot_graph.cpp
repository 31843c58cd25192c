// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/dot_graph.h"

#include "core/base/text.h"
#include "core/ir/dot_text.h"
#include "core/ir/value_parser.h"

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::capture {

namespace {

/// The fields of a record label: "{name=%add|op_code=call_function\n|target=...|args=(3,)|num_users=2\n}".
std::map<std::string, std::string> fieldsOf(std::string_view label) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < label.size(); ++i) {
        const char c = label[i];
        if (c == '\\' && i + 1 < label.size()) {
            const char escaped = label[++i];
            if (std::string_view("nlr").find(escaped) == std::string_view::npos)
                parts.back() += escaped;
            else
                parts.back() += ' ';
        } else if (c == '|') {
            parts.emplace_back();
        } else if (c != '{' && c != '}') {
            parts.back() += c == '\n' ? ' ' : c;
        }
    }
    std::map<std::string, std::string> out;
    for (const std::string& part : parts) {
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos)
            out.emplace(trimmed(std::string_view(part).substr(0, equals)),
                        trimmed(std::string_view(part).substr(equals + 1)));
    }
    return out;
}

/// "(4, 5)" as "4", "5".
std::vector<std::string> sizes(std::string_view text) {
    std::vector<std::string> out;
    if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view size = trimmed(text.substr(0, comma));
        if (!size.empty()) out.emplace_back(size);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return out;
}

std::optional<ir::ValueMeta> metaOf(const std::map<std::string, std::string>& fields) {
    const auto dtype = fields.find("dtype"), shape = fields.find("shape"), stride = fields.find("stride");
    if (dtype == fields.end() || shape == fields.end()) return std::nullopt;
    ir::TensorMeta tensor;
    tensor.dtype = ir::shortDtype(dtype->second);
    tensor.sizes = sizes(shape->second);
    if (stride != fields.end()) tensor.strides = sizes(stride->second);
    return ir::ValueMeta{std::move(tensor), {}};
}

/// "cap.py:44 y = y + 3".
std::shared_ptr<const ir::StackTrace> stackOf(std::string_view file) {
    const std::size_t colon = file.find(':');
    if (colon == std::string_view::npos) return nullptr;
    ir::SourceLocation at;
    at.file = file.substr(0, colon);
    const std::string_view rest = file.substr(colon + 1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), at.line);
    if (error != std::errc()) return nullptr;
    at.code = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
    return std::make_shared<const ir::StackTrace>(ir::StackTrace{std::move(at)});
}

/// Nodes of FX and their edges, whatever cluster they are drawn in.
class Drawing final : public ir::DotListener {
public:
    void onBegin(const std::string& /*name*/) override {}
    void onEnd() override {}
    void onStatement(ir::DotStatement statement) override {
        for (std::size_t i = 1; i < statement.chain.size(); ++i)
            m_edges.emplace_back(statement.chain[i - 1], statement.chain[i]);
        if (!statement.isNode() || statement.label.find("op_code=") == std::string::npos) return;
        const std::string& id = statement.chain.front();
        if (m_index.try_emplace(id, m_nodes.size()).second)
            m_nodes.push_back({id, fieldsOf(statement.label), {}});
    }

    [[nodiscard]] Result<ir::GraphPtr> build(const ir::DotText& text) {
        if (m_nodes.empty()) return failure("The drawing has no node of an FX graph", {}, text.line);
        for (const auto& [from, to] : m_edges) {
            const auto a = m_index.find(from), b = m_index.find(to);
            if (a == m_index.end() || b == m_index.end()) continue;
            std::vector<std::size_t>& inputs = m_nodes[b->second].inputs;
            if (inputs.empty() || inputs.back() != a->second) inputs.push_back(a->second);
        }
        ir::GraphBuilder builder;
        builder.setName(text.name);
        for (const Drawn& drawn : m_nodes)
            builder.add(nodeOf(drawn));
        return builder.build();
    }

private:
    struct Drawn {
        std::string id;
        std::map<std::string, std::string> fields;
        std::vector<std::size_t> inputs; ///< of m_nodes, in the order of the edges
    };

    [[nodiscard]] std::string nameOf(const Drawn& drawn) const {
        const auto name = drawn.fields.find("name");
        if (name == drawn.fields.end()) return drawn.id;
        return name->second.starts_with('%') ? name->second.substr(1) : name->second;
    }

    [[nodiscard]] ir::Node nodeOf(const Drawn& drawn) const {
        const auto field = [&](const char* key) {
            const auto found = drawn.fields.find(key);
            return found == drawn.fields.end() ? std::string() : found->second;
        };
        ir::Node node;
        node.name = nameOf(drawn);
        node.op = ir::opFromName(field("op_code")).value_or(ir::Op::CallFunction);
        node.target = field("target");
        node.meta = metaOf(drawn.fields);
        node.stack = stackOf(field("file"));
        for (const std::size_t input : drawn.inputs)
            node.args.push_back(ir::Argument::node(nameOf(m_nodes[input])));
        if (node.op == ir::Op::Output) { // what is returned is one tuple
            node.args = {ir::Argument::tuple(std::move(node.args))};
            return node;
        }
        if (std::string args = field("args"); args.starts_with('(')) {
            const ir::NameSet names;
            ir::ValueParser parser(args, names);
            parser.pos = 1;
            std::vector<ir::Argument> values;
            if (parser.items(values, ir::Syntax::Fx, ')', "arguments"))
                node.args.insert(node.args.end(), values.begin(), values.end());
            else
                node.args.push_back(ir::Argument::raw(std::move(args)));
        }
        if (const std::string kwargs = field("kwargs"); kwargs.starts_with('{')) {
            const ir::NameSet names;
            ir::ValueParser parser(kwargs, names);
            parser.pos = 1;
            std::vector<std::pair<std::string, ir::Argument>> values;
            if (parser.fxKwargs(values)) node.kwargs = std::move(values);
        }
        return node;
    }

    std::vector<Drawn> m_nodes;
    std::unordered_map<std::string, std::size_t> m_index;
    std::vector<std::pair<std::string, std::string>> m_edges;
};

} // namespace

bool looksLikeDot(std::string_view text) {
    text = trimmed(text.substr(0, 4096));
    if (text.starts_with("strict ")) text = trimmed(text.substr(7));
    return text.starts_with("digraph ") || text.starts_with("digraph{");
}

Result<ir::GraphPtr> readDotGraph(std::string_view text) {
    Drawing drawing;
    const Result<ir::DotText> read = ir::readDot(text, drawing);
    return read ? drawing.build(*read) : tl::unexpected(read.error());
}

} // namespace dynascope::capture
