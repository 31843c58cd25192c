// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/operators/recipe.h"

#include <ATen/ATen.h>
#include <array>
#include <fstream>
#include <random>
#include <stdexcept>

namespace dynascope::fuzz {

namespace {

using at::Tensor;
using c10::IValue;
using c10::ScalarType;
using c10::TypeKind;

struct DtypeName {
    std::string_view name;
    ScalarType type;
};
constexpr std::array<DtypeName, 12> dtypeNames{{{"f32", ScalarType::Float},
                                                {"f64", ScalarType::Double},
                                                {"f16", ScalarType::Half},
                                                {"bf16", ScalarType::BFloat16},
                                                {"i64", ScalarType::Long},
                                                {"i32", ScalarType::Int},
                                                {"i16", ScalarType::Short},
                                                {"i8", ScalarType::Char},
                                                {"u8", ScalarType::Byte},
                                                {"b8", ScalarType::Bool},
                                                {"c64", ScalarType::ComplexFloat},
                                                {"c128", ScalarType::ComplexDouble}}};

std::string nameOf(ScalarType type) {
    for (const DtypeName& row : dtypeNames)
        if (row.type == type) return std::string(row.name);
    return "dtype" + std::to_string(static_cast<int>(type));
}

std::string joined(const std::vector<std::int64_t>& numbers, char separator) {
    std::string out;
    for (const std::int64_t number : numbers)
        out += (out.empty() ? "" : std::string(1, separator)) + std::to_string(number);
    return out;
}

// ---- Reading

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    if (text.empty()) return out;
    std::size_t begin = 0;
    for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, begin)) {
        out.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    out.push_back(text.substr(begin));
    return out;
}

std::vector<std::int64_t> numbersOf(const std::string& text) {
    std::vector<std::int64_t> out;
    for (const std::string& word : split(text, ','))
        out.push_back(std::stoll(word));
    return out;
}

std::optional<ScalarType> dtypeOf(std::string_view name) {
    for (const DtypeName& row : dtypeNames)
        if (row.name == name) return row.type;
    return std::nullopt;
}

Recipe recipeOf(const std::string& text) {
    Recipe out;
    if (text == "None") return out;
    if (text == "True" || text == "False") {
        out.type = Recipe::Type::Bool;
        out.integer = text == "True";
        return out;
    }
    if (text.starts_with('(')) {
        out.type = Recipe::Type::List;
        for (const std::string& item : split(text.substr(1, text.size() - 2), ';'))
            out.items.push_back(recipeOf(item));
        return out;
    }
    if (text.starts_with('\'')) {
        out.type = Recipe::Type::Text;
        out.text = text.substr(1, text.size() - 2);
        return out;
    }
    if (text.starts_with('@')) {
        out.type = Recipe::Type::Dtype;
        const auto type = dtypeOf(text.substr(1));
        if (!type) throw std::runtime_error("no dtype: " + text);
        out.integer = static_cast<std::int64_t>(*type);
        return out;
    }
    if (const std::size_t open = text.find('['); open != std::string::npos) {
        const auto type = dtypeOf(text.substr(0, open));
        const std::size_t close = text.find(']');
        if (!type || close == std::string::npos) throw std::runtime_error("no tensor: " + text);
        out.type = Recipe::Type::Tensor;
        out.tensor.dtype = *type;
        out.tensor.sizes = numbersOf(text.substr(open + 1, close - open - 1));
        if (close + 1 < text.size()) out.tensor.values = numbersOf(text.substr(close + 2));
        return out;
    }
    if (text.find_first_of(".enaf") != std::string::npos) {
        out.type = Recipe::Type::Float;
        out.real = std::stod(text);
        return out;
    }
    out.type = Recipe::Type::Int;
    out.integer = std::stoll(text);
    return out;
}

// ---- Making

constexpr std::array<std::int64_t, 12> farNumbers{-1,
                                                  -2,
                                                  7,
                                                  100,
                                                  65536,
                                                  1000000,
                                                  2147483647,
                                                  2147483648,
                                                  -2147483648,
                                                  std::int64_t{1} << 40,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()};

