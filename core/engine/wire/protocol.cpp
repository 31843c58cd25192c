// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/protocol.h"

#include "core/base/digest.h"

namespace dynascope::engine {

std::string graphHash(std::string_view text) {
    Md5 md5;
    md5.add(text);
    return toHex(md5.finish());
}

} // namespace dynascope::engine
