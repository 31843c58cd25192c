// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-engine [--memory-limit MIB] [--plugin-path FOLDER] [--no-seccomp]: serves the protocol on its standard streams.
#include "core/engine/sandbox/confine.h"
#include "core/engine/service/plugins.h"
#include "core/engine/service/service.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace dynascope;

namespace {

constexpr std::uint64_t defaultMemoryMib = 16384;

int usage() {
    std::fputs("usage: dynascope-engine [--memory-limit MIB] [--plugin-path FOLDER] [--no-seccomp]\n",
               stderr);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    std::uint64_t memoryMib = defaultMemoryMib;
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::puts("dynascope-engine " DYNASCOPE_VERSION);
        return 0;
    }
    std::vector<std::string> pluginFolders = engine::pluginFolders();
    bool filtersCalls = true;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--no-seccomp") {
            filtersCalls = false;
            --i;
            continue;
        }
        if (i + 1 == argc) return usage();
        const char* const value = argv[i + 1];
        if (option == "--memory-limit") {
            const char* const end = value + std::strlen(value);
            if (std::from_chars(value, end, memoryMib).ptr != end || memoryMib == 0) return usage();
        } else if (option == "--plugin-path") {
            pluginFolders.emplace_back(value);
        } else {
            return usage();
        }
    }

    // Libraries print to descriptor 1: from here on that is stderr, and messages have a descriptor of their
    // own.
    const int messages = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (messages < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("dynascope-engine: standard streams");
        return 1;
    }
    if (const auto confined = engine::confine(memoryMib); !confined) {
        std::fprintf(stderr, "dynascope-engine: %s\n", confined.error().message.c_str());
        return 1;
    }
    engine::Service service(pluginFolders);
    engine::seal(pluginFolders, filtersCalls);
    return engine::serve(
        STDIN_FILENO, messages,
        [&](const std::string& method, const nlohmann::json& params, const engine::RequestContext& task) {
            return service.handle(method, params, task);
        });
}
