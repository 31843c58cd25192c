// SPDX-License-Identifier: BSD-3-Clause
//
// Sampling by a grid: enumerations, and gradients of the right sizes.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

void checkGridModes(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t interpolation = call.number("interpolation_mode"),
                       padding = call.number("padding_mode");
    const bool isVolume = call.op().find("3d") != std::string::npos;
    TORCH_CHECK(interpolation >= 0 && interpolation <= (isVolume ? 1 : 2), call.op(),
                ": no interpolation mode ", interpolation);
    TORCH_CHECK(padding >= 0 && padding <= 2, call.op(), ": no padding mode ", padding);
    const Tensor gradient = call.tensor("grad_output"), input = call.tensor("input"),
                 grid = call.tensor("grid");
    TORCH_CHECK(input.dim() >= 4 && grid.dim() == input.dim() && grid.size(0) == input.size(0) &&
                    grid.size(-1) == input.dim() - 2,
                call.op(), ": grid is ", grid.sizes(), " for ", input.sizes());
    if (!gradient.defined()) return;
    std::vector<std::int64_t> expected{input.size(0), input.size(1)};
    for (std::int64_t i = 1; i + 1 < grid.dim(); ++i)
        expected.push_back(grid.size(i));
    TORCH_CHECK(gradient.sizes() == at::IntArrayRef(expected), call.op(), ": grad_output is ",
                gradient.sizes(), ", not ", expected);
}

/// Kernels that go on reading an input while they write the result, which may have been made smaller.
void checkOutsApart(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const std::vector<c10::Argument>& formals = schema.arguments();
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (!formals[i].is_out() || !values[i].isTensor() || !hasData(values[i].toTensor())) continue;
        for (std::size_t k = 0; k < formals.size(); ++k) {
            if (k == i || !values[k].isTensor() || !hasData(values[k].toTensor())) continue;
            TORCH_CHECK(!values[i].toTensor().storage().is_alias_of(values[k].toTensor().storage()),
                        schema.name(), ": ", formals[i].name(), " shares memory with ", formals[k].name());
        }
    }
}

template <int Dims>
void checkPadBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkRank(call, "self", Dims + 1, Dims + 2);
    checkLeadingSizes(call, "grad_output", "self", Dims);
    const std::vector<std::int64_t> padding = call.numbers("padding");
    TORCH_CHECK(padding.size() == std::size_t(2) * Dims, call.op(), ": padding has ", padding.size(),
                " numbers");
    const Tensor gradient = call.tensor("grad_output"), self = call.tensor("self");
    for (int i = 0; i < Dims; ++i) {
        const auto at = std::size_t(2) * static_cast<std::size_t>(i);
        std::int64_t size = self.size(-1 - i);
        TORCH_CHECK(padding[at] >= -size && padding[at] <= 1 << 30 && padding[at + 1] >= -size &&
                        padding[at + 1] <= 1 << 30,
                    call.op(), ": padding is ", at::IntArrayRef(padding), " for ", self.sizes());
        size += padding[at] + padding[at + 1];
        TORCH_CHECK(gradient.size(-1 - i) == size, call.op(), ": grad_output is ", gradient.sizes(), " for ",
                    self.sizes(), " and padding ", at::IntArrayRef(padding));
    }
    checkOutsApart(schema, values);
}
template void checkPadBackward<1>(const c10::FunctionSchema&, const c10::IValue*);
template void checkPadBackward<2>(const c10::FunctionSchema&, const c10::IValue*);
template void checkPadBackward<3>(const c10::FunctionSchema&, const c10::IValue*);

/// The middle of every output pixel lies within the input.
void checkAntialias(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (!call.has("scales_h")) return; // scales that are given as a list are those that sizes are made of
    const std::vector<std::int64_t> out = call.numbers("output_size");
    std::vector<std::int64_t> in;
    if (call.has("input_size")) {
        in = call.numbers("input_size");
    } else {
        in = call.tensor("self").sizes().vec();
    }
    TORCH_CHECK(out.size() == 2 && in.size() == 4, call.op(), ": output_size is ", at::IntArrayRef(out),
                " for ", at::IntArrayRef(in));
    for (const std::size_t i : {0, 1}) {
        const c10::IValue& given = call[i == 0 ? "scales_h" : "scales_w"];
        if (given.isNone()) continue;
        const double scale = given.toDouble();
        TORCH_CHECK(scale > 0 &&
                        (static_cast<double>(out[i]) - 0.5) / scale <= static_cast<double>(in[2 + i]),
                    call.op(), ": a scale of ", scale, " takes ", out[i], " pixels from beyond ", in[2 + i]);
    }
}

/// A scale so small that positions in the input are no integers any more.
void checkScales(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (!call.has("output_size") || call.has("scale_factors")) return;
    const std::vector<std::int64_t> out = call.numbers("output_size");
    for (const char* name : {"scales", "scales_d", "scales_h", "scales_w"}) {
        if (!call.has(name) || call[name].isNone()) continue;
        const double scale = call[name].toDouble();
        for (const std::int64_t size : out)
            TORCH_CHECK(scale <= 0 || static_cast<double>(size) / scale < 1e9, call.op(), ": ", name, " is ",
                        scale, " for ", at::IntArrayRef(out));
    }
}

/// Steps of an integer range, which are cut to integers before numbers are divided by them.
void checkStep(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (!call.has("step")) return;
    const Tensor out = call.tensor("out");
    const bool given = call.has("dtype") && call["dtype"].isInt();
    const bool integers = out.defined() ? c10::isIntegralType(out.scalar_type(), true)
                                        : given && c10::isIntegralType(call["dtype"].toScalarType(), true);
    TORCH_CHECK(!integers || call["step"].toScalar().to<std::int64_t>() != 0, call.op(),
                ": the step is no integer but 0");
}

} // namespace dynascope::engine::checks
