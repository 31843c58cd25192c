// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/execute_fields.h"
#include "core/engine/wire/pass_fields.h"

namespace dynascope::wire {

template <>
struct Fields<ExecuteRequest> {
    static constexpr const char* name = "execute request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f.optional("until", x.until);
        f.optional("values", x.values);
        f.optional("watch", x.watch);
        f.optional("data", x.data, true);
        f.optional("elements", x.elements);
        f.optional("grad", x.grad);
    }
};

template <>
struct Fields<TensorRequest> {
    static constexpr const char* name = "tensor request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f("node", x.node);
        f.optional("item", x.item);
    }
};

template <>
struct Fields<TensorReply> {
    static constexpr const char* name = "tensor reply";
    static void of(auto& f, auto& x) {
        f("dtype", x.dtype);
        f.naturals("shape", x.shape);
    }
};

DYNASCOPE_WIRE(RunTensor)
DYNASCOPE_WIRE(NodeValue)
DYNASCOPE_WIRE(ExecuteRequest)
DYNASCOPE_WIRE(ExecuteReply)
DYNASCOPE_WIRE(TensorRequest)
DYNASCOPE_WIRE(TensorReply)

} // namespace dynascope::wire
