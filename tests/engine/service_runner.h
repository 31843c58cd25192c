// SPDX-License-Identifier: BSD-3-Clause
//
// Runs graphs through the engine's Service in the test's own process.
#pragma once

#include "core/engine/service/service.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::test {

class ServiceRunner {
public:
    /// The graph's name, or an empty string with lastError() set.
    std::string load(const std::string& text) {
        const auto reply = call("load", {{"text", text}});
        return reply.is_object() ? reply["graph"].get<std::string>() : std::string();
    }
    /// The reply, or null with lastError() set.
    nlohmann::json call(const std::string& method, const nlohmann::json& params) {
        const engine::Reply reply = m_service.handle(method, params, {});
        m_error = reply ? std::string() : reply.error().message;
        return reply ? *reply : nlohmann::json();
    }
    nlohmann::json execute(const std::string& text, nlohmann::json params) {
        params["graph"] = load(text);
        return m_error.empty() ? call("execute", params) : nlohmann::json();
    }
    [[nodiscard]] const std::string& lastError() const { return m_error; }

private:
    engine::Service m_service;
    std::string m_error;
};

/// Inputs of a case: contiguous float32 tensors, each with a storage of its own.
class CaseBuilder {
public:
    CaseBuilder& tensor(const nlohmann::json& shape, const nlohmann::json& data,
                        const std::string& dtype = "float32") {
        std::vector<std::int64_t> stride;
        std::int64_t step = 1;
        for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
            stride.insert(stride.begin(), step);
            step *= size->get<std::int64_t>();
        }
        m_inputs.push_back({{"name", "x" + std::to_string(m_inputs.size())},
                            {"storage", m_storages.size()},
                            {"shape", shape},
                            {"stride", stride},
                            {"storage_offset", 0},
                            {"dtype", dtype}});
        m_storages.push_back({{"dtype", dtype}, {"data", data}});
        return *this;
    }
    [[nodiscard]] nlohmann::json json() const { return {{"storages", m_storages}, {"inputs", m_inputs}}; }

private:
    nlohmann::json m_storages = nlohmann::json::array(), m_inputs = nlohmann::json::array();
};

} // namespace dynascope::test
