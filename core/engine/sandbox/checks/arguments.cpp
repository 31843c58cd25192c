// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/checks/arguments.h"

#include <ATen/ops/aminmax.h>

namespace dynascope::engine::checks {

const c10::IValue& Arguments::operator[](std::string_view name) const {
    const auto index = m_schema.argumentIndexWithName(name);
    TORCH_CHECK(index.has_value(), m_schema.name(), " has no argument '", std::string(name), "'");
    return m_values[*index];
}

Tensor Arguments::tensor(std::string_view name) const {
    const auto index = m_schema.argumentIndexWithName(name);
    if (!index) return {};
    return m_values[*index].isTensor() ? m_values[*index].toTensor() : Tensor();
}

std::vector<Tensor> Arguments::tensors(std::string_view name) const {
    const auto index = m_schema.argumentIndexWithName(name);
    std::vector<Tensor> out;
    if (!index || !m_values[*index].isList()) return out;
    for (const c10::IValue& item : m_values[*index].toListRef())
        out.push_back(item.isTensor() ? item.toTensor() : Tensor());
    return out;
}

bool hasData(const Tensor& tensor) {
    return tensor.defined() && tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.has_storage() &&
           tensor.storage().nbytes() > 0 && tensor.storage().data() != nullptr &&
           !tensor.key_set().has_any(wrappers);
}

void checkRange(const Arguments& call, const char* name, std::int64_t low, std::int64_t high,
                std::optional<std::int64_t> except) {
    Tensor indices = call.tensor(name);
    if (!indices.defined() || indices.numel() == 0 || !hasData(indices)) return;
    const Looking looking;
    indices = indices.detach().to(at::kLong);
    if (except) {
        indices = indices.masked_select(indices.ne(*except));
        if (indices.numel() == 0) return;
    }
    const auto [least, most] = at::aminmax(indices);
    const std::int64_t a = least.item<std::int64_t>(), b = most.item<std::int64_t>();
    TORCH_CHECK_INDEX(a >= low && b < high, call.op(), ": ", name, " has ", a < low ? a : b, ", and only [",
                      low, ", ", high, ") is there");
}

void checkCount(const Arguments& call, const char* name, std::int64_t count) {
    const Tensor tensor = call.tensor(name);
    if (tensor.defined() && tensor.dim() == 1 && tensor.numel() == 0) return;
    checkCountExactly(call, name, count);
}

void checkCountExactly(const Arguments& call, const char* name, std::int64_t count) {
    const Tensor tensor = call.tensor(name);
    if (!tensor.defined()) return;
    TORCH_CHECK(tensor.numel() == count, call.op(), ": ", name, " has ", tensor.numel(), " elements, not ",
                count);
}

void checkSameSizes(const Arguments& call, const char* name, const char* other) {
    const Tensor a = call.tensor(name), b = call.tensor(other);
    if (!a.defined() || !b.defined()) return;
    TORCH_CHECK(a.sizes() == b.sizes(), call.op(), ": ", name, " is ", a.sizes(), ", and ", other, " is ",
                b.sizes());
}

void checkLeadingSizes(const Arguments& call, const char* name, const char* other, std::int64_t free) {
    const Tensor a = call.tensor(name), b = call.tensor(other);
    if (!a.defined() || !b.defined()) return;
    const auto leading = static_cast<std::size_t>(a.dim() - free);
    TORCH_CHECK(a.dim() >= free && a.dim() == b.dim() &&
                    a.sizes().slice(0, leading) == b.sizes().slice(0, leading),
                call.op(), ": ", name, " is ", a.sizes(), ", and ", other, " is ", b.sizes());
}

void checkRank(const Arguments& call, const char* name, std::int64_t least, std::int64_t most) {
    const Tensor tensor = call.tensor(name);
    TORCH_CHECK(tensor.defined() && tensor.dim() >= least && tensor.dim() <= most, call.op(), ": ", name,
                " is ", tensor.defined() ? tensor.sizes() : at::IntArrayRef());
}

std::int64_t plane(const Arguments& call, const char* name, std::int64_t dims) {
    const Tensor tensor = call.tensor(name);
    TORCH_CHECK(tensor.dim() >= dims, call.op(), ": ", name, " has too few dimensions");
    std::int64_t out = 1;
    for (std::int64_t i = 1; i <= dims; ++i)
        out *= tensor.size(-i);
    return out;
}

std::int64_t dimension(const Arguments& call, const Tensor& tensor, std::int64_t dim) {
    TORCH_CHECK_INDEX(dim >= -tensor.dim() && dim < tensor.dim(), call.op(), ": no dimension ", dim, " of ",
                      tensor.sizes());
    return dim < 0 ? dim + tensor.dim() : dim;
}

void checkContiguous(const Arguments& call, const char* name) {
    const Tensor tensor = call.tensor(name);
    TORCH_CHECK(!tensor.defined() || tensor.is_contiguous(), call.op(), ": ", name, " is not contiguous");
}

void checkFellows(const Arguments& call, const char* name, const char* other) {
    const std::vector<Tensor> a = call.tensors(name), b = call.tensors(other);
    TORCH_CHECK(a.size() == b.size(), call.op(), ": ", name, " has ", a.size(), " tensors, and ", other,
                " has ", b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        TORCH_CHECK(a[i].defined() == b[i].defined() && (!a[i].defined() || a[i].sizes() == b[i].sizes()),
                    call.op(), ": ", name, " and ", other, " differ in the sizes of tensor ", i);
}

} // namespace dynascope::engine::checks
