// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/verify.h"

#include "core/engine/wire/pass_fields.h"

namespace dynascope::wire {

template <>
struct Words<VerifyVerdict> {
    static constexpr std::array of{std::string_view("different"), std::string_view("order-dependent"),
                                   std::string_view("random"), std::string_view("declined"),
                                   std::string_view("equal")};
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

std::string shownValue(const Any& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : textOf(value);
}

} // namespace dynascope::wire
