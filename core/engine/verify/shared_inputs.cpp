// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/shared_inputs.h"

#include <algorithm>
#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// Elements from the first to the last cell, 0 for an empty tensor. Inputs were checked when they first ran.
std::int64_t extentOf(const json& input) {
    std::int64_t extent = 1;
    const json& shape = input.at("shape");
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto size = shape[i].get<std::int64_t>();
        if (size == 0) return 0;
        extent += (size - 1) * input.at("stride").at(i).get<std::int64_t>();
    }
    return extent;
}

bool sameGeometry(const json& a, const json& b) {
    return a.at("shape") == b.at("shape") && a.at("stride") == b.at("stride") &&
           a.at("dtype") == b.at("dtype");
}

/// Input positions that have a storage of their own, by dtype.
std::map<std::string, std::vector<std::size_t>> independentByDtype(const json& inputs) {
    std::map<json, int> owners;
    for (const json& input : inputs.at("inputs")) {
        if (input.is_object()) ++owners[input.at("storage")];
    }
    std::map<std::string, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < inputs["inputs"].size(); ++i) {
        const json& input = inputs["inputs"][i];
        // An input under autograd that shares memory is no leaf that a user could have.
        if (input.is_object() && owners[input.at("storage")] == 1 && !input.value("requires_grad", false))
            out[input.at("dtype").get<std::string>()].push_back(i);
    }
    return out;
}

/// Puts the members onto one new storage, each `gap(extent)` elements after the one before.
template <typename Gap>
bool share(json& inputs, const std::vector<std::size_t>& members, Gap gap) {
    std::vector<std::int64_t> starts;
    std::int64_t start = 0;
    std::int64_t end = 0;
    for (const std::size_t member : members) {
        const std::int64_t extent = extentOf(inputs["inputs"][member]);
        starts.push_back(start);
        end = std::max(end, start + extent);
        start += gap(extent);
    }
    const json& first =
        inputs["storages"].at(inputs["inputs"][members.front()]["storage"].get<std::size_t>());
    json data(
        std::vector<json>(static_cast<std::size_t>(end), first["data"].empty() ? json(0) : first["data"][0]));
    for (std::size_t k = 0; k < members.size(); ++k) {
        const json& input = inputs["inputs"][members[k]];
        const json& from = inputs["storages"].at(input["storage"].get<std::size_t>())["data"];
        const auto offset = input["storage_offset"].get<std::int64_t>();
        for (std::int64_t i = 0; i < extentOf(input); ++i)
            data[static_cast<std::size_t>(starts[k] + i)] = from.at(static_cast<std::size_t>(offset + i));
    }
    const std::size_t storage = inputs["storages"].size();
    inputs["storages"].push_back(
        {{"dtype", inputs["inputs"][members.front()]["dtype"]}, {"data", std::move(data)}});
    for (std::size_t k = 0; k < members.size(); ++k) {
        json& input = inputs["inputs"][members[k]];
        input["storage"] = storage;
        input["storage_offset"] = starts[k];
        input["via"] = "set";
        input.erase("base");
    }
    return true;
}

} // namespace

std::vector<InputVariant> inputVariants(const json& inputs) {
    std::vector<InputVariant> out{{"as given", inputs}};
    json sideBySide = inputs;
    json overlapping = inputs;
    json twice = inputs;
    bool shared = false;
    bool repeated = false;
    for (const auto& [dtype, members] : independentByDtype(inputs)) {
        if (members.size() < 2) continue;
        shared = share(sideBySide, members, [](std::int64_t extent) { return extent; });
        share(overlapping, members,
              [](std::int64_t extent) { return std::max<std::int64_t>(extent / 2, 1); });
        for (std::size_t a = 0; a + 1 < members.size() && !repeated; ++a) {
            for (std::size_t b = a + 1; b < members.size() && !repeated; ++b) {
                json& second = twice["inputs"][members[b]];
                const json& first = twice["inputs"][members[a]];
                if (!sameGeometry(first, second)) continue;
                second["same_as"] = members[a];
                for (const char* key : {"storage", "storage_offset"})
                    second[key] = first[key];
                repeated = true;
            }
        }
    }
    if (shared) out.push_back({"one storage", std::move(sideBySide)});
    if (shared) out.push_back({"overlapping", std::move(overlapping)});
    if (repeated) out.push_back({"one tensor twice", std::move(twice)});
    return out;
}

} // namespace dynascope::engine