Tensor elements(const TensorRecipe& recipe, std::int64_t count) {
    std::mt19937_64 random(recipe.seed);
    const bool integers = c10::isIntegralType(recipe.dtype, true);
    if (integers) {
        std::vector<std::int64_t> values;
        for (std::int64_t i = 0; i < count; ++i) {
            if (recipe.fill == Fill::OutOfRange && random() % 3 == 0) {
                values.push_back(farNumbers[random() % farNumbers.size()]);
            } else if (recipe.fill == Fill::Random) {
                values.push_back(static_cast<std::int64_t>(random()));
            } else if (recipe.fill == Fill::Negative) {
                values.push_back(-1 - static_cast<std::int64_t>(random() % 4));
            } else if (recipe.fill == Fill::Zero) {
                values.push_back(0);
            } else if (recipe.fill == Fill::Huge) {
                values.push_back(farNumbers[6 + random() % 6]);
            } else if (!recipe.values.empty()) {
                values.push_back(recipe.values[static_cast<std::size_t>(i) % recipe.values.size()]);
            } else {
                values.push_back(static_cast<std::int64_t>(random() % 3));
            }
        }
        return at::tensor(values, at::kLong).to(recipe.dtype);
    }
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
        const double one = static_cast<double>(random() % 2001) / 1000 - 1;
        switch (recipe.fill) {
        case Fill::Nan:
            values.push_back(random() % 2 ? std::numeric_limits<double>::quiet_NaN() : one);
            break;
        case Fill::Huge:
            values.push_back(random() % 2 ? 1e30 : -1e30);
            break;
        case Fill::Negative:
            values.push_back(-1 - std::abs(one));
            break;
        case Fill::Zero:
            values.push_back(0);
            break;
        case Fill::OutOfRange:
            values.push_back(random() % 2 ? std::numeric_limits<double>::infinity() : 1e10);
            break;
        default:
            values.push_back(one);
        }
    }
    return at::tensor(values, at::kDouble).to(recipe.dtype);
}

/// A tensor of those sizes in a storage of its own that ends where its last element does.
Tensor strided(const TensorRecipe& recipe) {
    std::vector<std::int64_t> sizes = recipe.sizes;
    if (recipe.lie == Lie::Expanded) {
        std::vector<std::int64_t> few = sizes;
        for (std::int64_t& size : few)
            if (size > 4 || (recipe.seed >> 3) % 2) size = std::min<std::int64_t>(size, 1);
        TensorRecipe small = recipe;
        small.sizes = few;
        small.lie = Lie::Contiguous;
        return strided(small).expand(sizes);
    }
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        TORCH_CHECK(!__builtin_mul_overflow(count, size, &count) && count <= 1 << 16, "too many elements");
    const Tensor flat = elements(recipe, count);
    if (sizes.size() >= 2 && recipe.lie == Lie::Transposed) {
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
        return at::empty(sizes, flat.options()).transpose(-1, -2).copy_(flat.view(recipe.sizes));
    }
    if (sizes.size() == 4 && recipe.lie == Lie::ChannelsLast)
        return flat.view(sizes).contiguous(at::MemoryFormat::ChannelsLast);
    if (!sizes.empty() && recipe.lie == Lie::Stepped) {
        sizes.back() *= 2;
        return at::empty(sizes, flat.options()).slice(-1, 0, sizes.back(), 2).copy_(flat.view(recipe.sizes));
    }
    if (!sizes.empty() && recipe.lie == Lie::Shifted) {
        sizes[0] += 1;
        return at::empty(sizes, flat.options()).slice(0, 1).copy_(flat.view(recipe.sizes));
    }
    return at::empty(sizes, flat.options()).copy_(flat.view(sizes));
}

Tensor makeTensor(const TensorRecipe& recipe) {
    switch (recipe.kind) {
    case Kind::Undefined:
        return {};
    case Kind::Meta:
        return at::empty(recipe.sizes, at::TensorOptions().dtype(recipe.dtype).device(at::kMeta));
    case Kind::Coo:
        return strided(recipe).to_sparse();
    case Kind::Csr:
        return strided(recipe).to_sparse_csr();
    case Kind::Quantized:
        return at::quantize_per_tensor(strided(recipe).to(at::kFloat), 0.1, 10,
                                       recipe.seed % 2 ? at::kQUInt8 : at::kQInt8);
    case Kind::PerChannel: {
        const Tensor values = strided(recipe).to(at::kFloat);
        TORCH_CHECK(values.dim() > 0, "no channels");
        return at::quantize_per_channel(values, at::ones({values.size(0)}, at::kDouble),
                                        at::zeros({values.size(0)}, at::kLong), 0, at::kQInt8);
    }
    case Kind::Nested:
        return at::_nested_tensor_from_tensor_list({strided(recipe), strided(recipe)});
    case Kind::Strided:
        break;
    }
    return strided(recipe);
}

