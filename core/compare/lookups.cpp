// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/lookups.h"

#include "core/compare/parts.h"

#include <map>
#include <set>

namespace dynascope::compare {

namespace {

using session::CacheEvent;
using session::Session;

const CacheEvent& eventOf(const Session& session, const Lookup& lookup) {
    return session.compiles[lookup.compile].caches[lookup.event];
}

std::string side(const char* letter, const Session& session, const Lookup& lookup) {
    const CacheEvent& event = eventOf(session, lookup);
    std::string out = std::string(letter) + "  " + lookupName(session, lookup) + "\n";
    out += "   " + (event.key.empty() ? "no key in the log" : "key " + event.key) + "\n";
    if (event.reason == "full_miss")
        out += "   no entry has this key (full_miss)\n";
    else if (!event.reason.empty())
        out += "   " + event.reason + "\n";
    return out;
}

/// Whether both are parts of one list, "example_inputs[7]", that the same key alone has.
bool isOfOneList(const detail::UnequalKeyPart& one, const detail::UnequalKeyPart& other) {
    const auto list = [](const detail::UnequalKeyPart& part) {
        return std::string_view(part.name).substr(0, part.name.find('['));
    };
    return list(one).size() < one.name.size() && list(one) == list(other) && !(one.a && one.b) &&
           one.a.has_value() == other.a.has_value() && one.b.has_value() == other.b.has_value();
}

std::string keysInWords(const Session& session, const CacheEvent& a, const CacheEvent& b) {
    if (a.key.empty() || b.key.empty()) return "There are no two keys to compare.\n";
    if (a.key == b.key) return "Both have the same key.\n";
    if (!detail::listsItsKey(session, a) || !detail::listsItsKey(session, b))
        return "The keys differ. The log does not list what both were made from.\n";
    const std::vector<detail::UnequalKeyPart> parts = detail::keyDifferences(session, a, session, b);
    if (parts.empty())
        return "The keys differ. What the log lists of them is the same, but for addresses in memory.\n";
    std::string out = "The keys differ. Of what they were made from, this differs:\n";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const detail::UnequalKeyPart& part = parts[i];
        // Values stand one above the other, or what differs of long ones is far to the right.
        out += "   " +
               (part.a && part.b ? part.name + "\n      A  " + *part.a + "\n      B  " + *part.b
                                 : detail::inALine(part)) +
               "\n";
        std::size_t last = i;
        while (last + 1 < parts.size() && isOfOneList(part, parts[last + 1]))
            ++last;
        if (last < i + 2) continue;
        out += "   " + std::to_string(last - i) + " more, the last of them " + detail::inALine(parts[last]) +
               "\n";
        i = last;
    }
    return out;
}

} // namespace

std::optional<Lookup> lookupOf(const Session& session, std::size_t record) {
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const std::vector<CacheEvent>& caches = session.compiles[i].caches;
        for (std::size_t j = 0; j < caches.size(); ++j)
            if (caches[j].record == record && record < session.records.size()) return Lookup{i, j};
    }
    return std::nullopt;
}

std::vector<Lookup> otherLookups(const Session& session, const Lookup& of) {
    std::vector<Lookup> out;
    const std::string& cache = eventOf(session, of).cache;
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const std::vector<CacheEvent>& caches = session.compiles[i].caches;
        for (std::size_t j = 0; j < caches.size(); ++j)
            if (caches[j].cache == cache && caches[j].record < session.records.size() && Lookup{i, j} != of)
                out.push_back({i, j});
    }
    return out;
}

bool hasTwoLookups(const Session& session) {
    std::set<std::string_view> seen;
    for (const session::Compile& compile : session.compiles)
        for (const CacheEvent& event : compile.caches)
            if (event.record < session.records.size() && !seen.insert(event.cache).second) return true;
    return false;
}

std::optional<Lookup> comparableLookup(const Session& session, std::size_t preferred) {
    std::map<std::string_view, std::size_t> counts;
    std::optional<Lookup> first;
    for (const session::Compile& compile : session.compiles)
        for (const CacheEvent& event : compile.caches)
            if (event.record < session.records.size()) ++counts[event.cache];
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const std::vector<CacheEvent>& caches = session.compiles[i].caches;
        for (std::size_t j = 0; j < caches.size(); ++j) {
            if (caches[j].record >= session.records.size() || counts[caches[j].cache] < 2) continue;
            if (i == preferred) return Lookup{i, j};
            if (!first) first = Lookup{i, j};
        }
    }
    return first;
}

std::string lookupName(const Session& session, const Lookup& lookup) {
    const CacheEvent& event = eventOf(session, lookup);
    std::string out = session.compiles[lookup.compile].id.toString();
    if (session.ranks.size() > 1)
        out = "rank " + std::to_string(session.compiles[lookup.compile].rank) + ", " + out;
    out += " " + std::string(session::outcomeName(event.outcome));
    if (event.record < session.records.size())
        out += ", line " + std::to_string(session.records.line(event.record));
    return out;
}

std::string explainLookups(const Session& session, const Lookup& a, const Lookup& b) {
    const CacheEvent &ofA = eventOf(session, a), &ofB = eventOf(session, b);
    return "Two lookups of " + ofA.cache + "\n\n" + side("A", session, a) + side("B", session, b) + "\n" +
           keysInWords(session, ofA, ofB);
}

} // namespace dynascope::compare
