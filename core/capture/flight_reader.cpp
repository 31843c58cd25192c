// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/flight_reader.h"

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/capture/log_folder.h"
#include "core/capture/pickle.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <functional>

namespace dynascope::capture {

namespace {

namespace fs = std::filesystem;
using ranks::FlightDump;
using ranks::FlightEntry;
using simdjson::dom::element;

constexpr std::size_t mostFrames = 200, mostTensors = 4096, mostEntries = 4'000'000, mostMembers = 1'000'000;

/// "[0, 1]", as pg_config spells members.
std::vector<int> membersOf(std::string_view text) {
    std::vector<int> out;
    for (std::size_t i = 0; i < text.size() && out.size() < mostMembers;) {
        int rank = 0;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), rank);
        if (error != std::errc()) {
            ++i;
            continue;
        }
        if (rank >= 0) out.push_back(rank);
        i = static_cast<std::size_t>(end - text.data());
    }
    return out;
}

/// "Float[8, 32]".
std::string tensorText(std::string_view dtype, const std::vector<std::string>& sizes) {
    return std::string(dtype) + '[' + joined(sizes, ", ") + ']';
}

void finishEntry(FlightEntry& entry, bool retired, std::uint64_t collective, std::uint64_t pointToPoint) {
    entry.sequence = entry.pointToPoint ? pointToPoint : collective;
    entry.finished = retired || entry.state == "completed";
}

class PickledDump {
public:
    PickledDump(const Pickle& pickle, const TaskContext& task)
        : m_pickle(pickle)
        , m_task(task) {}

    Result<FlightDump> read() {
        const Pickle::Id entries = m_pickle.find(m_pickle.root(), "entries");
        if (m_pickle.find(m_pickle.root(), "version") == Pickle::none || entries == Pickle::none)
            return failure("not a flight-recorder dump: no version and entries");
        FlightDump out;
        out.version = m_pickle.text(m_pickle.find(m_pickle.root(), "version"));
        out.dumpedNs = m_pickle.unsignedInteger(m_pickle.find(m_pickle.root(), "dynascope_dumped_ns"));
        readGroups(out);
        for (const Pickle::Id id : m_pickle.items(entries)) {
            if (m_task.cancelled()) return cancellation();
            if (out.entries.size() == mostEntries) break;
            out.entries.push_back(entry(id));
        }
        return out;
    }

private:
    /// One long text may be that of a million entries: what is copied has a bound.
    std::string text(Pickle::Id dict, std::string_view key) {
        return copied(m_pickle.text(m_pickle.find(dict, key)));
    }
    std::string copied(std::string_view text) {
        if (text.size() > m_bytesLeft) return {};
        m_bytesLeft -= text.size();
        return std::string(text);
    }

    void readGroups(FlightDump& out) {
        const auto* groups =
            std::get_if<Pickle::Dict>(&m_pickle.value(m_pickle.find(m_pickle.root(), "pg_config")));
        if (!groups) return;
        std::size_t left = mostMembers; // one text may be that of many groups
        for (std::size_t i = 0; i + 1 < groups->items.size(); i += 2) {
            const std::string_view members = m_pickle.text(m_pickle.find(groups->items[i + 1], "ranks"));
            if (members.size() > left) return;
            left -= members.size();
            out.members[std::string(m_pickle.text(groups->items[i]))] = membersOf(members);
        }
    }

    FlightEntry entry(Pickle::Id id) {
        FlightEntry out;
        const auto& group = m_pickle.items(m_pickle.find(id, "process_group"));
        if (!group.empty()) out.group = copied(m_pickle.text(group.front()));
        out.name = text(id, "profiling_name");
        out.state = text(id, "state");
        out.pointToPoint = m_pickle.boolean(m_pickle.find(id, "is_p2p"));
        out.createdNs = m_pickle.unsignedInteger(m_pickle.find(id, "time_created_ns"));
        out.inputs = tensors(id, "input_sizes", "input_dtypes");
        out.outputs = tensors(id, "output_sizes", "output_dtypes");
        finishEntry(out, m_pickle.boolean(m_pickle.find(id, "retired")),
                    m_pickle.unsignedInteger(m_pickle.find(id, "collective_seq_id")),
                    m_pickle.unsignedInteger(m_pickle.find(id, "p2p_seq_id")));
        for (const Pickle::Id frame : m_pickle.items(m_pickle.find(id, "frames"))) {
            if (out.frames.size() == mostFrames || m_read++ > m_pickle.size()) break;
            const std::uint64_t line = m_pickle.unsignedInteger(m_pickle.find(frame, "line"));
            out.frames.push_back({text(frame, "filename"),
                                  static_cast<std::uint32_t>(line <= UINT32_MAX ? line : 0),
                                  text(frame, "name"),
                                  {}});
        }
        return out;
    }

