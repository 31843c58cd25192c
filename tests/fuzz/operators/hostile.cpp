// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/operators/hostile.h"

#include <array>
#include <limits>
#include <random>

namespace dynascope::fuzz {

namespace {

using c10::ScalarType;
using c10::TypeKind;
using Type = Recipe::Type;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 18> hostileNumbers{0,
                                                      -1,
                                                      1,
                                                      2,
                                                      -2,
                                                      3,
                                                      7,
                                                      17,
                                                      100,
                                                      4097,
                                                      1 << 20,
                                                      2147483647,
                                                      2147483648,
                                                      -2147483648,
                                                      std::int64_t{1} << 40,
                                                      std::int64_t{1} << 62,
                                                      largest,
                                                      -largest - 1};
constexpr std::array<double, 12> hostileReals{0,
                                              -1,
                                              1,
                                              0.5,
                                              2,
                                              -2.5,
                                              1e-300,
                                              1e300,
                                              1e10,
                                              -1e10,
                                              std::numeric_limits<double>::infinity(),
                                              std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<const char*, 30> texts{
    "none", "mean",   "sum",     "tanh",    "floor",    "trunc",   "max",   "min",   "amax",      "amin",
    "prod", "linear", "nearest", "lower",   "higher",   "L",       "U",     "fro",   "nuc",       "ij",
    "xy",   "same",   "valid",   "reduced", "complete", "forward", "ortho", "i,i->", "ij,jk->ik", ""};
constexpr std::array<ScalarType, 12> dtypes{
    ScalarType::Float, ScalarType::Double, ScalarType::Long,         ScalarType::Int,
    ScalarType::Bool,  ScalarType::Half,   ScalarType::Byte,         ScalarType::BFloat16,
    ScalarType::Short, ScalarType::Char,   ScalarType::ComplexFloat, ScalarType::ComplexDouble};

c10::TypePtr bareType(const c10::Argument& formal) {
    c10::TypePtr type = formal.real_type();
    while (type->kind() == TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

bool isOptional(const c10::Argument& formal) {
    return formal.real_type()->kind() == TypeKind::OptionalType;
}

bool says(const std::string& name, std::initializer_list<const char*> words) {
    for (const char* word : words)
        if (name.find(word) != std::string::npos) return true;
    return false;
}

class Maker {
public:
    Maker(const c10::FunctionSchema& schema, std::uint64_t seed)
        : m_schema(schema)
        , m_random(seed * 0x9e3779b97f4a7c15ULL +
                   std::hash<std::string>{}(schema.name() + '.' + schema.overload_name())) {
        const std::size_t rank = std::array<std::size_t, 10>{2, 3, 4, 1, 2, 4, 0, 3, 5, 2}[below(10)];
        for (std::size_t i = 0; i < rank; ++i)
            m_sizes.push_back(oneOf(std::array<std::int64_t, 8>{2, 3, 4, 1, 5, 2, 4, 8}));
        m_dtype = below(10) < 6 ? ScalarType::Float : oneOf(dtypes);
    }

    std::vector<Recipe> run(const KnownCalls& known) {
        const KnownCall* base = pick(known);
        const std::vector<c10::Argument>& formals = m_schema.arguments();
        for (const c10::Argument& formal : formals)
            m_call.push_back(first(formal, base));
        const std::size_t spoiled = std::array<std::size_t, 10>{0, 1, 1, 1, 1, 2, 2, 2, 3, 4}[below(10)];
        for (std::size_t i = 0; i < spoiled && !formals.empty(); ++i) {
            const std::size_t at = below(formals.size());
            spoil(m_call[at], formals[at], at);
        }
        return std::move(m_call);
    }

private:
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }
    bool oneIn(std::size_t count) { return below(count) == 0; }
    template <typename List>
    typename List::value_type oneOf(const List& list) {
        return list[below(list.size())];
    }

    /// A right call of this operator, or of one that its name says is a form of it.
    const KnownCall* pick(const KnownCalls& known) {
        std::string name = m_schema.name().substr(m_schema.name().find("::") + 2);
        if (oneIn(8)) return nullptr;
        for (const char* ending : {"", "_", "_copy", "_functional", "_backward"}) {
            std::string shorter = name;
            if (!shorter.ends_with(ending)) continue;
            shorter.resize(shorter.size() - std::string_view(ending).size());
            for (const std::string& one : {shorter, "_" + shorter, shorter + "_with_indices"}) {
                const auto found = known.find(one);
                if (found == known.end()) continue;
                return &found->second[below(found->second.size())];
            }
        }
        return nullptr;
    }

    static bool fits(const Recipe& recipe, const c10::Argument& formal) {
        const TypeKind kind = bareType(formal)->kind();
        switch (recipe.type) {
        case Type::None:
            return isOptional(formal);
        case Type::Tensor:
            return kind == TypeKind::TensorType;
        case Type::List:
            return kind == TypeKind::ListType;
        case Type::Text:
            return kind == TypeKind::StringType || kind == TypeKind::AnyType;
        case Type::Bool:
            return kind == TypeKind::BoolType || kind == TypeKind::NumberType;
        case Type::Dtype:
            return kind == TypeKind::ScalarTypeType;
        case Type::Int:
        case Type::Float:
        case Type::Complex:
            return kind == TypeKind::IntType || kind == TypeKind::SymIntType || kind == TypeKind::FloatType ||
                   kind == TypeKind::NumberType;
        case Type::Default:
            break;
        }
        return false;
    }

    Recipe first(const c10::Argument& formal, const KnownCall* base) {
        if (base) {
            const auto found = base->find(formal.name());
            if (found != base->end() && fits(found->second, formal)) {
                Recipe out = found->second;
                out.tensor.seed = m_random();
                if (formal.alias_info() && formal.alias_info()->isWrite() && oneIn(8)) out.tensor.sizes = {0};
                return out;
            }
            if (formal.default_value() && !oneIn(16)) return byDefault();
        }
        if (formal.default_value() && oneIn(2)) return byDefault();
        if (isOptional(formal) && oneIn(2)) return {};
        return madeUp(*bareType(formal), formal);
    }

    static Recipe byDefault() {
        Recipe out;
        out.type = Type::Default;
        return out;
    }

    Recipe tensor(const c10::Argument& formal) {
        Recipe out;
        out.type = Type::Tensor;
        out.tensor.seed = m_random();
        out.tensor.dtype = m_dtype;
        out.tensor.sizes = m_sizes;
        if (formal.is_out()) {
            if (!oneIn(3)) out.tensor.sizes = {0};
            return out;
        }
        if (says(formal.name(),
                 {"index", "indices", "target", "offset", "length", "idx", "pivot", "seq", "perm"}) &&
            !oneIn(6))
            out.tensor.dtype = oneIn(4) ? ScalarType::Int : ScalarType::Long;
        if (says(formal.name(), {"mask", "is_target"}) && !oneIn(4)) out.tensor.dtype = ScalarType::Bool;
        switch (below(8)) {
        case 0: // a channel each
            out.tensor.sizes = {m_sizes.size() > 1 ? m_sizes[1] : 3};
            break;
        case 1: // what belongs to other sizes
            for (std::int64_t& size : out.tensor.sizes)
                if (oneIn(2)) size = oneOf(std::array<std::int64_t, 6>{1, 2, 3, 4, 0, 6});
            break;
        case 2:
            if (!out.tensor.sizes.empty()) out.tensor.sizes.pop_back();
            break;
        default:
            break;
        }
        return out;
    }

    Recipe madeUp(const c10::Type& type, const c10::Argument& formal) {
        Recipe out;
        switch (type.kind()) {
        case TypeKind::TensorType:
            return tensor(formal);
        case TypeKind::BoolType:
            out.type = Type::Bool;
            out.integer = static_cast<std::int64_t>(below(2));
            return out;
        case TypeKind::FloatType:
        case TypeKind::SymFloatType:
            out.type = Type::Float;
            out.real = oneIn(4) ? oneOf(hostileReals) : 0.5;
            return out;
        case TypeKind::NumberType:
            out.type = oneIn(2) ? Type::Float : Type::Int;
            out.real = oneIn(4) ? oneOf(hostileReals) : 1.5;
            out.integer = oneIn(4) ? oneOf(hostileNumbers) : 2;
            return out;
        case TypeKind::StringType:
            out.type = Type::Text;
            out.text = oneOf(texts);
            return out;
        case TypeKind::AnyType: // a process group's name
            out.type = Type::Text;
            out.text = oneIn(8) ? oneOf(texts) : "0";
            return out;
        case TypeKind::ListType:
            return list(type, formal);
        case TypeKind::ScalarTypeType:
            out.type = Type::Dtype;
            out.integer = static_cast<std::int64_t>(oneOf(dtypes));
            return out;
        case TypeKind::LayoutType:
        case TypeKind::MemoryFormatType:
        case TypeKind::DeviceObjType:
            out.type = Type::Int;
            out.integer = static_cast<std::int64_t>(below(3));
            return out;
        case TypeKind::IntType:
        case TypeKind::SymIntType:
            out.type = Type::Int;
            out.integer = oneIn(4) ? oneOf(hostileNumbers) : static_cast<std::int64_t>(below(4));
            return out;
        default: // a generator, a stream
            return out;
        }
    }

    Recipe list(const c10::Type& type, const c10::Argument& formal) {
        Recipe out;
        out.type = Type::List;
        const c10::TypePtr element = type.containedType(0);
        const bool tensors =
            element->kind() == TypeKind::TensorType || element->kind() == TypeKind::OptionalType;
        std::size_t count = formal.N() ? static_cast<std::size_t>(*formal.N())
                            : tensors  ? below(4)
                                       : m_sizes.size();
        if (oneIn(8)) count = below(6);
        for (std::size_t i = 0; i < count; ++i) {
            if (tensors) {
                out.items.push_back(element->kind() == TypeKind::OptionalType && oneIn(4) ? Recipe()
                                                                                          : tensor(formal));
            } else if (element->kind() == TypeKind::IntType && says(formal.name(), {"size", "shape"}) &&
                       i < m_sizes.size()) {
                out.items.emplace_back().type = Type::Int;
                out.items.back().integer = m_sizes[i];
            } else {
                out.items.push_back(madeUp(*element, formal));
            }
        }
        return out;
    }

    // ---- Spoiling

    void spoil(Recipe& recipe, const c10::Argument& formal, std::size_t at) {
        if (isOptional(formal) && oneIn(6)) {
            recipe = Recipe();
            return;
        }
        if (recipe.type == Type::None || recipe.type == Type::Default)
            recipe = madeUp(*bareType(formal), formal);
        switch (recipe.type) {
        case Type::Bool:
            recipe.integer = !recipe.integer;
            break;
        case Type::Int:
            if (oneIn(3)) {
                recipe.integer += static_cast<std::int64_t>(below(5)) - 2;
            } else {
                recipe.integer = oneOf(hostileNumbers);
            }
            break;
        case Type::Float:
        case Type::Complex:
            recipe.real = oneOf(hostileReals);
            if (bareType(formal)->kind() == TypeKind::NumberType && oneIn(8)) recipe.type = Type::Complex;
            break;
        case Type::Dtype:
            recipe.integer = oneIn(4) ? oneOf(hostileNumbers) : static_cast<std::int64_t>(below(48));
            break;
        case Type::Text:
            recipe.text = oneOf(texts);
            break;
        case Type::Tensor:
            spoilTensor(recipe.tensor, at);
            break;
        case Type::List:
            spoilList(recipe, formal, at);
            break;
        case Type::None:
        case Type::Default:
            break;
        }
    }

    void spoilList(Recipe& recipe, const c10::Argument& formal, std::size_t at) {
        const std::size_t what = below(6);
        if (recipe.items.empty() || what == 0) {
            recipe = list(*bareType(formal), formal);
        } else if (what == 1) {
            recipe.items.pop_back();
        } else if (what == 2) {
            recipe.items.push_back(oneOf(recipe.items));
        } else {
            Recipe& item = recipe.items[below(recipe.items.size())];
            if (item.type == Type::Tensor) {
                spoilTensor(item.tensor, at);
            } else if (item.type == Type::Int) {
                item.integer =
                    oneIn(3) ? item.integer + static_cast<std::int64_t>(below(5)) - 2 : oneOf(hostileNumbers);
            } else if (item.type == Type::Float) {
                item.real = oneOf(hostileReals);
            }
        }
    }

    void spoilTensor(TensorRecipe& tensor, std::size_t at) {
        std::vector<std::int64_t>& sizes = tensor.sizes;
        switch (below(20)) {
        case 0:
        case 1:
        case 2:
            if (!sizes.empty())
                sizes[below(sizes.size())] = oneOf(std::array<std::int64_t, 8>{0, 1, 2, 3, 5, 9, 33, 64});
            break;
        case 3:
            if (!sizes.empty()) sizes.pop_back();
            break;
        case 4:
            sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(below(sizes.size() + 1)),
                         oneOf(std::array<std::int64_t, 3>{1, 2, 0}));
            break;
        case 5:
            if (sizes.size() > 1) std::swap(sizes.front(), sizes.back());
            break;
        case 6:
            tensor.dtype = oneOf(dtypes);
            break;
        case 7:
        case 8:
            tensor.lie = static_cast<Lie>(1 + below(5));
            break;
        case 9:
        case 10:
        case 11:
        case 12:
            tensor.fill = static_cast<Fill>(1 + below(6));
            break;
        case 13:
            sizes = {};
            break;
        case 14:
            sizes = {0};
            break;
        case 15:
            if (at > 0) tensor.sameAs = static_cast<int>(below(at));
            break;
        case 16:
            tensor.kind = oneIn(3) ? static_cast<Kind>(1 + below(7)) : Kind::Strided;
            break;
        case 17:
            if (!sizes.empty() && oneIn(4)) {
                sizes[below(sizes.size())] = oneOf(std::array<std::int64_t, 4>{
                    1 << 16, std::int64_t{1} << 31, std::int64_t{1} << 40, std::int64_t{1} << 60});
                tensor.lie = Lie::Expanded;
            }
            break;
        default:
            for (std::int64_t& size : sizes)
                if (oneIn(2)) size = oneOf(std::array<std::int64_t, 5>{0, 1, 2, 4, 7});
        }
    }

    const c10::FunctionSchema& m_schema;
    std::mt19937_64 m_random;
    std::vector<std::int64_t> m_sizes;
    ScalarType m_dtype = ScalarType::Float;
    std::vector<Recipe> m_call;
};

} // namespace

std::vector<Recipe> hostileCall(const c10::FunctionSchema& schema, const KnownCalls& known,
                                std::uint64_t seed) {
    return Maker(schema, seed).run(known);
}

} // namespace dynascope::fuzz
