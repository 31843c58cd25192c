// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/result.h"

namespace dynascope {

std::string Error::toString() const {
    std::string out = file;
    if (line != 0) {
        if (!out.empty()) out += ':';
        out += std::to_string(line);
        if (column != 0) out += ':' + std::to_string(column);
    }
    if (!out.empty()) out += ": ";
    return out + message;
}

} // namespace dynascope
