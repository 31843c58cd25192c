// SPDX-License-Identifier: BSD-3-Clause
//
// Captures on other machines by their address, and the command that reads them there.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::remote {

/// "ssh://user@host:22/path": user and port may be left out. "ssh://host/~/runs" is a path in the user's home.
struct Address {
    std::string login; ///< "user@host" or "host", as ssh takes it; a name of ~/.ssh/config is as good
    std::string port;  ///< empty: ssh's own choice
    std::string path;  ///< "/data/trace.log", "~/runs"
};

/// Whether a text is an address rather than a path of this machine.
[[nodiscard]] bool isAddress(std::string_view text);
/// An Error names what is wrong with it. A login that ssh would take for an option is none.
[[nodiscard]] Result<Address> parseAddress(std::string_view text);

/// What runs `program` (words for the shell of the other machine) there, its standard streams being this process's
/// pipes. $DYNASCOPE_SSH, split at white space, stands in for ssh where it is set.
[[nodiscard]] std::vector<std::string> commandThere(const Address& address, const std::string& program);

/// What serves captures there: $DYNASCOPE_REMOTE_CLI, else "dynascope-cli", with "serve".
[[nodiscard]] std::string serveProgram();

/// An engine's command where "ssh://host" stands for the engine there: $DYNASCOPE_REMOTE_ENGINE, else
/// "dynascope-engine". Any other command, and an address that is none, as it is.
[[nodiscard]] std::vector<std::string> engineCommand(std::vector<std::string> command);

} // namespace dynascope::remote
