// SPDX-License-Identifier: BSD-3-Clause
//
// What a run's values look like, node by node, as protocol.h describes `values`.
#pragma once

#include "core/engine/exec/interpreter.h"
#include "core/engine/wire/execute.h"

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynascope::engine {

/// Numbers storages in the order of first sight. An address that is used again after its storage died is a
/// new storage.
class StorageNumbers {
public:
    [[nodiscard]] std::size_t of(const at::Tensor& tensor);

private:
    std::unordered_map<const void*, std::size_t> m_numbers;
    std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> m_held; ///< keeps addresses, not memory
};

/// Which values to describe and when to end.
struct ValueRequest {
    bool all = false;
    std::set<std::string> watch; ///< names of nodes; if not empty only these
    ir::NodeIndex until = ir::npos;
};

/// Describes values while a program runs. Keeps no tensor, so that memory dies as it does without it.
class ValueRecorder : public RunObserver {
public:
    ValueRecorder(const Program& program, const std::vector<c10::IValue>& inputs, ValueRequest request);

    void before(ir::NodeIndex node) override;
    void after(ir::NodeIndex node, const c10::IValue& value) override;
    [[nodiscard]] bool goesOn() const override { return !m_ended; }

    [[nodiscard]] std::vector<wire::NodeValue> take() { return std::move(m_values); }
    [[nodiscard]] bool endedEarly() const { return m_ended; }

private:
    using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
    struct Watched {
        WeakTensor tensor;
        std::int64_t version = 0;
    };

    [[nodiscard]] wire::HeldValue describeValue(const c10::IValue& value);
    [[nodiscard]] wire::HeldValue describeTensor(const at::Tensor& given);
    [[nodiscard]] std::vector<std::string> raisedVersions(ir::NodeIndex node);

    const Program& m_program;
    std::vector<WeakTensor> m_inputs;
    ValueRequest m_request;
    bool m_detailed;
    bool m_ended = false;
    StorageNumbers m_storages;
    std::unordered_map<ir::NodeIndex, Watched> m_tensors; ///< nodes whose value is a tensor
    std::vector<wire::NodeValue> m_values;
};

/// Of a complex tensor the magnitudes. Of finite elements alone, but for the numbers of those that are not.
[[nodiscard]] wire::ValueSummary summarize(const at::Tensor& tensor, bool histogram);

} // namespace dynascope::engine
