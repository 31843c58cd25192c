// SPDX-License-Identifier: BSD-3-Clause
//
// How structs become JSON and are read from it. A type says its fields once:
//
//   template <> struct Fields<LoadReply> {
//       static constexpr const char* name = "load reply";
//       static void of(auto& f, auto& x) {
//           f("graph", x.graph);
//           f("nodes", x.nodes);
//       }
//   };
//   DYNASCOPE_WIRE(LoadReply)
//
// Reader and Writer carry that out. For the files that define such types.
#pragma once

#include "core/base/document.h"

#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace dynascope::wire {

template <typename T>
struct Fields;

/// Words of an enumeration in order of its values: `static constexpr std::array of{...}`.
template <typename T>
struct Words;

/// An enumeration that is written as a number: `static constexpr T last`.
template <typename T>
struct Numbered;

/// A struct that is written as a list of its members, as there are many of it:
/// `static auto of(auto& x) { return std::tie(x.from, x.to); }`.
template <typename T>
struct Row;

template <typename T>
concept Described = requires { Fields<T>::name; };
template <typename T>
concept Worded = requires { Words<T>::of; };
template <typename T>
concept Counted = requires { Numbered<T>::last; };
template <typename T>
concept Listed = requires(T& value) { Row<T>::of(value); };
/// A type with a codec of its own, such as Elements: `toJson(value)` and `read(reader, json, value)`.
template <typename T>
struct Own;
template <typename T>
concept Coded = requires { Own<T>::read; };

/// Whether it has no more levels than `levels`.
[[nodiscard]] bool isShallow(const Any& value, std::size_t levels = mostLevels);
/// A number, or what stands for one that JSON lacks; nothing for anything else.
[[nodiscard]] std::optional<double> numberFrom(const Any& value);
[[nodiscard]] Any numberToJson(double value);

class Writer {
public:
    template <typename T>
    void operator()(const char* field, const T& value) {
        (*m_object)[field] = json(value);
    }
    /// There in documents of every version.
    template <typename T>
    void needed(const char* field, const T& value) {
        (*this)(field, value);
    }
    /// Left out where it has its default.
    template <typename T>
    void optional(const char* field, const T& value, const T& otherwise = T{}) {
        if (!(value == otherwise)) (*m_object)[field] = json(value);
    }
    template <typename T>
    void optional(const char* field, const std::optional<T>& value) {
        if (value) (*m_object)[field] = json(*value);
    }
    template <typename T>
    void optional(const char* field, const std::vector<T>& values) {
        if (!values.empty()) (*m_object)[field] = json(values);
    }
    /// A name, null where it is empty.
    void name(const char* field, const std::string& value) {
        (*m_object)[field] = value.empty() ? Any() : Any(value);
    }
    /// Null where it is `none`.
    template <typename T>
    void orNull(const char* field, const T& value, const T& none) {
        (*m_object)[field] = value == none ? Any() : json(value);
    }
    /// Null where it is not known.
    template <typename T>
    void ifKnown(const char* field, const T& value, bool known) {
        (*m_object)[field] = known ? json(value) : Any();
    }
    /// Left out where there is nothing. `empty()` makes the alternative that the fields before it call for.
    template <typename... T, typename Empty>
    void alternative(const char* field, const std::variant<std::monostate, T...>& value,
                     const Empty& /*empty*/) {
        std::visit(
            [&](const auto& held) {
                if constexpr (!std::is_same_v<decltype(held), const std::monostate&>) (*this)(field, held);
            },
            value);
    }
    template <typename T>
    void natural(const char* field, const T& value) {
        (*this)(field, value);
    }
    template <typename T>
    void naturals(const char* field, const std::vector<T>& values) {
        (*this)(field, values);
    }
    /// Numbers, whole ones without a fraction; left out where there are none.
    void optionalCells(const char* field, const std::vector<double>& values);
    /// An object of any form.
    void object(const char* field, const Any& value) { (*m_object)[field] = value; }
    /// Fields of the same object that are there together or not at all, as their first one tells.
    template <typename T>
    void part(const char* /*first*/, const std::optional<T>& value) {
        if (value) Fields<T>::of(*this, *value);
    }
    /// The same, there in any case.
    template <typename T>
    void inlined(const std::optional<T>& value) {
        if (value) Fields<T>::of(*this, *value);
    }
    void check(const char* /*field*/, const auto& /*holds*/, const char* /*otherwise*/) {}

