// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/join.h"

#include "core/base/log.h"
#include "core/base/words.h"
#include "core/profile/capture_code.h"
#include "core/profile/contexts.h"
#include "core/profile/rows_by_subject.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dynascope::profile {

namespace {

class Joiner {
public:
    Joiner(const session::Session& session, const Profile& profile, Joined& out, const TaskContext& task)
        : m_session(session)
        , m_profile(profile)
        , m_index(session, profile.rank)
        , m_contexts(profile, m_index)
        , m_code(session)
        , m_out(out)
        , m_task(task) {}

    bool run() {
        m_out.rowOf.assign(m_profile.events.size(), none);
        std::size_t done = 0;
        for (const std::uint32_t t : m_contexts.tracks())
            for (std::uint32_t i = m_profile.tracks[t].first; i < m_profile.tracks[t].last; ++i) {
                if ((++done & 0xFFFFU) == 0) {
                    if (m_task.cancelled()) return false;
                    m_task.report("Joining", done, m_profile.events.size());
                }
                if (m_contexts.onCpu(i)) place(i);
            }
        findReplays();
        for (std::uint32_t i = 0; i < m_profile.events.size(); ++i)
            if (isOnDevice(event(i).kind)) placeOnDevice(i);
        m_out.rows = m_table.take();
        m_out.graphEnds.assign(m_graphEnds.begin(), m_graphEnds.end());
        std::ranges::sort(m_out.graphEnds);
        if (m_code.unmatchedRuns() > 0)
            m_out.warnings.push_back("operators of " + count(m_code.unmatchedRuns(), "run") +
                                     " of graphs were not matched to nodes: there are too many");
        return !m_task.cancelled();
    }

private:
    [[nodiscard]] const Event& event(std::uint32_t i) const { return m_profile.events[i]; }
    [[nodiscard]] std::string_view name(std::uint32_t i) const { return m_profile.nameOf(event(i)); }

    [[nodiscard]] RowSubject rowFor(std::uint32_t i, Part part, const Owner& owner) const {
        RowSubject row;
        row.part = part;
        row.device = event(i).device;
        row.compile = owner.compile;
        row.region = owner.compile >= 0 ? owner.link : Link::None;
        row.backward = m_contexts.isBackward(i);
        return row;
    }

    void add(std::uint32_t i, const RowSubject& row, bool counts = true) {
        addTo(m_table.at(row), i, counts);
    }
    static bool isAroundReplay(const RowSubject& row) {
        return row.part == Part::OutputCode && row.compile >= 0 && row.name != 0;
    }
    void addTo(std::uint32_t index, std::uint32_t i, bool counts) {
        m_out.rowOf[i] = index;
        m_table.add(index, event(i).self, m_profile.stepOf(event(i)), counts);
        if (m_table.subject(index).part == Part::Node && event(i).sequence >= 0)
            m_nodeOfSequence[event(i).sequence] = index;
    }

    void place(std::uint32_t i) {
        if (const auto preset = m_preset.find(i); preset != m_preset.end()) {
            add(i, preset->second);
            m_preset.erase(preset);
            return;
        }
        switch (m_contexts.role(i)) {
        case Role::Region:
            return placeRegion(i);
        case Role::Call:
            return placeCall(i);
        case Role::Guards:
            return placeGuards(i);
        case Role::Pregraph:
            return add(i, rowFor(i, Part::Pregraph, m_contexts.owner(i)));
        case Role::Prologue:
            return add(i, rowFor(i, Part::Prologue, m_contexts.owner(i)));
        case Role::Forward:
        case Role::Backward:
            return placeRun(i);
        case Role::Plain:
            return placePlain(i);
        }
    }

    void placePlain(std::uint32_t i) {
        const std::uint32_t parent = event(i).parent;
        if (parent != none && m_out.rowOf[parent] != none) {
            const std::uint32_t index = m_out.rowOf[parent];
            const RowSubject& around = m_table.subject(index);
            if ((around.part == Part::Kernel || around.part == Part::Node) &&
                around.device == event(i).device)
                return addTo(index, i, false);
            if ((around.part == Part::Runtime || isAroundReplay(around)) && around.name != 0)
                return addTo(index, i, false);
        }
        RowSubject row = rowFor(i, Part::Eager, m_contexts.owner(i));
        row.name = event(i).name;
        if (const std::uint32_t run = m_contexts.run(i); run != none) {
            const auto code = m_ran.find(run);
            row.part = code == m_ran.end() ? Part::Runtime : Part::InGraph;
            if (code != m_ran.end()) row.stage = code->second;
        } else if (m_contexts.region(i) != none) {
            row.part = Part::InFrame;
            markBreak(i, row);
        } else {
            if (isOfGroupThread(i)) row.part = Part::GroupThread;
            fromForward(i, row);
            fromFile(i, row);
        }
        add(i, row);
    }

