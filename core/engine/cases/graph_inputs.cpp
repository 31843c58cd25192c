// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/graph_inputs.h"

#include "core/engine/cases/index_bounds.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t maxElements = 1 << 27;

struct DtypeWord {
    std::string_view shortName, name;
    bool integral;
};
constexpr std::array<DtypeWord, 20> dtypes{{
    {"f32", "float32", false},
    {"f64", "float64", false},
    {"f16", "float16", false},
    {"bf16", "bfloat16", false},
    {"i64", "int64", true},
    {"i32", "int32", true},
    {"i16", "int16", true},
    {"i8", "int8", true},
    {"u8", "uint8", true},
    {"u16", "uint16", true},
    {"u32", "uint32", true},
    {"u64", "uint64", true},
    {"b8", "bool", false},
    {"c32", "complex32", false},
    {"c64", "complex64", false},
    {"c128", "complex128", false},
    {"f8e4m3fn", "float8_e4m3fn", false},
    {"f8e5m2", "float8_e5m2", false},
    {"f8e4m3fnuz", "float8_e4m3fnuz", false},
    {"f8e5m2fnuz", "float8_e5m2fnuz", false},
}};

const DtypeWord* dtypeWord(std::string_view shortName) {
    const auto found = std::find_if(dtypes.begin(), dtypes.end(),
                                    [&](const DtypeWord& row) { return row.shortName == shortName; });
    return found == dtypes.end() ? nullptr : &*found;
}

/// Statistics that must be positive to make sense, told by their names.
bool isVariance(std::string_view name) {
    return name.find("running_var") != std::string_view::npos || name.ends_with("_var") ||
           name.find("exp_avg_sq") != std::string_view::npos;
}

class Maker {
public:
    Maker(const ir::Graph& graph, const session::Compile* compile, const GraphInputOptions& options)
        : m_graph(graph)
        , m_compile(compile)
        , m_options(options) {}

    Result<json> run() {
        readSymbols();
        if (m_compile) m_described = session::InputsByName(*m_compile);
        m_bounds = indexBounds(m_graph, m_symbols);
        m_needs = inputNeeds(m_graph);
        m_sums = rowSums(m_graph, m_symbols);
        for (ir::NodeIndex i = 0; i < m_graph.size(); ++i) {
            const ir::Node& node = m_graph.node(i);
            if (node.op != ir::Op::Placeholder) continue;
            if (auto added = add(i, node); !added) return tl::unexpected(why(node, added.error()));
        }
        json out{{"storages", std::move(m_storages)}, {"inputs", std::move(m_inputs)}};
        if (!m_bases.empty()) out["bases"] = std::move(m_bases);
        return out;
    }

private:
    using Added = tl::expected<void, std::string>;

    static Error why(const ir::Node& node, const std::string& lacks) {
        const std::string& type = node.typeExpr;
        const auto says = [&](const char* word) { return type.find(word) != std::string::npos; };
        if (!node.meta && says(".") && !says("Tensor") && !says("Parameter") && !says("Sym"))
            return Error{"input '" + node.name + "' is a " + type +
                         ", which an operator reads and of which the engine has none"};
        return Error{"input '" + node.name + "' " + lacks + "; give its value with --inputs"};
    }

    void readSymbols() {
        if (m_compile) {
            for (const session::SymbolInfo& symbol : m_compile->symbols) {
                std::int64_t value = 0;
                const std::string& text = symbol.value;
                if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
                    m_symbols[symbol.symbol] = value;
            }
        }
        for (const auto& [name, value] : m_options.symbols)
            m_symbols[name] = value;
    }

    /// The name of the source that an input stands for; its own where that is not known.
    [[nodiscard]] std::string sourceOf(const ir::Node& node) const { return m_described.nameOf(node); }

    [[nodiscard]] const session::TensorInput* describedAs(const std::string& source) const {
        return m_described.find(source);
    }

