// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/double_precision.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/torch_words.h"
#include "core/ir/empty_like.h"

#include <algorithm>
#include <array>
#include <c10/core/DefaultDtype.h>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::int64_t maxWidened = 1 << 27;

/// Parts of targets that see bits or set a precision.
constexpr std::array<std::string_view, 9> precise{
    "view.dtype",        "view_element_type", "bitcast", "quantize", "autocast",
    "set_default_dtype", "view_of_dtype",     "finfo",   "nextafter"};
/// Methods of tensors that name a dtype.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> methods{
    {{"float", "double"}, {"half", "double"}, {"bfloat16", "double"}}};

class NotTheSame {};

at::ScalarType widened(at::ScalarType type) {
    if (c10::isFloat8Type(type) || type == at::kFloat4_e2m1fn_x2) throw NotTheSame();
    return widest(type);
}

void widen(ir::Argument& argument) {
    if (argument.kind == ir::Argument::Kind::Dtype) {
        const auto type = dtypeFromName(argument.text);
        if (!type) throw NotTheSame();
        if (widened(*type) != *type)
            argument = {ir::Argument::Kind::Dtype, "torch." + dtypeName(widened(*type)), {}, {}};
        return;
    }
    if (argument.items.empty()) return;
    argument.spelling.clear();
    for (ir::Argument& item : argument.items)
        widen(item);
}

ir::NodePtr widen(const ir::NodePtr& node) {
    const bool calls = node->op == ir::Op::CallFunction || node->op == ir::Op::CallMethod;
    if (node->op == ir::Op::CallModule) throw NotTheSame();
    if (calls && std::any_of(precise.begin(), precise.end(), [&](std::string_view part) {
            return node->target.find(part) != std::string::npos;
        }))
        throw NotTheSame();
    ir::Node out = *node;
    for (ir::Argument& argument : out.args)
        widen(argument);
    for (auto& [name, argument] : out.kwargs)
        widen(argument);
    if (node->op == ir::Op::CallMethod)
        for (const auto& [method, wide] : methods)
            if (node->target == method) out.target = wide;
    // x.view(torch.int32)
    if (node->op == ir::Op::CallMethod && node->target == "view" && node->args.size() == 2 &&
        node->args[1].kind == ir::Argument::Kind::Dtype)
        throw NotTheSame();
    return std::make_shared<const ir::Node>(std::move(out));
}

} // namespace

std::optional<Side> inDoublePrecision(const Side& side) {
    if (!side.program->graph->subgraphs().empty()) return std::nullopt;
    try {
        ir::GraphBuilder builder = ir::emptyLike(*side.program->graph);
        for (const ir::NodePtr& node : side.program->graph->nodes())
            builder.add(widen(node));
        Side out{std::make_shared<const Program>(compile(builder.build())), {}, side.writeBacks};
        if (!out.program->unsupported.empty()) return std::nullopt;
        for (const auto& [name, tensor] : side.attributes)
            out.attributes[name] = tensor.to(widened(tensor.scalar_type()));
        out.isWide = true;
        return out;
    } catch (const NotTheSame&) {
        return std::nullopt;
    }
}

bool areWidenable(const json& inputs) {
    std::int64_t elements = 0;
    const json& storages = inputs.at("storages");
    for (const json& storage : storages)
        elements += storage.contains("data") ? static_cast<std::int64_t>(storage["data"].size())
                                             : storage.value("size", std::int64_t{0});
    if (elements > maxWidened) return false;
    const json& tensors = inputs.at("inputs");
    return std::all_of(tensors.begin(), tensors.end(), [&](const json& input) {
        if (!input.is_object()) return true;
        const auto type = dtypeFromName(input.value("dtype", ""));
        return type && !c10::isFloat8Type(*type) &&
               input["dtype"] == storages.at(input.at("storage").get<std::size_t>())["dtype"];
    });
}

DoubleByDefault::DoubleByDefault(bool on)
    : m_before(c10::get_default_dtype()) {
    if (on) c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
}

DoubleByDefault::~DoubleByDefault() {
    c10::set_default_dtype(m_before);
}

} // namespace dynascope::engine