    /// What is shared a million times is read no more often than there are values.
    std::vector<std::string> tensors(Pickle::Id id, std::string_view sizes, std::string_view dtypes) {
        std::vector<std::string> out;
        const auto& types = m_pickle.items(m_pickle.find(id, dtypes));
        for (const Pickle::Id shape : m_pickle.items(m_pickle.find(id, sizes))) {
            if (out.size() == mostTensors) break;
            std::vector<std::string> numbers;
            for (const Pickle::Id size : m_pickle.items(shape)) {
                if (m_read++ > m_pickle.size()) return out;
                numbers.push_back(std::to_string(m_pickle.integer(size)));
            }
            const std::size_t at = out.size();
            out.push_back(
                tensorText(at < types.size() ? m_pickle.text(types[at]) : std::string_view(), numbers));
        }
        return out;
    }

    const Pickle& m_pickle;
    const TaskContext& m_task;
    std::size_t m_read = 0; ///< items of entries
    std::size_t m_bytesLeft = std::size_t{256} << 20;
};

simdjson::dom::array arrayOf(const element& object, std::string_view key) {
    simdjson::dom::array out;
    if (object[key].get(out) != simdjson::SUCCESS) return {};
    return out;
}

bool hasArray(const element& object, std::string_view key) {
    simdjson::dom::array out;
    return object[key].get(out) == simdjson::SUCCESS;
}

std::vector<std::string> tensorsOf(const element& entry, std::string_view sizes, std::string_view dtypes) {
    std::vector<std::string> out, types;
    if (hasArray(entry, dtypes))
        for (const element type : arrayOf(entry, dtypes))
            types.push_back(json::spelling(type));
    if (!hasArray(entry, sizes)) return out;
    for (const element shape : arrayOf(entry, sizes)) {
        std::vector<std::string> numbers;
        simdjson::dom::array list;
        if (shape.get(list) == simdjson::SUCCESS)
            for (const element size : list)
                numbers.push_back(json::spelling(size));
        out.push_back(tensorText(out.size() < types.size() ? types[out.size()] : std::string(), numbers));
    }
    return out;
}

std::uint64_t numberOf(const element& entry, std::string_view key) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(json::integer(entry, key, 0), 0));
}

FlightEntry entryOf(const element& object) {
    FlightEntry out;
    if (hasArray(object, "process_group"))
        for (const element name : arrayOf(object, "process_group")) {
            out.group = json::spelling(name);
            break;
        }
    out.name = json::text(object, "profiling_name");
    out.state = json::text(object, "state");
    out.pointToPoint = json::boolean(object, "is_p2p");
    out.createdNs = numberOf(object, "time_created_ns");
    out.inputs = tensorsOf(object, "input_sizes", "input_dtypes");
    out.outputs = tensorsOf(object, "output_sizes", "output_dtypes");
    finishEntry(out, json::boolean(object, "retired"), numberOf(object, "collective_seq_id"),
                numberOf(object, "p2p_seq_id"));
    if (!hasArray(object, "frames")) return out;
    for (const element frame : arrayOf(object, "frames")) {
        if (out.frames.size() == mostFrames) break;
        const std::uint64_t line = numberOf(frame, "line");
        out.frames.push_back({std::string(json::text(frame, "filename")),
                              static_cast<std::uint32_t>(line <= UINT32_MAX ? line : 0),
                              std::string(json::text(frame, "name")),
                              {}});
    }
    return out;
}

Result<FlightDump> readJson(std::string_view bytes, const TaskContext& task) {
    simdjson::dom::parser parser;
    element document;
    if (const auto error = parser.parse(bytes.data(), bytes.size()).get(document))
        return failure(std::string("not a flight-recorder dump: ") + simdjson::error_message(error));
    if (!hasArray(document, "entries") || json::text(document, "version").empty())
        return failure("not a flight-recorder dump: no version and entries");
    FlightDump out;
    out.version = json::text(document, "version");
    simdjson::dom::object groups;
    if (document["pg_config"].get(groups) == simdjson::SUCCESS)
        for (const auto& [name, group] : groups)
            out.members[std::string(name)] = membersOf(json::text(group, "ranks"));
    for (const element entry : arrayOf(document, "entries")) {
        if (task.cancelled()) return cancellation();
        if (out.entries.size() == mostEntries) break;
        out.entries.push_back(entryOf(entry));
    }
    return out;
}

Result<FlightDump> readNamed(std::string_view bytes, const std::string& path, const TaskContext& task) {
    Result<FlightDump> dump = readFlightDump(bytes, task);
    if (!dump) {
        Error error = dump.error();
        error.file = path;
        return tl::unexpected(error);
    }
    dump->file = path;
    dump->rank = rankOfDump(fs::path(path).filename().string());
    return dump;
}

Result<FlightDump> openDump(const std::string& path, const TaskContext& task) {
    const auto source = session::openByteSource(path);
    if (!source) return tl::unexpected(source.error());
    return readNamed((*source)->bytes(), path, task);
}

bool hasFrames(const FlightDump& dump) {
    return std::ranges::any_of(dump.entries, [](const FlightEntry& entry) { return !entry.frames.empty(); });
}

