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

void CaptureCode::indexKernels() {
    if (m_everywhere) return;
    m_everywhere.emplace();
    const auto add = [](KernelIndex& index, std::string_view key, const CodeKernel& kernel) {
        const auto [at, isNew] = index.try_emplace(std::string(key), kernel);
        if (!isNew) at->second = {};
    };
    for (int c = 0; c < static_cast<int>(m_session.compiles.size()); ++c)
        for (int s = 0; s < static_cast<int>(m_session.compiles[static_cast<std::size_t>(c)].stages.size());
             ++s) {
            if (!isCode(c, s)) continue;
            const CodeCalls& code = calls(c, s);
            for (const session::GeneratedKernel& one : code.code().kernels) {
                if (one.definition.first == 0) continue;
                CodeKernel kernel{c, s, code.find(one.name)};
                add(*m_everywhere, one.name, kernel);
                kernel.kernel.link = Link::KernelFile;
                if (!one.file.empty()) add(m_files, kernelFileName(one.file), kernel);
            }
        }
}

CodeKernel CaptureCode::findAnywhere(std::string_view kernel) {
    indexKernels();
    const auto found = m_everywhere->find(kernel);
    return found == m_everywhere->end() ? CodeKernel() : found->second;
}

CodeKernel CaptureCode::findFile(std::string_view file) {
    if (file.empty()) return {};
    indexKernels();
    const auto found = m_files.find(kernelFileName(file));
    return found == m_files.end() ? CodeKernel() : found->second;
}

} // namespace dynascope::profile
