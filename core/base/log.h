// SPDX-License-Identifier: BSD-3-Clause
//
// What a maintainer looks at when something takes long or does not come: lines on stderr, by topic, off
// unless DYNASCOPE_LOG names the topic ("engine,layout", or "all"). In the window they go through Qt's
// logging categories (dynascope.engine), so that QT_LOGGING_RULES chooses as well.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dynascope::log {

/// Named after the folder where most of its lines are written.
enum class Topic : std::uint8_t {
    Answers,  ///< what each question of a capture took
    Capture,  ///< opening: reader, sizes, time, warnings; following what changes
    Compare,  ///< captures, compiles or ranks held against each other: how much, how long, what came of it
    Computed, ///< computed stages: made, kept, moved, dropped, taken out of a session file
    Dynamo,   ///< recordings of Dynamo read; programs that connect in live mode, and why they are let go
    Engine,   ///< the engine's process, calls to it, its plugins
    Find,     ///< searching many captures, and the index for it
    Inductor, ///< recordings of passes read, and the graphs between passes
    Journal,  ///< the blocks of recordings, and those that are damaged
    Layout,   ///< dot, its budget, and when the layered layout answers in its place
    Profile,  ///< profiles read, and what of them was joined to a capture
    Ranks,    ///< ranks examined, dumps of flight recorders
    Rederive, ///< stages and passes that were derived or run again: verdict, time, what was left out
    Remote,   ///< captures on other machines: connections, and what came
    Replay,   ///< graphs judged for CUDA graphs, CUDA-graph trees simulated, workloads put together
    Report,   ///< reports: size, time, what was left out
    Store,    ///< session files, read and written
    Tasks,    ///< work off the GUI thread that was cancelled, superseded or failed
};
inline constexpr std::size_t topicCount = 18;

/// "capture"; what DYNASCOPE_LOG calls it.
[[nodiscard]] std::string_view nameOf(Topic topic);

/// A bit for each topic, that of the first one the lowest.
using Topics = std::uint32_t;

struct Choice {
    Topics topics = 0;
    std::vector<std::string> unknown; ///< names that no topic has, as written, once each
};
/// Reads "engine, layout" or "all". Empty parts count for nothing.
[[nodiscard]] Choice choose(std::string_view list);

/// Chooses by the environment variable DYNASCOPE_LOG; names that it does not know are one line on stderr.
/// Once, at the start of a program.
void chooseByEnvironment();
void setTopics(Topics topics);
[[nodiscard]] Topics topics();

/// Takes a line without its newline: printable, whatever the capture it tells of holds. Called from any
/// thread.
using Sink = void (*)(Topic topic, const std::string& line);
/// Where lines go in place of stderr; nullptr for stderr again. Before other threads are started.
void setSink(Sink sink);

namespace detail {
extern std::atomic<Topics> chosen;
void write(Topic topic, std::string_view text);

inline void append(std::string& out, std::string_view text) {
    out += text;
}
template <typename T>
    requires std::is_arithmetic_v<T>
void append(std::string& out, T number) {
    out += std::to_string(number);
}
} // namespace detail

[[nodiscard]] inline bool on(Topic topic) {
    return (detail::chosen.load(std::memory_order_relaxed) >> static_cast<unsigned>(topic) & 1U) != 0;
}

/// Writes one line of texts and numbers; costs an atomic load where the topic is off. Any thread.
template <typename... Parts>
void write(Topic topic, const Parts&... parts) {
    if (!on(topic)) return;
    std::string text;
    (detail::append(text, parts), ...);
    detail::write(topic, text);
}

/// For "took 12 ms".
class Stopwatch {
public:
    [[nodiscard]] std::int64_t ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_begin).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_begin = Clock::now();
};

} // namespace dynascope::log
