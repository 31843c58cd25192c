// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/node_values.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_words.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/view.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::engine {

namespace {

using at::Tensor;

constexpr std::int64_t cornerSize = 8;
constexpr std::size_t bins = 32;
/// Larger graphs give details only of watched nodes.
constexpr std::size_t maxDetailed = 2000;

/// Elements as float64, one after another.
Tensor flatDoubles(const Tensor& tensor) {
    Tensor flat = tensor.detach().resolve_conj().resolve_neg();
    if (flat.is_complex()) flat = at::abs(flat);
    return flat.to(at::kDouble).contiguous().view({-1});
}

struct Moments {
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    std::int64_t finite = 0, nan = 0, inf = 0, zero = 0;
};

Moments momentsOf(const double* data, std::int64_t count) {
    Moments m;
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = data[i];
        if (!std::isfinite(x)) {
            ++(std::isnan(x) ? m.nan : m.inf);
            continue;
        }
        ++m.finite;
        m.zero += x == 0 ? 1 : 0;
        m.low = std::min(m.low, x);
        m.high = std::max(m.high, x);
        m.sum += x;
    }
    const double mean = m.finite == 0 ? 0 : m.sum / static_cast<double>(m.finite);
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isfinite(data[i])) m.squares += (data[i] - mean) * (data[i] - mean);
    }
    return m;
}

wire::ValueHistogram histogramOf(const double* data, std::int64_t count, const Moments& m) {
    std::array<std::int64_t, bins> counts{};
    const double width = (m.high - m.low) / static_cast<double>(bins);
    for (std::int64_t i = 0; i < count; ++i) {
        if (!std::isfinite(data[i])) continue;
        const double place = width > 0 && std::isfinite(width) ? (data[i] - m.low) / width : 0;
        ++counts[std::min(static_cast<std::size_t>(place), bins - 1)];
    }
    return {m.low, m.high, {counts.begin(), counts.end()}};
}

/// The first rows and columns of the last two dimensions, at index 0 of the others.
std::vector<wire::Elements> cornerOf(const Tensor& tensor) {
    Tensor part = tensor.detach();
    while (part.dim() > 2 && part.size(0) > 0)
        part = part.select(0, 0);
    if (part.dim() > 2) return {};
    if (part.dim() == 0) part = part.view({1, 1});
    if (part.dim() == 1) part = part.unsqueeze(0);
    part = part.slice(0, 0, cornerSize).slice(1, 0, cornerSize);
    const wire::Elements data = describedTensor(part).data.value_or(wire::Elements());
    std::vector<wire::Elements> rows(static_cast<std::size_t>(part.size(0)));
    const auto width = static_cast<std::size_t>(part.size(1));
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < width; ++j)
            rows[i].list.push_back(data.list[i * width + j]);
    return rows;
}

wire::HeldValue noValue() {
    wire::HeldValue out;
    out.text = "None";
    return out;
}

std::string scalarText(const torch_level::Value& python) {
    switch (python.kind()) {
    case torch_level::Value::Kind::Bool:
        return python.flag() ? "True" : "False";
    case torch_level::Value::Kind::Int:
        return std::to_string(python.integer());
    case torch_level::Value::Kind::Float:
        return ir::pythonRepr(python.real());
    case torch_level::Value::Kind::String:
        return python.text();
    case torch_level::Value::Kind::Dtype:
        return "torch." + dtypeName(python.dtype());
    default:
        return std::string(python.typeName());
    }
}

wire::HeldValue describeScalar(const c10::IValue& value) {
    const torch_level::Value python = torch_level::Value::from(value);
    wire::HeldValue out;
    out.kind = wire::HeldValue::Kind::Scalar;
    out.type = std::string(python.typeName());
    out.text = scalarText(python);
    return out;
}

} // namespace

wire::ValueSummary summarize(const Tensor& tensor, bool histogram) {
    const Tensor flat = flatDoubles(tensor);
    const double* data = flat.const_data_ptr<double>();
    const std::int64_t count = flat.numel();
    const Moments m = momentsOf(data, count);
    wire::ValueSummary out;
    out.nan = m.nan;
    out.infinite = m.inf;
    out.zero = m.zero;
    if (m.finite == 0) return out;
    const auto finite = static_cast<double>(m.finite);
    out.min = m.low;
    out.max = m.high;
    out.mean = m.sum / finite;
    if (m.finite > 1) out.deviation = std::sqrt(m.squares / (finite - 1));
    if (histogram) out.histogram = histogramOf(data, count, m);
    return out;
}