    /// PyTorch describes a tensor once. One that it has met as another input's base gets no source when it
    /// comes as an input itself, and is then the only one without.
    [[nodiscard]] const session::TensorInput* onlyBaseLike(const ir::TensorMeta& meta) const {
        if (!m_compile) return nullptr;
        const session::TensorInput* out = nullptr;
        for (const session::TensorInput& base : m_compile->inputs) {
            const auto isViewOf = [&](const session::TensorInput& other) {
                return other.describer == base.describer && other.base == base.id && other.id != base.id;
            };
            if (!base.source.empty() || base.meta.dtype != meta.dtype || base.meta.sizes != meta.sizes ||
                base.meta.strides != meta.strides ||
                std::none_of(m_compile->inputs.begin(), m_compile->inputs.end(), isViewOf))
                continue;
            if (out) return nullptr; // either might be meant
            out = &base;
        }
        return out;
    }

    Added add(ir::NodeIndex index, const ir::Node& node) {
        if (!node.meta) return described(index, node, nullptr);
        if (node.meta->tensor) return described(index, node, &*node.meta->tensor);
        return symbolic(node);
    }

    /// An object that no operator reads, such as the device mesh of a DTensor: any will do.
    [[nodiscard]] bool onlyReturned(ir::NodeIndex index) const {
        const std::span<const ir::NodeIndex> users = m_graph.users(index);
        return std::all_of(users.begin(), users.end(),
                           [&](ir::NodeIndex user) { return m_graph.node(user).op == ir::Op::Output; });
    }

    Added symbolic(const ir::Node& node) {
        std::string_view text = node.meta->raw;
        constexpr std::string_view open = "Sym(";
        if (!text.starts_with(open) || !text.ends_with(')'))
            return tl::unexpected("is '" + node.meta->raw + "', of which nothing is known");
        text = text.substr(open.size(), text.size() - open.size() - 1);
        const auto value = ir::symbolValue(text, m_symbols);
        if (!value)
            return tl::unexpected("is the size " + std::string(text) + ", which has no value: use --symbol");
        m_inputs.push_back(*value);
        return {};
    }

    [[nodiscard]] std::optional<Sizes> numbers(const std::vector<std::string>& texts) const {
        Sizes out;
        for (const std::string& text : texts) {
            const auto number = ir::symbolValue(text, m_symbols);
            if (!number || *number < 0 || *number > maxElements) return std::nullopt;
            out.push_back(*number);
        }
        return out;
    }

    Added described(ir::NodeIndex index, const ir::Node& node, const ir::TensorMeta* shown) {
        const std::string source = sourceOf(node);
        const session::TensorInput* input = describedAs(source);
        if (!input && shown && !session::isBaseInput(node)) input = onlyBaseLike(*shown);
        const ir::TensorMeta* meta = shown ? shown : input ? &input->meta : nullptr;
        if (!meta && onlyReturned(index)) {
            m_inputs.push_back(json());
            return {};
        }
        if (!meta) return tl::unexpected(std::string("has no shape in this text"));
        const DtypeWord* dtype = dtypeWord(meta->dtype);
        if (!dtype) return tl::unexpected("has the unknown dtype '" + meta->dtype + "'");
        const auto shape = numbers(meta->sizes);
        if (!shape)
            return tl::unexpected(std::string("has a size that is symbolic, without a value, or very large"));
        Sizes stride(shape->size(), 1);
        for (std::size_t i = shape->size(); i-- > 1;)
            stride[i - 1] = std::min(maxElements, stride[i] * std::max<std::int64_t>((*shape)[i], 1));
        if (meta->strides) {
            const auto given = numbers(*meta->strides);
            if (!given || given->size() != shape->size())
                return tl::unexpected(
                    std::string("has a stride that is symbolic, without a value, or very large"));
            stride = *given;
        }
        std::int64_t offset = 0;
        if (input && !session::isBaseInput(node))
            offset = ir::symbolValue(input->storageOffset, m_symbols).value_or(0);
        std::int64_t count = offset + 1;
        for (std::size_t i = 0; i < shape->size(); ++i) {
            if (__builtin_add_overflow(count, std::max<std::int64_t>((*shape)[i] - 1, 0) * stride[i],
                                       &count) ||
                count > maxElements || offset < 0)
                return tl::unexpected(std::string("is very large"));
        }
        json entry{{"name", node.name},
                   {"storage", storage(index, source, input, *dtype, count, fanIn(source, *shape))},
                   {"shape", *shape},
                   {"stride", stride},
                   {"storage_offset", offset},
                   {"dtype", dtype->name},
                   {"via", "set"}};
        if (input && input->requiresGrad && m_options.requiresGrad) {
            entry["requires_grad"] = true;
            if (!input->isLeaf) entry["is_leaf"] = false;
        }
        if (input && input->isConj) entry["conj"] = true;
        if (input && input->isNeg) entry["neg"] = true;
        if (input && m_options.views && !session::isBaseInput(node)) addView(*input, entry);
        if (m_needs[index] == InputNeed::Definite && shape->size() >= 2 && offset == 0 &&
            (*shape)[shape->size() - 1] == (*shape)[shape->size() - 2])
            m_storages[entry["storage"].get<std::size_t>()]["diagonal"] = shape->back();
        if (const auto& sum = m_sums[index]; sum && offset == 0 && liesInRows(*shape, stride)) {
            json& made = m_storages[entry["storage"].get<std::size_t>()];
            made["row"] = sum->row;
            made["total"] = sum->total;
        }
        m_inputs.push_back(std::move(entry));
        return {};
    }