    /// ProcessGroupGloo runs collectives on threads of its own, which nothing ties to the call in a graph or outside: on
    /// such a thread "gloo:all_reduce" is what nothing lies around.
    bool isOfGroupThread(std::uint32_t i) const {
        const std::uint32_t parent = event(i).parent;
        if (parent == none) return name(i).starts_with("gloo:");
        const std::uint32_t row = m_out.rowOf[parent];
        return row != none && m_table.subject(row).part == Part::GroupThread;
    }

    /// Backward of an operator that ran in a frame node by node: by the sequence number of both.
    void fromForward(std::uint32_t i, RowSubject& row) const {
        if (event(i).sequence < 0 || !isEngineCall(name(i))) return;
        const auto known = m_nodeOfSequence.find(event(i).sequence);
        if (known == m_nodeOfSequence.end()) return;
        const std::uint8_t device = row.device;
        row = m_table.subject(known->second);
        row.device = device;
        row.backward = true;
        row.inner = Link::Sequence;
    }

    /// A kernel of Triton's that no call of output code holds, as where an exported program runs: one output code alone
    /// may have it.
    void fromFile(std::uint32_t i, RowSubject& row) {
        if (row.part != Part::Eager || fileOf(i).empty()) return;
        const CodeKernel found = m_code.findFile(fileOf(i));
        if (found.compile < 0) return;
        row.compile = found.compile;
        row.stage = found.stage;
        setKernel(row, found.kernel);
    }

    /// Behind the graph of a frame that a graph break ended, time is the break's.
    void markBreak(std::uint32_t i, RowSubject& row) const {
        const std::uint32_t region = m_contexts.region(i);
        const auto ended = m_graphEnds.find(region);
        if (ended == m_graphEnds.end() || event(i).start < ended->second) return;
        if (row.part == Part::InFrame) {
            row.part = Part::AfterBreak;
            row.inner = Link::BreakOfFrame;
        }
        row.brokenCompile = m_contexts.owner(region).compile;
    }

    void placeGuards(std::uint32_t i) {
        RowSubject row = rowFor(i, Part::Guards, {});
        const std::uint32_t next = m_contexts.next(i);
        if (next != none && m_contexts.role(next) == Role::Region) {
            row.compile = m_contexts.owner(next).compile;
            row.region = row.compile >= 0 ? Link::NextRegion : Link::None;
        }
        if (m_contexts.region(i) != none) markBreak(i, row);
        add(i, row);
    }

    void placeRegion(std::uint32_t i) {
        const Owner owner = m_contexts.owner(i);
        ++m_out.regions.all;
        if (owner.compile >= 0) ++m_out.regions.joined;
        RowSubject row = rowFor(i, Part::Frame, owner);
        if (owner.compile < 0) row.name = event(i).name;
        const std::vector<std::uint32_t> children = m_contexts.inside(i);
        std::int64_t graphEnd = -1;
        for (const std::uint32_t child : children)
            if (m_contexts.role(child) == Role::Forward || m_contexts.role(child) == Role::Call)
                graphEnd = event(child).end();
        if (owner.compile >= 0 && graphEnd < 0) graphEnd = runNodes(i, children, owner, false);
        const double after = afterBreak(i, children, owner, graphEnd);
        const std::uint32_t index = m_table.at(row);
        const int step = m_profile.stepOf(event(i));
        m_out.rowOf[i] = index;
        m_table.add(index, event(i).self - after, step, true);
        if (!m_graphEnds.contains(i)) return;
        row.part = Part::AfterBreak;
        row.inner = Link::BreakOfFrame;
        row.brokenCompile = owner.compile;
        m_table.add(m_table.at(row), after, step, true);
    }

