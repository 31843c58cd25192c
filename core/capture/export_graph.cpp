// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/export_graph.h"

#include "core/capture/export_values.h"
#include "core/torch_text/traceback.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dynascope::capture {

namespace {

using ir::Argument;
using json::element;
using simdjson::SUCCESS;

constexpr int maxGraphDepth = 32;

/// "layers.0.self_attn (MultiheadAttention)" of the innermost "L__self__x,layers.0.self_attn,torch.nn...;"
/// entry.
std::string innermostModule(std::string_view stack) {
    const std::string_view last = stack.substr(stack.rfind(';') + 1);
    const std::size_t first = last.find(',');
    const std::size_t second = last.find(',', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return {};
    const std::string_view path = last.substr(first + 1, second - first - 1);
    const std::string_view type = last.substr(second + 1);
    return (path.empty() ? std::string("top module") : std::string(path)) + " (" +
           std::string(type.substr(type.rfind('.') + 1)) + ')';
}

class GraphReader {
public:
    explicit GraphReader(const ExportedRoles& roles)
        : m_roles(roles) {}
    Result<ir::GraphPtr> read(const element& graph, std::string name, int depth);

private:
    [[nodiscard]] static tl::unexpected<Error> bad(const std::string& node, const std::string& what) {
        return failure(node.empty() ? what : "node '" + node + "': " + what);
    }

    /// One graph's reading; those of subgraphs nest.
    struct Level {
        element values, symbols;
        bool hasValues = false, hasSymbols = false;
        ir::GraphBuilder builder;
        std::set<std::string, std::less<>> used;
        int depth = 0;
    };

    Result<Argument> argument(Level& level, const element& item);
    Result<Argument> list(Level& level, const element& items, std::string_view member);
    Result<Argument> subgraph(Level& level, const element& value);
    Result<Argument> table(Level& level, const element& value);
    Result<void> placeholders(Level& level, const element& graph);
    Result<void> node(Level& level, const element& item);
    static std::optional<ir::ValueMeta> metaOf(const Level& level, const std::string& name);
    const ExportedRoles& m_roles;
    int m_tables = 0; ///< dicts around the argument being read

    static void collectNames(const element& item, std::set<std::string, std::less<>>& names, int depth);
};

std::optional<ir::ValueMeta> GraphReader::metaOf(const Level& level, const std::string& name) {
    element found;
    if (level.hasValues && level.values[name].get(found) == SUCCESS)
        return ir::ValueMeta{exportedTensor(found), {}};
    if (level.hasSymbols && level.symbols[name].get(found) == SUCCESS)
        return ir::ValueMeta{std::nullopt, "Sym(" + exportedSymbol(found) + ")"};
    return std::nullopt;
}

Result<Argument> GraphReader::list(Level& level, const element& items, std::string_view member) {
    simdjson::dom::array array;
    if (items.get(array) != SUCCESS) return bad({}, "a list is missing");
    Argument out = Argument::list({});
    for (const element item : array) {
        if (member.empty()) {
            // A list of unions: the members name themselves.
            Result<Argument> value = argument(level, item);
            if (!value) return value;
            out.items.push_back(std::move(*value));
        } else if (member == "tensor") {
            out.items.push_back(Argument::node(std::string(json::text(item, "name"))));
        } else if (member == "float" || (item.is_double() && !item.is_int64() && !item.is_uint64())) {
            out.items.push_back(exportedFloat(item));
        } else if (member == "lists") {
            Result<Argument> inner = list(level, item, "plain");
            if (!inner) return inner;
            out.items.push_back(std::move(*inner));
        } else if (item.is_bool()) {
            out.items.push_back(Argument::boolean(bool(item)));
        } else if (std::string_view text; item.get(text) == SUCCESS) {
            out.items.push_back(Argument::string(std::string(text)));
        } else {
            out.items.push_back({Argument::Kind::Int, simdjson::minify(item), {}, {}});
        }
    }
    return out;
}

Result<Argument> GraphReader::subgraph(Level& level, const element& value) {
    std::string name(json::text(value, "name"));
    element graph;
    if (name.empty() || value["graph"].get(graph) != SUCCESS) return bad({}, "a subgraph has no graph");
    Result<ir::GraphPtr> read = this->read(graph, name, level.depth + 1);
    if (!read) return tl::unexpected(read.error());
    level.builder.addSubgraph(name, std::move(*read));
    ir::Node attribute;
    attribute.name = name;
    attribute.op = ir::Op::GetAttr;
    attribute.target = name;
    level.builder.add(std::move(attribute));
    return Argument::node(std::move(name));
}

Result<Argument> GraphReader::table(Level& level, const element& value) {
    simdjson::dom::object object;
    if (value.get(object) != SUCCESS) return bad({}, "a dict is missing");
    if (++m_tables > maxGraphDepth) return bad({}, "dicts are nested too deeply");
    Argument out{Argument::Kind::Dict, {}, {}, {}};
    for (const auto field : object) {
        Result<Argument> item = argument(level, field.value);
        if (!item) return item;
        out.items.push_back(Argument::string(std::string(field.key)));
        out.items.push_back(std::move(*item));
    }
    --m_tables;
    return out;
}

Result<Argument> GraphReader::argument(Level& level, const element& item) {
    const std::optional<Variant> variant = variantOf(item);
    if (!variant) return bad({}, "an argument is not a union of one member");
    const auto& [key, value] = *variant;
    std::int64_t code = 0;
    bool truth = false;
    std::string_view text;
    if (key == "as_none") return Argument::none();
    if (key == "as_tensor" || key == "as_custom_obj" || key == "as_token")
        return Argument::node(std::string(json::text(value, "name")));
    if (key == "as_name" && value.get(text) == SUCCESS) return Argument::node(std::string(text));
    if (key == "as_int") return Argument{Argument::Kind::Int, simdjson::minify(value), {}, {}};
    if (key == "as_bool" && value.get(truth) == SUCCESS) return Argument::boolean(truth);
    if (key == "as_float") return exportedFloat(value);
    if (key == "as_string" && value.get(text) == SUCCESS) return Argument::string(std::string(text));
    if (key == "as_scalar_type" && value.get(code) == SUCCESS)
        return Argument{Argument::Kind::Dtype, "torch." + exportedDtype(code), {}, {}};
    if (key == "as_memory_format" && value.get(code) == SUCCESS)
        return Argument{Argument::Kind::MemoryFormat, exportedMemoryFormat(code), {}, {}};
    if (key == "as_layout" && value.get(code) == SUCCESS)
        return Argument{Argument::Kind::Layout, exportedLayout(code), {}, {}};
    if (key == "as_device") return Argument{Argument::Kind::Device, exportedDevice(value), {}, {}};
    if (key == "as_sym_int" || key == "as_sym_bool" || key == "as_sym_float" || key == "as_optional_tensor")
        return argument(level, value);
    if (key == "as_tensors") return list(level, value, "tensor");
    if (key == "as_floats") return list(level, value, "float");
    if (key == "as_ints" || key == "as_bools" || key == "as_strings") return list(level, value, "plain");
    if (key == "as_int_lists" || key == "as_float_lists") return list(level, value, "lists");
    if (key == "as_sym_ints" || key == "as_sym_bools" || key == "as_sym_floats" ||
        key == "as_optional_tensors")
        return list(level, value, {});
    if (key == "as_nested_tensors") {
        Argument out = Argument::list({});
        simdjson::dom::array rows;
        if (value.get(rows) != SUCCESS) return bad({}, "a list is missing");
        for (const element row : rows) {
            Result<Argument> inner = list(level, row, "tensor");
            if (!inner) return inner;
            out.items.push_back(std::move(*inner));
        }
        return out;
    }
    if (key == "as_complex")
        return Argument{Argument::Kind::Complex,
                        '(' + ir::pythonRepr(json::number(value, "real")) + '+' +
                            ir::pythonRepr(json::number(value, "imag")) + "j)",
                        {},
                        {}};
    if (key == "as_graph") return subgraph(level, value);
    if (key == "as_string_to_argument") return table(level, value);
    // Kept and shown, as everything unknown is.
    return Argument::raw(simdjson::minify(value));
}

Result<void> GraphReader::placeholders(Level& level, const element& graph) {
    simdjson::dom::array inputs;
    if (graph["inputs"].get(inputs) != SUCCESS) return bad({}, "the graph has no inputs");
    std::size_t position = 0;
    for (const element input : inputs) {
        Result<Argument> value = argument(level, input);
        if (!value) return tl::unexpected(value.error());
        ir::Node node;
        node.op = ir::Op::Placeholder;
        // A constant that was passed for an input has no name of its own.
        node.name = value->isNode() ? value->text : "input_" + std::to_string(position);
        node.target = node.name;
        node.meta = metaOf(level, node.name);
        if (const auto role = m_roles.find(node.name);
            level.depth == 0 && role != m_roles.end() && role->second != "input")
            node.comment = role->second;
        level.builder.add(std::move(node));
        ++position;
    }
    return {};
}

Result<void> GraphReader::node(Level& level, const element& item) {
    ir::Node node;
    node.name = json::text(item, "name");
    node.target = json::text(item, "target");
    simdjson::dom::array outputs;
    if (node.target.empty() || item["outputs"].get(outputs) != SUCCESS)
        return bad(node.name, "no target or no outputs");
    constexpr std::string_view operators = "_operator.";
    if (node.target.starts_with(operators)) node.target.erase(0, 1);

    simdjson::dom::array inputs;
    if (item["inputs"].get(inputs) != SUCCESS) return bad(node.name, "no inputs");
    constexpr std::int64_t keyword = 2;
    for (const element input : inputs) {
        element value;
        if (input["arg"].get(value) != SUCCESS) return bad(node.name, "an input has no argument");
        Result<Argument> argument = this->argument(level, value);
        if (!argument) return bad(node.name, argument.error().message);
        if (json::integer(input, "kind", 1) == keyword)
            node.kwargs.emplace_back(json::text(input, "name"), std::move(*argument));
        else
            node.args.push_back(std::move(*argument));
    }

    element metadata;
    if (item["metadata"].get(metadata) == SUCCESS) {
        if (ir::StackTrace stack = parseTraceback(json::text(metadata, "stack_trace")); !stack.empty())
            node.stack = std::make_shared<const ir::StackTrace>(std::move(stack));
        if (const std::string module = innermostModule(json::text(metadata, "nn_module_stack"));
            !module.empty())
            node.note = "module " + module;
    }

    // One tensor or number is the node's own result; several are getitem nodes that carry the results' names.
    std::vector<std::string> results;
    const bool one = outputs.size() == 1 && outputs.at(0)["as_tensors"].error() != SUCCESS;
    for (const element output : outputs) {
        Result<Argument> result = argument(level, output);
        if (!result) return bad(node.name, result.error().message);
        result->forEachNode([&](const std::string& name) { results.push_back(name); });
        if (!result->isNode() && result->kind != Argument::Kind::List) results.emplace_back();
    }
    bool single = one;
    bool hop = false;
    if (one && item["is_hop_single_tensor_return"].get(hop) == SUCCESS && !hop) single = false;
    if (node.name.empty())
        node.name = results.empty() ? "node_" + std::to_string(level.builder.size()) : results.front();
    if (single && !results.empty()) {
        if (!results.front().empty()) node.name = results.front();
        node.meta = metaOf(level, node.name);
    }
    const std::string name = node.name;
    const std::shared_ptr<const ir::StackTrace> stack = node.stack;
    const std::string note = node.note;
    level.builder.add(std::move(node));
    if (single) return {};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string& result = results[i];
        if (result.empty() ||
            (result == name + "_unused_" + std::to_string(i) && !level.used.contains(result)))
            continue;
        ir::Node part;
        part.name = result;
        part.target = "operator.getitem";
        part.args = {Argument::node(name), Argument::integer(static_cast<std::int64_t>(i))};
        part.meta = metaOf(level, result);
        part.stack = stack;
        part.note = note;
        level.builder.add(std::move(part));
    }
    return {};
}

/// Every "name" and "as_name" below an element.
void GraphReader::collectNames(const element& item, std::set<std::string, std::less<>>& names, int depth) {
    if (depth > maxGraphDepth) return;
    simdjson::dom::array array;
    simdjson::dom::object object;
    if (item.get(array) == SUCCESS) {
        for (const element inner : array)
            collectNames(inner, names, depth + 1);
    } else if (item.get(object) == SUCCESS) {
        for (const auto field : object) {
            std::string_view text;
            if ((field.key == "name" || field.key == "as_name") && field.value.get(text) == SUCCESS)
                names.emplace(text);
            else
                collectNames(field.value, names, depth + 1);
        }
    }
}

Result<ir::GraphPtr> GraphReader::read(const element& graph, std::string name, int depth) {
    if (depth > maxGraphDepth) return bad({}, "subgraphs are nested too deeply");
    Level level;
    level.depth = depth;
    level.hasValues = graph["tensor_values"].get(level.values) == SUCCESS;
    level.hasSymbols = graph["sym_int_values"].get(level.symbols) == SUCCESS;
    level.builder.setName(std::move(name));
    if (const Result<void> done = placeholders(level, graph); !done) return tl::unexpected(done.error());
    simdjson::dom::array nodes, outputs;
    if (graph["nodes"].get(nodes) != SUCCESS || graph["outputs"].get(outputs) != SUCCESS)
        return bad({}, "the graph has no nodes or no outputs");
    for (const element item : nodes)
        if (element inputs; item["inputs"].get(inputs) == SUCCESS) collectNames(inputs, level.used, 0);
    for (const element item : outputs)
        collectNames(item, level.used, 0);
    for (const element item : nodes)
        if (const Result<void> done = node(level, item); !done) return tl::unexpected(done.error());
    ir::Node output;
    output.name = "output";
    output.op = ir::Op::Output;
    output.target = "output";
    std::vector<Argument> results;
    for (const element item : outputs) {
        Result<Argument> value = argument(level, item);
        if (!value) return bad("output", value.error().message);
        results.push_back(std::move(*value));
    }
    if (json::boolean(graph, "is_single_tensor_return") && results.size() == 1)
        output.args = std::move(results);
    else
        output.args = {Argument::tuple(std::move(results))};
    level.builder.add(std::move(output));
    return level.builder.build();
}

std::vector<session::SymbolInfo> readSymbols(const element& ranges) {
    std::vector<session::SymbolInfo> out;
    simdjson::dom::object object;
    if (ranges.get(object) != SUCCESS) return out;
    const auto bound = [](const element& range, std::string_view key, std::string_view open) {
        element value;
        return range[key].get(value) == SUCCESS && !value.is_null() ? simdjson::minify(value)
                                                                    : std::string(open);
    };
    for (const auto field : object) {
        session::SymbolInfo symbol;
        symbol.symbol = field.key;
        symbol.range =
            '[' + bound(field.value, "min_val", "-oo") + ", " + bound(field.value, "max_val", "oo") + ']';
        out.push_back(std::move(symbol));
    }
    return out;
}

} // namespace

