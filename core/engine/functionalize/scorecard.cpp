// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/scorecard.h"

namespace dynascope::engine {

std::string_view emissionName(Emission emission) {
    switch (emission) {
    case Emission::Operator:
        return "operator";
    case Emission::Inverse:
        return "inverse";
    case Emission::Regeneration:
        return "regeneration";
    case Emission::WriteBack:
        return "write_back";
    }
    return {};
}

} // namespace dynascope::engine
