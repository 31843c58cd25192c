// SPDX-License-Identifier: BSD-3-Clause
//
// The scorecard of functionalization spelled out in JSON; core/engine/wire/protocol.h lists its members.
#pragma once

#include "core/engine/functionalize/scorecard.h"
#include "core/passes/pass.h"

namespace dynascope::engine {

class ScorecardDetails final : public passes::StepDetails {
public:
    ScorecardDetails(ir::GraphPtr source, std::shared_ptr<const Functionalized> result, std::string method);

    void describe(std::size_t step, nlohmann::json& into) const override;
    void describeAll(nlohmann::json& into) const override;

    [[nodiscard]] const Functionalized& result() const { return *m_result; }
    [[nodiscard]] bool overCells() const { return m_method == "cells"; }

private:
    [[nodiscard]] nlohmann::json row(std::uint32_t index) const;
    [[nodiscard]] nlohmann::json storage(std::uint32_t index) const;
    [[nodiscard]] nlohmann::json update(const FunctionalStep& step, const ScoreUpdate& update) const;
    [[nodiscard]] nlohmann::json phases(const FunctionalStep& step) const;
    [[nodiscard]] nlohmann::json chain(std::uint32_t index) const;
    [[nodiscard]] nlohmann::json nodeName(std::int64_t node) const;
    [[nodiscard]] std::string viewText(const ViewStep& view) const;

    ir::GraphPtr m_source;
    std::shared_ptr<const Functionalized> m_result;
    std::string m_method;
};

/// [{input, bytes, how, nodes, output, shape, stride, offset}], one for each changed input.
[[nodiscard]] nlohmann::json writeBacksJson(const Functionalized& result);

} // namespace dynascope::engine
