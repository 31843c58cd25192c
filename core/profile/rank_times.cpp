// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/rank_times.h"

#include "core/profile/grouped.h"
#include "core/session/memory_snapshot.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dynascope::profile {

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

/// Rising, none that touch.
std::vector<Interval> unionOf(std::vector<Interval> all) {
    std::ranges::sort(all);
    std::vector<Interval> out;
    for (const Interval& one : all) {
        if (!out.empty() && one.first <= out.back().second)
            out.back().second = std::max(out.back().second, one.second);
        else
            out.push_back(one);
    }
    return out;
}

double lengthOf(const std::vector<Interval>& all) {
    double out = 0;
    for (const Interval& one : all)
        out += static_cast<double>(one.second - one.first);
    return out;
}

/// Of the time in `a` what `b` covers too; both rise and overlap with none of their own.
double covered(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    double out = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        const std::int64_t from = std::max(a[i].first, b[k].first), to = std::min(a[i].second, b[k].second);
        if (to > from) out += static_cast<double>(to - from);
        (a[i].second < b[k].second ? i : k) += 1;
    }
    return out;
}

bool isNccl(std::string_view kernel) {
    return kernel.starts_with("ncclDevKernel") || kernel.starts_with("ncclKernel");
}

class Collector {
public:
    explicit Collector(const session::SessionPtr& session)
        : m_session(session) {}

    void add(const JoinedPtr& joined) {
        const Profile& profile = *joined->profile;
        m_out.ranks.push_back(profile.rank);
        addCommunication(profile);
        std::vector<double> steps;
        for (const Step& step : profile.steps)
            steps.push_back(static_cast<double>(step.duration));
        if (!steps.empty()) m_out.step.add(profile.rank, medianOf(steps), std::nullopt);
        Facts facts(joined);
        const int device = std::max(mainGpu(profile), 0);
        std::map<std::string, Sum> compiles;
        std::map<Place, Sum> collectives;
        for (std::size_t i = 0; i < joined->rows.size(); ++i) {
            const Row& row = joined->rows[i];
            if (row.device != device || row.compile < 0 ||
                (row.part != Part::Kernel && row.part != Part::Node))
                continue;
            const std::string id = m_session->compiles[static_cast<std::size_t>(row.compile)].id.toString();
            const RowFacts& of = facts.of(i);
            if (of.collective.empty()) {
                if (std::ranges::find(m_out.compiles, id, &MeasuredCompile::compile) == m_out.compiles.end())
                    m_out.compiles.push_back({id, {}});
                compiles[id].add(row, profile);
                continue;
            }
            const Place place{id, of.stage, of.collective};
            collectives[place].add(row, profile);
            MeasuredCollective& known = m_collectives[place];
            known.compile = id;
            known.node = of.collective;
            known.places.emplace(profile.rank, std::pair(static_cast<std::size_t>(row.compile),
                                                         static_cast<std::size_t>(of.nodeStage)));
            if (known.file.empty())
                if (const ir::SourceLocation* at = programLine(of.lines)) {
                    known.file = at->file;
                    known.line = at->line;
                }
        }
        for (auto& [id, sum] : compiles)
            sum.addTo(std::ranges::find(m_out.compiles, id, &MeasuredCompile::compile)->time, profile.rank);
        for (auto& [place, sum] : collectives)
            sum.addTo(m_collectives[place].time, profile.rank);
    }

    RankTimes take() {
        for (auto& [place, collective] : m_collectives)
            m_out.collectives.push_back(std::move(collective));
        std::ranges::stable_sort(m_out.collectives, std::ranges::greater(),
                                 [](const MeasuredCollective& one) { return one.time.apart(); });
        return std::move(m_out);
    }

private:
    using Place = std::tuple<std::string, std::string, std::string>; ///< compile, stage, node

    /// Of one rank.
    struct Sum {
        double all = 0;
        std::vector<double> bySteps;

        void add(const Row& row, const Profile& profile) {
            all += row.self;
            bySteps.resize(profile.steps.size());
            addSteps(row, 1, bySteps);
        }
        void addTo(ByRank& time, int rank) const {
            const double median = bySteps.empty() ? all : medianOf(bySteps);
            time.add(rank, median,
                     bySteps.size() < fewestSteps ? std::nullopt : std::optional(medianDeviation(bySteps)));
        }
    };

    /// The first line that is none of PyTorch's.
    static const ir::SourceLocation* programLine(const std::vector<ir::SourceLocation>& lines) {
        const auto at = std::ranges::find_if(lines, session::isUserFrame);
        return at == lines.end() ? nullptr : &*at;
    }

    void addCommunication(const Profile& profile) {
        std::map<std::uint8_t, std::pair<std::vector<Interval>, std::vector<Interval>>> devices;
        for (const Event& event : profile.events)
            if (event.kind == Kind::Kernel) {
                auto& [nccl, others] = devices[event.device];
                (isNccl(profile.nameOf(event)) ? nccl : others).emplace_back(event.start, event.end());
            }
        for (auto& [device, kernels] : devices) {
            const std::vector<Interval> nccl = unionOf(std::move(kernels.first)),
                                        others = unionOf(std::move(kernels.second));
            const double all = lengthOf(nccl);
            if (all > 0)
                m_out.communication.push_back(
                    {profile.rank, profile.devices[device], all, all - covered(nccl, others)});
        }
    }

    const session::SessionPtr& m_session;
    RankTimes m_out;
    std::map<Place, MeasuredCollective> m_collectives;
};

} // namespace

void ByRank::add(int rank, double time, std::optional<double> deviation) {
    ns.insert(std::ranges::lower_bound(ns, rank, {}, &std::pair<int, double>::first), {rank, time});
    noise = noise && deviation ? std::optional(std::max(*noise, *deviation)) : std::nullopt;
}

const std::pair<int, double>& ByRank::least() const {
    return *std::ranges::min_element(ns, {}, &std::pair<int, double>::second);
}

const std::pair<int, double>& ByRank::most() const {
    return *std::ranges::max_element(ns, {}, &std::pair<int, double>::second);
}

Result<RankTimes> rankTimes(const session::SessionPtr& session, const TaskContext& task) {
    std::map<int, ProfilePtr> profiles;
    for (const ProfilePtr& profile : session::attachedAs<Profile>(session->profiles))
        if (profile->rank >= 0) profiles.emplace(profile->rank, profile);
    Collector out(session);
    std::size_t done = 0;
    for (const auto& [rank, profile] : profiles) {
        task.report("Joining profiles", done++, profiles.size());
        const Result<JoinedPtr> joined = join(session, profile);
        if (!joined || task.cancelled()) return cancellation();
        out.add(*joined);
    }
    return out.take();
}

} // namespace dynascope::profile
