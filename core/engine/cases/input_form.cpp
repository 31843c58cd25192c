// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/input_form.h"

#include "core/base/json_fields.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/session/input_sources.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t mostElements = 1 << 27;

/// Words between commas, spaces and brackets.
std::vector<std::string> wordsIn(std::string_view text) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : text) {
        if (std::string_view(" ,;()[]{}\t\n").find(c) == std::string_view::npos) {
            word += c;
        } else if (!word.empty()) {
            out.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) out.push_back(std::move(word));
    return out;
}

std::optional<std::int64_t> integer(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::optional<Numbers> sizes(std::string_view text) {
    Numbers out;
    for (const std::string& word : wordsIn(text)) {
        const auto value = integer(word);
        if (!value || *value < 0 || *value > mostElements) return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

std::optional<std::int64_t> elementsOf(const Numbers& shape) {
    std::int64_t out = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(out, size, &out) || out > mostElements) return std::nullopt;
    return out;
}

/// As makeInputs reads it: a number, or a word for one that JSON has none for.
std::optional<json> numberFrom(std::string_view word) {
    if (word == "true" || word == "True") return json(true);
    if (word == "false" || word == "False") return json(false);
    if (word == "nan" || word == "inf" || word == "-inf") return json(std::string(word));
    if (const auto whole = integer(word)) return json(*whole);
    double value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
        return std::nullopt;
    return json(value);
}

/// "seed 7"; 0 where the text is nothing at all; none where it is values.
std::optional<std::uint64_t> seedIn(std::string_view text) {
    const std::vector<std::string> words = wordsIn(text);
    if (words.empty()) return 0;
    if (words.size() != 2 || words.front() != "seed") return std::nullopt;
    const auto seed = integer(words.back());
    return seed && *seed >= 0 ? std::optional(static_cast<std::uint64_t>(*seed)) : std::nullopt;
}

bool isIntegral(std::string_view dtype) {
    return dtype.starts_with("int") || dtype.starts_with("uint");
}

/// A row read: what its texts say.
struct Tensor {
    Numbers shape, stride;
    std::int64_t offset = 0, elements = 0, reach = 0; ///< reach: elements of memory up to its last one
    std::vector<json> values;                         ///< one for all, or one each; empty: seeded
    std::uint64_t seed = 0;                           ///< 0: not given
};

tl::expected<Tensor, std::string> readTensor(const InputRow& row) {
    const auto fail = [](std::string why) { return tl::unexpected(std::move(why)); };
    const auto& known = formDtypes();
    if (row.dtype.empty()) return fail("has no dtype");
    if (std::find(known.begin(), known.end(), row.dtype) == known.end())
        return fail("has the unknown dtype '" + row.dtype + "'");
    Tensor out;
    if (row.shape.find_first_not_of(" \t") == std::string::npos) return fail("has no shape");
    const auto shape = sizes(row.shape);
    if (!shape) return fail("has the shape '" + row.shape + "', which is not made of numbers");
    out.shape = *shape;
    const auto elements = elementsOf(out.shape);
    if (!elements) return fail("is very large");
    out.elements = *elements;
    out.stride.assign(out.shape.size(), 1);
    for (std::size_t i = out.shape.size(); i-- > 1;)
        out.stride[i - 1] = out.stride[i] * std::max<std::int64_t>(out.shape[i], 1);
    if (!wordsIn(row.stride).empty()) {
        const auto stride = sizes(row.stride);
        if (!stride) return fail("has the strides '" + row.stride + "', which are not numbers");
        if (stride->size() != out.shape.size()) return fail("has more or fewer strides than sizes");
        out.stride = *stride;
    }
    if (!wordsIn(row.offset).empty()) {
        const auto offset = sizes(row.offset);
        if (!offset || offset->size() != 1)
            return fail("has the offset '" + row.offset + "', which is no number");
        out.offset = offset->front();
    }
    out.reach = out.offset + (out.elements > 0 ? 1 : 0);
    for (std::size_t i = 0; out.elements > 0 && i < out.shape.size(); ++i) {
        std::int64_t step = 0;
        if (__builtin_mul_overflow(out.shape[i] - 1, out.stride[i], &step) ||
            __builtin_add_overflow(out.reach, step, &out.reach) || out.reach > mostElements)
            return fail("is very large");
    }
    if (const auto seed = seedIn(row.values)) {
        out.seed = *seed;
        return out;
    }
    for (const std::string& word : wordsIn(row.values)) {
        auto value = numberFrom(word);
        if (!value) return fail("has the value '" + word + "', which is no number");
        if (isIntegral(row.dtype) && !value->is_number_integer())
            return fail("has the value '" + word + "', which is no integer");
        out.values.push_back(std::move(*value));
    }
    if (out.values.size() != 1 && static_cast<std::int64_t>(out.values.size()) != out.elements)
        return fail("has " + std::to_string(out.values.size()) + " values for " +
                    std::to_string(out.elements) + " elements");
    return out;
}

/// The place in memory of each element, in the order of the elements.
std::vector<std::int64_t> cellsOf(const Tensor& tensor) {
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(tensor.elements));
    Numbers at(tensor.shape.size(), 0);
    for (std::int64_t n = 0; n < tensor.elements; ++n) {
        std::int64_t cell = tensor.offset;
        for (std::size_t i = 0; i < at.size(); ++i)
            cell += at[i] * tensor.stride[i];
        out.push_back(cell);
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < tensor.shape[i]) break;
            at[i] = 0;
        }
    }
    return out;
}

