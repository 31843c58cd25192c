// SPDX-License-Identifier: BSD-3-Clause
//
// A recording of what AOTAutograd and Inductor did to the graphs of one process: every pass with what it changed,
// every match of a pattern, and the text of each graph in each state that it was in.
// plugins/capture writes it, docs/pass-recording-format.md has every record.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/inductor/schedule.h"
#include "core/journal/block_file.h"
#include "core/session/session.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::inductor {

inline constexpr journal::Format passFormat{"\x89"
                                            "DYNPASS",
                                            "recording of passes"};

/// A function of PyTorch or of the program. Line 0: not known.
struct Function {
    std::string name, file;
    std::uint32_t line = 0;
};

/// How a graph differs from what it was before. Text forms of nodes come from the graphs themselves.
struct Change {
    struct Renamed {
        std::uint64_t id = 0;
        std::string before, after;
    };
    std::vector<NodeRef> created, erased;
    std::vector<Renamed> renamed;
    std::vector<std::uint64_t> updated; ///< other arguments, target or value
    bool moved = false;                 ///< nodes that stayed changed places

    [[nodiscard]] bool empty() const {
        return created.empty() && erased.empty() && renamed.empty() && updated.empty() && !moved;
    }
};

struct Pattern {
    std::string kind; ///< "replacement", "graph", "lowering"
    std::string name;
    Function handler, check, search, replace; ///< those that it has
    std::string expression;                   ///< as PyTorch prints it, of a long one each node in a line
};

/// A pattern that fitted.
struct Match {
    std::uint32_t pattern = 0;        ///< number, see PassRecording::pattern()
    std::vector<NodeRef> nodes;       ///< that fitted
    NodeRef anchor;                   ///< where the matcher began
    std::vector<NodeRef> added, gone; ///< by its replacement
    std::string refused; ///< what said no: "check", "crosses a mutation"; empty where it was applied
    std::vector<std::pair<std::string, std::string>> arguments;
};

/// A run of a pass, or of a function that changes graphs.
struct RecordedPass {
    std::uint32_t index = 0; ///< from 1, by beginning
    std::string name, subsystem;
    std::string kind; ///< "pass", "patterns", "function", "setup", "skipped"
    Function place;
    std::uint32_t phase = 0;             ///< id
    std::uint32_t parent = 0;            ///< index of the pass that it ran in; 0 for none
    std::uint32_t before = 0, after = 0; ///< states
    double us = 0;                       ///< without what recording took
    bool ended = false;                  ///< false: the recording ends within it
    std::size_t nodesBefore = 0, nodesAfter = 0;
    Change change;
    struct Replaced {
        NodeRef before, after;
        std::vector<NodeRef> users;
    };
    std::vector<Replaced> replaced; ///< uses of one node became uses of another
    std::size_t tries = 0;          ///< of patterns; `fits` of them fitted, `matched` were applied
    std::size_t fits = 0, matched = 0;
    std::string skipped;   ///< why it did not run; empty where it did
    std::string exception; ///< that left it
    std::vector<Match> matches;

    [[nodiscard]] bool changed() const { return before != after; }
    /// How many of `matches` something said no to.
    [[nodiscard]] std::size_t refused() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(matches, [](const Match& match) { return !match.refused.empty(); }));
    }
};

/// A graph at one moment.
struct State {
    std::uint32_t id = 0, phase = 0;
    std::uint32_t module = 0; ///< number of the graph module that it is a state of
    std::uint32_t pass = 0;   ///< that made it; 0: it was found so between passes, or is the first
    std::uint32_t base = 0;   ///< its text is told against
    std::size_t nodes = 0;
    bool first = false; ///< of its module
    Change change;      ///< against the module's state before
};

/// A graph that PyTorch's trace prints as well, where the recorder saw it.
struct TracedStage {
    std::string name; ///< "before_post_grad_graph"
    std::uint32_t phase = 0, state = 0;
};

/// What ran over one graph: "dynamo", "pre_grad", "aot", "joint", "partition", "inductor", "post_grad", "freezing",
/// "other".
struct PassPhase {
    std::uint32_t id = 0, compile = 0, parent = 0, module = 0;
    std::string name;
    std::string graph; ///< "dynamo", "joint", "forward", "backward", "inference", "unknown"
    std::map<std::string, std::string> options; ///< settings that matter to it, as Python spells them
    std::uint32_t first = 0, last = 0;          ///< states at its beginning and end; 0: none
    double us = 0, ownUs = 0;                   ///< in all, what recording took included; and that alone
    double passesUs = 0;                        ///< of the passes that ran in it, without those within others
    bool ended = false;
    std::string exception;
    std::vector<std::uint32_t>
        made; ///< states of the graphs that it gives back: forward and backward of a partition
    struct Decomposed {
        std::string op;
        std::size_t count = 0;
        std::vector<std::string> into; ///< operators that were decomposed within
    };
    std::vector<Decomposed> decompositions;

    /// What it took without recording, in microseconds: never less than its passes, though recordings from before the
    /// recorder's clock stood still while it wrote counted some of its own time twice.
    [[nodiscard]] double ownTime() const { return std::max(passesUs, us - ownUs); }
};

