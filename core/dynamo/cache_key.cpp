// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/cache_key.h"

#include "core/base/json.h"
#include "core/dynamo/documents.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

struct Line {
    std::string_view hash, name, index, text;
    bool inGroup = false;
};

/// "[hash] name: text" or "[hash] name[index]: text"; an index may hold brackets and colons.
bool split(std::string_view line, Line& out) {
    if (!line.starts_with('[')) return false;
    const std::size_t end = line.find("] ");
    if (end == std::string_view::npos) return false;
    out.hash = line.substr(1, end - 1);
    line.remove_prefix(end + 2);
    const std::size_t name = line.find_first_of("[:");
    if (name == std::string_view::npos) return false;
    out.name = line.substr(0, name);
    out.inGroup = line[name] == '[';
    const std::size_t close = out.inGroup ? line.find("]: ", name) : name;
    if (close == std::string_view::npos) return false;
    if (out.inGroup) out.index = line.substr(name + 1, close - name - 1);
    line.remove_prefix(std::min(close + (out.inGroup ? 3 : 2), line.size()));
    out.text = line;
    return true;
}

using Flat = std::vector<std::pair<std::string, const KeyPart*>>;

Flat flat(const std::vector<KeyPart>& parts) {
    Flat out;
    for (const KeyPart& part : parts) {
        if (part.parts.empty()) out.emplace_back(part.name, &part);
        for (const KeyPart& inner : part.parts)
            out.emplace_back(part.name + '[' + inner.name + ']', &inner);
    }
    return out;
}

CacheQuestion::Outcome outcomeOf(std::string_view state) {
    if (state == "hit") return CacheQuestion::Outcome::Hit;
    return state == "miss" ? CacheQuestion::Outcome::Miss : CacheQuestion::Outcome::Unknown;
}

std::vector<CacheNodeVerdict> verdicts(const element& object) {
    std::vector<CacheNodeVerdict> out;
    simdjson::dom::array nodes;
    if (object["nodes"].get(nodes) != simdjson::SUCCESS) return out;
    for (const element node : nodes)
        out.push_back({std::string(json::text(node, "name")), std::string(json::text(node, "reason")),
                       json::boolean(node, "wrapped"), std::string(json::text(node, "user_cache_hash"))});
    return out;
}

} // namespace

std::vector<KeyPart> readKeyParts(const std::vector<std::string>& lines) {
    std::vector<KeyPart> out;
    for (const std::string& text : lines) {
        Line line;
        if (!split(text, line)) continue;
        KeyPart part{std::string(line.inGroup ? line.index : line.name),
                     std::string(line.hash),
                     std::string(line.text),
                     {}};
        if (!line.inGroup) {
            out.push_back(std::move(part));
            continue;
        }
        // A group's lines follow each other.
        if (out.empty() || out.back().name != line.name || out.back().parts.empty())
            out.push_back({std::string(line.name), {}, {}, {}});
        out.back().parts.push_back(std::move(part));
    }
    return out;
}

std::vector<KeyDifference> compareKeys(const std::vector<KeyPart>& left, const std::vector<KeyPart>& right) {
    std::vector<KeyDifference> out;
    const Flat ours = flat(left), theirs = flat(right);
    std::map<std::string_view, const KeyPart*> known;
    for (const auto& [name, part] : theirs)
        known.emplace(name, part);
    for (const auto& [name, part] : ours) {
        const auto found = known.find(name);
        if (found == known.end())
            out.push_back({name, part->text, {}});
        else if (found->second->hash != part->hash)
            out.push_back({name, part->text, found->second->text});
    }
    known.clear();
    for (const auto& [name, part] : ours)
        known.emplace(name, part);
    for (const auto& [name, part] : theirs)
        if (known.find(name) == known.end()) out.push_back({name, {}, part->text});
    return out;
}

std::vector<CacheQuestion> cacheQuestions(const Recording& recording) {
    std::vector<CacheQuestion> out;
    simdjson::dom::parser parser;
    for (const DocumentInfo& document : recording.documents()) {
        if (document.tag != Tag::CacheKey) continue;
        const std::string text = recording.text(document);
        element object;
        if (parser.parse(text).get(object) != simdjson::SUCCESS) continue;
        if (const std::string_view state = json::text(object, "state"); !state.empty()) {
            if (!out.empty() && out.back().key == json::text(object, "key"))
                out.back().outcome = outcomeOf(state);
            continue;
        }
        CacheQuestion question;
        question.attempt = document.attempt;
        question.step = document.step;
        question.key = json::text(object, "key");
        question.bypassReason = json::text(object, "bypass");
        if (!question.bypassReason.empty()) question.outcome = CacheQuestion::Outcome::Bypass;
        question.parts = readKeyParts(texts(object, "parts"));
        question.nodes = verdicts(object);
        out.push_back(std::move(question));
    }
    return out;
}

std::vector<LookupPair> pairLookups(const Recording& left, const std::vector<CacheQuestion>& ofLeft,
                                    const Recording& right, const std::vector<CacheQuestion>& ofRight) {
    const auto compileOf = [](const Recording& recording, const CacheQuestion& question) {
        return question.attempt < recording.attempts().size() ? idText(recording.attempts()[question.attempt])
                                                              : std::string("-");
    };
    std::map<std::string, std::deque<std::size_t>> open; // of the right one, by compile id
    for (std::size_t i = 0; i < ofRight.size(); ++i)
        open[compileOf(right, ofRight[i])].push_back(i);
    std::vector<LookupPair> out;
    for (std::size_t i = 0; i < ofLeft.size(); ++i) {
        LookupPair pair{compileOf(left, ofLeft[i]), i, SIZE_MAX, {}};
        if (std::deque<std::size_t>& there = open[pair.compileId]; !there.empty()) {
            pair.right = there.front();
            there.pop_front();
            pair.differences = compareKeys(ofLeft[i].parts, ofRight[pair.right].parts);
        }
        out.push_back(std::move(pair));
    }
    for (std::size_t i = 0; i < ofRight.size(); ++i) {
        const std::string compile = compileOf(right, ofRight[i]);
        const std::deque<std::size_t>& rest = open[compile];
        if (std::find(rest.begin(), rest.end(), i) != rest.end()) out.push_back({compile, SIZE_MAX, i, {}});
    }
    return out;
}

} // namespace dynascope::dynamo