    /// How much of a region's own time lies behind the graph of a frame that a graph break ended.
    double afterBreak(std::uint32_t i, const std::vector<std::uint32_t>& children, const Owner& owner,
                      std::int64_t graphEnd) {
        if (owner.compile < 0 || graphEnd < 0 ||
            m_session.compiles[static_cast<std::size_t>(owner.compile)].finalBreaks().empty())
            return 0;
        m_graphEnds[i] = graphEnd;
        std::int64_t gap = event(i).end() - graphEnd;
        for (const std::uint32_t child : children)
            if (event(child).start >= graphEnd) gap -= event(child).duration;
        return std::min(std::max(static_cast<double>(gap), 0.0), event(i).self);
    }

    /// AOTAutograd's function, forward or backward, and the autograd engine's call of it.
    void placeRun(std::uint32_t i) {
        const Owner owner = m_contexts.owner(i);
        add(i, rowFor(i, Part::Runtime, owner));
        if (owner.compile >= 0 && !isEngineCall(name(i)))
            runNodes(i, m_contexts.inside(i), owner, m_contexts.role(i) == Role::Backward);
    }

    /// Operators of a graph that runs node by node get its nodes; the end of the last one, -1 where none is.
    std::int64_t runNodes(std::uint32_t around, const std::vector<std::uint32_t>& children,
                          const Owner& owner, bool backward) {
        const int stage = m_index.graphRun(owner.compile, backward);
        if (stage < 0) return -1;
        const bool ownFrame = m_contexts.role(around) == Role::Region;
        if (!ownFrame) m_ran[around] = stage;
        const auto [events, operators] = operatorsIn(children);
        const std::vector<Matched> matched = m_code.matchNodes(owner.compile, stage, operators);
        if (matched.empty()) {
            m_out.operators.all += ownFrame ? 0 : events.size();
            return -1;
        }
        std::int64_t end = -1;
        for (std::size_t k = 0; k < events.size(); ++k)
            if (matched[k].node != none) end = event(events[k]).end();
        for (std::size_t k = 0; k < events.size(); ++k) {
            if (ownFrame && event(events[k]).start >= end) break; // the frame's own code
            if (!ownFrame && matched[k].foreign) {                // of the wrapper around the graph
                RowSubject row = rowFor(events[k], Part::Runtime, owner);
                row.name = event(events[k]).name;
                m_preset.emplace(events[k], row);
                continue;
            }
            ++m_out.operators.all;
            if (matched[k].node == none) continue;
            ++m_out.operators.joined;
            RowSubject row = rowFor(events[k], Part::Node, owner);
            row.backward = backward;
            row.stage = stage;
            row.node = matched[k].node;
            row.inner = matched[k].link;
            m_preset.emplace(events[k], row);
        }
        return end;
    }

    [[nodiscard]] std::pair<std::vector<std::uint32_t>, std::vector<CalledOperator>>
    operatorsIn(const std::vector<std::uint32_t>& children) const {
        std::pair<std::vector<std::uint32_t>, std::vector<CalledOperator>> out;
        for (const std::uint32_t child : children) {
            if (event(child).kind != Kind::Operator || m_contexts.role(child) != Role::Plain) continue;
            if (!debugHandleOf(name(child)).empty()) continue;
            out.first.push_back(child);
            out.second.push_back({name(child), m_profile.names.text(event(child).dims), fileOf(child)});
        }
        return out;
    }

    /// Triton's source of the kernel that an event launches, or is; empty where it does not say.
    [[nodiscard]] std::string_view fileOf(std::uint32_t i) const {
        if (event(i).launch == none) return {};
        return m_profile.names.text(m_profile.launches[event(i).launch].kernelFile);
    }

    /// The output code that a call is of.
    [[nodiscard]] KeyedCode codeOf(std::uint32_t i, const Owner& owner, Link& link) const {
        const auto keyed = m_index.withKey(subjectOf(name(i)));
        for (const KeyedCode& code : keyed)
            if (code.stage >= 0 &&
                (code.compile == owner.compile || (owner.compile < 0 && keyed.size() == 1))) {
                link = Link::CacheKey;
                return code;
            }
        if (owner.compile < 0) return {};
        const int only = m_index.onlyCode(owner.compile, m_contexts.isBackward(i));
        if (only >= 0) link = Link::OnlyGraph;
        return {owner.compile, only};
    }

    /// "None" is the key of a graph that no cache could hold.
    void countKey(std::uint32_t i, Link link) {
        const std::string_view key = subjectOf(name(i));
        if (!m_index.hasKeys() || key.empty() || key == "None") return;
        ++m_out.keys.all;
        if (link == Link::CacheKey) ++m_out.keys.joined;
    }

