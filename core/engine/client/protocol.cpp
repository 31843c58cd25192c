// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/protocol.h"

#include "core/capture/md5.h"

namespace dynascope::engine {

std::string graphHash(std::string_view text) {
    capture::Md5 md5;
    md5.add(text);
    return capture::toHex(md5.finish());
}

} // namespace dynascope::engine