struct CompileInRecording {
    std::uint32_t id = 0;
    std::string compileId; ///< "0/0", as PyTorch says
    int attempt = 0;
    int run = 1; ///< how often compile ids of this name began, this time counted
    std::map<std::string, std::map<std::string, std::string>>
        settings; ///< by module, those that are not PyTorch's own
};

class PassRecording;
using PassRecordingPtr = std::shared_ptr<const PassRecording>;

/// Immutable but for caches, which a lock guards: for any thread.
class PassRecording : public session::Attachment {
public:
    /// `tail` may be null. Records that make no sense are left out and counted in a warning.
    [[nodiscard]] static Result<PassRecordingPtr>
    read(session::ByteSourcePtr file, session::ByteSourcePtr tail, const TaskContext& task = {});

    [[nodiscard]] const std::string& torchVersion() const { return m_torch; }
    [[nodiscard]] int rank() const { return m_rank; } ///< -1 where the process had none
    /// When it began, in seconds since 1970.
    [[nodiscard]] double started() const { return m_started; }
    /// What this PyTorch lacks of what is listened to.
    [[nodiscard]] const std::vector<std::string>& missing() const { return m_missing; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }

    [[nodiscard]] const std::vector<CompileInRecording>& compiles() const {
        return m_compiles;
    }                                                                                  ///< by id, from 1
    [[nodiscard]] const std::vector<PassPhase>& phases() const { return m_phases; }    ///< by id, from 1
    [[nodiscard]] const std::vector<RecordedPass>& passes() const { return m_passes; } ///< by index, from 1
    [[nodiscard]] const std::vector<State>& states() const { return m_states; }        ///< by id, from 1
    [[nodiscard]] const std::vector<TracedStage>& stages() const { return m_stages; }
    [[nodiscard]] const std::vector<Schedule>& schedules() const { return m_schedules; } ///< by id, from 1
    [[nodiscard]] const std::vector<Fallback>& fallbacks() const {
        return m_fallbacks;
    }                                                                              ///< as they were lowered
    [[nodiscard]] const std::vector<Tuning>& tunings() const { return m_tunings; } ///< in their order
    /// Why two nodes were not fused, by its number, as PyTorch says it.
    [[nodiscard]] std::string_view reason(std::uint32_t id) const {
        const std::string* found = at(m_reasons, id);
        return found ? *found : std::string_view();
    }

    /// By number; null where there is none such.
    [[nodiscard]] const CompileInRecording* compile(std::uint32_t id) const { return at(m_compiles, id); }
    [[nodiscard]] const PassPhase* phase(std::uint32_t id) const { return at(m_phases, id); }
    [[nodiscard]] const RecordedPass* pass(std::uint32_t index) const { return at(m_passes, index); }
    [[nodiscard]] const State* state(std::uint32_t id) const { return at(m_states, id); }
    [[nodiscard]] const Pattern* pattern(std::uint32_t id) const { return at(m_patterns, id); }

    /// The graph of a state as print_readable() printed it; an Error where records are damaged.
    [[nodiscard]] Result<std::string> text(std::uint32_t state) const;
    /// The text of stages()[index] as the trace prints it.
    [[nodiscard]] Result<std::string> stageText(std::size_t index) const;
    /// The nodes of a state, in no order.
    [[nodiscard]] std::vector<NodeRef> nodes(std::uint32_t state) const;

private:
    friend class PassScanner;
    using Lines = std::vector<std::string>;
    using LinesPtr = std::shared_ptr<const Lines>;

    template <typename T>
    static const T* at(const std::vector<T>& all, std::uint32_t id) {
        return id > 0 && id <= all.size() ? &all[id - 1] : nullptr;
    }
    [[nodiscard]] Result<LinesPtr> lines(std::uint32_t state) const;
    [[nodiscard]] Result<LinesPtr> applied(const journal::PayloadPlace& place, const LinesPtr& base) const;

    journal::BlockFile m_blocks;
    std::string m_torch;
    int m_rank = -1;
    double m_started = 0;
    std::vector<std::string> m_missing, m_warnings;
    std::vector<CompileInRecording> m_compiles;
    std::vector<PassPhase> m_phases;
    std::vector<RecordedPass> m_passes;
    std::vector<State> m_states;
    std::vector<TracedStage> m_stages;
    std::vector<Pattern> m_patterns;
    std::vector<Schedule> m_schedules;
    std::vector<Fallback> m_fallbacks;
    std::vector<Tuning> m_tunings;
    std::vector<std::string> m_reasons;
    std::vector<journal::PayloadPlace> m_statePlaces, m_stagePlaces; ///< of their records
    std::vector<std::vector<NodeRef>> m_firstNodes; ///< by state: nodes of the first of a module

    mutable std::mutex m_lock;
    mutable std::deque<std::pair<std::uint32_t, LinesPtr>> m_kept; ///< texts made last
    mutable std::size_t m_keptBytes = 0;
    mutable std::set<std::uint32_t> m_broken; ///< states whose text cannot be made
};

} // namespace dynascope::inductor