    void placeCall(std::uint32_t i) {
        ++m_out.graphs.all;
        RowSubject row = rowFor(i, Part::OutputCode, m_contexts.owner(i));
        const KeyedCode keyed = codeOf(i, m_contexts.owner(i), row.graph);
        countKey(i, row.graph);
        if (row.compile < 0 && keyed.compile >= 0) row.region = Link::CacheKey;
        row.compile = keyed.compile;
        row.stage = keyed.stage;
        if (row.compile < 0) row.name = event(i).name;
        m_ran[i] = row.stage;
        add(i, row);
        if (row.stage < 0) return;
        ++m_out.graphs.joined;
        const std::vector<std::uint32_t> children = m_contexts.inside(i);
        const auto [events, operators] = operatorsIn(children);
        if (std::ranges::any_of(children, [&](std::uint32_t child) { return isGraphLaunch(name(child)); })) {
            // CUDA-graph trees copy inputs to where the graph reads them: operators, and none of the code's.
            for (const std::uint32_t child : children) {
                if (m_contexts.role(child) != Role::Plain) continue;
                RowSubject around = row;
                around.name = event(child).name;
                m_preset.emplace(child, around);
            }
            return;
        }
        const CodeCalls& code = m_code.calls(row.compile, row.stage);
        for (const std::uint32_t child : children)
            if (const std::string_view handle = debugHandleOf(name(child)); !handle.empty())
                presetKernel(child, row, code.withHandle(handle));
        const std::vector<Matched> matched = code.match(operators);
        for (std::size_t k = 0; k < events.size(); ++k)
            presetKernel(events[k], row, matched[k]);
    }

    /// An event in the call `around` of output code is of a kernel, where one was found.
    void presetKernel(std::uint32_t i, RowSubject around, const Matched& found) {
        ++m_out.kernels.all;
        if (found.kernel < 0) return;
        ++m_out.kernels.joined;
        around.part = Part::Kernel;
        around.kernel = found.kernel;
        around.call = found.call;
        around.inner = found.link;
        m_preset.emplace(i, around);
    }

    /// A kernel on a device is of what launched it; in a call of output code that says no more, of what has its name.
    void placeOnDevice(std::uint32_t i) {
        const Launch& launch = m_profile.launches[event(i).launch];
        RowSubject row;
        row.part = Part::Unknown;
        row.name = event(i).name;
        if (launch.event != none && m_out.rowOf[launch.event] != none) {
            const RowSubject& around = m_table.subject(m_out.rowOf[launch.event]);
            row = rowFor(launch.event, around.part, {around.compile, around.region});
            row.graph = around.graph;
            row.inner = around.inner;
            row.stage = around.stage;
            row.kernel = around.kernel;
            row.call = around.call;
            row.node = around.node;
            row.backward = around.backward;
            row.brokenCompile = around.brokenCompile;
            row.launch = launch.link;
            if (isAroundReplay(around) && !isGraphLaunch(name(launch.event)))
                row.name = event(i).name; // copies an input
            else if (around.part != Part::Kernel && around.part != Part::Node)
                fromCode(i, row);
        } else if (isGeneratedKernel(name(i))) {
            CodeKernel found = m_code.findFile(fileOf(i));
            if (found.compile < 0) found = m_code.findAnywhere(name(i));
            if (found.compile >= 0) {
                row.compile = found.compile;
                row.stage = found.stage;
                setKernel(row, found.kernel);
            }
        }
        row.device = event(i).device;
        if (isGeneratedKernel(name(i))) {
            ++m_out.kernels.all;
            if (row.kernel >= 0) ++m_out.kernels.joined;
        }
        add(i, row);
    }

    void fromCode(std::uint32_t i, RowSubject& row) {
        row.name = event(i).name;
        if (!m_code.isCode(row.compile, row.stage)) return;
        row.part = Part::InGraph;
        const auto replayed = m_replayed.find(i);
        const Matched found = replayed == m_replayed.end()
                                  ? m_code.calls(row.compile, row.stage).find(name(i))
                                  : replayed->second;
        if (found.kernel >= 0) setKernel(row, found);
    }

