// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/address.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace dynascope::remote {

namespace {

constexpr std::string_view scheme = "ssh://";

std::string variable(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

/// Login and port of "user@host:22", "user@[::1]:22".
Result<Address> parseHost(std::string_view text, std::string_view whole) {
    Address out;
    const std::size_t at = text.find('@');
    const std::string_view user = at == std::string_view::npos ? std::string_view() : text.substr(0, at + 1);
    std::string_view host = text.substr(user.size());
    std::string_view port;
    const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
    if (bracket == std::string_view::npos)
        return failure("the host has no closing bracket", std::string(whole));
    if (const std::size_t colon = host.find(':', bracket); colon != std::string_view::npos) {
        port = host.substr(colon + 1);
        host = host.substr(0, colon);
        if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos)
            return failure("the port is no number", std::string(whole));
    }
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    if (host.empty() || user == "@") return failure("names no host: ssh://HOST/PATH", std::string(whole));
    // ssh would read it as an option.
    if (text.starts_with('-') || host.starts_with('-'))
        return failure("a host does not begin with a dash", std::string(whole));
    const auto isOdd = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
    if (std::ranges::any_of(text, isOdd)) return failure("the host has blanks in it", std::string(whole));
    out.login = std::string(user) + std::string(host);
    out.port = port;
    return out;
}

} // namespace

bool isAddress(std::string_view text) {
    return text.starts_with(scheme);
}

Result<Address> parseAddress(std::string_view text) {
    if (!isAddress(text))
        return failure("is no address of another machine: ssh://HOST/PATH", std::string(text));
    const std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    Result<Address> out = parseHost(rest.substr(0, slash), text);
    if (!out) return out;
    out->path = rest.substr(slash);
    if (out->path.starts_with("/~")) out->path.erase(0, 1);
    return out;
}

std::vector<std::string> commandThere(const Address& address, const std::string& program) {
    std::vector<std::string> out;
    std::istringstream words(variable("DYNASCOPE_SSH", "ssh"));
    for (std::string word; words >> word;)
        out.push_back(word);
    if (out.empty()) out.emplace_back("ssh");
    // No terminal there; a machine that is gone is noticed.
    for (const char* option : {"-T", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15"})
        out.emplace_back(option);
    if (!address.port.empty()) {
        out.emplace_back("-p");
        out.push_back(address.port);
    }
    out.emplace_back("--");
    out.push_back(address.login);
    out.push_back(program);
    return out;
}

std::string serveProgram() {
    return variable("DYNASCOPE_REMOTE_CLI", "dynascope-cli") + " serve";
}

std::vector<std::string> engineCommand(std::vector<std::string> command) {
    if (command.size() != 1 || !isAddress(command.front())) return command;
    const Result<Address> address = parseAddress(command.front());
    if (!address || address->path.size() > 1) return command;
    return commandThere(*address, variable("DYNASCOPE_REMOTE_ENGINE", "dynascope-engine"));
}

} // namespace dynascope::remote
