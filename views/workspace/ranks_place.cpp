// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/ranks_place.h"

namespace dynascope::views {

void RanksPlace::complete(const Place& /*place*/, const OpenCapture& capture) {
    if (capture.session->ranks.size() < 2) *this = {};
    if (flightOf != capture.session->path) flight = flightOf = {};
}

} // namespace dynascope::views