c10::TypePtr withoutOptional(c10::TypePtr type) {
    while (type->kind() == TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

double realOf(const Recipe& recipe) {
    return recipe.type == Recipe::Type::Float ? recipe.real : static_cast<double>(recipe.integer);
}

at::Scalar scalarOf(const Recipe& recipe) {
    switch (recipe.type) {
    case Recipe::Type::Bool:
        return recipe.integer != 0;
    case Recipe::Type::Float:
        return recipe.real;
    case Recipe::Type::Complex:
        return c10::complex<double>(recipe.real, 1);
    default:
        return recipe.integer;
    }
}

Tensor tensorOf(const Recipe& recipe, const std::vector<IValue>& made) {
    const int same = recipe.tensor.sameAs;
    if (same >= 0 && static_cast<std::size_t>(same) < made.size() &&
        made[static_cast<std::size_t>(same)].isTensor())
        return made[static_cast<std::size_t>(same)].toTensor();
    return makeTensor(recipe.tensor);
}

template <typename Element, typename Get>
IValue listOf(const Recipe& recipe, Get get) {
    c10::List<Element> out;
    for (const Recipe& item : recipe.items)
        out.push_back(get(item));
    return out;
}

IValue makeList(const Recipe& recipe, const c10::Type& type, const std::vector<IValue>& made) {
    const c10::TypePtr element = type.containedType(0);
    switch (element->kind()) {
    case TypeKind::TensorType:
        return listOf<Tensor>(recipe, [&](const Recipe& item) { return tensorOf(item, made); });
    case TypeKind::OptionalType:
        return listOf<std::optional<Tensor>>(recipe, [&](const Recipe& item) {
            return item.type == Recipe::Type::Tensor ? std::optional<Tensor>(tensorOf(item, made))
                                                     : std::nullopt;
        });
    case TypeKind::FloatType:
        return listOf<double>(recipe, realOf);
    case TypeKind::BoolType:
        return listOf<bool>(recipe, [](const Recipe& item) { return item.integer != 0; });
    case TypeKind::NumberType:
        return listOf<at::Scalar>(recipe, scalarOf);
    case TypeKind::StringType:
        return listOf<std::string>(recipe, [](const Recipe& item) { return item.text; });
    default:
        return listOf<std::int64_t>(recipe, [](const Recipe& item) { return item.integer; });
    }
}

std::string textOf(const TensorRecipe& tensor) {
    static constexpr std::array<const char*, 6> lies{"",         " transposed", " stepped",
                                                     " shifted", " expanded",   " channels last"};
    static constexpr std::array<const char*, 7> fills{"",      " nan", " huge",  " negative",
                                                      " zero", " far", " random"};
    static constexpr std::array<const char*, 8> kinds{"",     " undefined", " meta",        " coo",
                                                      " csr", " quantized", " per channel", " nested"};
    if (tensor.sameAs >= 0) return "the tensor of argument " + std::to_string(tensor.sameAs);
    std::string out = nameOf(tensor.dtype) + '[' + joined(tensor.sizes, ',') + ']';
    if (!tensor.values.empty()) out += ':' + joined(tensor.values, ',');
    return out + lies[static_cast<std::size_t>(tensor.lie)] + fills[static_cast<std::size_t>(tensor.fill)] +
           kinds[static_cast<std::size_t>(tensor.kind)];
}

} // namespace

std::string Recipe::toString() const {
    switch (type) {
    case Type::None:
        return "None";
    case Type::Bool:
        return integer ? "True" : "False";
    case Type::Int:
        return std::to_string(integer);
    case Type::Float:
        return std::to_string(real);
    case Type::Complex:
        return std::to_string(real) + "+1j";
    case Type::Text:
        return '\'' + text + '\'';
    case Type::Dtype:
        return '@' + nameOf(static_cast<ScalarType>(integer));
    case Type::Tensor:
        return textOf(tensor);
    case Type::Default:
        return "default";
    case Type::List:
        break;
    }
    std::string out = "(";
    for (const Recipe& item : items)
        out += (out.size() > 1 ? "; " : "") + item.toString();
    return out + ')';
}

KnownCalls readCalls(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    KnownCalls out;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        KnownCall call;
        try {
            const std::vector<std::string> words = split(line, ' ');
            for (std::size_t i = 1; i < words.size(); ++i) {
                const std::size_t equals = words[i].find('=');
                if (equals == std::string::npos) continue;
                call.emplace(words[i].substr(0, equals), recipeOf(words[i].substr(equals + 1)));
            }
        } catch (const std::exception& error) {
            throw std::runtime_error(path + ':' + std::to_string(number) + ": " + error.what());
        }
        out[line.substr(0, line.find('.'))].push_back(std::move(call));
    }
    return out;
}

IValue make(const Recipe& recipe, const c10::Argument& formal, const std::vector<IValue>& made) {
    if (recipe.type == Recipe::Type::Default) return *formal.default_value();
    if (recipe.type == Recipe::Type::None) return {};
    const c10::TypePtr type = withoutOptional(formal.real_type());
    switch (type->kind()) {
    case TypeKind::TensorType:
        return tensorOf(recipe, made);
    case TypeKind::BoolType:
        return recipe.integer != 0;
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
        return realOf(recipe);
    case TypeKind::NumberType:
        return scalarOf(recipe);
    case TypeKind::StringType:
    case TypeKind::AnyType:
        return recipe.text;
    case TypeKind::ListType:
        return makeList(recipe, *type, made);
    case TypeKind::DeviceObjType:
        return c10::Device(c10::kCPU);
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
    case TypeKind::ScalarTypeType:
    default:
        return recipe.integer;
    }
}

} // namespace dynascope::fuzz