    template <Described T>
    [[nodiscard]] Any json(const T& value) {
        Any out = Any::object();
        Any* before = std::exchange(m_object, &out);
        Fields<T>::of(*this, value);
        m_object = before;
        return out;
    }
    template <Worded T>
    [[nodiscard]] Any json(const T& value) {
        return Words<T>::of[static_cast<std::size_t>(value)];
    }
    template <Counted T>
    [[nodiscard]] Any json(const T& value) {
        return static_cast<std::underlying_type_t<T>>(value);
    }
    template <Listed T>
    [[nodiscard]] Any json(const T& value) {
        return std::apply([this](const auto&... members) { return Any::array({this->json(members)...}); },
                          Row<T>::of(value));
    }
    template <Coded T>
    [[nodiscard]] Any json(const T& value) {
        return Own<T>::toJson(value);
    }
    template <typename T, std::size_t size>
    [[nodiscard]] Any json(const std::array<T, size>& values) {
        Any out = Any::array();
        for (const T& value : values)
            out.push_back(json(value));
        return out;
    }
    template <typename T>
    [[nodiscard]] Any json(const std::vector<T>& values) {
        Any out = Any::array();
        for (const T& value : values)
            out.push_back(json(value));
        return out;
    }
    template <typename T>
    [[nodiscard]] Any json(const std::map<std::string, T>& values) {
        Any out = Any::object();
        for (const auto& [key, value] : values)
            out[key] = json(value);
        return out;
    }
    template <typename A, typename B>
    [[nodiscard]] Any json(const std::pair<A, B>& value) {
        return Any::array({json(value.first), json(value.second)});
    }
    /// Null for nothing.
    template <typename T>
    [[nodiscard]] Any json(const std::optional<T>& value) {
        return value ? json(*value) : Any();
    }
    template <std::integral T>
    [[nodiscard]] Any json(const T& value) {
        return value;
    }
    [[nodiscard]] Any json(const double& value) { return numberToJson(value); }
    [[nodiscard]] Any json(const std::string& value) { return value; }
    [[nodiscard]] Any json(const Any& value) { return value; }

private:
    Any* m_object = nullptr;
};

/// Reads one document. The first fault ends it: what is read after that stays as it is.
class Reader {
public:
    explicit Reader(Missing missing)
        : m_missing(missing) {}

    template <typename T>
    void operator()(const char* field, T& out) {
        if (const Any* at = find(field, m_missing == Missing::Fails)) inside(field, *at, out);
    }
    template <typename T>
    void needed(const char* field, T& out) {
        if (const Any* at = find(field, true)) inside(field, *at, out);
    }
    template <typename T>
    void optional(const char* field, T& out, const T& otherwise = T{}) {
        out = otherwise;
        if (const Any* at = find(field, false)) inside(field, *at, out);
    }
    template <typename T>
    void optional(const char* field, std::optional<T>& out) {
        if (const Any* at = find(field, false)) inside(field, *at, out.emplace());
    }
    template <typename T>
    void optional(const char* field, std::vector<T>& out) {
        out.clear();
        if (const Any* at = find(field, false)) inside(field, *at, out);
    }
    void name(const char* field, std::string& out) {
        const Any* at = find(field, m_missing == Missing::Fails);
        if (at && !at->is_null()) inside(field, *at, out);
    }
    template <typename T>
    void orNull(const char* field, T& out, const T& none) {
        const Any* at = find(field, m_missing == Missing::Fails);
        if (at && at->is_null())
            out = none;
        else if (at)
            inside(field, *at, out);
    }
    template <typename T>
    void ifKnown(const char* field, T& out, bool& known) {
        const Any* at = find(field, m_missing == Missing::Fails);
        known = at && !at->is_null();
        if (known) inside(field, *at, out);
    }
    template <typename... T, typename Empty>
    void alternative(const char* field, std::variant<std::monostate, T...>& out, const Empty& empty) {
        const Any* at = find(field, false);
        if (!at) return;
        out = empty();
        std::visit(
            [&](auto& held) {
                if constexpr (!std::is_same_v<decltype(held), std::monostate&>) inside(field, *at, held);
            },
            out);
    }
    /// Not below zero.
    template <typename T>
    void natural(const char* field, T& out) {
        (*this)(field, out);
        check(field, out >= 0, "expected a number from 0 on");
    }
    template <typename T>
    void naturals(const char* field, std::vector<T>& out) {
        (*this)(field, out);
        for (const T& value : out)
            check(field, value >= 0, "expected numbers from 0 on");
    }
    void optionalCells(const char* field, std::vector<double>& out) { optional(field, out); }
    void object(const char* field, Any& out);
    template <typename T>
    void part(const char* first, std::optional<T>& out) {
        if (!m_error && m_object->contains(first)) Fields<T>::of(*this, out.emplace());
    }
    template <typename T>
    void inlined(std::optional<T>& out) {
        if (!m_error) Fields<T>::of(*this, out.emplace());
    }
    void check(const char* field, bool holds, const char* otherwise);
    /// The same of what takes time to find out.
    void check(const char* field, const std::predicate auto& holds, const char* otherwise) {
        if (!m_error) check(field, bool(holds()), otherwise);
    }

