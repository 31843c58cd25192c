// SPDX-License-Identifier: BSD-3-Clause
//
// Compiled with NDEBUG, as LibTorch is: without it at::RecordFunction has one member more.
#include "core/engine/verify/monitor.h"

#include "core/engine/verify/rounding_noise.h"
#include "core/engine/verify/tensor_compare.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/record_function.h>
#include <algorithm>
#include <array>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using at::Tensor;

thread_local Monitor* current = nullptr; // a callback of RecordFunction is a plain function

constexpr std::array<std::string_view, 8> emptyFactories{"aten::empty",
                                                         "aten::empty_like",
                                                         "aten::empty_strided",
                                                         "aten::new_empty",
                                                         "aten::new_empty_strided",
                                                         "aten::empty_permuted",
                                                         "aten::_empty_affine_quantized",
                                                         "aten::resize_"};

constexpr std::int64_t mostCells = 1 << 16;

/// Positions within the storage, in elements.
std::vector<std::int64_t> cellsOf(const Tensor& tensor) {
    std::vector<std::int64_t> out{tensor.storage_offset()};
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
        std::vector<std::int64_t> next;
        next.reserve(out.size() * static_cast<std::size_t>(tensor.size(dim)));
        for (const std::int64_t base : out) {
            for (std::int64_t i = 0; i < tensor.size(dim); ++i)
                next.push_back(base + i * tensor.stride(dim));
        }
        out = std::move(next);
    }
    return out;
}

/// First and last cell.
std::pair<std::int64_t, std::int64_t> reach(const Tensor& tensor) {
    std::int64_t last = tensor.storage_offset();
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim)
        last += (tensor.size(dim) - 1) * tensor.stride(dim);
    return {tensor.storage_offset(), last};
}

/// Whether the two are different views with cells in common. Large ones are taken to have some where their
/// ranges meet.
bool partlyOverlap(const Tensor& written, const Tensor& read) {
    if (!written.defined() || !read.defined() || !written.has_storage() || !read.has_storage()) return false;
    if (written.numel() == 0 || read.numel() == 0 || !written.is_alias_of(read)) return false;
    if (written.sizes() == read.sizes() && written.strides() == read.strides() &&
        written.storage_offset() == read.storage_offset() && written.element_size() == read.element_size())
        return false;
    const auto [firstA, lastA] = reach(written);
    const auto [firstB, lastB] = reach(read);
    if (written.element_size() != read.element_size())
        return true; // one memory as two dtypes: not told apart
    if (lastA < firstB || lastB < firstA) return false;
    if (written.numel() > mostCells || read.numel() > mostCells) return true;
    const std::vector<std::int64_t> cells = cellsOf(written);
    const std::unordered_set<std::int64_t> set(cells.begin(), cells.end());
    const std::vector<std::int64_t> others = cellsOf(read);
    return std::any_of(others.begin(), others.end(), [&](std::int64_t cell) { return set.contains(cell); });
}

} // namespace

struct MonitorCallback {
    static std::unique_ptr<at::ObserverContext> onCall(const at::RecordFunction& call) {
        const auto name = call.operator_name();
        if (!current || !name) return nullptr;
        if (const auto op = c10::Dispatcher::singleton().findSchema(*name)) current->look(*op, call.inputs());
        return nullptr;
    }
};

Monitor::Monitor() {
    current = this;
    m_callback = at::addThreadLocalCallback(at::RecordFunctionCallback(&MonitorCallback::onCall)
                                                .needsInputs(true)
                                                .scopes({at::RecordScope::FUNCTION}));
}

void Monitor::after(ir::NodeIndex /*node*/, const c10::IValue& value) {
    m_unit = std::max(m_unit, roundingUnit(value));
}

Monitor::~Monitor() {
    at::removeCallback(m_callback);
    current = nullptr;
}

namespace {

/// Whether the call says that nothing is dropped: attention without dropout, or dropout outside training.
bool dropsNothing(const c10::FunctionSchema& schema, c10::ArrayRef<const c10::IValue> arguments) {
    const bool dropout = schema.name() == "aten::native_dropout";
    for (std::size_t i = 0; i < std::min(arguments.size(), schema.arguments().size()); ++i) {
        const std::string& name = schema.arguments()[i].name();
        const c10::IValue& value = arguments[i];
        if (name == "dropout_p" && value.isDouble() && value.toDouble() == 0) return true;
        if (dropout && name == "train" && value.isBool() && !value.toBool()) return true;
    }
    return false;
}

} // namespace

void Monitor::look(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments) {
    const std::string& name = op.operator_name().name;
    if (!m_random && op.hasTag(at::Tag::nondeterministic_seeded) && !dropsNothing(op.schema(), arguments))
        m_random = Hazard{m_node, "'" + name + "' draws random numbers"};
    const bool empty = std::find(emptyFactories.begin(), emptyFactories.end(), name) != emptyFactories.end();
    if (!m_empty && empty) m_empty = Hazard{m_node, "'" + name + "' gives memory that nobody wrote"};
    if (!m_order && op.schema().is_mutable()) lookForDisturbedReads(op.schema(), arguments);
}

void Monitor::lookForDisturbedReads(const c10::FunctionSchema& schema,
                                    c10::ArrayRef<const c10::IValue> arguments) {
    const std::size_t count = std::min(arguments.size(), schema.arguments().size());
    for (std::size_t i = 0; i < count; ++i) {
        const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
        if (!alias || !alias->isWrite() || !arguments[i].isTensor()) continue;
        const Tensor& written = arguments[i].toTensor();
        for (std::size_t j = 0; j < count; ++j) {
            if (j == i) continue;
            for (const c10::IValue& leaf : leavesOf(arguments[j])) {
                if (!leaf.isTensor() || !partlyOverlap(written, leaf.toTensor())) continue;
                m_order = Hazard{m_node, "'" + schema.name() + "' reads '" + schema.arguments()[j].name() +
                                             "', which partly overlaps '" + schema.arguments()[i].name() +
                                             "' that it writes"};
                return;
            }
        }
    }
}

} // namespace dynascope::engine
