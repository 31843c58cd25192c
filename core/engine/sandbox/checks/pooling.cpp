// SPDX-License-Identifier: BSD-3-Clause
//
// Pooling: indices into planes, and the sizes that belong to them.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

template <int Dims>
void checkPoolBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "indices", "grad_output");
    for (const char* name :
         {"kernel_size", "output_size"}) // a single number stands for all of a kernel's sizes
        TORCH_CHECK(!call.has(name) || call.numbers(name).size() == Dims ||
                        (call.numbers(name).size() == 1 && !call.has("output_size")),
                    call.op(), ": ", name, " has ", call.numbers(name).size(), " numbers");
    const Tensor self = call.tensor("self"), gradient = call.tensor("grad_output");
    if (self.defined() && gradient.defined())
        TORCH_CHECK(self.dim() == gradient.dim() && self.sizes().slice(0, self.dim() - Dims) ==
                                                        gradient.sizes().slice(0, self.dim() - Dims),
                    call.op(), ": grad_output is ", gradient.sizes(), ", and self is ", self.sizes());
    checkRange(call, "indices", 0, plane(call, "self", Dims));
    checkOutsApart(schema, values);
}
template void checkPoolBackward<2>(const c10::FunctionSchema&, const c10::IValue*);
template void checkPoolBackward<3>(const c10::FunctionSchema&, const c10::IValue*);

template <int Dims>
void checkUnpool(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkSameSizes(call, "indices", "self");
    std::int64_t cells = 1;
    for (const std::int64_t size : call.numbers("output_size"))
        cells *= std::max<std::int64_t>(0, size);
    checkRange(call, "indices", 0, cells);
    checkOutsApart(schema, values);
}
template void checkUnpool<2>(const c10::FunctionSchema&, const c10::IValue*);
template void checkUnpool<3>(const c10::FunctionSchema&, const c10::IValue*);

template <int Dims>
void checkAveragePoolBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkRank(call, "self", Dims + 1, Dims + 2);
    checkLeadingSizes(call, "grad_output", "self", Dims);
    TORCH_CHECK(call.tensor("self").numel() > 0 || call.tensor("grad_output").numel() == 0, call.op(),
                ": self is ", call.tensor("self").sizes());
    checkOutsApart(schema, values);
}
template void checkAveragePoolBackward<2>(const c10::FunctionSchema&, const c10::IValue*);
template void checkAveragePoolBackward<3>(const c10::FunctionSchema&, const c10::IValue*);

/// Its kernel reads indices as if they were contiguous.
void checkAdaptiveVolumePoolBackward(const c10::FunctionSchema& schema, const c10::IValue* values) {
    checkPoolBackward<3>(schema, values);
    checkContiguous(Arguments(schema, values), "indices");
}

} // namespace dynascope::engine::checks
