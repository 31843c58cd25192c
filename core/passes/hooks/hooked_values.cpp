// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/hooks/hooked_values.h"

#include <algorithm>

namespace dynascope::passes::hooks {

namespace {

constexpr std::string_view setting = "saved_tensors_hooks_filtering_mode";

const ir::ValueMeta* metaOf(const ir::Graph& graph, const std::string& name) {
    const ir::NodeIndex node = graph.find(name);
    return node == ir::npos || !graph.node(node).meta ? nullptr : &*graph.node(node).meta;
}

/// "filter 'donated' (saved_tensors_hooks_filtering_mode)".
std::string filterText(Filter filter, FilterSource source) {
    const std::string by = source == FilterSource::Default ? "PyTorch's default " + std::string(setting)
                           : source == FilterSource::Given ? std::string("as given")
                                                           : std::string(setting);
    return "filter '" + std::string(filterName(filter)) + "' (" + by + ')';
}

std::string reasonToLeave(Filter filter, FilterSource source) {
    const std::string begin = "the hooks leave it as it is: " + filterText(filter, source);
    if (filter == Filter::Donated)
        return begin + " packs only memory that nobody but backward holds, and this is or shares that of an "
                       "input, an output or a gradient";
    return begin + (filter == Filter::NoStatic ? " leaves out parameters and buffers" : "");
}

} // namespace

Filter filterNamed(std::string_view mode) {
    return mode == "donated" ? Filter::Donated : mode == "no_static" ? Filter::NoStatic : Filter::All;
}

std::string_view filterName(Filter filter) {
    return filter == Filter::Donated ? "donated" : filter == Filter::NoStatic ? "no_static" : "all";
}

std::optional<std::int64_t> bytesAt(const ir::TensorMeta& meta, const ir::SymbolValues& hints) {
    ir::TensorMeta at = meta;
    for (std::string& size : at.sizes) {
        const auto value = ir::symbolValue(size, hints);
        if (!value) return std::nullopt;
        size = std::to_string(*value);
    }
    const auto bytes = at.bytes();
    return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

std::vector<HookedValue> hookedValues(const Request& request, const Hooked& hooked, FilterSource source,
                                      const ir::SymbolValues& hints) {
    std::vector<HookedValue> out;
    const std::vector<ir::Argument> outputs = resultLeaves(*request.forward);
    for (std::size_t i = request.functionOutputs; i < outputs.size(); ++i) {
        if (!outputs[i].isNode()) continue;
        HookedValue& value = out.emplace_back();
        value.saved = outputs[i].text;
        const ir::ValueMeta* before = metaOf(*request.forward, value.saved);
        if (before && before->tensor) value.bytesBefore = bytesAt(*before->tensor, hints).value_or(-1);
        const auto found = std::find_if(hooked.packed.begin(), hooked.packed.end(),
                                        [&](const Packed& packed) { return packed.saved == value.saved; });
        value.packed = found != hooked.packed.end();
        if (!value.packed) {
            value.why = before && !before->tensor && before->raw.starts_with("Sym(")
                            ? "the hooks leave it as it is: they are called on tensors, and this is a size"
                            : reasonToLeave(request.filter, source);
            continue;
        }
        value.values = found->values;
        std::string names;
        for (const std::string& name : value.values) {
            const ir::ValueMeta* meta = metaOf(*hooked.forward, name);
            const bool tensor = meta && meta->tensor;
            const std::string form = tensor ? meta->tensor->shortForm() : std::string("of unknown shape");
            value.text += (value.text.empty() ? "" : ", ") + form;
            names += (names.empty() ? "" : ", ") + name + ' ' + form;
            const auto bytes = tensor ? bytesAt(*meta->tensor, hints) : std::nullopt;
            if (!bytes || value.bytes < 0 || __builtin_add_overflow(value.bytes, *bytes, &value.bytes))
                value.bytes = -1;
        }
        value.why = "the hook packs it into " + (names.empty() ? std::string("no tensor") : names);
    }
    return out;
}

std::string nothingPacked(const std::vector<HookedValue>& values, Filter filter, FilterSource source) {
    if (std::any_of(values.begin(), values.end(), [](const HookedValue& value) { return value.packed; }))
        return {};
    if (values.empty()) return "saved-tensors hooks are on, and forward saves nothing for backward";
    std::string begin = "saved-tensors hooks are on, and leave everything that is saved (" +
                        std::to_string(values.size()) + ") as it is: " + filterText(filter, source);
    switch (filter) {
    case Filter::Donated:
        return begin + " packs only memory that nobody but backward holds";
    case Filter::NoStatic:
        return begin + " leaves out parameters and buffers, and hooks are not called on sizes";
    case Filter::All:
        return begin + " leaves out nothing, but hooks are not called on sizes";
    }
    return begin;
}

} // namespace dynascope::passes::hooks