    template <Described T>
    void read(const Any& at, T& out) {
        if (!at.is_object()) return fail(at, "an object");
        const Any* before = std::exchange(m_object, &at);
        Fields<T>::of(*this, out);
        m_object = before;
    }
    template <Worded T>
    void read(const Any& at, T& out) {
        if (!at.is_string()) return fail(at, "a string");
        for (std::size_t i = 0; i < Words<T>::of.size(); ++i)
            if (at.get_ref<const std::string&>() == Words<T>::of[i]) {
                out = static_cast<T>(i);
                return;
            }
        failWith("unknown word '" + at.get_ref<const std::string&>() + '\'');
    }
    template <Counted T>
    void read(const Any& at, T& out) {
        std::underlying_type_t<T> number = 0;
        read(at, number);
        if (m_error) return;
        if (number > static_cast<std::underlying_type_t<T>>(Numbered<T>::last))
            return failWith("out of range: " + at.dump());
        out = static_cast<T>(number);
    }
    template <Listed T>
    void read(const Any& at, T& out) {
        const auto members = Row<T>::of(out);
        constexpr std::size_t size = std::tuple_size_v<decltype(members)>;
        if (!isListOf(at, size)) return;
        std::size_t i = 0;
        std::apply([&](auto&... member) { (item(at, i++, member), ...); }, members);
    }
    template <Coded T>
    void read(const Any& at, T& out) {
        Own<T>::read(*this, at, out);
    }
    template <typename T>
    void read(const Any& at, std::vector<T>& out) {
        if (!at.is_array()) return fail(at, "a list");
        out.clear();
        out.reserve(at.size());
        for (std::size_t i = 0; i < at.size() && !m_error; ++i)
            item(at, i, out.emplace_back());
    }
    template <typename T>
    void read(const Any& at, std::map<std::string, T>& out) {
        if (!at.is_object()) return fail(at, "an object");
        out.clear();
        for (auto item = at.begin(); item != at.end() && !m_error; ++item)
            inside(item.key(), *item, out[item.key()]);
    }
    template <typename A, typename B>
    void read(const Any& at, std::pair<A, B>& out) {
        if (!isListOf(at, 2)) return;
        item(at, 0, out.first);
        item(at, 1, out.second);
    }
    template <typename T, std::size_t size>
    void read(const Any& at, std::array<T, size>& out) {
        if (!isListOf(at, size)) return;
        for (std::size_t i = 0; i < size; ++i)
            item(at, i, out[i]);
    }
    template <typename T>
    void read(const Any& at, std::optional<T>& out) {
        out.reset();
        if (!at.is_null()) read(at, out.emplace());
    }
    template <std::integral T>
    void read(const Any& at, T& out) {
        if (!at.is_number_integer()) return fail(at, "a whole number");
        const bool fits = at.is_number_unsigned() ? std::in_range<T>(at.get<std::uint64_t>())
                                                  : std::in_range<T>(at.get<std::int64_t>());
        if (!fits) return failWith("out of range: " + at.dump());
        out = at.get<T>();
    }
    void read(const Any& at, bool& out);
    void read(const Any& at, double& out);
    void read(const Any& at, std::string& out);
    void read(const Any& at, std::vector<bool>& out);
    void read(const Any& at, Any& out);

    /// What stands here is not what was expected: "a list".
    void fail(const Any& at, const char* expected);
    void failItem(const Any& list, std::size_t i, const char* expected);
    void failWith(std::string why);
    /// Reads item `i` of the list `at`, which has it.
    template <typename T>
    void item(const Any& at, std::size_t i, T& out) {
        m_path.push_back({{}, i});
        read(at[i], out);
        m_path.pop_back();
    }

    /// What went wrong, in the document `what`; nothing where all is well.
    [[nodiscard]] std::optional<Error> error(const char* what) const;

private:
    struct Step {
        std::string_view field; ///< empty: an item of a list
        std::size_t index = 0;
    };

    /// Says what is wrong where it is none.
    [[nodiscard]] bool isListOf(const Any& at, std::size_t size);
    [[nodiscard]] const Any* find(const char* field, bool required);
    template <typename T>
    void inside(std::string_view field, const Any& at, T& out) {
        if (m_path.size() >= mostLevels) return failWith("nested too deeply");
        m_path.push_back({field, 0});
        read(at, out);
        m_path.pop_back();
    }
    const Any* m_object = nullptr;
    Missing m_missing;
    std::vector<Step> m_path;
    std::optional<std::string> m_error; ///< with its path
};

} // namespace dynascope::wire

/// Defines encode() and decode() of a type whose Fields are given; inside namespace dynascope::wire.
#define DYNASCOPE_WIRE(Type)                                                                                 \
    template <>                                                                                              \
    Any encode(const Type& value) {                                                                          \
        return Writer().json(value);                                                                         \
    }                                                                                                        \
    template <>                                                                                              \
    Result<Type> decode(const Any& document, Missing missing) {                                              \
        Type out;                                                                                            \
        Reader reader(missing);                                                                              \
        reader.read(document, out);                                                                          \
        if (auto error = reader.error(Fields<Type>::name)) return tl::unexpected(std::move(*error));         \
        return out;                                                                                          \
    }
