// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/capture/open.h"
#include "core/profile/join.h"

#include <QtGlobal>
#include <string>

namespace dynascope::test {

/// The profile of a folder in tests/data/profile, joined to the capture beside it.
inline profile::JoinedPtr joinedFolder(const std::string& name) {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
    if (!session) qFatal("%s", session.error().toString().c_str());
    if ((*session)->profiles.size() != 1 || !(*session)->warnings.empty()) qFatal("%s: odd", name.c_str());
    return profile::join(*session, session::attachedAs<profile::Profile>((*session)->profiles.front()))
        .value_or(nullptr);
}

} // namespace dynascope::test
