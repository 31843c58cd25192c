// SPDX-License-Identifier: BSD-3-Clause
//
// How elements of tensors are read and written. Internal to core/engine/wire.
#pragma once

#include "core/base/codec.h"
#include "core/engine/wire/wire.h"

namespace dynascope::wire {

template <>
struct Own<Elements> {
    static Any toJson(const Elements& value) { return value.list; }
    static void read(Reader& reader, const Any& at, Elements& out);
};

} // namespace dynascope::wire
