// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/compare.h"

#include "core/base/json_fields.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr double tolerance = 1e-5;

std::string shortText(const json& value) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

/// What differs, or nothing. `path` names the place so far. Arrays nest no deeper than a case does: data, or
/// lists of complex pairs.
std::optional<std::string> differs(const json& expected, const json& got, const std::string& path) {
    if (expected.is_number() && got.is_number()) {
        const auto a = expected.get<double>();
        const auto b = got.get<double>();
        if (expected == got || std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)}))
            return std::nullopt;
    } else if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (expected[i].is_array() && path.size() > 100) return path + " is nested too deeply";
            if (auto text = differs(expected[i], got[i], path + '[' + std::to_string(i) + ']')) return text;
        }
        return std::nullopt;
    } else if (expected == got) {
        return std::nullopt;
    }
    return path + " is " + shortText(got) + ", expected " + shortText(expected);
}

class Comparer {
public:
    std::vector<Difference> run(const json& expected, const json& got) {
        const json& outputs = field(expected, "outputs");
        const json& gotOutputs = field(got, "outputs");
        rows(Aspect::OutputValues, "output", outputs, gotOutputs, {"shape", "data", "scalar", "none"});
        rows(Aspect::OutputStrides, "output", outputs, gotOutputs, {"stride"});
        rows(Aspect::OutputAliasing, "output", outputs, gotOutputs,
             {"aliases_inputs", "is_input", "aliases_outputs"});
        rows(Aspect::OutputLayout, "output", outputs, gotOutputs, {"dtype", "storage_offset"});
        const json& post = field(expected, "post");
        const json& gotPost = field(got, "post");
        if (auto text = differs(field(post, "storages"), field(gotPost, "storages"), "storages"))
            m_out.push_back({Aspect::Storages, "after the call " + *text});
        const json& inputs = field(post, "inputs");
        const json& gotInputs = field(gotPost, "inputs");
        rows(Aspect::InputValues, "input", inputs, gotInputs, {"shape", "data"});
        rows(Aspect::InputStrides, "input", inputs, gotInputs, {"stride", "storage_offset"});
        rows(Aspect::InputIdentity, "input", inputs, gotInputs, {"dtype", "same_storage"});
        const json& gradients = field(expected, "grads");
        const json& gotGradients = field(got, "grads");
        if (!gradients.is_null() || !gotGradients.is_null())
            rows(Aspect::Gradients, "gradient", gradients, gotGradients,
                 {"shape", "stride", "dtype", "storage_offset", "data"});
        return std::move(m_out);
    }

private:
    void rows(Aspect aspect, const std::string& what, const json& expected, const json& got,
              std::initializer_list<const char*> keys) {
        if (!expected.is_array() || !got.is_array() || expected.size() != got.size()) {
            m_out.push_back({aspect, "there are " + std::to_string(got.size()) + ' ' + what + "s, expected " +
                                         std::to_string(expected.size())});
            return;
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (const char* key : keys) {
                if (auto text = differs(field(expected[i], key), field(got[i], key), key)) {
                    m_out.push_back({aspect, what + ' ' + std::to_string(i) + ": " + *text});
                    return;
                }
            }
        }
    }

    std::vector<Difference> m_out;
};

} // namespace

std::string_view aspectName(Aspect aspect) {
    switch (aspect) {
    case Aspect::OutputValues:
        return "output_values";
    case Aspect::OutputStrides:
        return "output_strides";
    case Aspect::OutputAliasing:
        return "output_aliasing";
    case Aspect::OutputLayout:
        return "output_layout";
    case Aspect::Storages:
        return "storages";
    case Aspect::InputValues:
        return "input_values";
    case Aspect::InputStrides:
        return "input_strides";
    case Aspect::InputIdentity:
        return "input_identity";
    case Aspect::Gradients:
        return "gradients";
    }
    return {};
}

std::vector<Difference> compareRuns(const json& expected, const json& got) {
    return Comparer().run(expected, got);
}

std::string dataDifference(const json& expected, const json& got) {
    return differs(expected, got, "data").value_or(std::string());
}

bool sameValues(const std::vector<Difference>& differences) {
    return std::none_of(differences.begin(), differences.end(), [](const Difference& difference) {
        return difference.aspect == Aspect::OutputValues || difference.aspect == Aspect::Storages ||
               difference.aspect == Aspect::InputValues || difference.aspect == Aspect::Gradients;
    });
}

} // namespace dynascope::engine
