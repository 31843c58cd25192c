// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/tensorify.h"

#include "core/ir/empty_like.h"
#include "core/passes/aot/symbol_tree.h"
#include "core/passes/fx_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace dynascope::passes::aot {

namespace {

using ir::Argument;
using ir::Node;
using ir::NodeIndex;
using ir::Op;

struct Replacement {
    std::string_view target, by;
};
/// Those of the pass's table that a traced graph has on tensors.
constexpr std::array<Replacement, 11> replacements{{
    {"torch.ops.aten.mul.Tensor", "torch.ops.aten.mul.Tensor"},
    {"torch.ops.aten.add.Tensor", "torch.ops.aten.add.Tensor"},
    {"torch.ops.aten.sub.Tensor", "torch.ops.aten.sub.Tensor"},
    {"torch.ops.aten.div.Tensor", "torch.ops.aten.div.Tensor"},
    {"torch.ops.aten.pow.Tensor_Tensor", "torch.ops.aten.pow.Tensor_Tensor"},
    {"torch.ops.aten.gt.Scalar", "torch.ops.aten.gt.Tensor"},
    {"torch.ops.aten.lt.Scalar", "torch.ops.aten.lt.Tensor"},
    {"torch.ops.aten.ge.Scalar", "torch.ops.aten.ge.Tensor"},
    {"torch.ops.aten.le.Scalar", "torch.ops.aten.le.Tensor"},
    {"torch.ops.aten.eq.Scalar", "torch.ops.aten.eq.Tensor"},
    {"torch.ops.aten.ne.Scalar", "torch.ops.aten.ne.Tensor"},
}};

constexpr std::string_view convert = "torch.ops.prims.convert_element_type.default";
constexpr std::string_view scalarTensor = "torch.ops.aten.scalar_tensor.default";

constexpr std::array<std::string_view, 5> floatWords{"zf", "zuf", "ToFloat", "TrueDiv", "FloatPow"};

/// What short floats are computed in.
std::string computationDtype(const std::string& dtype) {
    if (dtype == "f16" || dtype == "bf16") return "f32";
    return dtype == "c32" ? "c64" : dtype;
}

bool isFloat(std::string_view dtype) {
    return dtype.starts_with('f') || dtype == "bf16";
}

/// Of the three dtypes that scalars have here.
std::string promoted(const std::string& a, const std::string& b) {
    if (a == "f64" || b == "f64") return "f64";
    return a == "f32" || b == "f32" ? "f32" : "i64";
}

std::optional<std::string> symbolText(const Node& node) {
    if (!node.meta || node.meta->tensor || !node.meta->raw.starts_with("Sym(") ||
        !node.meta->raw.ends_with(')'))
        return std::nullopt;
    return node.meta->raw.substr(4, node.meta->raw.size() - 5);
}

bool isFloatSymbol(std::string_view name) {
    return name.starts_with("zf");
}

bool hasFloats(std::string_view expression) {
    return std::any_of(floatWords.begin(), floatWords.end(), [&](std::string_view word) {
        return expression.find(word) != std::string_view::npos;
    });
}

class Tensorify {
public:
    Tensorify(const ir::Graph& joint, const ir::FloatSymbolValues& floats)
        : m_joint(joint)
        , m_floats(floats) {
        for (const ir::NodePtr& node : joint.nodes())
            static_cast<void>(m_names.create(node->name));
    }

    Result<ir::GraphPtr> run() {
        for (NodeIndex i = 0; i < m_joint.size(); ++i) {
            const Node& node = m_joint.node(i);
            if (node.op == Op::Output) {
                m_out.push_back(renamed(node));
                continue;
            }
            std::vector<Node> behind;
            m_behind = &behind;
            const bool replaced = node.op == Op::CallFunction && visit(node);
            if (!m_failure.empty()) return failure("'" + node.name + "' " + m_failure);
            if (!replaced) {
                noteSymbol(node);
                m_out.push_back(renamed(node));
            }
            for (Node& made : behind)
                m_out.push_back(std::move(made));
        }
        return finish();
    }

private:
    struct Scalar {
        std::string node, dtype;
    };
    using MaybeScalar = std::optional<Scalar>;

