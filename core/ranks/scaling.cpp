// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/scaling.h"

#include "core/base/words.h"
#include "core/ir/meta.h"
#include "core/ranks/sharded_inputs.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::ranks {

namespace {

/// How a kind of collective goes with the number of ranks.
enum class Shape : std::uint8_t { Same, Whole, Exchange };

struct Kind {
    std::string_view begins;
    Shape shape;
    double factor; ///< times (n-1)/n where `over`, else as it is
    bool over;
    std::string_view words; ///< the factor
};
// nccl-tests, doc/PERFORMANCE.md. The first that fits counts.
constexpr std::array kinds{
    Kind{"all_reduce", Shape::Same, 2, true, "2 (n-1)/n"},
    Kind{"reduce_scatter", Shape::Whole, 1, true, "(n-1)/n"},
    Kind{"all_gather", Shape::Whole, 1, true, "(n-1)/n"},
    Kind{"all_to_all", Shape::Exchange, 1, true, "(n-1)/n"},
    Kind{"broadcast", Shape::Same, 1, false, "1"},
    Kind{"reduce", Shape::Same, 1, false, "1"},
};

const Kind* scaledKind(std::string_view name) {
    const auto found = std::ranges::find_if(kinds, [&](const Kind& k) { return name.starts_with(k.begins); });
    return found == kinds.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> shapeBytes(const std::string& shape) {
    const ir::ValueMeta meta = ir::parseAnnotation(shape);
    return meta.tensor ? meta.tensor->bytes() : std::nullopt;
}

/// The whole tensor of a gather or scatter is the largest one of the call, and in-place forms are given both.
std::optional<std::uint64_t> wholeBytes(const Collective& what, std::int64_t n) {
    if (what.kind.find("coalesced") != std::string::npos) {
        if (!what.bytes) return std::nullopt;
        return what.kind.starts_with("all_gather") ? *what.bytes * static_cast<std::uint64_t>(n)
                                                   : *what.bytes;
    }
    std::optional<std::uint64_t> most;
    for (const std::vector<std::string>* list : {&what.inputs, &what.outputs})
        for (const std::string& shape : *list) {
            const auto bytes = shapeBytes(shape);
            if (!bytes) return std::nullopt;
            most = std::max(most.value_or(0), *bytes);
        }
    return most;
}

std::optional<std::uint64_t> sizeForFactor(const Collective& what, Shape shape, std::int64_t n) {
    if (shape == Shape::Whole) return wholeBytes(what, n);
    if (shape == Shape::Exchange && !what.inputs.empty()) return shapeBytes(what.inputs.back());
    return what.bytes;
}

double factorOf(const Kind& kind, double n) {
    return kind.over ? kind.factor * (n - 1) / n : n > 1 ? kind.factor : 0;
}

class Estimator {
public:
    Estimator(const session::Session& session, const Report& report, std::int64_t to)
        : m_session(session)
        , m_report(report) {
        m_out.to = to;
        m_out.from = static_cast<std::int64_t>(report.ranks.size());
        if (!report.ranks.empty())
            m_out.from = std::max<std::int64_t>(m_out.from, report.ranks.back() + std::int64_t{1});
        for (const CompileRow& row : report.rows)
            for (const Lane& lane : row.lanes)
                for (const Call& call : lane.calls)
                    m_out.from =
                        std::max(m_out.from, std::min(call.what.groupSize.value_or(0), mostGroupSize));
    }

    ScaleEstimate run() {
        for (std::size_t row = 0; row < m_report.rows.size(); ++row)
            addRow(row);
        say();
        return std::move(m_out);
    }

private:
    void addRow(std::size_t index) {
        const CompileRow& row = m_report.rows[index];
        ScaledCompile out;
        out.row = index;
        if (!row.lanes.empty()) {
            const Lane& lane = row.lanes.front();
            for (std::size_t i = 0; i < lane.calls.size(); ++i) {
                out.calls.push_back(callOf(lane.calls[i]));
                out.calls.back().call = i;
                if (const auto& moved = out.calls.back().moved) {
                    out.moved.now += moved->now;
                    out.moved.wholeStays += moved->wholeStays;
                    out.moved.partStays += moved->partStays;
                }
            }
            if (row.lanes.size() > 1)
                m_out.limits.push_back(row.id + " is estimated by the calls of " + rankWords(lane.ranks) +
                                       "; others make other calls");
        }
        addHeld(row, out);
        if (!out.calls.empty() || !out.sharded.empty()) m_out.compiles.push_back(std::move(out));
    }

    ScaledCall callOf(const Call& call) {
        ScaledCall out;
        out.groupSize = sizeOfGroup(call);
        const Kind* kind = scaledKind(call.what.kind);
        if (call.what.pointToPoint) {
            out.words =
                "a send or receive: which rank it goes to with another number of ranks is the program's";
        } else if (!kind) {
            out.words = "there is no factor for " + call.what.kind;
        } else if (!out.groupSize) {
            out.words = "how many ranks process group '" + call.what.group + "' has is not known";
        } else if (const auto bytes = sizeForFactor(call.what, kind->shape, *out.groupSize); !bytes) {
            out.words = "its sizes are no numbers";
        } else {
            out.bytes = *bytes;
            out.moved = movedOf(*kind, static_cast<double>(*bytes), *out.groupSize);
            out.words = std::string(kind->words) + " of " + formatBytes(*bytes) +
                        (*out.groupSize < m_out.from
                             ? ", in a group of " + count(static_cast<std::size_t>(*out.groupSize), "rank") +
                                   " that is taken to stay"
                             : "");
        }
        return out;
    }

    [[nodiscard]] Moved movedOf(const Kind& kind, double bytes, std::int64_t size) const {
        const auto before = static_cast<double>(size);
        const double now = bytes * factorOf(kind, before);
        if (size < m_out.from) return {now, now, now};
        const auto n = static_cast<double>(m_out.to);
        const double same = bytes * factorOf(kind, n);
        if (kind.shape == Shape::Whole) return {now, same, same * n / before};
        if (kind.shape == Shape::Exchange) return {now, same * before / n, same};
        return {now, same, same};
    }

    std::optional<std::int64_t> sizeOfGroup(const Call& call) {
        if (call.what.groupSize) return call.what.groupSize;
        if (const auto said = sizeInGraph(call)) return said;
        // The default group has every rank.
        return call.what.group == "0" ? std::optional(m_out.from) : std::nullopt;
    }

    /// What another call on that group says in its graph.
    std::optional<std::int64_t> sizeInGraph(const Call& call) {
        if (!call.stage) return std::nullopt;
        auto [found, isNew] = m_groups.try_emplace(call.stage.get());
        if (isNew)
            if (const Result<ir::GraphPtr> graph = call.stage->graph())
                for (const GroupUse& use : ranks::groupsOf(**graph))
                    found->second[use.name] = use.size;
        const auto size = found->second.find(call.what.group);
        return size == found->second.end() ? std::nullopt : size->second;
    }

    void addHeld(const CompileRow& row, ScaledCompile& out) {
        const auto having = std::ranges::find_if(row.compiles, [](std::size_t at) { return at != none; });
        if (having == row.compiles.end()) return;
        const detail::HeldInputs held = detail::heldInputs(m_session.compiles[*having], m_out.from);
        out.heldNow = held.bytes;
        out.heldThen = static_cast<double>(held.bytes);
        for (const detail::HeldPart& part : held.parts) {
            const double then = static_cast<double>(part.bytes) * static_cast<double>(m_out.from) /
                                static_cast<double>(m_out.to);
            out.heldThen += then - static_cast<double>(part.bytes);
            out.sharded.push_back({part.name, part.bytes, then, part.words});
        }
        for (const std::string& limit : held.limits)
            m_out.limits.push_back(row.id + ": " + limit);
    }

    void say() {
        const auto ranks = [](std::int64_t n) { return count(static_cast<std::size_t>(n), "rank"); };
        if (m_out.from > static_cast<std::int64_t>(m_report.ranks.size()))
            m_out.limits.push_back("the capture has logs of " + count(m_report.ranks.size(), "rank") +
                                   "; by their numbers and process groups the run had " + ranks(m_out.from));
        if (m_out.compiles.empty()) {
            m_out.limits.emplace_back(
                "no compiled graph calls a collective or has a sharded input: what is communicated "
                "outside of compiled graphs, as DDP and FSDP do it, is not in a trace, and "
                "nothing is estimated");
            return;
        }
        m_out.assumptions = {
            "The program compiles the same graphs with " + ranks(m_out.to) + "; process groups of all " +
                ranks(m_out.from) + " have " + ranks(m_out.to) + " then, smaller ones stay as they are.",
            "Bytes are those that each rank at least sends: the size of a call times NCCL's factor for bus "
            "bandwidth "
            "(nccl-tests, doc/PERFORMANCE.md), which is no time: latency, network and overlap are not in it.",
            "all_reduce, reduce and broadcast: each rank's tensor keeps its size.",
            "all_gather, reduce_scatter and all_to_all: either the whole stays and each rank's part shrinks, "
            "as where "
            "parameters or a fixed batch are sharded; or each rank's part stays and the whole grows, as "
            "where each rank "
            "brings its own batch. The graph does not say which, so both are given.",
            "Inputs: those that are known to be sharded over all ranks shrink, their whole stays; all others "
            "stay. What "
            "the graph computes meanwhile is not estimated."};
    }

    const session::Session& m_session;
    const Report& m_report;
    ScaleEstimate m_out;
    std::map<const session::Stage*, std::map<std::string, std::optional<std::int64_t>>> m_groups;
};

} // namespace

std::optional<double> busFactor(std::string_view kind, std::int64_t n) {
    const Kind* found = scaledKind(kind);
    return found && n > 0 ? std::optional(factorOf(*found, static_cast<double>(n))) : std::nullopt;
}

ScaleEstimate estimateRanks(const session::Session& session, const Report& report, std::int64_t to) {
    return Estimator(session, report, std::clamp<std::int64_t>(to, 1, mostRanks)).run();
}

} // namespace dynascope::ranks
