// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/verify.h"

#include "core/engine/wire/elements.h"
#include "core/engine/wire/pass_fields.h"

#include <algorithm>

namespace dynascope::wire {

template <>
struct Words<VerifyVerdict> {
    static constexpr std::array of{std::string_view("different"), std::string_view("order-dependent"),
                                   std::string_view("random"), std::string_view("declined"),
                                   std::string_view("equal")};
};

template <>
struct Fields<Found::Layout> {
    static constexpr const char* name = "strides";
    static void of(auto& f, auto& x) {
        f("strides", x.strides);
        f("offset", x.offset);
    }
};

template <>
struct Fields<Found::Sharing> {
    static constexpr const char* name = "storage";
    static void of(auto& f, auto& x) {
        f("inputs", x.inputs);
        f("outputs", x.outputs);
    }
};

/// Its form tells which alternative it is.
template <>
struct Own<Found> {
    static Any toJson(const Found& found) {
        return std::visit(
            [](const auto& held) -> Any {
                if constexpr (std::is_same_v<decltype(held), const std::monostate&>)
                    return {};
                else
                    return Writer().json(held);
            },
            found.value);
    }
    static void read(Reader& reader, const Any& at, Found& out) {
        const auto isWhole = [](const Any& item) { return item.is_number_integer(); };
        const bool isComplex = at.is_array() && at.size() == 2 && !std::all_of(at.begin(), at.end(), isWhole);
        if (at.is_null())
            out.value = std::monostate();
        else if (at.is_string())
            reader.read(at, out.value.emplace<std::string>());
        else if (at.is_object() && at.contains("strides"))
            reader.read(at, out.value.emplace<Found::Layout>());
        else if (at.is_object())
            reader.read(at, out.value.emplace<Found::Sharing>());
        else if (at.is_array() && !isComplex)
            reader.read(at, out.value.emplace<std::vector<std::int64_t>>());
        else
            reader.read(at, out.value.emplace<Number>());
    }
};

template <>
struct Fields<VerifyRequest> {
    static constexpr const char* name = "verify request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f.optional("computed", x.computed);
        f.optional("computed_attrs", x.computedAttributes);
        f.optional("passes", x.passes);
        f.optional("steps", x.steps);
        // Of a computed graph a list of what the caller writes; of passes the option of that name.
        if (x.computed) {
            f.optional("write_back", x.writeBacks);
        } else {
            Fields<PassOptions>::of(f, x.options);
        }
        f.optional("aliasing", x.aliasing);
        f.optional("strict", x.strict);
        f.optional("seed", x.seed);
    }
};

template <>
struct Fields<ValueDistance> {
    static constexpr const char* name = "distance";
    static void of(auto& f, auto& x) {
        f("max_abs", x.maxAbsolute);
        f("max_rel", x.maxRelative);
        f("close", x.close);
        f("rounded", x.rounded);
        f.optional("cell", x.cell);
    }
};

template <>
struct Fields<Check> {
    static constexpr const char* name = "check";
    static void of(auto& f, auto& x) {
        f("what", x.what);
        f("property", x.property);
        f("ok", x.ok);
        f("counts", x.counts);
        f("expected", x.expected);
        f("actual", x.actual);
        f.part("max_abs", x.distance);
    }
};

template <>
struct Fields<FirstDifference> {
    static constexpr const char* name = "first difference";
    static void of(auto& f, auto& x) {
        f.name("computed", x.computed);
        f.name("source", x.source);
        f("index", x.index);
        f("expected", x.expected);
        f("actual", x.actual);
        f("text", x.text);
        f("among", x.among);
        f("runs", x.runs);
        f("how", x.how);
    }
};

template <>
struct Fields<VariantVerdict> {
    static constexpr const char* name = "variant";
    static void of(auto& f, auto& x) {
        f("inputs", x.inputs);
        f("verdict", x.verdict);
        f("reason", x.reason);
    }
};

template <>
struct Fields<VerifyReply> {
    static constexpr const char* name = "verify reply";
    static void of(auto& f, auto& x) {
        f("verdict", x.verdict);
        f("reason", x.reason);
        f.optional("alone", x.alone);
        f("checks", x.checks);
        f("in_double_precision", x.inDoublePrecision);
        f("first_difference", x.firstDifference);
        f("inputs", x.inputs);
        f("variants", x.variants);
        f("matched", x.matched);
        f.optional("graph", x.graph);
        f.optional("warnings", x.warnings);
    }
};

DYNASCOPE_WIRE(VerifyRequest)
DYNASCOPE_WIRE(VerifyReply)

std::string_view verdictName(VerifyVerdict verdict) {
    return Words<VerifyVerdict>::of[static_cast<std::size_t>(verdict)];
}

std::string Found::text() const {
    return textOf(Own<Found>::toJson(*this));
}

std::string Found::shown() const {
    if (isNothing()) return {};
    const auto* words = std::get_if<std::string>(&value);
    return words ? *words : text();
}

} // namespace dynascope::wire
