// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/capture_code.h"

namespace dynascope::profile {

namespace {

constexpr std::size_t mostWork = 200'000'000; // operators and nodes that are aligned, of all runs together

} // namespace

const session::Stage& CaptureCode::stageAt(int compile, int stage) const {
    return *m_session.compiles[static_cast<std::size_t>(compile)].stages[static_cast<std::size_t>(stage)];
}

bool CaptureCode::isCode(int compile, int stage) const {
    return compile >= 0 && stage >= 0 && stageAt(compile, stage).content == session::Stage::Content::Code;
}

const CodeCalls& CaptureCode::calls(int compile, int stage) {
    const auto known = m_calls.find({compile, stage});
    if (known != m_calls.end()) return known->second;
    return m_calls.emplace(Place(compile, stage), CodeCalls(stageAt(compile, stage).payload.text()))
        .first->second;
}

std::vector<Matched> CaptureCode::matchNodes(int compile, int stage,
                                             std::span<const CalledOperator> operators) {
    const Place place(compile, stage);
    auto known = m_operators.find(place);
    if (known == m_operators.end()) {
        std::optional<GraphOperators> read;
        if (const Result<ir::GraphPtr> graph = stageAt(compile, stage).graph()) read.emplace(**graph);
        known = m_operators.emplace(place, std::move(read)).first;
    }
    if (!known->second || operators.empty()) return {};
    std::string called;
    for (const CalledOperator& op : operators)
        called.append(op.name).append(1, '\t').append(op.dims).append(1, '\n');
    const auto before = m_runs.find({place, called});
    if (before != m_runs.end()) return before->second;
    m_work += known->second->size() + operators.size();
    if (m_work > mostWork) {
        ++m_unmatched;
        return {};
    }
    return m_runs.emplace(std::pair(place, std::move(called)), known->second->match(operators)).first->second;
}

CodeKernel CaptureCode::findAnywhere(std::string_view kernel) {
    if (!m_everywhere) {
        m_everywhere.emplace();
        for (int c = 0; c < static_cast<int>(m_session.compiles.size()); ++c)
            for (int s = 0;
                 s < static_cast<int>(m_session.compiles[static_cast<std::size_t>(c)].stages.size()); ++s) {
                if (!isCode(c, s)) continue;
                for (const session::GeneratedKernel& one : calls(c, s).code().kernels) {
                    if (one.definition.first == 0) continue;
                    const auto [at, isNew] = m_everywhere->try_emplace(one.name);
                    at->second = isNew ? CodeKernel{c, s, calls(c, s).find(one.name)} : CodeKernel{};
                }
            }
    }
    const auto found = m_everywhere->find(kernel);
    return found == m_everywhere->end() ? CodeKernel{} : found->second;
}

} // namespace dynascope::profile
