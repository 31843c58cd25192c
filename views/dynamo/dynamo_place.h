// SPDX-License-Identifier: BSD-3-Clause
//
// Which step of which recording the reader is at: the own place of the page Dynamo.
#pragma once

#include "views/workspace/workspace.h"

namespace dynascope::views {

struct DynamoPlace {
    static constexpr Page page = Page::Dynamo;
    int recording = -1; ///< into Session::recordings; -1 for none
    int step = -1;      ///< of that recording; -1 for none

    void complete(const Place&, const OpenCapture& capture) {
        if (recording < 0 || std::size_t(recording) >= capture.session->recordings.size()) *this = {};
    }
    friend bool operator==(const DynamoPlace&, const DynamoPlace&) = default;
};

} // namespace dynascope::views
