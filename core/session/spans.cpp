// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/spans.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace dynascope::session {

namespace {

constexpr std::size_t deepest = 200;
constexpr std::size_t mostLanes = 64; // of one thread
/// Clocks of begin and end differ by rounding: half a microsecond of overlap is still nesting.
constexpr double roundingUs = 0.5;
constexpr double longestUs = 1e15; // thirty years

struct NamedPart {
    std::string_view text;
    CompilerPart part;
};

/// What names that dynamo_timed is given begin with (torch/_dynamo, torch/_functorch, torch/_inductor); the
/// first that fits counts.
constexpr std::array namedParts{
    NamedPart{"inductor_codecache", CompilerPart::Cache},
    NamedPart{"CacheBase.", CompilerPart::Cache},
    NamedPart{"fx_graph_cache", CompilerPart::Cache},
    NamedPart{"autograd_cache", CompilerPart::Cache},
    NamedPart{"aotautograd_cache", CompilerPart::Cache},
    NamedPart{"AOTAutogradCache", CompilerPart::Cache},
    NamedPart{"FxGraphCache", CompilerPart::Cache},
    NamedPart{"pgo.", CompilerPart::Cache},
    NamedPart{"compile_file", CompilerPart::Kernels},
    NamedPart{"async_compile", CompilerPart::Kernels},
    NamedPart{"PyCodeCache", CompilerPart::Kernels},
    NamedPart{"TritonBundler", CompilerPart::Kernels},
    NamedPart{"triton", CompilerPart::Kernels},
    NamedPart{"CachingAutotuner", CompilerPart::Kernels},
    NamedPart{"code_gen", CompilerPart::CodeGen},
    NamedPart{"GraphLowering.co", CompilerPart::CodeGen}, // codegen, compile_to_fn
    NamedPart{"Scheduler.", CompilerPart::CodeGen},
    NamedPart{"PythonWrapperCodegen", CompilerPart::CodeGen},
    NamedPart{"GraphLowering.run", CompilerPart::Passes},
    NamedPart{"_recursive_", CompilerPart::Passes},
    NamedPart{"pass.", CompilerPart::Passes},
    NamedPart{"inductor_compile", CompilerPart::Passes},
    NamedPart{"fx_codegen_and_compile", CompilerPart::Passes},
    NamedPart{"compile_fx", CompilerPart::Passes},
    NamedPart{"additional_fake_tensor_prop", CompilerPart::Passes},
    NamedPart{"backend_compile", CompilerPart::Aot},
    NamedPart{"create_aot_dispatcher", CompilerPart::Aot},
    NamedPart{"aot_", CompilerPart::Aot},
    NamedPart{"min_cut_rematerialization", CompilerPart::Aot},
    NamedPart{"entire_backward_compile", CompilerPart::Aot},
    NamedPart{"dynamo", CompilerPart::Dynamo},
    NamedPart{"entire_frame_compile", CompilerPart::Dynamo},
    NamedPart{"compile_attempt", CompilerPart::Dynamo},
    NamedPart{"bytecode_tracing", CompilerPart::Dynamo},
    NamedPart{"build_guards", CompilerPart::Dynamo},
    NamedPart{"insert_deferred_runtime_asserts", CompilerPart::Dynamo},
    NamedPart{"gc", CompilerPart::Dynamo},
};

/// Nullopt-like Other: the name says nothing, and the part is that of the span around it.
CompilerPart partOf(std::string_view name) {
    const auto found = std::find_if(namedParts.begin(), namedParts.end(),
                                    [&](const NamedPart& p) { return name.starts_with(p.text); });
    return found == namedParts.end() ? CompilerPart::Other : found->part;
}

/// The lanes of one thread, filled in order of time.
class Thread {
public:
    Thread(SpanTree& tree, const TimingEvent& first)
        : m_tree(tree)
        , m_first(first) {}

    void add(Span span) {
        for (std::size_t i = 0; i < mostLanes; ++i) {
            if (i == m_lanes.size()) {
                m_lanes.push_back({static_cast<int>(m_tree.lanes.size()), {}, {}});
                m_tree.lanes.push_back({m_first.rank, m_first.pid, m_first.tid, 0, i > 0});
            }
            Lane& lane = m_lanes[i];
            while (!lane.open.empty() && span.startUs >= endOf(lane) - roundingUs)
                lane.open.pop_back();
            if (!lane.open.empty() && span.endUs > endOf(lane) + roundingUs) continue;
            if (lane.open.size() < deepest) return place(lane, span);
            break;
        }
        ++m_tree.leftOut;
    }

private:
    struct Lane {
        int index = 0;
        std::vector<int> open;     ///< spans, innermost last
        std::vector<double> ended; ///< by depth, where the last one ended
    };
    [[nodiscard]] double endOf(const Lane& lane) const {
        return m_tree.spans[static_cast<std::size_t>(lane.open.back())].endUs;
    }

