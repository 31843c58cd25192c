// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

namespace dynascope::compare {

namespace {

using nlohmann::json;
using session::CacheEvent;

/// "example_inputs[2]" before "example_inputs[10]".
struct ByNameAndNumber {
    bool operator()(std::string_view a, std::string_view b) const { return keyOf(a) < keyOf(b); }

private:
    static std::tuple<std::string_view, std::size_t, std::string_view> keyOf(std::string_view name) {
        const std::size_t open = std::min(name.find('['), name.size());
        const std::string_view digits = name.substr(std::min(open + 1, name.size()));
        std::size_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return {name.substr(0, open), number, name};
    }
};

using Components = std::map<std::string, std::string, ByNameAndNumber>;

/// What a key was made from, by name: PyTorch lists "[hash] name: value".
Components componentsOf(const session::Session& session, const CacheEvent& event) {
    Components out;
    if (event.record >= session.records.size()) return out;
    const json document = json::parse(session.records[event.record].payload.text(), nullptr, false);
    const auto list = document.is_object() ? document.find("components") : document.end();
    if (!document.is_object() || list == document.end() || !list->is_array()) return out;
    for (const json& item : *list) {
        if (!item.is_string()) continue;
        const std::string& text = item.get_ref<const std::string&>();
        const std::size_t hash = text.find("] ");
        const std::size_t from = hash == std::string::npos ? 0 : hash + 2;
        const std::size_t colon = text.find(": ", from);
        if (colon == std::string::npos) continue;
        out.emplace(text.substr(from, colon - from),
                    withoutAddresses(std::string_view(text).substr(colon + 2)));
    }
    return out;
}

} // namespace

bool detail::listsItsKey(const session::Session& session, const CacheEvent& event) {
    return !componentsOf(session, event).empty();
}

std::vector<detail::UnequalKeyPart> detail::keyDifferences(const session::Session& a, const CacheEvent& ofA,
                                                           const session::Session& b, const CacheEvent& ofB) {
    std::vector<UnequalKeyPart> out;
    const auto partsA = componentsOf(a, ofA), partsB = componentsOf(b, ofB);
    if (partsA.empty() || partsB.empty()) return out;
    for (const auto& [name, value] : partsA) {
        const auto other = partsB.find(name);
        if (other == partsB.end()) {
            out.push_back({name, shortened(value), std::nullopt});
        } else if (other->second != value) {
            auto [mine, theirs] = excerpts(value, other->second);
            out.push_back({name, std::move(mine), std::move(theirs)});
        }
    }
    for (const auto& [name, value] : partsB)
        if (!partsA.contains(name)) out.push_back({name, std::nullopt, shortened(value)});
    return out;
}

std::string detail::inALine(const UnequalKeyPart& part) {
    if (!part.b) return part.name + ": only in A: " + part.a.value_or("");
    if (!part.a) return part.name + ": only in B: " + *part.b;
    return part.name + ": " + *part.a + " / " + *part.b;
}

std::vector<CacheComparison> compareCaches(const session::Session& a, const session::Compile& ca,
                                           const session::Session& b, const session::Compile& cb) {
    std::vector<CacheComparison> out;
    std::map<std::string, std::vector<const CacheEvent*>> ofB; // last first
    for (auto event = cb.caches.rbegin(); event != cb.caches.rend(); ++event)
        ofB[event->cache].push_back(&*event);
    for (const CacheEvent& event : ca.caches) {
        CacheComparison entry{event.cache, event.outcome, std::nullopt, event.key, {}, {}};
        if (std::vector<const CacheEvent*>& others = ofB[event.cache]; !others.empty()) {
            const CacheEvent& other = *others.back();
            others.pop_back();
            entry.b = other.outcome;
            entry.keyB = other.key;
            if (entry.keyA != entry.keyB)
                for (const detail::UnequalKeyPart& part : detail::keyDifferences(a, event, b, other))
                    entry.differences.push_back(detail::inALine(part));
        }
        out.push_back(std::move(entry));
    }
    for (const CacheEvent& event : cb.caches) {
        std::vector<const CacheEvent*>& others = ofB[event.cache];
        if (others.empty() || others.back() != &event) continue;
        others.pop_back();
        out.push_back({event.cache, std::nullopt, event.outcome, {}, event.key, {}});
    }
    return out;
}

} // namespace dynascope::compare
