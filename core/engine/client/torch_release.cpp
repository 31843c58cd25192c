// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/torch_release.h"

#include <fstream>

namespace dynascope::engine {

namespace {

/// "2.13" of "2.13.0+cpu".
std::string_view release(std::string_view version) {
    const std::size_t point = version.find('.');
    return point == std::string_view::npos
               ? version
               : version.substr(0, version.find_first_not_of("0123456789", point + 1));
}

/// "2.11.0+cu130" of the folder's version.py, which is read and never run; empty where there is none.
std::string versionIn(const std::filesystem::path& folder) {
    std::ifstream file(folder / "version.py");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("__version__")) continue;
        const std::size_t begin = line.find_first_of("'\"");
        if (begin == std::string::npos) continue;
        const std::size_t end = line.find(line[begin], begin + 1);
        if (end != std::string::npos) return line.substr(begin + 1, end - begin - 1);
    }
    return {};
}

} // namespace

std::string LackingTorch::words() const {
    if (found.empty())
        return "the engine needs PyTorch " + needed +
               ", which is not installed beside it: pip install 'torch==" + needed +
               "' (or 'dynascope[engine]')";
    return "the engine needs PyTorch " + needed + "; installed is " + found +
           ": pip install 'torch==" + needed + "', or 'dynascope[engine]' in an environment of its own";
}

std::optional<LackingTorch> lackingTorch(const std::vector<std::string>& command) {
    if (command.empty() || command.front().find('/') == std::string::npos) return std::nullopt;
    const std::filesystem::path program = command.front();
    std::ifstream file(program.string() + ".needs");
    std::string what, folder;
    LackingTorch out;
    if (!(file >> what >> out.needed) || !std::getline(file >> std::ws, folder) || what != "torch")
        return std::nullopt;
    out.folder = (program.parent_path() / folder).lexically_normal();
    out.found = versionIn(out.folder);
    // What follows + is how that version was built: for CPUs, or for a CUDA.
    if (out.found.substr(0, out.found.find('+')) == out.needed) return std::nullopt;
    return out;
}

std::string releasesApart(std::string_view here, std::string_view there) {
    if (here.empty() || there.empty() || release(here) == release(there)) return {};
    return "PyTorch " + std::string(release(here)) + " here, " + std::string(release(there)) + " there";
}

} // namespace dynascope::engine