    void place(Lane& lane, Span span) {
        span.lane = lane.index;
        span.depth = static_cast<int>(lane.open.size());
        const auto level = static_cast<std::size_t>(span.depth);
        if (lane.ended.size() <= level) lane.ended.push_back(span.startUs);
        span.startUs = std::max(span.startUs, lane.ended[level]);
        span.endUs = std::max(span.startUs, span.endUs);
        if (!lane.open.empty()) {
            span.parent = lane.open.back();
            Span& parent = m_tree.spans[static_cast<std::size_t>(span.parent)];
            span.startUs = std::min(span.startUs, parent.endUs);
            span.endUs = std::min(span.endUs, parent.endUs);
            parent.selfUs -= span.totalUs();
            if (span.part == CompilerPart::Other) span.part = parent.part;
        }
        span.selfUs = span.totalUs();
        lane.ended[level] = span.endUs;
        SpanLane& known = m_tree.lanes[static_cast<std::size_t>(lane.index)];
        known.levels = std::max(known.levels, span.depth + 1);
        lane.open.push_back(static_cast<int>(m_tree.spans.size()));
        m_tree.spans.push_back(span);
    }

    SpanTree& m_tree;
    const TimingEvent& m_first;
    std::vector<Lane> m_lanes;
};

void finish(SpanTree& tree) {
    for (Span& span : tree.spans)
        span.selfUs = std::max(0.0, span.selfUs);
    if (tree.spans.empty()) return;
    tree.startUs = tree.spans.front().startUs;
    tree.endUs = tree.startUs;
    for (const Span& span : tree.spans) {
        tree.startUs = std::min(tree.startUs, span.startUs);
        tree.endUs = std::max(tree.endUs, span.endUs);
    }
}

} // namespace

std::string_view compilerPartName(CompilerPart part) {
    static constexpr std::array<std::string_view, compilerParts> names = {
        "other", "Dynamo", "AOTAutograd", "passes and lowering", "code generation", "kernels", "caches"};
    return names[static_cast<std::size_t>(part)];
}

SpanTree makeSpans(const Session& session, const std::vector<int>& compiles) {
    std::vector<char> wanted(session.compiles.size(), compiles.empty() ? 1 : 0);
    for (const int compile : compiles)
        if (compile >= 0 && static_cast<std::size_t>(compile) < wanted.size())
            wanted[static_cast<std::size_t>(compile)] = 1;
    std::vector<const TimingEvent*> events;
    for (const TimingEvent& event : session.timings) {
        const auto compile = static_cast<std::size_t>(event.compile);
        const bool fits =
            event.compile < 0 || compile >= wanted.size() ? compiles.empty() : wanted[compile] != 0;
        // A comparison with NaN is false.
        if (fits && std::abs(event.startUs) < longestUs && event.durationUs >= 0 &&
            event.durationUs < longestUs)
            events.push_back(&event);
    }
    const auto threadOf = [](const TimingEvent& e) { return std::tuple(e.rank, e.pid, e.tid); };
    std::stable_sort(events.begin(), events.end(), [&](const TimingEvent* a, const TimingEvent* b) {
        return std::tuple(threadOf(*a), a->startUs, -a->durationUs) <
               std::tuple(threadOf(*b), b->startUs, -b->durationUs);
    });

    SpanTree tree;
    std::unordered_map<std::string_view, std::uint32_t> nameOf;
    std::vector<CompilerPart> parts;
    for (std::size_t i = 0; i < events.size();) {
        Thread thread(tree, *events[i]);
        const auto key = threadOf(*events[i]);
        for (; i < events.size() && threadOf(*events[i]) == key; ++i) {
            const TimingEvent& event = *events[i];
            const auto [name, isNew] =
                nameOf.try_emplace(event.name.str(), static_cast<std::uint32_t>(tree.names.size()));
            if (isNew) {
                tree.names.push_back(event.name);
                parts.push_back(partOf(event.name.str()));
            }
            Span span;
            span.name = name->second;
            span.part = parts[span.name];
            span.startUs = event.startUs;
            span.endUs = event.startUs + event.durationUs;
            span.event = static_cast<std::size_t>(&event - session.timings.data());
            span.open = event.open;
            thread.add(span);
        }
    }
    finish(tree);
    return tree;
}