    static void setKernel(RowSubject& row, const Matched& found) {
        row.part = Part::Kernel;
        row.kernel = found.kernel;
        row.call = found.call;
        row.inner = found.link;
        row.name = 0;
    }

    /// One call launches a whole CUDA graph: what ran is of the output code around that call, and its order is the code's.
    void findReplays() {
        std::map<std::uint32_t, std::vector<std::uint32_t>> launched; // by the call that launched them
        std::map<std::uint32_t, std::size_t> launches;                // by run
        for (std::uint32_t i = 0; i < m_profile.events.size(); ++i) {
            if (!isOnDevice(event(i).kind)) continue;
            const std::uint32_t launch = m_profile.launches[event(i).launch].event;
            if (launch != none && isGraphLaunch(name(launch))) launched[launch].push_back(i);
        }
        for (const auto& [launch, events] : launched)
            ++launches[m_contexts.run(launch)];
        for (auto& [launch, events] : launched) {
            const std::uint32_t run = m_contexts.run(launch);
            const auto code = m_ran.find(run);
            const int compile = m_contexts.owner(launch).compile;
            if (run == none || code == m_ran.end() || !m_code.isCode(compile, code->second)) continue;
            const bool oneStream = std::ranges::all_of(
                events, [&](std::uint32_t i) { return event(i).track == event(events.front()).track; });
            const auto node = [&](std::uint32_t i) { return m_profile.launches[event(i).launch].graphNode; };
            // Nodes are numbered as they are captured; without numbers nothing says the order across streams.
            const bool isNumbered =
                std::ranges::all_of(events, [&](std::uint32_t i) { return node(i) >= 0; });
            if (!oneStream && !isNumbered) continue;
            if (oneStream)
                std::ranges::stable_sort(events, {}, [&](std::uint32_t i) { return event(i).start; });
            else
                std::ranges::stable_sort(events, {}, node);
            std::vector<std::string_view> kernels;
            for (const std::uint32_t i : events)
                kernels.push_back(name(i));
            const std::vector<Matched> matched =
                m_code.calls(compile, code->second).matchReplay(kernels, launches[run] == 1);
            for (std::size_t k = 0; k < events.size(); ++k)
                if (matched[k].kernel >= 0) m_replayed.emplace(events[k], matched[k]);
        }
    }

    const session::Session& m_session;
    const Profile& m_profile;
    CompileIndex m_index;
    Contexts m_contexts;
    CaptureCode m_code;
    Joined& m_out;
    const TaskContext& m_task;
    RowsBySubject m_table;
    std::unordered_map<std::uint32_t, std::int64_t> m_graphEnds;      ///< by region that a break ended
    std::unordered_map<std::uint32_t, int> m_ran;                     ///< stage, by call of a graph
    std::unordered_map<std::uint32_t, RowSubject> m_preset;           ///< by operator that is to come
    std::unordered_map<std::int64_t, std::uint32_t> m_nodeOfSequence; ///< rows
    std::unordered_map<std::uint32_t, Matched> m_replayed;            ///< by event of a CUDA graph's launch
};

} // namespace

Result<JoinedPtr> join(session::SessionPtr session, ProfilePtr profile, const TaskContext& task) {
    const log::Stopwatch watch;
    auto out = std::make_shared<Joined>();
    out->session = session ? std::move(session) : std::make_shared<const session::Session>();
    out->profile = std::move(profile);
    Joiner joiner(*out->session, *out->profile, *out, task);
    if (!joiner.run()) return cancellation();
    out->joinedOn.assign(out->profile->devices.size(), 0);
    for (const Row& row : out->rows) {
        out->busy += row.self;
        if (row.compile < 0 && row.brokenCompile < 0) continue;
        out->joined += row.self;
        out->joinedOn[row.device] += row.self;
    }
    const auto of = [](const Tally& tally) {
        return std::to_string(tally.joined) + " of " + std::to_string(tally.all);
    };
    log::write(log::Topic::Profile, "joined ", out->profile->path, " in ", watch.ms(),
               " ms: ", out->profile->events.size(), " events in ", out->rows.size(), " rows; ",
               of(out->regions), " regions, ", of(out->graphs), " graphs, ", of(out->kernels), " kernels, ",
               of(out->operators), " operators; ", std::lround(100 * out->share()), " % of the time");
    for (const std::string& warning : out->warnings)
        log::write(log::Topic::Profile, "warning: ", warning);
    return out;
}

} // namespace dynascope::profile