Error about(const InputRow& row, const std::string& why) {
    return {std::string(row.constant ? "constant '" : "input '") + row.name + "' " + why, {}, 0, 0};
}

/// Memory of one input, or that several share.
struct Memory {
    std::string dtype;
    std::int64_t size = 0;
    std::uint64_t seed = 0;
    std::map<std::int64_t, json> cells; ///< that were given
};

class Reader {
public:
    Result<wire::RunOn> run(const std::vector<InputRow>& rows) {
        m_out.attributes = json::object();
        json inputs = json::array();
        for (const InputRow& row : rows) {
            if (row.isNumber()) {
                const auto words = wordsIn(row.values);
                if (const std::string lack = lackOf(row); !lack.empty())
                    return tl::unexpected(about(row, lack));
                inputs.push_back(*numberFrom(words.front()));
                continue;
            }
            const auto tensor = readTensor(row);
            if (!tensor) return tl::unexpected(about(row, tensor.error()));
            if (row.constant) {
                addConstant(row, *tensor);
                continue;
            }
            const auto storage = addMemory(row, *tensor);
            if (!storage) return tl::unexpected(storage.error());
            inputs.push_back({{"name", row.name},
                              {"storage", *storage},
                              {"shape", tensor->shape},
                              {"stride", tensor->stride},
                              {"storage_offset", tensor->offset},
                              {"dtype", row.dtype},
                              {"via", "set"}});
        }
        json storages = json::array();
        for (const Memory& memory : m_memories)
            storages.push_back(storageOf(memory));
        m_out.inputs = {{"storages", std::move(storages)}, {"inputs", std::move(inputs)}};
        return std::move(m_out);
    }

private:
    void addConstant(const InputRow& row, const Tensor& tensor) {
        json value{{"dtype", row.dtype}, {"shape", tensor.shape}};
        if (tensor.values.empty() && tensor.elements > 0) {
            value["seed"] = tensor.seed > 0 ? tensor.seed : m_out.attributes.size() + 1;
        } else {
            value["data"] = json::array();
            for (std::int64_t i = 0; i < tensor.elements; ++i)
                value["data"].push_back(tensor.values[tensor.values.size() == 1 ? 0 : std::size_t(i)]);
        }
        m_out.attributes[row.name] = std::move(value);
    }

    Result<std::size_t> addMemory(const InputRow& row, const Tensor& tensor) {
        std::size_t at = m_memories.size();
        if (const auto words = wordsIn(row.memory); !words.empty())
            at = m_named.emplace(row.memory, at).first->second;
        if (at == m_memories.size()) m_memories.push_back({row.dtype, 0, 0, {}});
        Memory& memory = m_memories[at];
        if (memory.dtype != row.dtype)
            return tl::unexpected(about(row, "shares memory '" + row.memory + "' of dtype " + memory.dtype));
        memory.size = std::max(memory.size, tensor.reach);
        if (tensor.seed > 0) memory.seed = tensor.seed;
        if (tensor.values.empty()) return at;
        const std::vector<std::int64_t> cells = cellsOf(tensor);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const json& value = tensor.values[tensor.values.size() == 1 ? 0 : i];
            const auto [known, isNew] = memory.cells.emplace(cells[i], value);
            if (!isNew && known->second != value)
                return tl::unexpected(about(row, "gives an element of memory two values"));
        }
        return at;
    }

    json storageOf(const Memory& memory) {
        ++m_seeds;
        if (memory.cells.empty())
            return {{"dtype", memory.dtype},
                    {"size", memory.size},
                    {"seed", memory.seed > 0 ? memory.seed : m_seeds}};
        // What no input was given a value for is zero.
        json data = json::array();
        for (std::int64_t i = 0; i < memory.size; ++i) {
            const auto known = memory.cells.find(i);
            data.push_back(known == memory.cells.end() ? json(0) : known->second);
        }
        return {{"dtype", memory.dtype}, {"data", std::move(data)}};
    }

    wire::RunOn m_out;
    std::vector<Memory> m_memories;
    std::map<std::string, std::size_t> m_named;
    std::uint64_t m_seeds = 0;
};