    static bool liesInRows(const Sizes& shape, const Sizes& stride) {
        std::int64_t step = 1;
        for (std::size_t i = shape.size(); i-- > 0;) {
            if (shape[i] > 1 && stride[i] != step) return false;
            step *= std::max<std::int64_t>(shape[i], 1);
        }
        return true;
    }

    /// A view of a tensor that the capture describes becomes one of the same tensor, and that, where it is an
    /// input too, becomes itself: autograd goes by views and not by storages.
    void addView(const session::TensorInput& input, json& entry) {
        const auto isOf = [&](int id) {
            return [&input, id](const session::TensorInput& other) {
                return other.describer == input.describer && other.id == id;
            };
        };
        const auto& all = m_compile->inputs;
        const bool viewed = std::any_of(all.begin(), all.end(), [&](const session::TensorInput& other) {
            return other.describer == input.describer && other.base == input.id && other.id != input.id;
        });
        const bool views = input.base >= 0 && input.base != input.id;
        if (!views && !viewed) return;
        const auto base = std::find_if(all.begin(), all.end(), isOf(views ? input.base : input.id));
        // A view of another dtype is not one by sizes and strides.
        if (base == all.end() || base->storage != input.storage || base->meta.dtype != input.meta.dtype)
            return;
        const std::optional<std::size_t> made = baseOf(*base, entry.at("storage").get<std::size_t>());
        if (!made) return;
        entry["via"] = views ? "view" : "base";
        entry["base"] = *made;
    }

    /// Position of a base among those that inputs view; nothing where its geometry is not known.
    std::optional<std::size_t> baseOf(const session::TensorInput& base, std::size_t storage) {
        const std::pair key(base.describer, base.id);
        if (const auto known = m_baseOf.find(key); known != m_baseOf.end()) return known->second;
        const auto shape = numbers(base.meta.sizes);
        const auto stride = base.meta.strides ? numbers(*base.meta.strides) : std::nullopt;
        const auto offset = ir::symbolValue(base.storageOffset, m_symbols);
        if (!shape || !stride || stride->size() != shape->size() || !offset || *offset < 0)
            return std::nullopt;
        std::int64_t count = *offset + 1;
        for (std::size_t i = 0; i < shape->size(); ++i)
            if (__builtin_add_overflow(count, std::max<std::int64_t>((*shape)[i] - 1, 0) * (*stride)[i],
                                       &count) ||
                count > maxElements)
                return std::nullopt;
        json& size = m_storages[storage]["size"];
        size = std::max(size.get<std::int64_t>(), count);
        json made{{"storage", storage},
                  {"shape", *shape},
                  {"stride", *stride},
                  {"storage_offset", *offset},
                  {"dtype", m_storages[storage]["dtype"]}};
        if (base.requiresGrad && m_options.requiresGrad) {
            made["requires_grad"] = true;
            if (!base.isLeaf) made["is_leaf"] = false;
        }
        m_bases.push_back(std::move(made));
        return m_baseOf[key] = m_bases.size() - 1;
    }

    /// Elements that one output of a weight sums over; 1 for everything else.
    static double fanIn(std::string_view source, const Sizes& shape) {
        if (source.find("weight") == std::string_view::npos || shape.size() < 2) return 1;
        double out = 1;
        for (std::size_t i = 1; i < shape.size(); ++i)
            out *= static_cast<double>(std::max<std::int64_t>(shape[i], 1));
        return out;
    }