std::size_t StorageNumbers::of(const Tensor& tensor) {
    const c10::StorageImpl* key = tensor.storage().unsafeGetStorageImpl();
    const auto [found, isNew] = m_numbers.emplace(key, m_numbers.size());
    if (isNew) m_held.emplace_back(tensor.storage().getWeakStorageImpl());
    return found->second;
}

ValueRecorder::ValueRecorder(const Program& program, const std::vector<c10::IValue>& inputs,
                             ValueRequest request)
    : m_program(program)
    , m_request(std::move(request))
    , m_detailed(program.graph->size() <= maxDetailed || !m_request.watch.empty()) {
    for (const c10::IValue& input : inputs)
        m_inputs.emplace_back((input.isTensor() ? input.toTensor() : Tensor()).getIntrusivePtr());
}

void ValueRecorder::before(ir::NodeIndex node) {
    for (const ir::NodeIndex source : m_program.graph->inputs(node)) {
        const auto found = m_tensors.find(source);
        if (found == m_tensors.end()) continue;
        if (const auto tensor = found->second.tensor.lock())
            found->second.version = static_cast<std::int64_t>(tensor->version_counter().current_version());
    }
}

std::vector<std::string> ValueRecorder::raisedVersions(ir::NodeIndex node) {
    std::vector<std::string> out;
    for (const ir::NodeIndex source : m_program.graph->inputs(node)) {
        const auto found = m_tensors.find(source);
        if (found == m_tensors.end()) continue;
        const auto tensor = found->second.tensor.lock();
        if (tensor &&
            static_cast<std::int64_t>(tensor->version_counter().current_version()) > found->second.version)
            out.push_back(m_program.graph->node(source).name);
    }
    return out;
}

void ValueRecorder::after(ir::NodeIndex node, const c10::IValue& value) {
    const std::string& name = m_program.graph->node(node).name;
    std::vector<std::string> raised = raisedVersions(node);
    if (value.isTensor())
        m_tensors.insert_or_assign(node, Watched{WeakTensor(value.toTensor().getIntrusivePtr()), 0});
    const bool wanted = m_request.watch.empty() ? m_request.all : m_request.watch.contains(name);
    if (wanted) {
        // Looking must not change anything, whatever modes the program has set.
        const torch_level::ModeGuard modes;
        const at::AutoGradMode noGrad(false);
        const torch_level::AutocastGuard noAutocast(false, std::nullopt, false);
        const torch_level::OutsideTransforms plain;
        m_values.push_back({name, std::move(raised), describeValue(value)});
    }
    m_ended = node == m_request.until;
}

wire::HeldValue ValueRecorder::describeValue(const c10::IValue& value) {
    if (value.isNone()) return noValue();
    if (value.isTensor()) return describeTensor(value.toTensor());
    if (!value.isTuple() && !value.isList()) return describeScalar(value);
    wire::HeldValue out;
    out.kind = wire::HeldValue::Kind::List;
    const auto add = [&](const c10::IValue& item) { out.items.push_back(describeValue(item)); };
    if (value.isTuple()) {
        for (const c10::IValue& item : value.toTupleRef().elements())
            add(item);
    } else {
        for (const c10::IValue& item : value.toListRef())
            add(item);
    }
    out.text = std::to_string(out.items.size()) + " values";
    return out;
}

wire::HeldValue ValueRecorder::describeTensor(const Tensor& given) {
    const bool transformed = given.defined() && torch_level::isTransformed(given);
    const Tensor tensor = transformed ? torch_level::withoutTransforms(given) : given;
    if (!tensor.defined()) return noValue();
    const auto same = std::find_if(m_inputs.begin(), m_inputs.end(), [&](const auto& input) {
        return input._unsafe_get_target() == tensor.unsafeGetTensorImpl();
    });
    wire::HeldValue out;
    out.kind = wire::HeldValue::Kind::Tensor;
    wire::TensorFacts& facts = out.tensor.emplace();
    facts.dtype = dtypeName(tensor.scalar_type());
    facts.shape = tensor.sizes().vec();
    facts.stride = tensor.strides().vec();
    facts.offset = tensor.storage_offset();
    facts.storage = m_storages.of(tensor);
    facts.bytes = tensor.nbytes();
    facts.requiresGrad = tensor.requires_grad();
    facts.version = static_cast<std::int64_t>(tensor._version());
    if (same != m_inputs.end()) facts.isInput = std::uint64_t(same - m_inputs.begin());
    facts.summary = summarize(tensor, m_detailed);
    if (m_detailed) facts.corner = cornerOf(tensor);
    std::string shape;
    for (const std::int64_t size : tensor.sizes())
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    out.text = facts.dtype + '[' + shape + ']' + (transformed ? " inside a transform, all of it" : "");
    return out;
}

} // namespace dynascope::engine