void fillIn(InputRow& row, const ir::TensorMeta& meta) {
    std::string dtype = ir::fullDtype(meta.dtype);
    constexpr std::string_view prefix = "torch.";
    if (dtype.starts_with(prefix)) dtype.erase(0, prefix.size());
    row.dtype = std::move(dtype);
    const auto list = [](const std::vector<std::string>& items) {
        std::string out = "[";
        for (const std::string& item : items)
            out += (out.size() == 1 ? "" : ", ") + item;
        return out + ']';
    };
    row.shape = list(meta.sizes);
    if (meta.strides) row.stride = list(*meta.strides);
}

json formJson(const std::vector<InputRow>& rows) {
    json out = json::array();
    for (const InputRow& row : rows)
        out.push_back({{"constant", row.constant},
                       {"name", row.name},
                       {"dtype", row.dtype},
                       {"shape", row.shape},
                       {"stride", row.stride},
                       {"memory", row.memory},
                       {"offset", row.offset},
                       {"values", row.values}});
    return out;
}

std::vector<InputRow> readForm(const json& rows) {
    std::vector<InputRow> out;
    if (!rows.is_array()) return out;
    for (const json& row : rows) {
        if (!row.is_object()) continue;
        const auto constant = row.find("constant");
        out.push_back({constant != row.end() && constant->is_boolean() && constant->get<bool>(),
                       stringField(row, "name"), stringField(row, "dtype"), stringField(row, "shape"),
                       stringField(row, "stride"), stringField(row, "memory"), stringField(row, "offset"),
                       stringField(row, "values")});
    }
    return out;
}

} // namespace

const std::vector<std::string>& formDtypes() {
    static const std::vector<std::string> names{
        "float32", "float64", "float16",   "bfloat16",   "int64",         "int32",       "int16", "int8",
        "uint8",   "bool",    "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "int",   "float"};
    return names;
}

std::vector<InputRow> inputForm(const ir::Graph& graph, const session::Compile* compile) {
    std::vector<InputRow> out, constants;
    std::optional<session::InputsByName> described;
    if (compile) described.emplace(*compile);
    std::set<std::string> known;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->op == ir::Op::GetAttr) {
            if (graph.subgraphs().contains(node->target) || !known.insert(node->target).second) continue;
            InputRow& row = constants.emplace_back();
            row.constant = true;
            row.name = node->target;
            if (node->meta && node->meta->tensor) fillIn(row, *node->meta->tensor);
            row.stride.clear(); // the engine has constants contiguous
            continue;
        }
        if (node->op != ir::Op::Placeholder) continue;
        InputRow& row = out.emplace_back();
        row.name = node->name;
        const session::TensorInput* input =
            described ? described->find(node->target.empty() ? node->name : node->target) : nullptr;
        if (node->meta && node->meta->tensor)
            fillIn(row, *node->meta->tensor);
        else if (node->meta && node->meta->raw.starts_with("Sym("))
            row.dtype = "int";
        else if (input)
            fillIn(row, input->meta);
    }
    std::move(constants.begin(), constants.end(), std::back_inserter(out));
    return out;
}

std::string lackOf(const InputRow& row) {
    if (!row.isNumber()) {
        const auto read = readTensor(row);
        return read ? std::string() : read.error();
    }
    if (row.constant) return "is a number, which no constant is";
    const auto words = wordsIn(row.values);
    if (words.empty()) return "has no value";
    const auto value = words.size() == 1 ? numberFrom(words.front()) : std::nullopt;
    if (!value || (row.dtype == "int" && !value->is_number_integer() && !value->is_boolean()))
        return "has the value '" + row.values + "', which is no " +
               (row.dtype == "int" ? "integer" : "number");
    if (value->is_string()) return "has the value '" + row.values + "', which no number input can be";
    return {};
}

Result<wire::RunOn> formValues(const std::vector<InputRow>& rows) {
    return Reader().run(rows);
}

std::string formsText(const std::vector<SavedForm>& forms) {
    json out = json::array();
    for (const SavedForm& form : forms)
        out.push_back({{"compile", form.compile}, {"stage", form.stage}, {"rows", formJson(form.rows)}});
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<SavedForm> readForms(std::string_view text) {
    const json saved = json::parse(text, nullptr, false);
    const auto index = [](const json& entry, const char* key) {
        const json& value = field(entry, key);
        return value.is_number_unsigned() ? value.get<std::size_t>() : SIZE_MAX;
    };
    std::vector<SavedForm> out;
    if (!saved.is_array()) return out;
    for (const json& entry : saved)
        out.push_back({index(entry, "compile"), index(entry, "stage"), readForm(field(entry, "rows"))});
    return out;
}

} // namespace dynascope::engine