    Node renamed(const Node& node) const {
        Node out = node;
        for (Argument& argument : out.args)
            rename(argument);
        for (auto& [name, argument] : out.kwargs)
            rename(argument);
        return out;
    }

    void rename(Argument& argument) const {
        if (argument.isNode()) {
            if (const auto found = m_replaced.find(argument.text); found != m_replaced.end())
                argument.text = found->second;
            return;
        }
        if (argument.items.empty()) return;
        argument.spelling.clear();
        for (Argument& item : argument.items)
            rename(item);
    }

    void noteSymbol(const Node& node) {
        const auto text = symbolText(node);
        if (text && node.target != "torch.ops.aten._local_scalar_dense.default")
            m_symbols.try_emplace(*text, node.name);
    }

    /// Whether other nodes took the node's place.
    bool visit(const Node& node) {
        if (node.target == "torch.ops.aten._local_scalar_dense.default") {
            readScalar(node);
            return false;
        }
        const auto row = std::find_if(replacements.begin(), replacements.end(),
                                      [&](const Replacement& known) { return known.target == node.target; });
        if (row == replacements.end() || !node.meta || !node.meta->tensor) return false;
        return replace(node, row->by);
    }

    void readScalar(const Node& node) {
        const auto text = symbolText(node);
        const NodeIndex at =
            node.args.size() == 1 && node.args[0].isNode() ? m_joint.find(node.args[0].text) : ir::npos;
        if (!text || at == ir::npos || !m_joint.node(at).meta || !m_joint.node(at).meta->tensor) return;
        m_symbols[*text] = node.name;
        const ir::TensorMeta& tensor = *m_joint.node(at).meta->tensor;
        if (!isFloat(tensor.dtype)) return;
        Argument source = node.args[0];
        rename(source);
        Scalar scalar{source.text, tensor.dtype};
        if (!tensor.sizes.empty())
            scalar.node = make("torch.ops.aten.reshape.default",
                               {Argument::node(scalar.node), Argument::list({})}, tensor.dtype);
        m_tensors[*text] = converted(scalar, "f64");
    }

    bool replace(const Node& node, std::string_view by) {
        const ir::TensorMeta& tensor = *node.meta->tensor;
        const std::string computed = computationDtype(tensor.dtype);
        std::vector<Argument> args;
        bool transform = false;
        for (const Argument& argument : node.args) {
            const NodeIndex at = argument.isNode() ? m_joint.find(argument.text) : ir::npos;
            const auto text = at == ir::npos ? std::nullopt : symbolText(m_joint.node(at));
            const auto tree = text ? parseSymbolTree(*text) : std::nullopt;
            if (text && !tree && hasFloats(*text)) {
                m_failure = "reads " + *text + ", which is not known as PyTorch takes it apart";
                return false;
            }
            if (!tree || !tree->isFloat()) {
                args.push_back(argument);
                rename(args.back());
                continue;
            }
            MaybeScalar scalar = tensorOf(*tree);
            if (!scalar) return false; // as PyTorch leaves it, or it failed
            if (computed != "b8" && scalar->dtype != computed) scalar = converted(*scalar, computed);
            args.push_back(Argument::node(scalar->node));
            transform = true;
        }
        if (!transform) return false;
        Node made;
        made.target = by;
        made.name = m_names.create(nameOf(by));
        made.args = std::move(args);
        made.meta = node.meta;
        made.sourceLine = node.sourceLine;
        if (tensor.sizes.empty() && computed != "b8") made.meta->tensor->dtype = computed;
        std::string result = made.name;
        m_behind->push_back(std::move(made));
        if (computed != tensor.dtype) {
            Node back;
            back.target = convert;
            back.name = m_names.create("convert_element_type_default");
            back.args = {Argument::node(result),
                         {Argument::Kind::Dtype, ir::fullDtype(tensor.dtype), {}, {}}};
            back.meta = node.meta;
            result = back.name;
            m_behind->push_back(std::move(back));
        }
        m_replaced[node.name] = result;
        return true;
    }

