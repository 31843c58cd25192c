// SPDX-License-Identifier: BSD-3-Clause
//
// What torch.profiler wrote of a run (a Kineto trace), or another producer of Chrome traces: its events as compact
// values, nested by thread, with the time that each has for itself. Immutable once read() has returned it; any thread.
//
// Times are nanoseconds. Busy time of "cpu" is what operators, annotations and calls of the runtime cover, added up
// over threads, as PyTorch's "Self CPU time total" is; of a device what its kernels and copies cover, where those that
// run at the same time share the time in equal parts. Frames of Python are kept, and take no time from what they call.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/profile/names.h"
#include "core/session/attachment.h"
#include "core/session/session.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::profile {

/// What an event is, by its category.
enum class Kind : std::uint8_t {
    Operator,    ///< cpu_op
    Annotation,  ///< user_annotation: record_function, steps, graphs that are called
    Runtime,     ///< a call of CUDA's, HIP's, XPU's or MTIA's runtime or driver
    Kernel,      ///< on a device
    Copy,        ///< on a device: memory copied or set
    Python,      ///< a frame of Python
    DeviceRange, ///< an annotation drawn over what a device did
    Overhead,    ///< the profiler's own
    Span,        ///< the profiler's own, over all of it
    Marker, ///< on a stream, and no work of it: a wait for it, an event recorded in it, a range of CUPTI's
    Other   ///< of a category that is not known
};
/// "operator", "annotation", "runtime call", "kernel", "copy", "Python", ...
[[nodiscard]] std::string_view kindName(Kind kind);
/// Whether its time is busy time of a processor.
[[nodiscard]] constexpr bool takesTime(Kind kind) {
    return kind <= Kind::Copy || kind == Kind::Other;
}
[[nodiscard]] constexpr bool isOnDevice(Kind kind) {
    return kind == Kind::Kernel || kind == Kind::Copy;
}

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct Event {
    std::int64_t start = 0; ///< since Profile::start
    std::int64_t duration = 0;
    double self = 0;         ///< its part of busy time; 0 for what takes none
    std::uint32_t name = 0;  ///< into Profile::names
    std::uint32_t track = 0; ///< into Profile::tracks
    std::uint32_t parent =
        none; ///< event around it on its track: of Python for Python, else of what takes time
    std::uint32_t depth = 0;
    std::uint32_t dims = 0;      ///< "Input Dims" as written, into Profile::names
    std::uint32_t launch = none; ///< on a device: into Profile::launches
    std::int64_t external = -1;  ///< "External id"; -1 where there is none
    std::int64_t sequence = -1;  ///< "Sequence number"
    Kind kind = Kind::Other;
    std::uint8_t device = 0; ///< into Profile::devices
    bool open = false;       ///< its end is missing; taken to the end of the profile

    [[nodiscard]] std::int64_t end() const { return start + duration; }
};

/// How what runs on a device was found to be launched.
enum class LaunchLink : std::uint8_t { None, Correlation, Flow, ExternalId };
[[nodiscard]] std::string_view launchLinkName(LaunchLink link);

/// What is known besides of an event on a device, or of the call that launched it.
struct Launch {
    std::int64_t correlation = -1, graphNode = -1; ///< "correlation", "graph node id"
    std::uint32_t kernelFile = 0, kernelHash = 0;  ///< Triton's, into Profile::names
    std::uint32_t event = none;                    ///< that launched it
    LaunchLink link = LaunchLink::None;
};

/// A thread, or a stream of a device.
struct Track {
    std::string process, thread;       ///< "pid" and "tid" as written
    std::string name;                  ///< "thread 1522 (python)", as the profile names it; may be empty
    std::uint32_t first = 0, last = 0; ///< its events: first up to, without, last
    bool isStream = false;
};

/// A ProfilerStep#, or where there are none, a turn of the record_function that most of the time is in.
struct Step {
    std::uint32_t name = 0; ///< into Profile::names
    std::int64_t start = 0, duration = 0;
};

struct Profile : session::Attachment {
    std::string path;
    int rank = -1, worldSize = 0; ///< of distributedInfo; -1 and 0 where it has none
    bool isKineto = false;        ///< PyTorch's; else another producer's
    std::int64_t start = 0;       ///< of the first event, on the profile's own clock
    std::int64_t duration = 0;    ///< from the first event to the end of the last
    Names names;
    std::vector<Event> events; ///< by track, then start, those that hold others first
    std::vector<Track> tracks;
    std::vector<Launch> launches;
    std::vector<std::string> devices; ///< "cpu", "cuda:0", "other"
    std::vector<std::string>
        models;               ///< by device: "NVIDIA H200", by deviceProperties; empty where it does not say
    std::vector<double> busy; ///< by device
    std::vector<Step> steps;  ///< by start; they do not overlap
    std::vector<std::string> warnings;

    [[nodiscard]] const std::string& nameOf(const Event& event) const { return names.text(event.name); }
    /// The step that a time lies in; -1 for none.
    [[nodiscard]] int stepAt(std::int64_t time) const;
    /// The step that an event belongs to: on a device, that of its launch.
    [[nodiscard]] int stepOf(const Event& event) const;
};
using ProfilePtr = std::shared_ptr<const Profile>;

/// Whether the beginning of a file, unpacked, is that of a profile. Looks at no more than 64 KiB.
[[nodiscard]] bool looksLikeProfile(std::string_view head);

/// Reads a profile that is not packed. Linear but for sorting; memory of about 80 bytes an event. An Error where there
/// is no event at all; whatever else is odd is a warning, and what is left of a damaged file opens.
[[nodiscard]] Result<ProfilePtr> read(std::string_view text, const std::string& path,
                                      const TaskContext& task = {});

} // namespace dynascope::profile
