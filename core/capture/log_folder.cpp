// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/log_folder.h"

#include "core/base/words.h"
#include "core/capture/debug_folder.h"
#include "core/capture/flight_reader.h"
#include "core/capture/log_lines.h"
#include "core/capture/profiles.h"
#include "core/capture/snapshots.h"
#include "core/capture/step_recordings.h"
#include "core/capture/trace_reader.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 6;
constexpr std::size_t most = 5000; ///< files that are read

/// A number at the front of `text`, -1 where there is none.
int leadingNumber(std::string_view text) {
    if (text.empty() || !isDigit(text.front())) return -1;
    int out = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && out < 1'000'000 ? out : -1;
}

/// 3 of "x_rank_3_y.log", "rank3", "rank-3"; -1 where there is none.
int rankOfPart(std::string_view part) {
    constexpr std::string_view key = "rank";
    for (std::size_t at = part.find(key); at != std::string_view::npos; at = part.find(key, at + 1)) {
        if (at > 0 && std::isalpha(static_cast<unsigned char>(part[at - 1])) != 0) continue;
        std::string_view rest = part.substr(at + key.size());
        if (rest.starts_with('_') || rest.starts_with('-')) rest.remove_prefix(1);
        if (const int rank = leadingNumber(rest); rank >= 0) return rank;
    }
    return -1;
}

/// Whether a file that is not named as a log may be one.
bool maybeLog(const std::string& name) {
    constexpr std::array<std::string_view, 4> ends = {".txt", ".out", ".err", ""};
    const std::string end = fs::path(name).extension().string();
    return std::find(ends.begin(), ends.end(), end) != ends.end();
}

/// Whether a file that its name does not tell may lie beside logs and be read with them.
bool maybeBeside(std::string_view name) {
    constexpr std::array<std::string_view, 4> ends = {".json", ".json.gz", ".pickle", ".pkl"};
    return std::ranges::any_of(ends, [name](std::string_view end) { return name.ends_with(end); });
}

bool isProfileOrSnapshot(std::string_view name, std::string_view bytes) {
    return isProfile(name, bytes) || isSnapshot(name, bytes);
}

bool holdsLog(std::string_view text) {
    const std::string_view head = text.substr(0, 65536);
    return looksLikeTorchLog(head) || TraceReader::holdsRecord(head);
}

void addNestedLogs(session::Inputs& inputs, std::vector<session::Warning>& unusable) {
    std::error_code error;
    const fs::path root(inputs.path);
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
        if (at.depth() >= deepest) at.disable_recursion_pending();
        std::error_code ignored;
        const std::string file = at->path().string();
        const bool named = isLogFile(file);
        if ((!named && !maybeLog(file)) || at->is_symlink(ignored) || !at->is_regular_file(ignored) ||
            at->file_size(ignored) == 0)
            continue;
        if (inputs.files.size() == most) {
            unusable.push_back(
                {Error{"only the first " + std::to_string(most) + " logs are read", inputs.path}, SIZE_MAX});
            return;
        }
        Result<session::ByteSourcePtr> source = session::openByteSource(file);
        if (!source)
            unusable.push_back({source.error(), SIZE_MAX});
        else if (named || holdsLog((*source)->bytes()))
            inputs.files.push_back(
                {at->path().lexically_relative(root).generic_string(), std::move(*source)});
    }
    std::sort(inputs.files.begin(), inputs.files.end(),
              [](const session::InputFile& a, const session::InputFile& b) { return a.name < b.name; });
}

} // namespace

int rankOfName(const std::string& name) {
    const fs::path path(name);
    std::vector<std::string> parts;
    for (const fs::path& part : path)
        parts.push_back(part.string());
    for (std::size_t i = parts.size(); i-- > 0;) {
        if (const int rank = rankOfPart(parts[i]); rank >= 0) return rank;
        const bool isNumber = !parts[i].empty() && std::all_of(parts[i].begin(), parts[i].end(), isDigit);
        if (isNumber && i > 0 && parts[i - 1].starts_with("attempt_")) return leadingNumber(parts[i]);
    }
    return -1;
}

bool isLogName(const std::string& name) {
    return fs::path(name).extension() == ".log";
}

bool isLogFile(const std::string& name) {
    return isLogName(name) || isLogName(fs::path(name).stem().string());
}

bool liesBeside(const session::InputFile& file) {
    return isDump(file) || isProfileOrSnapshot(file.name, file.source->bytes());
}

session::Inputs readFolder(const std::string& folder, std::vector<session::Warning>& unusable) {
    session::Inputs inputs{folder, true, {}};
    std::vector<session::InputFile> beside, dumps;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        const std::string file = at->path().string();
        const bool named = isLogFile(file) || isRecordingName(file);
        const bool isDump = !named && isDumpName(at->path().filename().string());
        if ((!named && !isDump && !maybeBeside(file)) || !at->is_regular_file(ignored)) continue;
        Result<session::ByteSourcePtr> source = session::openByteSource(file);
        if (source && !named && !isDump && !isProfileOrSnapshot(file, (*source)->bytes())) continue;
        if (source)
            (named    ? inputs.files
             : isDump ? dumps
                      : beside)
                .push_back({at->path().filename().string(), std::move(*source)});
        else
            unusable.push_back({source.error(), SIZE_MAX});
    }
    if (inputs.files.empty())
        for (DebugFile& file : debugFiles(folder, unusable))
            inputs.files.push_back({std::move(file.path), std::move(file.source)});
    if (inputs.files.empty()) addNestedLogs(inputs, unusable);
    std::ranges::sort(beside, {}, &session::InputFile::name);
    std::ranges::move(beside, std::back_inserter(inputs.files));
    if (inputs.files.empty()) return inputs; // dumps alone are no capture
    std::ranges::sort(dumps, {}, &session::InputFile::name);
    std::ranges::move(dumps, std::back_inserter(inputs.files));
    return inputs;
}

} // namespace dynascope::capture
