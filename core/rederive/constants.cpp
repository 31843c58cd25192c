// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/constants.h"

#include "core/ir/symbol_value.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace dynascope::engine {

namespace {

/// PyTorch's name of a dtype that a constant has as a rule; empty for others.
std::string_view longDtype(std::string_view shortName) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> names{
        {{"f32", "float32"},
         {"f64", "float64"},
         {"f16", "float16"},
         {"bf16", "bfloat16"},
         {"i64", "int64"},
         {"i32", "int32"},
         {"i16", "int16"},
         {"i8", "int8"},
         {"u8", "uint8"},
         {"b8", "bool"}}};
    const auto at =
        std::ranges::find(names, shortName, &std::pair<std::string_view, std::string_view>::first);
    return at == names.end() ? std::string_view() : at->second;
}

} // namespace

Constants constantsOf(const ir::Graph& graph) {
    Constants out;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == ir::Op::GetAttr && node->meta && node->meta->tensor)
            out[node->target] = &*node->meta->tensor;
    return out;
}

nlohmann::json madeUp(const Constants& a, const Constants& b) {
    Constants all = a;
    all.insert(b.begin(), b.end());
    nlohmann::json out = nlohmann::json::object();
    std::uint64_t seed = 0;
    for (const auto& [name, meta] : all) {
        ++seed;
        nlohmann::json shape = nlohmann::json::array();
        for (const std::string& size : meta->sizes)
            if (const auto number = ir::symbolValue(size, {})) shape.push_back(*number);
        const std::string_view dtype = longDtype(meta->dtype);
        if (!dtype.empty() && shape.size() == meta->sizes.size())
            out[name] = {{"dtype", dtype}, {"shape", std::move(shape)}, {"seed", seed}};
    }
    return out;
}

std::string nameList(const Constants& constants) {
    std::string out;
    for (const auto& [name, meta] : constants)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

} // namespace dynascope::engine
