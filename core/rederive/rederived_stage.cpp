// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederived_stage.h"

namespace dynascope::engine {

std::string_view rederivedName(Rederived verdict) {
    switch (verdict) {
    case Rederived::Isomorphic:
        return "isomorphic";
    case Rederived::Equivalent:
        return "equivalent";
    case Rederived::Different:
        return "different";
    case Rederived::Declined:
        return "declined";
    case Rederived::NotDerived:
        return "not derived";
    case Rederived::Alone:
        return "only derived";
    }
    return {};
}

} // namespace dynascope::engine