    /// "mul_tensor" for "torch.ops.aten.mul.Tensor": what proxies trace is named with its overload.
    static std::string nameOf(std::string_view target) {
        target.remove_prefix(std::string_view("torch.ops.").size());
        std::string out(target.substr(target.find('.') + 1));
        for (char& c : out)
            c = c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return out;
    }

    std::string make(std::string_view target, std::vector<Argument> args, const std::string& dtype,
                     std::vector<std::pair<std::string, Argument>> kwargs = {}) {
        Node node;
        node.target = target;
        node.name = m_names.create(nameOf(target));
        node.args = std::move(args);
        node.kwargs = std::move(kwargs);
        node.meta = ir::ValueMeta{ir::TensorMeta{dtype, {}, std::vector<std::string>(), "cpu"}, {}};
        std::string name = node.name;
        m_made.insert(name);
        m_behind->push_back(std::move(node));
        return name;
    }

    Scalar converted(const Scalar& scalar, const std::string& dtype) {
        return {make(convert,
                     {Argument::node(scalar.node), {Argument::Kind::Dtype, ir::fullDtype(dtype), {}, {}}},
                     dtype),
                dtype};
    }

    /// None where PyTorch has no tensor for the expression either, or `m_failure` says why not.
    MaybeScalar tensorOf(const SymbolTree& tree) {
        using Kind = SymbolTree::Kind;
        if (tree.kind == Kind::Integer || tree.kind == Kind::Real) {
            const bool whole = tree.kind == Kind::Integer;
            const std::string dtype = whole ? "i64" : "f64";
            const auto number = whole ? std::optional(tree.text) : exactFloat(tree.text, m_joint);
            if (!number) return failed("reads " + tree.text + ", of which the capture has 15 digits alone");
            // Made anew each time, as there.
            Scalar made{make(scalarTensor,
                             {{whole ? Argument::Kind::Int : Argument::Kind::Float, *number, {}, {}}}, dtype,
                             {{"dtype", {Argument::Kind::Dtype, ir::fullDtype(dtype), {}, {}}}}),
                        dtype};
            return m_tensors[tree.key()] = made;
        }
        const std::string key = tree.key();
        if (const auto known = m_tensors.find(key); known != m_tensors.end()) return known->second;
        MaybeScalar out = tree.kind == Kind::Symbol ? ofSymbol(tree.text) : ofCall(tree);
        if (out) m_tensors[key] = *out;
        return out;
    }

    MaybeScalar ofSymbol(const std::string& name) {
        const auto node = m_symbols.find(name);
        if (node == m_symbols.end()) return failed("reads " + name + ", which no node before it is");
        return Scalar{make(scalarTensor, {Argument::node(node->second)}, "f32"), "f32"};
    }

    MaybeScalar failed(std::string why) {
        m_failure = std::move(why);
        return std::nullopt;
    }

    MaybeScalar ofCall(const SymbolTree& tree) {
        std::vector<Scalar> items;
        for (const SymbolTree& item : tree.items) {
            const MaybeScalar scalar = tensorOf(item);
            if (!scalar) return std::nullopt;
            items.push_back(*scalar);
        }
        if (tree.text == "ToFloat" && items.size() == 1) return converted(items[0], "f64");
        for (const auto& [name, target] : {std::pair("TruncToInt", "torch.ops.aten.trunc.default"),
                                           std::pair("FloorToInt", "torch.ops.aten.floor.default"),
                                           std::pair("CeilToInt", "torch.ops.aten.ceil.default")})
            if (tree.text == name && items.size() == 1)
                return converted(
                    {make(target, {Argument::node(items[0].node)}, items[0].dtype), items[0].dtype}, "i64");
        if (tree.text == "IntTrueDiv") return std::nullopt;
        std::string_view target;
        bool divides = false;
        if (tree.text == "Add")
            target = "torch.ops.aten.add.Tensor";
        else if (tree.text == "Mul")
            target = "torch.ops.aten.mul.Tensor";
        else if (tree.text == "Pow" || tree.text == "FloatPow" || tree.text == "PowByNatural")
            target = "torch.ops.aten.pow.Tensor_Tensor";
        else if (tree.text == "FloatTrueDiv") {
            target = "torch.ops.aten.true_divide.Tensor";
            divides = true;
        }
        if (target.empty() || items.size() < 2)
            return failed("reads a float by " + tree.text + ", which is not known as PyTorch takes it apart");
        Scalar out = items[0];
        for (std::size_t i = 1; i < items.size(); ++i) {
            std::string dtype = promoted(out.dtype, items[i].dtype);
            if (divides && dtype == "i64") dtype = "f32";
            out.node = make(target, {Argument::node(out.node), Argument::node(items[i].node)}, dtype);
            out.dtype = dtype;
        }
        return out;
    }

