// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/child_program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::cli {

std::string environmentVariable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

std::string defaultPython() {
    const std::string venv = environmentVariable("VIRTUAL_ENV");
    return venv.empty() ? "python3" : venv + "/bin/python";
}

std::vector<std::string> environmentWith(const Variables& changes) {
    std::map<std::string, std::string> values;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t sign = std::min(text.find('='), text.size());
        values.emplace(text.substr(0, sign), text.substr(std::min(sign + 1, text.size())));
    }
    for (const auto& [name, value] : changes)
        values[name] = value;
    std::vector<std::string> out;
    for (const auto& [name, value] : values)
        out.push_back(name + '=' + value);
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

Result<int> runInto(std::vector<std::string> words, const Variables& changes, const std::string& outputFile) {
    constexpr mode_t readable = 0600;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, outputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     readable);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    std::vector<std::string> values = environmentWith(changes);
    pid_t child = 0;
    const int started = posix_spawnp(&child, words.front().c_str(), &files, nullptr, pointers(words).data(),
                                     pointers(values).data());
    posix_spawn_file_actions_destroy(&files);
    if (started != 0) return failure(std::strerror(started), words.front());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return failure(std::strerror(errno), words.front());
    return shellStatus(status);
}

int shellStatus(int status) {
    constexpr int signalBase = 128;
    return WIFSIGNALED(status) ? signalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace dynascope::cli
