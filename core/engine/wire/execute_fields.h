// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of what came of a run, for the methods that hold a part of it. Internal to core/engine/wire.
#pragma once

#include "core/engine/wire/elements.h"
#include "core/engine/wire/execute.h"

namespace dynascope::wire {

template <>
struct Words<HeldValue::Kind> {
    static constexpr std::array of{std::string_view("tensor"), std::string_view("scalar"),
                                   std::string_view("list"), std::string_view("none")};
};

template <>
struct Fields<ValueHistogram> {
    static constexpr const char* name = "histogram";
    static void of(auto& f, auto& x) {
        f("lo", x.first);
        f("hi", x.last);
        f("counts", x.counts);
    }
};

template <>
struct Fields<ValueSummary> {
    static constexpr const char* name = "summary";
    static void of(auto& f, auto& x) {
        f("min", x.min);
        f("max", x.max);
        f("mean", x.mean);
        f("std", x.deviation);
        f("nan", x.nan);
        f("inf", x.infinite);
        f("zero", x.zero);
        f.optional("histogram", x.histogram);
    }
};

template <>
struct Fields<TensorFacts> {
    static constexpr const char* name = "tensor";
    static void of(auto& f, auto& x) {
        f("dtype", x.dtype);
        f.naturals("shape", x.shape);
        f("stride", x.stride);
        f("offset", x.offset);
        f("storage", x.storage);
        f("bytes", x.bytes);
        f("requires_grad", x.requiresGrad);
        f("version", x.version);
        f("is_input", x.isInput);
        f("corner", x.corner);
        f("summary", x.summary);
    }
};

template <>
struct Fields<HeldValue> {
    static constexpr const char* name = "value";
    static void of(auto& f, auto& x) {
        f("kind", x.kind);
        f("text", x.text);
        if (x.kind == HeldValue::Kind::Tensor) f.inlined(x.tensor);
        if (x.kind == HeldValue::Kind::Scalar) f("dtype", x.type);
        if (x.kind == HeldValue::Kind::List) f("items", x.items);
    }
};

template <>
struct Fields<NodeValue> {
    static constexpr const char* name = "value";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("version_bumped_by_node", x.bumped);
        Fields<HeldValue>::of(f, x.held);
    }
};

template <>
struct Fields<RunTensor> {
    static constexpr const char* name = "tensor";
    static void of(auto& f, auto& x) {
        f("dtype", x.dtype);
        f.naturals("shape", x.shape);
        f("stride", x.stride);
        f("storage_offset", x.offset);
        f.optional("data", x.data);
    }
};

template <>
struct Fields<RunAliases> {
    static constexpr const char* name = "aliases";
    static void of(auto& f, auto& x) {
        f("is_input", x.isInput);
        f("aliases_inputs", x.inputs);
        f("aliases_outputs", x.outputs);
    }
};

template <>
struct Fields<RunValue> {
    static constexpr const char* name = "value";
    static void of(auto& f, auto& x) {
        f.part("shape", x.tensor);
        f.part("aliases_inputs", x.aliases);
        f.optional("same_storage", x.sameStorage);
        f.optional("scalar", x.scalar);
        f.optional("text", x.text);
        f.optional("none", x.none);
        f.check("shape", x.tensor || x.scalar || x.text || x.none, "is missing");
    }
};

template <>
struct Fields<RunAfter> {
    static constexpr const char* name = "post";
    static void of(auto& f, auto& x) {
        f("storages", x.storages);
        f("inputs", x.inputs);
    }
};

template <>
struct Fields<ExecuteReply> {
    static constexpr const char* name = "execute reply";
    static void of(auto& f, auto& x) {
        f("outputs", x.outputs);
        f("post", x.post);
        f.optional("grads", x.grads);
        f.optional("values", x.values);
        f.optional("stopped_at", x.stoppedAt);
    }
};

} // namespace dynascope::wire