void addDump(FlightFolder& out, FlightDump dump) {
    if (dump.rank < 0) {
        out.unusable.push_back(Error{"the name of this dump says no rank", dump.file});
        return;
    }
    const auto at = std::ranges::lower_bound(out.dumps, dump.rank, {}, &FlightDump::rank);
    if (at == out.dumps.end() || at->rank != dump.rank)
        out.dumps.insert(at, std::move(dump));
    else if (!hasFrames(*at) && hasFrames(dump))
        *at = std::move(dump);
}

} // namespace

Result<FlightDump> readFlightDump(std::string_view bytes, const TaskContext& task) {
    if (trimmed(bytes.substr(0, 64)).starts_with('{')) return readJson(bytes, task);
    if (!looksLikePickle(bytes.substr(0, 64)))
        return failure("not a flight-recorder dump: neither pickle nor JSON");
    const Result<Pickle> pickle = Pickle::read(bytes, task);
    if (!pickle) return tl::unexpected(pickle.error());
    return PickledDump(*pickle, task).read();
}

int rankOfDump(const std::string& name) {
    if (const int rank = rankOfName(name); rank >= 0) return rank;
    std::string_view stem = name;
    if (stem.ends_with(".json")) stem.remove_suffix(5);
    std::size_t digits = stem.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(stem[digits - 1])) != 0)
        --digits;
    int rank = -1;
    const auto [end, error] = std::from_chars(stem.data() + digits, stem.data() + stem.size(), rank);
    return error == std::errc() && end == stem.data() + stem.size() && rank < 1'000'000 ? rank : -1;
}

bool isDumpName(const std::string& name) {
    static constexpr std::string_view starts[] = {"flight", "fr_trace", "nccl_trace", "comm_lib_trace"};
    return rankOfDump(name) >= 0 && std::ranges::any_of(starts, [&](std::string_view start) {
               return std::string_view(name).starts_with(start);
           });
}

namespace {

bool isNoLog(const std::string& name) {
    return !name.ends_with(".log");
}

/// Sorted paths of the files whose names are taken.
Result<std::vector<std::string>> filesOf(const std::string& folder, bool (*takes)(const std::string&)) {
    std::vector<std::string> out;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->is_regular_file(ignored) && takes(at->path().filename().string()))
            out.push_back(at->path().string());
    }
    if (error) return failure(error.message(), folder);
    std::ranges::sort(out);
    return out;
}

/// `read` gives the n-th of so many dumps.
Result<FlightFolder> readAll(std::size_t count, const TaskContext& task,
                             const std::function<Result<FlightDump>(std::size_t)>& read) {
    const log::Stopwatch watch;
    FlightFolder out;
    for (std::size_t i = 0; i < count; ++i) {
        task.report("Reading flight-recorder dumps", i, count);
        Result<FlightDump> dump = read(i);
        if (dump)
            addDump(out, std::move(*dump));
        else if (dump.error().isCancelled())
            return tl::unexpected(dump.error());
        else
            out.unusable.push_back(dump.error());
    }
    log::write(log::Topic::Ranks, "read ", count, " flight-recorder dumps in ", watch.ms(), " ms: of ",
               out.dumps.size(), " ranks, ", out.unusable.size(), " cannot be used");
    return out;
}

Result<FlightFolder> readFiles(const std::vector<std::string>& files, const TaskContext& task) {
    return readAll(files.size(), task, [&](std::size_t i) { return openDump(files[i], task); });
}

} // namespace

bool isDump(const session::InputFile& file) {
    return !isLogFile(file.name) && isDumpName(fs::path(file.name).filename().string());
}

Result<FlightFolder> readFlightFolder(const std::string& path, const TaskContext& task) {
    std::error_code error;
    const bool isFolder = fs::is_directory(path, error);
    Result<std::vector<std::string>> files =
        isFolder ? filesOf(path, isDumpName) : std::vector<std::string>{path};
    // Dumps of other names: any file but logs may be one.
    if (isFolder && files && files->empty()) files = filesOf(path, isNoLog);
    if (!files) return tl::unexpected(files.error());
    Result<FlightFolder> out = readFiles(*files, task);
    if (out && out->dumps.empty())
        return out->unusable.empty() ? failure("no flight-recorder dump in this folder", path)
                                     : tl::unexpected(out->unusable.front());
    return out;
}

Result<FlightFolder> readFlightBeside(const session::Inputs& inputs, const TaskContext& task) {
    std::vector<const session::InputFile*> own;
    for (const session::InputFile& file : inputs.files)
        if (isDump(file)) own.push_back(&file);
    if (!own.empty())
        return readAll(own.size(), task, [&](std::size_t i) {
            return readNamed(own[i]->source->bytes(), (fs::path(inputs.path) / own[i]->name).string(), task);
        });
    if (inputs.path.empty()) return FlightFolder{};
    const fs::path folder = inputs.isFolder ? fs::path(inputs.path) : fs::path(inputs.path).parent_path();
    std::error_code error;
    if (!fs::is_directory(folder, error)) return FlightFolder{};
    const Result<std::vector<std::string>> files = filesOf(folder.string(), isDumpName);
    return files ? readFiles(*files, task) : tl::unexpected(files.error());
}

} // namespace dynascope::capture
