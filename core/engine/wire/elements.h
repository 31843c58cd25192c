// SPDX-License-Identifier: BSD-3-Clause
//
// How elements of tensors, and numbers, are read and written. Internal to core/engine/wire.
#pragma once

#include "core/base/codec.h"
#include "core/engine/wire/wire.h"

namespace dynascope::wire {

template <>
struct Own<Elements> {
    static Any toJson(const Elements& value) { return value.list; }
    static void read(Reader& reader, const Any& at, Elements& out);
};

template <>
struct Own<Number> {
    static Any toJson(const Number& value);
    static void read(Reader& reader, const Any& at, Number& out);
};

} // namespace dynascope::wire