    /// Position of the input's storage, made or made larger as needed.
    std::size_t storage(ir::NodeIndex index, const std::string& source, const session::TensorInput* input,
                        const DtypeWord& dtype, std::int64_t count, double fanIn) {
        const unsigned bytes = ir::dtypeBytes(dtype.shortName);
        std::string name = "own " + session::lettersAndDigits(source) + ' ' + std::to_string(index);
        if (input && input->storage >= 0) {
            name = std::to_string(input->describer) + ' ' + std::to_string(input->storage);
            for (const session::StorageInfo& info : m_compile->storages) {
                if (info.describer != input->describer || info.id != input->storage || bytes == 0) continue;
                if (info.bytes / bytes <= maxElements)
                    count = std::max(count, static_cast<std::int64_t>(info.bytes / bytes));
            }
        }
        const auto [place, isNew] = m_storageOf.emplace(name, m_storages.size());
        if (isNew) {
            m_storages.push_back({{"dtype", dtype.name}, {"size", count}, {"seed", seedOf(source, input)}});
        } else {
            json& size = m_storages[place->second]["size"];
            size = std::max(size.get<std::int64_t>(), count);
        }
        json& made = m_storages[place->second];
        if (dtype.integral) {
            const std::int64_t high = std::max<std::int64_t>(m_bounds[index].value_or(4), 1);
            const std::int64_t most = dtype.shortName.ends_with('8') ? 100 : INT16_MAX;
            const std::int64_t low = m_needs[index] == InputNeed::FromOne ? 1 : 0;
            made["low"] = low;
            made["high"] = std::min({made.value("high", high + low), high + low, most});
        } else if (const auto number = numberOf(source); number && count == 1) {
            made["low"] = made["high"] = *number;
        } else if (m_bounds[index] && dtype.shortName != "b8") {
            made["low"] = 0;
            made["high"] = *m_bounds[index];
        } else if (isVariance(source)) {
            made["low"] = 0.5;
            made["high"] = 1.5;
        } else if (fanIn > 1) { // keeps deep graphs from growing out of range
            made["low"] = -1 / std::sqrt(fanIn);
            made["high"] = 1 / std::sqrt(fanIn);
        }
        return place->second;
    }

    /// The value of a Python number that Dynamo made an input of, as the capture has it.
    [[nodiscard]] std::optional<double> numberOf(const std::string& source) const {
        if (!m_compile) return std::nullopt;
        for (const session::SymbolInfo& symbol : m_compile->symbols) {
            if (!symbol.symbol.starts_with("zf") ||
                session::lettersAndDigits(symbol.source) != session::lettersAndDigits(source))
                continue;
            double value = 0;
            const char* const end = symbol.value.data() + symbol.value.size();
            const auto [read, error] = std::from_chars(symbol.value.data(), end, value);
            if (error == std::errc() && read == end) return value;
        }
        return std::nullopt;
    }

    /// Told by the source, so that every graph of a compile gets the same values for it.
    [[nodiscard]] std::uint64_t seedOf(const std::string& source, const session::TensorInput* input) const {
        if (input) return m_options.seed + static_cast<std::uint64_t>(std::max(input->storage, 0));
        std::uint64_t hash = 14695981039346656037ULL; // FNV-1a
        for (const char c : session::lettersAndDigits(source))
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        return m_options.seed + (hash >> 32U);
    }

    const ir::Graph& m_graph;
    const session::Compile* m_compile;
    const GraphInputOptions& m_options;
    ir::SymbolValues m_symbols;
    session::InputsByName m_described;
    std::vector<std::optional<std::int64_t>> m_bounds;
    std::vector<InputNeed> m_needs;
    std::vector<std::optional<RowSum>> m_sums;
    std::map<std::string, std::size_t> m_storageOf;
    std::map<std::pair<int, int>, std::size_t> m_baseOf; ///< by describer and id
    json m_storages = json::array(), m_inputs = json::array(), m_bases = json::array();
};

} // namespace

Result<json> inputsOfGraph(const ir::Graph& graph, const GraphInputOptions& options) {
    return Maker(graph, nullptr, options).run();
}

Result<json> inputsOfCapture(const session::Compile& compile, const ir::Graph& graph,
                             const GraphInputOptions& options) {
    return Maker(graph, &compile, options).run();
}

} // namespace dynascope::engine