SpanTree mergedSpans(const SpanTree& tree) {
    std::vector<Span> merged;
    std::vector<double> longest;
    std::vector<std::vector<std::size_t>> children(1); // of the root, then of each merged span
    std::vector<std::size_t> indexOf(tree.spans.size());
    std::unordered_map<std::uint64_t, std::size_t> known; // (1 + parent) << 32 | name
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const Span& span = tree.spans[i];
        const std::size_t parent = span.parent < 0 ? 0 : 1 + indexOf[static_cast<std::size_t>(span.parent)];
        const std::uint64_t key = static_cast<std::uint64_t>(parent) << 32U | span.name;
        const auto [at, isNew] = known.try_emplace(key, merged.size());
        indexOf[i] = at->second;
        if (isNew) {
            Span first = span;
            first.parent = static_cast<int>(parent) - 1;
            first.lane = 0;
            first.startUs = first.endUs = first.selfUs = 0; // endUs holds the total until it has a place
            first.count = 0;
            first.open = false;
            children[parent].push_back(merged.size());
            children.emplace_back();
            merged.push_back(first);
            longest.push_back(-1);
        }
        Span& sum = merged[at->second];
        sum.endUs += span.totalUs();
        sum.selfUs += span.selfUs;
        sum.count += span.count;
        sum.open = sum.open || span.open;
        if (span.totalUs() > longest[at->second]) {
            longest[at->second] = span.totalUs();
            sum.event = span.event;
        }
    }

    SpanTree out;
    out.names = tree.names;
    out.leftOut = tree.leftOut;
    if (merged.empty()) return out;
    out.lanes.push_back({});
    struct Place {
        std::size_t span;
        int parent;
        double startUs;
    };
    std::vector<Place> open;
    const auto pushChildren = [&](std::size_t of, int parent, double startUs) {
        std::vector<std::size_t>& list = children[of];
        std::stable_sort(list.begin(), list.end(),
                         [&](std::size_t a, std::size_t b) { return merged[a].endUs > merged[b].endUs; });
        const std::size_t first = open.size();
        for (const std::size_t child : list) {
            open.push_back({child, parent, startUs});
            startUs += merged[child].endUs;
        }
        std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
    };
    pushChildren(0, -1, 0);
    while (!open.empty()) {
        const Place place = open.back();
        open.pop_back();
        Span span = merged[place.span];
        span.parent = place.parent;
        span.startUs = place.startUs;
        span.endUs += place.startUs;
        out.lanes.front().levels = std::max(out.lanes.front().levels, span.depth + 1);
        pushChildren(1 + place.span, static_cast<int>(out.spans.size()), span.startUs);
        out.spans.push_back(span);
    }
    finish(out);
    return out;
}

std::vector<SpanTotal> spanTotals(const SpanTree& tree) {
    std::vector<SpanTotal> out(tree.names.size());
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const Span& span = tree.spans[i];
        SpanTotal& sum = out[span.name];
        sum.name = span.name;
        sum.part = span.part;
        sum.selfUs += span.selfUs;
        sum.count += span.count;
        if (sum.longest < 0 || span.totalUs() > tree.spans[static_cast<std::size_t>(sum.longest)].totalUs())
            sum.longest = static_cast<int>(i);
        bool inside = false;
        for (int above = span.parent; above >= 0 && !inside;) {
            const Span& parent = tree.spans[static_cast<std::size_t>(above)];
            inside = parent.name == span.name;
            above = parent.parent;
        }
        if (!inside) sum.totalUs += span.totalUs();
    }
    std::erase_if(out, [](const SpanTotal& sum) { return sum.count == 0; });
    std::stable_sort(out.begin(), out.end(),
                     [](const SpanTotal& a, const SpanTotal& b) { return a.selfUs > b.selfUs; });
    return out;
}

namespace {

/// Adds up what `spans` of one process took, indices into tree.spans, moment by moment.
void addPartTimes(const SpanTree& tree, const std::vector<std::size_t>& spans,
                  std::array<double, compilerParts>& times) {
    struct Turn {
        double us;
        bool begins;
        std::size_t span;
    };
    std::vector<Turn> turns;
    for (const std::size_t i : spans) {
        if (tree.spans[i].totalUs() <= 0) continue;
        turns.push_back({tree.spans[i].startUs, true, i});
        turns.push_back({tree.spans[i].endUs, false, i});
    }
    std::ranges::sort(turns, {}, &Turn::us);
    std::set<std::pair<double, std::size_t>> running; // by beginning; the innermost of a lane stands last
    double since = 0;
    for (const Turn& turn : turns) {
        if (!running.empty()) {
            const Span& last = tree.spans[running.rbegin()->second];
            times[static_cast<std::size_t>(last.part)] += turn.us - since;
        }
        since = turn.us;
        const std::pair key{tree.spans[turn.span].startUs, turn.span};
        if (turn.begins)
            running.insert(key);
        else
            running.erase(key);
    }
}

} // namespace

std::array<double, compilerParts> partTimes(const SpanTree& tree) {
    std::map<std::pair<int, std::int64_t>, std::vector<std::size_t>> processes;
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const SpanLane& lane = tree.lanes[static_cast<std::size_t>(tree.spans[i].lane)];
        processes[{lane.rank, lane.pid}].push_back(i);
    }
    std::array<double, compilerParts> times{};
    for (const auto& [process, spans] : processes)
        addPartTimes(tree, spans, times);
    return times;
}

} // namespace dynascope::session