    /// Takes out what nothing reads any more, the last first, and makes constants of floats that are read.
    Result<ir::GraphPtr> finish() {
        std::unordered_map<std::string, std::size_t> users;
        for (const Node& node : m_out)
            node.forEachInput([&](const std::string& name) { ++users[name]; });
        std::vector<bool> dead(m_out.size(), false);
        std::unordered_map<std::string, Argument> constants;
        for (std::size_t i = m_out.size(); i-- > 0;) {
            const Node& node = m_out[i];
            if (node.op == Op::Output || node.op == Op::Placeholder) continue;
            const auto text = symbolText(node);
            if (!text && !m_made.contains(node.name)) continue;
            dead[i] = users[node.name] == 0;
            if (!dead[i]) {
                const auto tree = text ? parseSymbolTree(*text) : std::nullopt;
                const std::set<std::string> symbols = tree ? tree->symbols() : std::set<std::string>();
                if (symbols.empty() || !std::all_of(symbols.begin(), symbols.end(), isFloatSymbol)) continue;
                const auto value = ir::symbolNumber(*text, {}, m_floats);
                if (value && std::holds_alternative<double>(*value) &&
                    !exactFloat(ir::pythonRepr(std::get<double>(*value)), m_joint))
                    return failure("'" + node.name + "' is " + *text +
                                   ", of which the capture has 15 digits alone");
                if (!value) return failure("'" + node.name + "' is " + *text + ", which has no value");
                constants[node.name] =
                    std::holds_alternative<double>(*value)
                        ? Argument{Argument::Kind::Float, ir::pythonRepr(std::get<double>(*value)), {}, {}}
                        : Argument::integer(std::get<std::int64_t>(*value));
                dead[i] = true;
            }
            node.forEachInput([&](const std::string& name) { --users[name]; });
        }
        ir::GraphBuilder builder = ir::emptyLike(m_joint);
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            if (dead[i]) continue;
            for (Argument& argument : m_out[i].args)
                putConstants(argument, constants);
            for (auto& [name, argument] : m_out[i].kwargs)
                putConstants(argument, constants);
            builder.add(std::move(m_out[i]));
        }
        return builder.build();
    }

    static void putConstants(Argument& argument, const std::unordered_map<std::string, Argument>& constants) {
        if (argument.isNode()) {
            if (const auto found = constants.find(argument.text); found != constants.end())
                argument = Argument(found->second);
            return;
        }
        if (argument.items.empty() || constants.empty()) return;
        argument.spelling.clear();
        for (Argument& item : argument.items)
            putConstants(item, constants);
    }

    const ir::Graph& m_joint;
    const ir::FloatSymbolValues& m_floats;
    FxNames m_names;
    std::vector<Node> m_out;
    std::vector<Node>* m_behind = nullptr;                   ///< of the node that is visited
    std::unordered_map<std::string, std::string> m_replaced; ///< by name
    std::map<std::string, std::string> m_symbols;            ///< nodes by their expression
    std::map<std::string, Scalar> m_tensors;                 ///< by expression
    std::set<std::string> m_made;                            ///< names of scalars
    std::string m_failure;
};

} // namespace

Result<ir::GraphPtr> tensorifyScalars(const ir::Graph& joint, const ir::FloatSymbolValues& floats) {
    return Tensorify(joint, floats).run();
}

} // namespace dynascope::passes::aot