Result<ExportedProgram> readExportedProgram(std::string_view text) {
    simdjson::dom::parser parser;
    element root;
    if (const simdjson::error_code code = parser.parse(text.data(), text.size()).get(root); code != SUCCESS)
        return failure(std::string("not JSON: ") + simdjson::error_message(code));
    element module, graph;
    if (root["graph_module"].get(module) != SUCCESS || module["graph"].get(graph) != SUCCESS)
        return failure("no graph_module with a graph in it");
    ExportedProgram out;
    const ExportedRoles roles = exportedRoles(module);
    Result<ir::GraphPtr> read = GraphReader(roles).read(graph, "GraphModule", 0);
    if (!read) return tl::unexpected(read.error());
    out.graph = std::move(*read);
    out.torchVersion = json::text(root, "torch_version");
    if (element schema; root["schema_version"].get(schema) == SUCCESS)
        out.schema = std::to_string(json::integer(schema, "major")) + '.' +
                     std::to_string(json::integer(schema, "minor"));
    if (element ranges; root["range_constraints"].get(ranges) == SUCCESS) out.symbols = readSymbols(ranges);
    simdjson::dom::array guards;
    if (root["guards_code"].get(guards) == SUCCESS)
        for (const element guard : guards)
            if (std::string_view code; guard.get(code) == SUCCESS) out.guards.emplace_back(code);

    int id = 0;
    for (const ir::NodePtr& node : out.graph->nodes()) {
        if (node->op != ir::Op::Placeholder || !node->meta || !node->meta->tensor) continue;
        session::TensorInput input;
        input.id = id;
        input.storage = id++;
        const auto role = roles.find(node->name);
        input.source = role == roles.end() || role->second == "input" ? node->name : role->second;
        input.isParameter = role != roles.end() && role->second.starts_with("parameter");
        input.meta = *node->meta->tensor;
        if (element meta; graph["tensor_values"][node->name].get(meta) == SUCCESS) {
            input.requiresGrad = json::boolean(meta, "requires_grad");
            if (element offset; meta["storage_offset"].get(offset) == SUCCESS)
                input.storageOffset = exportedSymbol(offset);
            input.raw = simdjson::minify(meta);
        }
        input.isLeaf = true;
        out.inputs.push_back(std::move(input));
    }
    return out;
}

} // namespace dynascope::capture
