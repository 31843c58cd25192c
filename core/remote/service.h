// SPDX-License-Identifier: BSD-3-Clause
//
// `dynascope-cli serve`: captures of this machine for a window on another one. Whoever may log in may read; nothing is
// written, and no port is opened.
#pragma once

#include "core/engine/server/server.h"

#include <memory>

namespace dynascope::remote {

/// Answers the methods of protocol.h, for one capture at a time: the latest that was opened. For engine::serve(), which
/// calls it on one thread.
class Service {
public:
    Service();
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    [[nodiscard]] engine::Reply carryOut(const std::string& method, const nlohmann::json& params,
                                         const engine::RequestContext& task);

private:
    struct Capture;
    std::unique_ptr<Capture> m_capture;
};

} // namespace dynascope::remote
