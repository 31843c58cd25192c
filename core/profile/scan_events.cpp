// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/scan_events.h"

#include "core/base/words.h"
#include "core/profile/json_cursor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

namespace dynascope::profile {

namespace {

/// An event as it is written: views into the text, or into the buffers of who reads it.
struct RawEvent {
    std::string_view phase, category, name, process, thread, time, duration, id, dims, label;
    std::string_view external, sequence, correlation, device, graphNode, kernelFile, kernelHash;
    std::string nameBuffer;

    void clear() {
        std::string kept = std::move(nameBuffer);
        *this = {};
        nameBuffer = std::move(kept);
    }
};

class Scanner {
public:
    Scanner(std::string_view text, const TaskContext& task)
        : m_text(text)
        , m_task(task)
        , m_cursor(text) {
        m_out.profile.devices = {"cpu"};
    }

    /// False where there is no list of events.
    bool run() {
        if (m_cursor.take('[')) {
            events();
        } else if (m_cursor.take('{')) {
            members();
        }
        closeOpen();
        return m_found;
    }
    Scanned& result() { return m_out; }

private:
    void warn(std::string words) { m_out.profile.warnings.push_back(std::move(words)); }
    [[nodiscard]] std::string place(std::size_t at) const {
        const auto line =
            std::count(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        return "line " + std::to_string(line);
    }

    void members() {
        bool first = true;
        while (const auto name = m_cursor.key(first)) {
            first = false;
            if (*name == "traceEvents" && m_cursor.take('[')) {
                if (!events()) return;
            } else if (*name == "distributedInfo" && m_cursor.peek() == '{') {
                distributed();
            } else {
                if (*name == "schemaVersion" || *name == "deviceProperties") m_out.profile.isKineto = true;
                const bool isModels = *name == "deviceProperties";
                const auto value = m_cursor.value();
                if (!value) break;
                if (isModels) models(*value);
            }
        }
        if (!m_cursor.ended())
            warn(m_cursor.isAtEnd() ? "the file is cut off" : "no JSON from " + place(m_cursor.at()) + " on");
    }

    void models(std::string_view list) {
        constexpr std::size_t most = 256U << 10U; // of hundreds of devices
        if (list.size() > most) return;
        const nlohmann::json read = nlohmann::json::parse(list, nullptr, false);
        if (!read.is_array()) return;
        for (const nlohmann::json& device : read) {
            if (!device.is_object() || !device.contains("id") || !device.contains("name")) continue;
            const nlohmann::json &id = device["id"], &name = device["name"];
            if (id.is_number_integer() && name.is_string()) m_out.models[id.dump()] = name;
        }
    }

    void distributed() {
        const auto object = m_cursor.value();
        if (!object) return;
        JsonCursor inner(*object, 1);
        bool first = true;
        while (const auto name = inner.key(first)) {
            first = false;
            const auto value = inner.value();
            if (!value) return;
            const auto number = integer(*value);
            if (!number || *number < 0 || *number > 1'000'000) continue;
            if (*name == "rank") m_out.profile.rank = static_cast<int>(*number);
            if (*name == "world_size") m_out.profile.worldSize = static_cast<int>(*number);
        }
    }

    /// The list of events from behind its bracket; false where the text ends in it.
    bool events() {
        m_found = true;
        constexpr std::size_t stride = 4U << 20U;
        std::size_t next = 0;
        for (bool first = true;; first = false) {
            if (m_cursor.at() >= next) {
                if (m_task.cancelled()) return false;
                m_task.report("Reading", m_cursor.at(), m_text.size());
                if (next > 0) makeRoom();
                next = m_cursor.at() + stride;
            }
            if (m_cursor.take(']')) return true;
            if (!first) m_cursor.take(','); // as Chrome's, which may end in one
            if (m_cursor.take(']')) return true;
            const std::size_t begin = m_cursor.at();
            m_event.clear();
            if (m_cursor.peek() == '{' && event()) {
                keep();
                continue;
            }
            if (!recover(begin)) return false;
        }
    }

    /// For as many events as the rest of the text has, by those before: growing step by step copies them all, again
    /// and again. Fourfold at most, since the rest may be anything.
    void makeRoom() {
        std::vector<Event>& events = m_out.profile.events;
        const double share = static_cast<double>(m_text.size()) / static_cast<double>(m_cursor.at());
        const double expected = static_cast<double>(events.size()) * share * 1.02;
        const auto most = static_cast<double>(4 * events.size());
        if (expected > static_cast<double>(events.capacity()) && events.size() * 5 / 4 > events.capacity())
            events.reserve(static_cast<std::size_t>(std::min(expected, most)));
    }

    /// After what is no event: goes to where the next one may begin. What was read in vain is bounded, so that the
    /// whole stays linear.
    bool recover(std::size_t begin) {
        if (m_cursor.isAtEnd() && m_wasted == 0) {
            warn("the file is cut off in " + place(begin) + "; events before it are here");
            return false;
        }
        if (m_wasted == 0) warn("no event in " + place(begin) + "; reading goes on behind it");
        m_wasted += m_cursor.at() - begin + 1;
        const std::size_t next = m_text.find('{', begin + 1);
        if (next == std::string_view::npos || m_wasted > m_text.size() + (64U << 20U)) {
            warn("nothing was read from " + place(begin) + " on");
            return false;
        }
        m_cursor.moveTo(next);
        return true;
    }

    bool event() {
        if (!m_cursor.take('{')) return false;
        bool first = true;
        while (const auto name = m_cursor.key(first)) {
            first = false;
            if (*name == "name") {
                if (m_cursor.peek() != '"') {
                    if (!m_cursor.value()) return false;
                    continue;
                }
                const auto value = m_cursor.string(m_event.nameBuffer);
                if (!value) return false;
                m_event.name = *value;
            } else if (*name == "args") {
                if (m_cursor.peek() == '{' ? !arguments() : !m_cursor.value()) return false;
            } else if (std::string_view* field = member(*name)) {
                const auto value =
                    m_cursor.peek() == '{' || m_cursor.peek() == '[' ? m_cursor.value() : m_cursor.scalar();
                if (!value) return false;
                *field = *value;
            } else if (!m_cursor.value()) {
                return false;
            }
        }
        return m_cursor.ended();
    }

    std::string_view* member(std::string_view name) {
        switch (name.size()) {
        case 2:
            if (name == "ph") return &m_event.phase;
            if (name == "ts") return &m_event.time;
            return name == "id" ? &m_event.id : nullptr;
        case 3:
            if (name == "cat") return &m_event.category;
            if (name == "pid") return &m_event.process;
            if (name == "tid") return &m_event.thread;
            return name == "dur" ? &m_event.duration : nullptr;
        default:
            return nullptr;
        }
    }

    bool arguments() {
        m_cursor.take('{');
        bool first = true;
        while (const auto name = m_cursor.key(first)) {
            first = false;
            const auto value = m_cursor.value();
            if (!value) return false;
            if (std::string_view* field = argument(*name)) {
                *field = *value;
                if (field->starts_with('"')) *field = field->substr(1, field->size() - 2);
            }
        }
        return m_cursor.ended();
    }

    std::string_view* argument(std::string_view name) {
        if (name == "External id" || name == "external id") return &m_event.external;
        if (name == "Sequence number") return &m_event.sequence;
        if (name == "Input Dims" || name == "Input dims") return &m_event.dims;
        if (name == "correlation") return &m_event.correlation;
        if (name == "device") return &m_event.device;
        if (name == "graph node id") return &m_event.graphNode;
        if (name == "kernel_file") return &m_event.kernelFile;
        if (name == "kernel_hash") return &m_event.kernelHash;
        return name == "name" || name == "labels" ? &m_event.label : nullptr;
    }

    std::uint32_t track() {
        m_key.assign(m_event.process);
        m_key += '\n';
        m_key += m_event.thread;
        const auto known = m_tracks.find(m_key);
        if (known != m_tracks.end()) return known->second;
        const auto out = static_cast<std::uint32_t>(m_out.profile.tracks.size());
        m_out.profile.tracks.push_back(
            {std::string(m_event.process), std::string(m_event.thread), {}, 0, 0, false});
        m_tracks.emplace(m_key, out);
        return out;
    }

    void keep() {
        const std::string_view phase = m_event.phase;
        if (phase == "X")
            complete();
        else if (phase == "B" || phase == "E")
            half(phase == "B");
        else if (phase == "M")
            metadata();
        else if ((phase == "s" || phase == "f") && m_event.category == "ac2g")
            flow(phase == "s");
        else if (phase.empty())
            ++m_without;
        else
            ++m_out.phases[std::string(phase)];
    }

    void metadata() {
        if (m_event.name == "thread_name") m_out.profile.tracks[track()].name = unescaped(m_event.label);
    }

    void flow(bool starts) {
        const auto id = integer(m_event.id), time = thousandths(m_event.time);
        if (id && time) m_out.flows.push_back({*id, *time, track(), starts});
    }

    /// A begin or an end; what began last on its track ends first.
    void half(bool begins) {
        const auto time = thousandths(m_event.time);
        if (!time) {
            ++m_badTimes;
            return;
        }
        std::vector<std::uint32_t>& stack = m_begun[track()];
        if (begins) {
            m_event.duration = "0";
            const std::size_t before = m_out.profile.events.size();
            complete();
            if (m_out.profile.events.size() > before) stack.push_back(static_cast<std::uint32_t>(before));
        } else if (stack.empty()) {
            ++m_badEnds;
        } else {
            Event& event = m_out.profile.events[stack.back()];
            stack.pop_back();
            event.duration = std::max<std::int64_t>(0, *time - event.start);
        }
    }

    void complete() {
        const auto time = thousandths(m_event.time);
        if (!time || m_out.profile.events.size() >= none - 1) {
            ++m_badTimes;
            return;
        }
        Event event;
        event.start = *time;
        const auto duration = thousandths(m_event.duration);
        if (!duration || *duration < 0) ++m_badDurations;
        event.duration = duration ? std::max<std::int64_t>(0, *duration) : 0;
        event.kind = kindOf(m_event.category);
        if (event.kind == Kind::Other) noteUnknown();
        event.name = m_out.profile.names.id(m_event.name);
        event.track = track();
        if (!m_event.dims.empty()) event.dims = m_out.profile.names.id(m_event.dims);
        event.external = integer(m_event.external).value_or(-1);
        event.sequence = integer(m_event.sequence).value_or(-1);
        const bool isTriton = !m_event.kernelFile.empty(); // on the CPU's side too, where it is launched
        if (isOnDevice(event.kind) || event.kind == Kind::Runtime || isTriton) event.launch = launch();
        if (isOnDevice(event.kind)) m_out.profile.tracks[event.track].isStream = true;
        if (event.kind == Kind::Runtime) noteRuntime();
        event.device = device(event.kind);
        m_out.profile.events.push_back(event);
    }

    std::uint32_t launch() {
        Names& names = m_out.profile.names;
        Launch out;
        out.correlation = integer(m_event.correlation).value_or(-1);
        out.graphNode = integer(m_event.graphNode).value_or(-1);
        if (!m_event.kernelFile.empty()) out.kernelFile = names.id(unescaped(m_event.kernelFile));
        if (!m_event.kernelHash.empty()) out.kernelHash = names.id(unescaped(m_event.kernelHash));
        m_out.profile.launches.push_back(out);
        return static_cast<std::uint32_t>(m_out.profile.launches.size() - 1);
    }

    void noteUnknown() {
        constexpr std::size_t most = 12;
        auto known = m_out.unknown.find(m_event.category);
        if (known == m_out.unknown.end())
            known =
                m_out.unknown.try_emplace(m_out.unknown.size() < most ? std::string(m_event.category) : "...")
                    .first;
        ++known->second;
    }

    void noteRuntime() {
        if (std::ranges::find(m_out.deviceKinds, m_event.category) == m_out.deviceKinds.end())
            m_out.deviceKinds.emplace_back(m_event.category);
    }

    /// Devices of one byte: a profile with more has the rest as one.
    std::uint8_t device(Kind kind) {
        if (!isOnDevice(kind) && kind != Kind::Other) return 0;
        std::string name = "other";
        if (isOnDevice(kind)) {
            const auto number = integer(m_event.device.empty() ? m_event.process : m_event.device);
            name = number ? "gpu:" + std::to_string(*number) : "gpu";
        }
        std::vector<std::string>& all = m_out.profile.devices;
        const auto known = std::ranges::find(all, name);
        if (known != all.end()) return static_cast<std::uint8_t>(known - all.begin());
        if (all.size() == 254) all.emplace_back("further devices");
        if (all.size() == 255) return 254;
        all.push_back(std::move(name));
        return static_cast<std::uint8_t>(all.size() - 1);
    }

    void closeOpen() {
        std::size_t open = 0;
        std::int64_t last = INT64_MIN;
        for (const Event& event : m_out.profile.events)
            last = std::max(last, event.end());
        for (const auto& [track, stack] : m_begun)
            for (const std::uint32_t i : stack) {
                Event& event = m_out.profile.events[i];
                event.duration = last - event.start;
                event.open = true;
                ++open;
            }
        if (open > 0) warn(count(open, "event") + " without an end, taken to the end of the profile");
        if (m_badEnds > 0) warn(count(m_badEnds, "end") + " of events that did not begin");
        if (m_badTimes > 0) warn(count(m_badTimes, "event") + " without a time, left out");
        if (m_badDurations > 0) warn(count(m_badDurations, "event") + " without a duration, taken as 0");
        if (m_without > 0) warn(count(m_without, "object") + " in the list of events that is no event");
    }

    std::string_view m_text;
    const TaskContext& m_task;
    JsonCursor m_cursor;
    RawEvent m_event;
    std::string m_key;
    std::unordered_map<std::string, std::uint32_t> m_tracks;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_begun;
    std::size_t m_wasted = 0, m_badEnds = 0, m_badTimes = 0, m_badDurations = 0, m_without = 0;
    bool m_found = false;
    Scanned m_out;
};

} // namespace

bool looksLikeProfile(std::string_view head) {
    head = head.substr(0, 65536);
    const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos) return false;
    if (head[first] == '{')
        return head.find("\"traceEvents\"") != std::string_view::npos ||
               (head.find("\"schemaVersion\"") != std::string_view::npos &&
                head.find("\"deviceProperties\"") != std::string_view::npos);
    const std::size_t inside = head.find_first_not_of(" \t\r\n", first + 1);
    return head[first] == '[' && inside != std::string_view::npos && head[inside] == '{' &&
           head.find("\"ph\"") != std::string_view::npos && head.find("\"ts\"") != std::string_view::npos;
}

Result<Scanned> scanEvents(std::string_view text, const std::string& path, const TaskContext& task) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    Scanner scanner(text, task);
    const bool found = scanner.run();
    if (task.cancelled()) return cancellation();
    if (!found) return failure("no profile: no list of traceEvents", path);
    if (scanner.result().profile.events.empty()) return failure("a profile without events", path);
    return std::move(scanner.result());
}

} // namespace dynascope::profile
