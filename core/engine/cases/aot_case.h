// SPDX-License-Identifier: BSD-3-Clause
//
// An oracle case's JSON as the values of core/passes/aot, and back. Internal to the oracle runner.
#pragma once

#include "core/passes/aot/synthetic_base.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Where `got` parts from `expected`: "/input_info/0/is_leaf is false, expected true". Empty if it does not.
[[nodiscard]] std::string firstDifference(const nlohmann::json& expected, const nlohmann::json& got);

/// Nothing where sizes and strides do not fit together.
[[nodiscard]] std::optional<passes::aot::TensorGeometry> geometryOf(const nlohmann::json& tensor);

[[nodiscard]] passes::aot::InputAliasInfo inputInfo(const nlohmann::json& info);

/// A case's metadata_outer; the rest is derived from it. Nothing where it does not fit `inputs` inputs.
[[nodiscard]] std::optional<passes::aot::ViewAndMutationMeta<passes::aot::OuterIndex>>
readMetadata(const nlohmann::json& meta, std::size_t inputs);

/// In the form of a case. Instances: outer, kept and inner indices.
template <typename Index>
[[nodiscard]] nlohmann::json metadataJson(const passes::aot::ViewAndMutationMeta<Index>& meta);

template <typename Index>
[[nodiscard]] nlohmann::json indicesJson(const std::vector<Index>& indices) {
    nlohmann::json out = nlohmann::json::array();
    for (const Index i : indices)
        out.push_back(i.value);
    return out;
}

/// The `merge` of a case; numbers among the arguments have names instead of values.
[[nodiscard]] nlohmann::json mergeJson(const passes::aot::MergePlan& plan,
                                       const passes::aot::TensorObjects& objects,
                                       const passes::aot::CallArguments<passes::aot::KeptIndex>& arguments);

/// A case's inputs as PyTorch's fake tensors describe them.
class DescribedInputs {
public:
    /// Keeps a reference to `inputs`.
    explicit DescribedInputs(const nlohmann::json& inputs);

    /// False where the case's inputs contradict each other; the rest is then worth nothing.
    [[nodiscard]] bool valid() const { return m_valid; }
    /// Whether an input asks for a gradient.
    [[nodiscard]] bool training() const;
    [[nodiscard]] const passes::aot::TensorObjects& objects() const { return m_objects; }
    [[nodiscard]] const passes::aot::CallArguments<passes::aot::OuterIndex>& arguments() const {
        return m_arguments;
    }

private:
    void add(const nlohmann::json& input);
    passes::aot::ObjectId baseOf(std::size_t storage, passes::aot::TensorObject base);
    [[nodiscard]] passes::aot::TensorGeometry wholeStorage(std::size_t storage) const;
    [[nodiscard]] std::int64_t realElements(std::size_t storage) const;
    void seen(const passes::aot::TensorObject& object);

    const nlohmann::json& m_storages;
    passes::aot::TensorObjects m_objects;
    passes::aot::CallArguments<passes::aot::OuterIndex> m_arguments;
    std::map<std::size_t, passes::aot::ObjectId> m_bases; ///< by storage
    bool m_valid;
};

} // namespace dynascope::engine
